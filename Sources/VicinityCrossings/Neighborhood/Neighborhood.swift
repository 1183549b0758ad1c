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
/// discs of the ellipsoid are strongly convex (proved in the article *Crossings*): the shortest path between
/// two points of the disc lies in it.
@safe package struct Neighborhood: ~Copyable {
  /// Blocks laid out as a leaf's four rows, relative to the anchor; circles only.
  private(set) var blocks = Buffer<Float>(capacity: 64 * 4)
  private(set) var records = Buffer<RegionRecord>(capacity: 16 * 4)
  /// The same circles on the plane of the nearby circles, in blocks of sixteen: x, y, radius.
  private(set) var planar = Buffer<Float>(capacity: 48 * 4)
  private(set) var circleCount = 0
  private var polygons = Buffer<NearbyPolygon>(capacity: 4)
  private(set) package var polygonCount = 0
  /// The nodes that are still to be read while gathering.
  private var pending = Buffer<UInt32>(capacity: 128)
  /// The leaves that are still to be read.
  private let pendingLeaves = Buffer<PendingLeaf>(capacity: leafRoom)

  struct PendingLeaf {
    /// Its number, flags included.
    var child: UInt32
    /// The node above it, and its lane there.
    var node: UInt32
    var lane: Int
  }
  private static let leafRoom = 64

  /// The circles that the device may reach next.
  package var nearby = NearbyCircles()

  private(set) var anchor = ECEF(x: 0, y: 0, z: 0)
  /// Every region that is not listed has its boundary at least this far from the anchor, metres; negative
  /// before the first gathering.
  package private(set) var limit: Meters = -1
  /// The largest error of the circles' offsets on each axis, metres: they are rounded in their leaves, and so
  /// are the leaves' origins.
  private(set) var rounding: Float = 0
  private(set) var largestRadius: Float = 0
  /// Whether every listed circle's centre, and every point within the limit, lies within 200 km of the
  /// anchor.
  private(set) var isNear = false
  /// The error of a distance that follows from `rounding` and from the lanes' own distances from the anchor,
  /// metres.
  private(set) var laneError: Float = 0
  /// Records with this ordinal or a greater one are no regions: a file's bytes may say anything.
  private(set) var ordinalLimit: UInt32 = 0

  /// What gathering does with circles so large that the whole neighbourhood lies inside them.
  private enum Enclosing {
    case dropped
    /// Their ordinals are collected.
    case collected
    /// They are listed like the others.
    case listed
  }
  private var enclosing = Enclosing.dropped
  private var enclosingOrdinals: [UInt32] = []
  /// Whether gathering for a query of the nearest has met a polygon.
  private var hasMetPolygon = false

  /// The largest radius of a neighbourhood, metres.
  package static let largestLimit: Meters = 500_000

  /// An empty neighbourhood without an anchor.
  package init() {}

  /// How many regions are listed.
  package var count: Int { circleCount + polygonCount }

  /// How many bytes the neighbourhood takes.
  package var byteCount: Int {
    4 * (blocks.capacity + planar.capacity + pending.capacity) + 8 * records.capacity
      + polygons.capacity * MemoryLayout<NearbyPolygon>.stride
      + pendingLeaves.capacity * MemoryLayout<PendingLeaf>.stride + NearbyCircles.byteCount
  }

  /// A lower bound of the distance from a point to the boundary of any region that is not listed, metres.
  /// Negative outside the neighbourhood.
  @inline(__always)
  package func margin(at ecef: ECEF) -> Meters {
    let dx = ecef.x - anchor.x
    let dy = ecef.y - anchor.y
    let dz = ecef.z - anchor.z
    let c2 = dx * dx + dy * dy + dz * dz
    // Up to 1000 km a geodesic is longer than its chord by no more than c u (1/24 + 3u/640 + 0.0008u²), u =
    // (c/R₋)² <= 0.025: less than 0.0418 c u.
    guard c2 < 1e12 else { return -1 }
    return limit - c2.squareRoot() * (1 + c2 * Self.stretch) - 1e-6
  }

  private static var stretch: Double {
    0.0418 / (WGS84.minimumCurvatureRadius * WGS84.minimumCurvatureRadius)
  }

  /// Forgets all regions, and the memory that they are read from.
  mutating func forget() {
    limit = -1
    circleCount = 0
    polygonCount = 0
    nearby.setPlane(.none)
  }

  // MARK: Gathering

  /// Lists the regions whose boundaries come within `limit` metres of a point, and perhaps a few more.
  ///
  /// The neighbourhood refers to the tree's memory: ``forget()`` it before the tree changes or goes.
  ///
  /// - Parameter most: Gathering stops beyond this many circles. The neighbourhood is of no use then, and its
  ///   limit zero.
  /// - Precondition: `coordinate` is valid and `ecef` the same point; `limit` is at most ``largestLimit``.
  /// - Complexity: O(log n + regions found) on spread data.
  package mutating func gather(
    _ tree: TreeView, around coordinate: Coordinate, _ ecef: ECEF, limit: Meters, most: Int = .max
  ) {
    if !gather(tree, around: coordinate, ecef, limit: limit, reach: limit, most: most) { self.limit = 0 }
  }

  /// Lists the circles whose boundary distance from a point, negative inside, is below `limit` metres, and
  /// perhaps a few more: what a query of the nearest needs.
  ///
  /// - Parameters:
  ///   - reach: How far from the point the neighbourhood is to be asked, metres.
  ///   - most: The most circles that are of use.
  /// - Returns: False where there are more, or a polygon, or damaged bytes: the neighbourhood is of no use
  ///   then.
  /// - Precondition: As for ``gather(_:around:_:limit:most:)``, but any limit; and only the circles, their
  ///   ``limit`` and the plane may be used.
  mutating func gatherNearest(
    _ tree: TreeView, around coordinate: Coordinate, _ ecef: ECEF, limit: Meters, reach: Meters, most: Int
  ) -> Bool {
    enclosing = .listed
    hasMetPolygon = false
    defer { enclosing = .dropped }
    guard gather(tree, around: coordinate, ecef, limit: limit, reach: reach, most: most), circleCount <= most
    else { return false }
    // In a damaged file a record may be no region's.
    for i in 0..<circleCount where unsafe records.base[i].ordinal >= ordinalLimit { return false }
    return true
  }

  /// - Returns: Whether all were listed.
  private mutating func gather(
    _ tree: TreeView, around coordinate: Coordinate, _ ecef: ECEF, limit: Meters, reach: Meters, most: Int
  ) -> Bool {
    let wanted = Float(limit).nextUp
    anchor = ecef
    self.limit = limit
    circleCount = 0
    polygonCount = 0
    rounding = 0
    largestRadius = 0
    enclosingOrdinals.removeAll(keepingCapacity: true)
    ordinalLimit = tree.ordinalLimit
    var isComplete = true
    if tree.nodeCount > 0 {
      // Nodes level by level, and their leaves after them: each block has been prefetched well before it is
      // read.
      unsafe pending.base[0] = 0
      var opened = 0
      var count = 1
      var leafCount = 0
      while opened < count {
        let number = Int(unsafe pending.base[opened])
        opened += 1
        if count + 16 > pending.capacity { pending.grow(to: 2 * pending.capacity, keeping: count) }
        expand(tree, number, wanted, &count, &leafCount)
        if leafCount <= Self.leafRoom - 16, opened < count { continue }
        for i in 0..<leafCount { unsafe read(pendingLeaves.base[i], of: tree, coordinate, wanted) }
        leafCount = 0
        if circleCount > most || hasMetPolygon {
          isComplete = false
          break
        }
      }
    }
    pad()
    // A lane lies no farther from the anchor than the limit and its radius together.
    isNear = wanted + largestRadius < 200_000
    laneError = 1e-6 + 4e-7 * (abs(wanted) + largestRadius) + rounding
    let plane = TangentPlane(
      at: coordinate, anchor, radius: reach, largestRadius: Double(largestRadius), rounding: Double(rounding))
    nearby.setPlane(plane ?? .none)
    if let plane { unsafe plane.project(blocks.base, count: circleCount, into: planar.base) }
    return isComplete
  }

  /// Reads a node: adds the nodes and leaves below it that may matter to the pending ones.
  private func expand(
    _ tree: TreeView, _ number: Int, _ wanted: Float, _ count: inout Int, _ leafCount: inout Int
  ) {
    let node = unsafe tree.node(number)
    let epsilon = TreeView.nodeEpsilon
    var bounds = SIMD16<Float>()
    let near = unsafe bounds.withUnsafeFloats {
      unsafe vk_node_bounds(node, Float(anchor.x), Float(anchor.y), Float(anchor.z), epsilon, $0) < wanted
        ? vk_below16($0, wanted) : 0
    }
    let children = unsafe (node + TreeLayout.child).assumingMemoryBound(to: UInt32.self)
    var rest = near
    while rest != 0 {
      let lane = rest.trailingZeroBitCount
      rest &= rest - 1
      let child = unsafe children[lane]
      guard child != TreeLayout.absent else { continue }
      if child & TreeLayout.leafFlag == 0 {
        let number = child & TreeLayout.childMask
        unsafe vk_prefetch(
          tree.nodes + Int(number) * TreeLayout.nodeSize, Int32(TreeLayout.nodeSize))
        unsafe pending.base[count] = number
        count += 1
      } else {
        unsafe vk_prefetch(
          tree.leaves + Int(child & TreeLayout.childMask) * TreeLayout.leafSize,
          Int32(TreeLayout.recordOffset))
        unsafe pendingLeaves.base[leafCount] = PendingLeaf(child: child, node: UInt32(number), lane: lane)
        leafCount += 1
      }
    }
  }

  private mutating func read(
    _ pending: PendingLeaf, of tree: TreeView, _ coordinate: Coordinate, _ wanted: Float
  ) {
    let number = Int(pending.child & TreeLayout.childMask)
    let isPolygonal = pending.child & TreeLayout.polygonFlag != 0
    let leaf = unsafe tree.leaf(number)
    let row = unsafe tree.node(Int(pending.node)).assumingMemoryBound(to: Float.self) + pending.lane
    let x = anchor.x - Double(unsafe row[0])
    let y = anchor.y - Double(unsafe row[16])
    let z = anchor.z - Double(unsafe row[32])
    let span = unsafe row[48] + row[64] + row[80]
    // As in a search: the query's offset, the lanes' offsets and their difference are rounded.
    let extent = Float(abs(x) + abs(y) + abs(z)) + span
    let epsilon = 1e-6 + 2e-7 * extent
    // Near by, upper bounds exceed the lower ones by a constant; elsewhere they are computed too.
    let band = unsafe TreeView.nearBand(extent: extent, largestRadius: row[96], epsilon: epsilon)
    var bounds = SIMD32<Float>()
    var mask = unsafe bounds.withUnsafeFloats {
      band != nil
        ? unsafe vk_near_bounds(leaf, Float(x), Float(y), Float(z), epsilon, wanted, $0)
        : unsafe vk_leaf_bounds(leaf, Float(x), Float(y), Float(z), epsilon, wanted, $0, $0 + 16)
    }
    guard mask != 0 else { return }
    let first = unsafe leaf + TreeLayout.recordOffset
    if isPolygonal {
      if enclosing == .listed {
        hasMetPolygon = true
        return
      }
      while mask != 0 {
        unsafe append(
          polygonOf: RegionRecord(first + TreeLayout.recordSize * mask.trailingZeroBitCount), tree,
          coordinate, wanted)
        mask &= mask - 1
      }
      return
    }
    if enclosing != .listed {
      // The anchor is so deep inside these that their boundaries are beyond the limit.
      var deep =
        unsafe bounds.withUnsafeFloats {
          unsafe vk_below16(band == nil ? $0 + 16 : $0, -wanted - (band ?? 0))
        } & mask
      mask ^= deep
      while enclosing == .collected, deep != 0 {
        unsafe enclosingOrdinals.append(
          RegionRecord(first + TreeLayout.recordSize * deep.trailingZeroBitCount).ordinal)
        deep &= deep - 1
      }
    }
    // The leaf's lanes are rounded, and so is its origin.
    rounding = max(rounding, 6e-8 * extent)
    if circleCount + 16 > records.capacity {
      blocks.grow(to: 2 * blocks.capacity, keeping: blocks.capacity)
      records.grow(to: 2 * records.capacity, keeping: circleCount)
      planar.grow(to: 2 * planar.capacity, keeping: 0)
    }
    // SAFETY: there is room for sixteen more, and records are laid out as optional addresses.
    let list = unsafe UnsafeMutableRawPointer(records.base).assumingMemoryBound(to: UnsafeRawPointer?.self)
    circleCount = Int(
      unsafe vk_gather(
        leaf, first, Int32(TreeLayout.recordSize), Float(x), Float(y), Float(z), mask, Int32(circleCount),
        blocks.base, list, &largestRadius))
  }

  private mutating func append(
    polygonOf record: RegionRecord, _ tree: TreeView, _ coordinate: Coordinate, _ wanted: Float
  ) {
    // In a damaged file a record may be no region's.
    guard record.ordinal < tree.ordinalLimit, let polygon = tree.polygon(record.polygonSlot) else { return }
    let distance = polygon.signedBoundaryDistance(
      from: coordinate, ecef: anchor, cutoff: Double(wanted) + NearbyPolygon.error)
    guard abs(distance) <= Double(wanted) + NearbyPolygon.error else { return }
    if polygonCount == polygons.capacity {
      polygons.grow(to: 2 * polygons.capacity, keeping: polygonCount)
    }
    unsafe (polygons.base + polygonCount).initialize(
      to: NearbyPolygon(ordinal: record.ordinal, view: polygon, anchor: anchor, distance: distance))
    polygonCount += 1
  }

  /// Fills the last block up with circles far from everything.
  private mutating func pad() {
    guard circleCount % 16 != 0 else { return }
    let block = unsafe blocks.base + 64 * (circleCount / 16)
    for lane in circleCount % 16..<16 {
      unsafe block[lane] = TreeLayout.farAway
      unsafe block[16 + lane] = TreeLayout.farAway
      unsafe block[32 + lane] = TreeLayout.farAway
      unsafe block[48 + lane] = 0
    }
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
    enclosing = .collected
    gather(tree, around: coordinate, ecef, limit: limit, most: most)
    enclosing = .dropped
    guard self.limit > 0, isNear else { return false }
    containing.removeAll(keepingCapacity: true)
    for ordinal in enclosingOrdinals where ordinal < ordinalLimit { containing.append(ordinal) }
    for i in 0..<circleCount {
      let block = unsafe blocks.base + 64 * (i / 16) + i % 16
      let (x, y, z, radius) = unsafe (block[0], block[16], block[32], block[48])
      let chord = (x * x + y * y + z * z).squareRoot()
      // A geodesic of up to 400 km is within 1.7e-4 of its chord; the rest is for roundings, as in
      // ``findCircles(within:of:into:)``.
      let doubt = 2e-4 * (chord + radius) + 4 * laneError
      if chord - radius > doubt { continue }
      let record = unsafe records.base[i]
      guard record.ordinal < ordinalLimit else { continue }
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
  func lanes(from start: Int = 0) -> UInt64 { 1 << UInt64(circleCount - start) &- 1 }

  // MARK: What is near

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
    let margin = margin(at: ecef)
    guard margin > distance else { return nil }
    let x = Float(ecef.x - anchor.x)
    let y = Float(ecef.y - anchor.y)
    let z = Float(ecef.z - anchor.z)
    // Each axis is rounded three times: the point, the lane and their difference.
    let epsilon = laneError + 4e-7 * (abs(x) + abs(y) + abs(z))
    let threshold = Float(distance).nextUp
    var nearest = Float.greatestFiniteMagnitude
    // Four blocks at a time.
    var start = 0
    while start < circleCount {
      let fours = Int32(min(16, (circleCount - start + 3) / 4))
      let block = unsafe blocks.base + 4 * start
      var mask =
        isNear
        ? unsafe vk_near_boundary_bounds(block, fours, x, y, z, epsilon, threshold, &nearest)
        : unsafe vk_boundary_bounds(block, fours, x, y, z, epsilon, threshold, &nearest)
      mask &= lanes(from: start)
      while mask != 0 {
        let record = unsafe records.base[start + mask.trailingZeroBitCount]
        mask &= mask - 1
        if record.ordinal < ordinalLimit { found.append(NearbyCircle(record)) }
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
