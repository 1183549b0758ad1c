public import VicinityGeodesy

/// Reads query points: `id,latitude,longitude` as CSV or lines of JSON, or any OGR layer of points.
///
///     let points = try PointReader.read("-").content
///
/// Columns, fields, files and bad rows are as for ``RegionReader``, but identifiers may repeat, with a warning.
public enum PointReader {
  /// Reads the points in the file at `path`; `-` is standard input, which must be CSV or lines of JSON.
  ///
  /// - Throws: ``FormatError``, saying what is wrong and where; `CancellationError` when the progress closure returns false
  ///   or the task is cancelled.
  /// - Complexity: O(bytes), about 0.15 µs a row of CSV.
  public static func read(
    _ path: String, options: ReadingOptions = ReadingOptions()
  ) throws -> Reading<PointSet> {
    var collector = try FeatureCollector.read(path, takesRegions: false, options: options)
    return try collector.pointSet()
  }
}

/// Points with identifiers, which may repeat.
public struct PointSet: Sendable {
  public var identifiers: [String] = []
  /// The points, as many as identifiers.
  public var coordinates: [Coordinate] = []

  public init() {}
}
