internal import CVicinityKernels
public import VicinityGeodesy
public import VicinityIndex

extension RegionIndex {
  /// A query for the `count` nearest regions whose position moves.
  ///
  /// - Precondition: `count >= 0`.
  public func movingQuery(count: Int) -> MovingQuery { MovingQuery(self, count: max(0, count)) }
}

/// The set of the nearest regions, kept exact while the position moves, for a fraction of a query's cost.
///
///     var moving = index.movingQuery(count: 20)
///     for fix in track where try moving.move(to: fix.coordinate) {
///       register(moving.ordinals)
///     }
///
/// Boundary distance changes by no more than the position moves. So the set stays the same within half the
/// difference between the last distance inside the set and the first outside, and a shorter move costs one
/// comparison. After a longer move, a cached ``Neighborhood`` is partitioned again: it holds every region
/// whose distance was below a limit at the anchor, and any other region is farther away than the limit minus
/// the distance from the anchor (S. Nutanong et al., *The V*-Diagram*, VLDB 2008, calls these the fixed-rank
/// and the reliable region). An exact query decides what bounds cannot. The set is kept, not its order:
/// ``neighbors(at:)`` finds the order.
@safe public struct MovingQuery: ~Copyable {
  private let index: RegionIndex
  private let count: Int
  private var scratch = QueryScratch()
  private var found: [Neighbor] = []

  /// The set: the ordinals of the nearest regions, in no particular order. Empty before the first move.
  public private(set) var ordinals: [Int] = []

  /// The last set, while a new one is made.
  private var previous: [Int] = []

  /// Where the set was last established.
  private var origin = FlatDisc()
  /// The set is the same within this distance of the origin, metres.
  private var validRadius: Meters = 0
  /// The square of that, and of how far the origin's bound holds, square metres.
  private var validRadius2 = -1.0
  /// An upper bound of the square of the position's distance from the origin, square metres.
  private var moved2 = 0.0

  /// The circles near the position.
  private var neighborhood = Neighborhood()
  /// Lower and upper bounds of their distances.
  private let lowers: Buffer<Float>
  private let uppers: Buffer<Float>
  /// Which lanes of each block belong to the set, and which belonged to it when it was last read off.
  private let members: Buffer<UInt32>
  private let lastMembers: Buffer<UInt32>
  /// The neighbourhood's blocks of sixteen; none where it cannot be used.
  private var blockCount = 0
  private let blockCapacity: Int
  /// How far from the anchor the neighbourhood may be asked, metres.
  private var reach: Float = 0
  /// The lanes of the last block that hold no region.
  private var emptyLanes: UInt32 = 0
  /// Whether `lastMembers` refers to this neighbourhood.
  private var hasLastMembers = false
  /// A distance between the last one inside the set and the first one outside, metres.
  private var pivot: Float = 0
  /// The limit of the next neighbourhood minus the pivot, metres; zero before the first query.
  private var margin: Float = 0

  /// A neighbourhood of more than this many times the count, plus a thousand, is not worth keeping.
  private static let largestNeighborhood = 16

  init(_ index: RegionIndex, count: Int) {
    self.index = index
    self.count = count
    blockCapacity = (min(count, index.count) * Self.largestNeighborhood + 1024) / 16
    lowers = Buffer(capacity: 16 * blockCapacity)
    uppers = Buffer(capacity: 16 * blockCapacity)
    members = Buffer(capacity: blockCapacity)
    lastMembers = Buffer(capacity: blockCapacity)
  }

  /// The distance that the position may move from here, in any direction, before the set can change, metres.
  ///
  /// A lower bound; zero before the first move, infinity when the set is the same everywhere.
  public var stableDistance: Meters { max(0, validRadius - moved2.squareRoot()) }

  /// Moves the position.
  ///
  /// - Returns: Whether the set has changed.
  /// - Throws: ``QueryError/invalidCoordinate(_:)``; the query stays where it was then.
  /// - Complexity: O(1) within ``stableDistance``, O(count) within the neighbourhood, a query beyond.
  public mutating func move(to position: Coordinate) throws(QueryError) -> Bool {
    guard position.isValid else { throw .invalidCoordinate(position) }
    let distance2 = origin.distance2(to: position)
    if distance2 < validRadius2 {
      moved2 = distance2
      return false
    }
    return update(position)
  }

  /// The set in order, with distances, at `position`: an ordinary query.
  ///
  /// - Throws: ``QueryError/invalidCoordinate(_:)``.
  public mutating func neighbors(at position: Coordinate) throws(QueryError) -> [Neighbor] {
    var result: [Neighbor] = []
    try index.nearest(count, to: position, scratch: &scratch, into: &result)
    return result
  }

  // MARK: Establishing the set

  private mutating func update(_ position: Coordinate) -> Bool {
    if index.count <= count {
      let changed = ordinals.count != index.count
      ordinals = Array(0..<index.count)
      setOrigin(position, ECEF(unchecked: position), validRadius: .infinity)
      return changed
    }
    guard count > 0 else {
      setOrigin(position, ECEF(unchecked: position), validRadius: .infinity)
      return false
    }
    if let changed = partition(position) { return changed }
    let ecef = ECEF(unchecked: position)
    if margin > 0, gather(position, ecef), let changed = partition(position) { return changed }
    return query(position, ecef)
  }

