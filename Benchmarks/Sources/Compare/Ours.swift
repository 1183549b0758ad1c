import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPlanner
import VicinityPolygon

/// The index under test, built once and shared by the ways of asking it.
struct Ours {
  let index: RegionIndex
  let buildCost: Cost
  /// Bytes of the index, identifiers left out.
  let bytes: Double

  /// Builds over `set` with one thread, so that CPU time compares with the peers'.
  init(_ set: RegionSet) throws {
    (index, buildCost) = try Cost.of { try RegionIndex(set, threads: 1) }
    bytes = Double(index.byteCount - index.identifierByteCount)
  }

  init(_ circles: Circles) throws {
    try self.init(Self.set(circles))
  }

  /// The circles with their ordinals as identifiers.
  static func set(_ circles: Circles) throws -> RegionSet {
    var set = RegionSet()
    set.reserveCapacity(circles.count)
    for i in 0..<circles.count {
      try set.appendCircle(
        identifier: String(i).utf8, center: circles.center(i), radius: circles.radii[i])
    }
    return set
  }
}

/// Each position a query of its own, with reused memory: the way to ask in a loop.
struct Stateless: Contestant {
  let name: String
  let options: QueryOptions
  let ours: Ours

  init(_ ours: Ours, name: String = "vicinity", options: QueryOptions = .init()) {
    self.ours = ours
    self.name = name
    self.options = options
  }

  var isExact: Bool { options.tolerance == 0 }
  var buildCost: Cost? { ours.buildCost }
  var bytes: Double? { ours.bytes }

  mutating func run(_ queries: Queries, count: Int, into answers: inout Answers) throws {
    let index = ours.index
    let k = answers.k
    var scratch = QueryScratch()
    var neighbors: [Neighbor] = []
    // The working memory grows before the clock starts, as it has in any long loop.
    if count > 1 {
      try index.nearest(
        k, to: queries.coordinates[count - 1], options: options, scratch: &scratch, into: &neighbors)
    }
    for start in stride(from: 0, to: count, by: Answers.batch) {
      let before = Clock.thread
      for i in start..<min(start + Answers.batch, count) {
        try index.nearest(
          k, to: queries.coordinates[i], options: options, scratch: &scratch, into: &neighbors)
        answers.write(neighbors[...], at: i)
      }
      answers.batchNanoseconds[start / Answers.batch] = Clock.thread - before
    }
  }
}

/// The convenient call: a new array for every answer.
struct Convenient: Contestant {
  let name = "vicinity-new-array"
  let isExact = true
  let ours: Ours

  mutating func run(_ queries: Queries, count: Int, into answers: inout Answers) throws {
    let index = ours.index
    let k = answers.k
    for start in stride(from: 0, to: count, by: Answers.batch) {
      let before = Clock.thread
      for i in start..<min(start + Answers.batch, count) {
        answers.write(try index.nearest(k, to: queries.coordinates[i]).withoutIdentifiers, at: i)
      }
      answers.batchNanoseconds[start / Answers.batch] = Clock.thread - before
    }
  }
}

/// All positions in one call, which asks about them in an order of its own; the table that it makes and what
/// is copied out of it are part of the time.
struct Batch: Contestant {
  let name = "vicinity-batch"
  let isExact = true
  let ours: Ours

  mutating func run(_ queries: Queries, count: Int, into answers: inout Answers) throws {
    let positions = Array(queries.coordinates.prefix(count))
    let before = Clock.thread
    let table = try ours.index.nearest(answers.k, toEach: positions, threads: 1)
    for i in 0..<count { answers.write(table[i].withoutIdentifiers[...], at: i) }
    let nanoseconds = (Clock.thread - before) / Double(count)
    for (i, start) in stride(from: 0, to: count, by: Answers.batch).enumerated() {
      answers.batchNanoseconds[i] = nanoseconds * Double(min(Answers.batch, count - start))
    }
  }
}

/// One moving query, fed the positions in order; its first full search is part of the time.
struct Moving: Contestant {
  let name = "vicinity-moving"
  let isExact = true
  let reportsDistances = false
  let ours: Ours

  mutating func run(_ queries: Queries, count: Int, into answers: inout Answers) throws {
    let k = answers.k
    var moving = ours.index.movingQuery(count: k)
    // The set as of the last change: copied only when `move` says so, as an app would.
    var current: [UInt32] = Array(repeating: .max, count: k)
    for start in stride(from: 0, to: count, by: Answers.batch) {
      let before = Clock.thread
      for i in start..<min(start + Answers.batch, count) {
        if try moving.move(to: queries.coordinates[i]) {
          for (slot, ordinal) in moving.ordinals.enumerated() {
            current[slot] = UInt32(truncatingIfNeeded: ordinal)
          }
        }
        answers.write(current, at: i)
      }
      answers.batchNanoseconds[start / Answers.batch] = Clock.thread - before
    }
  }
}
