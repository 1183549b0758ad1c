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
struct Workbench: ~Copyable {
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
  var near = NearbyCircles()
  var polygon = PolygonTarget()
  var events: [Event] = []
  /// Under the rules that decide at fixes: the regions to be watched from now on, the ordinals of those that have been
  /// looked at, and of those that were occupied; the last two ascending.
  var watches: [Watch] = []
  var looked: [UInt32] = []
  var occupied: [UInt32] = []
  /// How much room polygons have inwards, metres, once it has been asked for.
  var rooms: [UInt32: Double] = [:]
  /// Where the last leg ended, most likely where the next begins.
  var place = Place(Coordinate(latitude: 0, longitude: 0))

  init() {}

  /// The place of a coordinate, if possible without computing it anew.
  @inline(__always)
  func place(of coordinate: Coordinate) -> Place {
    place.coordinate.latitude == coordinate.latitude && place.coordinate.longitude == coordinate.longitude
      ? place : Place(coordinate)
  }

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
