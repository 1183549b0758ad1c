internal import CVicinityKernels
internal import VicinityGeodesy

/// One query over one or several packed trees: finds, by bounds alone, every circle that may belong to the
/// answer, and evaluates the polygons that may.
///
/// Best-first branch and bound (G. R. Hjaltason, H. Samet, *Distance Browsing in Spatial Databases*, TODS
/// 24, 1999), with whole blocks of sixteen children in the frontier instead of single ones: the next
/// child is the smallest bound of the block with the smallest minimum, and carries its lane in its low
/// mantissa bits.
struct TreeSearch: ~Copyable {
  let position: Coordinate
  let place: ECEF
  /// How many regions are wanted; nil for all within the limit.
  let count: Int?
  /// Nothing farther than this is wanted, metres; rounded up.
  let limit: Float
  let tolerance: Float

  private let qx: Float
  private let qy: Float
  private let qz: Float

  /// An upper bound of the distance of the last region wanted, as far as known.
  private(set) var threshold: Float
  /// What lies at or beyond this cannot matter.
  var prune: Float

  /// Beyond any distance on Earth, metres, and below the bounds of absent lanes.
  static let unlimited: Float = 1e8
  /// Leaves whose lanes and the query lie within this are bounded by the chord alone, metres: u / 24 is 1e-5 there.
  private static let nearExtent: Float = 1e5
  /// The same for leaves of polygons, which need no upper bounds, metres: u / 24 is 1e-3 there, little beside their
  /// circles' slack.
  private static let polygonExtent: Float = 1e6
  /// Single precision places the query to half a metre on each axis and rounds differences of up to an
  /// Earth's diameter to a metre: less than this in all, metres.
  private static let nodeEpsilon: Float = 3
  /// So many bounds at once are merged into the list of the best, fewer inserted one by one: instructions a query
  /// over a track at 100k regions (callgrind), 5, 8, 11 bounds: 9010, 8956, 8951.
  private static let fewestMerged = 8
  /// The longest list of best bounds that is kept by insertion; a heap beyond.
  private static let longestList = 64

  init(
    position: Coordinate, place: ECEF, count: Int?, maximumDistance: Double, tolerance: Double
  ) {
    self.position = position
    self.place = place
    self.count = count
    limit = Self.roundedUp(maximumDistance)
    self.tolerance = max(0, Float(min(tolerance, 1e8)).nextDown)
    qx = Float(place.x)
    qy = Float(place.y)
    qz = Float(place.z)
    threshold = limit
    prune = limit.nextUp
  }

  private static func roundedUp(_ distance: Double) -> Float {
    guard distance < Double(unlimited) else { return unlimited }
    // Half a millimetre covers the errors of every path that decides at the limit.
    return max(-1e38, Float(distance + 1e-3)).nextUp
  }

  /// Searches the trees; the findings are in `scratch`.
  mutating func run(_ trees: UnsafeBufferPointer<TreeView>, _ scratch: inout QueryScratch) {
    scratch.reset()
    guard let first = trees.baseAddress else { return }
    for i in 0..<16 { unsafe scratch.minima[i] = .greatestFiniteMagnitude }
    if let count {
      guard count > 0 else { return }
      prepareBest(count, &scratch)
    }
    for i in 0..<trees.count where unsafe trees[i].nodeCount > 0 {
      unsafe open(0, of: first + i, i, &scratch)
    }
    while true {
      let b = Int(unsafe vk_argmin(scratch.minima, Int32(scratch.blockCount)))
      let smallest = unsafe scratch.minima[b]
      guard smallest < wave(scratch), scratch.blockCount > 0 else {
        guard scratch.waitingVisitCount > 0 || scratch.approachCount > 0 else { break }
        unsafe measureWave(trees, &scratch)
        continue
      }
      let block = unsafe scratch.blocks[b]
      let lane = Int(smallest.bitPattern & 15)
      unsafe close(b, vk_take16(scratch.bounds + 16 * b, smallest), &scratch)
      let treeNumber = Int(block >> 32)
      // By its place: a copy of the view would cost more than its use.
      let tree = unsafe first + treeNumber
      let node = unsafe tree.pointee.node(Int(block & 0xffff_ffff))
      let child = unsafe node.load(
        fromByteOffset: TreeLayout.child + 4 * lane, as: UInt32.self)
      if child & TreeLayout.leafFlag == 0 {
        unsafe open(Int(child), of: tree, treeNumber, &scratch)
      } else {
        unsafe visit(
          tree, treeNumber, Int(child & TreeLayout.childMask), node: node, lane: lane,
          isPolygonal: child & TreeLayout.polygonFlag != 0, trees, &scratch)
      }
    }
  }

