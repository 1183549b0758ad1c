internal import CVicinityKernels
internal import VicinityGeodesy
internal import VicinityPolygon

/// Searches one tree: collects, by bounds alone, every circle that may belong to the answer, and measures the
/// polygons that may.
///
/// Best-first branch and bound (G. R. Hjaltason, H. Samet, *Distance Browsing in Spatial Databases*, TODS
/// 24, 1999). The frontier holds whole nodes of sixteen children instead of single children. The next child
/// is the smallest bound of the node with the smallest minimum; a bound carries its lane in its low mantissa
/// bits.
struct TreeSearch: ~Copyable {
  let tree: TreeView
  let position: Coordinate
  let ecef: ECEF
  /// How many regions are wanted; nil for all within the limit.
  let count: Int?
  /// Regions farther than this are not wanted, metres; rounded up.
  let limit: Float
  let tolerance: Float
  /// Whether circles are only estimated, as long as the tolerance allows that: the list of the best then
  /// holds estimates with their owners (``EstimateTag``) in place of upper bounds, and no circle is measured.
  private(set) var estimates: Bool
  /// Half of the most that bounds of an estimated region leave open, metres.
  var largestHalf: Float = 0
  /// Whether a circle has been estimated.
  private var hasEstimatedCircles = false
  private let qx: Float
  private let qy: Float
  private let qz: Float

  /// An upper bound of the distance of the last region wanted, as far as known, metres.
  private(set) var threshold: Float
  /// Regions with a lower bound of this or more cannot belong to the answer, metres.
  private(set) var prune: Float

  /// Beyond any distance on Earth, metres, and below the bounds of absent lanes.
  private static let unlimited: Float = 1e8
  /// The largest extent of a leaf and the query at which a bound by the chord alone serves for polygons,
  /// which need no upper bounds, metres: u / 24 is 1e-3 there, which is little beside the slack of bounding
  /// circles.
  private static let polygonExtent: Float = 1e6
  /// At least this many bounds are merged at once into the list of the best; fewer are inserted one by one.
  /// Instructions a query over a track at 100k regions (callgrind) for 5, 8, 11: 9010, 8956, 8951.
  private static let fewestMerged = 8
  /// The longest list of best bounds that is kept by insertion; a heap beyond.
  private static let longestList = 64

  init(
    _ tree: TreeView, position: Coordinate, ecef: ECEF, count: Int?, maximumDistance: Double,
    tolerance: Double, estimates: Bool = false
  ) {
    self.tree = tree
    self.position = position
    self.ecef = ecef
    self.count = count
    limit = Self.roundedUp(maximumDistance)
    self.tolerance = max(0, Float(min(tolerance, 1e8)).nextDown)
    self.estimates = estimates
    qx = Float(ecef.x)
    qy = Float(ecef.y)
    qz = Float(ecef.z)
    threshold = limit
    prune = limit.nextUp
  }

  private static func roundedUp(_ distance: Double) -> Float {
    guard distance < Double(unlimited) else { return unlimited }
    // A millimetre covers the errors of every path that decides at the limit.
    return max(-1e38, Float(distance + 1e-3)).nextUp
  }

  // MARK: Nodes

  /// Searches the tree. The leaves to look into and the measured polygons are in `scratch` afterwards.
  mutating func run(_ scratch: inout QueryScratch) {
    scratch.reset()
    for i in 0..<16 { unsafe scratch.frontierMinima.base[i] = .greatestFiniteMagnitude }
    if let count {
      guard count > 0 else { return }
      prepareBest(count, &scratch)
    }
    if tree.nodeCount > 0 { expand(0, &scratch) }
    while true {
      let b = Int(unsafe vk_argmin(scratch.frontierMinima.base, Int32(scratch.frontierCount)))
      let smallest = unsafe scratch.frontierMinima.base[b]
      guard smallest < expansionLimit(scratch), scratch.frontierCount > 0 else {
        guard scratch.pendingVisitCount > 0 || scratch.polygonBatchCount > 0 else { break }
        measurePending(&scratch)
        continue
      }
      let number = unsafe Int(scratch.frontierNodes.base[b])
      let lane = Int(smallest.bitPattern & 15)
      let node = unsafe tree.node(number)
      let child = unsafe node.load(fromByteOffset: TreeLayout.child + 4 * lane, as: UInt32.self)
      let isSame = TreeView.hasOneCenter(child) && count != nil
      if isSame { visitSame(number, lane, frontier: b, &scratch) }
      unsafe update(b, vk_take16(scratch.frontierBounds.base + 16 * b, smallest), &scratch)
      if child & TreeLayout.leafFlag == 0 {
        if !isSame { expand(Int(child & TreeLayout.childMask), &scratch) }
      } else {
        unsafe visit(
          Int(child & TreeLayout.childMask), node: node, lane: lane,
          isPolygonal: child & TreeLayout.polygonFlag != 0, &scratch)
      }
    }
  }

