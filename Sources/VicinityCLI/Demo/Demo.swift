import VicinityFormats
import VicinityIndex
import VicinityRuns

/// The main job, command by command.
struct Demo {
  let data: String
  let output: String

  private var rides: [String] {
    ["\(data)/rides/activity_4078723797.gpx.gz", "\(data)/\(DemoData.ride)"]
  }

  private func file(_ name: String) -> String { "\(output)/\(name)" }

  func run() throws {
    try indexes()
    try nearest()
    try rideEvents()
    try compare()
  }

  private func indexes() throws {
    try heading("Region sets, each made into an index file")
    try command([
      "index", "\(data)/airports/airports.csv.gz", "--id-field", "icao", "--default-radius", "2000",
      "--output",
      file("airports.vicinity"),
    ])
    try command([
      "index", "\(data)/naturalearth_lowres/naturalearth_lowres.shp", "--id-field", "name", "--output",
      file("countries.vicinity"),
    ])
    // Around the two rides, as wide as they are.
    try write(
      "id,latitude,longitude,radius\nArdennes,50.438,5.863,9000\nTwente,52.138,6.654,7500\n", to: "places.csv"
    )
    try command([
      "generate", "regions", "--count", "1500", "--places", file("places.csv"), "--arrangement", "uniform",
      "--seed",
      "1", "--output", file("regions.csv"),
    ])
    try command(["index", file("regions.csv"), "--output", file("regions.vicinity")])
  }

  private func nearest() throws {
    try heading("The twenty airports nearest to Vienna")
    try command(["nearest", file("airports.vicinity"), "--at", "48.2082,16.3738"])
    try heading("Around an island on the antimeridian, and around the South Pole")
    try command(["nearest", file("countries.vicinity"), "--at", "-16.5,180", "--count", "4"])
    try command(["nearest", file("airports.vicinity"), "--at", "-90,0", "--count", "4"])
    try heading("The same bytes as a scan of all airports, for places within 5,000 km of the Gulf of Guinea")
    try command([
      "generate", "regions", "--count", "200", "--around", "0,0", "--spread", "5000", "--arrangement",
      "uniform",
      "--output", file("positions.csv"),
    ])
    for (name, option) in [("index.csv", []), ("scan.csv", ["--brute-force"])] {
      try command(
        [
          "nearest", file("airports.vicinity"), "--points", file("positions.csv"), "--format",
          "csv",
          "--output", file(name),
        ] + option)
    }
    guard try InputFile.bytes(of: file("index.csv")) == InputFile.bytes(of: file("scan.csv")) else {
      throw CommandFailure("the index and the scan differ", at: output)
    }
    try say("   equal")
  }

  private func rideEvents() throws {
    try heading("Every entry and exit along two bicycle rides")
    try command(
      ["events", file("regions.vicinity"), "--tracks"] + rides + ["--output", file("events.csv")])
    try heading("The twenty to register at each moment of a ride, held to every crossing on the way")
    try command([
      "plan", file("regions.vicinity"), "--track", rides[1], "--check", "--output", file("plans.csv"),
    ])
  }

  private func compare() throws {
    try heading("What each policy costs and misses, over the days of the two rides")
    try command(
      ["compare", file("regions.vicinity"), "--tracks"] + rides + [
        "--days", "--seeds", "3", "--minimum-radius", "100", "--minimum-duration", "60", "--require",
        "recall>=0.95,p95-latency<=2min", "--output", file("compare"),
      ])
    try say("\n\(FileSystem.resolved(file("compare")))/report.html")
  }

  // MARK: Steps

  private func command(_ arguments: [String]) throws {
    let shown = arguments.map { $0.contains(where: { " <>,".contains($0) }) ? "\"\($0)\"" : $0 }
    try say("$ vicinity \(shown.joined(separator: " "))")
    let code = VicinityCommand.run(arguments)
    // What went wrong has been printed.
    guard code == 0 else { throw CommandFailure("vicinity \(arguments[0]) has failed", at: output) }
  }

  private func heading(_ text: String) throws { try say("\n== \(text)\n") }

  private func say(_ text: String) throws {
    let writer = try ByteWriter(output: "-")
    writer.buffer.append(contentsOf: Array("\(text)\n".utf8))
    try writer.finish()
  }

  private func write(_ text: String, to name: String) throws {
    let writer = try ByteWriter(output: file(name), inputs: [])
    writer.buffer.append(contentsOf: Array(text.utf8))
    try writer.finish()
  }
}
