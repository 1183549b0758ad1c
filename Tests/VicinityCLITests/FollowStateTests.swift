import Foundation
import Testing
import VicinityTestSupport

@testable import VicinityCLI
@testable import VicinityRuns

/// `vicinity events --follow --state`: a run that follows a stream goes on where the one before ended.
@Suite struct FollowStateTests {
  /// A stream of fixes with bad rows here and there, and what a single run makes of it.
  struct Stream {
    let directory: TemporaryDirectory
    let regions: String
    let header: Substring
    let rows: [Substring]
    let events: String
    let stays: String
    let rejects: String

    init(badRows: Bool = false, options: [String] = []) throws {
      let directory = try TemporaryDirectory()
      self.directory = directory
      let town = EventsCommandTests.Town(regions: 300, devices: 20, fixes: 600)
      regions = try directory.write(town.regions, to: "regions.csv")
      var rows = town.interleaved.split(separator: "\n")
      header = rows.removeFirst()
      if badRows {
        for place in [7, 400, 401, 5000, 11_000] { rows.insert("x,oops,\(place),1", at: place) }
      }
      self.rows = rows
      try directory.write("\(header)\n" + rows.map { "\($0)\n" }.joined(), to: "tracks.csv")
      let run = try CommandRun(
        ["events", regions, "--tracks", directory.path("tracks.csv"), "--follow", "--state"]
          + ["\(directory.path("whole-state"))", "--output", directory.path("whole.csv")]
          + ["--visits", directory.path("whole-stays.csv"), "--rejects", directory.path("whole-rejects.csv")]
          + ["--last"] + options)
      #expect(run.status == 0, "\(run.errors)")
      func text(_ name: String) throws -> String {
        try String(contentsOfFile: directory.path(name), encoding: .utf8)
      }
      (events, stays, rejects) = (
        try text("whole.csv"), try text("whole-stays.csv"), try text("whole-rejects.csv")
      )
    }

    func text(_ name: String) throws -> String {
      try String(contentsOfFile: directory.path(name), encoding: .utf8)
    }

    func arguments(_ tracks: String, _ more: [String] = []) -> [String] {
      ["events", regions, "--tracks", tracks, "--follow", "--state", directory.path("state")]
        + ["--output", directory.path("events.csv"), "--visits", directory.path("stays.csv")] + more
    }

    func remove() throws {
      for name in ["state", "events.csv", "stays.csv", "rejects.csv", "growing.csv"]
      where directory.names.contains(name) {
        try FileManager.default.removeItem(atPath: directory.path(name))
      }
    }

    /// Runs over a part of the stream on standard input, and ends the process as a power cut would.
    func kill(_ arguments: [String], after input: String, microseconds: UInt32) throws {
      let process = try CommandRun.process(arguments)
      process.standardInput = try FileHandle(
        forReadingFrom: URL(filePath: try directory.write(input, to: "input")))
      process.standardError = FileHandle.nullDevice
      try process.run()
      usleep(microseconds)
      Foundation.kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }

  @Test func aBatchDoesNotReplaceWhatAFollowedRunWrote() throws {
    let stream = try Stream()
    let half = stream.rows.count / 2
    for (name, rows) in [
      ("first.csv", stream.rows.prefix(half)), ("second.csv", stream.rows.dropFirst(half)),
    ] {
      try stream.directory.write("\(stream.header)\n" + rows.map { "\($0)\n" }.joined(), to: name)
    }
    #expect(try CommandRun(stream.arguments(stream.directory.path("first.csv"))).status == 0)
    let found = try stream.text("events.csv")
    var batch = stream.arguments(stream.directory.path("second.csv"))
    batch.removeAll { $0 == "--follow" }
    let run = try CommandRun(batch)
    #expect(run.status == 1 && run.errors.contains("has what the run before found"), "\(run.errors)")
    #expect(try stream.text("events.csv") == found)
  }

