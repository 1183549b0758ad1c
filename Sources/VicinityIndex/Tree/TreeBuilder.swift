internal import VicinityGeodesy
internal import VicinityPolygon

/// Builds the packed tree, and the rest of an index's bytes with it.
struct TreeBuilder {
  private var set: RegionSet
  let threads: Int
  /// The ordinals written into records; nil for 0, 1, 2...
  var ordinals: [UInt32]?
  /// Whether identifiers are stored and held to be unique; otherwise only the tree is built.
  var storesIdentifiers = true
  /// How full leaves and nodes are packed.
  var fill = TreeShape.Fill.full
  /// Asked again and again, on any thread, whether to stop.
  var isStopped: @Sendable () -> Bool = { false }

  private static let chunk = 4096
  /// So many leaves are filled before memory that a file has is let go: 63 MB.
  private static let leavesAtOnce = 1 << 16

  init(set: consuming RegionSet, threads: Int) {
    self.set = set
    self.threads = threads
  }

  /// Regions are divided into strata by radius, at 4096 m and factors of eight beyond. Each stratum is
  /// ordered on its own: a circle across a continent among small ones would increase the largest radius of
  /// every node above it.
  private static let firstStratum: Double = 4096
  private static let stratumFactor: Double = 8
  static let stratumCount = 5

  /// What follows from the counts alone, before any region is looked at closely.
  struct Plan {
    /// Each region's stratum; those of polygons follow those of circles.
    fileprivate let kinds: [UInt8]
    /// How many regions each stratum has.
    fileprivate let sizes: [Int]
    fileprivate let shape: TreeShape
    let layout: IndexLayout
  }

  func plan() -> Plan {
    let kinds = kinds()
    var sizes = [Int](repeating: 0, count: 2 * Self.stratumCount)
    for kind in kinds { sizes[Int(kind)] += 1 }
    let shape = TreeShape(
      strata: sizes.enumerated().map { ($0.element, $0.offset >= Self.stratumCount) }, fill: fill)
    let layout = IndexLayout(
      regionCount: set.count, polygonCount: set.polygons.count, nodeCount: shape.nodeCount,
      leafCount: shape.leaves.count,
      identifierByteCount: storesIdentifiers ? set.identifierBytes.count : 0,
      polygonByteCount: set.polygons.reduce(0) { $0 + $1.polygon.blob.byteCount })
    return Plan(kinds: kinds, sizes: sizes, shape: shape, layout: layout)
  }

  /// The index over the set, in memory; one of nothing where it was stopped.
  ///
  /// - Complexity: O(n log n)
  mutating func build() throws(RegionError) -> PackedRTree {
    let plan = self.plan()
    guard let storage = IndexStorage.allocate(plan.layout.fileSize) else {
      throw .outOfMemory(byteCount: plan.layout.fileSize)
    }
    return try build(plan, in: storage)
  }

  /// The index over the set, in memory that is zero; one of nothing where it was stopped.
  ///
  /// The set is let go, its identifiers as soon as they are stored; and so is what has been filled of the
  /// memory, where a file has it.
  mutating func build(_ plan: Plan, in storage: IndexStorage) throws(RegionError) -> PackedRTree {
    let layout = plan.layout
    if storesIdentifiers {
      if let (first, second) = IdentifierTable.fill(storage, layout, set) {
        throw .duplicateIdentifier(set.identifier(of: first), first: first, second: second)
      }
      set.dropIdentifiers()
      storage.letGo(layout.offset(.identifierEnds)..<layout.fileSize)
    }
    let items = UnsafeMutablePointer<MedianOrder.Item>.allocate(capacity: max(1, set.count))
    defer { unsafe items.deallocate() }
    unsafe fillItems(items, plan)
    for stratum in plan.shape.strata {
      unsafe MedianOrder.order(items, stratum, fill: fill, threads: threads, isStopped)
    }
    unsafe orderRuns(items, plan.shape)
    // Items that were not ordered are in no order that the rest can be made of.
    if isStopped() { return try Self.nothing() }
    unsafe fillTree(storage, layout, plan.shape, items)
    if isStopped() { return try Self.nothing() }
    unsafe fillPolygons(storage.base, layout)
    unsafe IndexHeader.write(layout, to: storage.base)
    set = RegionSet()
    return PackedRTree(storage: storage, layout: layout)
  }

