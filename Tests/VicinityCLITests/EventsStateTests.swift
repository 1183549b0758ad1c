import Foundation
import Testing
import VicinityCrossings
import VicinityIndex
import VicinityTestSupport

@testable import VicinityCLI
@testable import VicinityRuns

/// `vicinity events --state`: batches that go on where the one before ended.
@Suite struct EventsStateTests {
  /// A day in batches: devices with fixes of all seconds, some of which are silent for a while.
  struct Day {
    let directory: TemporaryDirectory
    let regions: String
    let whole: String
    let count: Int

    init(batches: Int) throws {
      count = batches
      directory = try TemporaryDirectory()
      let town = EventsCommandTests.Town(regions: 300, devices: 20, fixes: 1200)
      regions = try directory.write(town.regions, to: "regions.csv")
      let rows = town.interleaved.split(separator: "\n")
      // A device is silent in every eighth minute, each in another one.
      let kept = rows.dropFirst().enumerated().filter { ($0.offset / 1200 + $0.offset % 20) % 8 != 0 }
      whole = try directory.write(
        "\(rows[0])\n" + kept.map { "\($0.element)\n" }.joined(), to: "whole.csv")
      for batch in 0..<batches {
        let part = kept.filter { $0.offset / 20 * batches / 1200 == batch }
        try directory.write(
          "\(rows[0])\n" + part.map { "\($0.element)\n" }.joined(), to: "tracks-\(batch).csv")
      }
    }

    func arguments(_ batch: Int, _ more: [String] = [], state: String = "state") -> [String] {
      [
        "events", regions, "--tracks", directory.path("tracks-\(batch).csv"), "--state",
        directory.path(state),
        "--output", directory.path("events-\(batch).csv"), "--visits", directory.path("visits-\(batch).csv"),
      ] + more
    }

    func text(_ name: String) throws -> String {
      try String(contentsOfFile: directory.path(name), encoding: .utf8)
    }

    /// The rows of all batches, one batch after the other.
    func rows(_ name: String) throws -> String {
      try (0..<count).map { try text("\(name)-\($0).csv") }
        .map { $0[($0.firstIndex(of: "\n").map { text in text } ?? $0.startIndex)...].dropFirst() }.joined()
    }
  }

  @Test func eventsThatCameTooLateForTheOrderAreTold() throws {
    let directory = try TemporaryDirectory()
    let regions = try directory.write("id,latitude,longitude,radius\na,48,16,100\n", to: "regions.csv")
    func batch(_ number: Int, _ rows: [String], _ order: String) throws -> CommandRun {
      try directory.write(
        "device,time,latitude,longitude\n" + rows.map { "\($0)\n" }.joined(), to: "tracks-\(number).csv")
      return try CommandRun([
        "events", regions, "--tracks", directory.path("tracks-\(number).csv"), "--state",
        directory.path("state"), "--output", directory.path("events-\(number).csv"), order,
      ])
    }
    let late = "1 event is earlier than what the batches before may have written"
    let first = try batch(0, ["d,0,48.1,16", "d,60,48,16", "d,120,48.1,16", "d,130,48.1,16"], "--in-order")
    #expect(first.status == 0 && !first.errors.contains("earlier than"), "\(first.errors)")
    // In its own time, before what is known of the first device: nobody could wait for it.
    let second = try batch(1, ["e,30,48.1,16", "e,70,48,16", "d,200,48.1,16"], "--in-order")
    #expect(second.status == 0 && second.errors.contains(late), "\(second.errors)")
    let third = try batch(2, ["d,210,48,16", "e,220,48,16"], "--last")
    #expect(third.status == 0 && !third.errors.contains("earlier than"), "\(third.errors)")
  }

