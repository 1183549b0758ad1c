internal import VicinityGeodesy

extension DynamicTree {
  /// Regions of one kind to build a tree from.
  struct Columns {
    /// Centres and radii; no identifiers, and polygons by their bounding circles.
    fileprivate var regions = RegionSet()
    fileprivate var ordinals: [UInt32] = []
    fileprivate var rows: [UInt32] = []
    /// For polygons, each one's slot.
    fileprivate var slots: [UInt32] = []

    init(capacity: Int) {
      regions.centers.reserveCapacity(capacity)
      regions.radii.reserveCapacity(capacity)
      ordinals.reserveCapacity(capacity)
      rows.reserveCapacity(capacity)
    }

    mutating func append(
      center: Coordinate, radius: Double, ordinal: UInt32, row: UInt32, polygonSlot: Int? = nil
    ) {
      regions.centers.append(center)
      regions.radii.append(radius)
      ordinals.append(ordinal)
      rows.append(row)
      if let polygonSlot { slots.append(UInt32(truncatingIfNeeded: polygonSlot)) }
    }

    /// A packed tree of the regions, without identifiers and with room to grow: with every block full, the
    /// first insertions would split every one of them.
    fileprivate func packed(threads: Int) throws(RegionError) -> PackedRTree {
      var builder = TreeBuilder(set: regions, threads: threads)
      builder.ordinals = ordinals
      builder.storesIdentifiers = false
      builder.fill = fill
      return try builder.build()
    }
  }

  private static let fill = TreeShape.Fill(leaf: 14, node: 13)

  /// A tree over these regions, packed with some room to grow.
  ///
  /// - Throws: ``RegionError/outOfMemory(byteCount:)``.
  /// - Complexity: O(n log n)
  static func built(
    circles: borrowing Columns, polygons: borrowing Columns, rowCount: Int, threads: Int
  ) throws(RegionError) -> DynamicTree {
    let packedCircles = try circles.packed(threads: threads)
    let packedPolygons = try polygons.packed(threads: threads)
    let nodeCount = packedCircles.layout.nodeCount + packedPolygons.layout.nodeCount
    let leafCount = packedCircles.layout.leafCount + packedPolygons.layout.leafCount
    // Room that is never touched costs no memory.
    var tree = try DynamicTree(
      nodeCapacity: nodeCount * 2 + 64, leafCapacity: leafCount * 3 / 2 + 64)
    tree.positions = [UInt32](repeating: 0, count: rowCount)
    tree.adopt(packedCircles, circles, isPolygonal: false)
    tree.adopt(packedPolygons, polygons, isPolygonal: true)
    tree.flattenRoot()
    return tree
  }

  /// Copies the blocks of a packed tree and puts its strata into the root.
  private mutating func adopt(
    _ packed: PackedRTree, _ columns: borrowing Columns, isPolygonal: Bool
  ) {
    guard packed.count > 0 else { return }
    let view = packed.view
    defer { withExtendedLifetime(packed) {} }
    let leafBase = leaves.allocateRun(view.leafCount)
    unsafe leaves.block(leafBase).copyMemory(
      from: view.leaves, byteCount: view.leafCount * TreeLayout.leafSize)

    var strata = [Bool](repeating: false, count: TreeBuilder.stratumCount)
    for radius in columns.regions.radii { strata[TreeBuilder.stratum(ofRadius: radius)] = true }
    let present = strata.indices.filter { strata[$0] }
    // A single stratum of more than a leaf has no root above its own.
    let isLifted = present.count == 1 && packed.count > Self.fill.leaf
    let first = isLifted ? 0 : 1
    let nodeBase = nodes.allocateRun(view.nodeCount - first) - first
    func renumbered(_ child: UInt32) -> UInt32 {
      guard Self.isLeaf(child) else {
        return (child & TreeLayout.childMask) + UInt32(truncatingIfNeeded: nodeBase)
          | (child & TreeLayout.runFlag != 0 ? TreeLayout.centerFlag : 0)
      }
      let number = (child & TreeLayout.childMask) + UInt32(truncatingIfNeeded: leafBase)
      return number | TreeLayout.leafFlag | (isPolygonal ? TreeLayout.polygonFlag : 0)
    }
    // Children stand behind their parents, and have to be finished before these.
    for i in (first..<view.nodeCount).reversed() {
      let node = nodeBase + i
      unsafe nodes.block(node).copyMemory(from: view.node(i), byteCount: TreeLayout.nodeSize)
      for lane in 0..<Self.width where view.child(i, lane) != TreeLayout.absent {
        setChild(node, lane, renumbered(view.child(i, lane)), box(node, lane))
      }
    }
    for (i, stratum) in present.enumerated() {
      let lane = stratum + (isPolygonal ? TreeBuilder.stratumCount : 0)
      rootStrata[lane] = UInt8(truncatingIfNeeded: lane)
      guard !isLifted else {
        setChild(0, lane, UInt32(truncatingIfNeeded: nodeBase), union(nodeBase))
        continue
      }
      let box = unsafe LaneBox(view.node(0), i)
      setChild(0, lane, renumbered(view.child(0, i)), box)
    }
    recordPositions(packed, columns, leafBase: leafBase)
  }

  /// Records where each region went.
  private mutating func recordPositions(
    _ packed: PackedRTree, _ columns: borrowing Columns, leafBase: Int
  ) {
    let packedPositions = unsafe packed.storage.base + packed.layout.offset(.positions)
    for i in 0..<packed.count {
      let position =
        Int(unsafe packedPositions.load(fromByteOffset: 4 * i, as: UInt32.self))
        + leafBase * Self.width
      let row = columns.rows[i]
      leafRows[position] = row
      leafCounts[position >> 4] += 1
      positions[Int(row)] = UInt32(truncatingIfNeeded: position)
      guard !columns.slots.isEmpty else { continue }
      let record = unsafe record(position >> 4, position & 15)
      unsafe record.storeBytes(
        of: columns.slots[i], toByteOffset: TreeLayout.recordX, as: UInt32.self)
      unsafe record.storeBytes(
        of: TreeLayout.polygonMark, toByteOffset: TreeLayout.recordY, as: UInt32.self)
    }
    count += packed.count
  }
}
