import VicinityCrossings
import VicinityFormats
import VicinityIndex
import VicinityRuns

/// Many queries, read and answered in batches, each on all cores, and written in order.
struct NearestRun: Sendable {
  /// What is asked about each position.
  enum Question {
    /// This many of the nearest regions, within the options' maximum distance; told is of how many positions
    /// more than these are within another distance, metres, if that matters.
    case nearest(Int, tellingCutsWithin: Double?)
    /// All regions within the options' maximum distance.
    case within
    /// All regions that contain the position.
    case containing
  }

  /// What is to be said of the answers.
  struct Tally {
    /// How many positions were asked about.
    var queries = 0
    /// Of how many no region was found.
    var empty = 0
    /// Of how many regions were left out that the question tells of.
    var cut = 0
    /// The most by which distances are off, metres.
    var distanceError = 0.0
    /// Whether latitude and longitude may be swapped in the positions.
    var swap = SwapCheck()

    /// `2 of 3 positions are`, for a sentence about `count` of them.
    func phrase(_ count: Int) -> String {
      guard queries > 1 else { return "the position is" }
      return
        "\(DecimalText.grouped(count)) of \(DecimalText.grouped(queries)) positions \(count == 1 ? "is" : "are")"
    }
  }

  let index: RegionIndex
  let threads: Int
  private let options: QueryOptions
  /// The most regions of each position; nil for all within the options' distance.
  private let count: Int?
  private let cutsWithin: Double?

  init(index: RegionIndex, question: Question, options: QueryOptions, threads: Int) {
    self.index = index
    self.threads = threads
    var options = options
    switch question {
    case .nearest(let count, let cutsWithin): (self.count, self.cutsWithin) = (count, cutsWithin)
    case .within, .containing:
      (count, cutsWithin) = (nil, nil)
      // None is left out that a tolerance could choose.
      options.tolerance = 0
      if case .containing = question { options.maximumDistance = 0 }
    }
    self.options = options
  }

  /// The most neighbours whose text is held at once, some 64 bytes each.
  static let maximumBatchNeighbors = 1 << 18
  /// The most queries of a batch: enough for any number of cores to share evenly.
  static let maximumBatchQueries = 1 << 14
  /// The most queries of a batch that scans every region: few, so that progress shows.
  static let maximumScannedQueries = 1 << 10
  /// How many queries a thread formats at once.
  private static let chunkSize = 256
  /// How many regions each query of a batch is asked for first where all within a distance are wanted, and by
  /// how much more it is asked again where there are as many.
  static let firstCount = 64
  private static let countFactor = 16

  /// How many queries may be asked at once for up to `count` regions each. The number depends on the question
  /// and the regions alone, not on the machine, so that the layout of tables is the same everywhere.
  private func batchSize(_ count: Int) -> Int {
    let perQuery = max(1, min(count, index.count))
    let most = options.usesBruteForce ? Self.maximumScannedQueries : Self.maximumBatchQueries
    return max(1, min(most, Self.maximumBatchNeighbors / perQuery))
  }