  private static func nothing() throws(RegionError) -> PackedRTree {
    var builder = TreeBuilder(set: RegionSet(), threads: 1)
    return try builder.build()
  }

  /// The stratum that a circle of `radius` metres belongs to, 0 ..< ``stratumCount``.
  static func stratum(ofRadius radius: Double) -> Int {
    var stratum = 0
    var limit = firstStratum
    while stratum < stratumCount - 1, radius > limit {
      stratum += 1
      limit *= stratumFactor
    }
    return stratum
  }

  /// Each region's stratum; those of polygons follow those of circles.
  private func kinds() -> [UInt8] {
    var kinds = set.radii.map { radius in UInt8(Self.stratum(ofRadius: radius)) }
    for (ordinal, _) in set.polygons { kinds[ordinal] += UInt8(Self.stratumCount) }
    return kinds
  }

  /// Fills in each region's item, at the next free position of its stratum.
  private func fillItems(_ items: UnsafeMutablePointer<MedianOrder.Item>, _ plan: Plan) {
    let set = set
    // The free positions, stretch by stretch: what comes before a stretch decides where its own begin.
    var next: [Int] = []
    var start = 0
    for size in plan.sizes {
      next.append(start)
      start += size
    }
    var starts: [[Int]] = []
    for first in stride(from: 0, to: set.count, by: Self.chunk) {
      starts.append(next)
      for i in first..<min(first + Self.chunk, set.count) { next[Int(plan.kinds[i])] += 1 }
    }
    // SAFETY: every iteration writes the positions of its own regions.
    nonisolated(unsafe) let items = unsafe items
    let (kinds, found) = (plan.kinds, starts)
    Parallel.forEachChunk(of: set.count, size: Self.chunk, threads: threads) { chunk in
      var next = found[chunk.lowerBound / Self.chunk]
      for i in chunk {
        let point = ECEF(unchecked: set.centers[i])
        let kind = Int(kinds[i])
        unsafe items[next[kind]] = MedianOrder.Item(
          x: Float(point.x), y: Float(point.y), z: Float(point.z), r: Float(min(set.radii[i], 1e37)),
          index: UInt32(truncatingIfNeeded: i))
        next[kind] += 1
      }
    }
  }

  private func fillTree(
    _ storage: IndexStorage, _ layout: IndexLayout, _ shape: TreeShape,
    _ items: UnsafeMutablePointer<MedianOrder.Item>
  ) {
    let base = unsafe storage.base
    let boxes = UnsafeMutablePointer<Box>.allocate(capacity: max(1, layout.leafCount))
    let runs = UnsafeMutablePointer<Run?>.allocate(capacity: max(1, layout.leafCount))
    unsafe runs.initialize(repeating: nil, count: max(1, layout.leafCount))
    defer {
      unsafe boxes.deallocate()
      unsafe runs.deallocate()
    }
    // SAFETY: every iteration writes its own leaf and box, and the positions of its own regions.
    nonisolated(unsafe) let context = (
      leaves: unsafe base + layout.offset(.leaves), positions: unsafe base + layout.offset(.positions),
      items: unsafe items, boxes: unsafe boxes, runs: unsafe runs
    )
    let polygonSlots = polygonSlots()
    for first in stride(from: 0, to: layout.leafCount, by: Self.leavesAtOnce) {
      let count = min(Self.leavesAtOnce, layout.leafCount - first)
      Parallel.forEachChunk(of: count, size: 256, threads: threads) { chunk in
        for i in first + chunk.lowerBound..<first + chunk.upperBound {
          let leaf = shape.leaves[i]
          let items = unsafe UnsafeBufferPointer(start: context.items + leaf.start, count: leaf.count)
          unsafe context.boxes[i] = fillLeaf(
            i, at: context.leaves + i * TreeLayout.leafSize, positions: context.positions,
            items: items, slots: leaf.isPolygonal ? polygonSlots : nil)
          if !leaf.isPolygonal { unsafe context.runs[i] = run(items) }
        }
      }
      let start = layout.offset(.leaves) + first * TreeLayout.leafSize
      storage.letGo(start..<start + count * TreeLayout.leafSize)
    }
    unsafe fillNodes(
      base + layout.offset(.nodes), shape, leafBoxes: boxes, leafRuns: runs)
  }

