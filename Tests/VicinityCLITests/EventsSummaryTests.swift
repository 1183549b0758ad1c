import Foundation
import Testing

/// What `vicinity events` says at its end about results that look wrong.
@Suite struct EventsSummaryTests {
  private let directory: TemporaryDirectory
  private let regions: String

  init() throws {
    directory = try TemporaryDirectory()
    regions = try directory.write(
      "id,latitude,longitude,radius\na,48.2,16.3,100\nb,48.3,16.4,100\n", to: "regions.csv")
  }

  private func run(_ rows: [String], _ more: [String] = []) throws -> CommandRun {
    let track = try directory.write(
      "device,time,latitude,longitude\n" + rows.map { "\($0)\n" }.joined(), to: "track.csv")
    let run = try CommandRun(["events", regions, "--tracks", track] + more)
    #expect(run.status == 0, "\(run.errors)")
    return run
  }

  @Test func swappedCoordinates() throws {
    let run = try run(["x,0,16.3,48.2", "x,10,16.31,48.21"])
    #expect(run.errors.contains("no events: the fixes lie in latitude 16.3000 to 16.3100"), "\(run.errors)")
    #expect(run.errors.contains("the centres of the regions in latitude 48.2000 to 48.3000"))
    #expect(run.errors.contains("with latitude and longitude swapped the fixes would lie among the regions"))
    #expect(run.errors.contains("km away"))
  }

  @Test func nothingNear() throws {
    let run = try run(["x,0,48.25,16.35", "x,10,48.25,16.351"])
    #expect(run.errors.contains("no events: "))
    #expect(run.errors.contains("the region nearest to a device's last fix is "))
    #expect(!run.errors.contains("swapped"))
    #expect(try self.run([]).errors.contains("no events: there are no fixes"))
    // One that stays inside is not far away.
    let words =
      "; a device's last fix is inside a: it was inside at its first fix already, or the rule has not decided yet"
    #expect(try self.run(["x,0,48.2,16.3", "x,10,48.2,16.3001"]).errors.contains(words))
    let rows = ["x,0,48.19,16.3", "x,60,48.195,16.3", "x,120,48.2,16.3"]
    #expect(try self.run(rows, ["--rule", "core-location"]).errors.contains(words))
  }

  @Test("Positions at 0, 0 among others are told of, whatever comes of them")
  func zeroPositions() throws {
    let words = "at latitude 0 and longitude 0, which many programs write where they have no position"
    let rows = (0..<20).map { "x,\($0 * 10),48.2,\(16.29 + Double($0) / 1000)" }
    #expect(!(try run(rows).errors.contains(words)))
    let run = try run(rows + ["y,0,0,0", "y,5,0.0,-0.0"])
    #expect(run.errors.contains("note: ") && run.errors.contains("2 fixes are \(words)"), "\(run.errors)")
    #expect(try self.run(rows + ["y,0,0,0"]).errors.contains("1 fix is \(words)"))
    // Where all are near there is nothing odd about it.
    #expect(!(try self.run(["x,0,0,0", "x,5,0,1"]).errors.contains(words)))
    let invalid = try directory.write(
      "device,time,latitude,longitude,accuracy\nx,0,48.2,16.3,5\nx,5,0,0,-1\n", to: "invalid.csv")
    #expect(try !CommandRun(["events", regions, "--tracks", invalid]).errors.contains(words))
  }

