internal import CVicinityKernels
internal import VicinityGeodesy

/// The working memory of queries, kept from one to the next so that a warm query allocates nothing.
///
/// One per thread: it is neither copyable nor shared.
///
///     var scratch = QueryScratch()
///     var found: [Neighbor] = []
///     for position in positions {
///       try index.nearest(20, to: position, scratch: &scratch, into: &found)
///     }
@safe public struct QueryScratch: ~Copyable {
  /// Sixteen bounds for each open block, at 64-byte boundaries.
  var bounds: UnsafeMutablePointer<Float>
  /// The smallest bound of each open block, padded to a multiple of four with large ones.
  var minima: UnsafeMutablePointer<Float>
  /// Which node each open block is: tree << 32 | node; or visit, with the highest bit set.
  var blocks: UnsafeMutablePointer<UInt64>
  var blockCapacity: Int
  var blockCount = 0

  /// The leaves looked into.
  var visits: UnsafeMutablePointer<Visit>
  /// Sixteen lower bounds of each, at 64-byte boundaries.
  var lowers: UnsafeMutablePointer<Float>
  var visitCapacity: Int
  var visitCount = 0

  /// The smallest upper bounds found: ascending from the fourth on, or a heap from the first on.
  var best: UnsafeMutablePointer<Float>
  var bestCapacity: Int

  /// Regions with their distances.
  var finalists: UnsafeMutablePointer<Finalist>
  var finalistCapacity: Int
  var finalistCount = 0

  /// The visits to leaves of polygons some of which have not been measured yet, and the 32 smallest lower bounds of these,
  /// ascending.
  var waitingVisits: UnsafeMutablePointer<Int32>
  var waitingVisitCount = 0
  let waiting: UnsafeMutablePointer<Float>

  /// Polygons that wait to be measured together, and the ways down to their edges.
  let approaches: UnsafeMutablePointer<Approach>
  let descents: UnsafeMutablePointer<vk_descent>
  var approachCount = 0
  /// Their edges that are to be measured.
  let feet: UnsafeMutablePointer<vk_feet>

  /// Circles whose distances are asked for, and how many of them wait.
  let batch: UnsafeMutablePointer<vk_batch>
  var batchCount = 0

  /// What the report sorts and writes.
  var keys: UnsafeMutablePointer<Float>
  var neighbors: UnsafeMutablePointer<Neighbor>

  /// A leaf looked into.
  @safe struct Visit {
    var leaf: UnsafeRawPointer
    /// The query's position less the leaf's origin, metres.
    var x: Double
    var y: Double
    var z: Double
    var tree: Int32
    /// What the tree's ordinals are below.
    var ordinalLimit: UInt32
    /// The lanes of circles whose lower bound passed.
    var mask: UInt32
    /// The lanes of polygons that may have to be measured.
    var polygons: UInt32
  }

  /// A polygon that may belong to the answer, on its way from its bounding circle to its edges.
  @safe struct Approach {
    var record: RegionRecord
    /// A lower bound of its distance, metres.
    var bound: Float
    /// The tree it belongs to.
    var tree: Int32
    /// What the tree's ordinals are below.
    var ordinalLimit: UInt32
    var polygon: PolygonView
    /// The boundary distance of a position that may lie inside, metres.
    var depth: Meters
  }

  @safe struct Finalist {
    /// Signed boundary distance, metres.
    var distance: Double
    /// How far the authority's may be from that.
    var error: Double
    /// Distance to the centre; NaN for polygons.
    var center: Double
    var record: UnsafeRawPointer
  }

  /// Empty working memory: about 40 kB, growing as queries need it.
  public init() {
    blockCapacity = 64
    unsafe bounds = Self.aligned(16 * blockCapacity)
    unsafe minima = Self.aligned(blockCapacity + 4)
    unsafe blocks = .allocate(capacity: blockCapacity)
    visitCapacity = 64
    unsafe visits = .allocate(capacity: visitCapacity)
    unsafe waitingVisits = .allocate(capacity: visitCapacity)
    unsafe waiting = Self.aligned(32)
    unsafe lowers = Self.aligned(16 * visitCapacity)
    bestCapacity = 128
    unsafe best = Self.aligned(bestCapacity)
    finalistCapacity = 256
    unsafe finalists = .allocate(capacity: finalistCapacity)
    unsafe approaches = .allocate(capacity: TreeSearch.greatestBatch)
    unsafe descents = .allocate(capacity: TreeSearch.greatestBatch)
    unsafe feet = .allocate(capacity: 1)
    unsafe batch = .allocate(capacity: 1)
    unsafe batch.initialize(to: vk_batch())
    unsafe keys = Self.aligned(48)
    unsafe neighbors = .allocate(capacity: Report.capacity)
  }

