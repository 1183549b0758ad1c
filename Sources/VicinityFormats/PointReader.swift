public import VicinityGeodesy

/// Reads query points: `id,latitude,longitude` as CSV, or any OGR layer of points.
///
///     let points = try PointReader.read("-", skipInvalid: true)
///
/// Columns, fields, files and bad rows are as ``RegionReader`` has them, but identifiers may repeat.
public enum PointReader {
  /// What to read and how to take what is wrong with it.
  public struct Options: Sendable {
    /// Skip bad rows and features, and count them, instead of throwing.
    public var skipInvalid = false
    /// The layer to read; `nil` for the first with geometry.
    public var layer: String?
    /// The column or field holding the identifier; `nil` for the convention of ``RegionReader``.
    public var identifierField: String?
    /// How many diagnostics to keep; all are counted.
    public var maximumDiagnostics = 20
    /// Called now and then while reading; returning `false` ends it with a `CancellationError`.
    public var progress: (@Sendable (ReadingProgress) -> Bool)?

    /// The default options.
    public init() {}
  }

  /// Reads the points in the file at `path`, or from standard input when `path` is `-`.
  ///
  /// - Throws: ``FormatError``, saying what is wrong and where; `CancellationError` when the progress closure or
  ///   the task says so.
  /// - Complexity: O(bytes), about 0.15 µs a row of CSV.
  public static func read(_ path: String, options: Options = Options()) throws -> PointReading {
    var records = CSVRecords(try ByteSource(path))
    switch try InputKind.sniff(&records) {
    case .csv: return try CSVPoints.read(records, options: options)
    case .ogr: return try OGRPoints.read(records.source, options: options)
    }
  }

  /// Reads the points in the file at `path`, or from standard input when `path` is `-`.
  public static func read(_ path: String, skipInvalid: Bool) throws -> PointReading {
    var options = Options()
    options.skipInvalid = skipInvalid
    return try read(path, options: options)
  }
}

/// What ``PointReader`` found in a file.
public struct PointReading: Sendable {
  /// The points' identifiers, in the file's order; they may repeat.
  public internal(set) var identifiers: [String] = []
  /// The points, as many as identifiers.
  public internal(set) var coordinates: [Coordinate] = []
  /// The first warnings.
  public internal(set) var warnings: [Diagnostic] = []
  /// How many warnings there were.
  public internal(set) var warningCount = 0
  /// The first rows or features skipped (only with `skipInvalid`).
  public internal(set) var skipped: [Diagnostic] = []
  /// How many rows or features were skipped.
  public internal(set) var skippedCount = 0
}