  /// Adds a node's sixteen children to the frontier.
  @inline(__always)
  private mutating func open(
    _ number: Int, of tree: UnsafePointer<TreeView>, _ treeNumber: Int, _ scratch: inout QueryScratch
  ) {
    let node = unsafe tree.pointee.node(number)
    scratch.reserveBlock()
    let b = scratch.blockCount
    let bounds = unsafe scratch.bounds + 16 * b
    let smallest = unsafe vk_node_bounds(node, qx, qy, qz, Self.nodeEpsilon, bounds)
    guard smallest < prune else { return }
    unsafe scratch.blocks[b] = UInt64(treeNumber) << 32 | UInt64(number)
    push(smallest, &scratch)
    unsafe prefetch(node, of: tree, bounds: bounds, smallest)
  }

  /// Asks for the lines of the blocks that are likely to be looked into next: the nearest child, and, among leaves,
  /// those no farther beyond it than it is wide; all within the limit where everything there is wanted. At a million
  /// regions blocks come from memory.
  @inline(__always)
  private func prefetch(
    _ node: UnsafeRawPointer, of tree: UnsafePointer<TreeView>, bounds: UnsafePointer<Float>,
    _ smallest: Float
  ) {
    let nearest = Int(smallest.bitPattern & 15)
    let children = unsafe (node + TreeLayout.child).assumingMemoryBound(to: UInt32.self)
    let child = unsafe children[nearest]
    guard child & TreeLayout.leafFlag != 0 else {
      unsafe vk_prefetch(tree.pointee.nodes + Int(child) * TreeLayout.nodeSize, Int32(TreeLayout.nodeSize))
      return
    }
    let row = unsafe node.assumingMemoryBound(to: Float.self) + nearest
    let reach = unsafe count == nil ? prune : min(prune, max(0, smallest) + row[48] + row[64] + row[80])
    var mask = unsafe vk_below16(bounds, reach) | 1 << UInt32(nearest)
    while mask != 0 {
      let leaf = Int(unsafe children[mask.trailingZeroBitCount] & TreeLayout.childMask)
      mask &= mask - 1
      unsafe vk_prefetch(tree.pointee.leaves + leaf * TreeLayout.leafSize, Int32(TreeLayout.recordOffset))
    }
  }

  @inline(__always)
  func push(_ smallest: Float, _ scratch: inout QueryScratch) {
    let b = scratch.blockCount
    unsafe vk_push(scratch.minima, Int32(truncatingIfNeeded: b), smallest)
    scratch.blockCount = b + 1
  }

  /// Puts a block back when its smallest bound has been taken out, and out of the frontier when nothing is left.
  ///
  /// - Parameter smallest: The smallest bound left.
  @inline(__always)
  func close(_ b: Int, _ smallest: Float, _ scratch: inout QueryScratch) {
    let bounds = unsafe scratch.bounds + 16 * b
    if smallest < prune {
      unsafe vk_put(scratch.minima, Int32(truncatingIfNeeded: b), smallest)
      return
    }
    let last = scratch.blockCount - 1
    if b != last {
      unsafe bounds.update(from: scratch.bounds + 16 * last, count: 16)
      unsafe vk_put(scratch.minima, Int32(truncatingIfNeeded: b), scratch.minima[last])
      unsafe scratch.blocks[b] = scratch.blocks[last]
    }
    unsafe vk_put(scratch.minima, Int32(truncatingIfNeeded: last), .greatestFiniteMagnitude)
    scratch.blockCount = last
  }

