import VicinityGeodesy
import VicinityIndex

/// Many queries, asked in batches on all cores and written in order.
struct NearestRun {
  let index: RegionIndex
  let points: QueryPoints
  let count: Int
  let options: QueryOptions
  let threads: Int?

  /// The most neighbours held at once: about 24 bytes each in the table, and as text for the writer.
  static let maximumBatchNeighbors = 1 << 18
  /// The most queries asked at once; enough for any number of cores to share evenly.
  static let maximumBatchQueries = 1 << 14
  /// The most distances measured at once by a scan of every region: seconds, so that progress shows.
  static let maximumBatchDistances = 1 << 24

  /// How many queries are asked at once. It depends on the question alone, never on the machine, so the
  /// output is the same everywhere.
  var batchSize: Int {
    let perQuery = max(1, min(count, index.count))
    let size = max(1, min(Self.maximumBatchQueries, Self.maximumBatchNeighbors / perQuery))
    guard options.usesBruteForce else { return size }
    return min(size, max(16, Self.maximumBatchDistances / max(1, index.count)))
  }

  /// Asks every query and hands the text of the answers to `writer`.
  ///
  /// - Complexity: memory O(batch size × count) beside the points and the index.
  func write(
    _ formatter: inout some NearestFormatter, to writer: ByteWriter, progress: ProgressMeter
  ) throws {
    progress.stage("searching", total: points.coordinates.count)
    formatter.start(&writer.buffer)
    var start = 0
    while start < points.coordinates.count {
      let end = min(start + batchSize, points.coordinates.count)
      try writeBatch(start..<end, &formatter, writer)
      start = end
      progress.update(start)
    }
    formatter.finish(&writer.buffer)
    try writer.finish()
  }

  private func writeBatch(
    _ batch: Range<Int>, _ formatter: inout some NearestFormatter, _ writer: ByteWriter
  ) throws {
    let table = try index.nearest(
      count, toEach: Array(points.coordinates[batch]), options: options, threads: threads)
    for query in batch {
      var result = NearestResult(
        query: points.identifiers[query], position: points.coordinates[query], rows: [])
      let neighbors = table[query - batch.lowerBound]
      result.rows.reserveCapacity(neighbors.count)
      for neighbor in neighbors {
        result.rows.append(
          NearestRow(
            rank: result.rows.count + 1, region: index.identifier(of: neighbor.ordinal),
            boundaryDistance: neighbor.distance, centerDistance: neighbor.distanceToCenter,
            shape: formatter.needsShapes ? index.region(at: neighbor.ordinal).shape : nil))
      }
      formatter.add(result, to: &writer.buffer)
      try writer.flushIfFull()
    }
    formatter.endBatch(&writer.buffer)
    try writer.flushIfFull()
  }
}
