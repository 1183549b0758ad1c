import ArgumentParser
import VicinityCrossings
import VicinityFormats
import VicinityIndex

/// `vicinity nearest`: the regions nearest to a position, or to each of many.
struct NearestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nearest",
    abstract: "List the regions nearest to a position, or to each point in a file.",
    usage: """
      vicinity nearest <regions> --at <lat,lon> [--count <n>]
                       [--max-distance <metres>] [--format <format>]
      vicinity nearest <regions> --points <file> [--count <n>]
                       [--max-distance <metres>] [--format <format>]
      """,
    discussion: """
      Regions are ordered by the geodesic distance to their boundary, negative inside, so a region \
      containing the position comes first. Equal distances keep the file's order. Distances are in metres \
      on the WGS84 ellipsoid.

      For each position the nearest 20 regions are listed; --count gives another number. With \
      --max-distance all regions within this distance are listed. If both are given, a note says for how \
      many positions --count left regions out.

      CSV has the columns \(TableColumns.neighbors.header); the centre distance is \
      empty for polygons. Rows come in the order of the points, then by rank. The query of --at is "at".

      Points without an identifier column are named by their row's number. --coordinates adds the \
      columns latitude,longitude of the query at the end.

      JSON is an array with an object per query: query, latitude, longitude and neighbours, each with the \
      CSV's other columns. GeoJSON has a feature per row, with the CSV's columns as properties. Its \
      geometry is the query's point. With --outlines it is the region: a polygon's outline, or a circle's \
      centre, with the radius among the properties. Every row repeats it.

      Points are answered while they are read, in bounded memory. A bad row ends the command, but answers \
      to earlier points may already be on standard output. If all points are bad and skipped, that is an \
      error, too.

      Data, in the examples, is the folder of data that comes with the program.

      EXAMPLES:
        vicinity nearest Data/airports/airports.csv.gz --id-field icao \\
          --default-radius 2000 --at 48.2082,16.3738 --count 3
        vicinity nearest stores.vicinity --at -33.9,151.2 --count 5 --format json
        vicinity nearest stores.csv --points visits.csv --format csv > nearest.csv
        vicinity nearest zones.geojson --points - --max-distance 0 \\
          --format csv < visits.csv

      \(ExitCodes.help)
      """)

  @OptionGroup(title: "READING OPTIONS") var regions: RegionArguments

  @OptionGroup var queries: QueryArguments

  @Option(
    name: [.short, .long],
    help: .value(
      "n", "The most regions per position (default: 20; with --max-distance all within it)."))
  var count: Int?

  @Option(help: help("tier"), completion: .list(Tier.allCases.map(\.rawValue))) var tier: String?
  @Option(parsing: .unconditional, help: help("max-distance")) var maxDistance: String?

  private static func help(_ name: String) -> ArgumentHelp { .of(name, QueryOptions.named) }

  /// How many regions are listed where neither a count nor a distance is given.
  private static let defaultCount = 20

  func validate() throws {
    if let count, count < 0 { throw ValidationError("--count must be 0 or more; found \(count)") }
    _ = try options()
  }

  private func options() throws -> QueryOptions {
    try QueryOptions.named.of(QueryOptions(), ["tier": tier, "max-distance": maxDistance])
  }

  func run() throws {
    let options = try options()
    let tally = try queries.answer(question(options), among: regions, options: options)
    if tally.distanceError > 0 {
      // Up: a bound that is told too small is none.
      let error = DecimalText.string((tally.distanceError * 1000).rounded(.up) / 1000, decimals: 3)
      Notices.print("note", "distances are within \(error) m of the true ones, as --tier allows")
    }
    if maxDistance != nil, count != 0, tally.empty > 0 {
      Notices.print("note", "\(tally.phrase(tally.empty)) not within --max-distance of any region")
    }
    guard tally.cut > 0 else { return }
    let most = count ?? Self.defaultCount
    let more = "more than \(DecimalText.grouped(most)) \(most == 1 ? "region" : "regions")"
    Notices.print(
      "note",
      maxDistance == nil
        ? "\(tally.phrase(tally.cut)) in \(more): --count N lists more of them, vicinity containing all"
        : "\(tally.phrase(tally.cut)) within --max-distance of \(more): --count leaves some out"
    )
  }

  private func question(_ options: QueryOptions) -> NearestRun.Question {
    let distance = maxDistance == nil ? nil : options.maximumDistance
    return switch (count, distance) {
    case (nil, nil): .nearest(Self.defaultCount, tellingCutsWithin: 0)
    case (nil, _?): .within
    case (let count?, let distance): .nearest(count, tellingCutsWithin: distance)
    }
  }
}