  @Test("What is dropped is told by its reason, and one of it in the singular")
  func dropped() throws {
    let none = try run(["x,0,91,181", "x,30,48.25,16.35", "x,60,48.25,16.351", "x,60,48.25,16.351"]).errors
    #expect(
      none.contains("1 row has latitude 91 and longitude 181, AIS's words for no position, and is dropped"))
    #expect(
      none.contains("; dropped 1 repeat, 1 fix without a position (negative accuracy, or 91/181)"), "\(none)")
    let one = try run(["x,0,91,181", "x,30,48.25,16.35", "x,60,48.25,16.351"]).errors
    #expect(one.contains("of 3 rows with 1 device, 1 (33.3 %) was dropped"), "\(one)")
    let more = try run(["x,0,91,181", "y,0,91,181", "x,30,48.25,16.35", "x,60,48.25,16.351"]).errors
    #expect(more.contains("; dropped 2 fixes without a position (negative"), "\(more)")
  }

  @Test("Trips that are taken for devices are told of, unless the column was named")
  func tripsAsDevices() throws {
    for (name, text) in [
      ("t.csv", "Trip_ID,time,latitude,longitude\n7,0,48.2,16.3\n"),
      ("t.ndjson", #"{"Trip_ID":"7","time":0,"latitude":48.2,"longitude":16.3}"#),
    ] {
      let path = try directory.write(text, to: name)
      let words = "each trip of the column \"Trip_ID\" is taken for a device of its own"
      let run = try CommandRun(["events", regions, "--tracks", path])
      #expect(run.status == 0 && run.errors.contains("note: \(path): \(words)"), "\(run.errors)")
      let named = try CommandRun(["events", regions, "--tracks", path, "--device-field", "trip_id"])
      #expect(named.status == 0 && !named.errors.contains("each trip"), "\(named.errors)")
    }
    // Where another column could be meant, that is the news.
    let both = try directory.write(
      "trip_id,Vehicle ID,time,latitude,longitude\n7,9,0,48.2,16.3\n", to: "b.csv")
    let words = try CommandRun(["events", regions, "--tracks", both]).errors
    #expect(words.contains("\"Vehicle ID\" could hold them too") && !words.contains("each trip"), "\(words)")
  }

  @Test func manyRowsDropped() throws {
    let rows = (0..<20).map { "x,\($0 * 10),48.2,\(16.29 + Double($0) / 1000)" }
    #expect(!(try run(rows).errors.contains("were dropped")))
    let run = try run(rows + ["x,1,95,0", "x,2,95,0", "x,190,48.2,16.309"], ["--skip-invalid-tracks"])
    #expect(run.errors.contains("of 23 rows with 1 device, 3 (13.0 %) were dropped"), "\(run.errors)")
  }

  @Test func manyGaps() throws {
    let rows = (0..<4).map { "x,\($0 * 400),48.2,\(16.29 + Double($0) / 100)" }
    let run = try run(rows)
    #expect(
      run.errors.contains("3 of 3 steps between fixes (100.0 %) take longer than --max-gap 300 seconds"),
      "\(run.errors)")
    #expect(run.errors.contains("2 of the events"))
    #expect(
      try self.run(Array(rows.prefix(2))).errors.contains("1 of 1 step between fixes (100.0 %) takes longer"))
    #expect(!(try self.run(rows, ["--max-gap", "400"]).errors.contains("--max-gap")))
    // A few among many are no news.
    let many = (0..<100).map { "x,\($0 + ($0 > 50 ? 1000 : 0)),48.2,\(16.29 + Double($0) / 5000)" }
    #expect(!(try self.run(many).errors.contains("--max-gap")))
  }

  @Test func badRowsApart() throws {
    let bad = try directory.write(
      "id,latitude,longitude,radius\na,48.2,16.3,100\nb,95,16.4,100\n", to: "bad.csv")
    let track = try directory.write(
      "device,time,latitude,longitude\nx,0,48.2,16.3\nx,1,95,0\n", to: "bad-track.csv")
    let good = try directory.write("device,time,latitude,longitude\nx,0,48.2,16.3\n", to: "good-track.csv")
    func status(_ regions: String, _ track: String, _ options: [String]) throws -> Int32 {
      try CommandRun(["events", regions, "--tracks", track] + options).status
    }
    #expect(try status(bad, good, []) == 1)
    #expect(try status(bad, good, ["--skip-invalid-tracks"]) == 1)
    #expect(try status(bad, good, ["--skip-invalid-regions"]) == 0)
    #expect(try status(regions, track, ["--skip-invalid-regions"]) == 1)
    #expect(try status(regions, track, ["--skip-invalid-tracks"]) == 0)
    #expect(try status(bad, track, ["--skip-invalid-tracks", "--skip-invalid-regions"]) == 0)
    #expect(try status(bad, track, ["--skip-invalid"]) == 0)
  }
}
