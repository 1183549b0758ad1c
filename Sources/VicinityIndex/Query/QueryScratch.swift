internal import CVicinityKernels
internal import Synchronization
public import VicinityGeodesy
internal import VicinityPolygon

/// The working memory of queries, kept from one query to the next, so that a warm query allocates nothing.
/// Queries of one packed index for the nearest circles, one after the other along a way, also share what they
/// read: most need no search of the tree, and are exact at any tier.
///
/// One per thread: it can be neither copied nor shared.
///
///     var scratch = QueryScratch()
///     var found: [Neighbor] = []
///     for position in positions {
///       try index.nearest(20, to: position, scratch: &scratch, into: &found)
///     }
@safe public struct QueryScratch: ~Copyable {
  // MARK: The frontier: nodes that have been read, with those of their children that have not

  /// Sixteen lower bounds for each node, at 64-byte boundaries.
  private(set) var frontierBounds = Buffer<Float>(capacity: 16 * 64)
  /// The smallest bound of each node; padded to a multiple of four with large numbers.
  private(set) var frontierMinima = Buffer<Float>(capacity: 64 + 4)
  /// The number of each node.
  private(set) var frontierNodes = Buffer<UInt32>(capacity: 64)
  var frontierCount = 0

  // MARK: What the search has found

  /// The leaves that have been read.
  private(set) var visits = Buffer<LeafVisit>(capacity: 64)
  /// Sixteen lower bounds for each visit, at 64-byte boundaries.
  private(set) var visitBounds = Buffer<Float>(capacity: 16 * 64)
  var visitCount = 0

  /// The smallest upper bounds: an ascending list that starts at the fourth element, or a heap that starts at
  /// the first.
  private(set) var best = Buffer<Float>(capacity: 128)

  /// The visits to leaves with polygons that have not been measured yet.
  private(set) var pendingVisits = Buffer<Int32>(capacity: 64)
  var pendingVisitCount = 0
  /// The 32 smallest lower bounds of these polygons, ascending.
  private(set) var pendingBounds = Buffer<Float>(capacity: 32)

  /// The polygons of the next batch, the traversals of their boxes, and the edges that are left to measure.
  private(set) var polygonBatch = Buffer<PendingPolygon>(capacity: TreeSearch.largestBatch)
  private(set) var traversals = unsafe Buffer<vk_traversal>(capacity: TreeSearch.largestBatch)
  var polygonBatchCount = 0
  private(set) var closestPoints = Buffer<vk_closest_point_batch>(capacity: 1)

  // MARK: The answer

  /// Circles to be measured together.
  private(set) var circleBatch = Buffer<vk_batch>(capacity: 1)
  var circleBatchCount = 0

  /// Measured regions that may belong to the answer.
  private(set) var candidates = Buffer<Candidate>(capacity: 256)
  var candidateCount = 0

  /// Keys to sort by (32 and room for a vector), and the neighbours in their order.
  private(set) var keys = Buffer<Float>(capacity: 48)
  private(set) var neighbors = Buffer<Neighbor>(capacity: TreeQuery.sortingCapacity)

  /// The centres around which there are so many circles that nodes hold nothing else, and what has been found
  /// of these.
  var sames: [SameCenter] = []

  // MARK: From one query to the next

  var recent = RecentCircles()

  /// A leaf that has been read.
  @safe struct LeafVisit {
    var leaf: UnsafeRawPointer
    /// The query's position minus the leaf's origin, metres.
    var x: Double
    var y: Double
    var z: Double
    /// The lanes of circles whose lower bound passed.
    var circles: UInt32
    /// The lanes of polygons that may have to be measured.
    var polygons: UInt32
    /// What the bounds allow for rounding, metres.
    var epsilon: Float
    /// How far upper bounds of circles are above the lower ones, metres; 0 where each has its own.
    var band: Float

    /// Bounds of the distances of its circles.
    ///
    /// - Returns: The lanes whose lower bound is below `threshold`.
    func bounds(
      below threshold: Float, _ lower: UnsafeMutablePointer<Float>, _ upper: UnsafeMutablePointer<Float>
    ) -> UInt32 {
      unsafe vk_leaf_bounds(leaf, Float(x), Float(y), Float(z), epsilon, threshold, lower, upper)
    }
  }

