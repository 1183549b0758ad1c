import CFiles
import Foundation
import Testing
import VicinityGeodesy
import VicinityTestSupport

/// Whether files here keep notes (extended attributes), asked without the product.
private let filesKeepNotes: Bool = {
  guard let directory = try? TemporaryDirectory(), let path = try? directory.write("", to: "note") else {
    return false
  }
  let value: [UInt8] = [1]
  #if canImport(Darwin)
    return unsafe setxattr(path, "user.test", value, value.count, 0, 0) == 0
  #else
    return unsafe setxattr(path, "user.test", value, value.count, 0) == 0
  #endif
}()

/// `vicinity events` as a process: rows, order, formats, interruptions, streams.
@Suite struct EventsCommandTests {
  /// Circles around a town and devices that walk among them, with fixes of all devices at every second.
  struct Town {
    var regions = "id,latitude,longitude,radius\n"
    /// By device, then time; and by time, then device.
    var grouped = "device,time,latitude,longitude\n"
    var interleaved = "device,time,latitude,longitude\n"

    init(regions count: Int, devices: Int, fixes: Int, seed: UInt64 = 3) {
      var random = SplitMix64(seed: seed)
      for i in 0..<count {
        let place = Town.place(&random)
        regions += "r\(i),\(place.latitude),\(place.longitude),\(random.uniform(50...500))\n"
      }
      var rows = [[String]](repeating: [], count: devices)
      for device in 0..<devices {
        var place = Town.place(&random)
        var course = random.uniform(0...360)
        for k in 0..<fixes {
          rows[device].append("d\(device),\(1_700_000_000 + k),\(place.latitude),\(place.longitude)\n")
          course += random.uniform(-10...10)
          place.latitude += 15 * cos(course * .pi / 180) / 111_195
          place.longitude += 15 * sin(course * .pi / 180) / 74_000
        }
      }
      for device in rows { for row in device { grouped += row } }
      for k in 0..<fixes { for device in rows { interleaved += device[k] } }
    }

    private static func place(_ random: inout SplitMix64) -> Coordinate {
      Coordinate(
        latitude: random.uniform(48.15...48.25), longitude: random.uniform(16.3...16.45))
    }
  }

  /// A device that crosses a circle of 100 m along the equator, 20 m a second.
  static let crossing = (
    regions: "id,latitude,longitude,radius\nstop,0,0,100\n",
    track: "device,time,latitude,longitude\n"
      + (0..<21).map { "bus,\(1_000_000 + 10 * $0),0,\(Double($0 - 10) * 200 / 111_319.490793)\n" }.joined()
  )