  @Test func oneRunHasTheRowsOfABatch() throws {
    let stream = try Stream(options: ["--initial"])
    let batch = try CommandRun(
      ["events", stream.regions, "--tracks", stream.directory.path("tracks.csv"), "--initial"]
        + ["--output", stream.directory.path("batch.csv"), "--visits", stream.directory.path("visits.csv")])
    #expect(batch.status == 0)
    func sorted(_ text: String) -> [Substring] { text.split(separator: "\n").sorted() }
    #expect(try sorted(stream.text("batch.csv")) == sorted(stream.events))
    #expect(try sorted(stream.text("visits.csv")) == sorted(stream.stays))
    #expect(stream.events.split(separator: "\n").count > 100)
    #expect(stream.stays.contains(",start,") && stream.stays.contains(",end,"))
  }

  @Test("A stream that is sent again after each kill: no event and no stay is lost, and none comes twice")
  func killsOfAStream() throws {
    let stream = try Stream()
    let all = "\(stream.header)\n" + stream.rows.map { "\($0)\n" }.joined()
    var random = SplitMix64(seed: 31)
    for round in 0..<(EventsProgressTests.isLong ? 40 : 2) {
      try stream.remove()
      let often = ["--keep-every", round.isMultiple(of: 2) ? "0" : "0.02"]
      for _ in 0..<4 {
        let end = Int.random(in: 0...all.utf8.count, using: &random)
        let part = String(decoding: all.utf8.prefix(end), as: UTF8.self)
        try stream.kill(
          stream.arguments("-", often), after: part,
          microseconds: UInt32.random(in: 5_000...90_000, using: &random))
      }
      let run = try CommandRun(stream.arguments("-", often + ["--last"]), input: all)
      #expect(run.status == 0, "\(run.errors)")
      #expect(try stream.text("events.csv") == stream.events, "round \(round)")
      #expect(try stream.text("stays.csv") == stream.stays, "round \(round)")
      // Sent once more, it says nothing new.
      let again = try CommandRun(stream.arguments("-", often + ["--last"]), input: all)
      #expect(again.status == 0 && again.errors.contains("12,000 fixes were read before"))
      #expect(try stream.text("events.csv") == stream.events)
      #expect(try stream.text("stays.csv") == stream.stays)
    }
  }

  @Test("A file that grows in the middle of lines, read by runs that are killed: its bad rows come once too")
  func killsOverAGrowingFile() throws {
    let stream = try Stream(badRows: true)
    let all = Array(("\(stream.header)\n" + stream.rows.map { "\($0)\n" }.joined()).utf8)
    var random = SplitMix64(seed: 37)
    func name(_ text: String) -> String {
      text.replacingOccurrences(of: "tracks.csv", with: "growing.csv")
    }
    for round in 0..<(EventsProgressTests.isLong ? 40 : 2) {
      try stream.remove()
      let growing = stream.directory.path("growing.csv")
      let arguments = stream.arguments(
        growing, ["--rejects", stream.directory.path("rejects.csv"), "--keep-every", "0"])
      var ends = (0..<6).map { _ in Int.random(in: 100...all.count, using: &random) }.sorted()
      ends[5] = all.count
      for end in ends {
        try Data(all.prefix(end)).write(to: URL(filePath: growing))
        try stream.kill(arguments, after: "", microseconds: UInt32.random(in: 5_000...60_000, using: &random))
        if Bool.random(using: &random) {
          let run = try CommandRun(arguments)
          #expect(run.status == 0, "\(run.errors)")
        }
      }
      let run = try CommandRun(arguments + ["--last"])
      #expect(run.status == 0, "\(run.errors)")
      #expect(try stream.text("events.csv") == stream.events, "round \(round)")
      #expect(try stream.text("stays.csv") == stream.stays, "round \(round)")
      #expect(try stream.text("rejects.csv") == name(stream.rejects), "round \(round)")
    }
    #expect(stream.rejects.split(separator: "\n").count == 6)
  }

