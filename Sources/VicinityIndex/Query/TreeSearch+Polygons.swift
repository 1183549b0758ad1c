internal import CVicinityKernels
internal import VicinityGeodesy
internal import VicinityPolygon

/// How a search finds and measures polygons.
///
/// Polygons are found by their bounding circles and measured in batches. A polygon's bytes lie apart from the
/// tree's, and each part has to be read before it is known which part comes next: the record, the offset, the
/// header with the root's boxes, then the boxes or the edges below the nearest of these (`vk_traverse`). So
/// each step is made with all polygons of a batch, and prefetches what the next step reads, before the next
/// step is made with any of them. The edges that are left are measured together (``ClosestPointBatch``).
///
/// Where the answer may be estimated, boxes and chords in single precision bound the distance of a position
/// outside (`vk_estimate`), and no edge is measured; a traversal ends when what is open between the bounds is
/// no more than the tolerance lets it be.
extension TreeSearch {
  /// The most polygons that are measured together.
  static let largestBatch = Int(VK_MOST_TRAVERSALS)
  /// The size of a batch, of the polygons with the least lower bounds, once an upper bound of the distance of
  /// the last region wanted is known: each may then spare the next.
  private static let boundedBatch = 4
  /// A record is read, to prefetch its polygon's offset, when this many later polygons have joined the batch;
  /// that offset is read after as many more.
  private static let prefetchLag = 4

  /// How many polygons the next batch has. Those beyond the count are looked at when the distances of the
  /// others are known, and cost no wait then.
  private var batchSize: Int {
    guard let count else { return Self.largestBatch }
    return threshold < limit
      ? Self.boundedBatch
      : min(min(count, Self.largestBatch) + (estimatesPolygons ? 2 : Self.boundedBatch), Self.largestBatch)
  }

  /// Nodes with a smaller bound than this are expanded before the next polygon batch is measured, so a batch
  /// always holds the nearest pending polygons.
  @inline(__always)
  func expansionLimit(_ scratch: borrowing QueryScratch) -> Float {
    scratch.pendingVisitCount == 0 ? prune : unsafe min(prune, scratch.pendingBounds.base[batchSize - 1])
  }

  /// Puts the polygons of a leaf among the pending ones. Where all within the limit are wanted, they join the
  /// batch at once.
  @inline(__always)
  mutating func deferPolygons(_ visit: Int, _ mask: UInt32, _ scratch: inout QueryScratch) {
    guard count != nil else { return addToBatch(visit, mask, &scratch) }
    if scratch.pendingVisitCount == 0 {
      unsafe vk_fill32(scratch.pendingBounds.base, .greatestFiniteMagnitude)
    }
    let lower = unsafe scratch.visitBounds.base + 16 * visit
    // Later leaves seldom have a polygon that is among the nearest.
    if unsafe mask & vk_below16(lower, scratch.pendingBounds.base[31]) != 0 {
      unsafe vk_merge(scratch.pendingBounds.base, lower, 0, mask)
    }
    unsafe scratch.pendingVisits.base[scratch.pendingVisitCount] = Int32(truncatingIfNeeded: visit)
    scratch.pendingVisitCount += 1
  }

  /// Measures the pending polygons that are nearer than anything else.
  @inline(never)
  mutating func measurePending(_ scratch: inout QueryScratch) {
    if scratch.pendingVisitCount > 0 {
      let size = batchSize
      let last = unsafe scratch.pendingBounds.base[size - 1]
      if let count, count < size, threshold >= limit {
        unsafe addToBatch(below: min(prune, scratch.pendingBounds.base[count - 1].nextUp), &scratch)
      }
      addToBatch(below: min(prune, last.nextUp), &scratch)
    }
    if scratch.polygonBatchCount > 0 { measureBatch(&scratch) }
    unsafe vk_fill32(scratch.pendingBounds.base, .greatestFiniteMagnitude)
    var rest = 0
    for i in 0..<scratch.pendingVisitCount {
      let v = unsafe scratch.pendingVisits.base[i]
      let lower = unsafe scratch.visitBounds.base + 16 * Int(v)
      let mask = unsafe scratch.visits.base[Int(v)].polygons & vk_below16(lower, prune)
      guard mask != 0 else { continue }
      unsafe vk_merge(scratch.pendingBounds.base, lower, 0, mask)
      unsafe scratch.pendingVisits.base[rest] = v
      rest += 1
    }
    scratch.pendingVisitCount = rest
  }

  /// Moves the pending polygons with lower bounds below `bound` to the batch.
  @inline(__always)
  private mutating func addToBatch(below bound: Float, _ scratch: inout QueryScratch) {
    for i in 0..<scratch.pendingVisitCount {
      let v = Int(unsafe scratch.pendingVisits.base[i])
      let pending = unsafe scratch.visits.base[v].polygons
      let mask = unsafe pending & vk_below16(scratch.visitBounds.base + 16 * v, bound)
      unsafe scratch.visits.base[v].polygons = pending & ~mask
      addToBatch(v, mask, &scratch)
    }
  }