  /// Answers every query and writes the answers' text, which is made on all threads.
  ///
  /// - Complexity: memory O(``maximumBatchNeighbors``) beside the index, or O(regions found of one query)
  ///   where that is more.
  func write(
    _ formatter: some NearestFormatter, _ points: QueryPoints, to writer: ByteWriter, progress: ProgressMeter
  ) throws -> Tally {
    writer.buffer.append(contentsOf: formatter.header.utf8)
    var isFirst = true
    let tally = try forEachPiece(points, progress) { piece in
      let chunks = (piece.range.count + Self.chunkSize - 1) / Self.chunkSize
      let texts = Parallel.map(chunks, threads: threads) { chunk in
        var text: [UInt8] = []
        let start = piece.range.lowerBound + chunk * Self.chunkSize
        for i in start..<min(start + Self.chunkSize, piece.range.upperBound) {
          formatter.append(result(piece, i, shapes: formatter.needsShapes), to: &text)
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
    return tally
  }

  /// Answers every query and writes the answers as a table, aligned piece by piece.
  func write(
    _ layout: NearestTable, _ points: QueryPoints, to writer: ByteWriter, progress: ProgressMeter
  ) throws -> Tally {
    var layout = layout
    let tally = try forEachPiece(points, progress) { piece in
      for i in piece.range { layout.add(result(piece, i, shapes: false)) }
      layout.write(to: &writer.buffer)
      try writer.flush()
    }
    layout.write(to: &writer.buffer)
    try writer.finish()
    return tally
  }

  /// Consecutive queries of a batch and their answers, which fit in memory.
  private struct Piece: Sendable {
    let batch: PointSet
    let range: Range<Int>
    /// Holds the answers of these queries, and perhaps of others of the batch.
    let table: NeighborTable
    /// The number in the batch of the table's first query.
    let first: Int

    func neighbors(of query: Int) -> ArraySlice<Neighbor> { table.neighbors(of: query - first) }
  }

  /// Calls `body` with all points and their answers, piece by piece.
  private func forEachPiece(
    _ points: QueryPoints, _ progress: ProgressMeter, _ body: (Piece) throws -> Void
  ) throws -> Tally {
    progress.stage("searching")
    var tally = Tally()
    let most = count ?? Self.firstCount
    try points.forEachBatch(batchSize(most), progress) { batch in
      tally.queries += batch.coordinates.count
      try answer(batch, batch.coordinates.indices, atMost: most) { piece in
        for query in piece.range {
          let nearest = piece.neighbors(of: query).first?.distance
          if nearest == nil { tally.empty += 1 }
          tally.swap.add(piece.batch.coordinates[query], nearest: nearest)
        }
        tally.cut += try cutCount(piece)
        tally.distanceError = max(tally.distanceError, piece.table.distanceError)
        try body(piece)
      }
    }
    return tally
  }

  /// Answers the queries of `range`, which are no more than fit in memory with `most` regions each, and calls
  /// `body` with them in order.
  ///
  /// Where all regions are wanted, those with `most` of them may have more: they are asked again for more,
  /// fewer at once. So memory is bounded however many regions a position is in, and all that is done twice is
  /// a share of the whole.
  private func answer(
    _ batch: PointSet, _ range: Range<Int>, atMost most: Int, _ body: (Piece) throws -> Void
  ) throws {
    let table = try index.nearest(
      most, toEach: Array(batch.coordinates[range]), options: options, threads: threads)
    guard count == nil, most < index.count else {
      return try body(Piece(batch: batch, range: range, table: table, first: range.lowerBound))
    }
    func mayHaveMore(_ query: Int) -> Bool { table.neighborCount(of: query - range.lowerBound) == most }
    var start = range.lowerBound
    while start < range.upperBound {
      let asksAgain = mayHaveMore(start)
      let end = (start..<range.upperBound).first { mayHaveMore($0) != asksAgain } ?? range.upperBound
      if asksAgain {
        let more = most * Self.countFactor
        let size = batchSize(more)
        for first in stride(from: start, to: end, by: size) {
          try answer(batch, first..<min(end, first + size), atMost: more, body)
        }
      } else {
        try body(Piece(batch: batch, range: start..<end, table: table, first: range.lowerBound))
      }
      start = end
    }
  }

  /// Of how many queries the count leaves out regions that are to be told of: those that have another one.
  private func cutCount(_ piece: Piece) throws -> Int {
    guard let count, let cutsWithin, count < index.count else { return 0 }
    let full = piece.range.filter { query in
      let neighbors = piece.neighbors(of: query)
      let limit = cutsWithin + piece.table.distanceError
      return neighbors.count == count && neighbors.last.map { $0.distance <= limit } ?? true
    }
    var options = options
    options.maximumDistance = min(options.maximumDistance, cutsWithin)
    options.tolerance = 0
    let more = try index.nearest(
      count + 1, toEach: full.map { piece.batch.coordinates[$0] }, options: options, threads: threads)
    return more.indices.count { more.neighborCount(of: $0) > count }
  }

  private func result(_ piece: Piece, _ query: Int, shapes: Bool) -> NearestResult {
    NearestResult(
      query: piece.batch.identifiers[query], position: piece.batch.coordinates[query],
      rows: piece.neighbors(of: query).enumerated().map { i, neighbor in
        NearestRow(
          rank: i + 1, region: index.identifier(of: neighbor.ordinal),
          boundaryDistance: neighbor.distance, centerDistance: neighbor.distanceToCenter,
          shape: shapes ? index.region(at: neighbor.ordinal).shape : nil)
      })
  }
}
