#if Store
  import Foundation
  import VicinityMonitor
  import VicinityStore
  import VicinityTestSupport

  /// A folder of stores for one test, removed with it; in memory where there is such a place, where nothing
  /// waits for a disk.
  final class StoreFolder {
    let path = StoreFolder.path()
    let records: SQLiteRecords

    init(checkpointInterval: Int = 20) {
      records = SQLiteRecords(folder: path, checkpointInterval: checkpointInterval)
    }

    private static func path() -> String {
      let memory = "/dev/shm"
      guard FileManager.default.isWritableFile(atPath: memory) else { return TemporaryFile.path("store") }
      return "\(memory)/vicinity-\(UUID().uuidString)-store"
    }

    deinit { TemporaryFile.remove(path) }

    /// The file of the store called `script`.
    var script: String { records.path(of: "script") }

    /// Opens, reads and closes the store called `script`.
    func load() throws -> StoredMonitor {
      let store = try records.open("script")
      defer { store.close() }
      return try store.load()
    }

    /// Makes the store called `script` with the first commits of a script in it.
    func write(_ count: Int, seed: UInt64) throws {
      let store = try records.open("script")
      defer { store.close() }
      for commit in RecordScript(seed: seed).prefix(count) { try store.commit(commit) }
    }
  }

  /// Whether the long tests are asked for.
  let isLong = ProcessInfo.processInfo.environment["VICINITY_LONG_TESTS"] == "1"

  extension RecordStoreError {
    /// The case's name.
    var kind: String {
      switch self {
      case .invalidName: "invalidName"
      case .alreadyOpen: "alreadyOpen"
      case .closed: "closed"
      case .unavailable: "unavailable"
      case .corrupted: "corrupted"
      case .unsupportedVersion: "unsupportedVersion"
      case .invalidChange: "invalidChange"
      }
    }

    /// The case's name of what `body` throws; `success` for nothing.
    static func kind(_ body: () throws -> Void) -> String {
      do {
        try body()
        return "success"
      } catch let error as RecordStoreError {
        return error.kind
      } catch {
        return "\(error)"
      }
    }
  }
#endif
