import ArgumentParser
import VicinityFormats
import VicinityGeodesy
import VicinityIndex
internal import VicinityPolygon
import VicinityRuns
import VicinitySynthesis

/// `vicinity generate regions`: made-up regions around places.
struct GenerateRegionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "regions",
    abstract: "Make up regions around places.",
    usage: """
      vicinity generate regions --count <n> --around <lat,lon> [--spread <km>]
                                [--output <file>]
      vicinity generate regions --count <n> --places <file> [--output <file>]
      """,
    discussion: """
      Rows are id,latitude,longitude,radius: degrees with seven decimals (a centimetre), and metres. With \
      --polygons there is a column wkt too; a row has either a radius or an outline in it.

      Regions lie in a disc around each middle: within --spread of --around, or of the places in a file.

      ARRANGEMENTS:
      \(HelpText.entry("clusters", "four of five regions in a dozen quarters, most in the central one; the rest anywhere"))
        uniform: anywhere in the disc
        grid: in rows and columns of a square that fits in the disc
        streets: along straight streets, denser in the middle

      RADII:
        150: all the same
        50-1000: log-normal, most near the geometric mean (here 224)
        uniform:50-1000: evenly spread
        log-uniform:50-1000: evenly spread by ratio: as many from 50 to 100
          as from 100 to 200

      EXAMPLES:
        vicinity generate regions --count 10000 --around 48.2082,16.3738 \\
          --output shops.csv
        vicinity generate regions --count 500 --around 52.52,13.405 --spread 5 \\
          --arrangement streets --radius 50-200
        vicinity generate regions --count 1000000 --places cities.csv \\
          --polygons 0.1 --output shops.csv

      \(ExitCodes.help)
      """)

  @Option(name: [.short, .long], help: .value("n", "How many regions."))
  var count: Int

  @Option(
    parsing: .unconditionalSingleValue,
    help: .value("lat,lon", "The middle; a leading minus is fine: -33.9,151.2. May be repeated."),
    transform: PositionArgument.coordinate)
  var around: [Coordinate] = []

  @Option(
    help: .value(
      "file",
      """
      Places: regions in any format that is read. Each place gets a number of regions in proportion to its \
      area. They lie within its own radius (15 km for a point without one), or within --spread if that is \
      given.
      """),
    completion: .file())
  var places: String?

  @Option(help: .value("km", "How far from a middle regions lie, kilometres (default: 15)."))
  var spread: Double?

  @Option(help: "How regions lie around a middle.")
  var arrangement = RegionSetGenerator.Arrangement.clusters

  @Option(
    help: .value("radii", "How large they are, metres: see RADII (default: 50-1000)."),
    transform: { text in
      do { return try RadiusDistribution(text) } catch { throw ValidationError("\(error)") }
    })
  var radius = RadiusDistribution.logNormal(50...1000)

  @Option(help: .value("share", "The share that are polygons, 0 to 1."))
  var polygons = 0.0

  @Option(help: .value("text", "What identifiers begin with."))
  var prefix = "region"

  @OptionGroup var result: GeneratedOutputArguments

  func validate() throws {
    if around.isEmpty == (places == nil) {
      throw ValidationError("say where: either --around LAT,LON or --places FILE")
    }
    // What can be said before the places are read.
    do {
      _ = try generator(
        at: around.isEmpty ? [place(Coordinate(latitude: 0, longitude: 0))] : around.map(place))
    } catch {
      throw ValidationError("\(error)")
    }
  }

  private var metres: Meters { (spread ?? 15) * 1000 }

  private func place(_ center: Coordinate) -> RegionSetGenerator.Place {
    RegionSetGenerator.Place(center, spread: metres)
  }

  private func generator(
    at places: [RegionSetGenerator.Place]
  ) throws(GenerationError) -> RegionSetGenerator {
    try RegionSetGenerator(
      count: count, places: places, arrangement: arrangement, radii: radius,
      polygonShare: polygons, prefix: prefix, seed: result.seed)
  }

  func run() throws {
    let progress = ProgressMeter("making regions")
    defer { progress.finish() }
    // Before the work, so that a place that cannot be written is known at once.
    let writer = try ByteWriter(output: result.target.output, inputs: places.map { [$0] } ?? [])
    let wanted = try wantedPlaces(progress)
    let generator = try CommandFailure.at(places ?? "") { try self.generator(at: wanted) }
    progress.stage("making regions", total: count)
    let rows = RegionRows(hasPolygons: polygons > 0)
    rows.header(to: &writer.buffer)
    var regions = generator.regions()
    while let region = try CommandFailure.at("", { try regions.next() }) {
      rows.append(region, to: &writer.buffer)
      try writer.flushIfFull()
      if regions.made % 4096 == 0 { progress.update(regions.made) }
    }
    try writer.finish()
  }

  private func wantedPlaces(_ progress: ProgressMeter) throws -> [RegionSetGenerator.Place] {
    guard let places else { return around.map(place) }
    try RegionSource.checkIsFile(places)
    var options = ReadingOptions()
    options.defaultRadius = metres
    progress.stage("reading places")
    let reading = try CommandFailure.at(places) { try RegionReader.read(places, options: options) }
    Notices.print(reading)
    let index = try CommandFailure.at(places) { try RegionIndex(reading.content) }
    return (0..<index.count).map { ordinal in
      let (center, radius) =
        switch index.region(at: ordinal).shape {
        case .circle(let center, let radius): (center, radius)
        case .polygon(let polygon): (polygon.boundingCenter, polygon.boundingRadius)
        }
      let reach = spread == nil ? radius : metres
      // Square kilometres, about; a power of two, which rounds nothing.
      return RegionSetGenerator.Place(
        center, spread: min(reach, RadiusDistribution.largest), weight: max(1, radius * radius) * 0x1p-20)
    }
  }
}
