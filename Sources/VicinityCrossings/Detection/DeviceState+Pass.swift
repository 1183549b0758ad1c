internal import CVicinityKernels
internal import VicinityGeodesy

/// The quick test: a fix before which nothing can have happened.
///
/// The disc around the anchor holds no boundary, the device was in it, and is. The shortest way between two places of
/// the disc stays within it: discs below 9985 km are strongly convex (``CircleTarget``), and this one is no larger than
/// 56 km. So no boundary was met, and the same regions are occupied. What the disc's test lets through is a valid
/// coordinate: it is finite, and the disc ends at the poles.
extension DeviceState {
  /// Takes a fix before which nothing can have happened.
  ///
  /// - Parameter byDisc: Whether no boundary may lie within the fix's accuracy either: (m + a)² <= 2 (m² + a²).
  /// - Returns: Whether it was one; nothing has changed otherwise.
  @inline(__always)
  mutating func pass(_ fix: Fix, byDisc: Bool) -> Bool {
    let time = fix.time.microseconds
    var moved2 = moved2(to: fix.coordinate)
    if byDisc { moved2 = 2 * (moved2 + fix.horizontalAccuracy * fix.horizontalAccuracy) }
    guard moved2 < Double(reach2), fix.horizontalAccuracy >= 0, time > self.time,
      time < nextDue
    else { return false }
    move(to: fix.coordinate, at: time)
    return true
  }

  /// Takes fixes for as long as nothing can have happened before them.
  ///
  /// - Returns: How many those are.
  @inline(__always)
  mutating func pass(_ fixes: Span<Fix>, from start: Int, byDisc: Bool) -> Int {
    let (latitude0, longitude0) = (anchorLatitude, anchorLongitude)
    let (north, east) = (WGS84.longestDegree, Double(metersPerDegree))
    let limit = Double(reach2)
    let due = nextDue
    var last = time
    var i = start
    // SAFETY: memory is asked for from there on, never read; and asking for what lies beyond the end does no harm.
    let address = unsafe fixes.withUnsafeBufferPointer { unsafe UnsafeRawPointer($0.baseAddress) }
    while i < fixes.count {
      // SAFETY: start <= i < fixes.count.
      let fix = unsafe fixes[unchecked: i]
      if let address = unsafe address {
        unsafe vk_prefetch_fix(address + i &* MemoryLayout<Fix>.stride)
      }
      let y = north * (fix.coordinate.latitude - latitude0)
      let x = east * (fix.coordinate.longitude - longitude0)
      let time = fix.time.microseconds
      var moved2 = y * y + x * x
      if byDisc { moved2 = 2 * (moved2 + fix.horizontalAccuracy * fix.horizontalAccuracy) }
      guard moved2 < limit, fix.horizontalAccuracy >= 0, time > last, time < due else { break }
      last = time
      i += 1
    }
    if i > start { move(to: fixes[i - 1].coordinate, at: last) }
    return i - start
  }
}
