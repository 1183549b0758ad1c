/// An R-tree that changes in place, in the blocks of the packed one (``TreeLayout``), so that the same
/// search reads both.
///
/// Node 0 is the root. Each subtree below it belongs to one of the strata of ``TreeBuilder``, of circles or
/// of polygons: a circle across a continent never shares a node with small ones. Every other node has at
/// least one child, every leaf at least one region.
///
/// Regions are identified by rows, small numbers that ``IdentifierMap`` assigns; ``positions`` leads from
/// a row to its lane. A leaf's lanes are offsets from the centre of its box, so a leaf whose box has to
/// grow is written anew.
@safe struct DynamicTree: ~Copyable {
  var nodes: BlockPool
  var leaves: BlockPool
  /// For each node and each leaf, the node above it and its lane there: node << 4 | lane.
  var nodeParents: [UInt32] = []
  var leafParents: [UInt32] = []
  /// How many regions each leaf holds.
  var leafCounts: [UInt8] = []
  /// The row of each lane of each leaf; ``noRow`` in empty lanes.
  var leafRows: [UInt32] = []
  /// Where each row's region is: leaf << 4 | lane.
  var positions: [UInt32] = []
  /// What comes first below each lane of each node (``TreeView/tops``); right where its circles have one
  /// centre.
  var tops: Buffer<LaneTop>
  /// How many regions there are.
  var count = 0
  /// The stratum of each lane of the root; ``noStratum`` for absent ones.
  var rootStrata = [UInt8](repeating: DynamicTree.noStratum, count: TreeLayout.width)
  var scratch: RepackScratch

  static let noStratum = UInt8.max
  /// Strata of circles, and as many of polygons: fewer than the root has lanes.
  static let stratumCount = 2 * TreeBuilder.stratumCount
  static let width = TreeLayout.width
  static let noRow = UInt32.max
  /// The most leaves whose lanes a position can tell apart.
  static let maximumLeafCount = 1 << 28
  /// One insertion splits at most every node on one path, and none of more than thirty levels.
  private static let nodesPerInsertion = 64
  /// One insertion adds at most three leaves to the sixteen whose regions it repacks.
  private static let leavesPerInsertion = 32

  /// A tree without regions, with room for these numbers of blocks.
  init(nodeCapacity: Int = 64, leafCapacity: Int = 64) throws(RegionError) {
    // All that can fail comes first: a value without copies cannot be taken apart half made.
    let nodes = try BlockPool(blockSize: TreeLayout.nodeSize, capacity: max(1, nodeCapacity))
    let leaves = try BlockPool(blockSize: TreeLayout.leafSize, capacity: leafCapacity)
    self.nodes = nodes
    self.leaves = leaves
    tops = Buffer(capacity: self.nodes.capacity * Self.width)
    scratch = RepackScratch()
    growTables()
    _ = newNode()
  }

  init(copying other: borrowing DynamicTree) throws(RegionError) {
    let nodes = try other.nodes.copy()
    let leaves = try other.leaves.copy()
    self.nodes = nodes
    self.leaves = leaves
    nodeParents = other.nodeParents
    leafParents = other.leafParents
    leafCounts = other.leafCounts
    leafRows = other.leafRows
    positions = other.positions
    count = other.count
    rootStrata = other.rootStrata
    tops = Buffer(capacity: self.nodes.capacity * Self.width)
    unsafe tops.base.update(
      from: other.tops.base, count: min(tops.capacity, other.nodes.count * Self.width))
    scratch = RepackScratch()
  }

  /// How many bytes the tree occupies.
  var byteCount: Int {
    nodes.count * (TreeLayout.nodeSize + 4) + leaves.count * (TreeLayout.leafSize + 4 + 1 + 64)
      + positions.count * 4
  }

  /// A view for searches; not valid after the tree changes.
  func view(_ polygons: borrowing PolygonArena) -> TreeView {
    unsafe TreeView(
      nodes: UnsafeRawPointer(nodes.base), nodeCount: nodes.count,
      leaves: UnsafeRawPointer(leaves.base), leafCount: leaves.count,
      polygonOffsets: polygons.offsetBase, polygons: polygons.byteBase,
      polygonCount: polygons.slotCount, tops: UnsafePointer(tops.base))
  }

  /// Makes room for one insertion.
  ///
  /// - Throws: ``RegionError``; nothing has changed then.
  @inline(__always)
  mutating func reserve() throws(RegionError) {
    guard
      nodes.capacity - nodes.count < Self.nodesPerInsertion
        || leaves.capacity - leaves.count < Self.leavesPerInsertion
    else { return }
    guard leaves.count + Self.leavesPerInsertion <= Self.maximumLeafCount else {
      throw .tooManyRegions(count: count + 1, maximum: count)
    }
    try nodes.reserve(Self.nodesPerInsertion)
    try leaves.reserve(Self.leavesPerInsertion)
    growTables()
  }

  /// Extends the tables beside the blocks to the blocks' capacity.
  mutating func growTables() {
    func extend<T>(_ table: inout [T], to count: Int, with value: T) {
      guard table.count < count else { return }
      table.append(contentsOf: repeatElement(value, count: count - table.count))
    }
    extend(&nodeParents, to: nodes.capacity, with: 0)
    if tops.capacity < nodes.capacity * Self.width {
      tops.grow(to: nodes.capacity * Self.width, keeping: tops.capacity)
    }
    extend(&leafParents, to: leaves.capacity, with: 0)
    extend(&leafCounts, to: leaves.capacity, with: 0)
    extend(&leafRows, to: leaves.capacity * Self.width, with: Self.noRow)
  }
}
