internal import CVicinityKernels
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityPolygon

/// The working memory of an engine, kept from fix to fix so that it need not be allocated again.
@safe struct DetectorScratch: ~Copyable {
  /// A crossing or a dwell event on a leg.
  struct Event {
    /// The share of the leg before it, 0...1.
    var fraction: Double
    var region: UInt32
    var kind: Crossing.Kind
    /// The number in the order of finding, which for one region is the order of time.
    var number: UInt32
    /// The time, microseconds.
    var time: Int64
    var coordinate: Coordinate
  }

  var query = QueryScratch()
  var found: [Neighbor] = []
  /// Ordinals of the regions that contain a position, ascending; and the ends of their delays.
  var containing: [UInt32] = []
  var dues: [Int64] = []
  var near: [NearbyCircle] = []
  var polygon = PolygonTarget()
  var events: [Event] = []
  /// Who is inside at the first fix that shows it, which is no entry; as far as that is asked for. In the
  /// order of time, and taken by whoever asks.
  var beginnings: [Crossing] = []
  var recordsBeginnings = false
  /// Under the rules that decide at fixes: the regions to watch from now on, the ordinals of the regions that
  /// have been examined, and the ordinals of occupied regions; the last two ascending.
  var watches: [WatchedRegion] = []
  var scanned: [UInt32] = []
  var occupied: [UInt32] = []
  /// The inradii of polygons, metres, as far as they have been needed.
  var rooms: [UInt32: Double] = [:]
  /// Where the last leg ended: most likely where the next begins.
  var lastPosition = Position(Coordinate(latitude: 0, longitude: 0))

  /// The result of following a device; the candidates in the kernel's layout, and a single one; and the
  /// ellipsoid's figures.
  let followState: UnsafeMutablePointer<vk_follow_state>
  private let candidateColumns: UnsafeMutablePointer<vk_circle_intersections>
  private let single: UnsafeMutablePointer<vk_circle_intersections>
  private let ellipsoid: UnsafeMutablePointer<vk_ellipsoid>

  init() {
    unsafe followState = .allocate(capacity: 1)
    unsafe candidateColumns = .allocate(capacity: 1)
    unsafe single = .allocate(capacity: 1)
    unsafe ellipsoid = .allocate(capacity: 1)
    // SAFETY: the memory has just been allocated; structures of numbers may be all zeros.
    unsafe followState.initialize(to: vk_follow_state())
    unsafe candidateColumns.initialize(to: vk_circle_intersections())
    unsafe single.initialize(to: vk_circle_intersections())
    unsafe ellipsoid.initialize(
      to: vk_ellipsoid(
        a: WGS84.a, e2: WGS84.e2, flattening: 1 / (24 * WGS84.a * WGS84.b),
        series: KernelConstants.chordSeries))
  }

  deinit {
    unsafe followState.deallocate()
    unsafe candidateColumns.deallocate()
    unsafe single.deallocate()
    unsafe ellipsoid.deallocate()
  }

  /// A leg, and a circle that it may cross.
  struct Candidate {
    var circle: NearbyCircle
    var leg: CrossingEngine.Leg
  }
  /// How many candidates are solved at once.
  static let candidateRoom = Int(VK_INTERSECTIONS_ROOM)
  /// The candidates to be solved, in order.
  private(set) var candidates = Buffer<Candidate>(capacity: candidateRoom)
  var candidateCount = 0
  /// The leg whose candidates were solved last, while its events are not reported.
  var leg: CrossingEngine.Leg?

  /// Adds a candidate; there must be room for it.
  @inline(__always)
  mutating func add(_ circle: NearbyCircle, _ leg: CrossingEngine.Leg) {
    precondition(candidateCount < Self.candidateRoom)
    unsafe candidates.base[candidateCount] = Candidate(circle: circle, leg: leg)
    // SAFETY: the structure has room for this many.
    unsafe vk_set_intersection(
      candidateColumns, Int32(candidateCount), leg.start.latitude, leg.start.longitude, leg.end.latitude,
      leg.end.longitude, circle.center.latitude, circle.center.longitude, circle.radius)
    candidateCount += 1
  }

  /// Finds where the candidates' legs cross their circles' boundaries.
  ///
  /// - Returns: The bits of the candidates that are solved, and of those that leave their circle.
  @inline(__always)
  func solve() -> (solved: UInt32, leaving: UInt32) {
    // SAFETY: this many candidates have been put.
    let solved = unsafe vk_intersect(ellipsoid, candidateColumns, Int32(candidateCount))
    return (solved, unsafe candidateColumns.pointee.leaving)
  }

  @inline(__always)
  func crossing(_ i: Int) -> vk_crossing {
    precondition(i < Self.candidateRoom)
    return unsafe vk_crossing_at(candidateColumns, Int32(i))
  }

  /// Where a path crosses a circle's boundary once; nil where the kernel cannot tell.
  func crossing(from start: Coordinate, to end: Coordinate, _ circle: NearbyCircle, leaving: Bool)
    -> vk_crossing?
  {
    // SAFETY: the structure has room for one.
    unsafe vk_set_intersection(
      single, 0, start.latitude, start.longitude, end.latitude, end.longitude, circle.center.latitude,
      circle.center.longitude, circle.radius)
    let isSolved = unsafe vk_intersect(ellipsoid, single, 1) != 0
    return unsafe isSolved && (single.pointee.leaving & 1 != 0) == leaving ? vk_crossing_at(single, 0) : nil
  }

  /// The position of a coordinate, if possible without computing it anew.
  @inline(__always)
  func position(of coordinate: Coordinate) -> Position {
    lastPosition.coordinate.latitude == coordinate.latitude
      && lastPosition.coordinate.longitude == coordinate.longitude ? lastPosition : Position(coordinate)
  }

  /// Removes all events; most often there are none, or few.
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

  /// Notes that a device is inside at the first fix that shows it.
  mutating func addBeginning(_ region: UInt32, _ coordinate: Coordinate, time: Int64) {
    guard recordsBeginnings else { return }
    beginnings.append(
      Crossing(
        region: Int(region), kind: .enter, time: Timestamp(microseconds: time), coordinate: coordinate))
  }

  /// Whether a region is one of the first `count` that have been examined.
  @inline(__always)
  func hasScanned(_ ordinal: UInt32, among count: Int) -> Bool {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if scanned[middle] < ordinal { low = middle + 1 } else { high = middle }
    }
    return low < count && scanned[low] == ordinal
  }

  mutating func sortEvents() {
    events.sort { a, b in
      if a.fraction != b.fraction { return a.fraction < b.fraction }
      if a.region != b.region { return a.region < b.region }
      return a.number < b.number
    }
  }
}
