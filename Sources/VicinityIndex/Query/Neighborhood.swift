internal import CVicinityKernels
package import VicinityGeodesy

/// The regions whose boundaries lie near some place, kept so that a device moving there need not ask the tree.
///
/// Every region that is not listed has a boundary distance of at least ``limit``, inside or outside, at the anchor. As
/// boundary distance changes by no more than the way, what happens within the open disc of that radius around the
/// anchor concerns listed regions only. A disc's radius is held far below 9985 km, where the discs of the ellipsoid are
/// strongly convex (proved in VicinityMonitor's article *Crossings*): the shortest way between two places within lies within.
@safe package struct Neighborhood: ~Copyable {
  /// Blocks laid out as a leaf's four rows, relative to the anchor; circles only.
  private(set) var blocks: UnsafeMutablePointer<Float>
  private(set) var records: UnsafeMutablePointer<UnsafeRawPointer>
  /// The same circles on the shortlist's plane, in blocks of sixteen: x, y, radius.
  private(set) var planar: UnsafeMutablePointer<Float>
  private var blockCapacity = 4
  private(set) var circleCount = 0
  private var polygons: UnsafeMutablePointer<NearbyPolygon>
  private var polygonCapacity = 4
  /// How many polygons are listed.
  private(set) package var polygonCount = 0
  /// Nodes still to be opened while gathering.
  private var pending: UnsafeMutablePointer<UInt32>
  private var pendingCapacity = 128
  /// Leaves still to be looked into.
  private let pendingLeaves: UnsafeMutablePointer<PendingLeaf>

  private struct PendingLeaf {
    /// Its number, flags included.
    var child: UInt32
    /// The node above it, and its lane there.
    var node: UInt32
    var lane: Int
  }
  private static let leafRoom = 64

  /// The circles that a device may reach next.
  package var shortlist = Shortlist()

  private(set) var anchor = ECEF(x: 0, y: 0, z: 0)
  /// No other region has its boundary nearer than this to the anchor, metres; negative before the first gathering.
  package private(set) var limit: Meters = -1
  /// By how much circles' places are off on each axis, at most, metres: as rounded in their leaves, and by the leaves' origins.
  private(set) var rounding: Float = 0
  private(set) var largestRadius: Float = 0
  /// Whether every listed circle's centre, and every place within the limit, lies within 200 km of the anchor.
  private(set) var isNear = false
  /// What comes of that and of the lanes' own distances from the anchor, metres.
  private(set) var laneError: Float = 0
  /// Records with this ordinal or a greater one are no regions: a file's bytes may say anything.
  private(set) var ordinalLimit: UInt32 = 0

  /// Whether ordinals of circles that are not listed because they hold the whole neighbourhood are wanted, and they.
  var collectsEnclosing = false
  private(set) var enclosing: [UInt32] = []

  /// The largest radius of a neighbourhood, metres.
  package static let largestLimit: Meters = 500_000

  /// An empty neighbourhood, of nowhere.
  package init() {
    unsafe blocks = .allocate(capacity: 64 * blockCapacity)
    unsafe planar = .allocate(capacity: 48 * blockCapacity)
    unsafe records = .allocate(capacity: 16 * blockCapacity)
    unsafe polygons = .allocate(capacity: polygonCapacity)
    unsafe pending = .allocate(capacity: pendingCapacity)
    unsafe pendingLeaves = .allocate(capacity: Self.leafRoom)
  }

  deinit {
    unsafe blocks.deallocate()
    unsafe planar.deallocate()
    unsafe records.deallocate()
    unsafe polygons.deallocate()
    unsafe pending.deallocate()
    unsafe pendingLeaves.deallocate()
  }

  /// How many regions are listed.
  package var count: Int { circleCount + polygonCount }

  /// How many bytes the neighbourhood takes.
  package var byteCount: Int {
    blockCapacity * (256 + 192 + 128) + polygonCapacity * MemoryLayout<NearbyPolygon>.stride
      + pendingCapacity * 4 + Self.leafRoom * MemoryLayout<PendingLeaf>.stride + Shortlist.byteCount
  }

  /// How far a place is from where the list ends, metres: nothing unlisted has its boundary nearer. Negative outside.
  @inline(__always)
  package func margin(at place: ECEF) -> Meters {
    let dx = place.x - anchor.x
    let dy = place.y - anchor.y
    let dz = place.z - anchor.z
    let c2 = dx * dx + dy * dy + dz * dz
    // Up to 1000 km a geodesic is longer than its chord by no more than c u (1/24 + 3u/640 + 0.0008u²), u = (c/R₋)²
    // <= 0.025: less than 0.0418 c u.
    guard c2 < 1e12 else { return -1 }
    return limit - c2.squareRoot() * (1 + c2 * Self.stretch) - 1e-6
  }

  private static var stretch: Double {
    0.0418 / (WGS84.minimumCurvatureRadius * WGS84.minimumCurvatureRadius)
  }

  // MARK: Gathering

  /// Lists the regions whose boundaries come within `limit` metres of a place, and perhaps a few more.
  ///
  /// - Precondition: `coordinate` is valid and `place` its place; `limit` is at most ``largestLimit``.
  /// - Complexity: O(log n + regions found) on spread data.
  package mutating func gather(
    _ index: RegionIndex, around coordinate: Coordinate, _ place: ECEF, limit: Meters, most: Int = .max
  ) {
    let wanted = Float(limit).nextUp
    anchor = place
    self.limit = limit
    circleCount = 0
    polygonCount = 0
    rounding = 0
    largestRadius = 0
    enclosing.removeAll(keepingCapacity: true)
    index.tree.withView { tree in
      ordinalLimit = tree.ordinalLimit
      guard tree.nodeCount > 0 else { return }
      // Nodes level by level, and their leaves after them: each block has been asked for well before it is looked at.
      unsafe pending[0] = 0
      var opened = 0
      var count = 1
      var leafCount = 0
      while opened < count {
        let number = Int(unsafe pending[opened])
        opened += 1
        if count + 16 > pendingCapacity { growPending() }
        expand(tree, number, wanted, &count, &leafCount)
        if leafCount <= Self.leafRoom - 16, opened < count { continue }
        for i in 0..<leafCount { unsafe lookInto(tree, pendingLeaves[i], coordinate, wanted) }
        leafCount = 0
        if circleCount > most {
          self.limit = 0
          break
        }
      }
    }
    pad()
    // A lane lies no farther from the anchor than the limit and its radius together.
    isNear = wanted + largestRadius < 200_000
    laneError = 1e-6 + 4e-7 * (wanted + largestRadius) + rounding
    project(around: coordinate)
  }

  /// Opens a node: puts its nodes and leaves on their lists.
  private func expand(
    _ tree: TreeView, _ number: Int, _ wanted: Float, _ count: inout Int, _ leafCount: inout Int
  ) {
    let node = unsafe tree.node(number)
    // Single precision places the query to half a metre on each axis and rounds differences of up to an Earth's
    // diameter to a metre, as in a search.
    let epsilon: Float = 3
    var bounds = InlineArray<16, Float>(repeating: 0)
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
        unsafe vk_prefetch(
          tree.nodes + Int(child) * TreeLayout.nodeSize, Int32(TreeLayout.nodeSize))
        unsafe pending[count] = child
        count += 1
      } else {
        unsafe vk_prefetch(
          tree.leaves + Int(child & TreeLayout.childMask) * TreeLayout.leafSize,
          Int32(TreeLayout.recordOffset))
        unsafe pendingLeaves[leafCount] = PendingLeaf(child: child, node: UInt32(number), lane: lane)
        leafCount += 1
      }
    }
  }

  private mutating func lookInto(
    _ tree: TreeView, _ pending: PendingLeaf, _ coordinate: Coordinate, _ wanted: Float
  ) {
    let number = Int(pending.child & TreeLayout.childMask)
    let isPolygonal = pending.child & TreeLayout.polygonFlag != 0
    let leaf = unsafe tree.leaf(number)
    let row = unsafe tree.node(Int(pending.node)).assumingMemoryBound(to: Float.self) + pending.lane
    let x = anchor.x - Double(unsafe row[0])
    let y = anchor.y - Double(unsafe row[16])
    let z = anchor.z - Double(unsafe row[32])
    let span = unsafe row[48] + row[64] + row[80]
    // As in a search: roundings of the query's offset, of the lanes' and of their difference.
    let extent = Float(abs(x) + abs(y) + abs(z)) + span
    let epsilon = 1e-6 + 2e-7 * extent
    // By how much upper bounds exceed the lower ones, near by; elsewhere they stand beside them.
    let open = unsafe TreeSearch.nearBand(extent: extent, reach: row[96], epsilon: epsilon)
    var bounds = InlineArray<32, Float>(repeating: 0)
    var mask = unsafe bounds.withUnsafeFloats {
      open != nil
        ? unsafe vk_near_bounds(leaf, Float(x), Float(y), Float(z), epsilon, wanted, $0)
        : unsafe vk_leaf_bounds(leaf, Float(x), Float(y), Float(z), epsilon, wanted, $0, $0 + 16)
    }
    if let live = unsafe tree.live { mask &= UInt32(unsafe live[number]) }
    guard mask != 0 else { return }
    let first = unsafe leaf + TreeLayout.recordOffset
    if isPolygonal {
      while mask != 0 {
        unsafe append(
          polygonOf: RegionRecord(first + TreeLayout.recordSize * mask.trailingZeroBitCount), tree,
          coordinate, wanted)
        mask &= mask - 1
      }
      return
    }
    // So deep inside that their boundaries are beyond the limit.
    var deep =
      unsafe bounds.withUnsafeFloats {
        unsafe vk_below16(open == nil ? $0 + 16 : $0, -wanted - (open ?? 0))
      } & mask
    mask ^= deep
    while collectsEnclosing, deep != 0 {
      unsafe enclosing.append(
        RegionRecord(first + TreeLayout.recordSize * deep.trailingZeroBitCount).ordinal)
      deep &= deep - 1
    }
    // The leaf's lanes are rounded, and so is where its origin lies.
    rounding = max(rounding, 6e-8 * extent)
    if circleCount + 16 > 16 * blockCapacity { growBlocks() }
    // SAFETY: there is room for sixteen more, and addresses are laid out as optional ones.
    let list = unsafe UnsafeMutableRawPointer(records).assumingMemoryBound(to: UnsafeRawPointer?.self)
    circleCount = Int(
      unsafe vk_gather(
        leaf, first, Int32(TreeLayout.recordSize), Float(x), Float(y), Float(z), mask, Int32(circleCount),
        blocks, list, &largestRadius))
  }

  private mutating func append(
    polygonOf record: RegionRecord, _ tree: TreeView, _ coordinate: Coordinate, _ wanted: Float
  ) {
    // A damaged file's records may be no regions.
    guard record.ordinal < tree.ordinalLimit, let polygon = tree.polygon(record.polygonSlot) else { return }
    let distance = polygon.signedBoundaryDistance(
      from: coordinate, ecef: anchor, cutoff: Double(wanted) + NearbyPolygon.error)
    guard abs(distance) <= Double(wanted) + NearbyPolygon.error else { return }
    if polygonCount == polygonCapacity { growPolygons() }
    unsafe (polygons + polygonCount).initialize(
      to: NearbyPolygon(ordinal: record.ordinal, view: polygon, place: anchor, distance: distance))
    polygonCount += 1
  }

  /// Fills the last block up with circles far from everything.
  private mutating func pad() {
    guard circleCount % 16 != 0 else { return }
    let block = unsafe blocks + 64 * (circleCount / 16)
    for lane in circleCount % 16..<16 {
      unsafe block[lane] = TreeLayout.farAway
      unsafe block[16 + lane] = TreeLayout.farAway
      unsafe block[32 + lane] = TreeLayout.farAway
      unsafe block[48 + lane] = 0
    }
  }

  // MARK: Looking

  /// Which listed circles' boundaries may come within `reach` metres of a place, and how near everything else may.
  ///
  /// - Parameter found: Gets the circles that may, in place of what it held.
  /// - Returns: A lower bound of the distance to every other circle's boundary and every unlisted region's, metres; nil
  ///   where unlisted ones may come within reach too.
  /// - Complexity: O(listed circles / 16)
  package func look(at place: ECEF, within reach: Meters, into found: inout NearbyCircles) -> Meters? {
    found.removeAll()
    let margin = margin(at: place)
    guard margin > reach else { return nil }
    let x = Float(place.x - anchor.x)
    let y = Float(place.y - anchor.y)
    let z = Float(place.z - anchor.z)
    // Roundings on each axis, of the place, the lane's and their difference.
    let epsilon = laneError + 4e-7 * (abs(x) + abs(y) + abs(z))
    let threshold = Float(reach).nextUp
    var nearest = Float.greatestFiniteMagnitude
    // Four blocks at a time.
    var start = 0
    while start < circleCount {
      let fours = Int32(min(16, (circleCount - start + 3) / 4))
      let block = unsafe blocks + 4 * start
      var mask =
        isNear
        ? unsafe vk_near_boundary_bounds(block, fours, x, y, z, epsilon, threshold, &nearest)
        : unsafe vk_boundary_bounds(block, fours, x, y, z, epsilon, threshold, &nearest)
      while mask != 0 {
        let record = unsafe RegionRecord(records[start + mask.trailingZeroBitCount])
        mask &= mask - 1
        guard record.ordinal < ordinalLimit else { continue }
        found.append(
          NearbyCircle(ordinal: record.ordinal, center: record.center, radius: record.radius))
      }
      start += 64
    }
    return min(margin, Double(nearest))
  }

  /// A listed polygon.
  package subscript(polygon i: Int) -> NearbyPolygon {
    get { unsafe polygons[i] }
    set { unsafe polygons[i] = newValue }
  }

  // MARK: Room

  private mutating func growPending() {
    let new = UnsafeMutablePointer<UInt32>.allocate(capacity: 2 * pendingCapacity)
    unsafe new.update(from: pending, count: pendingCapacity)
    unsafe pending.deallocate()
    unsafe pending = new
    pendingCapacity *= 2
  }

  private mutating func growBlocks() {
    let newBlocks = UnsafeMutablePointer<Float>.allocate(capacity: 128 * blockCapacity)
    unsafe newBlocks.update(from: blocks, count: 64 * blockCapacity)
    unsafe blocks.deallocate()
    unsafe blocks = newBlocks
    unsafe planar.deallocate()
    unsafe planar = .allocate(capacity: 96 * blockCapacity)
    let newRecords = UnsafeMutablePointer<UnsafeRawPointer>.allocate(capacity: 32 * blockCapacity)
    unsafe newRecords.update(from: records, count: 16 * blockCapacity)
    unsafe records.deallocate()
    unsafe records = newRecords
    blockCapacity *= 2
  }

  private mutating func growPolygons() {
    let new = UnsafeMutablePointer<NearbyPolygon>.allocate(capacity: 2 * polygonCapacity)
    unsafe new.moveInitialize(from: polygons, count: polygonCount)
    unsafe polygons.deallocate()
    unsafe polygons = new
    polygonCapacity *= 2
  }
}

extension InlineArray where Element == Float {
  /// Calls `body` with the address of the first element.
  @inline(__always)
  mutating func withUnsafeFloats<R>(_ body: (UnsafeMutablePointer<Float>) -> R) -> R {
    var span = mutableSpan
    return unsafe span.withUnsafeMutableBufferPointer { buffer in
      // SAFETY: the array is not empty, so it has an address.
      unsafe body(buffer.baseAddress.unsafelyUnwrapped)
    }
  }
}
