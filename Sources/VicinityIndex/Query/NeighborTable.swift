public import VicinityGeodesy

/// The answers to many queries, in the order of the queries.
public struct NeighborTable: Sendable {
  /// Consecutive queries answered by one thread, their neighbours one after the other.
  struct Chunk: Sendable {
    var neighbors: [Neighbor] = []
    /// Where each query's neighbours end.
    var ends: [Int] = []
  }

  /// How many queries a chunk holds, but for the last: enough that handing one out costs nothing beside
  /// answering it, few enough to balance the threads.
  static let chunkSize = 256

  let chunks: [Chunk]

  /// How many queries were answered.
  public let count: Int

  /// The neighbours found by query `i`, nearest first.
  ///
  /// - Precondition: `0 <= i < count`.
  /// - Complexity: O(1)
  public subscript(i: Int) -> ArraySlice<Neighbor> {
    precondition(i >= 0 && i < count, "query \(i) is not in 0 ..< \(count)")
    let chunk = chunks[i / Self.chunkSize]
    let k = i % Self.chunkSize
    return chunk.neighbors[(k == 0 ? 0 : chunk.ends[k - 1])..<chunk.ends[k]]
  }
}

extension RegionIndex {
  /// ``nearest(_:to:options:)`` for each of many positions, on all cores.
  ///
  /// Results stand in the order of `positions` and do not depend on the number of threads.
  ///
  /// - Parameter threads: How many threads may work; all cores by default.
  /// - Throws: ``QueryError``, for the first position that is invalid, before anything is computed.
  /// - Complexity: O(positions × (log n + count)) on spread data.
  public func nearest(
    _ count: Int, toEach positions: [Coordinate], options: QueryOptions = QueryOptions(),
    threads: Int? = nil
  ) throws(QueryError) -> NeighborTable {
    guard count >= 0 else { throw .invalidCount(count) }
    return try answer(count, positions, options, threads)
  }

  /// ``within(_:of:options:)`` for each of many positions, on all cores.
  ///
  /// - Throws: ``QueryError``, for the first position that is invalid, before anything is computed.
  public func within(
    _ distance: Meters, ofEach positions: [Coordinate], options: QueryOptions = QueryOptions(),
    threads: Int? = nil
  ) throws(QueryError) -> NeighborTable {
    guard !distance.isNaN else { throw .invalidDistance(distance) }
    var options = options
    options.maximumDistance = min(options.maximumDistance, distance)
    return try answer(nil, positions, options, threads)
  }

  /// ``containing(_:options:)`` for each of many positions, on all cores.
  ///
  /// - Throws: ``QueryError``, for the first position that is invalid, before anything is computed.
  public func containing(
    each positions: [Coordinate], options: QueryOptions = QueryOptions(), threads: Int? = nil
  ) throws(QueryError) -> NeighborTable {
    try within(0, ofEach: positions, options: options, threads: threads)
  }

  private func answer(
    _ count: Int?, _ positions: [Coordinate], _ options: QueryOptions, _ threads: Int?
  ) throws(QueryError) -> NeighborTable {
    try options.check()
    for position in positions where !position.isValid { throw .invalidCoordinate(position) }
    let size = NeighborTable.chunkSize
    var chunks = [NeighborTable.Chunk](
      repeating: NeighborTable.Chunk(), count: (positions.count + size - 1) / size)
    unsafe chunks.withUnsafeMutableBufferPointer { buffer in
      // SAFETY: every iteration writes its own chunk.
      nonisolated(unsafe) let buffer = unsafe buffer
      Parallel.forEachChunk(of: positions.count, size: size, threads: threads ?? Parallel.coreCount) {
        range in
        var chunk = NeighborTable.Chunk()
        chunk.ends.reserveCapacity(range.count)
        if let count {
          chunk.neighbors.reserveCapacity(range.count * min(count, self.count, 64))
        }
        var scratch = QueryScratch()
        for i in range {
          append(count, positions[i], options, &scratch, &chunk.neighbors)
          chunk.ends.append(chunk.neighbors.count)
        }
        unsafe buffer[range.lowerBound / size] = chunk
      }
    }
    return NeighborTable(chunks: chunks, count: positions.count)
  }
}
