internal import CVicinityKernels
internal import VicinityGeodesy

/// Polygons: found by their bounding circles, measured in batches.
///
/// A polygon's bytes lie apart from the tree's, and one part of them has to be read before it is known which is read
/// next: the record, the place, the header with the root's boxes, then the boxes or the edges below the nearest of these
/// (`vk_descent`). So one step is made with all polygons of a batch, each step asking for what the next one reads,
/// before the next step is made with any; and the edges that are left are measured together (``Feet``).
extension TreeSearch {
  /// The most polygons that are measured together.
  static let greatestBatch = Int(VK_MOST_DESCENTS)
  /// As many are, those with the least lower bounds, where each may spare the next: when an upper bound of the distance of
  /// the last region wanted is known.
  private static let boundedBatch = 4

  /// How many polygons the next wave has: those beyond the count are looked at when its distances are known, and cost no
  /// wait then.
  private var waveCount: Int {
    guard let count else { return Self.greatestBatch }
    return threshold < limit
      ? Self.boundedBatch : min(min(count, Self.greatestBatch) + Self.boundedBatch, Self.greatestBatch)
  }

  /// What nodes have to be nearer than to be opened before the next polygons are measured: then these are the nearest there
  /// are, by their bounds, and so the same as if polygons stood in the frontier one by one.
  @inline(__always)
  func wave(_ scratch: borrowing QueryScratch) -> Float {
    scratch.waitingVisitCount == 0 ? prune : unsafe min(prune, scratch.waiting[waveCount - 1])
  }

  /// Has the polygons of a leaf wait; where all are wanted, they are measured as they come.
  @inline(__always)
  mutating func awaitPolygons(
    _ visit: Int, _ mask: UInt32, _ trees: UnsafeBufferPointer<TreeView>, _ scratch: inout QueryScratch
  ) {
    guard count != nil else { return unsafe approach(visit, mask, trees, &scratch) }
    if scratch.waitingVisitCount == 0 { unsafe vk_fill32(scratch.waiting, .greatestFiniteMagnitude) }
    let lower = unsafe scratch.lowers + 16 * visit
    // Later leaves seldom have any that is among the nearest.
    if unsafe mask & vk_below16(lower, scratch.waiting[31]) != 0 {
      unsafe vk_merge(scratch.waiting, lower, 0, mask)
    }
    unsafe scratch.waitingVisits[scratch.waitingVisitCount] = Int32(truncatingIfNeeded: visit)
    scratch.waitingVisitCount += 1
  }

  /// Measures the polygons that wait and are nearer than anything else.
  @inline(never)
  mutating func measureWave(_ trees: UnsafeBufferPointer<TreeView>, _ scratch: inout QueryScratch) {
    if scratch.waitingVisitCount > 0 {
      let last = unsafe scratch.waiting[waveCount - 1]
      if let count, count < waveCount, threshold >= limit {
        unsafe take(below: min(prune, scratch.waiting[count - 1].nextUp), trees, &scratch)
      }
      unsafe take(below: min(prune, last.nextUp), trees, &scratch)
    }
    if scratch.approachCount > 0 { unsafe measureApproaches(trees, &scratch) }
    unsafe vk_fill32(scratch.waiting, .greatestFiniteMagnitude)
    var rest = 0
    for i in 0..<scratch.waitingVisitCount {
      let v = unsafe scratch.waitingVisits[i]
      let lower = unsafe scratch.lowers + 16 * Int(v)
      let mask = unsafe scratch.visits[Int(v)].polygons & vk_below16(lower, prune)
      guard mask != 0 else { continue }
      unsafe vk_merge(scratch.waiting, lower, 0, mask)
      unsafe scratch.waitingVisits[rest] = v
      rest += 1
    }
    scratch.waitingVisitCount = rest
  }

  /// Takes those that wait and have lower bounds below `bound`.
  @inline(__always)
  private mutating func take(
    below bound: Float, _ trees: UnsafeBufferPointer<TreeView>, _ scratch: inout QueryScratch
  ) {
    for i in 0..<scratch.waitingVisitCount {
      let v = Int(unsafe scratch.waitingVisits[i])
      let waiting = unsafe scratch.visits[v].polygons
      let mask = unsafe waiting & vk_below16(scratch.lowers + 16 * v, bound)
      unsafe scratch.visits[v].polygons = waiting & ~mask
      unsafe approach(v, mask, trees, &scratch)
    }
  }

  /// Adds polygons of a leaf to the batch.
  @inline(__always)
  private mutating func approach(
    _ visit: Int, _ mask: UInt32, _ trees: UnsafeBufferPointer<TreeView>, _ scratch: inout QueryScratch
  ) {
    var mask = mask
    while mask != 0 {
      let lane = mask.trailingZeroBitCount
      mask &= mask - 1
      unsafe approach(visit, lane, bound: scratch.lowers[16 * visit + lane], trees, &scratch)
    }
  }

  /// Adds a polygon to the batch, and measures that when it is full.
  @inline(__always)
  private mutating func approach(
    _ visitNumber: Int, _ lane: Int, bound: Float, _ trees: UnsafeBufferPointer<TreeView>,
    _ scratch: inout QueryScratch
  ) {
    let visit = unsafe scratch.visits + visitNumber
    let record = unsafe visit.pointee.leaf + TreeLayout.recordOffset + TreeLayout.recordSize * lane
    // It is read with the others of the batch; what is read of it may lie in two lines.
    unsafe vk_prefetch_ends(record, Int32(TreeLayout.recordLatitude))
    let approach = unsafe scratch.approaches + scratch.approachCount
    unsafe approach.pointee.record = RegionRecord(record)
    unsafe approach.pointee.bound = bound
    unsafe approach.pointee.tree = visit.pointee.tree
    unsafe approach.pointee.ordinalLimit = visit.pointee.ordinalLimit
    scratch.approachCount += 1
    let last = scratch.approachCount - 1
    if last >= Self.lag { unsafe Self.requestPlace(scratch.approaches + (last - Self.lag), trees) }
    if scratch.approachCount == Self.greatestBatch { unsafe measureApproaches(trees, &scratch) }
  }