  @Test func whatWasReadIsKeptWhileNothingComes() throws {
    let stream = try Stream()
    let half = stream.rows.count / 2
    let process = try CommandRun.process(stream.arguments("-", ["--keep-every", "0.2"]))
    let pipe = Pipe()
    process.standardInput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let first = "\(stream.header)\n" + stream.rows.prefix(half).map { "\($0)\n" }.joined()
    try pipe.fileHandleForWriting.write(contentsOf: Data(first.utf8))
    // The state is there though the stream goes on: once all has been read, and the time is over.
    var kept: Data?
    for _ in 0..<200 {
      usleep(50_000)
      let now = try? Data(contentsOf: URL(filePath: stream.directory.path("state")))
      if now != nil, now == kept { break }
      kept = now
      usleep(250_000)
    }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    let rest = "\(stream.header)\n" + stream.rows.dropFirst(half).map { "\($0)\n" }.joined()
    let run = try CommandRun(stream.arguments("-", ["--last"]), input: rest)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try stream.text("events.csv") == stream.events)
    #expect(try stream.text("stays.csv") == stream.stays)
  }

  @Test func whatWasWrittenBeforeTheFirstStateIsCutOff() throws {
    let stream = try Stream()
    let process = try CommandRun.process(stream.arguments("-", ["--keep-every", "1000"]))
    let pipe = Pipe()
    process.standardInput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    pipe.fileHandleForWriting.send("\(stream.header)\n" + stream.rows.map { "\($0)\n" }.joined())
    let events = stream.directory.path("events.csv")
    for _ in 0..<400 {
      usleep(10_000)
      if let size = (try? FileManager.default.attributesOfItem(atPath: events))?[.size] as? Int, size > 1000 {
        break
      }
    }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    #expect(try stream.text("events.csv").utf8.count > 1000)
    let run = try CommandRun(stream.arguments(stream.directory.path("tracks.csv"), ["--last"]))
    #expect(run.status == 0, "\(run.errors)")
    #expect(try stream.text("events.csv") == stream.events)
    #expect(try stream.text("stays.csv") == stream.stays)
  }

  @Test func anInterruptionSaysHowMuchIsSaved() throws {
    let stream = try Stream()
    for (interval, saved) in [("0", 2), ("1000", 0)] {
      try stream.remove()
      let process = try CommandRun.process(stream.arguments("-", ["--keep-every", interval, "--initial"]))
      let (input, errors) = (Pipe(), Pipe())
      process.standardInput = input
      process.standardError = errors
      try process.run()
      let rows = stream.rows.prefix(2).map { "\($0)\n" }.joined()
      input.fileHandleForWriting.send("\(stream.header)\n" + rows)
      // The state has the devices of the rows once these are saved.
      let state = URL(filePath: stream.directory.path("state"))
      for _ in 0..<1000 {
        usleep(20_000)
        if let bytes = try? Data(contentsOf: state), saved == 0 || bytes.range(of: Data("d1".utf8)) != nil {
          break
        }
      }
      usleep(300_000)
      kill(process.processIdentifier, SIGINT)
      process.waitUntilExit()
      let text = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
      #expect(process.terminationStatus == 130 || process.terminationReason == .uncaughtSignal)
      #expect(text.contains("the state has the first \(saved) fixes of this run"), "\(text)")
    }
  }

  @Test func batchesAndStreamsGoOnFromEachOther() throws {
    let stream = try Stream()
    let count = stream.rows.count
    for i in 0..<3 {
      let rows = stream.rows[count * i / 3..<count * (i + 1) / 3].map { "\($0)\n" }
      try stream.directory.write("\(stream.header)\n" + rows.joined(), to: "part-\(i).csv")
    }
    func part(_ i: Int) -> String { stream.directory.path("part-\(i).csv") }
    let batch = [
      "events", stream.regions, "--state", stream.directory.path("state"), "--output",
      stream.directory.path("batch.csv"), "--in-order", "--tracks", part(1),
    ]
    for arguments in [stream.arguments(part(0)), batch, stream.arguments(part(2), ["--last"])] {
      let run = try CommandRun(arguments)
      #expect(run.status == 0, "\(run.errors)")
    }
    let found = try [stream.text("events.csv"), stream.text("batch.csv")].flatMap {
      $0.split(separator: "\n").dropFirst()
    }
    #expect(found.sorted() == stream.events.split(separator: "\n").dropFirst().sorted())
  }

