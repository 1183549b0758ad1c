internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityText

/// Answers queries about a stream of points.
struct NearestWork: Sendable {
  /// What is asked about each point.
  enum Question {
    /// The nearest ones; `isDefault` where nobody has said how many.
    case nearest(Int, isDefault: Bool)
    /// All within the options' distance.
    case within
  }

  /// What the column of regions holds.
  private enum RegionColumn {
    case text
    case numbers(areSigned: Bool)

    init(_ options: inout Options) throws(Failure) {
      switch options.text("region-numbers") ?? "no" {
      case "no": self = .text
      case "yes": self = .numbers(areSigned: true)
      case "unsigned": self = .numbers(areSigned: false)
      case let other:
        throw .argument(
          "option region-numbers: yes, no or unsigned is expected, not \(other.debugDescription)")
      }
    }
  }

  let index: RegionIndex
  let question: Question
  let options: QueryOptions
  let threads: Int

  /// The most rows of a batch of answers, and the most queries.
  private static let mostRows = 1 << 20
  private static let mostQueries = 1 << 16
  /// The fewest queries where nobody knows how many rows they have: each may have all regions.
  private static let leastQueries = 16

  static let fields = OutputField.list(.neighbors, ["u", "i", "u", "g", "g?"])

  /// The answer about one point, whose name is 1.
  func run(_ point: Coordinate, _ options: inout Options) throws(Failure) -> ResultTable {
    let regions = try RegionColumn(&options)
    try options.finish()
    if let fault = CoordinateLimits.fault(point) {
      throw .data(0, abs(point.latitude) <= 90 ? "longitude" : "latitude", fault)
    }
    var notes: [Note] = []
    var told = Told()
    var numbers: ArrowBuffer?
    let rows = try answer(Asked(point), 0..<1, regions, &numbers, &notes, &told)
    return ResultTable(
      .neighbors, fields(regions, "l"), [rows], notes: notes + told.notes(index), distanceError: told.error)
  }

  private func fields(_ regions: RegionColumn, _ format: String?) -> [OutputField] {
    var fields = Self.fields
    if let format { fields[0].format = format }
    if case .numbers(let areSigned) = regions { fields[2].format = areSigned ? "l" : "L" }
    return fields
  }

  func run(_ input: ArrowInput, _ options: inout Options, _ control: Control) throws(Failure) -> ResultTable {
    let columns = Columns(input.fields)
    let names = try columns.name(columns.find("id-column", Columns.point, &options))
    let places = try PlaceColumns(columns, &options)
    let regions = try RegionColumn(&options)
    let bad = try BadRows(&options)
    let choices = columns.identifierChoices(names, &options) + places.choices(columns, &options)
    try options.finish()
    // Whole numbers come back in the type that they have.
    let fields = fields(regions, names.map { columns[$0].type.format } ?? "l")
    var batches: [ArrowNode] = []
    var notes: [Note] = []
    var told = Told()
    var repeated = RepeatedNames()
    var numbers: ArrowBuffer?
    var size = firstBatchSize
    while let batch = try input.next() {
      let column = try names.map { i throws(Failure) in try batch.column(i) }
      let placed = try places.columns(of: batch)
      var asked = Asked(batch, column)
      let good = try bad.goodRanges(of: 0..<batch.count, firstRow: batch.firstRow) { part throws(Failure) in
        if let column { try NameColumn(column).check(part) }
        _ = try placed.coordinates(part)
      }
      for part in good {
        if let column {
          let names = NameColumn(column)
          try names.check(part)
          repeated.add(names, part, firstRow: batch.firstRow)
        }
        asked.append(try placed.coordinates(part), part)
      }
      var start = 0
      while start < asked.positions.count {
        let end = min(asked.positions.count, start + size)
        let answers = try answer(asked, start..<end, regions, &numbers, &notes, &told)
        size = batchSize(after: end - start, rows: answers.length)
        batches.append(answers)
        start = end
        try control.report(batch.firstRow + start)
      }
    }
    try bad.checkAnyLeft(of: input.rowCount)
    notes += told.notes(index) + choices + bad.notes(of: input.rowCount)
    if let names { notes += repeated.notes(columns[names].name) }
    return ResultTable(.neighbors, fields, batches, notes: notes, distanceError: told.error, bad: bad)
  }