  /// Measures the polygons of the batch.
  @inline(never)
  mutating func measureApproaches(
    _ trees: UnsafeBufferPointer<TreeView>, _ scratch: inout QueryScratch
  ) {
    let count = unsafe Self.find(scratch.approaches, scratch.approachCount, scratch.descents, trees)
    scratch.approachCount = 0
    unsafe vk_wide_descend(scratch.descents, UInt32(truncatingIfNeeded: count), place.x, place.y, place.z)
    let first = threshold < limit ? count : min(count, self.count ?? .max)
    measure(0..<first, &scratch)
    if first < count { measure(first..<count, &scratch) }
  }

  /// Measures some polygons of the batch whose descents have been made.
  @inline(__always)
  private mutating func measure(_ range: Range<Int>, _ scratch: inout QueryScratch) {
    let cutoff = prune
    let feet = unsafe Feet(scratch.feet)
    for i in range {
      unsafe scratch.approaches[i].search(
        from: position, place, scratch.descents + i, cutoff: cutoff, feet, owner: i)
    }
    feet.measure(from: place)
    var uppers = InlineArray<16, Float>(repeating: 0)
    var mask: UInt32 = 0
    for i in range {
      let approach = unsafe scratch.approaches + i
      let distance =
        unsafe scratch.descents[i].is_outside != 0
        ? feet.distance(i, cutoff: Double(cutoff)) : approach.pointee.depth
      if unsafe scratch.descents[i].bound < cutoff, Float(distance).nextDown < cutoff {
        unsafe scratch.append(
          QueryScratch.Finalist(
            distance: distance, error: 0, center: .nan, record: approach.pointee.record.base))
        uppers[i & 15] = Float(distance).nextUp
        mask |= 1 << UInt32(truncatingIfNeeded: i & 15)
      }
      if mask != 0, i & 15 == 15 || i == range.upperBound - 1 {
        let span = uppers.span
        unsafe span.withUnsafeBufferPointer { buffer in
          guard let uppers = buffer.baseAddress else { return }
          unsafe offer(uppers, 0, mask, &scratch)
        }
        mask = 0
      }
    }
  }

  /// How many polygons later a record is read to ask for the polygon's place, and as many later that, to ask for its
  /// header.
  private static let lag = 4

  @inline(__always)
  private static func requestPlace(
    _ approach: UnsafeMutablePointer<QueryScratch.Approach>, _ trees: UnsafeBufferPointer<TreeView>
  ) {
    unsafe trees[Int(approach.pointee.tree)].prefetchOffset(ofPolygon: approach.pointee.record.polygonSlot)
  }

  /// Finds the polygons of a batch.
  ///
  /// - Returns: How many there are: damaged records lead nowhere, and are left out.
  @inline(__always)
  private static func find(
    _ approaches: UnsafeMutablePointer<QueryScratch.Approach>, _ count: Int,
    _ descents: UnsafeMutablePointer<vk_descent>, _ trees: UnsafeBufferPointer<TreeView>
  ) -> Int {
    for i in max(0, count - lag)..<count { unsafe requestPlace(approaches + i, trees) }
    var found = 0
    for i in 0..<count {
      let approach = unsafe approaches + i
      let record = unsafe approach.pointee.record
      guard unsafe record.ordinal < approach.pointee.ordinalLimit,
        let polygon = unsafe trees[Int(approach.pointee.tree)].polygon(record.polygonSlot)
      else { continue }
      unsafe approaches[found].record = record
      unsafe approaches[found].polygon = polygon
      unsafe descents[found].bound = approach.pointee.bound
      unsafe descents[found].polygon = polygon.base.assumingMemoryBound(to: CChar.self)
      found += 1
    }
    return found
  }
}

extension QueryScratch.Approach {
  /// Collects the edges that may be nearest, or measures them where the side has to be told.
  @inline(__always)
  fileprivate mutating func search(
    from position: Coordinate, _ place: ECEF, _ descent: UnsafePointer<vk_descent>, cutoff: Float,
    _ feet: Feet, owner: Int
  ) {
    feet.begin(owner)
    guard unsafe descent.pointee.bound < cutoff else { return }
    guard unsafe descent.pointee.is_outside != 0 else {
      depth = polygon.insideDistance(from: position, ecef: place, unsafe SearchFrame(descent)) {
        unsafe $0.run(descent)
      }
      return
    }
    guard unsafe descent.pointee.is_settled != 0, unsafe OutsideMeasure.isNear(vk_found(descent)[0]) else {
      return polygon.searchOutside(
        from: position, ecef: place, unsafe SearchFrame(descent), cutoff: Double(cutoff), feet, owner: owner
      ) { unsafe $0.run(descent) }
    }
    let limit = unsafe min(Float(descent.pointee.limit).nextUp, cutoff)
    for i in 0..<Int(unsafe descent.pointee.found_count) {
      let found = unsafe vk_found(descent)[i]
      if found.lower < limit { polygon.collect(found, from: place, feet, owner: owner) }
    }
  }
}
