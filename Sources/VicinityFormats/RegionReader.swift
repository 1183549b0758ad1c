public import VicinityIndex
public import VicinityText

/// Reads region sets: CSV and lines of JSON by readers of their own, everything else through GDAL/OGR.
///
///     var options = ReadingOptions()
///     options.skipInvalid = true
///     let reading = try RegionReader.read("stores.csv", options: options)
///     let index = try RegionIndex(reading.content)
///
/// The first bytes of a file decide what it is; gzip, zstd, xz and bzip2 are unpacked on the way. Files are
/// local: nothing is fetched over a network, and nothing is written beside the file. <doc:Formats> lists all
/// formats and names.
///
/// ## CSV
/// Comma, semicolon or tab, UTF-8, with a header. Columns may come in any order, case is ignored, other
/// columns are ignored:
/// - the identifier: `id`, `identifier`, `region`, `region_id` or `name`, the first of these that is present;
///   without any, the number of the row;
/// - `latitude`, `lat`; `longitude`, `lon`, `lng`, `long`: degrees on WGS84;
/// - `radius`, `radius_m`: metres;
/// - `wkt`: a polygon, or a point with a radius, longitude first; `SRID=31256;POLYGON...` in another system
///   than WGS84.
///
/// Lines of JSON, an object a line, have members of the same names.
///
/// ## Features
/// GeoJSON, GeoJSON text sequences, TopoJSON, GeoPackage, FlatGeobuf, Shapefile, KML and GPX. Polygons become
/// polygons (their curves become lines), points with a field `radius` become circles. The identifier is that
/// of the feature (RFC 7946), else the first of the fields above for which the first feature has a value,
/// else the feature's number (its FID).
///
/// Any coordinate reference system is read that PROJ can bring to WGS84 by more than a ballpark
/// transformation (`ReadingOptions/allowsBallparkTransformations`). A layer's edges are straight in its own
/// system. They are divided before they are projected to WGS84, so that the geodesics between vertices stay
/// within `ReadingOptions/edgeTolerance` of them, 0.1 m. What an edge across more than half a turn of
/// longitude means, `ReadingOptions/wideEdges` says. Polygons whose rings cross are repaired by GEOS, with a
/// warning, or rejected.
///
/// ## Bad rows
/// A row or feature is bad if it has a wrong number of fields, something else than a number, a number out of
/// range, a negative radius, no geometry, or an identifier that is empty, repeated (see
/// `ReadingOptions/mergesIdentifiers`) or not UTF-8. All bad rows are counted and the first few are named
/// with line or feature. They are an error, unless `ReadingOptions/skipInvalid` is set.
public enum RegionReader {
  /// The formats of vector files that are read, besides GPX.
  package static let vectorFormats = InputKind.vectorFormats

  /// Reads the regions in the file at `path`; `-` is standard input, which must be CSV or lines of JSON.
  ///
  /// - Throws: `FormatError`, saying what is wrong and where; `CancellationError` when the progress closure
  ///   returns false or the task is cancelled.
  /// - Complexity: O(bytes) for CSV, about 0.3 µs a row; polygons O(n log n) in their vertices.
  public static func read(
    _ path: String, options: ReadingOptions = ReadingOptions()
  ) throws -> Reading<RegionSet> {
    var collector = try FeatureCollector.read(path, takesRegions: true, options: options)
    return try collector.regions()
  }
}
