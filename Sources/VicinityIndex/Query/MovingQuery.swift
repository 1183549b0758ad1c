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
/// What bounds cannot decide goes to an exact query. The set, not its order, is kept: ``neighbors()`` asks for
/// the order.
public struct MovingQuery: ~Copyable {
  private let index: RegionIndex
  private let count: Int
  private var scratch = QueryScratch()
  private var found: [Neighbor] = []

  /// The set: the ordinals of the nearest regions, in no particular order. Empty before the first move.
  public private(set) var ordinals: [Int] = []

  /// Where the set was last established.
  private var settled = Coordinate(latitude: .nan, longitude: .nan)
  /// An upper bound of the cosine of latitude within half a degree of there.
  private var cosine = 0.0
  /// How far from there it holds, metres.
  private var reach: Meters = 0
  /// An upper bound of the square of how far the position has moved since, square metres.
  private var moved2 = 0.0

  /// The neighbourhood: blocks laid out as a leaf's four rows, relative to `anchor`.
  private var blocks: [Float] = []
  private var lives: [UInt32] = []
  private var members: [UInt32] = []
  private var neighborhood: [UInt32] = []
  private var anchor = ECEF(x: 0, y: 0, z: 0)
  /// Every region outside the neighbourhood is at least this far from the anchor, metres.
  private var limit: Float = -.infinity
  /// Between the last distance inside the set and the first outside.
  private var pivot: Float = 0
  /// How far beyond the pivot the next neighbourhood reaches, metres.
  private var margin: Float = 0

  /// Neighbourhoods of four to eight times the count cost least in all: smaller ones are left too soon,
  /// larger ones take longer to part (sweep `moving-margin`: 3, 4, 6, 8, 12 times, 100k and 1M regions).
  private var smallNeighborhood: Int { 3 * count + 8 }
  private var largeNeighborhood: Int { 6 * count + 16 }

  /// The longest degree of latitude or of the equator's longitude anywhere: π/180 of the largest radius of
  /// curvature, 6399.594 km.
  private static let metersPerDegree = 111_694.0

  init(_ index: RegionIndex, count: Int) {
    self.index = index
    self.count = count
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
    // Beyond half a degree of latitude the cosine's bound ends; a wrapped longitude only looks far.
    if abs(dlat) < 0.5 {
      let north = Self.metersPerDegree * dlat
      let east = Self.metersPerDegree * cosine * dlon
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
      hold(at: position, for: .infinity)
      return changed
    }
    guard count > 0 else {
      hold(at: position, for: .infinity)
      return false
    }
    let place = ECEF(unchecked: position)
    if let changed = part(position, place) { return changed }
    if limit > -.infinity, gather(position, place), let changed = part(position, place) {
      return changed
    }
    return ask(position, place)
  }

  private mutating func hold(at position: Coordinate, for distance: Meters) {
    settled = position
    // cos changes by at most the change of the angle: 0.5 degrees are 0.0088.
    cosine = min(1, ECEF.cosine(latitude: position.latitude) + 0.01)
    reach = distance
    moved2 = 0
  }

  /// Parts the neighbourhood for a position; nil when it cannot tell the set.
  private mutating func part(_ position: Coordinate, _ place: ECEF) -> Bool? {
    guard !lives.isEmpty else { return nil }
    let dx = place.x - anchor.x
    let dy = place.y - anchor.y
    let dz = place.z - anchor.z
    let chord = (dx * dx + dy * dy + dz * dz).squareRoot()
    guard chord < 1e6 else { return nil }
    // Regions elsewhere are at least so far from here.
    let elsewhere = limit - Float(GeodesicBounds.fastUpperBound(chord: chord)).nextUp
    guard elsewhere > pivot else { return nil }
    let x = Float(dx)
    let y = Float(dy)
    let z = Float(dz)
    // As in a leaf: roundings on each axis, of the offset, the lane's and their difference.
    let epsilon = 1e-6 + 2e-7 * (abs(x) + abs(y) + abs(z) + abs(limit) + largestRadius)
    for _ in 0..<8 {
      var inside = -Float.infinity
      var outside = elsewhere
      var total = 0
      var isSame = true
      unsafe blocks.withUnsafeBufferPointer { blocks in
        unsafe lives.withUnsafeBufferPointer { lives in
          unsafe members.withUnsafeMutableBufferPointer { members in
            guard let base = blocks.baseAddress else { return }
            for b in 0..<lives.count {
              let mask = unsafe vk_part(
                base + 64 * b, x, y, z, epsilon, pivot, lives[b], &inside, &outside)
              total += mask.nonzeroBitCount
              if unsafe mask != members[b] {
                isSame = false
                unsafe members[b] = mask
              }
            }
          }
        }
      }
      memberChange = memberChange || !isSame
      if total == count {
        guard outside > inside else { return nil }
        let gap = outside - inside
        pivot = inside + 0.5 * gap
        // The last metre of a neighbourhood is not worth settling in.
        if outside == elsewhere, gap < 0.1 * margin { return nil }
        hold(at: position, for: Double((0.5 * gap).nextDown))
        return takeMembers()
      }
      // One more or one fewer: to the other side of the bound that is in the way.
      let next =
        total < count
        ? outside + 2 * epsilon + abs(outside) * 2e-5 : inside - 2 * epsilon - abs(inside) * 2e-5
      guard next.isFinite, next != pivot, next < elsewhere else { return nil }
      pivot = next
    }
    return nil
  }

