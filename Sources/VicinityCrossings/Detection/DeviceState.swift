internal import CVicinityKernels
internal import VicinityGeodesy

/// The state of one device between fixes: 80 bytes and a block for the regions it occupies.
///
/// A plain value that holds an address, so that a fleet can keep its states in one array. The owner must free
/// the block.
@safe struct DeviceState {
  /// The last fix; the latitude is NaN before the first.
  var time: Int64 = 0
  var latitude: Degrees = .nan
  var longitude: Degrees = .nan

  /// The anchor: where the regions around were last examined.
  var anchorLatitude: Degrees = .nan
  var anchorLongitude: Degrees = .nan
  /// An upper bound of the metres of a degree of longitude within half a degree of latitude of there.
  var metersPerDegree: Float = 0
  /// The square of the safe radius, square metres: no boundary lies within that distance of the anchor, and
  /// the last fix does. Negative where nothing is known; ``broken`` where the track is broken behind the last
  /// fix, too.
  var safeRadius2: Float = -1

  /// The earliest end of a loitering delay, or of the time to remain somewhere, microseconds.
  var nextDue: Int64 = .max
  /// The radius of the next neighbourhood to gather, metres.
  var margin: Float = 400

  /// How many regions the device occupies.
  private(set) var occupiedCount: UInt32 = 0
  private var capacity: UInt32 = 0
  /// How many regions are watched (``WatchedRegion``); none under the geometric rule.
  private(set) var watchCount: UInt32 = 0
  /// Room for `capacity` ordinals, ascending; then, with dwell events, for as many ends of delays; then for
  /// watches, for their ordinals, ascending, and their times.
  private var block: UnsafeMutableRawPointer?

  /// A device that has not been seen.
  init() {}

  /// Frees the block.
  mutating func deallocate() {
    unsafe block?.deallocate()
    self = DeviceState()
  }

  /// A value of ``safeRadius2``.
  private static let broken = -Float.infinity

  @inline(__always)
  var isSeen: Bool { !latitude.isNaN }

  /// Whether nothing is known of the device between its last fix and the next one, however soon that comes.
  @inline(__always)
  var isBroken: Bool { safeRadius2 == Self.broken }

