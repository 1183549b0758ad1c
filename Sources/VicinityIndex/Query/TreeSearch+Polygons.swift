internal import CVicinityKernels
internal import VicinityGeodesy

/// Polygons: found by their bounding circles, measured in batches.
///
/// A polygon's bytes lie apart from the tree's, and one part of them has to be read before it is known which is read
/// next: the record, the place, the header with the root's boxes, then the boxes or the edges below the nearest of these
/// (``PolygonDescent``). So one step is made with all polygons of a batch, each step asking for what the next one reads,
/// before the next step is made with any; and the edges that are left are measured together (``Feet``).
extension TreeSearch {
  /// The most polygons that are measured together.
  static let greatestBatch = 32
  /// As many are where each may spare the next: when an upper bound of the distance of the last region wanted is known.
  private static let boundedBatch = 4

  /// Adds the polygons of a leaf to the frontier.
  @inline(__always)
  func openPolygons(_ visit: Int, _ mask: UInt32, _ scratch: inout QueryScratch) {
    scratch.reserveBlock()
    let b = scratch.blockCount
    // The lane number may raise a negative bound by sixteen ulp; the bound's slack covers that.
    let smallest = unsafe vk_tagged16(scratch.lowers + 16 * visit, mask, scratch.bounds + 16 * b)
    unsafe scratch.blocks[b] = Self.visitFlag | UInt64(visit)
    push(smallest, &scratch)
  }

  /// Takes a leaf's nearest polygon out of the frontier, and with it all that are nearer than anything else there.
  @inline(__always)
  mutating func takePolygons(
    _ b: Int, _ visit: Int, _ smallest: Float, _ trees: UnsafeBufferPointer<TreeView>,
    _ scratch: inout QueryScratch
  ) {
    unsafe vk_put(scratch.minima, Int32(truncatingIfNeeded: b), .greatestFiniteMagnitude)
    let next = unsafe vk_smallest(scratch.minima, Int32(truncatingIfNeeded: scratch.blockCount))
    var mask: UInt32 = 0
    let rest = unsafe vk_take_below16(
      scratch.bounds + 16 * b, max(min(next, prune), smallest.nextUp), &mask)
    close(b, rest, &scratch)
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
    if last >= 2 * Self.lag { unsafe Self.requestHeader(scratch.approaches + (last - 2 * Self.lag), trees) }
    // Those beyond the count are looked at when its distances are known, and cost no wait then.
    let wanted = min(count ?? .max, Self.greatestBatch)
    let batch =
      threshold < limit ? Self.boundedBatch : min(wanted + Self.boundedBatch, Self.greatestBatch)
    if scratch.approachCount >= batch { unsafe measureApproaches(trees, &scratch) }
  }

