public import VicinityGeodesy

/// The answers to many queries, in the order of the queries.
public struct NeighborTable: RandomAccessCollection, Sendable {
  /// The answers to consecutive queries, which one thread computed.
  struct Chunk: Sendable {
    /// The neighbours of all queries, one query after the other.
    var found = Neighbors([], .list([]))
    /// Where each query's neighbours end.
    var ends: [Int] = []
  }

  /// The most by which the distances differ from the true ones, metres, and no more than the tolerance that
  /// was asked for; 0 where all answers are exact.
  public var distanceError: Meters { chunks.lazy.map(\.found.distanceError).max() ?? 0 }

  /// How many queries each chunk but the last holds: enough that handing out a chunk costs little, and few
  /// enough to balance the threads.
  static let chunkSize = 256

  let chunks: [Chunk]

  /// How many queries were answered.
  public let count: Int

  /// In which order they were asked.
  private let order: QueryOrder

  init(chunks: [Chunk], order: QueryOrder) {
    (self.chunks, self.order, count) = (chunks, order, order.places.count)
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  /// The neighbours that query `i` found, nearest first.
  ///
  /// - Precondition: `0 <= i < count`.
  /// - Complexity: O(1)
  public subscript(i: Int) -> Neighbors {
    precondition(i >= 0 && i < count, "query \(i) is not in 0 ..< \(count)")
    let c = order.place(of: i) / Self.chunkSize
    var answer = Neighbors(neighbors(of: i), chunks[c].found.identifiers)
    answer.distanceError = chunks[c].found.distanceError
    return answer
  }

  /// The neighbours that query `i` found, without identifiers.
  ///
  /// - Precondition: `0 <= i < count`.
  package func neighbors(of i: Int) -> ArraySlice<Neighbor> {
    let (c, k) = order.place(of: i).quotientAndRemainder(dividingBy: Self.chunkSize)
    // No copy of the chunk, whose arrays would be retained.
    return chunks[c].found.withoutIdentifiers[(k == 0 ? 0 : chunks[c].ends[k - 1])..<chunks[c].ends[k]]
  }

  /// How many pieces the answers come in: ``forEachQuery(ofPiece:_:)``.
  package var pieceCount: Int { chunks.count }

  /// Calls `body` with each query of a piece and what it found, in the order in which they were asked: for
  /// many answers in any order, without the cost of a slice for each.
  ///
  /// - Precondition: `0 <= piece < pieceCount`.
  package func forEachQuery(
    ofPiece piece: Int, _ body: (_ query: Int, _ found: UnsafeBufferPointer<Neighbor>) -> Void
  ) {
    let chunk = chunks[piece]
    unsafe chunk.found.withoutIdentifiers.withUnsafeBufferPointer { all in
      var (place, start) = (piece * Self.chunkSize, 0)
      for end in chunk.ends {
        unsafe body(order.point(at: place), UnsafeBufferPointer(rebasing: all[start..<end]))
        (place, start) = (place + 1, end)
      }
    }
  }

  /// Where each query's neighbours begin when all stand in a row, in the order of queries, and after these
  /// the number of them all.
  ///
  /// - Complexity: O(queries)
  package var starts: [Int] {
    var starts = [Int](repeating: 0, count: count + 1)
    for (piece, chunk) in chunks.enumerated() {
      var (place, start) = (piece * Self.chunkSize, 0)
      for end in chunk.ends {
        starts[order.point(at: place) + 1] = end - start
        (place, start) = (place + 1, end)
      }
    }
    for i in 0..<count { starts[i + 1] += starts[i] }
    return starts
  }

  /// How many neighbours query `i` found.
  ///
  /// - Precondition: `0 <= i < count`.
  package func neighborCount(of i: Int) -> Int {
    let (c, k) = order.place(of: i).quotientAndRemainder(dividingBy: Self.chunkSize)
    return chunks[c].ends[k] - (k == 0 ? 0 : chunks[c].ends[k - 1])
  }
}

extension SearchableRegions {
  /// ``nearest(_:to:options:)`` for each of many positions, on all cores.
  ///
  /// Results stand in the order of `positions` and do not depend on the number of threads. Many positions are
  /// asked about in an order of their own, near ones one after the other.
  ///
  /// - Parameters:
  ///   - count: How many regions are wanted for each position; zero or more.
  ///   - positions: Degrees; latitude -90...90; any finite longitude (wrapped).
  ///   - options: For every position the same.
  ///   - threads: How many threads may work; all cores by default.
  /// - Throws: ``QueryError``, for the first position that is invalid, before anything is computed.
  /// - Complexity: O(positions × (log n + count)) on spread data.
  public func nearest(
    _ count: Int, toEach positions: [Coordinate], options: QueryOptions = QueryOptions(),
    threads: Int? = nil
  ) throws(QueryError) -> NeighborTable {
    guard count >= 0 else { throw .invalidCount(count) }
    return try run(count, positions, options, threads)
  }

  /// ``within(_:of:options:)`` for each of many positions, on all cores.
  ///
  /// - Throws: ``QueryError``, for the first position that is invalid, before anything is computed.
  public func within(
    _ distance: Meters, ofEach positions: [Coordinate], options: QueryOptions = QueryOptions(),
    threads: Int? = nil
  ) throws(QueryError) -> NeighborTable {
    try run(nil, positions, try options.limited(to: distance), threads)
  }

  /// ``containing(_:options:)`` for each of many positions, on all cores.
  ///
  /// - Throws: ``QueryError``, for the first position that is invalid, before anything is computed.
  public func containing(
    each positions: [Coordinate], options: QueryOptions = QueryOptions(),
    threads: Int? = nil
  ) throws(QueryError) -> NeighborTable {
    try within(0, ofEach: positions, options: options, threads: threads)
  }

  private func run(
    _ count: Int?, _ positions: [Coordinate], _ options: QueryOptions, _ threads: Int?
  ) throws(QueryError) -> NeighborTable {
    try options.check()
    for position in positions where !position.isValid { throw .invalidCoordinate(position) }
    let size = NeighborTable.chunkSize
    let order = QueryOrder(positions)
    let places = order.places
    var chunks = [NeighborTable.Chunk](
      repeating: NeighborTable.Chunk(), count: (positions.count + size - 1) / size)
    unsafe chunks.withUnsafeMutableBufferPointer { buffer in
      // SAFETY: every iteration writes its own chunk.
      nonisolated(unsafe) let buffer = unsafe buffer
      Parallel.forEachChunk(of: positions.count, size: size, threads: threads ?? Parallel.coreCount) {
        range in
        var found: [Neighbor] = []
        var ends: [Int] = []
        ends.reserveCapacity(range.count)
        if let count { found.reserveCapacity(range.count * min(count, self.count, 64)) }
        let slot = ScratchPool.checkout()
        var error: Meters = 0
        for i in range {
          run(
            CheckedQuery(uncheckedCount: count, position: places[i], options: options),
            scratch: &slot.scratch, appendingTo: &found)
          error = max(error, slot.scratch.distanceError)
          ends.append(found.count)
        }
        ScratchPool.checkin(slot)
        var neighbors = identified(found)
        neighbors.distanceError = error
        unsafe buffer[range.lowerBound / size] = NeighborTable.Chunk(found: neighbors, ends: ends)
      }
    }
    return NeighborTable(chunks: chunks, order: order)
  }
}
