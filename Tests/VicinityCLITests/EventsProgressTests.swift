import Foundation
import Testing
import VicinityTestSupport

@testable import VicinityCLI
@testable import VicinityRuns

/// What a long run of `vicinity events` keeps, and what becomes of it when files are damaged, the process is
/// killed or the disk is full: the right output or a clear error, never a wrong output and exit code 0.
@Suite struct EventsProgressTests {
  static let isLong = ProcessInfo.processInfo.environment["VICINITY_LONG_TESTS"] == "1"

  /// A run over thirty files. The row before the last of the one in the middle is bad: without
  /// `--skip-invalid` the run fails there and keeps what it has done.
  struct Interrupted {
    let directory: TemporaryDirectory
    let regions: String
    let tracks: String
    let output: String
    let rejects: String
    let visits: String
    /// What a run that skips the bad row writes, uninterrupted.
    let expected: [String: Data]
    var partial: String { output + ".partial" }
    var badFile: String { tracks + "/1015.csv" }
    static let rowCount = 30 * 800
    static let names = ["events.csv", "rejects.csv", "visits.csv"]

    init() throws {
      directory = try TemporaryDirectory()
      let town = EventsCommandTests.Town(regions: 300, devices: 20, fixes: 1200)
      regions = try directory.write(town.regions, to: "regions.csv")
      tracks = directory.path("tracks")
      for folder in ["tracks", "out", "whole"] {
        try FileManager.default.createDirectory(
          atPath: directory.path(folder), withIntermediateDirectories: false)
      }
      let rows = town.interleaved.split(separator: "\n")
      for file in 0..<30 {
        var part = Array(rows.dropFirst(1 + file * 800).prefix(800))
        if file == 15 { part.insert("d1,not a time,\"48,2\",16", at: 799) }
        try directory.write("\(rows[0])\n\(part.joined(separator: "\n"))\n", to: "tracks/\(1000 + file).csv")
      }
      (output, rejects, visits) = (
        directory.path("out/events.csv"), directory.path("out/rejects.csv"), directory.path("out/visits.csv")
      )
      let whole = try CommandRun([
        "events", regions, "--tracks", tracks, "--output", directory.path("whole/events.csv"), "--rejects",
        directory.path("whole/rejects.csv"), "--visits", directory.path("whole/visits.csv"),
      ])
      #expect(whole.status == 0, "\(whole.errors)")
      let folder = directory.path("whole") + "/"
      expected = try Dictionary(
        uniqueKeysWithValues: Self.names.map { ($0, try Data(contentsOf: URL(filePath: folder + $0))) })
    }

    /// Arguments of a run that fails at the bad row, or with `skipping` gets past it.
    func arguments(skipping: Bool, _ more: [String] = []) -> [String] {
      ["events", regions, "--tracks", tracks, "--output", output, "--visits", visits]
        + ["--keep-every", "0", "--jobs", "1"] + (skipping ? ["--rejects", rejects] : []) + more
    }

    func clear() throws {
      for name in try FileManager.default.contentsOfDirectory(atPath: directory.path("out")) {
        try FileManager.default.removeItem(atPath: directory.path("out/\(name)"))
      }
    }

    /// The names of the outputs that differ from those of an uninterrupted run.
    var wrong: [String] {
      Self.names.filter {
        (try? Data(contentsOf: URL(filePath: directory.path("out/\($0)")))) != expected[$0]
      }
    }
  }