  deinit {
    unsafe bounds.deallocate()
    unsafe minima.deallocate()
    unsafe blocks.deallocate()
    unsafe visits.deallocate()
    unsafe waitingVisits.deallocate()
    unsafe waiting.deallocate()
    unsafe lowers.deallocate()
    unsafe best.deallocate()
    unsafe finalists.deallocate()
    unsafe approaches.deallocate()
    unsafe descents.deallocate()
    unsafe feet.deallocate()
    unsafe batch.deallocate()
    unsafe keys.deallocate()
    unsafe neighbors.deallocate()
  }

  mutating func reset() {
    blockCount = 0
    visitCount = 0
    waitingVisitCount = 0
    finalistCount = 0
    batchCount = 0
    approachCount = 0
  }

  @inline(__always)
  mutating func append(_ finalist: Finalist) {
    if finalistCount == finalistCapacity {
      unsafe finalists = Self.grown(finalists, finalistCount, &finalistCapacity)
    }
    unsafe finalists[finalistCount] = finalist
    finalistCount += 1
  }

  /// Makes room for `count` more finalists.
  @inline(__always)
  mutating func reserveFinalists(_ count: Int) {
    while finalistCount + count > finalistCapacity {
      unsafe finalists = Self.grown(finalists, finalistCount, &finalistCapacity)
    }
  }

  /// Makes room for one more visit.
  @inline(__always)
  mutating func reserveVisit() {
    if visitCount == visitCapacity { growVisits() }
  }

  @inline(never)
  private mutating func growVisits() {
    let newLowers = unsafe Self.aligned(32 * visitCapacity)
    unsafe newLowers.update(from: lowers, count: 16 * visitCount)
    unsafe lowers.deallocate()
    unsafe lowers = newLowers
    var capacity = visitCapacity
    unsafe waitingVisits = Self.grown(waitingVisits, waitingVisitCount, &capacity)
    unsafe visits = Self.grown(visits, visitCount, &visitCapacity)
  }

  /// Makes room for one more open block.
  @inline(__always)
  mutating func reserveBlock() {
    if blockCount == blockCapacity { growBlocks() }
  }

  @inline(never)
  private mutating func growBlocks() {
    let capacity = 2 * blockCapacity
    let newBounds = unsafe Self.aligned(16 * capacity)
    unsafe newBounds.update(from: bounds, count: 16 * blockCount)
    unsafe bounds.deallocate()
    unsafe bounds = newBounds
    let newMinima = unsafe Self.aligned(capacity + 4)
    unsafe newMinima.update(from: minima, count: blockCount)
    unsafe minima.deallocate()
    unsafe minima = newMinima
    var grownCapacity = blockCapacity
    unsafe blocks = Self.grown(blocks, blockCount, &grownCapacity)
    blockCapacity = capacity
  }

  /// Makes room for `count` of the smallest upper bounds and the sentinels around them.
  mutating func reserveBest(_ count: Int) {
    let needed = max(40, count + 12)
    guard needed > bestCapacity else { return }
    unsafe best.deallocate()
    bestCapacity = max(needed, 2 * bestCapacity)
    unsafe best = Self.aligned(bestCapacity)
  }

  private static func aligned(_ count: Int) -> UnsafeMutablePointer<Float> {
    unsafe UnsafeMutableRawPointer.allocate(byteCount: count * 4, alignment: 64)
      .initializeMemory(as: Float.self, repeating: 0, count: count)
  }

  @inline(never)
  private static func grown<T>(
    _ old: UnsafeMutablePointer<T>, _ count: Int, _ capacity: inout Int
  ) -> UnsafeMutablePointer<T> {
    capacity *= 2
    let new = UnsafeMutablePointer<T>.allocate(capacity: capacity)
    unsafe new.moveInitialize(from: old, count: count)
    unsafe old.deallocate()
    return unsafe new
  }
}
