#if Store
  import Foundation
  import GRDB
  import Testing
  import VicinityMonitor
  import VicinityStore
  import VicinityTestSupport

  /// Files that are not, or no longer, what the store wrote.
  @Suite struct StoreDamageTests {
    private static let count = 60
    private static let states = Set(RecordScript.states(count, seed: seed))

    /// The first script that ends with a condition of each kind, and events.
    private static let seed: UInt64 =
      (1...100).first { seed in
        let last = RecordScript.states(count, seed: seed)[count]
        let conditions = last.conditions.values.map(\.record.condition)
        return last.events.count > 1 && conditions.contains { $0.beacon != nil }
          && conditions.contains { if case .circle = $0 { true } else { false } }
          && conditions.contains { if case .polygon = $0 { true } else { false } }
      } ?? 0

    /// A folder with the files of a process that was killed: the store's file and its log, both with something in them.
    private func damaged(_ harm: (_ file: inout [UInt8], _ log: inout [UInt8]) -> Void) throws -> StoreFolder
    {
      let folder = StoreFolder()
      try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
      var (file, log) = try Self.files.get()
      harm(&file, &log)
      try TemporaryFile.write(file, to: folder.script)
      try TemporaryFile.write(log, to: folder.script + "-wal")
      return folder
    }

    private static let files = Result {
      let folder = StoreFolder()
      let run = try HelperRun(["run", folder.path, "\(seed)", "0", "\(count)", "0", "0"])
      while let line = run.line(), line != "\(count - 1)" {}
      // The helper closes next; what it leaves before that is made again by stopping it at its last write but some.
      let calls = run.lines().last?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
      let again = StoreFolder()
      _ = try HelperRun(["run", again.path, "\(seed)", "0", "\(count)", "\(calls - 40)", "0"]).lines()
      return (try TemporaryFile.bytes(again.script), try TemporaryFile.bytes(again.script + "-wal"))
    }

    /// What was stored at some time, or an error with a name; and no trap in going on.
    private func check(_ folder: StoreFolder, _ comment: String) -> String {
      RecordStoreError.kind { try exercise(folder, comment) }
    }

    private func exercise(_ folder: StoreFolder, _ comment: String) throws {
      let store = try folder.records.open("script")
      let stored = try store.load()
      #expect(Self.states.contains(stored), "\(comment): contents that never were")
      // On from there: errors are allowed, other contents are not.
      var after = stored
      for commit in RecordScript(seed: 99).prefix(5) {
        try store.commit(commit)
        for change in commit { after.apply(change) }
      }
      let last = try store.load()
      #expect(last == after, "\(comment): other contents after commits")
      store.close()
    }

    @Test func undamagedFilesHaveAll() throws {
      let folder = try damaged { file, log in
        #expect(file.count > 20_000 && log.count > 20_000, "\(file.count) and \(log.count) bytes")
      }
      #expect(check(folder, "undamaged") == "success")
    }

    @Test func flippedBits() throws {
      var random = SplitMix64(seed: 11)
      var kinds: [String: Int] = [:]
      for i in 0..<(isLong ? 20_000 : 250) {
        var place = ""
        let folder = try damaged { file, log in
          let bit = UInt8(1) << random.below(8)
          // The header and the first page more often than the rest.
          let reach = random.below(3) == 0 ? 100 : random.below(2) == 0 ? 4096 : Int.max
          if i & 1 == 0 {
            let at = random.below(min(reach, file.count))
            file[at] ^= bit
            place = "file, byte \(at), bit \(bit)"
            // Without the log's pages over them, those of the file count.
            if i & 2 == 0 { log = [] }
          } else {
            let at = random.below(min(reach, log.count))
            log[at] ^= bit
            place = "log, byte \(at), bit \(bit)"
          }
        }
        kinds[check(folder, place), default: 0] += 1
      }
      #expect(kinds["success", default: 0] > 0 && kinds["corrupted", default: 0] > 0, "\(kinds)")
    }

    @Test func truncatedFiles() throws {
      var random = SplitMix64(seed: 12)
      for i in 0..<(isLong ? 2000 : 60) {
        var place = ""
        let folder = try damaged { file, log in
          if i & 1 == 0 {
            let length =
              random.below(2) == 0 ? random.below(file.count) : random.below(file.count / 4096) * 4096
            file = Array(file[..<length])
            place = "file of \(length) bytes"
            if i & 2 == 0 { log = [] }
          } else {
            log = Array(log[..<random.below(log.count)])
            place = "log of \(log.count) bytes"
          }
        }
        _ = check(folder, place)
      }
    }

    @Test func randomBytes() throws {
      var random = SplitMix64(seed: 13)
      for i in 0..<(isLong ? 500 : 20) {
        let folder = try damaged { file, log in
          let header = file[..<100]
          file = (0..<random.below(20_000)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
          if i & 1 == 0 { file = header + file }
          if i & 2 == 0 { log = [] }
        }
        let kind = check(folder, "random bytes \(i)")
        #expect(kind == "corrupted" || kind == "unavailable" || i & 2 != 0, "\(kind)")
      }
    }

    /// Changes to rows that SQLite has no objection to.
    @Test(arguments: [
      "UPDATE condition SET state = 4", "UPDATE condition SET radius = radius + 1 WHERE kind = 1",
      "UPDATE condition SET latitude = 91.0 WHERE kind = 1",
      "UPDATE condition SET major = 70000 WHERE kind = 3",
      "UPDATE condition SET kind = 4", "UPDATE condition SET options = 16",
      "UPDATE condition SET notified = 17",
      "UPDATE condition SET identifier = x'FF'", "UPDATE condition SET longitude = 'x'",
      "DELETE FROM condition",
      "DELETE FROM event", "DELETE FROM polygon", "DELETE FROM ledger",
      "INSERT INTO ledger SELECT 2, 1, 1, 1, 1, 1, 1",
      "UPDATE ledger SET lastSequence = lastSequence + 1", "UPDATE ledger SET ledgerSum = 0",
      "UPDATE event SET date = date + 1", "UPDATE event SET condition = 424242",
      "UPDATE polygon SET bytes = substr(bytes, 1, 20)", "UPDATE polygon SET bytes = zeroblob(1000)",
      "INSERT INTO polygon VALUES (424242, x'00')",
      "CREATE TRIGGER t AFTER INSERT ON event BEGIN DELETE FROM event; END", "CREATE TABLE other (x)",
      "DROP TABLE polygon", "CREATE VIEW v AS SELECT 1", "ALTER TABLE event ADD COLUMN x INTEGER",
      "PRAGMA application_id = 7", "PRAGMA application_id = 0", "PRAGMA user_version = 0",
      "UPDATE condition SET identifier = (SELECT identifier FROM condition LIMIT 1)",
    ])
    func foreignRows(_ sql: String) throws {
      let folder = StoreFolder()
      try folder.write(Self.count, seed: Self.seed)
      var configuration = Configuration()
      configuration.foreignKeysEnabled = false
      let queue = try DatabaseQueue(path: folder.script, configuration: configuration)
      try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
      try queue.close()
      #expect(check(folder, sql) == "corrupted")
    }

    @Test func laterVersion() throws {
      let folder = StoreFolder()
      try folder.write(3, seed: 1)
      let queue = try DatabaseQueue(path: folder.script)
      try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = 2") }
      try queue.close()
      #expect(throws: RecordStoreError.unsupportedVersion(found: 2, supported: 1)) { try folder.load() }
    }

    /// Somebody else's database is left as it is.
    @Test func otherDatabase() throws {
      let folder = StoreFolder()
      try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
      let queue = try DatabaseQueue(path: folder.script)
      try queue.writeWithoutTransaction {
        try $0.execute(sql: "CREATE TABLE mine (x); INSERT INTO mine VALUES (1)")
      }
      try queue.close()
      let before = try TemporaryFile.bytes(folder.script)
      #expect(RecordStoreError.kind { _ = try folder.records.open("script") } == "corrupted")
      #expect(try TemporaryFile.bytes(folder.script) == before)
    }

    /// Rows need their condition.
    @Test func foreignKeys() throws {
      let folder = StoreFolder()
      try folder.write(Self.count, seed: Self.seed)
      let queue = try DatabaseQueue(path: folder.script)
      #expect(throws: DatabaseError.self) {
        try queue.writeWithoutTransaction { try $0.execute(sql: "UPDATE event SET condition = 424242") }
      }
      #expect(throws: DatabaseError.self) {
        try queue.writeWithoutTransaction {
          try $0.execute(sql: "INSERT INTO polygon VALUES (424242, x'00')")
        }
      }
      try queue.close()
      #expect(Self.states.contains(try folder.load()))
    }
  }
#endif