  /// A polygon of the batch that is measured next.
  struct PendingPolygon {
    var record: RegionRecord
    /// A lower bound of its distance, metres.
    var bound: Float
    var polygon: PolygonView
    /// The boundary distance where the position may lie inside, metres.
    var insideDistance: Meters
  }

  /// A measured region that may belong to the answer.
  struct Candidate {
    /// Signed boundary distance, metres.
    var distance: Double
    /// The largest possible difference between `distance` and the reference's, metres.
    var error: Double
    /// Distance to the centre, metres; NaN for polygons.
    var centerDistance: Double
    var record: RegionRecord

    /// Takes the distance of another candidate, which is the same circle: some are measured by the reference,
    /// some are not.
    mutating func takeDistance(of other: Candidate) {
      (distance, error, centerDistance) = (other.distance, other.error, other.centerDistance)
    }
  }

  /// The most by which the distances that the last query told differ from the true ones, metres, and no more
  /// than its tolerance; 0 where it was answered exactly.
  public internal(set) var distanceError: Meters = 0

  /// Empty working memory: about 40 kB, growing as queries need it.
  public init() {}

  /// Forgets the last query.
  mutating func reset() {
    frontierCount = 0
    visitCount = 0
    pendingVisitCount = 0
    candidateCount = 0
    circleBatchCount = 0
    polygonBatchCount = 0
    if !sames.isEmpty { sames.removeAll(keepingCapacity: true) }
  }

  // MARK: Room

  @inline(__always)
  mutating func append(_ candidate: Candidate) {
    reserveCandidates(1)
    unsafe candidates.base[candidateCount] = candidate
    candidateCount += 1
  }

  @inline(__always)
  mutating func reserveCandidates(_ count: Int) {
    while candidateCount + count > candidates.capacity {
      candidates.grow(to: 2 * candidates.capacity, keeping: candidateCount)
    }
  }

  /// Makes room for one more visit.
  @inline(__always)
  mutating func reserveVisit() {
    if visitCount == visits.capacity { growVisits() }
  }

  @inline(never)
  private mutating func growVisits() {
    let capacity = 2 * visits.capacity
    visits.grow(to: capacity, keeping: visitCount)
    visitBounds.grow(to: 16 * capacity, keeping: 16 * visitCount)
    pendingVisits.grow(to: capacity, keeping: pendingVisitCount)
  }

  /// Makes room for one more node in the frontier.
  @inline(__always)
  mutating func reserveFrontier() {
    if frontierCount == frontierNodes.capacity { growFrontier() }
  }

  @inline(never)
  private mutating func growFrontier() {
    let capacity = 2 * frontierNodes.capacity
    frontierNodes.grow(to: capacity, keeping: frontierCount)
    frontierBounds.grow(to: 16 * capacity, keeping: 16 * frontierCount)
    frontierMinima.grow(to: capacity + 4, keeping: frontierCount)
  }

  /// Makes room for the `count` smallest upper bounds and the sentinels around them.
  mutating func reserveBest(_ count: Int) {
    let needed = max(40, count + 12)
    if needed > best.capacity { best.grow(to: max(needed, 2 * best.capacity), keeping: 0) }
  }
}

/// Working memory for queries that bring none of their own: checked out for one query and checked in after
/// it.
enum ScratchPool {
  /// Working memory that one thread uses at a time.
  // SAFETY: a slot is either in the pool, where nobody reads its scratch, or checked out by the one thread
  // that removed it. The pool's lock orders the two.
  final class Slot: @unchecked Sendable {
    var scratch = QueryScratch()
    /// Written at check-in and read at check-out. It repeats the order that the pool's lock gives, because
    /// the thread sanitizer does not see the lock's contended path.
    let handover = Atomic<Bool>(false)
  }

  private static let idle = Mutex<[Slot]>([])

  /// Slots beyond this number are freed at check-in. It is more than there are cores to run queries on.
  private static let capacity = 64

  static func checkout() -> Slot {
    guard let slot = idle.withLock({ $0.popLast() }) else { return Slot() }
    _ = slot.handover.load(ordering: .acquiring)
    return slot
  }

  static func checkin(_ slot: Slot) {
    slot.handover.store(true, ordering: .releasing)
    idle.withLock { if $0.count < capacity { $0.append(slot) } }
  }
}