  /// Adds a node's sixteen children to the frontier.
  @inline(__always)
  private mutating func expand(_ number: Int, _ scratch: inout QueryScratch) {
    let node = unsafe tree.node(number)
    scratch.reserveFrontier()
    let b = scratch.frontierCount
    let bounds = unsafe scratch.frontierBounds.base + 16 * b
    var smallest = unsafe vk_node_bounds(node, qx, qy, qz, TreeView.nodeEpsilon, bounds)
    if smallest > FarBoundary.nearest, smallest < prune {
      smallest = unsafe vk_raise_node_bounds(node, qx, qy, qz, TreeView.nodeEpsilon, bounds)
      if smallest < prune { smallest = unsafe raiseByMiddles(node, bounds, smallest) }
    }
    guard smallest < prune else { return }
    unsafe scratch.frontierNodes.base[b] = UInt32(truncatingIfNeeded: number)
    unsafe vk_push(scratch.frontierMinima.base, Int32(truncatingIfNeeded: b), smallest)
    scratch.frontierCount = b + 1
    unsafe prefetch(node, bounds: bounds, smallest)
  }

  /// Prefetches the blocks that are likely to be read next: the nearest child; where that is a leaf, also the
  /// leaves that are no farther beyond it than it is wide. Where everything within the limit is wanted, all
  /// leaves within the limit. At a million regions blocks come from memory.
  @inline(__always)
  private func prefetch(_ node: UnsafeRawPointer, bounds: UnsafePointer<Float>, _ smallest: Float) {
    let nearest = Int(smallest.bitPattern & 15)
    let children = unsafe (node + TreeLayout.child).assumingMemoryBound(to: UInt32.self)
    let child = unsafe children[nearest]
    guard child & TreeLayout.leafFlag != 0 else {
      unsafe vk_prefetch(
        tree.nodes + Int(child & TreeLayout.childMask) * TreeLayout.nodeSize, Int32(TreeLayout.nodeSize))
      return
    }
    let row = unsafe node.assumingMemoryBound(to: Float.self) + nearest
    let end = unsafe count == nil ? prune : min(prune, max(0, smallest) + row[48] + row[64] + row[80])
    var mask = unsafe vk_below16(bounds, end) | 1 << UInt32(nearest)
    while mask != 0 {
      let leaf = Int(unsafe children[mask.trailingZeroBitCount] & TreeLayout.childMask)
      mask &= mask - 1
      unsafe vk_prefetch(tree.leaves + leaf * TreeLayout.leafSize, Int32(TreeLayout.recordOffset))
    }
  }

  /// Gives a node of the frontier a new smallest bound, after its old one was taken out; removes the node
  /// when no child is left that matters.
  @inline(__always)
  private func update(_ b: Int, _ smallest: Float, _ scratch: inout QueryScratch) {
    if smallest < prune {
      unsafe vk_put(scratch.frontierMinima.base, Int32(truncatingIfNeeded: b), smallest)
      return
    }
    let last = scratch.frontierCount - 1
    if b != last {
      unsafe (scratch.frontierBounds.base + 16 * b).update(
        from: scratch.frontierBounds.base + 16 * last, count: 16)
      unsafe vk_put(
        scratch.frontierMinima.base, Int32(truncatingIfNeeded: b), scratch.frontierMinima.base[last])
      unsafe scratch.frontierNodes.base[b] = scratch.frontierNodes.base[last]
    }
    unsafe vk_put(scratch.frontierMinima.base, Int32(truncatingIfNeeded: last), .greatestFiniteMagnitude)
    scratch.frontierCount = last
  }

  // MARK: Many around one centre

