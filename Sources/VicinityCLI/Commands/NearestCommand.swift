import ArgumentParser
import VicinityCrossings
import VicinityFormats
import VicinityGeodesy
import VicinityIndex
import VicinityRuns

/// `vicinity nearest`: the regions nearest to a position, or to each of many.
struct NearestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nearest",
    abstract: "List the regions nearest to a position, or to each point in a file.",
    usage: """
      vicinity nearest <regions> --at <lat,lon> [--count <n>]
                       [--format <format>]
      vicinity nearest <regions> --points <file> [--count <n>]
                       [--format <format>]
      """,
    discussion: """
      Regions are ordered by the geodesic distance to their boundary, negative inside, so a region \
      containing the position comes first. Equal distances keep the file's order. Distances are in metres \
      on the WGS84 ellipsoid.

      CSV has the columns query,rank,region,boundary_distance,centre_distance; the centre distance is \
      empty for polygons. Rows come in the order of the points, then by rank. The query of --at is "at".

      Points without an identifier column are named by their row's number. --coordinates adds the \
      columns latitude,longitude of the query at the end.

      JSON is an array with an object per query: query, latitude, longitude and neighbours, each with \
      the CSV's other columns. GeoJSON has a feature per row: the query's point, with the CSV's columns as \
      properties. With --outlines it is a circle's centre, its radius among the properties, or a polygon's \
      outline, which every row repeats.

      Points are answered while they are read, in bounded memory. A bad row ends the answers; rows for the \
      points well before it may have been written to standard output.

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

  @Option(
    parsing: .unconditional,
    help: .value(
      "lat,lon", "The position: latitude and longitude, degrees; a leading minus is fine: -33.9,151.2."),
    transform: PositionArgument.coordinate)
  var at: Coordinate?

  @Option(
    help: .value(
      "file",
      """
      Points to ask about: CSV or lines of JSON (id,latitude,longitude) or a vector file; - for standard input. Parquet and Arrow \
      files are read through Python.
      """),
    completion: .file())
  var points: String?

  @Option(
    help: .value(
      "name",
      "The column or field that holds the points' identifier: without it id, point_id, query, name and the like."
    ))
  var pointIdField: String?

  @Option(name: [.short, .long], help: .value("n", "The most regions per position."))
  var count = 20

  @Option(
    help: .value("tier", "Desired accuracy: how far the distances listed may exceed the exact ones."))
  var tier = TierArgument(.best)

  @Option(name: [.short, .long], help: .value("format", "Output format."))
  var format = OutputFormat.table

  @Option(help: .value("digits", "Digits after the point of distances, 0 to 15."))
  var precision = 3

  @Option(
    parsing: .unconditional,
    help: .value(
      "metres", "Leave out regions whose boundary is farther, metres; 0 keeps those containing the position.")
  )
  var maxDistance: Double?

  @Flag(help: "Add the query's latitude and longitude to the CSV, as its last columns.")
  var coordinates = false

  @Flag(help: "Draw the regions in GeoJSON, instead of the query's points.")
  var outlines = false

  @Flag(help: "Scan every region instead of searching the index; the answer is the same.")
  var bruteForce = false

  @OptionGroup var target: FileOutputArguments

  @OptionGroup var work: WorkArguments

  func validate() throws {
    guard (at == nil) != (points == nil) else {
      throw ValidationError(
        at == nil ? "one of --at and --points is needed" : "--at and --points exclude each other")
    }
    if pointIdField != nil, points == nil { throw ValidationError("--point-id-field needs --points") }
    if count < 0 { throw ValidationError("--count must be 0 or more; found \(count)") }
    guard (0...DecimalText.maximumDecimals).contains(precision) else {
      throw ValidationError("--precision must be 0 to \(DecimalText.maximumDecimals); found \(precision)")
    }
    if coordinates, format != .csv {
      throw ValidationError("--coordinates is for --format csv; json and geojson always have them")
    }
    if outlines, format != .geojson { throw ValidationError("--outlines is for --format geojson") }
    if let distance = maxDistance, distance.isNaN {
      throw ValidationError("--max-distance must be a number of metres; found \(distance)")
    }
  }

  func run() throws {
    let progress = ProgressMeter("reading regions")
    defer { progress.finish() }
    try RegionSource.checkIsFile(regions.path)
    try queries.check()
    // Before the work, so that a place that cannot be written is known at once.
    let writer = try ByteWriter(output: target.output, inputs: [regions.path] + (points.map { [$0] } ?? []))
    let index = try RegionSource.index(
      regions, threads: work.threads, progress: progress, isOnlyInput: points == nil)
    let run = NearestRun(index: index, count: count, options: queryOptions, threads: work.threads)
    switch format {
    case .csv:
      let formatter = NearestCSV(decimals: precision, showsCoordinates: coordinates)
      try run.write(formatter, queries, to: writer, progress: progress)
    case .json: try run.write(NearestJSON(decimals: precision), queries, to: writer, progress: progress)
    case .geojson:
      let formatter = NearestGeoJSON(decimals: precision, drawsRegions: outlines)
      try run.write(formatter, queries, to: writer, progress: progress)
    case .table:
      let layout = NearestTable(
        decimals: precision, showsQuery: points != nil, style: .current(path: target.output))
      try run.write(layout, queries, to: writer, progress: progress)
    }
  }

  private var queries: QueryPoints {
    if let position = at { return .at(position) }
    var options = ReadingOptions()
    options.skipInvalid = regions.skipInvalid
    options.identifierField = pointIdField
    regions.fields.apply(to: &options)
    return .file(path: points ?? "-", options)
  }

  private var queryOptions: QueryOptions {
    QueryOptions(
      tolerance: tier.tier.tolerance, maximumDistance: maxDistance ?? .infinity,
      usesBruteForce: bruteForce)
  }
}