  @inline(__always)
  var coordinate: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }

  /// Makes a fix the last one.
  @inline(__always)
  mutating func move(to coordinate: Coordinate, at time: Int64) {
    self.time = time
    latitude = coordinate.latitude
    longitude = coordinate.longitude
  }

  /// Makes a position the anchor: no boundary lies within `radius` metres of it. Zero or less where that is
  /// not known.
  mutating func setSafeRadius(_ radius: Meters, at coordinate: Coordinate, _ ecef: ECEF) {
    let bound = FlatBound(at: coordinate, ecef)
    setSafeRadius(
      min(radius, bound.farthest), at: coordinate, metersPerDegree: Float(bound.metersPerDegree).nextUp)
  }

  /// ``setSafeRadius(_:at:_:)`` where an upper bound of a degree of longitude is known, and the radius is
  /// within ``FlatBound/farthest``.
  @inline(__always)
  mutating func setSafeRadius(_ radius: Meters, at coordinate: Coordinate, metersPerDegree: Float) {
    anchorLatitude = coordinate.latitude
    anchorLongitude = coordinate.longitude
    self.metersPerDegree = metersPerDegree
    safeRadius2 = radius > 0 ? Float(radius * radius * (1 - 1e-6)).nextDown : -1
  }

  /// Says that nothing is known of the boundaries around the last fix.
  mutating func invalidate() { safeRadius2 = -1 }

  /// Says that nothing is known of the device between its last fix, or an earlier time, and a fix that is to
  /// come at `next`.
  ///
  /// The fixes after that earlier time were wrong. What was decided at them stands, and began then at the
  /// latest.
  ///
  /// - Parameter delay: The loitering delay, microseconds; nil without dwell events.
  mutating func breakTrack(since: Int64, before next: Int64, delay: Int64?) {
    guard isSeen else { return }
    if since < time || time >= next {
      time = min(since, time, next == .min ? next : next - 1)
      let (due, overflow) = time.addingReportingOverflow(delay ?? 0)
      if delay != nil, !overflow {
        for i in 0..<Int(occupiedCount) where self.due(at: i) != .max {
          setDue(min(self.due(at: i), due), at: i)
        }
        if nextDue != .min { nextDue = min(nextDue, due) }
      }
    }
    safeRadius2 = Self.broken
  }

  /// Says that regions have come whose boundaries no scan has examined.
  mutating func forgetAnchor() {
    anchorLatitude = .nan
    invalidate()
  }

  /// An upper bound of the square of the distance from the anchor, where it is less than ``safeRadius2``.
  @inline(__always)
  func moved2(to coordinate: Coordinate) -> Double {
    let north = WGS84.longestDegree * (coordinate.latitude - anchorLatitude)
    let east = Double(metersPerDegree) * (coordinate.longitude - anchorLongitude)
    return north * north + east * east
  }

  // MARK: Skipping fixes

  // The quick test: a fix before which nothing can have happened. The safe disc around the anchor holds no
  // boundary, and both this fix and the last one lie in it. The shortest path between two points of the disc
  // stays within it: discs below 9985 km are strongly convex (``CircleTarget``), and this one is no larger
  // than 56 km. So no boundary was crossed. A coordinate that passes the test is valid: it is finite, and the
  // disc ends at the poles.

  /// Makes a fix the last one if nothing can have happened before it.
  ///
  /// - Parameter usesDisc: Whether no boundary may lie within the fix's accuracy either: (m + a)² <= 2 (m² +
  ///   a²).
  /// - Returns: Whether the fix was skipped; nothing has changed otherwise.
  @inline(__always)
  mutating func skipIfUnaffected(_ fix: Fix, usesDisc: Bool) -> Bool {
    let time = fix.time.microseconds
    var moved2 = moved2(to: fix.coordinate)
    if usesDisc { moved2 = 2 * (moved2 + fix.horizontalAccuracy * fix.horizontalAccuracy) }
    guard moved2 < Double(safeRadius2), fix.horizontalAccuracy >= 0, time > self.time,
      time < nextDue
    else { return false }
    move(to: fix.coordinate, at: time)
    return true
  }

  /// Skips fixes for as long as nothing can have happened before them.
  ///
  /// - Returns: The number of fixes skipped.
  @inline(__always)
  mutating func skipUnaffected(_ fixes: Span<Fix>, from start: Int, usesDisc: Bool) -> Int {
    let (latitude0, longitude0) = (anchorLatitude, anchorLongitude)
    let (north, east) = (WGS84.longestDegree, Double(metersPerDegree))
    let limit = Double(safeRadius2)
    let due = nextDue
    var last = time
    var i = start
    // SAFETY: memory is prefetched from there on, never read; prefetching beyond the end does no harm.
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
      if usesDisc { moved2 = 2 * (moved2 + fix.horizontalAccuracy * fix.horizontalAccuracy) }
      guard moved2 < limit, fix.horizontalAccuracy >= 0, time > last, time < due else { break }
      last = time
      i += 1
    }
    if i > start { move(to: fixes[i - 1].coordinate, at: last) }
    return i - start
  }

  // MARK: Occupied regions

  /// The ordinals of occupied regions, ascending.
  var occupied: [Int] { (0..<Int(occupiedCount)).map { Int(ordinal(at: $0)) } }

  @inline(__always)
  func ordinal(at i: Int) -> UInt32 {
    assert(i >= 0 && i < occupiedCount)
    // SAFETY: `i` is below the count, so there is a block and it is that long.
    return unsafe block.unsafelyUnwrapped.load(fromByteOffset: 4 * i, as: UInt32.self)
  }

  /// When the delay of the region at `i` ends; `max` when that has been reported. With dwell events only.
  @inline(__always)
  func due(at i: Int) -> Int64 {
    assert(i >= 0 && i < occupiedCount)
    return unsafe block.unsafelyUnwrapped.load(
      fromByteOffset: 4 * Int(capacity) + 8 * i, as: Int64.self)
  }

  @inline(__always)
  mutating func setDue(_ due: Int64, at i: Int) {
    assert(i >= 0 && i < occupiedCount)
    unsafe block.unsafelyUnwrapped.storeBytes(
      of: due, toByteOffset: 4 * Int(capacity) + 8 * i, as: Int64.self)
  }

  /// The position of the first ordinal not below `ordinal`.
  @inline(__always)
  func lowerBound(of ordinal: UInt32) -> Int {
    var low = 0
    var high = Int(occupiedCount)
    while high - low > 16 {
      let middle = (low + high) / 2
      if self.ordinal(at: middle) < ordinal { low = middle + 1 } else { high = middle }
    }
    // Few are counted: no branch that the processor cannot predict.
    var position = low
    for i in low..<high { position += self.ordinal(at: i) < ordinal ? 1 : 0 }
    return position
  }

  @inline(__always)
  func occupies(_ ordinal: UInt32) -> Bool {
    let i = lowerBound(of: ordinal)
    return i < occupiedCount && self.ordinal(at: i) == ordinal
  }

  /// Adds a region that is not occupied.
  ///
  /// - Parameter due: When its delay ends; nil without dwell events, for all regions alike.
  mutating func insert(_ ordinal: UInt32, due: Int64?) {
    let i = lowerBound(of: ordinal)
    if occupiedCount == capacity { reserve(nextCapacity, hasDues: due != nil) }
    let count = Int(occupiedCount)
    let base = unsafe block.unsafelyUnwrapped
    unsafe (base + 4 * i + 4).copyMemory(from: base + 4 * i, byteCount: 4 * (count - i))
    unsafe base.storeBytes(of: ordinal, toByteOffset: 4 * i, as: UInt32.self)
    occupiedCount += 1
    guard let due else { return }
    let dues = unsafe base + 4 * Int(capacity)
    unsafe (dues + 8 * i + 8).copyMemory(from: dues + 8 * i, byteCount: 8 * (count - i))
    unsafe dues.storeBytes(of: due, toByteOffset: 8 * i, as: Int64.self)
  }

  mutating func remove(at i: Int, hasDues: Bool) {
    assert(i >= 0 && i < occupiedCount)
    let rest = Int(occupiedCount) - i - 1
    let base = unsafe block.unsafelyUnwrapped
    unsafe (base + 4 * i).copyMemory(from: base + 4 * i + 4, byteCount: 4 * rest)
    if hasDues {
      let dues = unsafe base + 4 * Int(capacity)
      unsafe (dues + 8 * i).copyMemory(from: dues + 8 * i + 8, byteCount: 8 * rest)
    }
    occupiedCount -= 1
  }

  /// Removes all regions; their room is kept.
  mutating func removeAll() { occupiedCount = 0 }

  /// Room for four more regions; with thousands of them an eighth.
  private var nextCapacity: Int { Int(capacity) + (capacity < 4096 ? 4 : Int(capacity) / 8) }

  /// Makes room for `count` regions.
  mutating func reserve(_ count: Int, hasDues: Bool) {
    let old = Int(capacity)
    guard count > old else { return }
    move(toCapacity: (count + 3) / 4 * 4, watches: Int(watchCount), hasDues: hasDues)
  }

  /// Moves the contents to a block of another size, with room for no fewer regions and watches than there
  /// are.
  private mutating func move(toCapacity new: Int, watches: Int, hasDues: Bool) {
    let old = Int(capacity)
    let room = Self.watchCapacity(watches)
    let oldRoom = Self.watchCapacity(Int(watchCount))
    let size = Self.blockSize(new, hasDues) + 12 * room
    let fresh = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
    if let block = unsafe block {
      let count = Int(occupiedCount)
      unsafe fresh.copyMemory(from: block, byteCount: 4 * count)
      if hasDues { unsafe (fresh + 4 * new).copyMemory(from: block + 4 * old, byteCount: 8 * count) }
      let kept = min(watches, Int(watchCount))
      let from = unsafe block + Self.blockSize(old, hasDues)
      let to = unsafe fresh + Self.blockSize(new, hasDues)
      unsafe to.copyMemory(from: from, byteCount: 4 * kept)
      unsafe (to + 4 * room).copyMemory(from: from + 4 * oldRoom, byteCount: 8 * kept)
      unsafe block.deallocate()
    }
    unsafe block = fresh
    capacity = UInt32(new)
  }

  private static func blockSize(_ capacity: Int, _ hasDues: Bool) -> Int {
    capacity * (hasDues ? 12 : 4)
  }

  /// Bytes of the block, with the eight that an allocator keeps for itself.
  func blockByteCount(hasDues: Bool) -> Int {
    let bytes = Self.blockSize(Int(capacity), hasDues) + 12 * Self.watchCapacity(Int(watchCount))
    return bytes == 0 ? 0 : bytes + 8
  }

  // MARK: Watched regions

  /// Room for watches: none, four, eight and so on.
  private static func watchCapacity(_ count: Int) -> Int {
    var room = count > 0 ? 4 : 0
    while room < count { room *= 2 }
    return room
  }

  /// A watched region, in the order of ordinals.
  @inline(__always)
  func watch(at i: Int, hasDues: Bool) -> WatchedRegion {
    assert(i >= 0 && i < watchCount)
    // SAFETY: `i` is below the count, so there is a block and it is that long.
    let base = unsafe block.unsafelyUnwrapped + Self.blockSize(Int(capacity), hasDues)
    let room = Self.watchCapacity(Int(watchCount))
    return WatchedRegion(
      ordinal: unsafe base.load(fromByteOffset: 4 * i, as: UInt32.self),
      since: unsafe base.load(fromByteOffset: 4 * room + 8 * i, as: Int64.self))
  }

  /// Replaces the watched regions by others, in the order of ordinals.
  mutating func setWatches(_ watches: [WatchedRegion], hasDues: Bool) {
    if watches.isEmpty, watchCount == 0 { return }
    if Self.watchCapacity(watches.count) != Self.watchCapacity(Int(watchCount)) {
      move(toCapacity: Int(capacity), watches: watches.count, hasDues: hasDues)
    }
    watchCount = UInt32(watches.count)
    guard !watches.isEmpty else { return }
    let base = unsafe block.unsafelyUnwrapped + Self.blockSize(Int(capacity), hasDues)
    let room = Self.watchCapacity(watches.count)
    for i in watches.indices {
      unsafe base.storeBytes(of: watches[i].ordinal, toByteOffset: 4 * i, as: UInt32.self)
      unsafe base.storeBytes(of: watches[i].since, toByteOffset: 4 * room + 8 * i, as: Int64.self)
    }
  }
}
