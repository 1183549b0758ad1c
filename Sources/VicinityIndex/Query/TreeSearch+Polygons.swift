internal import CVicinityKernels
internal import VicinityGeodesy

/// Polygons: found by their bounding circles, measured in batches.
///
/// A polygon's bytes lie apart from the tree's, and one part of them has to be read before it is known which is read
/// next: the header with the root's boxes, then the boxes or the edges below the nearest of these. So one step is made
/// with all polygons of a batch, each step asking for what the next one reads, before the next step is made with any.
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
    // Records tell where polygons lie.
    unsafe vk_prefetch_records(
      scratch.visits[visit].leaf + TreeLayout.recordOffset, Int32(TreeLayout.recordSize), mask)
  }

  /// Adds a polygon to the batch, and measures that when it is full.
  @inline(__always)
  mutating func approach(
    _ visitNumber: Int, _ lane: Int, bound: Float, _ trees: UnsafeBufferPointer<TreeView>,
    _ scratch: inout QueryScratch
  ) {
    let visit = unsafe scratch.visits + visitNumber
    let record = unsafe RegionRecord(
      visit.pointee.leaf + TreeLayout.recordOffset + TreeLayout.recordSize * lane)
    guard unsafe record.ordinal < visit.pointee.ordinalLimit,
      let polygon = unsafe trees[Int(visit.pointee.tree)].polygon(record.polygonSlot)
    else { return }
    unsafe vk_prefetch(polygon.base, Int32(PolygonLayout.headerSize))
    let approach = unsafe scratch.approaches + scratch.approachCount
    unsafe approach.pointee.polygon = polygon
    unsafe approach.pointee.record = record
    unsafe approach.pointee.bound = bound
    scratch.approachCount += 1
    let batch = threshold < limit ? Self.boundedBatch : min(count ?? .max, Self.greatestBatch)
    if scratch.approachCount >= batch { measureApproaches(&scratch) }
  }

  /// Measures the polygons of the batch.
  @inline(never)
  mutating func measureApproaches(_ scratch: inout QueryScratch) {
    let count = scratch.approachCount
    scratch.approachCount = 0
    for i in 0..<count {
      unsafe scratch.approaches[i].begin(from: place, scratch.gaps + 16 * i)
    }
    for i in 0..<count {
      unsafe scratch.approaches[i].proceed()
    }
    for i in 0..<count {
      let approach = unsafe scratch.approaches + i
      guard unsafe approach.pointee.bound < prune else { continue }
      let distance = unsafe approach.pointee.distance(
        from: position, place, scratch.gaps + 16 * i, cutoff: Double(prune))
      guard Float(distance).nextDown < prune else { continue }
      unsafe scratch.append(
        QueryScratch.Finalist(
          distance: distance, error: 0, center: .nan, record: approach.pointee.record.base))
      guard self.count != nil else { continue }
      var upper = Float(distance).nextUp
      unsafe withUnsafePointer(to: &upper) { unsafe offer($0, 0, 1, &scratch) }
    }
  }
}

extension QueryScratch.Approach {
  /// Looks at the root's boxes, and asks for what lies below the nearest.
  @inline(__always)
  fileprivate mutating func begin(from place: ECEF, _ gaps: UnsafeMutablePointer<Float>) {
    layout = polygon.layout
    frame = SearchFrame(polygon, Vector3(place))
    isOutside = polygon.isOutside(frame)
    least = unsafe polygon.rootGaps(frame, layout, gaps)
    polygon.prefetchNearest(least, layout)
    // No path over the surface is shorter than the chord. Rounding: of the square, its lane number and of the root.
    let better = least.squareRoot() * 0.999995 - frame.boxError
    // A NaN is no better.
    bound = isOutside && better > bound ? better : bound
  }

  /// Looks at the boxes below the nearest of the root's, where there are any, and asks for what lies below those.
  @inline(__always)
  fileprivate func proceed() {
    if layout.rootLevel > 0 { polygon.prefetchBelow(least, frame, layout) }
  }

  @inline(__always)
  fileprivate func distance(
    from position: Coordinate, _ place: ECEF, _ gaps: UnsafeMutablePointer<Float>, cutoff: Meters
  ) -> Meters {
    isOutside
      ? unsafe polygon.outsideDistance(
        from: position, ecef: place, frame, rootGaps: gaps, least: least, cutoff: cutoff)
      : polygon.insideDistance(from: position, ecef: place, frame)
  }
}
