internal import CVicinityKernels
public import VicinityGeodesy

extension RegionIndex {
  /// A query for the `count` nearest regions whose position moves.
  ///
  /// - Precondition: `count >= 0`.
  public func movingQuery(count: Int) -> MovingQuery { MovingQuery(self, count: max(0, count)) }
}

/// The set of the nearest regions, kept exact while the position moves, at a fraction of a query's cost.
///
///     var moving = index.movingQuery(count: 20)
///     for fix in track where try moving.move(to: fix) {
///       register(moving.ordinals)
///     }
///
/// Boundary distance changes by no more than the position moves. So the set holds within
/// half the difference between the first distance outside it and the last inside, and a move shorter than
/// that costs a comparison. Beyond, a cached neighbourhood is parted anew: every region whose distance was
/// below a limit at the anchor; any other is farther than the limit less the way from the anchor
/// (S. Nutanong et al., *The V*-Diagram*, VLDB 2008, calls these the fixed-rank and the reliable region).
/// What bounds cannot decide goes to an exact query. The set, not its order, is kept: ``neighbors(at:)`` asks for
/// the order.
@safe public struct MovingQuery: ~Copyable {
  private let index: RegionIndex
  private let count: Int
  private var scratch = QueryScratch()
  private var found: [Neighbor] = []

  /// The set: the ordinals of the nearest regions, in no particular order. Empty before the first move.
  public private(set) var ordinals: [Int] = []

  /// The set before, while a new one is made.
  private var previous: [Int] = []

  /// Where the set was last established.
  private var settled = Coordinate(latitude: .nan, longitude: .nan)
  /// An upper bound of the metres of a degree of longitude within half a degree of latitude of there.
  private var metersPerDegreeEast = 0.0
  /// How far from there it holds, metres.
  private var reach: Meters = 0
  /// An upper bound of the square of how far the position has moved since, square metres.
  private var moved2 = 0.0

  /// The neighbourhood: blocks laid out as a leaf's four rows, relative to `anchor`.
  private let blocks: Buffer<Float>
  /// The same circles on the plane, in blocks of sixteen: x, y, radius.
  private let planar: Buffer<Float>
  /// Lower bounds of their distances, and upper ones.
  private let lowers: Buffer<Float>
  private let uppers: Buffer<Float>
  /// Which lanes of each block belong to the set, and which did when it was last established.
  private let members: Buffer<UInt32>
  private let settledMembers: Buffer<UInt32>
  /// The ordinals of the neighbourhood's regions.
  private let neighborhood: Buffer<UInt32>
  private var blockCount = 0
  private let blockCapacity: Int
  /// Whether `settledMembers` speaks of this neighbourhood.
  private var isSettledHere = false
  private var largestRadius: Float = 0
  private var anchor = ECEF(x: 0, y: 0, z: 0)
  /// What touches the ellipsoid at the anchor, where the neighbourhood is small enough for that.
  private var plane = TangentPlane.none
  /// Every region outside the neighbourhood is at least this far from the anchor, metres.
  private var limit: Float = -.infinity
  /// Between the last distance inside the set and the first outside.
  private var pivot: Float = 0
  /// How far beyond the pivot the next neighbourhood reaches, metres.
  private var margin: Float = 0

  /// Between one and a half and two and a half times the count costs least in all: smaller neighbourhoods are
  /// left too soon, larger ones take longer to part (nanoseconds a fix at 15 m/s in dense places, 100k and 1M
  /// regions: 1.3-2.0 times 62 and 134, 1.5-2.5 times 62 and 136, 2.0-3.5 times 76 and 153, 3-5 times 89 and 184).
  private var smallNeighborhood: Int { count + count / 2 + 2 }
  private var largeNeighborhood: Int { 2 * count + count / 2 + 4 }

  /// A neighbourhood that outgrows so many times the count, and a thousand, is not worth keeping.
  private static let largestNeighborhood = 16

  /// The longest degree of latitude or of the equator's longitude anywhere: π/180 of the largest radius of
  /// curvature, 6399.594 km.
  private static let metersPerDegree = 111_694.0

  init(_ index: RegionIndex, count: Int) {
    self.index = index
    self.count = count
    blockCapacity = (min(count, index.count) * Self.largestNeighborhood + 1024) / 16
    blocks = Buffer(capacity: 64 * blockCapacity)
    planar = Buffer(capacity: 48 * blockCapacity)
    lowers = Buffer(capacity: 16 * blockCapacity)
    uppers = Buffer(capacity: 16 * blockCapacity)
    members = Buffer(capacity: blockCapacity)
    settledMembers = Buffer(capacity: blockCapacity)
    neighborhood = Buffer(capacity: 16 * blockCapacity)
  }