  /// Circles around one centre in order, by their indices in the set.
  private struct Run {
    var first: Int
    var last: Int
  }

  /// ``LaneTop/precedes(_:_:)`` of two regions, by their indices in the set.
  private func precedes(_ a: UInt32, _ b: UInt32) -> Bool {
    func top(_ index: UInt32) -> LaneTop {
      LaneTop(radius: set.radii[Int(index)], ordinal: ordinals?[Int(index)] ?? index)
    }
    return LaneTop.precedes(top(a), top(b))
  }

  /// Puts circles around one centre, where they fill whole leaves, in order from the first of these leaves to
  /// the last. Single precision has left them in the order of their indices where radii are nearly the same.
  private func orderRuns(_ items: UnsafeMutablePointer<MedianOrder.Item>, _ shape: TreeShape) {
    var run = 0..<0
    var center: Coordinate?
    func finish() {
      guard center != nil, run.count > 1 else { return }
      var items = unsafe UnsafeMutableBufferPointer(start: items + run.lowerBound, count: run.count)
      let isOrdered = items.indices.dropFirst().allSatisfy { i in
        unsafe precedes(items[i - 1].index, items[i].index)
      }
      if !isOrdered { unsafe items.sort { precedes($0.index, $1.index) } }
    }
    for leaf in shape.leaves {
      let next =
        unsafe leaf.isPolygonal
        ? nil : self.center(UnsafeBufferPointer(start: items + leaf.start, count: leaf.count))
      // Leaves next to each other need not have items next to each other.
      if next != center || leaf.start != run.upperBound {
        finish()
        (run, center) = (leaf.start..<leaf.start, next)
      }
      run = run.lowerBound..<leaf.start + leaf.count
    }
    finish()
  }

  /// The centre of all of a leaf's circles; nil where they have several.
  private func center(_ items: UnsafeBufferPointer<MedianOrder.Item>) -> Coordinate? {
    guard let first = unsafe items.first,
      // Mostly this decides, and the set is not read.
      unsafe items.allSatisfy({ $0.x == first.x && $0.y == first.y && $0.z == first.z })
    else { return nil }
    let center = set.centers[Int(first.index)]
    return unsafe items.allSatisfy { set.centers[Int($0.index)] == center } ? center : nil
  }

  /// The run that a leaf's circles are; nil where they are none.
  private func run(_ items: UnsafeBufferPointer<MedianOrder.Item>) -> Run? {
    guard unsafe center(items) != nil, let first = unsafe items.first, let last = unsafe items.last else {
      return nil
    }
    return Run(first: Int(first.index), last: Int(last.index))
  }

  /// The run that two make, one behind the other; nil where they make none.
  private func joined(_ a: Run?, _ b: Run?) -> Run? {
    guard let a, let b, set.centers[a.first] == set.centers[b.first],
      precedes(UInt32(truncatingIfNeeded: a.last), UInt32(truncatingIfNeeded: b.first))
    else { return nil }
    return Run(first: a.first, last: b.last)
  }

  /// For each polygon's ordinal, its number among the polygons.
  private func polygonSlots() -> [Int: Int] {
    var slots: [Int: Int] = [:]
    for (slot, entry) in set.polygons.enumerated() { slots[entry.ordinal] = slot }
    return slots
  }

  private func fillLeaf(
    _ number: Int, at leaf: UnsafeMutableRawPointer, positions: UnsafeMutableRawPointer,
    items: UnsafeBufferPointer<MedianOrder.Item>, slots: [Int: Int]?
  ) -> Box {
    unsafe withUnsafeTemporaryAllocation(of: ECEF.self, capacity: TreeLayout.width) { points in
      unsafe fillLeaf(number, at: leaf, positions: positions, items: items, slots: slots, points: points)
    }
  }

