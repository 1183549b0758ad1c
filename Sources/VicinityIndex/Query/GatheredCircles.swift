internal import CVicinityKernels
package import VicinityGeodesy
internal import VicinityPolygon

/// The circles around an anchor, gathered from a tree, so that whoever asks again near by need not search it:
/// queries that follow one another, the moving query, and the crossings.
///
/// Every region that is not listed is at least ``limit`` away from the anchor. As boundary distance changes
/// by no more than the position moves, it is at least ``margin(at:)`` away from a point near by (the reliable
/// region of S. Nutanong et al., *The V*-Diagram*, VLDB 2008).
@safe package struct GatheredCircles: ~Copyable {
  /// Blocks laid out as a leaf's four rows, relative to the anchor. The last one is filled up with circles
  /// far from everything.
  package private(set) var blocks = Buffer<Float>(capacity: 64 * 4)
  package private(set) var records = Buffer<RegionRecord>(capacity: 16 * 4)
  /// The centres, as precise as a query needs them, where they are asked for.
  private(set) var centers = Buffer<Center>(capacity: 0)
  package private(set) var count = 0
  /// The polygons whose bounding circles come as near; where these are asked for.
  package private(set) var polygonRecords = Buffer<RegionRecord>(capacity: 4)
  package private(set) var polygonCount = 0

  package private(set) var anchor = ECEF(x: 0, y: 0, z: 0)
  /// Every region that is not listed is at least this far from the anchor, metres: minus infinity before the
  /// first gathering, and after one that was given up.
  package private(set) var limit: Meters = -.infinity
  /// The largest error of the circles' offsets on each axis, metres: they are rounded in their leaves, and so
  /// are the leaves' origins.
  package private(set) var rounding: Float = 0
  package private(set) var largestRadius: Float = 0
  /// The error of a distance that follows from ``rounding`` and from the lanes' own distances from the
  /// anchor, metres.
  package private(set) var laneError: Float = 0
  /// Records with this ordinal or a greater one are no regions: a file's bytes may say anything.
  package private(set) var ordinalLimit: UInt32 = 0

  /// A centre in two parts, which a search takes off its position one after the other. So does whoever asks
  /// the list, and distances from it are no other ones.
  struct Center {
    /// The origin of its leaf.
    var origin: SIMD3<Float>
    /// Its offset from there, metres.
    var x: Double
    var y: Double
    var z: Double
  }

  /// The nodes that are still to be read while gathering.
  private var pending = Buffer<UInt32>(capacity: 128)
  /// The leaves that are still to be read.
  private let pendingLeaves = Buffer<PendingLeaf>(capacity: leafRoom)

  // Not private: without optimisation the compiler emits no code for it then, and uses it.
  struct PendingLeaf {
    /// Its number, flags included.
    var child: UInt32
    /// The node above it, and its lane there.
    var node: UInt32
    var lane: Int
  }
  private static var leafRoom: Int { 64 }

  /// What to gather.
  package enum Purpose {
    /// What is nearest: circles whose signed distance is below the limit, with their centres. Polygons end
    /// the gathering.
    case nearest
    /// Boundaries within the limit, of polygons too. Circles so large that the whole neighbourhood lies
    /// inside them are left out.
    case boundaries
    /// The same, and the ordinals of the circles left out.
    case boundariesAndEnclosing
  }
  private var purpose = Purpose.nearest
  /// The ordinals of the circles that hold the whole neighbourhood.
  package private(set) var enclosingOrdinals: [UInt32] = []

  package init() {}

  /// How many bytes the lists take.
  package var byteCount: Int {
    4 * (blocks.capacity + pending.capacity) + 8 * (records.capacity + polygonRecords.capacity)
      + centers.capacity * MemoryLayout<Center>.stride
      + pendingLeaves.capacity * MemoryLayout<PendingLeaf>.stride
  }

  /// A lower bound of the distance from a point to any region that is not listed, metres; minus infinity
  /// where nothing is known.
  @inlinable @inline(__always)
  package func margin(at ecef: ECEF) -> Meters {
    let dx = ecef.x - anchor.x
    let dy = ecef.y - anchor.y
    let dz = ecef.z - anchor.z
    let c2 = dx * dx + dy * dy + dz * dz
    // Up to 1000 km a geodesic is longer than its chord by no more than c u (1/24 + 3u/640 + 0.0008u²), u =
    // (c/R₋)² <= 0.025: less than 0.0418 c u.
    guard c2 < 1e12 else { return -.infinity }
    return limit - c2.squareRoot() * (1 + c2 * Self.stretch) - 1e-6
  }

  @usableFromInline static var stretch: Double {
    0.0418 / (WGS84.minimumCurvatureRadius * WGS84.minimumCurvatureRadius)
  }

  /// Forgets all regions, and the memory that they are read from.
  package mutating func forget() {
    limit = -.infinity
    count = 0
    polygonCount = 0
  }

  // MARK: Gathering

  /// Lists the regions within `limit` metres of a point, and perhaps a few more.
  ///
  /// The lists refer to the tree's memory: ``forget()`` them before the tree changes or goes.
  ///
  /// - Parameters:
  ///   - purpose: What to list.
  ///   - most: The most circles that are of use.
  /// - Returns: Whether all were listed; where not, there are more than `most`, or polygons or damaged bytes
  ///   where only circles help, and the lists are of no use.
  /// - Complexity: O(log n + regions found) on spread data.
  package mutating func gather(
    _ tree: TreeView, _ purpose: Purpose, within limit: Meters, of ecef: ECEF, most: Int
  ) -> Bool {
    let wanted = Float(limit).nextUp
    self.purpose = purpose
    anchor = ecef
    self.limit = limit
    count = 0
    polygonCount = 0
    rounding = 0
    largestRadius = 0
    enclosingOrdinals.removeAll(keepingCapacity: true)
    ordinalLimit = tree.ordinalLimit
    let isComplete = tree.nodeCount == 0 || readTree(tree, wanted, most: most)
    pad()
    // A lane lies no farther from the anchor than the limit and its radius together.
    laneError = 1e-6 + 4e-7 * (abs(wanted) + largestRadius) + rounding
    // Around a position that lies in many regions, any finite number could be more than what is asked.
    if !isComplete { self.limit = -.infinity }
    return isComplete
  }

  /// Reads nodes level by level, and their leaves after them: each block has been prefetched well before it
  /// is read.
  private mutating func readTree(_ tree: TreeView, _ wanted: Float, most: Int) -> Bool {
    unsafe pending.base[0] = 0
    var opened = 0
    var nodeCount = 1
    var leafCount = 0
    while opened < nodeCount {
      let number = Int(unsafe pending.base[opened])
      opened += 1
      if nodeCount + 16 > pending.capacity { pending.grow(to: 2 * pending.capacity, keeping: nodeCount) }
      expand(tree, number, wanted, &nodeCount, &leafCount)
      if leafCount <= Self.leafRoom - 16, opened < nodeCount { continue }
      for i in 0..<leafCount {
        guard unsafe read(pendingLeaves.base[i], of: tree, wanted) else { return false }
      }
      leafCount = 0
      if count > most { return false }
    }
    guard purpose == .nearest else { return true }
    // In a damaged file a record may be no region's.
    for i in 0..<count where unsafe records.base[i].ordinal >= ordinalLimit { return false }
    return true
  }

  /// Reads a node: adds the nodes and leaves below it that may matter to the pending ones.
  private func expand(
    _ tree: TreeView, _ number: Int, _ wanted: Float, _ nodeCount: inout Int, _ leafCount: inout Int
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
        unsafe pending.base[nodeCount] = number
        nodeCount += 1
      } else {
        unsafe vk_prefetch(
          tree.leaves + Int(child & TreeLayout.childMask) * TreeLayout.leafSize,
          Int32(TreeLayout.recordOffset))
        unsafe pendingLeaves.base[leafCount] = PendingLeaf(child: child, node: UInt32(number), lane: lane)
        leafCount += 1
      }
    }
  }

  /// Reads a leaf.
  ///
  /// - Returns: False where it holds a polygon that may not be listed.
  private mutating func read(_ pending: PendingLeaf, of tree: TreeView, _ wanted: Float) -> Bool {
    let number = Int(pending.child & TreeLayout.childMask)
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
    guard mask != 0 else { return true }
    let first = unsafe leaf + TreeLayout.recordOffset
    if pending.child & TreeLayout.polygonFlag != 0 {
      guard purpose != .nearest else { return false }
      unsafe appendPolygons(first, mask)
      return true
    }
    if purpose != .nearest {
      // The anchor is so deep inside these that their boundaries are beyond the limit.
      var deep =
        unsafe bounds.withUnsafeFloats {
          unsafe vk_below16(band == nil ? $0 + 16 : $0, -wanted - (band ?? 0))
        } & mask
      mask ^= deep
      while purpose == .boundariesAndEnclosing, deep != 0 {
        unsafe enclosingOrdinals.append(
          RegionRecord(first + TreeLayout.recordSize * deep.trailingZeroBitCount).ordinal)
        deep &= deep - 1
      }
    }
    // The leaf's lanes are rounded, and so is its origin.
    rounding = max(rounding, 6e-8 * extent)
    if count + 16 > records.capacity {
      blocks.grow(to: 2 * blocks.capacity, keeping: blocks.capacity)
      records.grow(to: 2 * records.capacity, keeping: count)
    }
    if purpose == .nearest { unsafe appendCenters(leaf, row, mask) }
    // SAFETY: there is room for sixteen more, and records are laid out as optional addresses.
    let list = unsafe UnsafeMutableRawPointer(records.base).assumingMemoryBound(to: UnsafeRawPointer?.self)
    count = Int(
      unsafe vk_gather(
        leaf, first, Int32(TreeLayout.recordSize), Float(x), Float(y), Float(z), mask, Int32(count),
        blocks.base, list, &largestRadius))
    return true
  }

  private mutating func appendCenters(
    _ leaf: UnsafeRawPointer, _ row: UnsafePointer<Float>, _ lanes: UInt32
  ) {
    let origin = unsafe SIMD3(row[0], row[16], row[32])
    if centers.capacity < records.capacity { centers.grow(to: records.capacity, keeping: count) }
    var lanes = lanes
    var i = count
    while lanes != 0 {
      let lane = lanes.trailingZeroBitCount
      lanes &= lanes - 1
      let high = unsafe leaf.assumingMemoryBound(to: Float.self) + lane
      let low = unsafe RegionRecord(leaf + (TreeLayout.recordOffset + TreeLayout.recordSize * lane)).remainder
      unsafe centers.base[i] = Center(
        origin: origin, x: Double(high[0]) + low.x, y: Double(high[16]) + low.y, z: Double(high[32]) + low.z)
      i += 1
    }
  }

  private mutating func appendPolygons(_ first: UnsafeRawPointer, _ lanes: UInt32) {
    var lanes = lanes
    while lanes != 0 {
      let record = unsafe RegionRecord(first + TreeLayout.recordSize * lanes.trailingZeroBitCount)
      lanes &= lanes - 1
      if polygonCount == polygonRecords.capacity {
        polygonRecords.grow(to: 2 * polygonCount, keeping: polygonCount)
      }
      unsafe polygonRecords.base[polygonCount] = record
      polygonCount += 1
    }
  }

  /// Fills the last block up with circles far from everything.
  private mutating func pad() {
    guard count % 16 != 0 else { return }
    let block = unsafe blocks.base + 64 * (count / 16)
    for lane in count % 16..<16 {
      unsafe block[lane] = TreeLayout.farAway
      unsafe block[16 + lane] = TreeLayout.farAway
      unsafe block[32 + lane] = TreeLayout.farAway
      unsafe block[48 + lane] = 0
    }
  }

  // MARK: How far to gather

  /// A margin for the next gathering of what is nearest: how much farther to go than the last region wanted,
  /// metres.
  ///
  /// One and a half to two and a half times as many circles as are wanted cost a moving query least: fewer
  /// are left too soon, more take longer to look through (nanoseconds a fix at 15 m/s in dense places, 100k
  /// and 1M regions: 1.3-2.0 times 62 and 134, 1.5-2.5 times 62 and 136, 2.0-3.5 times 76 and 153, 3-5 times
  /// 89 and 184).
  package func nextMargin(_ margin: Meters, wanted: Int) -> Meters {
    if count > 2 * wanted + wanted / 2 + 4 { return 0.75 * margin }
    return count < wanted + wanted / 2 + 2 ? 1.4 * margin : margin
  }
}
