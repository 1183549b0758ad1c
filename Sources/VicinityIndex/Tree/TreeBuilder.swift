internal import VicinityGeodesy

/// Builds the packed tree, and the rest of an index's bytes with it.
struct TreeBuilder {
  let set: RegionSet
  let threads: Int
  /// The ordinals written into records, where they are not 0, 1, 2...
  let ordinals: [UInt32]?
  /// Whether identifiers are stored and held to be unique; otherwise only the tree is built.
  var storesIdentifiers = true
  /// How full leaves and nodes are packed.
  var fill = TreeShape.Fill.full

  private static let chunk = 4096

  /// Radii are told apart in strata by factors of eight from 4096 m, each ordered on its own: a circle
  /// across a continent among small ones would stretch the reach of every node above it.
  private static let firstStratum: Double = 4096
  private static let stratumFactor: Double = 8
  static let stratumCount = 5

  /// The index over the set.
  ///
  /// - Complexity: O(n log n)
  func build() throws(RegionError) -> PackedRTree {
    let count = set.count
    let kinds = kinds()
    var sizes = [Int](repeating: 0, count: 2 * Self.stratumCount)
    for kind in kinds { sizes[Int(kind)] += 1 }
    let shape = TreeShape(
      strata: sizes.enumerated().map { ($0.element, $0.offset >= Self.stratumCount) }, fill: fill)
    let polygonByteCount = set.polygons.reduce(0) { $0 + $1.polygon.blob.byteCount }
    let layout = IndexLayout(
      regionCount: count, polygonCount: set.polygons.count, nodeCount: shape.nodeCount,
      leafCount: shape.leaves.count,
      identifierByteCount: storesIdentifiers ? set.identifierBytes.count : 0,
      polygonByteCount: polygonByteCount)
    guard let storage = IndexStorage.allocate(layout.fileSize) else {
      throw .outOfMemory(byteCount: layout.fileSize)
    }
    let base = unsafe storage.base

    let places = UnsafeMutablePointer<ECEF>.allocate(capacity: max(1, count))
    let items = UnsafeMutablePointer<MedianOrder.Item>.allocate(capacity: max(1, count))
    defer {
      unsafe places.deallocate()
      unsafe items.deallocate()
    }
    unsafe fillItems(items, places: places, kinds: kinds, sizes: sizes)
    for stratum in shape.strata {
      unsafe MedianOrder.order(items, stratum, fill: fill, threads: threads)
    }
    unsafe fillTree(base, layout, shape, items, places)
    if storesIdentifiers {
      unsafe IdentifierTable.fill(base, layout, set, threads: threads)
      if let (first, second) = unsafe IdentifierTable.insertAll(base, layout) {
        throw .duplicateIdentifier(set.identifier(of: first), first: first, second: second)
      }
    }
    unsafe fillPolygons(base, layout)
    unsafe IndexHeader.write(layout, to: base)
    return PackedRTree(storage: storage, layout: layout)
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

  /// Fills in each region's place, and its item at the next free position of its stratum.
  private func fillItems(
    _ items: UnsafeMutablePointer<MedianOrder.Item>, places: UnsafeMutablePointer<ECEF>,
    kinds: [UInt8], sizes: [Int]
  ) {
    let set = set
    // SAFETY: every iteration writes its own elements.
    nonisolated(unsafe) let places = unsafe places
    Parallel.forEachChunk(of: set.count, size: Self.chunk, threads: threads) { chunk in
      for i in chunk { unsafe places[i] = ECEF(unchecked: set.centers[i]) }
    }
    var next: [Int] = []
    var start = 0
    for size in sizes {
      next.append(start)
      start += size
    }
    for i in 0..<set.count {
      let kind = Int(kinds[i])
      let place = unsafe places[i]
      unsafe items[next[kind]] = MedianOrder.Item(
        x: Float(place.x), y: Float(place.y), z: Float(place.z), r: Float(min(set.radii[i], 1e37)),
        index: UInt32(truncatingIfNeeded: i))
      next[kind] += 1
    }
  }

  private func fillTree(
    _ base: UnsafeMutableRawPointer, _ layout: IndexLayout, _ shape: TreeShape,
    _ items: UnsafeMutablePointer<MedianOrder.Item>, _ places: UnsafeMutablePointer<ECEF>
  ) {
    let boxes = UnsafeMutablePointer<Box>.allocate(capacity: max(1, layout.leafCount))
    defer { unsafe boxes.deallocate() }
    // SAFETY: every iteration writes its own leaf and box, and the positions of its own regions.
    nonisolated(unsafe) let context = (
      leaves: unsafe base + layout.offset(.leaves), positions: unsafe base + layout.offset(.positions),
      items: unsafe items, places: unsafe places, boxes: unsafe boxes
    )
    let polygonSlots = polygonSlots()
    Parallel.forEachChunk(of: layout.leafCount, size: 256, threads: threads) { chunk in
      for i in chunk {
        let leaf = shape.leaves[i]
        unsafe context.boxes[i] = fillLeaf(
          i, at: context.leaves + i * TreeLayout.leafSize, positions: context.positions,
          items: UnsafeBufferPointer(start: context.items + leaf.start, count: leaf.count),
          places: context.places, slots: leaf.isPolygonal ? polygonSlots : nil)
      }
    }
    unsafe fillNodes(base + layout.offset(.nodes), shape, leafBoxes: boxes)
  }

  /// For each ordinal of a polygon, its place among the polygons.
  private func polygonSlots() -> [Int: Int] {
    var slots: [Int: Int] = [:]
    for (slot, entry) in set.polygons.enumerated() { slots[entry.ordinal] = slot }
    return slots
  }

  private func fillLeaf(
    _ number: Int, at leaf: UnsafeMutableRawPointer, positions: UnsafeMutableRawPointer,
    items: UnsafeBufferPointer<MedianOrder.Item>, places: UnsafeMutablePointer<ECEF>,
    slots: [Int: Int]?
  ) -> Box {
    var box = Box()
    for lane in 0..<items.count {
      let i = Int(unsafe items[lane].index)
      unsafe box.include(places[i], reach: set.radii[i])
    }
    let (origin, _) = box.centerAndHalf
    for lane in 0..<TreeLayout.width {
      let record = unsafe leaf + TreeLayout.recordOffset + lane * TreeLayout.recordSize
      func put(_ value: Float, _ row: Int) {
        unsafe leaf.storeBytes(of: value, toByteOffset: row + 4 * lane, as: Float.self)
      }
      guard lane < items.count else {
        put(TreeLayout.farAway, TreeLayout.leafX)
        put(TreeLayout.farAway, TreeLayout.leafY)
        put(TreeLayout.farAway, TreeLayout.leafZ)
        put(0, TreeLayout.leafReach)
        unsafe record.storeBytes(
          of: TreeLayout.noOrdinal, toByteOffset: TreeLayout.recordOrdinal, as: UInt32.self)
        continue
      }
      let i = Int(unsafe items[lane].index)
      let place = unsafe places[i]
      func split(_ value: Double, _ origin: Float) -> (high: Float, low: Float) {
        let offset = value - Double(origin)
        let high = Float(offset)
        return (high, Float(offset - Double(high)))
      }
      let x = split(place.x, origin.x)
      let y = split(place.y, origin.y)
      let z = split(place.z, origin.z)
      put(x.high, TreeLayout.leafX)
      put(y.high, TreeLayout.leafY)
      put(z.high, TreeLayout.leafZ)
      put(Box.inflated(set.radii[i]), TreeLayout.leafReach)
      if let slot = slots?[i] {
        unsafe record.storeBytes(
          of: UInt32(truncatingIfNeeded: slot), toByteOffset: TreeLayout.recordX, as: UInt32.self)
        unsafe record.storeBytes(
          of: TreeLayout.polygonMark, toByteOffset: TreeLayout.recordY, as: UInt32.self)
      } else {
        unsafe record.storeBytes(of: x.low, toByteOffset: TreeLayout.recordX, as: Float.self)
        unsafe record.storeBytes(of: y.low, toByteOffset: TreeLayout.recordY, as: Float.self)
        unsafe record.storeBytes(of: z.low, toByteOffset: TreeLayout.recordZ, as: Float.self)
      }
      let ordinal = ordinals?[i] ?? UInt32(truncatingIfNeeded: i)
      unsafe record.storeBytes(of: ordinal, toByteOffset: TreeLayout.recordOrdinal, as: UInt32.self)
      let center = set.centers[i]
      unsafe record.storeBytes(
        of: center.latitude, toByteOffset: TreeLayout.recordLatitude, as: Double.self)
      unsafe record.storeBytes(
        of: center.longitude, toByteOffset: TreeLayout.recordLongitude, as: Double.self)
      unsafe record.storeBytes(
        of: set.radii[i], toByteOffset: TreeLayout.recordRadius, as: Double.self)
      unsafe positions.storeBytes(
        of: UInt32(truncatingIfNeeded: number * TreeLayout.width + lane), toByteOffset: i * 4,
        as: UInt32.self)
    }
    return box
  }

  /// Fills the nodes from the last to the first, so that children come before their parents.
  private func fillNodes(
    _ nodes: UnsafeMutableRawPointer, _ shape: TreeShape, leafBoxes: UnsafeMutablePointer<Box>
  ) {
    var boxes = [Box](repeating: Box(), count: shape.nodeCount)
    // Children are numbered in the order in which nodes refer to them; the root is nobody's child.
    var nextNode = shape.nodeCount
    var nextLeaf = shape.leaves.count
    for i in stride(from: shape.nodeCount - 1, through: 0, by: -1) {
      let node = unsafe nodes + i * TreeLayout.nodeSize
      let first = shape.childStarts[i]
      for lane in (0..<TreeLayout.width).reversed() {
        func put(_ value: Float, _ row: Int) {
          unsafe node.storeBytes(of: value, toByteOffset: row + 4 * lane, as: Float.self)
        }
        var child = TreeLayout.absent
        if first + lane < shape.childStarts[i + 1] {
          let subtree = shape.children[first + lane]
          let box: Box
          if subtree.height == 0 {
            nextLeaf -= 1
            box = unsafe leafBoxes[nextLeaf]
            child = UInt32(truncatingIfNeeded: nextLeaf) | TreeLayout.leafFlag
            if subtree.isPolygonal { child |= TreeLayout.polygonFlag }
          } else {
            nextNode -= 1
            box = boxes[nextNode]
            child = UInt32(truncatingIfNeeded: nextNode)
          }
          boxes[i].include(box)
          let (center, half) = box.centerAndHalf
          put(center.x, TreeLayout.centerX)
          put(center.y, TreeLayout.centerY)
          put(center.z, TreeLayout.centerZ)
          put(half.x, TreeLayout.halfX)
          put(half.y, TreeLayout.halfY)
          put(half.z, TreeLayout.halfZ)
          put(Box.inflated(box.reach), TreeLayout.reach)
        } else {
          put(TreeLayout.farAway, TreeLayout.centerX)
          put(TreeLayout.farAway, TreeLayout.centerY)
          put(TreeLayout.farAway, TreeLayout.centerZ)
        }
        unsafe node.storeBytes(
          of: child, toByteOffset: TreeLayout.child + 4 * lane, as: UInt32.self)
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

/// A box around places in ECEF, and the largest radius among them.
struct Box {
  var low = SIMD3<Double>(repeating: .infinity)
  var high = SIMD3<Double>(repeating: -.infinity)
  var reach = 0.0

  mutating func include(_ place: ECEF, reach: Double) {
    let p = SIMD3(place.x, place.y, place.z)
    low.replace(with: p, where: p .< low)
    high.replace(with: p, where: p .> high)
    self.reach = max(self.reach, reach)
  }

  mutating func include(_ other: Box) {
    low.replace(with: other.low, where: other.low .< low)
    high.replace(with: other.high, where: other.high .> high)
    reach = max(reach, other.reach)
  }

  /// The centre, rounded to single precision, and half extents from there that cover the box.
  var centerAndHalf: (center: SIMD3<Float>, half: SIMD3<Float>) {
    let center = SIMD3<Float>((low + high) * 0.5)
    let exact = SIMD3<Double>(center)
    var half = high - exact
    let other = exact - low
    half.replace(with: other, where: other .> half)
    let rounded = SIMD3<Float>(half)
    return (center, SIMD3(rounded.x.nextUp, rounded.y.nextUp, rounded.z.nextUp))
  }

  /// A radius in single precision, larger by the slack that bounds need.
  ///
  /// Capped at 1e37, where single precision still has room: the bounds of all larger radii then overlap, so
  /// that none of them is ever pruned.
  static func inflated(_ radius: Double) -> Float {
    (Float(min(radius, 1e37)) * (1 + TreeLayout.slack)).nextUp
  }
}
