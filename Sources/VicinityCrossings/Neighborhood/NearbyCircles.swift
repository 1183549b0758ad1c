package import CVicinityKernels
package import VicinityGeodesy
internal import VicinityIndex
internal import VicinityPolygon

/// The few circles whose boundaries a device may reach next, projected on a plane (``TangentPlane``): the
/// test that is made first, and most often.
///
/// **Why it is exact.** Boundary distance d changes by no more than the device moves. So where a path of
/// length s meets a boundary, |d₁| + |d₂| <= s at its ends, and then d₁ + d₂ <= s; a circle for which the
/// plane gives more, by a margin, is not met. Neither is a circle that holds both ends, as discs are convex,
/// nor one that the path passes by: with e the plane's error and l the distance of the ends on it, a point of
/// the path is no farther from both ends together than l + 3e, so it lies in an ellipse that leaves the
/// straight line between them by no more than √((l + 3e)² − l²) / 2. Every circle that is not listed, and
/// every polygon, has its boundary no nearer to the middle of a disc than the disc's radius, and a path
/// between two points of the disc lies in it (``Neighborhood``).
@safe package struct NearbyCircles: ~Copyable {
  package let list: UnsafeMutablePointer<vk_nearby_circles>
  fileprivate let records = Buffer<RegionRecord?>(capacity: Int(VK_NEARBY_CIRCLES_ROOM))
  /// The largest possible error of a boundary distance, or of a distance of two points, on the plane, metres.
  private(set) var error: Meters = 0
  /// An upper bound of the metres per degree of longitude, within half a degree of latitude of any point of
  /// the plane.
  package private(set) var metersPerDegree: Float = 0
  /// How far around a point to list circles, metres.
  fileprivate var radius: Float = 100

  /// The longest path that can be tested, metres: the longest that crossings treat in one piece.
  fileprivate static let longestPath: Float = 2500

  init() {
    unsafe list = .allocate(capacity: 1)
    // SAFETY: the memory has just been allocated; a structure of numbers may be all zeros.
    unsafe list.initialize(to: vk_nearby_circles())
    unsafe list.pointee.longestLeg = Self.longestPath
    setPlane(.none)
  }

  deinit {
    unsafe list.deallocate()
  }

  static var byteCount: Int {
    MemoryLayout<vk_nearby_circles>.size + Int(VK_NEARBY_CIRCLES_ROOM) * MemoryLayout<RegionRecord?>.stride
  }

  var hasPlane: Bool { unsafe list.pointee.plane.latitudeReach >= 0 }

  /// Empties the list.
  fileprivate mutating func clear() {
    unsafe list.pointee.reach = -1
    unsafe list.pointee.reach2 = -1
  }

  /// Changes the plane and empties the list.
  mutating func setPlane(_ plane: TangentPlane) {
    clear()
    unsafe list.pointee.plane = plane.kernel
    unsafe list.pointee.slack = Float(4 * plane.error).nextUp
    error = plane.error
    metersPerDegree = plane.metersPerDegree
  }

  /// A coordinate's point on the plane; nil where it has none.
  @inline(__always)
  func point(of coordinate: Coordinate) -> SIMD2<Float>? {
    var x: Float = 0
    var y: Float = 0
    // SAFETY: the list lives as long as this value, and the kernel writes two floats.
    let isProjected = unsafe vk_project_point(
      &list.pointee.plane, coordinate.latitude, coordinate.longitude, &x, &y)
    return isProjected != 0 ? SIMD2(x, y) : nil
  }

  /// What is known about the path between two fixes.
  package struct PathTest {
    /// The listed circles whose boundaries the path may meet: bit i is the circle in lane i.
    package var candidates: UInt32
    /// No boundary is nearer than this to the end of the path, metres; zero or less where that is not known.
    package var clearance: Meters
  }

  /// Finds the boundaries that a path may meet; nil where the list does not cover the path.
  package func test(from start: Coordinate, to end: Coordinate) -> PathTest? {
    guard let p = point(of: start), let q = point(of: end) else { return nil }
    let limit2 = unsafe list.pointee.reach2
    let offset2 = unsafe vk_nearby_offset2(list, q.x, q.y)
    guard offset2 < limit2, unsafe vk_nearby_offset2(list, p.x, p.y) < limit2 else { return nil }
    let length = Self.length(p, q)
    guard unsafe length < list.pointee.longestLeg else { return nil }
    var nearest = Float.greatestFiniteMagnitude
    let near = unsafe vk_candidate_circles(
      list, p.x, p.y, q.x, q.y, length + list.pointee.slack, &nearest)
    let candidates = unsafe vk_intersecting_circles(
      list, near, p.x, p.y, q.x, q.y, length + list.pointee.slack)
    let clearance = unsafe min(nearest, list.pointee.reach - offset2.squareRoot()) - list.pointee.slack
    return PathTest(candidates: candidates, clearance: Double(clearance))
  }

  @inline(__always)
  static func length(_ p: SIMD2<Float>, _ q: SIMD2<Float>) -> Float {
    let d = q - p
    return (d.x * d.x + d.y * d.y).squareRoot()
  }
}

