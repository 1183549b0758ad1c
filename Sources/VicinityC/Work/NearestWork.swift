internal import VicinityGeodesy
internal import VicinityIndex

/// Answers queries about a stream of points.
struct NearestWork: Sendable {
  /// What is asked about each point.
  enum Question {
    case nearest(Int)
    /// All within the options' distance.
    case within
  }

  let index: RegionIndex
  let question: Question
  let options: QueryOptions
  let threads: Int

  /// The most rows of a batch of answers, and the most queries.
  private static let mostRows = 1 << 20
  private static let mostQueries = 1 << 16

  static let fields = [
    OutputField(name: "query", format: "u"), OutputField(name: "rank", format: "i"),
    OutputField(name: "region", format: "u"), OutputField(name: "boundary_distance", format: "g"),
    OutputField(name: "centre_distance", format: "g", isNullable: true),
  ]

  func run(_ input: ArrowInput, _ options: inout Options, _ control: Control) throws(Failure) -> ResultTable {
    let columns = Columns(input.fields)
    let names = try columns.name(columns.find("id-column", Columns.point, &options))
    let places = try PlaceColumns(columns, &options)
    let numbersRegions = try options.flag("region-numbers") ?? false
    try options.finish()
    var fields = Self.fields
    if names.map({ !columns[$0].type.isText }) ?? true { fields[0].format = "l" }
    if numbersRegions { fields[2].format = "l" }
    var batches: [ArrowNode] = []
    var size = firstBatchSize
    while let batch = try input.next() {
      let positions = try places.coordinates(batch)
      let column = try names.map { i throws(Failure) in try batch.column(i) }
      if let column { try NameColumn(column).check(0..<column.count) }
      var start = 0
      while start < positions.count {
        let end = min(positions.count, start + size)
        let answers = try answer(
          positions, start..<end, column, batch.firstRow, numbersRegions: numbersRegions)
        size = batchSize(after: end - start, rows: answers.length)
        batches.append(answers)
        start = end
        try control.report(batch.firstRow + start)
      }
    }
    return ResultTable(.neighbors, fields, batches)
  }

  /// Enough that all threads share evenly, and no more than fit a batch of answers.
  private var firstBatchSize: Int {
    guard case .nearest(let count) = question else { return Self.mostQueries / 4 }
    return max(1, min(Self.mostQueries, Self.mostRows / max(1, min(count, index.count))))
  }

  /// How many queries the next batch has: where nobody knows how many regions are within a distance, as the batch before tells.
  private func batchSize(after queries: Int, rows: Int) -> Int {
    guard case .within = question else { return firstBatchSize }
    return max(256, min(Self.mostQueries, Self.mostRows / max(1, rows / max(1, queries))))
  }

  private func answer(
    _ positions: [Coordinate], _ range: Range<Int>, _ names: ArrowColumn?, _ firstRow: Int,
    numbersRegions: Bool
  ) throws(Failure) -> ArrowNode {
    let table: NeighborTable
    let order = QueryOrder(positions[range])
    let asked = order.places
    do throws(QueryError) {
      switch question {
      case .nearest(let count):
        table = try index.nearest(count, toEach: asked, options: options, threads: threads)
      case .within:
        table = try index.within(.infinity, ofEach: asked, options: options, threads: threads)
      }
    } catch { throw .argument(error.description) }
    // Where each query's rows begin.
    var starts = [0]
    starts.reserveCapacity(table.count + 1)
    for i in 0..<table.count { starts.append(starts[i] + table.neighborCount(of: order.place(of: i))) }
    let count = starts[table.count]
    let columns = try Answers(
      index: index, table: table, order: order, starts: starts, threads: threads, count: count, names: names,
      firstRow: firstRow + range.lowerBound, firstName: range.lowerBound, numbersRegions: numbersRegions)
    return .batch(count, columns.nodes)
  }

  private struct Answers {
    let nodes: [ArrowNode]

