import Synchronization
import VicinityFormats
import VicinityGeodesy
import VicinityIndex

/// Many queries, asked in batches on all cores and written in order.
struct NearestRun: Sendable {
  let index: RegionIndex
  let points: PointSet
  let count: Int
  let options: QueryOptions
  let threads: Int?

  /// The most neighbours whose text is held at once: some 64 bytes each.
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

  /// Asks every query and hands the text of the answers to `writer`; both are made on all threads.
  ///
  /// - Complexity: memory O(batch size × count) beside the points and the index.
  func write(_ formatter: some NearestFormatter, to writer: ByteWriter, progress: ProgressMeter) throws {
    writer.buffer.append(contentsOf: formatter.header.utf8)
    var isFirst = true
    try forEachBatch(progress) { batch in
      let texts = try inChunks(batch) { chunk in
        var text: [UInt8] = []
        try answer(chunk, shapes: formatter.needsShapes) { formatter.append($0, to: &text) }
        return text
      }
      for text in texts where !text.isEmpty {
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
    try forEachBatch(progress) { batch in
      let results = try inChunks(batch) { chunk in
        var results: [NearestResult] = []
        try answer(chunk, shapes: false) { results.append($0) }
        return results
      }
      for result in results.joined() { layout.add(result) }
      layout.write(to: &writer.buffer)
      try writer.flush()
    }
    layout.write(to: &writer.buffer)
    try writer.finish()
  }

  private func forEachBatch(_ progress: ProgressMeter, _ body: (Range<Int>) throws -> Void) throws {
    progress.stage("searching", total: points.coordinates.count)
    var start = 0
    while start < points.coordinates.count {
      let batch = start..<min(start + batchSize, points.coordinates.count)
      try body(batch)
      start = batch.upperBound
      progress.update(start)
    }
  }

  /// What `body` makes of the consecutive chunks of a batch, in order; all threads work on them.
  private func inChunks<Part: Sendable>(
    _ batch: Range<Int>, _ body: @Sendable (Range<Int>) throws -> Part
  ) throws -> [Part] {
    let size = min(256, max(1, batchSize / 64))
    let starts = Array(stride(from: batch.lowerBound, to: batch.upperBound, by: size))
    let parts = Mutex([Result<Part, any Error>?](repeating: nil, count: starts.count))
    Parallel.forEach(starts.count, threads: threads ?? Parallel.coreCount) { chunk in
      let start = starts[chunk]
      let part = Result { try body(start..<min(start + size, batch.upperBound)) }
      parts.withLock { $0[chunk] = part }
    }
    // The first failure in the order of the queries, whichever thread met it first.
    return try parts.withLock { try $0.compactMap { try $0?.get() } }
  }

  /// Asks the queries of one chunk in order.
  private func answer(
    _ chunk: Range<Int>, shapes: Bool, _ body: (NearestResult) -> Void
  ) throws {
    var scratch = QueryScratch()
    var neighbors: [Neighbor] = []
    for query in chunk {
      let position = points.coordinates[query]
      try index.nearest(count, to: position, options: options, scratch: &scratch, into: &neighbors)
      var rows: [NearestRow] = []
      rows.reserveCapacity(neighbors.count)
      for neighbor in neighbors {
        rows.append(
          NearestRow(
            rank: rows.count + 1, region: index.identifier(of: neighbor.ordinal),
            boundaryDistance: neighbor.distance, centerDistance: neighbor.distanceToCenter,
            shape: shapes ? index.region(at: neighbor.ordinal).shape : nil))
      }
      body(NearestResult(query: points.identifiers[query], position: position, rows: rows))
    }
  }
}