extension Neighborhood {
  package enum ListingOutcome {
    /// The list covers the path.
    case listed
    /// The neighbourhood ends too near.
    case ended
    /// There is no plane, or too many boundaries are near the path.
    case unsuitable
  }

  /// How many circles to list: two vectors of four. With 4 and with 12 the crossings of places, dense places
  /// and the dense city (10k to 1M regions, a fix a second and one in 10 s) took the same time within what
  /// runs differ by.
  private static let wantedCount = 8

  /// Lists the circles near a path, and ahead of its end, where the list is to be used next.
  ///
  /// - Complexity: O(circles / 4)
  package mutating func listNearby(from start: Coordinate, to end: Coordinate) -> ListingOutcome {
    nearby.clear()
    guard nearby.hasPlane, circles.count <= 64 else { return .unsuitable }
    guard let p = nearby.point(of: start), let q = nearby.point(of: end) else { return .ended }
    let length = NearbyCircles.length(p, q)
    guard length < NearbyCircles.longestPath else { return .unsuitable }
    let slack = unsafe nearby.list.pointee.slack
    let limit = Float(limit)
    let least = 2.5 * length + 4 * slack
    var radius = max(least, min(nearby.radius, 0.35 * limit))
    // The device is likely to go on ahead. But polygons' distances are known on the ellipsoid alone.
    let ahead = length > 0 && polygonCount == 0 ? (q - p) * (0.5 / length) : .zero
    let fours = Int32((circles.count + 3) / 4)
    var values = SIMD64<Float>()
    var nearest: Float = 0
    var mask: UInt64 = 0
    var middle = q
    for attempt in 0..<5 {
      middle = q + radius * ahead
      let margin = limit - (middle.x * middle.x + middle.y * middle.y).squareRoot() - slack
      guard margin > length + 0.5 * radius + 2 * slack else { return .ended }
      unsafe values.withUnsafeFloats { out in
        // SAFETY: the array has room for as many fours as there are.
        unsafe vk_plane_bounds(planar.base, fours, middle.x, middle.y, out)
        mask = unsafe vk_below(out, fours, radius, &nearest) & lanes()
      }
      nearest = min(nearest, margin)
      let count = mask.nonzeroBitCount
      if attempt == 0, count < Self.wantedCount / 2 + 1 { nearby.radius = 1.5 * radius }
      guard count > Self.wantedCount, radius > least, attempt < 4 else { break }
      radius = max(least, radius * max(0.3, 0.95 * Float(Self.wantedCount) / Float(count)))
      nearby.radius = radius
    }
    guard mask.nonzeroBitCount <= Int(VK_NEARBY_CIRCLES_ROOM) else { return .unsuitable }
    if polygonCount > 0 {
      let ecef = ECEF(unchecked: end)
      for i in 0..<polygonCount { nearest = min(nearest, Float(self[polygon: i].clearance(at: ecef))) }
    }
    fill(mask)
    let validRadius = nearest - slack
    guard validRadius > 0 else { return .unsuitable }
    unsafe nearby.list.pointee.x = middle.x
    unsafe nearby.list.pointee.y = middle.y
    unsafe nearby.list.pointee.reach = validRadius
    unsafe nearby.list.pointee.reach2 = validRadius * validRadius
    return NearbyCircles.length(p, middle) < validRadius && NearbyCircles.length(q, middle) < validRadius
      ? .listed : .unsuitable
  }

  /// Lists the circles whose bits are set.
  private func fill(_ chosen: UInt64) {
    let list = unsafe nearby.list
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
            let plane = unsafe planar.base + 48 * (i / 16) + i % 16
            unsafe x[count] = plane[0]
            unsafe y[count] = plane[16]
            unsafe r[count] = plane[32]
            unsafe nearby.records.base[count] = circles.records.base[i]
            unsafe vk_prefetch_records(circles.records.base[i].base, Int32(TreeLayout.recordSize), 1)
            count += 1
          }
          unsafe list.pointee.count = Int32(count)
          // The last vector is filled up; there is at least one.
          while count == 0 || count % 8 != 0 {
            unsafe x[count] = TreeLayout.farAway
            unsafe y[count] = TreeLayout.farAway
            unsafe r[count] = 0
            unsafe nearby.records.base[count] = nil
            count += 1
          }
        }
      }
    }
  }

  /// The nearby circle in a lane; nil for a record that is no region's.
  package func nearbyCircle(_ lane: Int) -> NearbyCircle? {
    precondition(lane < Int(VK_NEARBY_CIRCLES_ROOM))
    guard let record = unsafe nearby.records.base[lane], record.ordinal < circles.ordinalLimit else {
      return nil
    }
    return NearbyCircle(record)
  }
}