  @Test func regionsChangeBetweenRuns() throws {
    let directory = try TemporaryDirectory()
    let header = "id,latitude,longitude,radius\n"
    let first = try directory.write(header + "a,0,0,100\nb,0,1,100\n", to: "first.csv")
    let second = try directory.write(header + "b,0,1,100\nc,0,0,500\n", to: "second.csv")
    func follow(_ regions: String, _ rows: String) throws -> CommandRun {
      try CommandRun(
        ["events", regions, "--tracks", "-", "--follow", "--state", directory.path("s"), "--removed"]
          + ["--visits", directory.path("v.csv"), "--output", directory.path("e.csv")],
        input: "device,time,latitude,longitude\n" + rows)
    }
    #expect(try follow(first, "x,0,0,0.01\nx,60,0,0\n").status == 0)
    let run = try follow(second, "x,120,0,0\nx,180,0,0.01\nx,240,0,1\n")
    #expect(run.status == 0)
    #expect(run.errors.contains("since the run before: "), "\(run.errors)")
    let kinds = try String(contentsOfFile: directory.path("e.csv"), encoding: .utf8).split(separator: "\n")
      .map { $0.split(separator: ",")[2...3].joined(separator: " ") }
    // What the device is in when a region is new is no event; leaving it is one.
    #expect(kinds == ["region kind", "a enter", "a removed", "c exit", "b enter"])
    let stays = try String(contentsOfFile: directory.path("v.csv"), encoding: .utf8).split(separator: "\n")
    #expect(stays.dropFirst().map { $0.split(separator: ",")[1] } == ["a", "c"])
  }

  @Test func badRowsOfTheRegionsComeFirstAndOnce() throws {
    let directory = try TemporaryDirectory()
    let regions = try directory.write(
      "id,latitude,longitude,radius\na,0,0,100\nb,0,oops,100\n", to: "regions.csv")
    for row in ["x,0,0,0.01\nx,never,0,0\n", "x,60,0,0\nx,soon,0,0\n"] {
      let run = try CommandRun(
        ["events", regions, "--tracks", "-", "--follow", "--state", directory.path("s"), "--skip-invalid"]
          + ["--rejects", directory.path("j.csv"), "--output", directory.path("e.csv")],
        input: "device,time,latitude,longitude\n" + row)
      #expect(run.status == 0, "\(run.errors)")
    }
    let rows = try String(contentsOfFile: directory.path("j.csv"), encoding: .utf8).split(separator: "\n")
    #expect(rows.count == 4 && rows[0] == "file,line,reason")
    #expect(rows[1].contains("regions.csv,3,"))
    #expect(rows[2].hasPrefix("standard input,3,") && rows[2].contains("never"))
    #expect(rows[3].hasPrefix("standard input,3,") && rows[3].contains("soon"))
  }

