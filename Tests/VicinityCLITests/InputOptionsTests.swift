import Foundation
import Testing

@testable import VicinityCLI

/// What the command line takes for input, what it refuses, and what it then says.
@Suite struct InputOptionsTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write("id,latitude,longitude,radius\ncity,48,16,1000\n", to: "r.csv")
  }

  func run(_ arguments: String...) throws -> CommandRun { try CommandRun(arguments, in: directory.url) }

  @Test func namesTheOptionForTracksOfGPXOutOfOrder() throws {
    func track(_ day: Int) -> String {
      let time = "<time>2023-01-0\(day)T00:00:00Z</time>"
      return "<trk><trkseg><trkpt lat=\"48\" lon=\"16\">\(time)</trkpt></trkseg></trk>"
    }
    try directory.write("<gpx>\(track(2))\(track(1))</gpx>", to: "two.gpx")
    let refused = try run("events", "r.csv", "--tracks", "two.gpx")
    #expect(refused.status == 1 && refused.errors.contains("--tracks-are-devices"), "\(refused.errors)")
    #expect(refused.errors.contains("--sort") && !refused.errors.contains("--device-field"))
    #expect(try run("events", "r.csv", "--tracks", "two.gpx", "--tracks-are-devices").status == 0)
  }

  @Test func refusesATrackOfWhichNothingNamesTheDevices() throws {
    let rows = (0..<40).map { "\($0 % 2 == 0 ? "a" : "b"),\($0),48,\($0 % 2 == 0 ? 16 : 17)\n" }.joined()
    try directory.write("cab,time,lat,lon\n" + rows, to: "t.csv")
    let refused = try run("events", "r.csv", "--tracks", "t.csv")
    #expect(refused.status == 1 && refused.output.isEmpty)
    for words in ["\"cab\" may tell devices apart", "\"time\"", "--device-field", "--single-device"] {
      #expect(refused.errors.contains(words), "\(refused.errors)")
    }
    let named = try run("events", "r.csv", "--tracks", "t.csv", "--device-field", "cab")
    #expect(named.status == 0 && named.output.split(separator: "\n").count == 1)
    #expect(named.errors.contains("devices are taken from the column \"cab\""))
    let single = try run("events", "r.csv", "--tracks", "t.csv", "--single-device", "--max-gap", "0")
    #expect(single.status == 0 && single.output.split(separator: "\n").count == 40, "\(single.output)")
    // A name that is known needs nothing.
    try directory.write("taxi,time,lat,lon\n" + rows, to: "u.csv")
    #expect(try run("events", "r.csv", "--tracks", "u.csv").output == named.output)
  }

  /// Where nothing holds the identifiers, what is there is told, and the option that names it.
  @Test func saysWhatThereIsWhereNoColumnHoldsIdentifiers() throws {
    try directory.write("icao,lat,lon,radius\nLOWW,48.1,16.6,2000\n", to: "a.csv")
    try directory.write("{\"icao\":\"LOWW\",\"lat\":48.1,\"lon\":16.6,\"radius\":2000}\n", to: "a.ndjson")
    for (file, kind) in [("a.csv", "column"), ("a.ndjson", "member")] {
      let regions = try run("nearest", file, "--at", "48,16")
      #expect(regions.status == 0)
      #expect(
        regions.errors.contains("no \(kind) for identifiers (found \"icao\", \"lat\", \"lon\", \"radius\")"),
        "\(regions.errors)")
      #expect(regions.errors.contains("note: --id-field NAME says"), "\(regions.errors)")
      let points = try run("nearest", "r.csv", "--points", file)
      #expect(
        points.status == 0 && points.errors.contains("note: --point-id-field NAME says"), "\(points.errors)")
      #expect(try !run("nearest", file, "--id-field", "icao", "--at", "48,16").errors.contains("NAME says"))
    }
  }

  /// Bad rows that differ in their values alone are told once, whether they stop the run or are skipped.
  @Test func tellsBadRowsThatAreAlikeOnce() throws {
    let rows = (0..<8).map { "a,2024-05-01T08:0\($0):00,48,16\n" }.joined()
    try directory.write("device,time,lat,lon\n" + rows + "a,2024-05-01T09:00:00Z,482,16\n", to: "t.csv")
    for (options, kind) in [([], "error"), (["--skip-invalid-tracks"], "skipped")] {
      let told = try CommandRun(["events", "r.csv", "--tracks", "t.csv"] + options, in: directory.url).errors
      #expect(told.contains("t.csv:2: the time \"2024-05-01T08:00:00\" has no zone"), "\(told)")
      #expect(told.contains("and 7 more like it") && !told.contains("08:01:00"), "\(told)")
      #expect(told.contains("t.csv:10: ") && told.contains("vicinity: \(kind)"), "\(told)")
    }
  }

  /// Parquet and Arrow, as any input of any command and packed or not: where they are read is said, with a
  /// call that does it.
  @Test(arguments: [
    (Array("PAR1".utf8) + [21, 4, 21, 10], "Parquet", "pyarrow.parquet.read_table"),
    (Array("PARE".utf8) + [21, 4], "Parquet", "pyarrow.parquet.read_table"),
    (
      Array("ARROW1".utf8) + [0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 8, 1, 0, 0], "Arrow", "pyarrow.feather.read_table"
    ),
    (Array("FEA1".utf8) + [0, 0, 0, 0], "Arrow", "pyarrow.feather.read_table"),
    ([0xFF, 0xFF, 0xFF, 0xFF, 0x30, 1, 0, 0, 16, 0, 0, 0], "Arrow", "pyarrow.ipc.open_stream"),
  ])
  func saysWhereColumnarFilesAreRead(bytes: [UInt8], name: String, call: String) throws {
    // The names say nothing: the bytes do.
    for file in ["a.parquet", "a.csv", "a"] {
      try directory.write(bytes, to: file)
      for arguments in [
        ["nearest", file, "--at", "1,2"], ["nearest", "r.csv", "--points", file],
        ["index", file, "--output", "x.vicinity"],
        ["events", file, "--tracks", "r.csv"], ["events", "r.csv", "--tracks", file],
      ] {
        let refused = try CommandRun(arguments, in: directory.url)
        #expect(refused.status == 1 && refused.output.isEmpty)
        for words in [
          file, "\(name) is read through Python", call, "RegionIndex.from_arrow", "Python/docs/FromPython.md",
        ] {
          #expect(refused.errors.contains(words), "\(arguments): \(refused.errors)")
        }
      }
    }
    #expect(!directory.names.contains("x.vicinity"))
  }

  /// What begins alike and is text is read as text.
  @Test func readsTextThatBeginsLikeAColumnarFile() throws {
    for header in ["PAR", "ARROW1", "FEA"] {
      try directory.write("\(header),id,latitude,longitude,radius\n1,a,48,16,5\n", to: "t.csv")
      let read = try run("nearest", "t.csv", "--at", "48,16", "-f", "csv")
      #expect(read.status == 0 && read.output.contains("at,1,a,-5.000"), "\(read.errors)")
    }
  }

  @Test func refusesAFileWithoutAnyByte() throws {
    try directory.write("", to: "e.csv")
    for arguments in [
      ["nearest", "e.csv", "--at", "1,2"], ["index", "e.csv", "--output", "e.vicinity"],
      ["events", "e.csv", "--tracks", "r.csv"],
    ] {
      let run = try CommandRun(arguments, in: directory.url)
      #expect(run.status == 1)
      #expect(run.errors.contains("the file is empty (e.csv)"), "\(run.errors)")
    }
    // A table without rows is an empty set.
    try directory.write("id,latitude,longitude,radius\n", to: "n.csv")
    let none = try run("nearest", "n.csv", "--at", "1,2")
    #expect(none.status == 0 && none.errors.contains("no regions"))
  }

  @Test func namesTheCure() throws {
    try directory.write("device,time,lat,lon\na,2025-07-01 12:00:00,48,16\n", to: "z.csv")
    try directory.write("device,time,lat,lon\na,2,48,16\na,1,48,17\n", to: "o.csv")
    try directory.write("id,lat,lon\na,48,16\n", to: "p.csv")
    try directory.write("id,lat,lon,radius\na,48,16,1\na,48,17,1\n", to: "d.csv")
    try directory.write("id,y,x,radius\na,48,16,1\n", to: "y.csv")
    try directory.write("device,when,lat,lon\na,2,48,16\n", to: "w.csv")
    for (arguments, words) in [
      (["events", "r.csv", "--tracks", "z.csv"], ["--utc-offset", "--skip-invalid"]),
      (["events", "r.csv", "--tracks", "o.csv"], ["--sort"]),
      (["events", "r.csv", "--tracks", "w.csv"], ["--time-field"]),
      (["plan", "r.csv", "--track", "z.csv"], ["--utc-offset"]),
      (["nearest", "p.csv", "--at", "1,2"], ["--default-radius"]),
      (["nearest", "d.csv", "--at", "1,2"], ["--id-field", "--merge-ids"]),
      (["nearest", "y.csv", "--at", "1,2"], ["--latitude-field"]),
    ] {
      let run = try CommandRun(arguments, in: directory.url)
      #expect(run.status == 1)
      for word in words {
        #expect(
          run.errors.contains("vicinity: note: --") && run.errors.contains(word),
          "\(arguments): \(run.errors)")
      }
    }
    // Only options that the command has.
    let index = try run("index", "p.csv", "--output", "o.vicinity")
    #expect(index.errors.contains("--default-radius") && !index.errors.contains("--utc-offset"))
    // What the data say is nothing to go by.
    try directory.write(
      "id,lat,lon,radius\ntime runs backwards,48,16,1\ntime runs backwards,48,17,1\n", to: "t.csv")
    let named = try run("events", "t.csv", "--tracks", "o.csv")
    #expect(
      named.errors.contains("note: --id-field") && !named.errors.contains("note: --sort"), "\(named.errors)")
  }

  @Test("Where the reader of the events leaves early, it is told which files are not written")
  func readerLeavesEarly() throws {
    try directory.write("device,time,lat,lon\na,1000000000,48,15.9\na,1000000100,48,16\n", to: "t.csv")
    for (options, words) in [
      (["--visits", "v.csv", "--rejects", "x.csv"], "nothing was written for --visits and --rejects"),
      ([], ""),
    ] {
      let process = try CommandRun.process(
        ["events", "r.csv", "--tracks", "t.csv"] + options, in: directory.url)
      let (output, errors) = (Pipe(), Pipe())
      (process.standardOutput, process.standardError) = (output, errors)
      try output.fileHandleForReading.close()
      try process.run()
      process.waitUntilExit()
      let text = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
      #expect(process.terminationStatus == 0 && process.terminationReason == .exit)
      #expect(words.isEmpty ? !text.contains("left early") : text.contains(words), "\(text)")
      #expect(!FileManager.default.fileExists(atPath: directory.path("v.csv")))
    }
  }

  @Test("Names of columns for places are the tracks' where the regions are well-known text")
  func namesForOneInputAlone() throws {
    let wkt = "POLYGON((15 47,17 47,17 49,15 49,15 47))"
    try directory.write("id,wkt\nzone,\"\(wkt)\"\n", to: "zone.csv")
    try directory.write("{\"id\":\"zone\",\"wkt\":\"\(wkt)\"}\n", to: "zone.ndjson")
    try directory.write("device,time,y,x\na,1000000000,48,14.9\na,1000000100,48,15.9\n", to: "yx.csv")
    try directory.write("id,y,x\np,48,16\n", to: "point.csv")
    let names = ["--latitude-field", "y", "--longitude-field", "x"]
    for zone in ["zone.csv", "zone.ndjson"] {
      let events = try CommandRun(["events", zone, "--tracks", "yx.csv"] + names, in: directory.url)
      #expect(events.status == 0 && events.output.contains(",zone,enter,"), "\(events.errors)")
      let points = try CommandRun(
        ["containing", zone, "--points", "point.csv", "--format", "csv"] + names, in: directory.url)
      #expect(points.status == 0 && points.output.contains("zone"), "\(points.errors)")
    }
    // Where a name is nobody's, it is told.
    let wrong = try CommandRun(
      ["events", "zone.csv", "--tracks", "yx.csv", "--latitude-field", "z"], in: directory.url)
    #expect(wrong.status == 1 && wrong.errors.contains("no column \"z\""), "\(wrong.errors)")
  }

  @Test(arguments: [
    (["nearest", "r.csv", "--at", "1,2", "--lat-field", "y"], "--latitude-field"),
    (["nearest", "r.csv", "--at", "1,2", "--lon-field", "y"], "--longitude-field"),
    (["nearest", "r.csv", "--at", "1,2", "--threads", "2"], "--jobs"),
    (["nearest", "r.csv", "--at", "1,2", "--radius", "2"], "--default-radius"),
    (["nearest", "r.csv", "--at", "1,2", "--quiet"], "2>/dev/null"),
    (["events", "r.csv", "--tracks", "r.csv", "--device", "d"], "--device-field"),
    (["events", "r.csv", "--tracks", "r.csv", "--timezone", "UTC"], "--utc-offset"),
    (["index", "r.csv", "--output", "o", "--tolerance", "1"], "--edge-tolerance"),
  ])
  func suggestsOptionsOfOtherNames(arguments: [String], option: String) throws {
    let run = try CommandRun(arguments, in: directory.url)
    #expect(run.status == 64)
    #expect(run.errors.contains { $0.isNewline } && run.errors.contains("vicinity: note: "))
    #expect(run.errors.contains(option), "\(run.errors)")
  }

  @Test func readsTimesByTheClocksOfAPlace() throws {
    try directory.write(
      "device,time,lat,lon\na,2025-07-01 12:00:00,48,15.9\na,2025-07-01 12:01:00,48,16\n", to: "t.csv")
    for (zone, time) in [
      ("Europe/Berlin", "T10:00"), ("+02:00", "T10:00"), ("Z", "T12:00"), ("UTC", "T12:00"),
      ("-08:00", "T20:00"),
    ] {
      let run = try run("events", "r.csv", "--tracks", "t.csv", "--utc-offset", zone)
      #expect(run.status == 0 && run.output.contains("a,2025-07-01\(time)"), "\(run.output)\(run.errors)")
    }
    for zone in ["Europe/Nowhere", "2", "../x"] {
      let run = try run("events", "r.csv", "--tracks", "t.csv", "--utc-offset", zone)
      #expect(run.status == 64 && run.errors.contains("Europe/Berlin"), "\(run.errors)")
    }
  }

  /// One name for regions, points and tracks: each input that has the column uses it.
  @Test func takesColumnsOfEitherInput() throws {
    try directory.write("code,y,x,size\ncity,48,16,1000\n", to: "c.csv")
    try directory.write("who,y,x\np,48,16.1\n", to: "p.csv")
    let fields = [
      "--id-field", "code", "--radius-field", "size", "--latitude-field", "y", "--longitude-field", "x",
    ]
    let nearest = try CommandRun(
      ["nearest", "c.csv", "--points", "p.csv", "--point-id-field", "who", "-f", "csv"] + fields,
      in: directory.url)
    #expect(nearest.status == 0 && nearest.output.contains("\np,1,city,"), "\(nearest.errors)")
    for words in [
      "note: c.csv: latitudes are taken from the column \"y\"",
      "note: p.csv: identifiers are taken from the column \"who\"",
    ] {
      #expect(nearest.errors.contains(words), "\(nearest.errors)")
    }
    try directory.write("device,time,lat,lon\na,1,48,15.9\na,2,48,16\n", to: "t.csv")
    let events = try CommandRun(["events", "c.csv", "--tracks", "t.csv"] + fields, in: directory.url)
    #expect(events.status == 0 && events.output.contains("city,enter"))
    #expect(events.errors.contains("t.csv: no column \"y\"; latitudes are taken from the column \"lat\""))
    // Alone, a column has to be there.
    let alone = try run("nearest", "r.csv", "--at", "48,16", "--latitude-field", "y")
    #expect(alone.status == 1 && alone.errors.contains("no column \"y\""))
    try directory.write("id,lat,lon\np,1,1\np,2,2\n", to: "q.csv")
    let repeated = try run("nearest", "r.csv", "--points", "q.csv", "-f", "csv")
    #expect(repeated.status == 0 && repeated.errors.contains("is that of an earlier point too"))
  }

  @Test func mergesAndFollowsEdgesAsTold() throws {
    try directory.write(
      "id,wkt\na,\"POLYGON((16 48,17 48,17 49,16 49,16 48))\"\na,\"POLYGON((20 48,21 48,21 49,20 49,20 48))\"\n",
      to: "a.csv")
    #expect(try run("nearest", "a.csv", "--at", "48.5,20.5").status == 1)
    let near = try run(
      "nearest", "a.csv", "--merge-ids", "--at", "48,16.3", "--edge-tolerance", "0.001", "-f", "csv")
    #expect(near.status == 0)
    let row = near.output.split(separator: "\n").last?.split(separator: ",")
    #expect(abs(Double(row?[3] ?? "") ?? 1) <= 0.001, "\(near.output)")
    for value in ["0", "0.0005", "nan", "-1"] {
      let run = try run("nearest", "a.csv", "--at", "1,2", "--edge-tolerance=\(value)")
      #expect(run.status == 64 && run.errors.contains("--edge-tolerance"))
    }
    #expect(try run("index", "a.csv", "--merge-ids", "--output", "a.vicinity").status == 0)
    for option in [["--merge-ids"], ["--edge-tolerance", "0.01"], ["--latitude-field", "y"]] {
      let refused = try CommandRun(["nearest", "a.vicinity", "--at", "1,2"] + option, in: directory.url)
      #expect(refused.status == 64 && refused.errors.contains("no effect on a finished index"))
    }
  }

  @Test("The latest time is in the zone that is stated for times, and in UTC where it is a date without one")
  func latestTimeInTheZoneOfTheFile() throws {
    try directory.write(
      "device,time,lat,lon\na,2026-01-26T12:00:00Z,48,15\na,2026-01-26T23:30:00,48,16\na,2026-01-27T00:30:00,48,16.1\n",
      to: "night.csv")
    func bad(_ latest: String, _ zone: String) throws -> [Int] {
      let run = try run(
        "events", "r.csv", "--tracks", "night.csv", "--skip-invalid-tracks", "--utc-offset", zone,
        "--not-after", latest)
      #expect(run.status == 0, "\(run.errors)")
      return (2...4).filter { run.errors.contains("night.csv:\($0): the time") }
    }
    for zone in ["+01:00", "Europe/Vienna", "UTC", "-05:00"] {
      #expect(try bad("2026-01-26", zone) == [4], "\(zone)")
      #expect(try bad("2026-01-26T23:29:59", zone) == [3, 4], "\(zone)")
      #expect(try bad("2026-01-27T00:30:00", zone) == [], "\(zone)")
    }
    #expect(try bad("2026-01-26T23:00:00Z", "+01:00") == [4])
    try directory.write(
      "device,time,lat,lon\na,2026-01-26T12:00:00Z,48,15\na,2026-01-26T23:30:00Z,48,16\na,2026-01-27T00:30:00Z,48,16.1\n",
      to: "utc.csv")
    let plain = try run(
      "events", "r.csv", "--tracks", "utc.csv", "--skip-invalid-tracks", "--not-after", "2026-01-26")
    #expect(plain.errors.contains("utc.csv:4: the time") && !plain.errors.contains("utc.csv:3: the time"))
    for (given, words) in [
      (
        ["2026-01-26T08:00:30"],
        "has no zone (Z, or an offset such as +01:00); add the zone, or state it for all"
      ),
      (["2026-10-25T02:30:00", "--utc-offset", "Europe/Vienna"], "show the time twice"),
      (["soon"], "--not-after must be a time such as 2026-12-31T23:59:59Z; found soon"),
    ] {
      let run = try CommandRun(
        ["events", "r.csv", "--tracks", "utc.csv", "--not-after"] + given, in: directory.url)
      #expect(run.status == 64 && run.errors.contains(words), "\(run.errors)")
    }
  }

  /// What `events` and `nearest` write, in every format but the table, is input again.
  @Test func readsWhatIsWritten() throws {
    try directory.write("device,time,lat,lon\na,1,48,15.9\na,60,48,16\na,120,48,16.1\n", to: "t.csv")
    var answers: Set<String> = []
    for format in ["csv", "ndjson", "geojson"] {
      let events = try run("events", "r.csv", "--tracks", "t.csv", "-f", format)
      #expect(events.status == 0)
      try directory.write(events.output, to: "e.\(format)")
      let again = try run("events", "r.csv", "--tracks", "e.\(format)")
      #expect(again.status == 0, "\(format): \(again.errors)")
      #expect(again.errors.contains("2 fixes of 1 device"), "\(again.errors)")
      let points = try run("nearest", "r.csv", "--points", "e.\(format)", "-f", "csv")
      #expect(points.status == 0, "\(format): \(points.errors)")
      answers.insert(points.output)
    }
    #expect(answers.count == 1)
    let piped = try CommandRun(
      ["nearest", "r.csv", "--points", "-", "-f", "json"],
      input: String(
        decoding: try Data(contentsOf: directory.url.appendingPathComponent("e.ndjson")), as: UTF8.self),
      in: directory.url)
    #expect(piped.status == 0)
    try directory.write(piped.output, to: "n.json")
    let back = try run("nearest", "r.csv", "--points", "n.json", "-f", "json")
    #expect(back.status == 0 && back.output == piped.output, "\(back.errors)")
  }
}