  @Test func aBatchWithoutAPositionIsCountedAndGoesOn() throws {
    let directory = try TemporaryDirectory()
    let regions = try directory.write("id,latitude,longitude,radius\na,48,16,100\n", to: "regions.csv")
    // In the region; then two rows that say that there was no position; then out of it.
    for (number, rows) in [
      ["0,48,16,5"], ["60,48,16,-1", "90,0,0,-1"], ["120,48.1,16,5", "150,48.1,16,5"],
    ].enumerated() {
      try directory.write(
        "device,time,latitude,longitude,accuracy\n" + rows.map { "d,\($0)\n" }.joined(),
        to: "tracks-\(number).csv")
      let run = try CommandRun([
        "events", regions, "--tracks", directory.path("tracks-\(number).csv"), "--state",
        directory.path("state"), "--output", directory.path("events-\(number).csv"),
      ])
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.errors.contains("dropped 2 fixes without a position") == (number == 1), "\(run.errors)")
    }
    let last = try String(contentsOfFile: directory.path("events-2.csv"), encoding: .utf8)
    #expect(last.split(separator: "\n").count == 2 && last.contains(",a,exit,"), "\(last)")
  }

  @Test(arguments: [
    [], ["--max-gap", "40", "--dwell", "20"], ["--rule", "core-location", "--cushion", "10"],
    ["--rule", "overlap"],
  ])
  func batchesAreOneRun(options: [String]) throws {
    let day = try Day(batches: 24)
    let options = options + ["--initial"]
    let whole = try CommandRun(
      ["events", day.regions, "--tracks", day.whole, "--output", day.directory.path("all.csv")]
        + ["--visits", day.directory.path("stays.csv")] + options)
    #expect(whole.status == 0)
    func afterHeader(_ text: String) -> String {
      text.split(separator: "\n").dropFirst().map { "\($0)\n" }.joined()
    }
    let events = afterHeader(try day.text("all.csv"))
    let stays = afterHeader(try day.text("stays.csv"))
    #expect(events.split(separator: "\n").count > 200)
    #expect(stays.contains(",start,") && stays.contains(",end,"))
    var telling: [Int] = []
    for batch in 0..<24 {
      let run = try CommandRun(day.arguments(batch, options + [batch < 23 ? "--in-order" : "--last"]))
      #expect(run.status == 0, "\(run.errors)")
      // `note: 12 stays go on, and come with the batch in which the device leaves`
      if run.errors.contains("with the batch in which the device leaves") { telling.append(batch) }
    }
    #expect(telling.count > 12 && !telling.contains(23))
    #expect(try day.rows("events") == events)
    #expect(try day.rows("visits") == stays)
    // Without --in-order each batch writes all that it finds: the same rows. Rules make no difference to
    // that, so the fast tests see it once.
    guard EventsProgressTests.isLong || options == ["--initial"] else { return }
    for batch in 0..<24 {
      let run = try CommandRun(day.arguments(batch, options + (batch < 23 ? [] : ["--last"]), state: "other"))
      #expect(run.status == 0, "\(run.errors)")
    }
    #expect(try day.rows("events").split(separator: "\n").sorted() == events.split(separator: "\n").sorted())
    #expect(try day.rows("visits").split(separator: "\n").sorted() == stays.split(separator: "\n").sorted())
  }

  @Test("Regions change between batches: what stays the same goes on, the rest is told")
  func regionsChange() throws {
    let day = try Day(batches: 4)
    let rows = try day.text("regions.csv").split(separator: "\n").map(String.init)
    // From the third batch on the first hundred are gone, and the last hundred are there.
    try day.directory.write(rows[...200].joined(separator: "\n") + "\n", to: "regions.csv")
    func identifier(_ row: String) -> String { String(row.prefix { $0 != "," }) }
    let (gone, new) = (Set(rows[1...100].map(identifier)), Set(rows[201...].map(identifier)))
    for batch in 0..<2 {
      let run = try CommandRun(day.arguments(batch, ["--initial", "--in-order"]))
      #expect(run.status == 0 && !run.errors.contains("since the batch before"), "\(run.errors)")
    }
    let state = day.directory.path("state")
    let before = try Data(contentsOf: URL(filePath: state))
    try day.directory.write(([rows[0]] + rows[101...]).joined(separator: "\n") + "\n", to: "regions.csv")
    for batch in 2..<4 {
      let run = try CommandRun(
        day.arguments(batch, ["--initial", "--removed", batch == 3 ? "--last" : "--in-order"]))
      #expect(run.status == 0, "\(run.errors)")
      #expect(
        run.errors.contains("since the batch before: 100 regions are new, 100 are gone") == (batch == 2),
        "\(run.errors)")
    }
    // All regions, from the start to the end.
    try day.directory.write(rows.joined(separator: "\n") + "\n", to: "regions.csv")
    let whole = try CommandRun(
      ["events", day.regions, "--tracks", day.whole, "--output", day.directory.path("all.csv"), "--visits"]
        + [day.directory.path("stays.csv"), "--initial"])
    #expect(whole.status == 0)
    func fields(_ text: String) -> [[String]] {
      text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().filter { !$0.isEmpty }.map {
        $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      }
    }
    let all = fields(try day.text("all.csv"))
    let told = fields(try "\n" + day.rows("events"))
    let columns = try day.text("all.csv").prefix { $0 != "\n" }.split(separator: ",")
    let (region, kind) = (
      try #require(columns.firstIndex(of: "region")), try #require(columns.firstIndex(of: "kind"))
    )
    let kept = Set(rows[101...200].map(identifier))
    #expect(all.filter { kept.contains($0[region]) } == told.filter { kept.contains($0[region]) })
    // Of the others only what was told while they were there: what a run ends with that ends where they went,
    // and what it does not have.
    let half = try CommandRun(
      [
        "events", day.regions, "--tracks", day.directory.path("tracks-0.csv"),
        day.directory.path("tracks-1.csv"),
      ]
        + ["--output", day.directory.path("half.csv"), "--initial"])
    #expect(half.status == 0, "\(half.errors)")
    let early = fields(try day.text("half.csv"))
    let oldRows = told.filter { gone.contains($0[region]) && $0[kind] != "removed" }
    let newRows = told.filter { new.contains($0[region]) }
    #expect(!oldRows.isEmpty && oldRows == early.filter { gone.contains($0[region]) })
    let late = Set(all).subtracting(early)
    #expect(!newRows.isEmpty && newRows == all.filter { new.contains($0[region]) && late.contains($0) })
    let removed = told.filter { $0[kind] == "removed" }
    #expect(!removed.isEmpty && removed.allSatisfy { gone.contains($0[region]) })
    // Each of their stays has ended, and none is there twice.
    let stays = fields(try "\n" + day.rows("visits"))
    let open = stays.filter { gone.contains($0[1]) && ["end", "both"].contains($0[5]) }
    #expect(
      Set(open.map { $0[0] + $0[1] }) == Set(removed.map { $0[0] + $0[region] })
        && open.count == removed.count)
    let wholeStays = fields(try day.text("stays.csv")).filter { kept.contains($0[1]) }
    let keptStays = stays.filter { kept.contains($0[1]) }
    #expect(wholeStays == keptStays)
    // Regions that have nothing in common with those before.
    try before.write(to: URL(filePath: state))
    try day.directory.write("id,latitude,longitude,radius\nelsewhere,0,0,100\n", to: "regions.csv")
    let other = try CommandRun(day.arguments(2))
    #expect(other.status == 1 && other.errors.contains("none of which is among these"), "\(other.errors)")
    #expect(try Data(contentsOf: URL(filePath: state)) == before)
  }

  @Test("A stay in a region that is new begins at the device's last fix before", arguments: [false, true])
  func stayInANewRegion(follows: Bool) throws {
    let directory = try TemporaryDirectory()
    let header = "id,latitude,longitude,radius\n"
    let old = "far,1,1,1000\n"
    let regions = try directory.write(header + old, to: "regions.csv")
    func track(_ day: Int) -> String {
      // One device stands still, and one drives away on the second day.
      let rows = (0..<60).map { i in
        let time = "2026-03-0\(day)T23:\(i < 10 ? "0" : "")\(i):00Z"
        return "still,\(time),0,0\ngoes,\(time),0,\(day == 2 ? 0.001 * Double(i) : 0)\n"
      }
      return "device,time,latitude,longitude\n" + rows.joined()
    }
    let visits = directory.path("visits.csv")
    for day in 1...2 {
      if day == 2 { try directory.write(header + old + "new,0,0,1000\n", to: "regions.csv") }
      let path = try directory.write(track(day), to: "day.csv")
      let run = try CommandRun(
        [
          "events", regions, "--tracks", follows ? "-" : path, "--state", directory.path("state"), "--output",
          directory.path("events\(follows ? 0 : day).csv"), "--visits",
          follows ? visits : directory.path("visits\(day).csv"), "--max-gap", "86400",
        ] + (follows ? ["--follow"] : []) + (day == 2 ? ["--last"] : []), input: follows ? track(day) : "")
      #expect(run.status == 0, "\(run.errors)")
    }
    let stays = try String(
      contentsOfFile: follows ? visits : directory.path("visits2.csv"), encoding: .utf8
    ).split(separator: "\n").dropFirst().map { $0.split(separator: ",").map(String.init) }
    let ended = try #require(stays.first { $0[0] == "goes" })
    #expect(ended[1] == "new" && ended[2] == "2026-03-01T23:59:00.000Z" && ended[5] == "start", "\(ended)")
    let open = try #require(stays.first { $0[0] == "still" })
    #expect(open[1] == "new" && open[2] == "2026-03-01T23:59:00.000Z" && open[5] == "both", "\(open)")
  }

  @Test func aBatchIsAppliedOnce() throws {
    let day = try Day(batches: 3)
    for batch in 0..<2 { #expect(try CommandRun(day.arguments(batch)).status == 0) }
    let state = try Data(contentsOf: URL(filePath: day.directory.path("state")))
    let events = try day.text("events-1.csv")
    let again = try CommandRun(day.arguments(1))
    #expect(again.status == 0 && again.errors.contains("applied already"), "\(again.errors)")
    #expect(try day.text("events-1.csv") == events)
    let earlier = try CommandRun(day.arguments(0))
    #expect(
      earlier.status == 1 && earlier.errors.contains("applied before, as batch 1 of 2"), "\(earlier.errors)")
    // The state knows no way back to what its output was.
    try day.directory.write("gone", to: "events-1.csv")
    let changed = try CommandRun(day.arguments(1))
    #expect(changed.status == 1 && changed.errors.contains("gone or has changed"), "\(changed.errors)")
    var elsewhere = day.arguments(1)
    elsewhere[7] = day.directory.path("elsewhere.csv")
    let other = try CommandRun(elsewhere)
    #expect(other.status == 1 && other.errors.contains("with other outputs"), "\(other.errors)")
    let options = try CommandRun(day.arguments(2, ["--max-gap", "7"]))
    #expect(options.status == 1 && options.errors.contains("--max-gap is 7.0 seconds"), "\(options.errors)")
    #expect(try Data(contentsOf: URL(filePath: day.directory.path("state"))) == state)
  }

  /// What a batch found is nowhere else: its tracks are not applied again.
  @Test(arguments: ["events", "visits"])
  func noBatchReplacesWhatTheOneBeforeFound(file: String) throws {
    let day = try Day(batches: 2)
    #expect(try CommandRun(day.arguments(0)).status == 0)
    let state = try Data(contentsOf: URL(filePath: day.directory.path("state")))
    let found = try day.text("\(file)-0.csv")
    var arguments = day.arguments(1)
    let place = try #require(arguments.firstIndex(of: day.directory.path("\(file)-1.csv")))
    arguments[place] = day.directory.path("\(file)-0.csv")
    let same = try CommandRun(arguments)
    #expect(same.status == 1 && same.errors.contains("has what the run before found"), "\(same.errors)")
    #expect(try day.text("\(file)-0.csv") == found)
    #expect(try Data(contentsOf: URL(filePath: day.directory.path("state"))) == state)
    // Where it has been moved away, or was something else, nothing is lost.
    try FileManager.default.moveItem(
      atPath: day.directory.path("\(file)-0.csv"), toPath: day.directory.path("kept.csv"))
    #expect(try CommandRun(arguments).status == 0)
    #expect(try day.text("kept.csv") == found)
  }

  /// A file of a header alone has nothing that could be lost, as that of rows of which none is bad.
  @Test func aBatchReplacesAFileWithoutRows() throws {
    let day = try Day(batches: 2)
    let rejects = ["--rejects", day.directory.path("rejects.csv")]
    for batch in 0..<2 { #expect(try CommandRun(day.arguments(batch, rejects)).status == 0) }
    #expect(try day.text("rejects.csv").split(separator: "\n").count == 1)
  }

  @Test func batchesWithoutFixesAreNoRepetition() throws {
    let day = try Day(batches: 3)
    try day.directory.write("device,time,latitude,longitude\n", to: "tracks-1.csv")
    try day.directory.write("device,time,latitude,longitude\n", to: "tracks-2.csv")
    for batch in 0..<3 {
      let run = try CommandRun(day.arguments(batch))
      #expect(run.status == 0 && !run.errors.contains("applied already"), "\(run.errors)")
    }
    #expect(try CommandRun(day.arguments(2)).errors.contains("applied already"))
  }

  @Test func aDeviceDoesNotGoBackInTime() throws {
    let day = try Day(batches: 3)
    #expect(try CommandRun(day.arguments(0)).status == 0)
    let rows = try day.text("tracks-0.csv").split(separator: "\n")
    try day.directory.write("\(rows[0])\n\(rows[1])\n", to: "tracks-1.csv")
    for more in [[], ["--sort"]] {
      let run = try CommandRun(day.arguments(1, more))
      #expect(run.status == 1 && run.errors.contains("time runs backwards"), "\(run.errors)")
      #expect(run.errors.contains("put back a copy of the state from before that batch"), "\(run.errors)")
    }
    let alone = try CommandRun(
      ["events", day.regions, "--tracks", "-"],
      input: "device,time,latitude,longitude\nd,1700000060,1,1\nd,1700000000,1,1\n")
    #expect(alone.errors.contains("--sort") && !alone.errors.contains("copy of the state"), "\(alone.errors)")
  }

  /// A batch ends with a wrong time: the next one goes on, with a word; nobody is muted.
  @Test func aWrongTimeMutesNobody() throws {
    let directory = try TemporaryDirectory()
    let regions = try directory.write("id,latitude,longitude,radius\nzone,0,0,1000\n", to: "zone.csv")
    let rows = (0..<60).map { "d,2026-01-01T11:\($0 < 10 ? "0" : "")\($0):00Z,0,\(Double($0 - 30) / 1000)\n" }
    let header = "device,time,latitude,longitude\n"
    for wrong in ["2036-01-01T10:00:10Z", "2026-01-01T12:30:00Z", "9999-12-31T23:59:59Z"] {
      for more in [["--skip-invalid-tracks"], ["--skip-invalid-tracks", "--sort"]] {
        let name = "\(wrong.prefix(4))\(more.count)\(wrong.count)"
        var events = ""
        for (batch, part) in [
          rows[..<10].joined() + "d,\(wrong),0,-0.021\n", rows[10..<30].joined(), rows[30...].joined(),
        ].enumerated() {
          let path = try directory.write(header + part, to: "\(name)-\(batch).csv")
          let output = directory.path("\(name)-\(batch).out")
          let run = try CommandRun(
            ["events", regions, "--tracks", path, "--state", directory.path(name), "--output", output] + more)
          #expect(run.status == 0, "\(run.errors)")
          #expect(
            run.errors.contains("time goes back to 2026-01-01T11:10:00.000Z") == (batch == 1), "\(run.errors)"
          )
          events += try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").dropFirst()
            .joined(separator: "\n")
        }
        #expect(
          events.contains("2026-01-01T11:21:01.011Z,zone,enter,0.00000000,-0.00898315,false"), "\(events)")
        #expect(
          events.contains("2026-01-01T11:38:58.989Z,zone,exit,0.00000000,0.00898315,false"), "\(events)")
      }
    }
  }

  /// The same with a row a batch: none of a batch may count, and yet it tells.
  @Test func rowsThatComeOneByOneOutnumberAWrongTime() throws {
    let directory = try TemporaryDirectory()
    let regions = try directory.write("id,latitude,longitude,radius\nzone,0,0,1000\n", to: "zone.csv")
    var errors: [String] = []
    for (batch, time) in [
      "2036-01-01T10:00:10Z", "2026-01-01T11:01:00Z", "2026-01-01T11:02:00Z", "2026-01-01T11:03:00Z",
    ]
    .enumerated() {
      let path = try directory.write(
        "device,time,latitude,longitude\nd,\(time),0,\(batch)\n", to: "\(batch).csv")
      let run = try CommandRun([
        "events", regions, "--tracks", path, "--state", directory.path("state"), "--output",
        directory.path("\(batch).out"),
        "--skip-invalid-tracks",
      ])
      #expect(run.status == 0, "\(batch): \(run.errors)")
      errors.append(run.errors)
    }
    #expect(errors[1].contains("time runs backwards") && errors[2].contains("time goes back"), "\(errors)")
    #expect(!errors[3].contains("skipped"), "\(errors[3])")
  }

  /// Every state of the files that a crash can leave between the first and the last step of a batch's end.
  @Test func aCrashBetweenStateAndOutputsIsMadeGood() throws {
    let day = try Day(batches: 3)
    func path(_ name: String) -> URL { URL(filePath: day.directory.path(name)) }
    #expect(try CommandRun(day.arguments(0)).status == 0)
    let before = try Data(contentsOf: path("state"))
    #expect(try CommandRun(day.arguments(1)).status == 0)
    let after = try Data(contentsOf: path("state"))
    let outputs = try ["events-1.csv", "visits-1.csv"].map { ($0, try Data(contentsOf: path($0))) }
    for placed in 0...2 {
      for next in [1, 2] {
        try before.write(to: path("state"))
        try after.write(to: path("state.next"))
        for (i, (name, bytes)) in outputs.enumerated() {
          try? FileManager.default.removeItem(at: path(name))
          if i < placed { try bytes.write(to: path(name)) }
        }
        let run = try CommandRun(day.arguments(next))
        if next == 2, placed < 2 {
          // The batch before must be finished first.
          #expect(run.status == 1 && run.errors.contains("run it again first"), "\(run.errors)")
          #expect(try CommandRun(day.arguments(1)).status == 0)
          #expect(try CommandRun(day.arguments(2)).status == 0)
        } else {
          #expect(run.status == 0, "\(run.errors)")
        }
        if next == 1 { #expect(try Data(contentsOf: path("state")) == after, "\(placed)") }
        for (name, bytes) in outputs { #expect(try Data(contentsOf: path(name)) == bytes) }
        #expect(!FileManager.default.fileExists(atPath: day.directory.path("state.next")))
      }
    }
    var damaged = after
    damaged[damaged.count / 2] ^= 4
    for name in ["state", "state.next"] {
      try after.write(to: path("state"))
      try damaged.write(to: path(name))
      let run = try CommandRun(day.arguments(2))
      #expect(run.status == 1 && run.errors.contains("damaged state"), "\(run.errors)")
    }
  }

  @Test("A state of something else, or of another version, is refused, and it says whose it is")
  func statesOfOthers() throws {
    let day = try Day(batches: 2)
    #expect(try CommandRun(day.arguments(0)).status == 0)
    let path = day.directory.path("state")
    let own = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let states = try DeviceStates.file(writtenBy: "vicinity events").open(own) { reader in
      let states = try DeviceStates(&reader)
      _ = try reader.bytes(reader.remaining)
      return states
    }
    #expect(states.devices.count == 20)
    for (other, words) in [
      (
        DeviceStates.file(writtenBy: "a fleet of Python, Spark or C"),
        "state written by a fleet of Python, Spark or C, which alone can go on from it"
      ),
      (SealedBytes("VICSTATE", version: 2), "state of another version (2)"),
    ] {
      try Data(other.seal { states.append(to: &$0) }).write(to: URL(filePath: path))
      let run = try CommandRun(day.arguments(1))
      #expect(run.status == 1 && run.errors.contains(words), "\(run.errors)")
    }
  }

  @Test func twoRunsDoNotShareAState() throws {
    let day = try Day(batches: 2)
    #expect(try CommandRun(day.arguments(0)).status == 0)
    let state = try Data(contentsOf: URL(filePath: day.directory.path("state")))
    do {
      let lock = try FileLock(day.directory.path("state.lock"), use: "testing")
      let second = try CommandRun(day.arguments(1))
      #expect(second.status == 1)
      #expect(second.errors.contains("another process is applying a batch to this state"), "\(second.errors)")
      withExtendedLifetime(lock) {}
    }
    #expect(try Data(contentsOf: URL(filePath: day.directory.path("state"))) == state)
    #expect(try CommandRun(day.arguments(1, ["--last"])).status == 0)
  }

  @Test func killsAndFullDisksNeitherLoseNorDouble() throws {
    let day = try Day(batches: 6)
    var expected: [String: String] = [:]
    for batch in 0..<6 {
      #expect(try CommandRun(day.arguments(batch, [batch < 5 ? "--in-order" : "--last"])).status == 0)
    }
    for name in ["events", "visits"] { expected[name] = try day.rows(name) }
    let executable = try #require(CommandRun.executable?.path)
    var random = SplitMix64(seed: 23)
    for round in 0..<(EventsProgressTests.isLong ? 60 : 2) {
      for name in day.directory.names where name.hasPrefix("events-") || name.hasPrefix("visits-") {
        try FileManager.default.removeItem(atPath: day.directory.path(name))
      }
      let state = "state-\(round)"
      for batch in 0..<6 {
        let arguments = day.arguments(
          batch, [batch < 5 ? "--in-order" : "--last", "--resume", "--keep-every", "0"], state: state)
        for _ in 0..<3 {
          if Bool.random(using: &random) {
            let process = try CommandRun.process(arguments)
            process.standardError = FileHandle.nullDevice
            try process.run()
            usleep(UInt32.random(in: 0...60_000, using: &random))
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
          } else {
            let line = arguments.map { "'\($0)'" }.joined(separator: " ")
            let full = try Shell(
              "ulimit -f \(Int.random(in: 0...100, using: &random)); exec '\(executable)' \(line)")
            #expect(
              full.status == 0 || full.status == 1 && full.errors.contains("cannot write"), "\(full.errors)")
          }
        }
        let run = try CommandRun(arguments)
        #expect(run.status == 0, "\(run.errors)")
      }
      for (name, rows) in expected { #expect(try day.rows(name) == rows, "round \(round): \(name)") }
      #expect(
        !day.directory.names.contains { $0.hasPrefix(".") || $0.hasSuffix(".next") || $0.hasSuffix(".new") })
      try FileManager.default.removeItem(atPath: day.directory.path(state))
    }
  }

  @Test func staysAndFirstFixes() throws {
    let directory = try TemporaryDirectory()
    let regions = try directory.write(
      "id,latitude,longitude,radius\nhome,0,0,100\n\"a, b\",0,0.01,100\n", to: "r.csv")
    // Inside at first; out at 20 s; across a gap into the other; never out of that.
    let track = try directory.write(
      "device,time,latitude,longitude\nx,0,0,0\nx,10,0,0.0005\nx,30,0,0.0013\nx,1000,0,0.01\nx,1010,0,0.0101\n",
      to: "t.csv")
    let visits = directory.path("v.csv")
    let run = try CommandRun(["events", regions, "--tracks", track, "--initial", "--visits", visits])
    #expect(run.status == 0)
    let rows = run.output.split(separator: "\n")
    #expect(rows.map { $0.split(separator: ",").count } == [7, 7, 7, 8])
    #expect(rows[1] == "x,1970-01-01T00:00:00.000Z,home,initial,0.00000000,0.00000000,false")
    #expect(run.errors.contains("2 events in"))
    let stays = try String(contentsOfFile: visits, encoding: .utf8).split(separator: "\n")
    #expect(stays.count == 3 && stays[0] == "device,region,enter,exit,duration,open,inferred")
    #expect(stays[1].hasPrefix("x,home,1970-01-01T00:00:00.000Z,1970-01-01T00:00:19."))
    #expect(stays[1].hasSuffix(",start,no"))
    #expect(
      stays[2] == "x,\"a, b\",1970-01-01T00:16:40.000Z,1970-01-01T00:16:50.000Z,10.000,end,enter",
      "\(stays[2])")
    // Events are as they were.
    let plain = try CommandRun(["events", regions, "--tracks", track])
    #expect(plain.output.split(separator: "\n") == rows.filter { !$0.contains(",initial,") })
    for arguments in [
      ["--state", "s"], ["--in-order"], ["--last", "--state", "s", "--output", "o", "--in-order"],
      ["--visits", "-"],
      ["--follow", "--visits", "v"], ["--restart"],
    ] {
      #expect(
        try CommandRun(["events", regions, "--tracks", track] + arguments).status == 64, "\(arguments)")
    }
    for (first, second) in [("--visits", "--rejects"), ("--output", "--visits"), ("--output", "--rejects")] {
      let same = try CommandRun(["events", regions, "--tracks", track, first, visits, second, visits])
      #expect(same.status == 1 && same.errors.contains("two outputs would be one file"), "\(same.errors)")
    }
  }
}