  /// Looks at those circles below a lane of a node, all of which have one centre, that can belong to the
  /// answer. The node's other lanes around the same centre are looked into with it, and are taken from the
  /// frontier: there they would come in any order.
  @inline(never)
  private mutating func visitSame(_ number: Int, _ lane: Int, frontier b: Int, _ scratch: inout QueryScratch)
  {
    guard let count, let center = firstRecord(below: number, lane)?.center else { return }
    var lanes: UInt32 = 1 << UInt32(lane)
    let bounds = unsafe scratch.frontierBounds.base + 16 * b
    for other in 0..<TreeLayout.width where other != lane {
      guard TreeView.hasOneCenter(tree.child(number, other)), unsafe bounds[other] < prune,
        firstRecord(below: number, other)?.center == center
      else { continue }
      lanes |= 1 << UInt32(other)
      unsafe bounds[other] = .greatestFiniteMagnitude
    }
    let known = scratch.sames.firstIndex { $0.center == center }
    if known == nil { scratch.sames.append(SameCenter(center, from: position, wanted: count)) }
    visitSame(number, lanes, known ?? scratch.sames.count - 1, depth: 0, &scratch)
  }

  private func firstRecord(below number: Int, _ lane: Int) -> RegionRecord? {
    tree.record(below: Int(tree.child(number, lane) & TreeLayout.childMask))
  }

  /// Looks below some lanes of a node: where the largest circles are first, and of equal ones those with the
  /// least ordinals.
  private mutating func visitSame(
    _ number: Int, _ lanes: UInt32, _ group: Int, depth: Int, _ scratch: inout QueryScratch
  ) {
    guard depth < TreeView.mostLevels else { return }
    var tops = [LaneTop](repeating: .none, count: TreeLayout.width)
    var left: UInt32 = 0
    for lane in 0..<TreeLayout.width
    where lanes >> UInt32(lane) & 1 != 0 && tree.child(number, lane) != TreeLayout.absent {
      if let known = unsafe tree.tops {
        tops[lane] = unsafe known[TreeLayout.width * number + lane]
      } else if let first = firstRecord(below: number, lane) {
        tops[lane] = first.top
      } else {
        continue
      }
      left |= 1 << UInt32(lane)
    }
    while left != 0 {
      var lane = left.trailingZeroBitCount
      var others = left & (left - 1)
      while others != 0 {
        let other = others.trailingZeroBitCount
        others &= others - 1
        if LaneTop.precedes(tops[other], tops[lane]) { lane = other }
      }
      left &= ~(1 << UInt32(lane))
      if scratch.sames[group].excludes(radius: tops[lane].radius, from: prune) { return }
      let child = tree.child(number, lane)
      if unsafe tree.tops == nil {
        _ = visitRun(child, group, depth: depth + 1, &scratch)
      } else if !scratch.sames[group].excludes(tops[lane], from: prune) {
        if child & TreeLayout.leafFlag != 0 {
          visitCircles(Int(child & TreeLayout.childMask), group, &scratch)
        } else {
          visitSame(Int(child & TreeLayout.childMask), 0xffff, group, depth: depth + 1, &scratch)
        }
      }
    }
  }

  /// Looks below a child whose circles stand in the order of their radii, the largest first, and those of one
  /// radius in the order of ordinals.
  ///
  /// - Returns: False where all that come after it are too far away.
  private mutating func visitRun(_ child: UInt32, _ group: Int, depth: Int, _ scratch: inout QueryScratch)
    -> Bool
  {
    let number = Int(child & TreeLayout.childMask)
    guard child & TreeLayout.leafFlag == 0 else {
      visitCircles(number, group, &scratch)
      return true
    }
    guard depth < TreeView.mostLevels, let last = tree.record(below: number, isLast: true) else {
      return true
    }
    for lane in 0..<TreeLayout.width {
      let child = tree.child(number, lane)
      guard child != TreeLayout.absent else { continue }
      let below = Int(child & TreeLayout.childMask)
      guard let first = child & TreeLayout.leafFlag != 0 ? tree.record(below, 0) : tree.record(below: below)
      else { continue }
      if scratch.sames[group].excludes(radius: first.radius, from: prune) { return false }
      // Of circles that are the same the first excludes the others. Where radii differ by less than the
      // rounding of distances, any of those that are as far away may have the least ordinal.
      if first.radius == last.radius, scratch.sames[group].excludes(first.top, from: prune) { return true }
      if !visitRun(child, group, depth: depth + 1, &scratch) { return false }
    }
    return true
  }