  private var memberChange = false
  private var largestRadius: Float = 0

  /// Reads the set off the members, if they have changed.
  private mutating func takeMembers() -> Bool {
    guard memberChange else { return false }
    memberChange = false
    var next: [Int] = []
    next.reserveCapacity(count)
    for (b, mask) in members.enumerated() {
      var mask = mask
      while mask != 0 {
        next.append(Int(neighborhood[16 * b + mask.trailingZeroBitCount]))
        mask &= mask - 1
      }
    }
    return replace(next)
  }

  private mutating func replace(_ next: [Int]) -> Bool {
    // A set is small, and was sorted by nothing: compare as sets.
    var old = ordinals
    var new = next
    old.sort()
    new.sort()
    ordinals = next
    return old != new
  }

  /// Collects a new neighbourhood around a position; false where polygons are part of it.
  private mutating func gather(_ position: Coordinate, _ place: ECEF) -> Bool {
    let wanted = pivot + margin
    var search = TreeSearch(
      position: position, place: place, count: nil, maximumDistance: Double(wanted), tolerance: 0)
    index.tree.withView { view in
      var view = view
      unsafe withUnsafePointer(to: &view) { views in
        unsafe search.run(UnsafeBufferPointer(start: views, count: 1), &scratch)
      }
    }
    lives.removeAll(keepingCapacity: true)
    guard scratch.finalistCount == 0 else { return false }
    let n = scratch.candidateCount
    if n > largeNeighborhood { margin *= 0.75 }
    if n < smallNeighborhood { margin *= 1.4 }
    guard n > count, n < 64 * count + 1024 else { return false }
    anchor = place
    limit = wanted
    largestRadius = 0
    let blockCount = (n + 15) / 16
    blocks.removeAll(keepingCapacity: true)
    blocks.append(contentsOf: repeatElement(TreeLayout.farAway, count: 64 * blockCount))
    neighborhood.removeAll(keepingCapacity: true)
    for i in 0..<n {
      let candidate = unsafe scratch.candidates[i]
      let visit = unsafe scratch.visits[Int(candidate.slot >> 4)]
      let lane = Int(candidate.slot & 15)
      let row = unsafe visit.leaf.assumingMemoryBound(to: Float.self) + lane
      let record = unsafe RegionRecord(
        visit.leaf + TreeLayout.recordOffset + TreeLayout.recordSize * lane)
      let low = record.remainder
      let target = 64 * (i / 16) + i % 16
      blocks[target] = Float(Double(unsafe row[0]) + low.x - visit.x)
      blocks[target + 16] = Float(Double(unsafe row[16]) + low.y - visit.y)
      blocks[target + 32] = Float(Double(unsafe row[32]) + low.z - visit.z)
      blocks[target + 48] = unsafe row[48]
      largestRadius = max(largestRadius, unsafe row[48])
      neighborhood.append(record.ordinal)
    }
    members.removeAll(keepingCapacity: true)
    for b in 0..<blockCount {
      lives.append(b + 1 < blockCount || n % 16 == 0 ? 0xffff : (1 << UInt32(n % 16)) - 1)
      members.append(0)
    }
    memberChange = true
    return true
  }

  /// Asks for the set and the one beyond it.
  private mutating func ask(_ position: Coordinate, _ place: ECEF) -> Bool {
    found.removeAll(keepingCapacity: true)
    index.append(count + 1, position, QueryOptions(), &scratch, &found)
    let last = found[count - 1].distance
    let next = found[count].distance
    // Reported distances are within a micrometre, polygons' within a millimetre, of the truth.
    let gap = next - last - (found.contains { $0.distanceToCenter == nil } ? 2e-3 : 2e-6)
    hold(at: position, for: max(0, 0.5 * gap))
    pivot = Float(0.5 * (last + next))
    if limit == -.infinity {
      limit = Float(next)
      margin = Float(max(100, 0.8 * (abs(next) + 0.1 * (next - found[0].distance))))
    }
    lives.removeAll(keepingCapacity: true)
    memberChange = true
    return replace(found[..<count].map(\.ordinal))
  }
}
