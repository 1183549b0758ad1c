internal import CVicinityKernels
internal import Synchronization
internal import VicinityGeodesy

/// The working memory of queries, kept from one query to the next, so that a warm query allocates nothing.
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
  var frontierBounds: UnsafeMutablePointer<Float>
  /// The smallest bound of each node; padded to a multiple of four with large numbers.
  var frontierMinima: UnsafeMutablePointer<Float>
  /// The number of each node.
  var frontierNodes: UnsafeMutablePointer<UInt32>
  private var frontierCapacity = 64
  var frontierCount = 0

  // MARK: What the search has found

  /// The leaves that have been read.
  var visits: UnsafeMutablePointer<LeafVisit>
  /// Sixteen lower bounds for each visit, at 64-byte boundaries.
  var visitBounds: UnsafeMutablePointer<Float>
  private var visitCapacity = 64
  var visitCount = 0

  /// The smallest upper bounds: an ascending list that starts at the fourth element, or a heap that starts at the first.
  var best: UnsafeMutablePointer<Float>
  private var bestCapacity = 128

  /// The visits to leaves with polygons that have not been measured yet.
  var pendingVisits: UnsafeMutablePointer<Int32>
  var pendingVisitCount = 0
  /// The 32 smallest lower bounds of these polygons, ascending.
  let pendingBounds: UnsafeMutablePointer<Float>

  /// The polygons of the next batch, the traversals of their boxes, and the edges that are left to measure.
  let polygonBatch: UnsafeMutablePointer<PendingPolygon>
  let descents: UnsafeMutablePointer<vk_descent>
  var polygonBatchCount = 0
  let feet: UnsafeMutablePointer<vk_feet>

  // MARK: The answer

  /// Circles to be measured together.
  let circleBatch: UnsafeMutablePointer<vk_batch>
  var circleBatchCount = 0

  /// Measured regions that may belong to the answer.
  var candidates: UnsafeMutablePointer<Candidate>
  private var candidateCapacity = 256
  var candidateCount = 0

  /// Keys to sort by (32 and room for a vector), and the neighbours in their order.
  let keys: UnsafeMutablePointer<Float>
  let neighbors: UnsafeMutablePointer<Neighbor>

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
  }

  /// Empty working memory: about 40 kB, growing as queries need it.
  public init() {
    unsafe frontierBounds = Self.aligned(16 * frontierCapacity)
    unsafe frontierMinima = Self.aligned(frontierCapacity + 4)
    unsafe frontierNodes = .allocate(capacity: frontierCapacity)
    unsafe visits = .allocate(capacity: visitCapacity)
    unsafe visitBounds = Self.aligned(16 * visitCapacity)
    unsafe best = Self.aligned(bestCapacity)
    unsafe pendingVisits = .allocate(capacity: visitCapacity)
    unsafe pendingBounds = Self.aligned(32)
    unsafe polygonBatch = .allocate(capacity: TreeSearch.largestBatch)
    unsafe descents = .allocate(capacity: TreeSearch.largestBatch)
    unsafe feet = .allocate(capacity: 1)
    unsafe circleBatch = .allocate(capacity: 1)
    unsafe circleBatch.initialize(to: vk_batch())
    unsafe candidates = .allocate(capacity: candidateCapacity)
    unsafe keys = Self.aligned(48)
    unsafe neighbors = .allocate(capacity: TreeQuery.sortingCapacity)
  }

  deinit {
    unsafe frontierBounds.deallocate()
    unsafe frontierMinima.deallocate()
    unsafe frontierNodes.deallocate()
    unsafe visits.deallocate()
    unsafe visitBounds.deallocate()
    unsafe best.deallocate()
    unsafe pendingVisits.deallocate()
    unsafe pendingBounds.deallocate()
    unsafe polygonBatch.deallocate()
    unsafe descents.deallocate()
    unsafe feet.deallocate()
    unsafe circleBatch.deallocate()
    unsafe candidates.deallocate()
    unsafe keys.deallocate()
    unsafe neighbors.deallocate()
  }

  /// Forgets the last query.
  mutating func reset() {
    frontierCount = 0
    visitCount = 0
    pendingVisitCount = 0
    candidateCount = 0
    circleBatchCount = 0
    polygonBatchCount = 0
  }

  // MARK: Room

  @inline(__always)
  mutating func append(_ candidate: Candidate) {
    reserveCandidates(1)
    unsafe candidates[candidateCount] = candidate
    candidateCount += 1
  }

  /// Makes room for `count` more candidates.
  @inline(__always)
  mutating func reserveCandidates(_ count: Int) {
    while candidateCount + count > candidateCapacity {
      unsafe candidates = Self.grown(candidates, candidateCount, to: 2 * candidateCapacity)
      candidateCapacity *= 2
    }
  }

  /// Makes room for one more visit.
  @inline(__always)
  mutating func reserveVisit() {
    if visitCount == visitCapacity { growVisits() }
  }

  @inline(never)
  private mutating func growVisits() {
    let capacity = 2 * visitCapacity
    unsafe visitBounds = Self.grownAligned(visitBounds, 16 * visitCount, to: 16 * capacity)
    unsafe pendingVisits = Self.grown(pendingVisits, pendingVisitCount, to: capacity)
    unsafe visits = Self.grown(visits, visitCount, to: capacity)
    visitCapacity = capacity
  }

  /// Makes room for one more node in the frontier.
  @inline(__always)
  mutating func reserveFrontier() {
    if frontierCount == frontierCapacity { growFrontier() }
  }

  @inline(never)
  private mutating func growFrontier() {
    let capacity = 2 * frontierCapacity
    unsafe frontierBounds = Self.grownAligned(frontierBounds, 16 * frontierCount, to: 16 * capacity)
    unsafe frontierMinima = Self.grownAligned(frontierMinima, frontierCount, to: capacity + 4)
    unsafe frontierNodes = Self.grown(frontierNodes, frontierCount, to: capacity)
    frontierCapacity = capacity
  }

  /// Makes room for the `count` smallest upper bounds and the sentinels around them.
  mutating func reserveBest(_ count: Int) {
    let needed = max(40, count + 12)
    guard needed > bestCapacity else { return }
    bestCapacity = max(needed, 2 * bestCapacity)
    unsafe best = Self.grownAligned(best, 0, to: bestCapacity)
  }

  private static func aligned(_ count: Int) -> UnsafeMutablePointer<Float> {
    unsafe UnsafeMutableRawPointer.allocate(byteCount: count * 4, alignment: 64)
      .initializeMemory(as: Float.self, repeating: 0, count: count)
  }

  private static func grownAligned(
    _ old: UnsafeMutablePointer<Float>, _ count: Int, to capacity: Int
  ) -> UnsafeMutablePointer<Float> {
    let new = unsafe aligned(capacity)
    unsafe new.update(from: old, count: count)
    unsafe old.deallocate()
    return unsafe new
  }

  @inline(never)
  private static func grown<T>(
    _ old: UnsafeMutablePointer<T>, _ count: Int, to capacity: Int
  ) -> UnsafeMutablePointer<T> {
    let new = UnsafeMutablePointer<T>.allocate(capacity: capacity)
    unsafe new.moveInitialize(from: old, count: count)
    unsafe old.deallocate()
    return unsafe new
  }
}

/// Working memory for queries that bring none of their own: checked out for one query and checked in after it.
enum ScratchPool {
  /// Working memory that one thread uses at a time.
  // SAFETY: a slot is either in the pool, where nobody reads its scratch, or checked out by the one thread that
  // removed it. The pool's lock orders the two.
  final class Slot: @unchecked Sendable {
    var scratch = QueryScratch()
    /// Written at check-in and read at check-out. It repeats the order that the pool's lock gives, because the thread
    /// sanitizer does not see the lock's contended path.
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
