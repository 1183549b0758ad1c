internal import CVicinityKernels
package import VicinityGeodesy

extension Neighborhood {
  /// What came of making a shortlist.
  package enum ShortlistOutcome {
    /// It tells about the way.
    case made
    /// The neighbourhood ends too near.
    case ended
    /// There is no plane, or too many boundaries are near the way.
    case unsuitable
  }

  /// How many circles a shortlist is to hold: two fours. With 4 and with 12 the crossings of places, dense places and the
  /// dense city (10k to 1M regions, a fix a second and one in 10 s) took the same time within what runs differ by.
  private static let wantedCount = 8

  /// Writes the listed circles' places on the plane.
  mutating func project(around coordinate: Coordinate) {
    let plane = TangentPlane(
      at: coordinate, anchor, reach: limit, largestRadius: Double(largestRadius), rounding: Double(rounding))
    shortlist.lay(plane ?? .none)
    if let plane { unsafe plane.project(blocks, count: circleCount, into: planar) }
  }

  /// Makes a shortlist for a way that ends where it is to be used, and for some of what lies ahead.
  ///
  /// - Complexity: O(listed circles / 4)
  package mutating func makeShortlist(from start: Coordinate, to end: Coordinate) -> ShortlistOutcome {
    shortlist.clear()
    guard shortlist.hasPlane, circleCount <= 64 else { return .unsuitable }
    guard let p = shortlist.place(of: start), let q = shortlist.place(of: end) else { return .ended }
    let length = Shortlist.length(p, q)
    guard length < Shortlist.longestWay else { return .unsuitable }
    let slack = unsafe shortlist.list.pointee.slack
    let limit = Float(limit)
    let least = 2.5 * length + 4 * slack
    var radius = max(least, min(shortlist.radius, 0.35 * limit))
    // Ahead, where the device is likely to go; but polygons' distances are known on the ellipsoid alone.
    let ahead = length > 0 && polygonCount == 0 ? (q - p) * (0.5 / length) : .zero
    let fours = Int32((circleCount + 3) / 4)
    var values = InlineArray<64, Float>(repeating: 0)
    var nearest: Float = 0
    var mask: UInt64 = 0
    var middle = q
    for attempt in 0..<5 {
      middle = q + radius * ahead
      let margin = limit - (middle.x * middle.x + middle.y * middle.y).squareRoot() - slack
      guard margin > length + 0.5 * radius + 2 * slack else { return .ended }
      var span = values.mutableSpan
      unsafe span.withUnsafeMutableBufferPointer { buffer in
        // SAFETY: the array is not empty, and has room for as many fours as there are.
        let out = unsafe buffer.baseAddress.unsafelyUnwrapped
        unsafe vk_plane_bounds(planar, fours, middle.x, middle.y, out)
        mask = unsafe vk_below(out, fours, radius, &nearest)
      }
      nearest = min(nearest, margin)
      let count = mask.nonzeroBitCount
      if attempt == 0, count < Self.wantedCount / 2 + 1 { shortlist.radius = 1.5 * radius }
      guard count > Self.wantedCount, radius > least, attempt < 4 else { break }
      radius = max(least, radius * max(0.3, 0.95 * Float(Self.wantedCount) / Float(count)))
      shortlist.radius = radius
    }
    guard mask.nonzeroBitCount <= Int(VK_SHORTLIST_ROOM) else { return .unsuitable }
    if polygonCount > 0 {
      let place = ECEF(unchecked: end)
      for i in 0..<polygonCount { nearest = min(nearest, Float(self[polygon: i].clearance(at: place))) }
    }
    fill(mask)
    let reach = nearest - slack
    guard reach > 0 else { return .unsuitable }
    unsafe shortlist.list.pointee.x = middle.x
    unsafe shortlist.list.pointee.y = middle.y
    unsafe shortlist.list.pointee.reach = reach
    unsafe shortlist.list.pointee.reach2 = reach * reach
    return Shortlist.length(p, middle) < reach && Shortlist.length(q, middle) < reach ? .made : .unsuitable
  }

  /// Lists the circles whose bits are set.
  private func fill(_ chosen: UInt64) {
    let list = unsafe shortlist.list
    unsafe withUnsafeMutableBytes(of: &list.pointee.centerX) { centerX in
      unsafe withUnsafeMutableBytes(of: &list.pointee.centerY) { centerY in
        unsafe withUnsafeMutableBytes(of: &list.pointee.radius) { radius in
          let x = unsafe centerX.assumingMemoryBound(to: Float.self)
          let y = unsafe centerY.assumingMemoryBound(to: Float.self)
          let r = unsafe radius.assumingMemoryBound(to: Float.self)
          var mask = chosen
          var count = 0
          while mask != 0 {
            let i = mask.trailingZeroBitCount
            mask &= mask - 1
            let plane = unsafe planar + 48 * (i / 16) + i % 16
            unsafe x[count] = plane[0]
            unsafe y[count] = plane[16]
            unsafe r[count] = plane[32]
            unsafe shortlist.records[count] = records[i]
            unsafe vk_prefetch_records(records[i], Int32(TreeLayout.recordSize), 1)
            count += 1
          }
          unsafe list.pointee.count = Int32(count)
          // At least one vector's.
          while count == 0 || count % 8 != 0 {
            unsafe x[count] = TreeLayout.farAway
            unsafe y[count] = TreeLayout.farAway
            unsafe r[count] = 0
            unsafe shortlist.records[count] = nil
            count += 1
          }
        }
      }
    }
  }

  /// A circle of the shortlist; nil for a record that is no region.
  package func shortlisted(_ lane: Int) -> NearbyCircle? {
    precondition(lane < Int(VK_SHORTLIST_ROOM))
    guard let base = unsafe shortlist.records[lane] else { return nil }
    let record = unsafe RegionRecord(base)
    guard record.ordinal < ordinalLimit else { return nil }
    return NearbyCircle(ordinal: record.ordinal, center: record.center, radius: record.radius)
  }
}
