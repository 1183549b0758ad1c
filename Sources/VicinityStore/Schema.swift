#if Store
  internal import GRDB
  internal import VicinityMonitor

  /// The tables of a store's file, by version, and what tells such a file from others.
  enum Schema {
    /// In SQLite's header: `VMon`.
    static let applicationID = 0x564D_6F6E
    /// The newest version; also SQLite's `user_version`.
    static let version = 5

    /// From any earlier version, nothing included, to the newest. A version is never changed, only followed.
    static func migrator() -> DatabaseMigrator {
      var migrator = DatabaseMigrator()
      migrator.registerMigration("1") { database in
        try database.execute(sql: version1)
        try database.execute(sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = 1")
      }
      // The time of the last fix; and conditions of a given index, a bit of their options.
      migrator.registerMigration("2") { database in
        try database.execute(sql: "ALTER TABLE ledger ADD COLUMN lastFix INTEGER; PRAGMA user_version = 2")
      }
      // Wishes of a condition: null where there are none.
      migrator.registerMigration("3") { database in
        try database.execute(
          sql: """
            ALTER TABLE condition ADD COLUMN latency INTEGER;
            ALTER TABLE condition ADD COLUMN hysteresis ANY;
            ALTER TABLE condition ADD COLUMN dwell INTEGER;
            PRAGMA user_version = 3
            """)
      }
      // The crossings that have been told: null before the first.
      migrator.registerMigration("4") { database in
        try database.execute(
          sql: """
            ALTER TABLE ledger ADD COLUMN crossings INTEGER;
            ALTER TABLE ledger ADD COLUMN departureCrossings INTEGER;
            ALTER TABLE ledger ADD COLUMN longRestCrossings INTEGER;
            ALTER TABLE ledger ADD COLUMN longRests INTEGER;
            PRAGMA user_version = 4
            """)
      }
      // What else was learned: null where there is nothing.
      migrator.registerMigration("5") { database in
        try database.execute(
          sql: """
            ALTER TABLE ledger ADD COLUMN departureExits INTEGER;
            ALTER TABLE ledger ADD COLUMN headStarts BLOB;
            ALTER TABLE ledger ADD COLUMN exits INTEGER;
            ALTER TABLE ledger ADD COLUMN meanExit ANY;
            PRAGMA user_version = 5
            """)
      }
      return migrator
    }

    /// Numbers of 64 bits are stored as signed ones of the same bits. Angles and lengths are in columns of
    /// any type: SQLite turns -0.0 into 0 in those of type REAL.
    private static let version1 = """
      CREATE TABLE condition (
        number INTEGER PRIMARY KEY, identifier BLOB NOT NULL, kind INTEGER NOT NULL,
        latitude ANY, longitude ANY, radius ANY,
        uuidHigh INTEGER, uuidLow INTEGER, major INTEGER, minor INTEGER,
        options INTEGER NOT NULL, priority INTEGER NOT NULL, conditionSum INTEGER NOT NULL,
        sequence INTEGER NOT NULL, state INTEGER NOT NULL, date INTEGER NOT NULL, diagnostics INTEGER NOT NULL,
        seenHigh INTEGER, seenLow INTEGER, seenMajor INTEGER, seenMinor INTEGER,
        notified INTEGER NOT NULL, recordSum INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE polygon (
        number INTEGER PRIMARY KEY REFERENCES condition (number) ON DELETE CASCADE, bytes BLOB NOT NULL
      ) STRICT;
      CREATE TABLE event (
        condition INTEGER NOT NULL REFERENCES condition (number) ON DELETE CASCADE,
        sequence INTEGER NOT NULL, state INTEGER NOT NULL, date INTEGER NOT NULL, diagnostics INTEGER NOT NULL,
        seenHigh INTEGER, seenLow INTEGER, seenMajor INTEGER, seenMinor INTEGER, eventSum INTEGER NOT NULL,
        PRIMARY KEY (condition, sequence)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE ledger (
        id INTEGER PRIMARY KEY, lastNumber INTEGER NOT NULL, lastSequence INTEGER NOT NULL,
        conditions INTEGER NOT NULL, events INTEGER NOT NULL, total INTEGER NOT NULL, ledgerSum INTEGER NOT NULL
      ) STRICT;
      INSERT INTO ledger VALUES (1, 0, 0, 0, 0, 0, \(Ledger().signedChecksum));
      """

    /// The tables as the migrations make them.
    private static let madeTables = Result {
      let queue = try DatabaseQueue()
      try migrator().migrate(queue)
      return try queue.read { try $0.tables() }
    }

    /// Makes a new store's tables, and brings an older one's up to date.
    ///
    /// - Throws: `RecordStoreError.corrupted` for a file that is no store, `unsupportedVersion` for one of a
    ///   later version.
    static func prepare(_ queue: DatabaseQueue, path: String) throws {
      if try queue.read({ try $0.needsMigration(path: path) }) { try migrator().migrate(queue) }
      // Triggers and views in it, or tables unlike ours, would give our statements another meaning.
      guard try queue.read({ try $0.tables() }) == madeTables.get() else {
        throw RecordStoreError.corrupted(
          place: path, reason: "its tables are not those of version \(version)")
      }
    }
  }

  extension Database {
    /// Whether the file is new or of an earlier version.
    fileprivate func needsMigration(path: String) throws -> Bool {
      let application = try Int.fetchOne(self, sql: "PRAGMA application_id") ?? 0
      let version = try Int.fetchOne(self, sql: "PRAGMA user_version") ?? 0
      // Version and tables come in one commit, after the migrator's own table.
      if application == 0, version == 0, try tables().isEmpty { return true }
      guard application == Schema.applicationID, version > 0 else {
        throw RecordStoreError.corrupted(place: path, reason: "it is no monitor's store")
      }
      guard version <= Schema.version else {
        throw RecordStoreError.unsupportedVersion(found: version, supported: Schema.version)
      }
      return version < Schema.version
    }

    /// What makes up the tables, the migrator's left out.
    fileprivate func tables() throws -> [String] {
      try Row.fetchAll(self, sql: "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name")
        .map { row in
          (0..<4).map { (row[$0] as DatabaseValue).description }.joined(separator: "|")
        }
        .filter { !$0.contains("grdb_migrations") }
    }
  }
#endif