  /// Looks into a leaf.
  @inline(__always)
  private mutating func visit(
    _ tree: UnsafePointer<TreeView>, _ treeNumber: Int, _ number: Int, node: UnsafeRawPointer, lane: Int,
    isPolygonal: Bool, _ trees: UnsafeBufferPointer<TreeView>, _ scratch: inout QueryScratch
  ) {
    let leaf = unsafe tree.pointee.leaf(number)
    let row = unsafe node.assumingMemoryBound(to: Float.self) + lane
    let x = place.x - Double(unsafe row[0])
    let y = place.y - Double(unsafe row[16])
    let z = place.z - Double(unsafe row[32])
    // Rounding of the query's offset, of the lanes' and of their difference, each at most an ulp of
    // what it rounds; the sum over axes is never less than the root of the sum of squares.
    let span = unsafe row[48] + row[64] + row[80]
    let extent = Float(abs(x) + abs(y) + abs(z)) + span
    let epsilon = 1e-6 + 2e-7 * extent
    scratch.reserveVisit()
    let v = scratch.visitCount
    let lower = unsafe scratch.lowers + 16 * v
    let open = unsafe Self.nearBand(extent: extent, reach: row[96], epsilon: epsilon)
    var upper = InlineArray<16, Float>(repeating: 0)
    var mask: UInt32
    if open != nil || (isPolygonal && extent < Self.polygonExtent) {
      mask = unsafe vk_near_bounds(leaf, Float(x), Float(y), Float(z), epsilon, prune, lower)
    } else {
      var span = upper.mutableSpan
      mask = unsafe span.withUnsafeMutableBufferPointer { upper in
        unsafe vk_leaf_bounds(
          leaf, Float(x), Float(y), Float(z), epsilon, prune, lower, upper.baseAddress)
      }
    }
    if let live = unsafe tree.pointee.live { mask &= UInt32(unsafe live[number]) }
    guard mask != 0 else { return }
    unsafe scratch.visits[v] = QueryScratch.Visit(
      leaf: leaf, x: x, y: y, z: z, tree: Int32(truncatingIfNeeded: treeNumber),
      ordinalLimit: tree.pointee.ordinalLimit, mask: isPolygonal ? 0 : mask,
      polygons: isPolygonal ? mask : 0)
    scratch.visitCount = v + 1
    if isPolygonal {
      unsafe awaitPolygons(v, mask, trees, &scratch)
      return
    }
    // A line may serve two records.
    unsafe vk_prefetch_records(
      leaf + TreeLayout.recordOffset, Int32(TreeLayout.recordSize), mask)
    if let open {
      unsafe offer(lower, open, mask, &scratch)
    } else {
      let span = upper.span
      unsafe span.withUnsafeBufferPointer { upper in
        guard let upper = upper.baseAddress else { return }
        unsafe offer(upper, 0, mask, &scratch)
      }
    }
  }

  /// How much larger than a bound by the chord alone the boundary distance of any circle in reach can be, metres; nil
  /// where that is not small.
  ///
  /// No chord is longer than the `extent`, no radius larger than `reach`. What the chord leaves open is
  /// c (u/24 + 3u²/640) and the band above that series, c (8.6e-4 u + ...), as in `vk_leaf_bounds`; to which come
  /// the slack of chord and radius, thrice for the roundings of the sum, and epsilon twice.
  @inline(__always)
  static func nearBand(extent: Float, reach: Float, epsilon: Float) -> Float? {
    guard extent < nearExtent else { return nil }
    let u = extent * extent * 2.442e-14
    return extent * (1.3e-5 + 0.044 * u) + reach * 1.3e-5 + 2 * epsilon
  }

  // MARK: The k smallest upper bounds

  @inline(__always)
  private func prepareBest(_ count: Int, _ scratch: inout QueryScratch) {
    scratch.reserveBest(count)
    if count <= 32 {
      unsafe scratch.best[3] = -.infinity
      unsafe vk_fill32(scratch.best + 4, limit)
    } else if count <= Self.longestList {
      unsafe scratch.best[3] = -.infinity
      unsafe (scratch.best + 4).update(repeating: limit, count: count + 4)
    } else {
      unsafe scratch.best.update(repeating: limit, count: count)
    }
  }

  /// Takes note of the upper bounds of `mask`'s lanes, each `upper` and `open`, and lowers the threshold where they
  /// are among the `count` smallest.
  @inline(__always)
  mutating func offer(
    _ upper: UnsafePointer<Float>, _ open: Float, _ mask: UInt32, _ scratch: inout QueryScratch
  ) {
    guard let count else { return }
    let best = unsafe scratch.best
    if count <= 32, mask.nonzeroBitCount >= Self.fewestMerged {
      unsafe vk_merge(best + 4, upper, open, mask)
      threshold = unsafe best[3 + count]
    } else if count <= Self.longestList {
      unsafe vk_insert(best, Int32((count + 3) / 4), upper, open, mask)
      threshold = unsafe best[3 + count]
    } else {
      var mask = mask
      while mask != 0 {
        let value = unsafe upper[mask.trailingZeroBitCount] + open
        mask &= mask - 1
        if unsafe value < best[0] { unsafe Self.replaceLargest(best, count, value) }
      }
      threshold = unsafe best[0]
    }
    // While fewer than `count` are known, only the limit can exclude anything.
    prune = (threshold < limit ? threshold - tolerance : limit).nextUp
  }

  /// Replaces the root of a max-heap.
  private static func replaceLargest(
    _ heap: UnsafeMutablePointer<Float>, _ count: Int, _ value: Float
  ) {
    var hole = 0
    while true {
      var child = 2 * hole + 1
      guard child < count else { break }
      if child + 1 < count, unsafe heap[child + 1] > heap[child] { child += 1 }
      guard unsafe heap[child] > value else { break }
      unsafe heap[hole] = heap[child]
      hole = child
    }
    unsafe heap[hole] = value
  }
}