  private mutating func setOrigin(_ position: Coordinate, _ ecef: ECEF, validRadius: Meters) {
    setOrigin(position, FlatBound(at: position, ecef), validRadius: validRadius)
  }

  private mutating func setOrigin(_ position: Coordinate, _ bound: FlatBound, validRadius: Meters) {
    origin = FlatDisc(at: position, bound)
    self.validRadius = validRadius
    let radius = min(validRadius, bound.farthest)
    validRadius2 = radius > 0 ? radius * radius : -1
    moved2 = 0
  }

  /// Finds the set for a position among the neighbourhood's regions.
  ///
  /// - Returns: Whether the set has changed; nil when the neighbourhood is too small to tell.
  private mutating func partition(_ position: Coordinate) -> Bool? {
    guard blockCount > 0 else { return nil }
    guard let point = neighborhood.nearby.point(of: position) else { return partitionInSpace(position) }
    // The error plus a fourth, for the roundings of further arithmetic with the bounds.
    let error = Float(1.25 * neighborhood.nearby.error).nextUp
    let moved = (point.x * point.x + point.y * point.y).squareRoot() + error
    // Regions outside the neighbourhood are at least this far away.
    let elsewhere = Float(neighborhood.circles.limit) - moved
    guard elsewhere > pivot, moved <= reach else { return nil }
    var first = Partition()
    first.total = Int(
      unsafe vk_partition_plane(
        neighborhood.planar.base, Int32(blockCount), point.x, point.y, error, pivot, lowers.base,
        members.base,
        &first.inside,
        &first.outside))
    let bound = FlatBound(
      at: position, metersPerDegree: Double(neighborhood.nearby.metersPerDegree))
    return unsafe movePivot(
      position, bound, first, elsewhere, lowers.base, band: 2 * error,
      step: 2 * error + abs(pivot) * 1e-6)
  }

  /// The same in space, for neighbourhoods too large for a plane.
  private mutating func partitionInSpace(_ position: Coordinate) -> Bool? {
    let ecef = ECEF(unchecked: position)
    let dx = ecef.x - neighborhood.circles.anchor.x
    let dy = ecef.y - neighborhood.circles.anchor.y
    let dz = ecef.z - neighborhood.circles.anchor.z
    let chord = (dx * dx + dy * dy + dz * dz).squareRoot()
    guard chord < 1e6 else { return nil }
    let elsewhere =
      Float(neighborhood.circles.limit) - Float(GeodesicBounds.fastUpperBound(chord: chord)).nextUp
    guard elsewhere > pivot else { return nil }
    let x = Float(dx)
    let y = Float(dy)
    let z = Float(dz)
    // As in a leaf, the offset, the lane's offset and their difference are rounded on each axis. A lane lies
    // no farther from the anchor than the limit and its radius together.
    let largestRadius = neighborhood.circles.largestRadius
    let offset = abs(x) + abs(y) + abs(z)
    let extent = offset + Float(abs(neighborhood.circles.limit)) + largestRadius
    let epsilon = neighborhood.circles.laneError + 4e-7 * offset
    let step = 2 * epsilon + abs(pivot) * 4e-5
    let bound = FlatBound(at: position, ecef)
    let blocks = unsafe neighborhood.circles.blocks.base
    // Near by, upper bounds are the lower ones plus a constant.
    guard let band = TreeView.nearBand(extent: extent, largestRadius: largestRadius, epsilon: epsilon) else {
      for b in 0..<blockCount {
        _ = unsafe vk_leaf_bounds(
          blocks + 64 * b, x, y, z, epsilon, 0, lowers.base + 16 * b, uppers.base + 16 * b)
      }
      return unsafe movePivot(
        position, bound, partition(uppers.base), elsewhere, uppers.base, band: 0, step: step)
    }
    var first = Partition()
    for b in 0..<blockCount {
      let mask = unsafe vk_partition_near(
        blocks + 64 * b, x, y, z, epsilon, pivot, lowers.base + 16 * b, &first.inside, &first.outside)
      unsafe members.base[b] = mask
      first.total += mask.nonzeroBitCount
    }
    return unsafe movePivot(
      position, bound, first, elsewhere, lowers.base, band: band, step: step)
  }

  /// How many lanes are below the pivot, and the bounds on both sides of it that are nearest to it.
  private struct Partition {
    var total = 0
    var inside = -Float.greatestFiniteMagnitude
    var outside = Float.greatestFiniteMagnitude
  }

  private mutating func partition(_ uppers: UnsafeMutablePointer<Float>) -> Partition {
    var partition = Partition()
    for b in 0..<blockCount {
      let mask = unsafe vk_partition(
        lowers.base + 16 * b, uppers + 16 * b, pivot, &partition.inside, &partition.outside)
      unsafe members.base[b] = mask
      partition.total += mask.nonzeroBitCount
    }
    return partition
  }

