public import VicinityGeodesy
public import VicinityIndex

/// Reads region sets: plain CSV by its own fast path, everything else through GDAL/OGR.
///
///     let reading = try RegionReader.read("stores.csv")
///     let index = try RegionIndex(reading.set)
public enum RegionReader {
  /// What to read and how to take what is wrong with it.
  public struct Options: Sendable {
    /// Reject invalid polygons instead of repairing them.
    public var strict = false
    /// Skip bad rows and features, and count them, instead of throwing.
    public var skipInvalid = false
    /// The layer to read; `nil` for the first with geometry.
    public var layer: String?
    /// The column or field holding the identifier; `nil` for the convention of ``RegionReader``, `FID` for
    /// the feature's number.
    public var identifierField: String?
    /// The column or field holding the radius of points, in metres; `nil` for the convention.
    public var radiusField: String?
    /// The radius of points that state none, in metres.
    public var defaultRadius: Meters?
    /// How many diagnostics of each kind to keep; all are counted.
    public var maximumDiagnostics = 20
    /// Called now and then while reading, at most ten times a second; returning `false` ends the reading
    /// with a `CancellationError`.
    public var progress: (@Sendable (ReadingProgress) -> Bool)?

    /// The default options.
    public init() {}

    func check() throws(FormatError) {
      if let defaultRadius, !(defaultRadius >= 0 && defaultRadius.isFinite) {
        throw .invalidOption(
          name: "defaultRadius", value: "\(defaultRadius)",
          reason: "a finite number of metres, 0 or more, is expected")
      }
    }
  }

  /// Reads the regions in the file at `path`.
  public static func read(_ path: String, options: Options = Options()) throws -> RegionReading {
    try options.check()
    var records = CSVRecords(try ByteSource(path))
    switch try InputKind.sniff(&records) {
    case .csv: return try CSVRegions.read(records, options: options)
    case .ogr: return try OGRRegions.read(records.source, options: options)
    }
  }
}

/// What ``RegionReader`` found in a file.
public struct RegionReading: Sendable {
  /// The regions, in the file's order.
  public internal(set) var set = RegionSet()
  /// The first warnings: repaired polygons, layers not read.
  public internal(set) var warnings: [Diagnostic] = []
  /// How many warnings there were.
  public internal(set) var warningCount = 0
  /// The first rows or features skipped (only with `skipInvalid`).
  public internal(set) var skipped: [Diagnostic] = []
  /// How many rows or features were skipped.
  public internal(set) var skippedCount = 0
}

/// How far a reader has come.
public struct ReadingProgress: Hashable, Sendable {
  /// Rows or features read so far.
  public var rows: Int
  /// The part of the file's bytes or features read, 0...1; `nil` where the total is unknown.
  public var fraction: Double?
}