  /// How much farther the position may move, in any direction, before the set can change, metres.
  ///
  /// A lower bound; zero before the first move, infinity when the set holds everywhere.
  public var holdsFor: Meters { max(0, reach - moved2.squareRoot()) }

  /// Moves the position.
  ///
  /// - Returns: Whether the set has changed.
  /// - Throws: ``QueryError/invalidCoordinate(_:)``; the query stays where it was then.
  /// - Complexity: O(1) while the set holds, O(count) within the neighbourhood, a query beyond.
  public mutating func move(to position: Coordinate) throws(QueryError) -> Bool {
    guard position.isValid else { throw .invalidCoordinate(position) }
    let dlat = position.latitude - settled.latitude
    let dlon = position.longitude - settled.longitude
    // Beyond half a degree of latitude the bound to the east ends; a wrapped longitude only looks far.
    if abs(dlat) < 0.5 {
      let north = Self.metersPerDegree * dlat
      let east = metersPerDegreeEast * dlon
      let distance2 = north * north + east * east
      if distance2 < reach * reach {
        moved2 = distance2
        return false
      }
    }
    return settle(position)
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

  private mutating func settle(_ position: Coordinate) -> Bool {
    if index.count <= count {
      let changed = ordinals.count != index.count
      ordinals = Array(0..<index.count)
      hold(at: position, Self.metersPerDegree, for: .infinity)
      return changed
    }
    guard count > 0 else {
      hold(at: position, Self.metersPerDegree, for: .infinity)
      return false
    }
    if let changed = part(position) { return changed }
    let place = ECEF(unchecked: position)
    if limit > -.infinity, gather(position, place), let changed = part(position) { return changed }
    return ask(position, place)
  }

  private mutating func hold(at position: Coordinate, _ metersPerDegreeEast: Double, for distance: Meters) {
    settled = position
    self.metersPerDegreeEast = metersPerDegreeEast
    reach = distance
    moved2 = 0
  }

  /// An upper bound of the metres of a degree of longitude within half a degree of latitude of a place.
  private static func metersPerDegreeEast(near place: ECEF) -> Double {
    // The distance from the axis is N cos(latitude), and N is at least a. cos changes by at most the change of
    // the angle: 0.5 degrees are 0.0088.
    metersPerDegree * min(1, (place.x * place.x + place.y * place.y).squareRoot() / WGS84.a + 0.01)
  }

  /// Parts the neighbourhood for a position; nil when it cannot tell the set.
  private mutating func part(_ position: Coordinate) -> Bool? {
    guard blockCount > 0 else { return nil }
    guard let spot = plane.point(of: position) else { return partFarther(position) }
    // Of the error a fourth more, for the roundings of what is done with the bounds.
    let error = Float(1.25 * plane.error).nextUp
    let way = (spot.x * spot.x + spot.y * spot.y).squareRoot() + error
    // Regions elsewhere are at least so far from here.
    let elsewhere = limit - way
    guard elsewhere > pivot, way <= Float(plane.radius) else { return nil }
    var first = Parting()
    first.total = Int(
      unsafe vk_plane_part(
        planar.base, Int32(blockCount), spot.x, spot.y, error, pivot, lowers.base, members.base,
        &first.inside,
        &first.outside))
    return unsafe settle(
      position, Double(plane.metersPerDegree), first, elsewhere, lowers.base, open: 2 * error,
      step: 2 * error + abs(pivot) * 1e-6)
  }

  /// The same in space, for neighbourhoods that no plane holds.
  private mutating func partFarther(_ position: Coordinate) -> Bool? {
    let place = ECEF(unchecked: position)
    let dx = place.x - anchor.x
    let dy = place.y - anchor.y
    let dz = place.z - anchor.z
    let chord = (dx * dx + dy * dy + dz * dz).squareRoot()
    guard chord < 1e6 else { return nil }
    let elsewhere = limit - Float(GeodesicBounds.fastUpperBound(chord: chord)).nextUp
    guard elsewhere > pivot else { return nil }
    let x = Float(dx)
    let y = Float(dy)
    let z = Float(dz)
    // As in a leaf: roundings on each axis, of the offset, the lane's and their difference; a lane lies no
    // farther from the anchor than the limit and its radius together.
    let extent = abs(x) + abs(y) + abs(z) + abs(limit) + largestRadius
    let epsilon = 1e-6 + 4e-7 * extent
    let step = 2 * epsilon + abs(pivot) * 4e-5
    let metersPerDegreeEast = Self.metersPerDegreeEast(near: place)
    // Near by, upper bounds are the lower ones and a constant.
    guard let open = TreeView.nearBand(extent: extent, largestRadius: largestRadius, epsilon: epsilon) else {
      for b in 0..<blockCount {
        _ = unsafe vk_leaf_bounds(
          blocks.base + 64 * b, x, y, z, epsilon, 0, lowers.base + 16 * b, uppers.base + 16 * b)
      }
      return unsafe settle(
        position, metersPerDegreeEast, parting(uppers.base), elsewhere, uppers.base, open: 0, step: step)
    }
    var first = Parting()
    for b in 0..<blockCount {
      let mask = unsafe vk_near_part(
        blocks.base + 64 * b, x, y, z, epsilon, pivot, lowers.base + 16 * b, &first.inside, &first.outside)
      unsafe members.base[b] = mask
      first.total += mask.nonzeroBitCount
    }
    return unsafe settle(
      position, metersPerDegreeEast, first, elsewhere, lowers.base, open: open, step: step)
  }

  /// How many are below the pivot, and the bounds next to it.
  private struct Parting {
    var total = 0
    var inside = -Float.greatestFiniteMagnitude
    var outside = Float.greatestFiniteMagnitude
  }

  /// Parts the neighbourhood at the pivot.
  private mutating func parting(_ uppers: UnsafeMutablePointer<Float>) -> Parting {
    var parting = Parting()
    for b in 0..<blockCount {
      let mask = unsafe vk_part(
        lowers.base + 16 * b, uppers + 16 * b, pivot, &parting.inside, &parting.outside)
      unsafe members.base[b] = mask
      parting.total += mask.nonzeroBitCount
    }
    return parting
  }

  /// Moves the pivot until as many are below it as the set has, and takes these; nil where the bounds do not tell.
  ///
  /// - Parameters:
  ///   - elsewhere: No region outside the neighbourhood is nearer, metres.
  ///   - uppers: Upper bounds of distances, or what is `open` metres less than these.
  private mutating func settle(
    _ position: Coordinate, _ metersPerDegreeEast: Double, _ first: Parting, _ elsewhere: Float,
    _ uppers: UnsafeMutablePointer<Float>, open: Float, step: Float
  ) -> Bool? {
    var parting = first
    for _ in 0..<8 {
      let outside = min(parting.outside, elsewhere)
      if parting.total == count {
        let gap = outside - (parting.inside + open)
        guard gap > 0 else { return nil }
        pivot = outside - 0.5 * gap
        // The last steps of a neighbourhood are not worth settling for.
        if outside == elsewhere, gap < 0.1 * margin { return nil }
        hold(at: position, metersPerDegreeEast, for: Double((0.5 * gap).nextDown))
        return takeMembers()
      }
      // One more or one fewer: to the other side of the bound that is in the way.
      let next = parting.total < count ? outside + step : parting.inside - step
      guard next.isFinite, next != pivot, next < elsewhere else { return nil }
      pivot = next
      parting = unsafe self.parting(uppers)
    }
    return nil
  }

  /// Reads the set off the members.
  ///
  /// - Returns: Whether it is another than before.
  private mutating func takeMembers() -> Bool {
    if isSettledHere {
      var isSame = true
      for b in 0..<blockCount where unsafe members.base[b] != settledMembers.base[b] { isSame = false }
      if isSame { return false }
    }
    swap(&ordinals, &previous)
    ordinals.removeAll(keepingCapacity: true)
    for b in 0..<blockCount {
      var mask = unsafe members.base[b]
      unsafe settledMembers.base[b] = mask
      while mask != 0 {
        ordinals.append(Int(unsafe neighborhood.base[16 * b + mask.trailingZeroBitCount]))
        mask &= mask - 1
      }
    }
    // Within one neighbourhood other lanes are other regions.
    if isSettledHere { return true }
    isSettledHere = true
    return !Self.areSame(previous, ordinals)
  }

  /// Whether two lists, each without repetition, hold the same ordinals.
  private static func areSame(_ a: [Int], _ b: [Int]) -> Bool {
    guard a.count == b.count else { return false }
    // Few are sooner looked for than sorted, and in no new memory.
    return a.count <= 32 ? a.allSatisfy { b.contains($0) } : a.sorted() == b.sorted()
  }

  /// Collects a new neighbourhood around a position; false where polygons are part of it.
  private mutating func gather(_ position: Coordinate, _ place: ECEF) -> Bool {
    let wanted = pivot + margin
    defer { withExtendedLifetime(index) {} }
    let tree = index.tree.view
    var search = TreeSearch(
      tree, position: position, ecef: place, count: nil, maximumDistance: Double(wanted), tolerance: 0)
    search.run(&scratch)
    blockCount = 0
    isSettledHere = false
    guard scratch.candidateCount == 0 else { return false }
    var n = 0
    for v in 0..<scratch.visitCount { n += unsafe scratch.visits.base[v].circles.nonzeroBitCount }
    if n > largeNeighborhood { margin *= 0.75 }
    if n < smallNeighborhood { margin *= 1.4 }
    guard n > count, n <= 16 * blockCapacity else { return false }
    anchor = place
    limit = wanted
    largestRadius = 0
    blockCount = (n + 15) / 16
    unsafe (blocks.base + 64 * (blockCount - 1)).update(repeating: TreeLayout.farAway, count: 64)
    var i = 0
    for v in 0..<scratch.visitCount {
      let visit = unsafe scratch.visits.base[v]
      var mask = visit.circles
      while mask != 0 {
        let lane = mask.trailingZeroBitCount
        mask &= mask - 1
        let row = unsafe visit.leaf.assumingMemoryBound(to: Float.self) + lane
        let record = unsafe RegionRecord(
          visit.leaf + TreeLayout.recordOffset + TreeLayout.recordSize * lane)
        // A damaged file's records may be no regions; ordinary queries know.
        guard record.ordinal < tree.ordinalLimit else {
          blockCount = 0
          return false
        }
        let low = record.remainder
        let target = unsafe blocks.base + 64 * (i / 16) + i % 16
        unsafe target[0] = Float(Double(row[0]) + low.x - visit.x)
        unsafe target[16] = Float(Double(row[16]) + low.y - visit.y)
        unsafe target[32] = Float(Double(row[32]) + low.z - visit.z)
        unsafe target[48] = row[48]
        largestRadius = max(largestRadius, unsafe row[48])
        unsafe neighborhood.base[i] = record.ordinal
        i += 1
      }
    }
    lay(position, count: n)
    return true
  }

  /// Lays the plane of a new neighbourhood, where there is one.
  private mutating func lay(_ position: Coordinate, count: Int) {
    // The set is looked for where the neighbourhood's end is farther than the pivot. Lanes are rounded to single precision.
    let extent = max(limit, margin) + largestRadius
    plane =
      TangentPlane(
        at: position, anchor, radius: Double(max(limit, margin)), largestRadius: Double(largestRadius),
        rounding: 1.2e-7 * Double(extent)) ?? .none
    unsafe plane.project(blocks.base, count: count, into: planar.base)
  }

  /// Asks for the set and the one beyond it.
  private mutating func ask(_ position: Coordinate, _ place: ECEF) -> Bool {
    found.removeAll(keepingCapacity: true)
    index.run(
      CheckedQuery(uncheckedCount: count + 1, position: position), scratch: &scratch, appendingTo: &found)
    blockCount = 0
    isSettledHere = false
    swap(&ordinals, &previous)
    ordinals.removeAll(keepingCapacity: true)
    for neighbor in found.prefix(count) { ordinals.append(neighbor.ordinal) }
    let changed = !Self.areSame(previous, ordinals)
    let metersPerDegreeEast = Self.metersPerDegreeEast(near: place)
    // A damaged file's bytes may hide regions: what is found then holds nowhere else.
    guard found.count > count else {
      hold(at: position, metersPerDegreeEast, for: 0)
      return changed
    }
    let last = found[count - 1].distance
    let next = found[count].distance
    // Reported distances are within a micrometre, polygons' within a millimetre, of the truth.
    let gap = next - last - (found.contains { $0.distanceToCenter == nil } ? 2e-3 : 2e-6)
    hold(at: position, metersPerDegreeEast, for: max(0, 0.5 * gap))
    pivot = Float(0.5 * (last + next))
    if limit == -.infinity {
      limit = Float(next)
      margin = Float(max(100, 0.8 * (abs(next) + 0.1 * (next - found[0].distance))))
    }
    return changed
  }
}