  /// Makes candidates of those circles of a leaf that come before the last of those wanted.
  private mutating func visitCircles(_ number: Int, _ group: Int, _ scratch: inout QueryScratch) {
    scratch.sames[group].countLeaf()
    let centerDistance = scratch.sames[group].distance
    var uppers = SIMD16<Float>()
    var mask: UInt32 = 0
    for lane in 0..<TreeLayout.width {
      let record = tree.record(number, lane)
      let distance = centerDistance - record.radius
      // In a damaged file a lane may be no region's, and a record may hold anything.
      guard record.ordinal < tree.ordinalLimit, distance.isFinite,
        !scratch.sames[group].excludes(record.top, from: prune)
      else { continue }
      scratch.sames[group].add(record.top)
      scratch.append(
        QueryScratch.Candidate(
          distance: distance, error: 0, centerDistance: centerDistance, record: record))
      uppers[lane] = Self.roundedUp(upper: distance)
      mask |= 1 << UInt32(lane)
    }
    if mask != 0 { unsafe uppers.withUnsafeFloats { unsafe offer($0, 0, mask, &scratch) } }
  }

  /// An upper bound of a measured distance. Bounds take no radius for more than 1e37 m (`Box.inflated`); so
  /// none of them must be below what these come to.
  @inline(__always)
  static func roundedUp(upper distance: Meters) -> Float { Float(max(distance, -9e36)).nextUp }

  // MARK: Leaves

  /// Bounds the distances of a leaf's regions.
  ///
  /// - Parameters:
  ///   - node: The node above it.
  ///   - lane: Its lane there.
  @inline(__always)
  private mutating func visit(
    _ number: Int, node: UnsafeRawPointer, lane: Int, isPolygonal: Bool, _ scratch: inout QueryScratch
  ) {
    let leaf = unsafe tree.leaf(number)
    let row = unsafe node.assumingMemoryBound(to: Float.self) + lane
    let x = ecef.x - Double(unsafe row[0])
    let y = ecef.y - Double(unsafe row[16])
    let z = ecef.z - Double(unsafe row[32])
    // The query's offset, the lanes' offsets and their difference are rounded, each by at most an ulp; the
    // sum over the axes is never less than the root of the sum of squares.
    let span = unsafe row[48] + row[64] + row[80]
    let extent = Float(abs(x) + abs(y) + abs(z)) + span
    let epsilon = 1e-6 + 2e-7 * extent
    scratch.reserveVisit()
    let v = scratch.visitCount
    let lower = unsafe scratch.visitBounds.base + 16 * v
    let band = unsafe TreeView.nearBand(extent: extent, largestRadius: row[96], epsilon: epsilon)
    var upper = SIMD16<Float>()
    var mask: UInt32
    if band != nil || (isPolygonal && extent < Self.polygonExtent) {
      mask = unsafe vk_near_bounds(leaf, Float(x), Float(y), Float(z), epsilon, prune, lower)
    } else {
      mask = unsafe upper.withUnsafeFloats { upper in
        unsafe vk_leaf_bounds(leaf, Float(x), Float(y), Float(z), epsilon, prune, lower, upper)
      }
    }
    if isPolygonal, extent > FarBoundary.nearest, mask != 0 {
      mask = unsafe vk_raise_leaf_bounds(leaf, Float(x), Float(y), Float(z), epsilon, prune, lower)
    }
    guard mask != 0 else { return }
    if !isPolygonal, unsafe upper.withUnsafeFloats({ unsafe areFar($0, mask, extent: extent) }) {
      return unsafe measureFar(leaf, mask, &scratch)
    }
    unsafe scratch.visits.base[v] = QueryScratch.LeafVisit(
      leaf: leaf, x: x, y: y, z: z, circles: isPolygonal ? 0 : mask,
      polygons: isPolygonal ? mask : 0,
      epsilon: epsilon, band: band ?? 0)
    scratch.visitCount = v + 1
    if isPolygonal { return deferPolygons(v, mask, &scratch) }
    if estimates {
      return unsafe upper.withUnsafeFloats {
        unsafe estimate(lower, $0, band, mask, visit: v, &scratch)
      }
    }
    // A cache line may hold parts of two records.
    unsafe vk_prefetch_records(
      leaf + TreeLayout.recordOffset, Int32(TreeLayout.recordSize), mask)
    if let band {
      unsafe offer(lower, band, mask, &scratch)
    } else {
      unsafe upper.withUnsafeFloats { unsafe offer($0, 0, mask, &scratch) }
    }
  }

