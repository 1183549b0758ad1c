internal import CVicinityKernels
internal import VicinityGeodesy
internal import VicinityIndex

/// A position in both kinds of coordinates.
struct Place {
  let coordinate: Coordinate
  let ecef: ECEF

  @inline(__always)
  init(_ coordinate: Coordinate) {
    self.coordinate = coordinate
    ecef = ECEF(unchecked: coordinate)
  }
}

/// The working memory of an engine, kept from fix to fix so that a warm one allocates nothing.
@safe struct Workbench: ~Copyable {
  /// Something that happens on a leg.
  struct Event {
    /// How far along the leg, 0...1.
    var fraction: Double
    var region: UInt32
    var kind: Crossing.Kind
    /// The place in the order of finding: for one region, that of time.
    var number: UInt32
    /// Microseconds.
    var time: Int64
    var coordinate: Coordinate
  }

  var scratch = QueryScratch()
  var found: [Neighbor] = []
  /// Ordinals of the regions that contain a position, ascending; and when their delays end.
  var containing: [UInt32] = []
  var dues: [Int64] = []
  var near: [NearbyCircle] = []
  var polygon = PolygonTarget()
  var events: [Event] = []
  /// Under the rules that decide at fixes: the regions to be watched from now on, the ordinals of those that have been
  /// looked at, and of those that were occupied; the last two ascending.
  var watches: [WatchedRegion] = []
  var looked: [UInt32] = []
  var occupied: [UInt32] = []
  /// How much room polygons have inwards, metres, once it has been asked for.
  var rooms: [UInt32: Double] = [:]
  /// Where the last leg ended, most likely where the next begins.
  var place = Place(Coordinate(latitude: 0, longitude: 0))

  /// What following a device has found; the meetings as the kernel has them, and a single one; and what it needs of the
  /// ellipsoid.
  let course: UnsafeMutablePointer<vk_follow_state>
  private let meetingColumns: UnsafeMutablePointer<vk_circle_intersections>
  private let single: UnsafeMutablePointer<vk_circle_intersections>
  private let ellipsoid: UnsafeMutablePointer<vk_ellipsoid>

  init() {
    unsafe course = .allocate(capacity: 1)
    unsafe meetingColumns = .allocate(capacity: 1)
    unsafe single = .allocate(capacity: 1)
    unsafe ellipsoid = .allocate(capacity: 1)
    // SAFETY: the memory has just been allocated; structures of numbers may be all zeros.
    unsafe course.initialize(to: vk_follow_state())
    unsafe meetingColumns.initialize(to: vk_circle_intersections())
    unsafe single.initialize(to: vk_circle_intersections())
    unsafe ellipsoid.initialize(
      to: vk_ellipsoid(
        a: WGS84.a, e2: WGS84.e2, flattening: 1 / (24 * WGS84.a * WGS84.b), series: vk_chord_series.wgs84))
  }

  deinit {
    unsafe course.deallocate()
    unsafe meetingColumns.deallocate()
    unsafe single.deallocate()
    unsafe ellipsoid.deallocate()
  }

  /// A leg, and a circle whose boundary may be met on it.
  struct Meeting {
    var circle = NearbyCircle(ordinal: 0, center: Coordinate(latitude: 0, longitude: 0), radius: 0)
    var leg = CrossingEngine.Leg(
      start: Coordinate(latitude: 0, longitude: 0), end: Coordinate(latitude: 0, longitude: 0), startTime: 0,
      endTime: 0, isGap: false)
  }
  /// How many are gone into at once.
  static let meetingRoom = Int(VK_INTERSECTIONS_ROOM)
  /// Those still to be gone into, in order.
  private(set) var meetings = InlineArray<8, Meeting>(repeating: Meeting())
  var meetingCount = 0
  /// The leg that was gone into last, while its events are not reported.
  var leg: CrossingEngine.Leg?

  /// Puts a circle and a leg among the meetings; there has to be room.
  @inline(__always)
  mutating func add(_ circle: NearbyCircle, _ leg: CrossingEngine.Leg) {
    precondition(meetingCount < Self.meetingRoom)
    meetings[meetingCount] = Meeting(circle: circle, leg: leg)
    // SAFETY: the structure has room for as many.
    unsafe vk_set_intersection(
      meetingColumns, Int32(meetingCount), leg.start.latitude, leg.start.longitude, leg.end.latitude,
      leg.end.longitude, circle.center.latitude, circle.center.longitude, circle.radius)
    meetingCount += 1
  }

  /// Finds where the meetings' legs cross their circles' boundaries.
  ///
  /// - Returns: The bits of those for which it is settled, and of those that leave.
  @inline(__always)
  func settle() -> (settled: UInt32, leaving: UInt32) {
    // SAFETY: so many have been put.
    let settled = unsafe vk_intersect(ellipsoid, meetingColumns, Int32(meetingCount))
    return (settled, unsafe meetingColumns.pointee.leaving)
  }

  /// What has been found of one of them.
  @inline(__always)
  func crossing(_ i: Int) -> vk_crossing {
    precondition(i < Self.meetingRoom)
    return unsafe vk_crossing_at(meetingColumns, Int32(i))
  }

  /// Where a way crosses a circle's boundary once; nil where that has to be found with more care.
  func crossing(from start: Coordinate, to end: Coordinate, _ circle: NearbyCircle, leaving: Bool)
    -> vk_crossing?
  {
    // SAFETY: the structure has room for one.
    unsafe vk_set_intersection(
      single, 0, start.latitude, start.longitude, end.latitude, end.longitude, circle.center.latitude,
      circle.center.longitude, circle.radius)
    let isSettled = unsafe vk_intersect(ellipsoid, single, 1) != 0
    return unsafe isSettled && (single.pointee.leaving & 1 != 0) == leaving ? vk_crossing_at(single, 0) : nil
  }

  /// The place of a coordinate, if possible without computing it anew.
  @inline(__always)
  func place(of coordinate: Coordinate) -> Place {
    place.coordinate.latitude == coordinate.latitude && place.coordinate.longitude == coordinate.longitude
      ? place : Place(coordinate)
  }

  /// Forgets events, which most often there are none of, or few.
  @inline(__always)
  mutating func forgetEvents() { while !events.isEmpty { events.removeLast() } }

  mutating func add(
    _ fraction: Double, _ region: UInt32, _ kind: Crossing.Kind, _ coordinate: Coordinate, time: Int64 = 0
  ) {
    events.append(
      Event(
        fraction: fraction, region: region, kind: kind, number: UInt32(truncatingIfNeeded: events.count),
        time: time, coordinate: coordinate))
  }

  /// Whether an ordinal is one of the first `count`, ascending ones that have been looked at.
  @inline(__always)
  func hasLooked(at ordinal: UInt32, among count: Int) -> Bool {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if looked[middle] < ordinal { low = middle + 1 } else { high = middle }
    }
    return low < count && looked[low] == ordinal
  }

  mutating func sortEvents() {
    events.sort { a, b in
      if a.fraction != b.fraction { return a.fraction < b.fraction }
      if a.region != b.region { return a.region < b.region }
      return a.number < b.number
    }
  }
}