    init(
      index: RegionIndex, table: NeighborTable, order: QueryOrder, starts: [Int], threads: Int, count: Int,
      names: ArrowColumn?, firstRow: Int, firstName: Int, numbersRegions: Bool
    ) throws(Failure) {
      let namesAreText = names?.type.isText == true
      // The row of each answer's query where that has a name, or its number itself.
      let queries = ArrowBuffer(byteCount: count * 8)
      let ranks = ArrowBuffer(byteCount: count * 4)
      // Where each region's identifier is, and how long.
      let places = ArrowBuffer(byteCount: count * 16)
      let boundary = ArrowBuffer(byteCount: count * 8)
      let center = ArrowBuffer(byteCount: count * 8)
      let hasPolygons = index.polygonCount > 0
      ParallelColumns.forEach(table.count, threads: threads) { range in
        // SAFETY: each query has its own rows, which are within the buffers.
        let queries = unsafe queries.base.assumingMemoryBound(to: Int64.self)
        let ranks = unsafe ranks.base.assumingMemoryBound(to: Int32.self)
        let places = unsafe places.base.assumingMemoryBound(to: UnsafeRawBufferPointer.self)
        let boundary = unsafe boundary.base.assumingMemoryBound(to: Double.self)
        let center = unsafe center.base.assumingMemoryBound(to: Double.self)
        for i in range {
          var row = starts[i]
          let query =
            namesAreText ? Int64(firstName + i) : names?.integer(firstName + i) ?? Int64(firstRow + i + 1)
          for neighbor in table.neighbors(of: order.place(of: i)) {
            unsafe (queries + row).initialize(to: query)
            unsafe (ranks + row).initialize(to: Int32(truncatingIfNeeded: row - starts[i] + 1))
            unsafe (places + row).initialize(to: index.identifierBytes(of: neighbor.ordinal))
            unsafe (boundary + row).initialize(to: neighbor.distance)
            unsafe (center + row).initialize(to: neighbor.distanceToCenter ?? .nan)
            row += 1
          }
        }
      }
      var query = ArrowNode(length: count, buffers: [nil, queries])
      if let names, namesAreText {
        query = try unsafe ParallelColumns.texts(count, threads: threads) { row in
          unsafe names.text(Int(queries.base.load(fromByteOffset: row * 8, as: Int64.self)))
        }
      }
      let identifier: @Sendable (Int) -> UnsafeRawBufferPointer = { row in
        unsafe places.base.assumingMemoryBound(to: UnsafeRawBufferPointer.self)[row]
      }
      let region =
        if numbersRegions {
          try unsafe Self.numbers(count, threads: threads, identifier)
        } else {
          try unsafe ParallelColumns.texts(count, threads: threads, identifier)
        }
      var centers = ArrowNode(length: count, buffers: [nil, center])
      if hasPolygons {
        centers = ParallelColumns.numbers(count, threads: threads) { row in
          unsafe center.base.load(fromByteOffset: row * 8, as: Double.self)
        }
      }
      nodes = [
        query, ArrowNode(length: count, buffers: [nil, ranks]), region,
        ArrowNode(length: count, buffers: [nil, boundary]), centers,
      ]
    }

    /// A column of the whole numbers that identifiers are.
    ///
    /// - Throws: ``Failure`` for the first that is none.
    private static func numbers(
      _ count: Int, threads: Int, _ identifier: @Sendable (Int) -> UnsafeRawBufferPointer
    ) throws(Failure) -> ArrowNode {
      let none = Int64.min
      let node = ParallelColumns.values(count, threads: threads) { row in
        unsafe number(identifier(row)) ?? none
      }
      guard let values = node.buffers[1] else { return node }
      // SAFETY: the buffer has `count` values.
      let base = unsafe values.base.assumingMemoryBound(to: Int64.self)
      for row in 0..<count where unsafe base[row] == none {
        let text = unsafe String(decoding: identifier(row), as: UTF8.self)
        throw .argument("option region-numbers: the identifier \(text.debugDescription) is no whole number")
      }
      return node
    }

    /// The whole number that a text is, in the one way to write it: no two texts are one number.
    private static func number(_ text: UnsafeRawBufferPointer) -> Int64? {
      let isNegative = unsafe text.first == UInt8(ascii: "-")
      let start = isNegative ? 1 : 0
      let digits = text.count - start
      // Nineteen digits do not overflow 64 bits without a sign.
      guard (1...19).contains(digits) else { return nil }
      if unsafe text[start] == UInt8(ascii: "0"), isNegative || digits > 1 { return nil }
      var value: UInt64 = 0
      for i in start..<start + digits {
        let digit = unsafe text[i] &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        value = value &* 10 &+ UInt64(digit)
      }
      return Int64(exactly: value).map { isNegative ? -$0 : $0 }
    }
  }
}