  @Test func aFileIsKnownByWhatWasReadOfIt() throws {
    let directory = try TemporaryDirectory()
    let regions = try directory.write("id,latitude,longitude,radius\na,0,0,100\n", to: "regions.csv")
    let header = "device,time,latitude,longitude\n"
    let arguments = [
      "events", regions, "--tracks", directory.path("t.csv"), "--follow", "--state", directory.path("s"),
      "--output", directory.path("e.csv"),
    ]
    func run(_ rows: String) throws -> CommandRun {
      try directory.write(header + rows, to: "t.csv")
      return try CommandRun(arguments)
    }
    #expect(try run("").status == 0)
    let unfinished = try run("x,0,0,0.01")
    #expect(
      unfinished.status == 0
        && unfinished.errors.contains("t.csv: the last line has no end and is left for the next run"),
      "\(unfinished.errors)")
    let finished = try run("x,0,0,0.01\n")
    #expect(finished.status == 0 && !finished.errors.contains("has no end"), "\(finished.errors)")
    let other = try run("y,0,0,0.01\ny,60,0,0\n")
    #expect(other.status == 1 && other.errors.contains("does not begin as it did"), "\(other.errors)")
    #expect(try run("x,0,0,0.01\nx,60,0,0\n").status == 0)
    let rows = try String(contentsOfFile: directory.path("e.csv"), encoding: .utf8).split(separator: "\n")
    #expect(rows.count == 2 && rows[1].hasPrefix("x,1970-01-01T00:00:") && rows[1].contains(",a,enter,"))
  }

  @Test func whatHasChangedIsToldAndLeftAlone() throws {
    let stream = try Stream()
    let tracks = stream.directory.path("tracks.csv")
    #expect(try CommandRun(stream.arguments(tracks)).status == 0)
    let events = URL(filePath: stream.directory.path("events.csv"))
    let good = try Data(contentsOf: events)
    func fails(_ words: String, _ arguments: [String]) throws {
      let run = try CommandRun(arguments)
      #expect(run.status == 1 && run.errors.contains(words), "\(words): \(run.errors)")
    }
    try good.dropLast(3).write(to: events)
    try fails("are gone or have changed", stream.arguments(tracks))
    var other = good
    other[good.count - 2] ^= 1
    try other.write(to: events)
    try fails("are gone or have changed", stream.arguments(tracks))
    #expect(try Data(contentsOf: events) == other)
    try good.write(to: events)
    // Another file in its place.
    let whole = try stream.text("tracks.csv")
    try stream.directory.write(whole.replacingOccurrences(of: "0,", with: "1,"), to: "tracks.csv")
    try fails("does not begin as it did", stream.arguments(tracks))
    try stream.directory.write(whole, to: "tracks.csv")
    try stream.directory.write("\(stream.header)\n", to: "more.csv")
    let more = stream.directory.path("more.csv")
    try fails("this file has been read before", stream.arguments(more, ["--tracks", tracks]))
    #expect(try CommandRun(stream.arguments(tracks, ["--tracks", more])).status == 0)
    #expect(try Data(contentsOf: events) == good)
    let zone = try CommandRun(stream.arguments(tracks, ["--tracks", more, "--utc-offset", "+01:00"]))
    #expect(zone.status == 0)
    #expect(
      zone.errors.contains(
        "note: times are read otherwise than in the batch before: --utc-offset is +01:00, and was not given"),
      "\(zone.errors)")
    try fails("reads regular files, or standard input alone", stream.arguments("-", ["--tracks", tracks]))
    try fails("--max-gap is", stream.arguments(tracks, ["--max-gap", "7"]))
    // A file that this state has not written.
    try stream.directory.write("mine\n", to: "stays-2.csv")
    try fails(
      "there is something in it that the state does not know of",
      stream.arguments(tracks) + ["--visits", stream.directory.path("stays-2.csv")])
    #expect(try stream.text("stays-2.csv") == "mine\n")
    for wrong in [
      ["--in-order"], ["--resume"], ["--format", "geojson"], ["--visits", "/dev/null"],
    ] {
      #expect(try CommandRun(stream.arguments(tracks, wrong)).status == 64, "\(wrong)")
    }
    let base = ["events", stream.regions, "--tracks", tracks, "--follow"]
    for (option, path) in [("--output", "o.csv"), ("--visits", "v.csv"), ("--rejects", "j.csv")] {
      let run = try CommandRun(base + [option, stream.directory.path(path)])
      #expect(run.status == 64 && run.errors.contains("\(option) needs --state"), "\(run.errors)")
    }
  }
}
