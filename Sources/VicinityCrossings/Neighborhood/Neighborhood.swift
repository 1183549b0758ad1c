internal import CVicinityKernels
package import VicinityGeodesy
package import VicinityIndex
internal import VicinityPolygon

/// The regions whose boundaries lie near an anchor, kept so that a device that moves near the anchor need not
/// search the tree.
///
/// Every region that is not listed has a boundary distance of at least ``limit``, inside or outside, at the
/// anchor. As boundary distance changes by no more than the device moves, only listed regions matter within
/// the open disc of that radius around the anchor. The radius is held far below 9985 km, up to which the
/// discs of the ellipsoid are strongly convex (proved in <doc:NothingMissed>): the shortest path between
/// two points of the disc lies in it.
@safe package struct Neighborhood: ~Copyable {
  /// The circles.
  private(set) package var circles = GatheredCircles()
  /// The same circles on the plane of the nearby circles, in blocks of sixteen: x, y, radius.
  private(set) var planar = Buffer<Float>(capacity: 48 * 4)
  private var polygons = Buffer<NearbyPolygon>(capacity: 4)
  private(set) package var polygonCount = 0

  /// The circles that the device may reach next.
  package var nearby = NearbyCircles()

  /// The largest radius of a neighbourhood, metres.
  package static let largestLimit: Meters = 500_000

  /// An empty neighbourhood without an anchor.
  package init() {}

  /// Every region that is not listed has its boundary at least this far from the anchor, metres; minus
  /// infinity before the first gathering, and after one that was given up.
  package var limit: Meters { circles.limit }

  /// How many regions are listed.
  package var count: Int { circles.count + polygonCount }

  /// How many bytes the neighbourhood takes.
  package var byteCount: Int {
    circles.byteCount + 4 * planar.capacity + polygons.capacity * MemoryLayout<NearbyPolygon>.stride
      + NearbyCircles.byteCount
  }

  /// Forgets all regions, and the memory that they are read from.
  mutating func forget() {
    circles.forget()
    polygonCount = 0
    nearby.setPlane(.none)
  }

  // MARK: Gathering

  /// Lists the regions whose boundaries come within `limit` metres of a point, and perhaps a few more.
  ///
  /// The neighbourhood refers to the tree's memory: ``forget()`` it before the tree changes or goes.
  ///
  /// - Parameter most: Gathering stops beyond this many circles. The neighbourhood is of no use then.
  /// - Precondition: `coordinate` is valid and `ecef` the same point; `limit` is at most ``largestLimit``.
  /// - Complexity: O(log n + regions found) on spread data.
  package mutating func gather(
    _ tree: TreeView, around coordinate: Coordinate, _ ecef: ECEF, limit: Meters, most: Int = .max
  ) {
    gather(tree, .boundaries, around: coordinate, ecef, limit: limit, most: most)
  }

  /// Lists the circles whose boundary distance from a point, negative inside, is below `limit` metres, and
  /// perhaps a few more: what a query of the nearest needs.
  ///
  /// - Parameters:
  ///   - reach: How far from the point the neighbourhood is to be asked, metres.
  ///   - most: The most circles that are of use.
  /// - Returns: False where there are more, or a polygon, or damaged bytes: the neighbourhood is of no use
  ///   then.
  /// - Precondition: `coordinate` is valid and `ecef` the same point.
  mutating func gatherNearest(
    _ tree: TreeView, around coordinate: Coordinate, _ ecef: ECEF, limit: Meters, reach: Meters, most: Int
  ) -> Bool {
    guard circles.gather(tree, .nearest, within: limit, of: ecef, most: most) else { return false }
    polygonCount = 0
    project(around: coordinate, reach: reach)
    return true
  }

  private mutating func gather(
    _ tree: TreeView, _ purpose: GatheredCircles.Purpose, around coordinate: Coordinate, _ ecef: ECEF,
    limit: Meters, most: Int
  ) {
    let isComplete = circles.gather(tree, purpose, within: limit, of: ecef, most: most)
    polygonCount = 0
    guard isComplete else { return nearby.setPlane(.none) }
    for i in 0..<circles.polygonCount {
      unsafe append(polygonOf: circles.polygonRecords.base[i], tree, coordinate)
    }
    project(around: coordinate, reach: limit)
  }

  /// Projects the circles on a plane, where there is one.
  private mutating func project(around coordinate: Coordinate, reach: Meters) {
    let plane = TangentPlane(
      at: coordinate, circles.anchor, radius: reach, largestRadius: Double(circles.largestRadius),
      rounding: Double(circles.rounding))
    nearby.setPlane(plane ?? .none)
    guard let plane else { return }
    let room = 48 * ((circles.count + 15) / 16)
    if room > planar.capacity { planar.grow(to: max(room, 2 * planar.capacity), keeping: 0) }
    unsafe plane.project(circles.blocks.base, count: circles.count, into: planar.base)
  }

  private mutating func append(
    polygonOf record: RegionRecord, _ tree: TreeView, _ coordinate: Coordinate
  ) {
    // In a damaged file a record may be no region's.
    guard record.ordinal < tree.ordinalLimit, let polygon = tree.polygon(record.polygonSlot) else { return }
    let reach = Double(Float(limit).nextUp) + NearbyPolygon.error
    let distance = polygon.signedBoundaryDistance(from: coordinate, ecef: circles.anchor, cutoff: reach)
    guard abs(distance) <= reach else { return }
    if polygonCount == polygons.capacity {
      polygons.grow(to: 2 * polygons.capacity, keeping: polygonCount)
    }
    unsafe (polygons.base + polygonCount).initialize(
      to: NearbyPolygon(ordinal: record.ordinal, view: polygon, anchor: circles.anchor, distance: distance))
    polygonCount += 1
  }

  // MARK: Regions that contain the anchor

  /// ``gather(_:around:_:limit:most:)``, and finds the ordinals of the regions that contain the point, in no
  /// particular order.
  ///
  /// - Parameter isInside: Whether a circle contains the point, by the reference; called where bounds leave
  ///   it open.
  /// - Precondition: All regions are circles.
  /// - Returns: Whether they were found; where not, the contents of `containing` mean nothing.
  package mutating func gather(
    _ tree: TreeView, around coordinate: Coordinate, _ ecef: ECEF, limit: Meters, most: Int,
    containing: inout [UInt32], isInside: (NearbyCircle) -> Bool
  ) -> Bool {
    gather(tree, .boundariesAndEnclosing, around: coordinate, ecef, limit: limit, most: most)
    guard self.limit > 0, isNear else { return false }
    containing.removeAll(keepingCapacity: true)
    for ordinal in circles.enclosingOrdinals where ordinal < circles.ordinalLimit {
      containing.append(ordinal)
    }
    for i in 0..<circles.count {
      let block = unsafe circles.blocks.base + 64 * (i / 16) + i % 16
      let (x, y, z, radius) = unsafe (block[0], block[16], block[32], block[48])
      let chord = (x * x + y * y + z * z).squareRoot()
      // A geodesic of up to 400 km is within 1.7e-4 of its chord; the rest is for roundings, as in
      // ``findCircles(within:of:into:)``.
      let doubt = 2e-4 * (chord + radius) + 4 * circles.laneError
      if chord - radius > doubt { continue }
      let record = unsafe circles.records.base[i]
      guard record.ordinal < circles.ordinalLimit else { continue }
      if chord - radius < -doubt || isInside(NearbyCircle(record)) { containing.append(record.ordinal) }
    }
    return true
  }

  /// The distance from a point within which about `count` boundaries lie, metres: an estimate from one leaf
  /// near by.
  ///
  /// - Complexity: O(log n)
  package func estimatedLimit(_ tree: TreeView, at ecef: ECEF, for count: Int) -> Meters {
    guard tree.nodeCount > 0 else { return Self.largestLimit }
    var number = 0
    // In a damaged file nodes may lead to each other; no tree is this deep.
    for _ in 0..<64 {
      let node = unsafe tree.node(number)
      var bounds = SIMD16<Float>()
      let smallest = unsafe bounds.withUnsafeFloats {
        unsafe vk_node_bounds(node, Float(ecef.x), Float(ecef.y), Float(ecef.z), TreeView.nodeEpsilon, $0)
      }
      let lane = Int(smallest.bitPattern & 15)
      let child = tree.child(number, lane)
      if child & TreeLayout.leafFlag == 0 {
        number = Int(child & TreeLayout.childMask)
        guard number < tree.nodeCount else { return Self.largestLimit }
        continue
      }
      let row = unsafe node.assumingMemoryBound(to: Float.self) + lane
      // Sixteen circles in a box. The faces of a box around a piece of a plane are its projections along the
      // axes, which are as many times smaller as the normal has components: weighted with these they add up
      // to the piece.
      let (x, y, z, reach) = unsafe (row[48], row[64], row[80], row[96])
      let scale = 4 / (ecef.x * ecef.x + ecef.y * ecef.y + ecef.z * ecef.z).squareRoot()
      let faces = SIMD3(Double(y * z), Double(z * x), Double(x * y))
      let normal = SIMD3(abs(ecef.x), abs(ecef.y), abs(ecef.z))
      let area = scale * (faces * normal).sum() + 1
      let radius = Double(reach) / 3
      // Boundaries within a limit of a place are those of the circles within limit + radius of it, at most.
      let wide2 = Double(count) / 16 * area / .pi
      let limit = (radius * radius + wide2).squareRoot() - radius
      // Not a number where bytes are damaged.
      return limit >= 10 ? min(limit, Self.largestLimit) : 10
    }
    return Self.largestLimit
  }

  /// The bits of those of the 64 lanes from `start` on that hold circles. Lanes beyond the last are too far
  /// away to pass any test, unless damaged bytes make an error infinite.
  @inline(__always)
  func lanes(from start: Int = 0) -> UInt64 { 1 << UInt64(circles.count - start) &- 1 }

  // MARK: What is near

  /// A lower bound of the distance from a point to the boundary of any region that is not listed, metres.
  /// Negative outside the neighbourhood.
  package func margin(at ecef: ECEF) -> Meters { circles.margin(at: ecef) }

  /// Whether every listed circle's centre, and every point within the limit, lies within 200 km of the
  /// anchor.
  private var isNear: Bool { Float(limit).nextUp + circles.largestRadius < 200_000 }

  /// Finds the listed circles whose boundaries may come within `distance` metres of a point.
  ///
  /// - Parameter found: Replaced by these circles.
  /// - Returns: A lower bound of the distance to every other circle's boundary and every unlisted region's,
  ///   metres; nil where unlisted ones may come within the distance too.
  /// - Complexity: O(listed circles / 16)
  package func findCircles(
    within distance: Meters, of ecef: ECEF, into found: inout [NearbyCircle]
  ) -> Meters? {
    found.removeAll(keepingCapacity: true)
    let margin = circles.margin(at: ecef)
    guard margin > distance else { return nil }
    let x = Float(ecef.x - circles.anchor.x)
    let y = Float(ecef.y - circles.anchor.y)
    let z = Float(ecef.z - circles.anchor.z)
    // Each axis is rounded three times: the point, the lane and their difference.
    let epsilon = circles.laneError + 4e-7 * (abs(x) + abs(y) + abs(z))
    let threshold = Float(distance).nextUp
    var nearest = Float.greatestFiniteMagnitude
    // Four blocks at a time.
    var start = 0
    while start < circles.count {
      let fours = Int32(min(16, (circles.count - start + 3) / 4))
      let block = unsafe circles.blocks.base + 4 * start
      var mask =
        isNear
        ? unsafe vk_near_boundary_bounds(block, fours, x, y, z, epsilon, threshold, &nearest)
        : unsafe vk_boundary_bounds(block, fours, x, y, z, epsilon, threshold, &nearest)
      mask &= lanes(from: start)
      while mask != 0 {
        let record = unsafe circles.records.base[start + mask.trailingZeroBitCount]
        mask &= mask - 1
        if record.ordinal < circles.ordinalLimit { found.append(NearbyCircle(record)) }
      }
      start += 64
    }
    return min(margin, Double(nearest))
  }

  package subscript(polygon i: Int) -> NearbyPolygon {
    get { unsafe polygons.base[i] }
    set { unsafe polygons.base[i] = newValue }
  }
}
