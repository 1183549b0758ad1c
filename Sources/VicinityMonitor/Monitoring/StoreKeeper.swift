internal import VicinityCrossings

/// Keeps what a machine has changed in a store, and tries again where it could not.
struct StoreKeeper {
  private let store: any RecordStore
  /// Why the last commit failed; nil while what happens is stored.
  private(set) var error: RecordStoreError?
  /// When it is time to try again; nil while what happens is stored.
  private(set) var retryTime: Timestamp?

  /// Opens a store.
  ///
  /// - Parameter stored: What is in it.
  init(_ name: String, in records: some RecordStoreOpener, stored: inout StoredMonitor) throws(MonitorError) {
    do { store = try records.open(name) } catch { throw .store(error) }
    do { stored = try store.load() } catch {
      store.close()
      throw .store(error)
    }
  }

  /// Lets go of the name.
  func close() { store.close() }

  /// Stores changes; everything, once the store takes it again after it has failed.
  mutating func commit(
    _ changes: [RecordChange], of machine: inout MonitorStateMachine, at now: Timestamp
  ) {
    if machine.isPersistent, changes.isEmpty { return }
    if !machine.isPersistent, let retryTime, now < retryTime { return }
    do {
      try store.commit(machine.isPersistent ? changes : [.replaceAll(machine.stored)])
      machine.didStore()
      error = nil
      retryTime = nil
    } catch {
      machine.couldNotStore()
      self.error = error
      retryTime = now.advanced(by: machine.options.storeRetryInterval)
    }
  }
}
