#if Store
  internal import GRDB
  internal import Synchronization
  internal import VicinityMonitor

  /// An open store: a connection to its file, and the lock on its name.
  final class SQLiteRecordStore: RecordStore {
    private struct State: ~Copyable {
      var queue: DatabaseQueue
      var lock: NameLock
      /// What is known of the rows; nil until they have been read, and after a failure.
      var rows: StoredRows?
    }

    private let path: String
    /// Nil once closed.
    private let state: Mutex<State?>

    init(path: String, lock: consuming NameLock, checkpointInterval: Int) throws(RecordStoreError) {
      self.path = path
      let queue: DatabaseQueue
      do {
        queue = try DatabaseQueue(
          path: path, configuration: Self.configuration(checkpointInterval: checkpointInterval))
        try Schema.prepare(queue, path: path)
        try queue.writeWithoutTransaction { database in
          let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
          guard mode == "wal" else {
            throw RecordStoreError.unavailable(reason: "no write-ahead log: \(mode ?? "no answer")")
          }
        }
      } catch {
        throw RecordStoreError(error, path: path)
      }
      state = Mutex(State(queue: queue, lock: lock, rows: nil))
    }

    deinit { close() }

    func load() throws(RecordStoreError) -> StoredMonitor {
      try withState { state in
        let (monitor, rows) = try state.queue.writeWithoutTransaction { database in
          try database.settle()
          return try RecordReader(database: database, path: path).load()
        }
        state.rows = rows
        return monitor
      }
    }

    func commit(_ changes: [RecordChange]) throws(RecordStoreError) {
      try withState { state in
        if changes.isEmpty { return }
        // Taken out, and put back with success only: what has failed half-way is read again.
        var taken = state.rows
        state.rows = nil
        let path = path
        state.rows = try state.queue.writeWithoutTransaction { database in
          try database.settle()
          var rows = try taken.take() ?? RecordReader(database: database, path: path).load().1
          let writer = RecordWriter(database: database)
          try database.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
          do {
            for change in changes { try writer.apply(change, to: &rows) }
            try writer.write(rows.ledger)
            try database.cachedStatement(sql: "COMMIT").execute()
          } catch {
            // What led here is what to tell of; where this fails, the next call tells of that.
            try? database.settle()
            throw error
          }
          return rows
        }
      }
    }

    func close() {
      state.withLock { state in
        // Writes the log into the file. Where that fails, the log stays and counts at the next opening.
        try? state?.queue.close()
        state = nil
      }
    }

    private func withState<R: Sendable>(_ body: (inout State) throws -> R) throws(RecordStoreError) -> R {
      let result: Result<R, RecordStoreError> = state.withLock { state in
        guard var open = state.take() else { return .failure(.closed) }
        let result = Result { try body(&open) }.mapError { RecordStoreError($0, path: path) }
        state = consume open
        return result
      }
      return try result.get()
    }
  }

  extension SQLiteRecordStore {
    private static func configuration(checkpointInterval: Int) -> Configuration {
      var configuration = Configuration()
      configuration.label = "vicinity.store"
      // An error that leaves a transaction open is ours to see to, not a reason to trap.
      configuration.allowsUnsafeTransactions = true
      configuration.prepareDatabase { database in
        try database.execute(
          sql: """
            PRAGMA trusted_schema = OFF;
            PRAGMA cell_size_check = ON;
            PRAGMA locking_mode = EXCLUSIVE;
            PRAGMA synchronous = NORMAL;
            PRAGMA wal_autocheckpoint = \(checkpointInterval);
            """)
      }
      return configuration
    }
  }

  extension Database {
    /// Takes back a transaction that an error has left open. SQLite may have done so already.
    fileprivate func settle() throws {
      if isInsideTransaction { try rollback() }
    }
  }

  extension RecordStoreError {
    /// What an error of SQLite, or one of ours, is to a store's user.
    init(_ error: any Error, path: String) {
      switch error {
      case let error as RecordStoreError: self = error
      case let error as DatabaseError:
        let reason =
          "\(error.message ?? "no reason given") (SQLite error \(error.extendedResultCode.rawValue))"
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT, .SQLITE_ERROR, .SQLITE_MISMATCH:
          self = .corrupted(place: path, reason: reason)
        case .SQLITE_CONSTRAINT: self = .invalidChange(reason: reason)
        default: self = .unavailable(reason: "\(path): \(reason)")
        }
      default: self = .unavailable(reason: "\(path): \(error)")
      }
    }
  }
#endif
