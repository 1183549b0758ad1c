import Synchronization
import VicinityGeodesy
import VicinityIndex

/// Many queries, asked in batches on all cores and written in order.
struct NearestRun: Sendable {
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

  /// How many queries' text is made at once by one thread.
  static let chunkSize = 256

  /// Asks every query and hands the text of the answers, made on all threads, to `writer`.
  ///
  /// - Complexity: memory O(batch size × count) beside the points and the index.
  func write(_ formatter: some NearestFormatter, to writer: ByteWriter, progress: ProgressMeter) throws {
    writer.buffer.append(contentsOf: formatter.header.utf8)
    var isFirst = true
    try forEachBatch(progress) { batch, table in
      for text in texts(of: batch, table, formatter) where !text.isEmpty {
        writer.buffer += text.dropFirst(isFirst ? formatter.separator.utf8.count : 0)
        isFirst = false
        try writer.flushIfFull()
      }
    }
    writer.buffer.append(contentsOf: formatter.footer.utf8)
    try writer.finish()
  }

  /// Asks every query and hands the rows of the answers to `writer`, aligned batch by batch.
  func write(_ layout: NearestTable, to writer: ByteWriter, progress: ProgressMeter) throws {
    var layout = layout
    try forEachBatch(progress) { batch, table in
      for query in batch { layout.add(result(of: query, table[query - batch.lowerBound])) }
      layout.write(to: &writer.buffer)
      try writer.flush()
    }
    layout.write(to: &writer.buffer)
    try writer.finish()
  }

  private func forEachBatch(
    _ progress: ProgressMeter, _ body: (Range<Int>, NeighborTable) throws -> Void
  ) throws {
    progress.stage("searching", total: points.coordinates.count)
    var start = 0
    while start < points.coordinates.count {
      let batch = start..<min(start + batchSize, points.coordinates.count)
      let positions = Array(points.coordinates[batch])
      try body(batch, index.nearest(count, toEach: positions, options: options, threads: threads))
      start = batch.upperBound
      progress.update(start)
    }
  }

  /// The text of a batch in consecutive chunks.
  private func texts(
    of batch: Range<Int>, _ table: NeighborTable, _ formatter: some NearestFormatter
  ) -> [[UInt8]] {
    let chunkCount = (batch.count + Self.chunkSize - 1) / Self.chunkSize
    let texts = Mutex([[UInt8]](repeating: [], count: chunkCount))
    Parallel.forEach(chunkCount, threads: threads ?? Parallel.coreCount) { chunk in
      let start = batch.lowerBound + chunk * Self.chunkSize
      var text: [UInt8] = []
      for query in start..<min(start + Self.chunkSize, batch.upperBound) {
        let neighbors = table[query - batch.lowerBound]
        formatter.append(result(of: query, neighbors, shapes: formatter.needsShapes), to: &text)
      }
      texts.withLock { $0[chunk] = text }
    }
    return texts.withLock { $0 }
  }

  private func result(
    of query: Int, _ neighbors: some Collection<Neighbor>, shapes: Bool = false
  ) -> NearestResult {
    var rows: [NearestRow] = []
    rows.reserveCapacity(neighbors.count)
    for neighbor in neighbors {
      rows.append(
        NearestRow(
          rank: rows.count + 1, region: index.identifier(of: neighbor.ordinal),
          boundaryDistance: neighbor.distance, centerDistance: neighbor.distanceToCenter,
          shape: shapes ? index.region(at: neighbor.ordinal).shape : nil))
    }
    return NearestResult(
      query: points.identifiers[query], position: points.coordinates[query], rows: rows)
  }
}
