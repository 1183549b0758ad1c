public import VicinityGeodesy
public import VicinityIndex

/// Reads region sets: plain CSV by its own fast path, everything else through GDAL/OGR.
///
///     var options = RegionReader.Options()
///     options.skipInvalid = true
///     let reading = try RegionReader.read("stores.csv", options: options)
///     let index = try RegionIndex(reading.set)
///
/// What a file is, its first bytes decide; gzip is unpacked on the way. Files are local: nothing is fetched over a
/// network, and nothing is written beside the file.
///
/// ## CSV
/// Comma, semicolon or tab, UTF-8, with a header; columns in any order, case ignored, others left alone:
/// - the identifier: `id`, `identifier`, `region`, `region_id` or `name`, the first of these that is there; without
///   any, the number of the row;
/// - `latitude`, `lat`; `longitude`, `lon`, `lng`, `long`: degrees on WGS84;
/// - `radius`, `radius_m`: metres;
/// - `wkt`: a polygon, or a point with a radius, longitude first.
///
/// ## Features
/// GeoJSON, GeoJSON text sequences, TopoJSON, GeoPackage, FlatGeobuf, Shapefile, KML and GPX. Polygons are polygons
/// (curves made lines), points with a field `radius` are circles. The identifier is that of the feature
/// (RFC 7946) or the first of the fields above for which the first feature has a value, else the feature's number
/// (its FID).
///
/// Any coordinate reference system: a layer's edges are straight in its own, and are divided before they are brought
/// to WGS84 such that the geodesics between vertices stay within 0.1 m of them. An edge across more than half
/// a turn of longitude, but not a whole one, is taken to cross the antimeridian, with a warning. Polygons whose
/// rings cross are repaired by GEOS, with a warning, or rejected.
///
/// ## Bad rows
/// A row or feature with a wrong number of fields, a number that is none or out of range, a negative radius, an
/// identifier that is empty, repeated or no UTF-8, or without geometry, is bad: all are counted, the first few are
/// named with line or feature, and then it is an error, unless they are to be skipped.
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

  /// Reads the regions in the file at `path`; `-` is standard input, which must be CSV.
  ///
  /// - Throws: ``FormatError``, saying what is wrong and where; `CancellationError` when the progress closure or
  ///   the task says so.
  /// - Complexity: O(bytes) for CSV, about 0.3 µs a row; polygons O(n log n) in their vertices.
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