  // MARK: The smallest upper bounds

  @inline(__always)
  private func prepareBest(_ count: Int, _ scratch: inout QueryScratch) {
    scratch.reserveBest(count)
    if estimates {
      unsafe vk_fill32(scratch.best.base + 4, EstimateTag.nothing)
    } else if count <= 32 {
      unsafe scratch.best.base[3] = -.infinity
      unsafe vk_fill32(scratch.best.base + 4, limit)
    } else if count <= Self.longestList {
      unsafe scratch.best.base[3] = -.infinity
      unsafe (scratch.best.base + 4).update(repeating: limit, count: count + 4)
    } else {
      unsafe scratch.best.base.update(repeating: limit, count: count)
    }
  }

  /// Enters the upper bounds of `mask`'s lanes, each `upper` plus `band`, and lowers the threshold where they
  /// are among the `count` smallest.
  @inline(__always)
  mutating func offer(
    _ upper: UnsafePointer<Float>, _ band: Float, _ mask: UInt32, _ scratch: inout QueryScratch
  ) {
    guard let count else { return }
    let best = unsafe scratch.best.base
    if estimates {
      unsafe vk_merge_tagged(best + 4, upper, 0, mask, EstimateTag.measured)
      return unsafe lowerThreshold(best[3 + count])
    }
    if count <= 32, mask.nonzeroBitCount >= Self.fewestMerged {
      unsafe vk_merge(best + 4, upper, band, mask)
      threshold = unsafe best[3 + count]
    } else if count <= Self.longestList {
      unsafe vk_insert(best, Int32((count + 3) / 4), upper, band, mask)
      threshold = unsafe best[3 + count]
    } else {
      var mask = mask
      while mask != 0 {
        let value = unsafe upper[mask.trailingZeroBitCount] + band
        mask &= mask - 1
        if unsafe value < best[0] { unsafe siftDown(value, from: 0, in: best, count: count, <) }
      }
      threshold = unsafe best[0]
    }
    // While fewer than `count` are known, only the limit can exclude anything.
    prune = (threshold < limit ? threshold - tolerance : limit).nextUp
  }

  // MARK: Estimates

  /// Enters estimates of the circles of `mask`'s lanes: the middle of their bounds.
  ///
  /// - Parameters:
  ///   - upper: Upper bounds, where there is no band.
  ///   - band: How far each upper bound is above the lower one, where that is a constant.
  @inline(__always)
  private mutating func estimate(
    _ lower: UnsafePointer<Float>, _ upper: UnsafeMutablePointer<Float>, _ band: Float?, _ mask: UInt32,
    visit: Int, _ scratch: inout QueryScratch
  ) {
    guard let count else { return }
    let tag = UInt32(truncatingIfNeeded: visit) << 4
    guard tag < EstimateTag.measured else { return measureInstead(&scratch) }
    hasEstimatedCircles = true
    let best = unsafe scratch.best.base
    if let band {
      largestHalf = max(largestHalf, band / 2)
      unsafe vk_merge_tagged(best + 4, lower, band / 2, mask, tag)
    } else {
      unsafe largestHalf = max(largestHalf, vk_center16(lower, upper, mask))
      unsafe vk_merge_tagged(best + 4, upper, 0, mask, tag)
    }
    let last = unsafe best[3 + count]
    guard last < EstimateTag.nothing else { return }
    if 2 * largestHalf > tolerance {
      // What is farther than the last wanted does not count.
      largestHalf = halfOfBounds(below: last, scratch)
      guard 2 * largestHalf <= tolerance else { return measureInstead(&scratch) }
    }
    lowerThreshold(last)
  }

