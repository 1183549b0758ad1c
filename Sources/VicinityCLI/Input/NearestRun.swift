import VicinityFormats
import VicinityIndex
import VicinityRuns

/// Many queries, read and answered in batches, each on all cores, and written in order.
struct NearestRun: Sendable {
  let index: RegionIndex
  let count: Int
  let options: QueryOptions
  let threads: Int

  /// The most neighbours whose text is held at once, some 64 bytes each.
  static let maximumBatchNeighbors = 1 << 18
  /// The most queries of a batch: enough for any number of cores to share evenly.
  static let maximumBatchQueries = 1 << 14
  /// The most queries of a batch that scans every region: few, so that progress shows.
  static let maximumScannedQueries = 1 << 10
  /// How many queries a thread formats at once.
  private static let chunkSize = 256

  /// The queries of a batch. The number depends on the question alone, not on the machine, so that the layout of tables is
  /// the same everywhere.
  var batchSize: Int {
    let perQuery = max(1, min(count, index.count))
    let most = options.usesBruteForce ? Self.maximumScannedQueries : Self.maximumBatchQueries
    return max(1, min(most, Self.maximumBatchNeighbors / perQuery))
  }

  /// Answers every query and writes the answers' text, which is made on all threads.
  ///
  /// - Complexity: memory O(batch size × count) beside the index.
  func write(
    _ formatter: some NearestFormatter, _ points: QueryPoints, to writer: ByteWriter, progress: ProgressMeter
  ) throws {
    writer.buffer.append(contentsOf: formatter.header.utf8)
    var isFirst = true
    try forEachBatch(points, progress) { batch, table in
      let chunks = (table.count + Self.chunkSize - 1) / Self.chunkSize
      let texts = Parallel.map(chunks, threads: threads) { chunk in
        var text: [UInt8] = []
        for i in chunk * Self.chunkSize..<min((chunk + 1) * Self.chunkSize, table.count) {
          formatter.append(
            result(batch, i, table[i].withoutIdentifiers, shapes: formatter.needsShapes), to: &text)
        }
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

  /// Answers every query and writes the answers as a table, aligned batch by batch.
  func write(
    _ layout: NearestTable, _ points: QueryPoints, to writer: ByteWriter, progress: ProgressMeter
  ) throws {
    var layout = layout
    try forEachBatch(points, progress) { batch, table in
      for i in 0..<table.count { layout.add(result(batch, i, table[i].withoutIdentifiers, shapes: false)) }
      layout.write(to: &writer.buffer)
      try writer.flush()
    }
    layout.write(to: &writer.buffer)
    try writer.finish()
  }

  /// Calls `body` with the points of each batch and their answers.
  private func forEachBatch(
    _ points: QueryPoints, _ progress: ProgressMeter, _ body: (PointSet, NeighborTable) throws -> Void
  ) throws {
    progress.stage("searching")
    try points.forEachBatch(batchSize, progress) { batch in
      try body(batch, index.nearest(count, toEach: batch.coordinates, options: options, threads: threads))
    }
  }

  private func result(
    _ batch: PointSet, _ query: Int, _ neighbors: ArraySlice<Neighbor>, shapes: Bool
  ) -> NearestResult {
    NearestResult(
      query: batch.identifiers[query], position: batch.coordinates[query],
      rows: neighbors.enumerated().map { i, neighbor in
        NearestRow(
          rank: i + 1, region: index.identifier(of: neighbor.ordinal),
          boundaryDistance: neighbor.distance, centerDistance: neighbor.distanceToCenter,
          shape: shapes ? index.region(at: neighbor.ordinal).shape : nil)
      })
  }
}