  /// Measures the polygons of the batch.
  @inline(never)
  mutating func measureApproaches(
    _ trees: UnsafeBufferPointer<TreeView>, _ scratch: inout QueryScratch
  ) {
    let count = unsafe Self.find(scratch.approaches, scratch.approachCount, trees)
    scratch.approachCount = 0
    for i in 0..<count {
      unsafe scratch.approaches[i].begin(from: place, scratch.gaps + PolygonDescent.gapCount * i)
    }
    for i in 0..<count {
      unsafe scratch.approaches[i].proceed(scratch.gaps + PolygonDescent.gapCount * i)
    }
    for i in 0..<count {
      unsafe scratch.approaches[i].look()
    }
    for i in 0..<count {
      unsafe scratch.approaches[i].lookBeside(scratch.gaps + PolygonDescent.gapCount * i)
    }
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
        from: position, place, scratch.gaps + PolygonDescent.gapCount * i, cutoff: cutoff, feet, owner: i)
    }
    feet.measure(from: place)
    var uppers = InlineArray<16, Float>(repeating: 0)
    var mask: UInt32 = 0
    for i in range {
      let approach = unsafe scratch.approaches + i
      let distance =
        unsafe approach.pointee.isOutside
        ? feet.distance(i, cutoff: Double(cutoff)) : approach.pointee.depth
      if unsafe approach.pointee.bound < cutoff, Float(distance).nextDown < cutoff {
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

  @inline(__always)
  private static func requestHeader(
    _ approach: UnsafeMutablePointer<QueryScratch.Approach>, _ trees: UnsafeBufferPointer<TreeView>
  ) {
    guard let polygon = unsafe trees[Int(approach.pointee.tree)].polygon(approach.pointee.record.polygonSlot)
    else { return }
    unsafe vk_prefetch(polygon.base, Int32(PolygonLayout.headerSize))
  }

  /// Finds the polygons of a batch and asks for their headers.
  ///
  /// - Returns: How many there are: damaged records lead nowhere, and are left out.
  @inline(__always)
  private static func find(
    _ approaches: UnsafeMutablePointer<QueryScratch.Approach>, _ count: Int,
    _ trees: UnsafeBufferPointer<TreeView>
  ) -> Int {
    for i in max(0, count - lag)..<count { unsafe requestPlace(approaches + i, trees) }
    for i in max(0, count - 2 * lag)..<count { unsafe requestHeader(approaches + i, trees) }
    var found = 0
    for i in 0..<count {
      let approach = unsafe approaches + i
      let record = unsafe approach.pointee.record
      guard unsafe record.ordinal < approach.pointee.ordinalLimit,
        let polygon = unsafe trees[Int(approach.pointee.tree)].polygon(record.polygonSlot)
      else { continue }
      unsafe approaches[found].record = record
      unsafe approaches[found].bound = approach.pointee.bound
      unsafe approaches[found].polygon = polygon
      found += 1
    }
    return found
  }
}

extension QueryScratch.Approach {
  /// Looks at the root's boxes, and asks for what lies below the nearest.
  @inline(__always)
  fileprivate mutating func begin(from place: ECEF, _ gaps: UnsafeMutablePointer<Float>) {
    descent = unsafe PolygonDescent(polygon, Vector3(place), gaps)
    isOutside = polygon.isOutside(descent.frame)
    // No path over the surface is shorter than the chord. Rounding: of the square, its lane number and of the root.
    let better = descent.least.squareRoot() * 0.999995 - descent.frame.boxError
    // A NaN is no better.
    bound = isOutside && better > bound ? better : bound
  }

  /// Looks at the boxes below the nearest of the root's, where there are any, and asks for what lies below those.
  @inline(__always)
  fileprivate mutating func proceed(_ gaps: UnsafeMutablePointer<Float>) {
    unsafe descent.proceed(polygon, gaps)
  }

  /// Looks at the nearest group's edges.
  @inline(__always)
  fileprivate mutating func look() {
    descent.look(polygon)
  }

  /// Looks at the edges of the group beside it, where that is not enough.
  @inline(__always)
  fileprivate mutating func lookBeside(_ gaps: UnsafeMutablePointer<Float>) {
    unsafe descent.lookBeside(polygon, gaps)
  }

  /// Collects the edges that may be nearest, or measures them where the side has to be told.
  @inline(__always)
  fileprivate mutating func search(
    from position: Coordinate, _ place: ECEF, _ gaps: UnsafeMutablePointer<Float>, cutoff: Float,
    _ feet: Feet, owner: Int
  ) {
    feet.begin(owner)
    guard bound < cutoff else { return }
    if isOutside {
      if descent.isSettled {
        if Double(descent.candidates.lowerBound) <= descent.limit {
          polygon.collect(descent.candidates, descent.layout, from: place, feet, owner: owner)
        }
        if descent.secondGap >= 0 {
          polygon.collect(descent.second, descent.layout, from: place, feet, owner: owner)
        }
        return
      }
      polygon.searchOutside(
        from: position, ecef: place, descent.frame, cutoff: Double(cutoff), feet, owner: owner
      ) { unsafe $0.run(descent, gaps) }
    } else {
      depth = polygon.insideDistance(from: position, ecef: place, descent.frame) {
        unsafe $0.run(descent, gaps)
      }
    }
  }
}