  /// Half of the most that bounds leave open of the regions found, metres.
  ///
  /// - Parameter estimate: Regions with lower bounds of this or more do not count.
  @inline(never)
  private func halfOfBounds(below estimate: Float, _ scratch: borrowing QueryScratch) -> Float {
    var most: Float = 0
    var (lower, upper) = (SIMD16<Float>(), SIMD16<Float>())
    for v in 0..<scratch.visitCount {
      let visit = unsafe scratch.visits.base[v]
      guard visit.circles != 0 else { continue }
      guard visit.band == 0 else {
        most = max(most, visit.band / 2)
        continue
      }
      unsafe lower.withUnsafeFloats { lower in
        unsafe upper.withUnsafeFloats { upper in
          let mask = unsafe visit.circles & visit.bounds(below: estimate, lower, upper)
          unsafe most = max(most, vk_center16(lower, upper, mask))
        }
      }
    }
    for i in 0..<scratch.candidateCount {
      let candidate = unsafe scratch.candidates.base[i]
      if Float(candidate.distance - candidate.error).nextDown < estimate {
        most = max(most, Float(candidate.error).nextUp)
      }
    }
    return most
  }

  /// Goes on without estimates, where one is not good enough or more leaves are read than tags can tell: puts
  /// upper bounds in the list of the best, of all that has been found. What has been passed over so far may
  /// still be.
  @inline(never)
  mutating func measureInstead(_ scratch: inout QueryScratch) {
    guard estimates, let count else { return }
    estimates = false
    (threshold, prune) = (limit, limit.nextUp)
    prepareBest(count, &scratch)
    var (lower, upper) = (SIMD16<Float>(), SIMD16<Float>())
    for v in 0..<scratch.visitCount {
      let visit = unsafe scratch.visits.base[v]
      guard visit.circles != 0 else { continue }
      unsafe lower.withUnsafeFloats { lower in
        unsafe upper.withUnsafeFloats { upper in
          _ = unsafe visit.bounds(below: limit, lower, upper)
          unsafe offer(upper, 0, visit.circles, &scratch)
        }
      }
    }
    for i in 0..<scratch.candidateCount {
      let candidate = unsafe scratch.candidates.base[i]
      upper[0] = Self.roundedUp(upper: candidate.distance + candidate.error)
      unsafe upper.withUnsafeFloats { unsafe offer($0, 0, 1, &scratch) }
    }
  }

  /// Lowers the threshold to what the last region wanted may have, by its estimate.
  @inline(__always)
  private mutating func lowerThreshold(_ estimate: Float) {
    // The tag's error has room for the roundings.
    threshold = min(limit, estimate + largestHalf + abs(estimate) * EstimateTag.error)
    prune = threshold < limit ? threshold - tolerance : limit
  }

  /// The most by which the first `count` estimates are off, metres; nil where they are not good enough.
  ///
  /// Let b be that. Where all of the true i nearest have been looked at, the i-th estimate is at most b above
  /// the distance of one of them, and the region's own distance at most b above that: 2 b in all. Where one
  /// of them has been passed over, its distance is at least the threshold less the tolerance, and no region
  /// told has a distance above the threshold.
  func estimateError(_ count: Int, _ scratch: borrowing QueryScratch) -> Float? {
    let estimates = unsafe scratch.best.base + 4
    var largest = unsafe abs(estimates[0])
    var last = count - 1
    while last > 0, unsafe estimates[last] >= EstimateTag.nothing { last -= 1 }
    unsafe largest = max(largest, abs(estimates[last]))
    guard largest < EstimateTag.nothing else { return 0 }
    let half =
      unsafe estimates[count - 1] < EstimateTag.nothing
      ? largestHalf : halfOfBounds(below: .infinity, scratch)
    // Polygons keep their distances beside the tags.
    let error = half + (hasEstimatedCircles ? largest * EstimateTag.error : 0)
    return 2 * error <= tolerance ? error : nil
  }
}

/// Puts `item` into a binary max-heap in place of the element at `root`, and moves it down to where it
/// belongs.
@inline(__always)
func siftDown<T>(
  _ item: T, from root: Int, in heap: UnsafeMutablePointer<T>, count: Int,
  _ precedes: (T, T) -> Bool
) {
  var hole = root
  while true {
    var child = 2 * hole + 1
    guard child < count else { break }
    if child + 1 < count, unsafe precedes(heap[child], heap[child + 1]) { child += 1 }
    guard unsafe precedes(item, heap[child]) else { break }
    unsafe heap[hole] = heap[child]
    hole = child
  }
  unsafe heap[hole] = item
}
