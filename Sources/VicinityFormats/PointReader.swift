public import VicinityGeodesy
public import VicinityText

/// Reads query points: `id,latitude,longitude` as CSV or lines of JSON, or any OGR layer of points.
///
///     let points = try PointReader.read("-").content
///
/// Columns, fields, files and bad rows are as for ``RegionReader``, but identifiers may repeat, with a
/// warning.
public enum PointReader {
  /// Reads the points in the file at `path`; `-` is standard input, which must be CSV or lines of JSON.
  ///
  /// - Throws: `FormatError`, saying what is wrong and where; `CancellationError` when the progress closure
  ///   returns false or the task is cancelled.
  /// - Complexity: O(bytes), about 0.15 µs a row of CSV.
  public static func read(
    _ path: String, options: ReadingOptions = ReadingOptions()
  ) throws -> Reading<PointSet> {
    var collector = try FeatureCollector.read(path, takesRegions: false, options: options)
    return try collector.pointSet()
  }

  /// Reads the points in the file at `path` batch by batch: memory is bounded by a batch, however many points
  /// there are.
  ///
  /// Batches are handed over before the rest of the file has been read. When a bad row turns up that is not
  /// to be skipped, no more are; the rest is read to count the bad rows, as ``read(_:options:)`` does.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - options: How to read it.
  ///   - batchSize: How many points each batch but the last has; 1 or more.
  ///   - body: Takes the next batch. What it throws ends the reading.
  /// - Returns: How many points there were.
  /// - Throws: As ``read(_:options:)``; what `body` throws.
  public static func read(
    _ path: String, options: ReadingOptions = ReadingOptions(), batchSize: Int,
    _ body: (PointSet) throws -> Void
  ) throws -> Reading<Int> {
    try withoutActuallyEscaping(body) { body in
      var collector = try FeatureCollector.read(
        path, takesRegions: false, options: options,
        sink: PointSink(batchSize: max(1, batchSize), body: body))
      return try collector.finishPoints()
    }
  }
}

/// Points with identifiers, which may repeat.
public struct PointSet: Sendable {
  public var identifiers: [String] = []
  /// The points, as many as identifiers.
  public var coordinates: [Coordinate] = []

  public init() {}
}