  @Test func aPassGivesAnEntryAndAnExit() throws {
    let directory = try TemporaryDirectory()
    let regions = try directory.write(Self.crossing.regions, to: "stops.csv")
    let track = try directory.write(Self.crossing.track, to: "bus.csv")
    let run = try CommandRun(["events", regions, "--tracks", track])
    #expect(run.status == 0)
    // 100 m from the middle at 20 m/s: five seconds before and after.
    #expect(
      run.output == """
        device,time,region,kind,latitude,longitude,inferred
        bus,1970-01-12T13:48:15.000Z,stop,enter,0.00000000,-0.00089832,false
        bus,1970-01-12T13:48:25.000Z,stop,exit,0.00000000,0.00089832,false

        """)
    // Beside a word on the year.
    let words = run.errors.split(separator: "\n").filter { !$0.contains("before 1980") }
    #expect(
      words.count == 1 && words[0].hasPrefix("vicinity: done: 21 fixes of 1 device, 2 events in "),
      "\(run.errors)")
  }

  @Test func dwellAndGaps() throws {
    let directory = try TemporaryDirectory()
    let regions = try directory.write(Self.crossing.regions, to: "stops.csv")
    let track = try directory.write(
      "device,time,latitude,longitude\na,0,0,1\na,1000,0,0\na,1030,0,0\na,1500,0,1\n", to: "a.csv")
    let run = try CommandRun(["events", regions, "--tracks", track, "--dwell", "10", "-f", "ndjson"])
    #expect(run.status == 0)
    let lines = run.output.split(separator: "\n").map {
      try? JSONSerialization.jsonObject(with: Data($0.utf8))
    }
    let objects = lines.compactMap { $0 as? [String: Any] }
    #expect(objects.map { $0["kind"] as? String } == ["enter", "dwell", "exit"])
    #expect(objects.map { $0["inferred"] as? Bool } == [true, false, true])
    #expect(
      objects.first?["interval"] as? [String] == ["1970-01-01T00:00:00.000Z", "1970-01-01T00:16:40.000Z"])
    #expect(objects.last?["time"] as? String == "1970-01-01T00:25:00.000Z")
  }

  /// The same pass under the rules that decide at fixes, ten seconds apart: at 0 m the first within, at 200 m
  /// out.
  @Test func rulesDecideAtFixes() throws {
    let directory = try TemporaryDirectory()
    let regions = try directory.write(Self.crossing.regions, to: "stops.csv")
    let track = try directory.write(Self.crossing.track, to: "bus.csv")
    func kindsAndTimes(_ arguments: [String]) throws -> [String] {
      let run = try CommandRun(["events", regions, "--tracks", track] + arguments)
      #expect(run.status == 0, "\(run.errors)")
      return run.output.split(separator: "\n").dropFirst().map {
        let fields = $0.split(separator: ",")
        return "\(fields[3]) \(fields[1].suffix(13))"
      }
    }
    #expect(try kindsAndTimes(["--rule", "naive"]) == ["enter 13:48:20.000Z", "exit 13:48:30.000Z"])
    // Gone before it has been inside for twenty seconds.
    #expect(try kindsAndTimes(["--rule", "core-location"]) == [])
    // Without time to remain the first fix beyond the cushion decides.
    #expect(
      try kindsAndTimes(["--rule", "core-location", "--cushion", "20", "--remain", "0"])
        == ["enter 13:48:20.000Z", "exit 13:48:30.000Z"])
    for arguments in [
      ["--rule", "guess"], ["--cushion", "5"], ["--rule", "core-location", "--remain", "-1"],
    ] {
      let run = try CommandRun(["events", regions, "--tracks", track] + arguments)
      #expect(run.status == 64, "\(arguments)")
    }
  }

  @Test func orderAndBytesDoNotDependOnJobsOrRows() throws {
    let directory = try TemporaryDirectory()
    let town = Town(regions: 200, devices: 40, fixes: 400)
    let regions = try directory.write(town.regions, to: "regions.csv")
    let grouped = try directory.write(town.grouped, to: "grouped.csv")
    let interleaved = try directory.write(town.interleaved, to: "interleaved.csv")
    let first = try CommandRun(["events", regions, "--tracks", grouped, "--jobs", "1"])
    #expect(first.status == 0)
    let rows = first.output.split(separator: "\n").dropFirst()
    #expect(rows.count > 100)
    let keys = rows.map { $0.split(separator: ",") }.map { (String($0[1]), String($0[0])) }
    #expect(zip(keys, keys.dropFirst()).allSatisfy { ($0.0, $0.1) <= ($1.0, $1.1) })
    for arguments in [
      [grouped, "--jobs", "3"], [interleaved, "--jobs", "2"], [interleaved, "--jobs", "1"],
    ] {
      #expect(try CommandRun(["events", regions, "--tracks"] + arguments).output == first.output)
    }
    let geojson = try CommandRun(["events", regions, "--tracks", grouped, "--format", "geojson"])
    let object = try JSONSerialization.jsonObject(with: Data(geojson.output.utf8)) as? [String: Any]
    #expect((object?["features"] as? [Any])?.count == rows.count)
  }

  @Test func aKilledRunIsTakenUpAgain() throws {
    let directory = try TemporaryDirectory()
    let town = Town(regions: 300, devices: 50, fixes: 6000)
    let regions = try directory.write(town.regions, to: "regions.csv")
    // Two files at a time are read between checkpoints: with three hundred, a run keeps its state 150 times,
    // and is nowhere near its end when it has done so twice.
    try FileManager.default.createDirectory(
      atPath: directory.path("tracks"), withIntermediateDirectories: false)
    let rows = town.interleaved.split(separator: "\n")
    let rowsPerFile = rows.count / 300
    for file in 0..<300 {
      let part = rows.dropFirst(1 + file * rowsPerFile).prefix(rowsPerFile).joined(separator: "\n")
      try directory.write("\(rows[0])\n\(part)\n", to: "tracks/\(1000 + file).csv")
    }
    let tracks = directory.path("tracks")
    let whole = directory.path("whole.csv")
    #expect(try CommandRun(["events", regions, "--tracks", tracks, "--output", whole]).status == 0)
    let output = directory.path("events.csv")
    let arguments = [
      "events", regions, "--tracks", tracks, "--output", output, "--resume", "--keep-every", "0", "--jobs",
      "1",
    ]
    let partial = output + ".partial"
    /// The numbers of the sorted runs of events that are kept.
    func kept() throws -> [Int] {
      try FileManager.default.contentsOfDirectory(atPath: partial)
        .compactMap { $0.hasPrefix("events-") ? Int($0.dropFirst(7)) : nil }.sorted()
    }
    var last = -1
    var first: [FileAttributeKey: Any]?
    for round in 1...2 {
      let process = try CommandRun.process(arguments)
      process.standardError = FileHandle.nullDevice
      try process.run()
      // Once two more runs of events are kept, the second after a checkpoint, the process is killed without
      // warning.
      let sign = partial + "/events-\(last + 2)"
      while process.isRunning, !FileManager.default.fileExists(atPath: sign) { usleep(500) }
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      try #require(
        process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL,
        "round \(round): the run has ended before it was killed, so nothing is known of killed runs")
      #expect(FileManager.default.fileExists(atPath: partial + "/checkpoint"))
      #expect(!FileManager.default.fileExists(atPath: output))
      // Nothing else is left lying about, whatever it is called.
      #expect(Set(directory.names) == ["events.csv.partial", "regions.csv", "tracks", "whole.csv"])
      let runs = try kept()
      #expect(runs == Array(0..<runs.count) && runs.count > last + 2 && runs.count < 150, "round \(round)")
      last = runs.count - 1
      // A run that is taken up again leaves what is done alone.
      let attributes = try FileManager.default.attributesOfItem(atPath: partial + "/events-0")
      if let first {
        #expect(first[.modificationDate] as? Date == attributes[.modificationDate] as? Date)
        #expect(first[.systemFileNumber] as? Int == attributes[.systemFileNumber] as? Int)
      }
      first = attributes
    }
    // Another question is refused while one is half answered.
    let other = try CommandRun(arguments + ["--max-gap", "2"])
    #expect(other.status == 1)
    #expect(other.errors.contains("inputs or options have changed since: --max-gap is 2.0 seconds"))
    let rest = try CommandRun(arguments)
    #expect(rest.status == 0)
    #expect(rest.errors.contains("done: 300,000 fixes of 50 devices"), "\(rest.errors)")
    #expect(try Data(contentsOf: URL(filePath: output)) == Data(contentsOf: URL(filePath: whole)))
    #expect(!FileManager.default.fileExists(atPath: output + ".partial"))
    #expect(try contentsOfLines(whole) > 1000)
  }

  private func contentsOfLines(_ path: String) throws -> Int {
    try Data(contentsOf: URL(filePath: path)).count { $0 == UInt8(ascii: "\n") }
  }

  @Test func resumingWhatIsFinishedChangesNothing() throws {
    let directory = try TemporaryDirectory()
    let regions = try directory.write(Self.crossing.regions, to: "stops.csv")
    let track = try directory.write(Self.crossing.track, to: "bus.csv")
    let output = directory.path("events.csv")
    let arguments = ["events", regions, "--tracks", track, "--output", output]
    #expect(try CommandRun(arguments).status == 0)
    let before = try FileManager.default.attributesOfItem(atPath: output)
    let again = try CommandRun(arguments + ["--resume"])
    #expect(again.status == 0 && again.output.isEmpty)
    #expect(again.errors.contains("finished already"))
    let after = try FileManager.default.attributesOfItem(atPath: output)
    #expect(before[.modificationDate] as? Date == after[.modificationDate] as? Date)
    #expect(before[.systemFileNumber] as? Int == after[.systemFileNumber] as? Int)
    #expect(Set(directory.names) == ["bus.csv", "events.csv", "stops.csv"])
    #expect(again.errors.contains("not recorded") != filesKeepNotes, "\(again.errors)")
  }

  @Test(.enabled(if: filesKeepNotes, "the file system keeps no extended attributes"))
  func resumingWhatIsFinishedTellsOtherQuestions() throws {
    let directory = try TemporaryDirectory()
    let regions = try directory.write(Self.crossing.regions, to: "stops.csv")
    let track = try directory.write(Self.crossing.track, to: "bus.csv")
    let arguments = ["events", regions, "--tracks", track, "--output", directory.path("events.csv")]
    #expect(try CommandRun(arguments).status == 0)
    let otherOptions = try CommandRun(arguments + ["--resume", "--max-gap", "2"])
    #expect(otherOptions.status == 1)
    #expect(otherOptions.errors.contains("inputs or options have changed since: --max-gap is 2.0 seconds"))
    // A touch is no change.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 9)], ofItemAtPath: track)
    #expect(try CommandRun(arguments + ["--resume"]).status == 0)
    try directory.write(Self.crossing.track + "bus,2000000,1,1\n", to: "bus.csv")
    let otherInputs = try CommandRun(arguments + ["--resume"])
    #expect(otherInputs.status == 1)
    #expect(otherInputs.errors.contains("inputs or options have changed since: the content of \(track)"))
  }

  @Test func damagedCheckpointsAreRefused() throws {
    let directory = try TemporaryDirectory()
    let regions = try directory.write(Self.crossing.regions, to: "stops.csv")
    let track = try directory.write(Self.crossing.track, to: "bus.csv")
    let output = directory.path("events.csv")
    try FileManager.default.createDirectory(
      atPath: output + ".partial", withIntermediateDirectories: false)
    try directory.write("VICEVENT, but not really", to: "events.csv.partial/checkpoint")
    let run = try CommandRun(["events", regions, "--tracks", track, "--output", output, "--resume"])
    #expect(run.status == 1)
    #expect(run.errors.contains("damaged checkpoint"))
    #expect(run.errors.contains("--restart"))
    // Nothing that is kept is discarded unasked.
    let arguments = ["events", regions, "--tracks", track, "--output", output]
    let again = try CommandRun(arguments)
    #expect(again.status == 1 && again.errors.contains("--resume") && again.errors.contains("--restart"))
    #expect(try CommandRun(arguments + ["--restart"]).status == 0)
    #expect(Set(directory.names) == ["bus.csv", "events.csv", "stops.csv"])
  }

  @Test func badRowsStopOrAreSkipped() throws {
    let directory = try TemporaryDirectory()
    let regions = try directory.write(Self.crossing.regions, to: "stops.csv")
    let rows = Self.crossing.track.replacingOccurrences(of: "bus,1000020,0", with: "bus,1000020,95")
    let track = try directory.write(rows, to: "bus.csv")
    let output = directory.path("events.csv")
    let run = try CommandRun(["events", regions, "--tracks", track, "--output", output])
    #expect(run.status == 1)
    #expect(run.errors.contains("\(track):4"))
    #expect(!FileManager.default.fileExists(atPath: output))
    let skipping = try CommandRun(["events", regions, "--tracks", track, "--skip-invalid"])
    #expect(skipping.status == 0)
    #expect(skipping.output.split(separator: "\n").count == 3)
    #expect(skipping.errors.contains("1 bad row") || skipping.errors.contains("skipped 1 bad row"))
  }

  @Test func followingWritesEachEventAtOnce() throws {
    let directory = try TemporaryDirectory()
    let regions = try directory.write(Self.crossing.regions, to: "stops.csv")
    let process = try CommandRun.process(["events", regions, "--tracks", "-", "--follow"])
    let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    var rows = Self.crossing.track.split(separator: "\n", omittingEmptySubsequences: true)
    // Up to the fix in the middle, with nonsense between; then nothing more, and the entry must come.
    rows.insert("bus,not a time,0,0", at: 5)
    let half = rows.prefix(13).joined(separator: "\n") + "\n"
    try input.fileHandleForWriting.write(contentsOf: Data(half.utf8))
    var text = ""
    while text.split(separator: "\n").count < 2 {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { break }
      text += String(decoding: data, as: UTF8.self)
    }
    #expect(text.hasSuffix("stop,enter,0.00000000,-0.00089832,false\n"))
    let rest = rows.dropFirst(13).joined(separator: "\n") + "\n"
    try input.fileHandleForWriting.write(contentsOf: Data(rest.utf8))
    try input.fileHandleForWriting.close()
    text += String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(text.hasSuffix("stop,exit,0.00000000,0.00089832,false\n"))
    let messages = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    #expect(messages.contains("not a time"))
  }

  @Test func aClosedPipeEndsFollowing() throws {
    let directory = try TemporaryDirectory()
    let regions = try directory.write(Self.crossing.regions, to: "stops.csv")
    let process = try CommandRun.process(["events", regions, "--tracks", "-", "--follow"])
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    try output.fileHandleForReading.close()
    input.fileHandleForWriting.send(Self.crossing.track)
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == 0)
  }

  @Test func usage() throws {
    let directory = try TemporaryDirectory()
    let regions = try directory.write(Self.crossing.regions, to: "stops.csv")
    let track = try directory.write(Self.crossing.track, to: "bus.csv")
    for arguments in [
      ["--resume"], ["--max-gap", "-1"], ["--max-gap", "nan"], ["--dwell", "0"], ["--follow", "--sort"],
      ["--follow", "--output", "x.csv"], ["--jobs", "0"], ["--format", "xml"],
    ] {
      #expect(
        try CommandRun(["events", regions, "--tracks", track] + arguments).status == 64, "\(arguments)")
    }
    let missing = try CommandRun(["events", regions, "--tracks", directory.path("none.csv")])
    #expect(missing.status == 1)
    #expect(missing.errors.hasPrefix("vicinity: error: no such file"))
    #expect(try CommandRun(["events", "--help"]).output.contains("EXAMPLES:"))
  }
}