  private func fillLeaf(
    _ number: Int, at leaf: UnsafeMutableRawPointer, positions: UnsafeMutableRawPointer,
    items: UnsafeBufferPointer<MedianOrder.Item>, slots: [Int: Int]?,
    points: UnsafeMutableBufferPointer<ECEF>
  ) -> Box {
    var box = Box()
    for lane in 0..<items.count {
      let i = Int(unsafe items[lane].index)
      let point = ECEF(unchecked: set.centers[i])
      unsafe points[lane] = point
      box.include(point, radius: set.radii[i])
    }
    let origin = LaneBox(box).center
    for lane in 0..<TreeLayout.width {
      guard lane < items.count else {
        unsafe LeafEntry.clearLane(of: leaf, lane)
        continue
      }
      let i = Int(unsafe items[lane].index)
      let ordinal = ordinals?[i] ?? UInt32(truncatingIfNeeded: i)
      let entry = unsafe LeafEntry(
        ordinal: ordinal, center: set.centers[i], point: points[lane], radius: set.radii[i],
        polygonSlot: slots?[i])
      unsafe entry.writeRecord(
        to: leaf + TreeLayout.recordOffset + lane * TreeLayout.recordSize)
      unsafe LeafEntry.writeLane(
        entry.point, largestRadius: Box.inflated(entry.radius), isPolygon: entry.isPolygon, to: leaf, lane,
        origin: origin)
      unsafe positions.storeBytes(
        of: UInt32(truncatingIfNeeded: number * TreeLayout.width + lane), toByteOffset: i * 4,
        as: UInt32.self)
    }
    return box
  }

  /// Fills the nodes from the last to the first, so that children come before their parents.
  private func fillNodes(
    _ nodes: UnsafeMutableRawPointer, _ shape: TreeShape, leafBoxes: UnsafeMutablePointer<Box>,
    leafRuns: UnsafeMutablePointer<Run?>
  ) {
    var boxes = [Box](repeating: Box(), count: shape.nodeCount)
    var runs = [Run?](repeating: nil, count: shape.nodeCount)
    // Children are numbered in the order in which nodes refer to them. No node refers to the root.
    var nextNode = shape.nodeCount
    var nextLeaf = shape.leaves.count
    for i in stride(from: shape.nodeCount - 1, through: 0, by: -1) {
      let node = unsafe nodes + i * TreeLayout.nodeSize
      let first = shape.childStarts[i]
      for lane in (0..<TreeLayout.width).reversed() {
        guard first + lane < shape.childStarts[i + 1] else {
          unsafe LaneBox.absent.write(to: node, lane, child: TreeLayout.absent)
          continue
        }
        let subtree = shape.children[first + lane]
        let isLast = first + lane + 1 == shape.childStarts[i + 1]
        let box: Box
        let run: Run?
        var child: UInt32
        if subtree.height == 0 {
          nextLeaf -= 1
          box = unsafe leafBoxes[nextLeaf]
          run = unsafe leafRuns[nextLeaf]
          child = UInt32(truncatingIfNeeded: nextLeaf) | TreeLayout.leafFlag
          if subtree.isPolygonal { child |= TreeLayout.polygonFlag }
        } else {
          nextNode -= 1
          box = boxes[nextNode]
          run = runs[nextNode]
          child = UInt32(truncatingIfNeeded: nextNode)
          if run != nil { child |= TreeLayout.runFlag }
        }
        runs[i] = isLast ? run : joined(run, runs[i])
        boxes[i].include(box)
        unsafe LaneBox(box).write(to: node, lane, child: child)
      }
    }
  }

  private func fillPolygons(_ base: UnsafeMutableRawPointer, _ layout: IndexLayout) {
    guard layout.polygonCount > 0 else { return }
    let offsets = unsafe base + layout.offset(.polygonOffsets)
    let section = unsafe base + layout.offset(.polygons)
    var end = 0
    for (slot, entry) in set.polygons.enumerated() {
      unsafe offsets.storeBytes(of: UInt64(end), toByteOffset: slot * 8, as: UInt64.self)
      unsafe entry.polygon.blob.withUnsafeBytes { bytes in
        unsafe UnsafeMutableRawBufferPointer(start: section + end, count: bytes.count)
          .copyMemory(from: bytes)
      }
      end += entry.polygon.blob.byteCount
    }
    unsafe offsets.storeBytes(
      of: UInt64(end), toByteOffset: set.polygons.count * 8, as: UInt64.self)
  }
}