  /// What is to be said of all answers together.
  private struct Told {
    /// The most by which distances are off.
    var error: Meters = 0
    private var swap = SwapCheck()

    mutating func add(_ positions: [Coordinate], _ table: NeighborTable) {
      error = max(error, table.distanceError)
      for i in positions.indices where !swap.isSettled {
        swap.add(positions[i], nearest: table.neighbors(of: i).first?.distance)
      }
    }

    func notes(_ index: RegionIndex) -> [Note] {
      swap.note(index).map { [Note(kind: .tracks, text: $0)] } ?? []
    }
  }

  /// The points of a batch.
  private struct Asked {
    let names: ArrowColumn?
    let firstRow: Int
    private let count: Int
    private(set) var positions: [Coordinate] = []
    /// Which rows of the batch they are; empty where they are all of it.
    private var rows: [Int] = []

    init(_ batch: ArrowBatch, _ names: ArrowColumn?) {
      (count, firstRow, self.names) = (batch.count, batch.firstRow, names)
    }

    init(_ point: Coordinate) { (count, firstRow, names, positions) = (1, 0, nil, [point]) }

    mutating func append(_ places: [Coordinate], _ range: Range<Int>) {
      guard range.count < count else {
        positions = places
        return
      }
      positions += places
      rows += range
    }

    /// The row in the batch of a point.
    func row(_ i: Int) -> Int { rows.isEmpty ? i : rows[i] }
  }

  /// Enough that all threads share evenly, and no more than fit a batch of answers.
  private var firstBatchSize: Int {
    var most = index.count
    switch question {
    case .nearest(let count, _): most = min(count, most)
    case .within where options.maximumDistance < .infinity: return 4 * Self.leastQueries
    case .within: break
    }
    return max(1, min(Self.mostQueries, Self.mostRows / max(1, most)))
  }

  /// How many queries the next batch has: where nobody knows how many regions are within a distance, as the
  /// batch before tells.
  private func batchSize(after queries: Int, rows: Int) -> Int {
    guard case .within = question, options.maximumDistance < .infinity else { return firstBatchSize }
    return max(Self.leastQueries, min(Self.mostQueries, Self.mostRows / max(1, rows / max(1, queries))))
  }

  /// - Parameter numbers: The numbers of all regions, once there are as many answers as regions.
  private func answer(
    _ asked: Asked, _ range: Range<Int>, _ regions: RegionColumn, _ numbers: inout ArrowBuffer?,
    _ notes: inout [Note], _ told: inout Told
  ) throws(Failure) -> ArrowNode {
    let table: NeighborTable
    let positions = Array(asked.positions[range])
    do throws(QueryError) {
      switch question {
      case .nearest(let count, _):
        table = try index.nearest(count, toEach: positions, options: options, threads: threads)
      case .within:
        table = try index.within(.infinity, ofEach: positions, options: options, threads: threads)
      }
    } catch { throw .argument(error.description) }
    told.add(positions, table)
    if notes.isEmpty, let note = noteOfCut(table, asked, from: range.lowerBound) {
      notes.append(Note(kind: .cut, text: note))
    }
    let starts = table.starts
    let count = starts[table.count]
    if case .numbers(let areSigned) = regions, numbers == nil, count >= index.count {
      numbers = WholeNumber.all(of: index, areSigned: areSigned, threads: threads)
    }
    let columns = try Answers(
      index: index, table: table, starts: starts, threads: threads, count: count, asked: asked,
      first: range.lowerBound, regions: regions, numbers: numbers)
    return .batch(count, columns.nodes)
  }