  /// Adds polygons of a leaf to the batch, and measures the batch whenever it is full.
  @inline(__always)
  private mutating func addToBatch(_ visit: Int, _ mask: UInt32, _ scratch: inout QueryScratch) {
    var mask = mask
    while mask != 0 {
      let lane = mask.trailingZeroBitCount
      mask &= mask - 1
      let record =
        unsafe scratch.visits.base[visit].leaf + TreeLayout.recordOffset + TreeLayout.recordSize * lane
      // It is read together with the others of the batch. What is read of it may lie in two cache lines.
      unsafe vk_prefetch_ends(record, Int32(TreeLayout.recordLatitude))
      let last = scratch.polygonBatchCount
      unsafe scratch.polygonBatch.base[last].record = RegionRecord(record)
      unsafe scratch.polygonBatch.base[last].bound = scratch.visitBounds.base[16 * visit + lane]
      if last >= Self.prefetchLag {
        unsafe tree.prefetchOffset(
          ofPolygon: scratch.polygonBatch.base[last - Self.prefetchLag].record.polygonSlot)
      }
      scratch.polygonBatchCount = last + 1
      if scratch.polygonBatchCount == Self.largestBatch { measureBatch(&scratch) }
    }
  }

  @inline(never)
  private mutating func measureBatch(_ scratch: inout QueryScratch) {
    let count = resolveBatch(&scratch)
    guard count > 0 else { return }
    let traversals = unsafe scratch.traversals.base
    if estimatesPolygons {
      unsafe vk_estimate(
        traversals, UInt32(truncatingIfNeeded: count), tolerance / 2, ecef.x, ecef.y, ecef.z)
      return estimatePolygons(count, &scratch)
    }
    unsafe vk_traverse(traversals, UInt32(truncatingIfNeeded: count), ecef.x, ecef.y, ecef.z)
    let first = threshold < limit ? count : min(count, self.count ?? .max)
    measure(0..<first, &scratch)
    if first < count { measure(first..<count, &scratch) }
  }

  /// Finds the polygons of the batch by their records, measures far ones at once and empties the batch.
  ///
  /// - Returns: How many are left to measure. Damaged records lead to no polygon, and are left out.
  @inline(__always)
  private mutating func resolveBatch(_ scratch: inout QueryScratch) -> Int {
    let batch = unsafe scratch.polygonBatch.base
    let count = scratch.polygonBatchCount
    scratch.polygonBatchCount = 0
    for i in max(0, count - Self.prefetchLag)..<count {
      unsafe tree.prefetchOffset(ofPolygon: batch[i].record.polygonSlot)
    }
    // No geodesic is shorter than its chord.
    let chordLimit = estimatesPolygons && threshold < limit ? Double(prune) : VK_FARTHEST
    var found = 0
    for i in 0..<count {
      let record = unsafe batch[i].record
      guard record.ordinal < tree.ordinalLimit, let polygon = tree.polygon(record.polygonSlot) else {
        continue
      }
      if unsafe batch[i].bound > FarBoundary.nearest,
        unsafe measureFar(polygon, record, bound: batch[i].bound, &scratch)
      {
        continue
      }
      unsafe PolygonTraversal.prepare(
        scratch.traversals.base + found, polygon, bound: batch[i].bound, limit: chordLimit)
      unsafe batch[found].record = record
      unsafe batch[found].polygon = polygon
      found += 1
    }
    return found
  }

  /// Measures a far polygon, unless its lower bound excludes it.
  ///
  /// - Returns: False where it has to be measured like near ones.
  @inline(never)
  private mutating func measureFar(
    _ polygon: PolygonView, _ record: RegionRecord, bound: Float, _ scratch: inout QueryScratch
  ) -> Bool {
    guard bound < prune else { return true }
    var boundary = FarBoundary(polygon, from: position, ecef, cutoff: Double(prune))
    guard boundary.measure() else { return false }
    let distance = boundary.best
    guard Float(distance).nextDown < prune else { return true }
    scratch.append(
      QueryScratch.Candidate(distance: distance, error: 0, centerDistance: .nan, record: record))
    var upper = SIMD16<Float>(repeating: Float(distance).nextUp)
    unsafe upper.withUnsafeFloats { unsafe offer($0, 0, 1, &scratch) }
    return true
  }

  // MARK: Estimates of polygons

  /// The least tolerance with which polygons are estimated, metres. Edges are split so that they stay within
  /// 5 m of their chords, and below this many an estimate would have to be measured after all.
  private static let leastTolerance: Float = 50

  private var estimatesPolygons: Bool { estimates && tolerance >= Self.leastTolerance }

