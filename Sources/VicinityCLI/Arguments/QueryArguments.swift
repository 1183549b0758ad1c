import ArgumentParser
import VicinityCrossings
import VicinityFormats
import VicinityGeodesy
import VicinityIndex
import VicinityRuns

/// What `nearest` and `containing` have in common: the positions to ask about, and how the answers are
/// written.
struct QueryArguments: ParsableArguments {
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
      Points to ask about: CSV or lines of JSON (id,latitude,longitude), \(HelpText.vectorFormats) or GPX; \
      - for standard input. Parquet and Arrow files are read through Python.
      """),
    completion: .file())
  var points: String?

  @Option(
    help: .value(
      "name",
      "The column or field that holds the points' identifier. Without this option it is id, point_id, query, name or the like."
    ))
  var pointIdField: String?

  @Option(
    help: .value("name", "The layer of points to read, for files with several layers that have features."))
  var pointLayer: String?

  @Option(
    name: [.short, .long],
    help: .value(
      "format", "Output format; without it the ending of --output decides, and otherwise it is table."))
  var format: OutputFormat?

  private var written: OutputFormat { target.format(format, usual: .table) }

  @Option(help: .value("digits", "Digits after the point of distances, 0 to 15."))
  var precision = 3

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
    try target.checkEnding(format)
    if pointIdField != nil, points == nil { throw ValidationError("--point-id-field needs --points") }
    if pointLayer != nil, points == nil { throw ValidationError("--point-layer needs --points") }
    guard (0...DecimalText.maximumDecimals).contains(precision) else {
      throw ValidationError("--precision must be 0 to \(DecimalText.maximumDecimals); found \(precision)")
    }
    if coordinates, written != .csv {
      throw ValidationError("--coordinates is for --format csv; json and geojson always have them")
    }
    if outlines, written != .geojson { throw ValidationError("--outlines is for --format geojson") }
  }

  /// Reads regions and positions and writes the answers.
  ///
  /// - Parameters:
  ///   - question: What is asked about each position.
  ///   - options: How regions are searched; whether by brute force is set here.
  func answer(
    _ question: NearestRun.Question, among regions: RegionArguments, options: QueryOptions = QueryOptions()
  ) throws -> NearestRun.Tally {
    let progress = ProgressMeter("reading regions")
    defer { progress.finish() }
    try RegionSource.checkIsFile(regions.path)
    let queries = queries(regions)
    try queries.check()
    // Before the work, so that a place that cannot be written is known at once.
    let writer = try ByteWriter(output: target.output, inputs: [regions.path] + (points.map { [$0] } ?? []))
    let index = try RegionSource.index(
      regions, threads: work.threads, progress: progress, isOnlyInput: points == nil)
    var options = options
    options.usesBruteForce = bruteForce
    let run = NearestRun(index: index, question: question, options: options, threads: work.threads)
    let tally = try write(run, queries, to: writer, progress)
    if let note = tally.swap.note(index) { Notices.print("note", note) }
    return tally
  }

  private func write(
    _ run: NearestRun, _ queries: QueryPoints, to writer: ByteWriter, _ progress: ProgressMeter
  ) throws -> NearestRun.Tally {
    switch written {
    case .csv:
      let formatter = NearestCSV(decimals: precision, showsCoordinates: coordinates)
      return try run.write(formatter, queries, to: writer, progress: progress)
    case .json:
      return try run.write(NearestJSON(decimals: precision), queries, to: writer, progress: progress)
    case .geojson:
      let formatter = NearestGeoJSON(decimals: precision, drawsRegions: outlines)
      return try run.write(formatter, queries, to: writer, progress: progress)
    case .table:
      let layout = NearestTable(
        decimals: precision, showsQuery: points != nil, style: .current(path: target.output))
      return try run.write(layout, queries, to: writer, progress: progress)
    }
  }

  private func queries(_ regions: RegionArguments) -> QueryPoints {
    if let position = at { return .at(position) }
    var options = ReadingOptions()
    options.skipInvalid = regions.skipInvalid
    options.identifierField = pointIdField
    options.layer = pointLayer
    regions.fields.apply(to: &options)
    return .file(path: points ?? "-", options)
  }
}