  @Test func aBadRowCostsNothingThatIsDone() throws {
    let run = try Interrupted()
    // No progress is due before the failure.
    let failed = try CommandRun(run.arguments(skipping: false, ["--keep-every", "60"]))
    #expect(failed.status == 1)
    #expect(failed.errors.contains("\(run.badFile):801: "), "\(failed.errors)")
    #expect(failed.errors.contains("there may be more bad rows further on"))
    #expect(failed.errors.contains("--skip-invalid-tracks"))
    #expect(failed.errors.contains("the first 12,000 fixes are done and kept"))
    // Again without saying what to do about it: the same error, and what was kept stays.
    let again = try CommandRun(run.arguments(skipping: false, ["--resume"]))
    #expect(again.status == 1 && again.errors.contains(":801: "))
    let resumed = try CommandRun(run.arguments(skipping: true, ["--resume"]))
    #expect(resumed.status == 0, "\(resumed.errors)")
    #expect(run.wrong == [])
    #expect(resumed.errors.contains("done: 24,000 fixes of 20 devices"))
    #expect(resumed.errors.contains("dropped 1 bad row"))
    let rejected = String(decoding: try #require(run.expected["rejects.csv"]), as: UTF8.self)
    #expect(rejected.hasPrefix("file,line,reason\n\(run.badFile),801,"))
    #expect(rejected.split(separator: "\n").count == 2)
    #expect(!FileManager.default.fileExists(atPath: run.partial))
  }

  @Test func nothingKeptIsDiscardedUnasked() throws {
    let run = try Interrupted()
    #expect(try CommandRun(run.arguments(skipping: false)).status == 1)
    let kept = try FileManager.default.contentsOfDirectory(atPath: run.partial).sorted()
    let plain = try CommandRun(run.arguments(skipping: true))
    #expect(plain.status == 1)
    #expect(plain.errors.contains("--resume goes on from there, --restart discards it"), "\(plain.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: run.partial).sorted() == kept)
    #expect(try CommandRun(run.arguments(skipping: true, ["--resume", "--restart"])).status == 64)
    #expect(try CommandRun(run.arguments(skipping: true, ["--restart"])).status == 0)
    #expect(run.wrong == [])
  }

  @Test func whatDiffersIsNamed() throws {
    let run = try Interrupted()
    #expect(try CommandRun(run.arguments(skipping: false)).status == 1)
    func difference(_ more: [String], regions: String? = nil, tracks: String? = nil) throws -> String {
      var arguments = run.arguments(skipping: true, ["--resume"] + more)
      if let regions { arguments[1] = regions }
      if let tracks { arguments[3] = tracks }
      let other = try CommandRun(arguments)
      #expect(other.status == 1)
      let text = try #require(
        other.errors.range(of: "inputs or options have changed since: "), "\(other.errors)")
      return String(other.errors[text.upperBound...].prefix { $0 != ";" })
    }
    #expect(try difference(["--dwell", "30"]) == "--dwell is 30.0 seconds, and was none")
    #expect(try difference(["--rule", "naive"]) == "--rule is naive, and was geometric")
    #expect(try difference(["--utc-offset", "+01:00"]).hasPrefix("--utc-offset is +01:00"))
    #expect(
      try difference([], tracks: run.badFile).hasSuffix("is not among the tracks any more"))
    let other = try run.directory.write("id,latitude,longitude,radius\na,1,1,1\n", to: "other.csv")
    #expect(try difference([], regions: other) == "the regions are others")
    // What is read stays, when it was written does not matter; one digit does.
    let file = run.tracks + "/1020.csv"
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 9)], ofItemAtPath: file)
    var bytes = try Data(contentsOf: URL(filePath: file))
    bytes[bytes.count - 2] =
      bytes[bytes.count - 2] == UInt8(ascii: "1") ? UInt8(ascii: "2") : UInt8(ascii: "1")
    let before = try Data(contentsOf: URL(filePath: file))
    try bytes.write(to: URL(filePath: file))
    #expect(try difference([]) == "the content of \(file) has changed")
    try before.write(to: URL(filePath: file))
    // How events are written and how many threads there are is free.
    let resumed = try CommandRun(
      run.arguments(skipping: true, ["--resume", "--jobs", "2", "--format", "ndjson"]))
    #expect(resumed.status == 0)
    #expect(run.wrong == ["events.csv"])
  }

  @Test func rejectsThatWereNotKeptAreMissed() throws {
    let run = try Interrupted()
    // A file that cannot be read stops a run that has skipped a bad row.
    try Data([0x1f, 0x8b, 8, 0, 1, 2, 3]).write(to: URL(filePath: run.tracks + "/2000.csv.gz"))
    let first = try CommandRun(run.arguments(skipping: false, ["--skip-invalid-tracks"]))
    #expect(first.status == 1)
    let resumed = try CommandRun(run.arguments(skipping: true, ["--resume"]))
    #expect(resumed.status == 1)
    #expect(resumed.errors.contains("skipped before the interruption were not kept"), "\(resumed.errors)")
    let without = try CommandRun(run.arguments(skipping: false, ["--resume", "--skip-invalid"]))
    #expect(without.status == 1)
    #expect(
      without.errors.contains("skipped 1 bad row or feature, 1 of them before the interruption"),
      "\(without.errors)")
  }

  @Test func interruptionsSayWhatIsKept() throws {
    let run = try Interrupted()
    // Nobody reads the pipe that stays go to: there the run waits to be interrupted, however busy the machine
    // is.
    let pipe = run.directory.path("pipe")
    try #require(unsafe mkfifo(pipe, 0o600) == 0)
    let arguments = run.arguments(skipping: true).map { $0 == run.visits ? pipe : $0 }
    let process = try CommandRun.process(arguments)
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    while process.isRunning, !FileManager.default.fileExists(atPath: run.partial + "/events-1") {
      usleep(200)
    }
    kill(process.processIdentifier, SIGINT)
    process.waitUntilExit()
    let text = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    #expect(process.terminationStatus == 130)
    #expect(text.contains("fixes are done and kept in \(run.partial)"), "\(text)")
    #expect(text.contains("the same command with --resume goes on from there"))
    #expect(try CommandRun(run.arguments(skipping: true, ["--resume"])).status == 0)
    #expect(run.wrong == [])
  }

  // MARK: Faults

  /// What a damaged file may lead to.
  private static let kinds = ["bytes", "cut", "zeros", "longer", "missing", "swapped", "earlier"]

  @Test func damageIsNeverAWrongOutput() throws {
    let run = try Interrupted()
    #expect(try CommandRun(run.arguments(skipping: false)).status == 1)
    let names = try FileManager.default.contentsOfDirectory(atPath: run.partial).sorted()
    #expect(names.count >= 8 && names.contains("checkpoint"))
    let kept = try names.map { try Data(contentsOf: URL(filePath: "\(run.partial)/\($0)")) }
    var random = SplitMix64(seed: 11)
    var counts: [String: Int] = [:]
    for round in 0..<(Self.isLong ? 1000 : 70) {
      try run.clear()
      try FileManager.default.createDirectory(atPath: run.partial, withIntermediateDirectories: false)
      var files = kept
      let victim = Int.random(in: 0..<files.count, using: &random)
      let kind = Self.kinds[round % Self.kinds.count]
      var missing: Int?
      switch kind {
      case "bytes":
        for _ in 0..<2 where !files[victim].isEmpty {
          files[victim][Int.random(in: 0..<files[victim].count, using: &random)] ^= UInt8.random(
            in: 1...255, using: &random)
        }
      case "cut":
        files[victim] = files[victim].prefix(Int.random(in: 0..<max(1, files[victim].count), using: &random))
      case "zeros":
        let start = Int.random(in: 0..<max(1, files[victim].count), using: &random)
        for i in start..<min(start + 100, files[victim].count) { files[victim][i] = 0 }
      case "longer": files[victim] += Data([1, 2, 3])
      case "missing": missing = victim
      case "swapped": files.swapAt(victim, (victim + 1) % files.count)
      default: files[victim] = kept[victim == 0 ? 0 : victim - 1]
      }
      for (i, name) in names.enumerated() where i != missing {
        try files[i].write(to: URL(filePath: "\(run.partial)/\(name)"))
      }
      let resumed = try CommandRun(run.arguments(skipping: true, ["--resume"]))
      if resumed.status == 0 {
        #expect(run.wrong == [], "round \(round): \(kind) of \(names[victim])")
        counts["right", default: 0] += 1
      } else {
        #expect(resumed.status == 1)
        #expect(
          resumed.errors.contains("damaged progress") && resumed.errors.contains("--restart"),
          "round \(round): \(resumed.errors)")
        #expect(!FileManager.default.fileExists(atPath: run.output))
        counts["refused", default: 0] += 1
      }
    }
    #expect(counts["refused", default: 0] > counts["right", default: 0], "\(counts)")
  }

  /// Events of the same number that another run has found: every block is intact, and none is this run's.
  @Test func anotherRunsEventsAreRefused() throws {
    let run = try Interrupted()
    #expect(try CommandRun(run.arguments(skipping: false)).status == 1)
    let file = URL(filePath: run.partial + "/events-0")
    // One block and its checksum.
    var content = [UInt8](try Data(contentsOf: file)).dropLast(8)
    let original = content
    // The place of the first event.
    content[content.startIndex + 24] ^= 1
    for (bytes, status) in [(content, 1), (original, 0)] as [(ArraySlice<UInt8>, Int32)] {
      var writer = PieceWriter(name: "events-0", byteCount: bytes.count)
      writer.append(bytes)
      writer.finish()
      try Data(writer.bytes).write(to: file)
      let resumed = try CommandRun(run.arguments(skipping: true, ["--resume"]))
      #expect(resumed.status == status, "\(resumed.errors)")
      #expect(resumed.errors.contains("damaged progress") == (status == 1))
    }
    #expect(run.wrong == [])
  }

  @Test func killsAtAnyMomentLeaveTheRightOutput() throws {
    let run = try Interrupted()
    let start = ContinuousClock.now
    #expect(try CommandRun(run.arguments(skipping: true)).status == 0)
    let duration = (ContinuousClock.now - start) / .microseconds(1)
    var random = SplitMix64(seed: 5)
    var kills = 0
    while kills < (Self.isLong ? 1000 : 16) {
      try run.clear()
      for _ in 0..<4 {
        let process = try CommandRun.process(run.arguments(skipping: true, ["--resume"]))
        process.standardError = FileHandle.nullDevice
        try process.run()
        usleep(UInt32.random(in: 0...UInt32(duration), using: &random))
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        if process.terminationReason == .uncaughtSignal { kills += 1 }
        let left = try FileManager.default.contentsOfDirectory(atPath: run.directory.path("out"))
        #expect(Set(left).isSubset(of: Set(Interrupted.names + ["events.csv.partial"])), "\(left)")
      }
      let resumed = try CommandRun(run.arguments(skipping: true, ["--resume"]))
      #expect(resumed.status == 0, "\(resumed.errors)")
      #expect(run.wrong == [])
    }
  }

  @Test func aFullDiskIsAnError() throws {
    let run = try Interrupted()
    let executable = try #require(CommandRun.executable?.path)
    let line = run.arguments(skipping: true, ["--resume"]).map { "'\($0)'" }.joined(separator: " ")
    var statuses: Set<Int32> = []
    for blocks in stride(from: 0, through: Self.isLong ? 2000 : 400, by: Self.isLong ? 7 : 40) {
      // No file may become longer than this.
      let full = try Shell("ulimit -f \(blocks); exec '\(executable)' \(line)")
      statuses.insert(full.status)
      #expect(full.status == 0 || full.status == 1 && full.errors.contains("cannot write"), "\(full.errors)")
      if full.status == 0 { #expect(run.wrong == []) }
    }
    #expect(statuses.contains(1))
    #expect(try CommandRun(run.arguments(skipping: true, ["--resume"])).status == 0)
    #expect(run.wrong == [])
  }

  /// A file system of so many kilobytes; `nil` where none can be made.
  private func smallDisk(_ size: Int, at path: String) throws -> Bool {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return try Shell("mount -t tmpfs -o size=\(size)k none '\(path)'").status == 0
  }

  /// As above, but the system says so: a run on a small disk, which is then made larger.
  @Test(.enabled(if: geteuid() == 0, "only root may mount"))
  func aSmallDiskIsAnError() throws {
    let run = try Interrupted()
    let disk = run.directory.path("out")
    guard try smallDisk(64, at: disk) else { return }
    defer { _ = try? Shell("umount '\(disk)'") }
    var refused = 0
    for size in stride(from: 64, through: 4096, by: Self.isLong ? 4 : 256) {
      #expect(try Shell("mount -o remount,size=\(size)k '\(disk)'").status == 0)
      let full = try CommandRun(run.arguments(skipping: true, ["--resume"]))
      if full.status == 0 {
        #expect(run.wrong == [], "\(size) KB")
        if !Self.isLong { break }
        try run.clear()
      } else {
        refused += 1
        #expect(full.status == 1 && full.errors.contains("No space left on device"), "\(full.errors)")
      }
    }
    #expect(refused > 0)
    #expect(try CommandRun(run.arguments(skipping: true, ["--resume"])).status == 0)
    #expect(run.wrong == [])
  }

  @Test func aFolderThatCannotBeWrittenIsAnError() throws {
    let run = try Interrupted()
    #expect(try CommandRun(run.arguments(skipping: false)).status == 1)
    let executable = try #require(CommandRun.executable?.path)
    let line = run.arguments(skipping: true, ["--resume"]).map { "'\($0)'" }.joined(separator: " ")
    // Root may write anywhere, unless that right is taken away.
    let prefix = geteuid() == 0 ? "setpriv --bounding-set=-dac_override,-dac_read_search,-fowner " : ""
    for path in [run.partial, run.directory.path("out")] {
      try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: path)
      let resumed = try Shell("\(prefix)'\(executable)' \(line)")
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
      #expect(resumed.status == 1 && resumed.errors.contains("cannot write"), "\(resumed.errors)")
    }
    #expect(try CommandRun(run.arguments(skipping: true, ["--resume"])).status == 0)
    #expect(run.wrong == [])
  }

  @Test func twoRunsDoNotShareAnOutput() throws {
    let run = try Interrupted()
    #expect(try CommandRun(run.arguments(skipping: false)).status == 1)
    let kept = try FileManager.default.contentsOfDirectory(atPath: run.partial).sorted()
    do {
      let lock = try FileLock(run.partial, isDirectory: true, use: "testing")
      for option in ["--resume", "--restart"] {
        let second = try CommandRun(run.arguments(skipping: true, [option]))
        #expect(second.status == 1)
        #expect(
          second.errors.contains("another process is writing this output (\(run.partial))"),
          "\(second.errors)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: run.partial).sorted() == kept)
      withExtendedLifetime(lock) {}
    }
    #expect(try CommandRun(run.arguments(skipping: true, ["--resume"])).status == 0)
    #expect(run.wrong == [])
  }

  @Test func rejectsHoldRegionsToo() throws {
    let run = try Interrupted()
    let bad = (0..<50).map { "bad\($0),91,\($0),10\n" }.joined()
    let regions = try run.directory.write(
      try String(contentsOfFile: run.regions, encoding: .utf8) + bad, to: "with-bad.csv")
    var arguments = run.arguments(skipping: true)
    arguments[1] = regions
    #expect(try CommandRun(arguments).status == 1)
    let first = try CommandRun(arguments + ["--skip-invalid-regions"])
    #expect(first.status == 0, "\(first.errors)")
    // The first of twenty that are alike.
    #expect(first.errors.split(separator: "\n").count { $0.contains(": skipped: \(regions)") } == 1)
    #expect(first.errors.contains("and 19 more like it"))
    let rejected = try String(contentsOfFile: run.rejects, encoding: .utf8).split(separator: "\n")
    #expect(rejected.count == 52)
    for row in 0..<50 {
      #expect(
        rejected[1 + row].hasPrefix("\(regions),\(302 + row),latitude 91.0 is not within"),
        "\(rejected[1 + row])")
    }
    #expect(rejected[51].hasPrefix("\(run.badFile),801,"))
    #expect(run.wrong == ["rejects.csv"])
  }
}