  /// Enters estimates of the batch's polygons.
  private mutating func estimatePolygons(_ count: Int, _ scratch: inout QueryScratch) {
    var middles = SIMD16<Float>()
    var mask: UInt32 = 0
    for i in 0..<count {
      let pending = unsafe scratch.polygonBatch.base + i
      let (distance, error) = unsafe estimate(pending.pointee.polygon, scratch.traversals.base + i)
      if Float(distance - error).nextDown < prune {
        unsafe scratch.append(
          QueryScratch.Candidate(
            distance: distance, error: error, centerDistance: .nan, record: pending.pointee.record))
        largestHalf = max(largestHalf, Float(error).nextUp)
        middles[i & 15] = Float(distance).nextUp
        mask |= 1 << UInt32(truncatingIfNeeded: i & 15)
      }
      if mask != 0, i & 15 == 15 || i == count - 1 {
        unsafe middles.withUnsafeFloats { unsafe offer($0, 0, mask, &scratch) }
        mask = 0
      }
    }
  }

  /// The middle of the bounds of a polygon's distance, and by how much it may be off, metres. A position that
  /// may lie inside is measured: the side is right whatever the tolerance.
  @inline(__always)
  private func estimate(
    _ polygon: PolygonView, _ kernel: UnsafeMutablePointer<vk_traversal>
  ) -> (distance: Meters, error: Meters) {
    guard unsafe kernel.pointee.is_outside != 0 else {
      let distance = unsafe polygon.insideDistance(
        from: position, ecef: ecef, PolygonTraversal(kernel))
      return (distance, 0)
    }
    let (lower, upper) = unsafe (kernel.pointee.lower, kernel.pointee.upper)
    let error = (upper - lower) / 2
    if error <= Self.largestShare * Double(tolerance) || lower >= Double(prune) {
      return ((lower + upper) / 2, error)
    }
    return (polygon.signedBoundaryDistance(from: position, ecef: ecef, cutoff: Double(prune)), 0)
  }

  /// The most by which an estimated polygon may be off, as a share of the tolerance; half of what a traversal
  /// leaves open is a quarter, and the rest is for single precision and for the estimates of circles.
  private static let largestShare = 0.375

  /// Measures the polygons that were only estimated: where the answer is not made of estimates.
  func measureEstimatedPolygons(_ scratch: inout QueryScratch) {
    for i in 0..<scratch.candidateCount {
      let candidate = unsafe scratch.candidates.base[i]
      guard candidate.centerDistance.isNaN, candidate.error > 0,
        let polygon = tree.polygon(candidate.record.polygonSlot)
      else { continue }
      unsafe scratch.candidates.base[i].distance =
        polygon.signedBoundaryDistance(from: position, ecef: ecef)
      unsafe scratch.candidates.base[i].error = 0
    }
  }

  // MARK: Exact distances of polygons

  /// Measures some polygons of the batch whose boxes have been traversed.
  @inline(__always)
  private mutating func measure(_ range: Range<Int>, _ scratch: inout QueryScratch) {
    let cutoff = prune
    let points = unsafe ClosestPointBatch(scratch.closestPoints.base)
    for i in range {
      unsafe scratch.polygonBatch.base[i].collectEdges(
        from: position, ecef, scratch.traversals.base + i, cutoff: cutoff, points, owner: i)
    }
    points.measure(from: ecef)
    var uppers = SIMD16<Float>()
    var mask: UInt32 = 0
    for i in range {
      let pending = unsafe scratch.polygonBatch.base + i
      let distance =
        unsafe scratch.traversals.base[i].is_outside != 0
        ? points.distance(i, cutoff: Double(cutoff)) : pending.pointee.insideDistance
      if unsafe scratch.traversals.base[i].bound < cutoff, Float(distance).nextDown < cutoff {
        unsafe scratch.append(
          QueryScratch.Candidate(
            distance: distance, error: 0, centerDistance: .nan, record: pending.pointee.record))
        uppers[i & 15] = Float(distance).nextUp
        mask |= 1 << UInt32(truncatingIfNeeded: i & 15)
      }
      if mask != 0, i & 15 == 15 || i == range.upperBound - 1 {
        unsafe uppers.withUnsafeFloats { unsafe offer($0, 0, mask, &scratch) }
        mask = 0
      }
    }
  }
}

extension QueryScratch.PendingPolygon {
  /// Collects the edges that may be nearest. Where the position may lie inside, measures the distance at
  /// once.
  @inline(__always)
  fileprivate mutating func collectEdges(
    from position: Coordinate, _ ecef: ECEF, _ kernel: UnsafeMutablePointer<vk_traversal>, cutoff: Float,
    _ points: ClosestPointBatch, owner: Int
  ) {
    points.begin(owner)
    guard unsafe kernel.pointee.bound < cutoff else { return }
    let traversal = unsafe PolygonTraversal(kernel)
    if traversal.isOutside {
      polygon.collect(from: position, ecef: ecef, traversal, cutoff: Double(cutoff), points, owner: owner)
    } else {
      insideDistance = polygon.insideDistance(from: position, ecef: ecef, traversal)
    }
  }
}