  /// Moves the pivot until `count` lanes are below it, and makes these the set.
  ///
  /// - Parameters:
  ///   - elsewhere: No region outside the neighbourhood is nearer than this, metres.
  ///   - uppers: Upper bounds of distances minus `band`, metres.
  /// - Returns: Whether the set has changed; nil where the bounds do not tell.
  private mutating func movePivot(
    _ position: Coordinate, _ bound: FlatBound, _ first: Partition, _ elsewhere: Float,
    _ uppers: UnsafeMutablePointer<Float>, band: Float, step: Float
  ) -> Bool? {
    var partition = first
    for _ in 0..<8 {
      let outside = min(partition.outside, elsewhere)
      if partition.total == count {
        // They are too far away to be members, unless damaged bytes make an error infinite.
        guard unsafe members.base[blockCount - 1] & emptyLanes == 0 else { return nil }
        let gap = outside - (partition.inside + band)
        guard gap > 0 else { return nil }
        pivot = outside - 0.5 * gap
        // Near the neighbourhood's end the set would be valid for a short move only: a new neighbourhood is
        // better.
        if outside == elsewhere, gap < 0.1 * margin { return nil }
        setOrigin(position, bound, validRadius: Double((0.5 * gap).nextDown))
        return takeMembers()
      }
      // One more or one fewer: to the other side of the nearest bound.
      let next = partition.total < count ? outside + step : partition.inside - step
      guard next.isFinite, next != pivot, next < elsewhere else { return nil }
      pivot = next
      partition = unsafe self.partition(uppers)
    }
    return nil
  }

  /// Makes the members the set.
  ///
  /// - Returns: Whether the set has changed.
  private mutating func takeMembers() -> Bool {
    if hasLastMembers {
      var isSame = true
      for b in 0..<blockCount where unsafe members.base[b] != lastMembers.base[b] { isSame = false }
      if isSame { return false }
    }
    swap(&ordinals, &previous)
    ordinals.removeAll(keepingCapacity: true)
    for b in 0..<blockCount {
      var mask = unsafe members.base[b]
      unsafe lastMembers.base[b] = mask
      while mask != 0 {
        let record = unsafe neighborhood.circles.records.base[16 * b + mask.trailingZeroBitCount]
        ordinals.append(Int(record.ordinal))
        mask &= mask - 1
      }
    }
    // Within one neighbourhood, different lanes are different regions.
    if hasLastMembers { return true }
    hasLastMembers = true
    return !Self.areSame(previous, ordinals)
  }

  /// Whether two lists, each without repetition, hold the same ordinals.
  private static func areSame(_ a: [Int], _ b: [Int]) -> Bool {
    guard a.count == b.count else { return false }
    // A linear search in a short list is faster than sorting, and allocates nothing.
    return a.count <= 32 ? a.allSatisfy { b.contains($0) } : a.sorted() == b.sorted()
  }

  /// Gathers a new neighbourhood around a position.
  ///
  /// - Returns: False where it cannot be used: it has polygons, or too few or too many regions.
  private mutating func gather(_ position: Coordinate, _ ecef: ECEF) -> Bool {
    blockCount = 0
    hasLastMembers = false
    let limit = Double(pivot + margin)
    reach = Float(max(limit, Double(margin)))
    let isComplete = neighborhood.gatherNearest(
      index.tree.view, around: position, ecef, limit: limit, reach: Double(reach), most: 16 * blockCapacity)
    let n = neighborhood.circles.count
    margin = Float(neighborhood.circles.nextMargin(Double(margin), wanted: count))
    guard isComplete, n > count else { return false }
    blockCount = (n + 15) / 16
    emptyLanes = n % 16 == 0 ? 0 : ~0 << UInt32(n % 16)
    return true
  }

  /// Queries the index for the set and the next region beyond it.
  ///
  /// - Returns: Whether the set has changed.
  private mutating func query(_ position: Coordinate, _ ecef: ECEF) -> Bool {
    found.removeAll(keepingCapacity: true)
    index.run(
      CheckedQuery(uncheckedCount: count + 1, position: position), scratch: &scratch, appendingTo: &found)
    blockCount = 0
    hasLastMembers = false
    swap(&ordinals, &previous)
    ordinals.removeAll(keepingCapacity: true)
    for neighbor in found.prefix(count) { ordinals.append(neighbor.ordinal) }
    let changed = !Self.areSame(previous, ordinals)
    // A damaged file's bytes may hide regions: the set is valid here only.
    guard found.count > count else {
      setOrigin(position, ecef, validRadius: 0)
      return changed
    }
    let last = found[count - 1].distance
    let next = found[count].distance
    // Distances of circles are within a micrometre of the truth, those of polygons within a millimetre.
    let gap = next - last - (found.contains { $0.distanceToCenter == nil } ? 2e-3 : 2e-6)
    setOrigin(position, ecef, validRadius: max(0, 0.5 * gap))
    pivot = Float(0.5 * (last + next))
    if margin == 0 {
      margin = Float(max(100, 0.8 * (abs(next) + 0.1 * (next - found[0].distance))))
    }
    return changed
  }
}
