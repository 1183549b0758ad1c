internal import Synchronization

/// Record stores that live as long as this object: the twin of the durable ones, for tests, simulations and
/// apps that need no persistence.
///
/// A monitor that is closed and opened again under its name finds what it left.
public final class InMemoryRecords: RecordStoreOpener {
  private struct Contents {
    var monitors: [String: StoredMonitor] = [:]
    var open: Set<String> = []
  }

  private let contents = Mutex(Contents())

  public init() {}

  public func open(_ name: String) throws(RecordStoreError) -> any RecordStore {
    try RecordStoreError.check(name: name)
    let isNew = contents.withLock { $0.open.insert(name).inserted }
    guard isNew else { throw .alreadyOpen(name: name) }
    return InMemoryRecordStore(self, name)
  }

  /// What is stored under a name.
  public func stored(_ name: String) -> StoredMonitor {
    contents.withLock { $0.monitors[name] ?? StoredMonitor() }
  }

  fileprivate func commit(_ changes: [RecordChange], to name: String) {
    contents.withLock { contents in
      for change in changes { contents.monitors[name, default: StoredMonitor()].apply(change) }
    }
  }

  fileprivate func close(_ name: String) { _ = contents.withLock { $0.open.remove(name) } }
}

private final class InMemoryRecordStore: RecordStore {
  private let records: InMemoryRecords
  private let name: String
  private let isClosed = Mutex(false)

  init(_ records: InMemoryRecords, _ name: String) {
    self.records = records
    self.name = name
  }

  deinit { close() }

  func load() throws(RecordStoreError) -> StoredMonitor {
    try check()
    return records.stored(name)
  }

  func commit(_ changes: [RecordChange]) throws(RecordStoreError) {
    try check()
    records.commit(changes, to: name)
  }

  func close() {
    let wasClosed = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return isClosed
    }
    if !wasClosed { records.close(name) }
  }

  private func check() throws(RecordStoreError) {
    if isClosed.withLock({ $0 }) { throw .closed }
  }
}

extension RecordStoreError {
  /// The longest name there can be: with an extension it is still a file's.
  package static let longestName = 200

  /// Checks that a name has one or more characters, not too many, all of them ASCII letters and digits.
  package static func check(name: String) throws(RecordStoreError) {
    let isAlphanumeric = name.utf8.allSatisfy { byte in
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
    guard !name.isEmpty, name.utf8.count <= longestName, isAlphanumeric else { throw .invalidName(name) }
  }
}
