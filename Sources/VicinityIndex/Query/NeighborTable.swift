public import VicinityGeodesy

/// The answers to many queries, in the order of the queries.
public struct NeighborTable: RandomAccessCollection, Sendable {
  /// The answers to consecutive queries, which one thread computed.
  struct Chunk: Sendable {
    /// The neighbours of all queries, one query after the other.
    var neighbors: [Neighbor] = []
    /// Where each query's neighbours end.
    var ends: [Int] = []
  }

  /// How many queries each chunk but the last holds: enough that handing out a chunk costs little, and few enough to balance
  /// the threads.
  static let chunkSize = 256

  let index: RegionIndex
  let chunks: [Chunk]

  /// How many queries were answered.
  public let count: Int

  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  /// The neighbours that query `i` found, nearest first.
  ///
  /// - Precondition: `0 <= i < count`.
  /// - Complexity: O(1)
  public subscript(i: Int) -> Neighbors {
    precondition(i >= 0 && i < count, "query \(i) is not in 0 ..< \(count)")
    return Neighbors(neighbors(of: i), .index(index))
  }

  /// The neighbours that query `i` found, without identifiers.
  ///
  /// - Precondition: `0 <= i < count`.
  package func neighbors(of i: Int) -> ArraySlice<Neighbor> {
    let chunk = chunks[i / Self.chunkSize]
    let k = i % Self.chunkSize
    return chunk.neighbors[(k == 0 ? 0 : chunk.ends[k - 1])..<chunk.ends[k]]
  }

  /// How many neighbours query `i` found.
  ///
  /// - Precondition: `0 <= i < count`.
  package func neighborCount(of i: Int) -> Int {
    let k = i % Self.chunkSize
    let ends = chunks[i / Self.chunkSize].ends
    return ends[k] - (k == 0 ? 0 : ends[k - 1])
  }
}

extension RegionIndex {
  /// ``SearchableRegions/nearest(_:to:options:)`` for each of many positions, on all cores.
  ///
  /// Results stand in the order of `positions` and do not depend on the number of threads.
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

  /// ``SearchableRegions/regions(within:of:options:)`` for each of many positions, on all cores.
  ///
  /// - Throws: ``QueryError``, for the first position that is invalid, before anything is computed.
  public func regions(
    within distance: Meters, ofEach positions: [Coordinate], options: QueryOptions = QueryOptions(),
    threads: Int? = nil
  ) throws(QueryError) -> NeighborTable {
    try run(nil, positions, try options.limited(to: distance), threads)
  }

  /// ``SearchableRegions/regions(containing:options:)`` for each of many positions, on all cores.
  ///
  /// - Throws: ``QueryError``, for the first position that is invalid, before anything is computed.
  public func regions(
    containingEach positions: [Coordinate], options: QueryOptions = QueryOptions(),
    threads: Int? = nil
  ) throws(QueryError) -> NeighborTable {
    try regions(within: 0, ofEach: positions, options: options, threads: threads)
  }

  private func run(
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
          run(
            CheckedQuery(uncheckedCount: count, position: positions[i], options: options),
            scratch: &scratch, appendingTo: &chunk.neighbors)
          chunk.ends.append(chunk.neighbors.count)
        }
        unsafe buffer[range.lowerBound / size] = chunk
      }
    }
    return NeighborTable(index: self, chunks: chunks, count: positions.count)
  }
}
