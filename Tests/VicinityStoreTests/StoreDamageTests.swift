#if Store
  import Foundation
  import GRDB
  import Testing
  import VicinityMonitor
  import VicinityStore
  import VicinityTestSupport

  /// Files that are not, or no longer, what the store wrote.
  ///
  /// What may be lost depends on the damage, and is never more:
  /// - Of a log that was cut off, as a loss of power does, or in which a bit has changed, which looks the
  ///   same: the commits that do not lie whole before that place. Those before it are all there, and there is
  ///   no error.
  /// - Of a file that is damaged: nothing. It opens with every commit, or not at all, with an error that says
  ///   so.
  @Suite struct StoreDamageTests {
    private static let count = 60
    private static let states = RecordScript.states(count, seed: seed)

    /// The first script that ends with a condition of each kind, and events.
    private static let seed: UInt64 =
      (1...100).first { seed in
        let last = RecordScript.states(count, seed: seed)[count]
        let conditions = last.conditions.values.map(\.record.condition)
        return last.events.count > 1 && conditions.contains { $0.beacon != nil }
          && conditions.contains { if case .circle = $0 { true } else { false } }
          && conditions.contains { if case .polygon = $0 { true } else { false } }
      } ?? 0

    /// The files of a process that was killed: the store's file, and its log with several commits in it.
    private struct Files {
      var file: [UInt8]
      var log: [UInt8]
      /// How many commits had returned when the process was killed.
      var acknowledged: Int
    }

    private static let files = Result { () throws -> Files in
      let folder = StoreFolder()
      let lines = try HelperRun(["run", folder.path, "\(seed)", "0", "\(count)", "0", "0"]).lines()
      let calls = lines.last?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
      // Killed at several moments near the end: the one that leaves the most commits in the log, but fewer
      // than the 20 pages with which it goes into the file.
      let limit = 32 + 20 * (24 + 4096)
      var best = Files(file: [], log: [], acknowledged: 0)
      for back in stride(from: 20, through: 90, by: 10) {
        let folder = StoreFolder()
        let lines = try HelperRun(
          ["run", folder.path, "\(seed)", "0", "\(count)", "\(calls - back)", "0"]
        ).lines()
        let files = Files(
          file: try TemporaryFile.bytes(folder.script), log: try TemporaryFile.bytes(folder.script + "-wal"),
          acknowledged: lines.count { Int($0) != nil })
        let ends = WriteAheadLog.commitEnds(files.log)
        guard let end = ends.last, end < limit else { continue }
        if ends.count > WriteAheadLog.commitEnds(best.log).count { best = files }
      }
      return best
    }

    /// The number of the commit up to which the file alone has them all: what is in its log comes on top.
    private static let base = Result { () throws -> Int in
      let files = try StoreDamageTests.files.get()
      return files.acknowledged - WriteAheadLog.commitEnds(files.log).count
    }

    /// A folder with the killed process's files after some harm; and how many commits must be found in it.
    private func damaged(
      _ harm: (_ file: inout [UInt8], _ log: inout [UInt8]) -> Void
    ) throws -> (folder: StoreFolder, commits: Int) {
      let folder = StoreFolder()
      try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
      var files = try Self.files.get()
      harm(&files.file, &files.log)
      try TemporaryFile.write(files.file, to: folder.script)
      try TemporaryFile.write(files.log, to: folder.script + "-wal")
      return (folder, try Self.base.get() + WriteAheadLog.commitEnds(files.log).count)
    }

    /// What is wrong with what was found: contents other than those after some number of commits, or an error
    /// where there must be none; nil for nothing.
    private static func complaint(
      _ found: Result<StoredMonitor, any Error>, commits: Int, mayBeRefused: Bool
    ) -> String? {
      switch found {
      case .success(let stored):
        if stored == states[commits] { return nil }
        let other = states.indices.filter { states[$0] == stored }
        return other.isEmpty
          ? "contents that never were" : "the contents after \(other) commits, not after \(commits)"
      case .failure(let error as RecordStoreError):
        switch error.kind {
        case "corrupted", "unavailable", "unsupportedVersion":
          return mayBeRefused ? nil : "refused: \(error)"
        default: return "\(error)"
        }
      case .failure(let error): return "\(error)"
      }
    }

    /// Opens a damaged store, checks what is in it, and goes on with it.
    ///
    /// - Parameter commits: The number of commits that must be there.
    /// - Returns: `success`, or the name of the error that opening it threw.
    @discardableResult
    private func check(
      _ folder: StoreFolder, commits: Int, mayBeRefused: Bool, _ comment: String
    ) throws -> String {
      let found = Result { try folder.load() }
      let complaint = Self.complaint(found, commits: commits, mayBeRefused: mayBeRefused)
      if let complaint { Issue.record("\(comment): \(complaint)") }
      guard case .success(var after) = found else { return RecordStoreError.kind { _ = try found.get() } }
      // On from there: other contents are never allowed, errors only where the file may have been refused.
      let kind = RecordStoreError.kind {
        let store = try folder.records.open("script")
        defer { store.close() }
        for commit in RecordScript(seed: 99).prefix(5) {
          try store.commit(commit)
          for change in commit { after.apply(change) }
        }
        #expect(try store.load() == after, "\(comment): other contents after commits")
        store.close()
        #expect(try folder.load() == after, "\(comment): other contents after opening again")
      }
      #expect(
        kind == "success" || mayBeRefused && ["corrupted", "unavailable"].contains(kind),
        "\(comment): \(kind) when going on")
      return "success"
    }

    @Test func undamagedFilesHaveAll() throws {
      let (folder, commits) = try damaged { file, log in
        #expect(file.count > 20_000 && log.count > 20_000, "\(file.count) and \(log.count) bytes")
      }
      let files = try Self.files.get()
      #expect(commits == files.acknowledged)
      #expect(WriteAheadLog.commitEnds(files.log).count >= 4)
      #expect(try check(folder, commits: commits, mayBeRefused: false, "undamaged") == "success")
    }

    /// The checks see a commit too few, one too many, and an error where there must be none.
    @Test func checksRefuseWhatIsNotAllowed() throws {
      let last = try Self.files.get().acknowledged
      let other = try #require(Self.states.indices.last { Self.states[$0] != Self.states[last] && $0 < last })
      let found = Result<StoredMonitor, any Error>.success(Self.states[last])
      #expect(Self.complaint(found, commits: last, mayBeRefused: false) == nil)
      for mayBeRefused in [false, true] {
        let older = Result<StoredMonitor, any Error>.success(Self.states[other])
        #expect(Self.complaint(older, commits: last, mayBeRefused: mayBeRefused) != nil)
        #expect(Self.complaint(found, commits: other, mayBeRefused: mayBeRefused) != nil)
        let nothing = Result<StoredMonitor, any Error>.success(StoredMonitor())
        #expect(Self.complaint(nothing, commits: last, mayBeRefused: mayBeRefused) != nil)
        let wrong = Result<StoredMonitor, any Error>.failure(RecordStoreError.closed)
        #expect(Self.complaint(wrong, commits: last, mayBeRefused: mayBeRefused) != nil)
        let refused = Result<StoredMonitor, any Error>.failure(
          RecordStoreError.corrupted(place: "", reason: ""))
        #expect((Self.complaint(refused, commits: last, mayBeRefused: mayBeRefused) == nil) == mayBeRefused)
      }
      // And so does the whole way through a store's files: without its last commit, the log is another.
      let (folder, commits) = try damaged { _, log in
        log.removeSubrange((WriteAheadLog.commitEnds(log).last! - 1)...)
      }
      #expect(commits == last - 1)
      let stored = Result { try folder.load() }
      #expect(Self.complaint(stored, commits: commits, mayBeRefused: false) == nil)
      if Self.states[last - 1] != Self.states[last] {
        #expect(Self.complaint(stored, commits: last, mayBeRefused: true) != nil)
      }
    }

    /// A log that ends early, at every commit's end, a byte before it and a byte after it, and anywhere: the
    /// commits that lie whole before its end are there.
    @Test func logCutOff() throws {
      var random = SplitMix64(seed: 12)
      let log = try Self.files.get().log
      var lengths = WriteAheadLog.commitEnds(log).flatMap { [$0 - 1, $0, $0 + 1] } + [0, 31, 32, 33]
      for _ in 0..<(isLong ? 1000 : 10) { lengths.append(random.below(log.count)) }
      var seen: Set<Int> = []
      for length in lengths {
        let (folder, commits) = try damaged { _, log in log = Array(log[..<length]) }
        seen.insert(commits)
        try check(folder, commits: commits, mayBeRefused: false, "log of \(length) bytes")
      }
      #expect(seen == Set(try Self.base.get()...Self.files.get().acknowledged))
    }

    /// A changed bit in the log is the end of what counts.
    @Test func flippedBitsOfTheLog() throws {
      var random = SplitMix64(seed: 11)
      let ends = WriteAheadLog.commitEnds(try Self.files.get().log)
      var seen: Set<Int> = []
      for i in 0..<(isLong ? 10_000 : 100) {
        var place = ""
        let (folder, commits) = try damaged { _, log in
          // Headers more often than the rest.
          let start = i % 3 == 0 ? 0 : i % 3 == 1 ? ends[random.below(ends.count)] : random.below(log.count)
          let at = min(start + random.below(56), log.count - 1)
          let bit = UInt8(1) << random.below(8)
          log[at] ^= bit
          place = "log, byte \(at), bit \(bit)"
        }
        seen.insert(commits)
        try check(folder, commits: commits, mayBeRefused: false, place)
      }
      #expect(seen.count > 3, "\(seen)")
    }

    /// A changed bit in the file is an error, or does not matter.
    @Test func flippedBitsOfTheFile() throws {
      var random = SplitMix64(seed: 14)
      var kinds: [String: Int] = [:]
      for i in 0..<(isLong ? 10_000 : 150) {
        var place = ""
        let (folder, commits) = try damaged { file, log in
          // The header and the first page more often than the rest.
          let reach = random.below(3) == 0 ? 100 : random.below(2) == 0 ? 4096 : Int.max
          let at = random.below(min(reach, file.count))
          let bit = UInt8(1) << random.below(8)
          file[at] ^= bit
          // Without the log's pages over them, those of the file count.
          if i & 1 == 0 { log = [] }
          place = "file, byte \(at), bit \(bit), \(log.count) bytes of log"
        }
        kinds[try check(folder, commits: commits, mayBeRefused: true, place), default: 0] += 1
      }
      #expect(kinds["success", default: 0] > 0 && kinds["corrupted", default: 0] > 0, "\(kinds)")
    }

    /// A file that has lost its end is an error, or its log has all that is missing.
    @Test func truncatedFiles() throws {
      var random = SplitMix64(seed: 15)
      let size = try Self.files.get().file.count
      var lengths = [2, 99, 100, 512, 4095, 4096, 8192, size - 4096, size - 1]
      for i in 0..<(isLong ? 1000 : 20) {
        lengths.append(i & 1 == 0 ? 2 + random.below(size - 2) : (1 + random.below(size / 4096 - 1)) * 4096)
      }
      var kinds: [String: Int] = [:]
      for length in lengths {
        for hasLog in [true, false] {
          let (folder, commits) = try damaged { file, log in
            file = Array(file[..<length])
            if !hasLog { log = [] }
          }
          let place = "file of \(length) bytes, \(hasLog ? "with" : "without") its log"
          kinds[try check(folder, commits: commits, mayBeRefused: true, place), default: 0] += 1
        }
      }
      #expect(kinds["corrupted", default: 0] > 0, "\(kinds)")
    }

    /// A log with commits whose file is gone or empty is an error, and so it is where one byte is left, which
    /// SQLite takes for an empty file: the log would be deleted, and all that was stored with it. Such a file
    /// without a log is one that has just been made.
    @Test(arguments: [nil, 0, 1] as [Int?])
    func logWithoutItsFile(_ length: Int?) throws {
      let (folder, _) = try damaged { file, _ in file = Array(file[..<(length ?? 0)]) }
      if length == nil { TemporaryFile.remove(folder.script) }
      let log = try Self.files.get().log
      #expect(RecordStoreError.kind { _ = try folder.records.open("script") } == "corrupted")
      #expect(try TemporaryFile.bytes(folder.script + "-wal") == log)
      TemporaryFile.remove(folder.script + "-wal")
      #expect(try folder.load() == StoredMonitor())
    }

    @Test func randomBytes() throws {
      var random = SplitMix64(seed: 13)
      for i in 0..<(isLong ? 500 : 20) {
        let (folder, commits) = try damaged { file, log in
          let header = file[..<100]
          file = (0..<1 + random.below(20_000)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
          if i & 1 == 0 { file = header + file }
          if i & 2 == 0 { log = [] }
        }
        let kind = try check(folder, commits: commits, mayBeRefused: true, "random bytes \(i)")
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
      "INSERT INTO ledger SELECT 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, NULL, NULL, NULL, NULL",
      "UPDATE ledger SET crossings = ifnull(crossings, 0) + 1, departureCrossings = 0, longRestCrossings = 0, longRests = 0",
      "UPDATE ledger SET longRests = iif(longRests IS NULL, 1, NULL)",
      "UPDATE ledger SET exits = ifnull(exits, 0) + 1",
      "UPDATE ledger SET headStarts = x'0000000000000050', departureExits = 0, exits = 0, meanExit = 0.0",
      "UPDATE ledger SET headStarts = x'00', departureExits = 0, exits = 1, meanExit = 100.0",
      "UPDATE ledger SET meanExit = iif(meanExit IS NULL, 1.0, NULL)",
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
      #expect(RecordStoreError.kind { _ = try folder.load() } == "corrupted")
    }

    /// The event whose values are not its checksum's is named, and not only the ledger, which no longer adds
    /// up then.
    @Test func changedEventsAreNamed() throws {
      let folder = StoreFolder()
      try folder.write(Self.count, seed: Self.seed)
      let queue = try DatabaseQueue(path: folder.script)
      let number = try queue.writeWithoutTransaction { database in
        let last = try Int.fetchOne(database, sql: "SELECT max(sequence) FROM event")
        try database.execute(sql: "UPDATE event SET date = date + 1 WHERE sequence = ?", arguments: [last])
        return try #require(last)
      }
      try queue.close()
      #expect {
        _ = try folder.load()
      } throws: { error in
        guard case RecordStoreError.corrupted(let place, _) = error else { return false }
        return place == "event \(number)"
      }
    }

    @Test func laterVersion() throws {
      let folder = StoreFolder()
      try folder.write(3, seed: 1)
      let queue = try DatabaseQueue(path: folder.script)
      try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = 6") }
      try queue.close()
      #expect(throws: RecordStoreError.unsupportedVersion(found: 6, supported: 5)) { try folder.load() }
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
      #expect(try folder.load() == Self.states[Self.count])
    }
  }
#endif