  /// What people are told where a count that nobody gave leaves out regions that contain a point.
  ///
  /// - Parameter first: Which of the points is the table's first.
  private func noteOfCut(_ table: NeighborTable, _ asked: Asked, from first: Int) -> String? {
    guard case .nearest(let count, isDefault: true) = question, index.count > count else { return nil }
    for i in 0..<table.count {
      // The position has been asked about before, so that it cannot be refused.
      guard table.neighborCount(of: i) == count,
        let last = table.neighbors(of: i).last, last.distance <= table.distanceError,
        let all = try? index.containing(asked.positions[first + i]), all.count > count
      else { continue }
      return
        "the point of row \(asked.firstRow + asked.row(first + i)) lies in \(all.count) regions, and the nearest \(count) are given, as no "
        + "number was asked for; containing finds all, and so does nearest with a count (in Python k)"
    }
    return nil
  }

  private struct Answers {
    let nodes: [ArrowNode]

    init(
      index: RegionIndex, table: NeighborTable, starts: [Int], threads: Int, count: Int, asked: Asked,
      first: Int, regions: RegionColumn, numbers: ArrowBuffer?
    ) throws(Failure) {
      let names = asked.names
      // The row of each answer's query in the batch where it has a name, or its number itself.
      let queries = ArrowBuffer(byteCount: count * 8)
      let ranks = ArrowBuffer(byteCount: count * 4)
      // Where each region's identifier is, and how long; or its ordinal.
      let isText = if case .text = regions { true } else { false }
      let found = ArrowBuffer(byteCount: count * (isText ? 16 : 4))
      let boundary = ArrowBuffer(byteCount: count * 8)
      let center = ArrowBuffer(byteCount: count * 8)
      let hasPolygons = index.polygonCount > 0
      Parallel.forEach(table.pieceCount, threads: threads) { piece in
        // SAFETY: each query has its own rows, which are within the buffers.
        let queries = unsafe queries.base.assumingMemoryBound(to: Int64.self)
        let ranks = unsafe ranks.base.assumingMemoryBound(to: Int32.self)
        let boundary = unsafe boundary.base.assumingMemoryBound(to: Double.self)
        let center = unsafe center.base.assumingMemoryBound(to: Double.self)
        unsafe table.forEachQuery(ofPiece: piece) { i, neighbors in
          var row = starts[i]
          let place = asked.row(first + i)
          let query = Int64(names == nil ? asked.firstRow + place + 1 : place)
          for k in neighbors.indices {
            let neighbor = unsafe neighbors[k]
            unsafe (queries + row).initialize(to: query)
            unsafe (ranks + row).initialize(to: Int32(truncatingIfNeeded: row - starts[i] + 1))
            if isText {
              unsafe (found.base + 16 * row).initializeMemory(
                as: UnsafeRawBufferPointer.self, to: index.identifierBytes(of: neighbor.ordinal))
            } else {
              unsafe found.base.storeBytes(
                of: UInt32(truncatingIfNeeded: neighbor.ordinal), toByteOffset: 4 * row, as: UInt32.self)
            }
            unsafe (boundary + row).initialize(to: neighbor.distance)
            unsafe (center + row).initialize(to: neighbor.distanceToCenter ?? .nan)
            row += 1
          }
        }
      }
      var query = ArrowNode(length: count, buffers: [nil, queries])
      if let names {
        let place: @Sendable (Int) -> Int = { row in
          unsafe Int(queries.base.load(fromByteOffset: row * 8, as: Int64.self))
        }
        query =
          if names.type.isText {
            try unsafe ParallelColumns.texts(count, threads: threads) { unsafe names.text(place($0)) }
          } else {
            unsafe ParallelColumns.copies(count, width: names.type.valueWidth, threads: threads) {
              unsafe names.wholeBytes(place($0))
            }
          }
      }
      let region =
        switch regions {
        case .numbers(let areSigned):
          try WholeNumber.column(
            count, of: index, areSigned: areSigned, threads: threads, numbers: numbers
          ) { unsafe Int(found.base.load(fromByteOffset: 4 * $0, as: UInt32.self)) }
        case .text:
          try unsafe ParallelColumns.texts(count, threads: threads) {
            unsafe found.base.load(fromByteOffset: 16 * $0, as: UnsafeRawBufferPointer.self)
          }
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
  }
}
