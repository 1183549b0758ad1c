import Foundation
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPlanner
import VicinityPolygon

/// Tracks one after the other, for the peers and for ours.
struct Tracks {
  var fixes: [Fix] = []
  /// Where each track starts in `fixes`; one more for the end.
  var starts = [0]
  var latitudes: [Double] = []
  var longitudes: [Double] = []

  var count: Int { starts.count - 1 }

  func range(_ track: Int) -> Range<Int> { starts[track]..<starts[track + 1] }

  mutating func append(_ coordinate: Coordinate, at second: Int) {
    fixes.append(
      Fix(time: Timestamp(microseconds: Int64(second) * 1_000_000), coordinate: coordinate))
    latitudes.append(coordinate.latitude)
    longitudes.append(coordinate.longitude)
  }

  mutating func endTrack() { starts.append(fixes.count) }
}

/// A device that moves at 15 m/s, its course a random walk of 3 degrees times the root of the seconds.
///
/// Steps are taken on the tangent plane, off by less than 1 %: a track is what its fixes say. Coordinates are
/// rounded to seven decimals, as receivers and files have them, so that text and memory hold the same.
struct Traveller {
  /// The beginning of all tracks: 2023-11-14 22:13:20 UTC.
  static let start = 1_700_000_000

  private(set) var latitude: Double
  private(set) var longitude: Double
  private var course: Double
  private var random: SplitMix64
  /// Where to turn back to, and how far from there.
  private let home: (latitude: Double, longitude: Double, reach: Meters)?

  init(from place: Coordinate, turningBackAfter reach: Meters? = nil, seed: UInt64) {
    random = SplitMix64(seed: seed)
    latitude = place.latitude
    longitude = place.longitude
    course = 2 * .pi * random.unit()
    home = reach.map { (place.latitude, place.longitude, $0) }
  }

  /// Where the device is, 1e-7 degrees.
  var rounded: (latitude: Int, longitude: Int) {
    (Int((latitude * 1e7).rounded()), Int((longitude * 1e7).rounded()))
  }

  var coordinate: Coordinate {
    Coordinate(latitude: Double(rounded.latitude) / 1e7, longitude: Double(rounded.longitude) / 1e7)
  }

  mutating func move(seconds: Double) {
    course += 3 * .pi / 180 * seconds.squareRoot() * random.gaussian()
    let scale = 111_320 * max(cos(latitude * .pi / 180), 0.01)
    if let home {
      let north = 111_132 * (home.latitude - latitude)
      let east = scale * (home.longitude - longitude)
      if north * north + east * east > home.reach * home.reach {
        course = atan2(east, north) + random.gaussian()
      }
    }
    let step = Inputs.speed * seconds
    latitude += step * cos(course) / 111_132
    longitude += step * sin(course) / scale
    if abs(latitude) > 89 {
      latitude = latitude > 0 ? 89 : -89
      course += .pi
    }
    if abs(longitude) > 180 { longitude -= longitude > 0 ? 360 : -360 }
  }
}

extension Inputs {
  /// How a scenario's devices move.
  struct Journey {
    var seconds: Int
    var fixesPerTrack: Int
    /// How far from its origin a device turns back.
    var reach: Meters?

    /// Eighteen minutes, 16 km.
    static let shortTrips = Journey(seconds: 1, fixesPerTrack: 1080)
    /// The same, a fix every 10 s.
    static let shortTripsSparsely = Journey(seconds: 10, fixesPerTrack: 108)
  }

  /// Devices from each of `origins` in turn, moved by ``spread`` first unless they turn back.
  func travellers(
    _ count: Int, from origins: [Coordinate], turningBackAfter reach: Meters? = nil, salt: UInt64
  ) -> [Traveller] {
    var random = SplitMix64(seed: seed &* 1000 &+ salt)
    return (0..<count).map { i in
      let origin = origins[i % origins.count]
      let place = reach == nil ? Self.moved(origin, by: Self.spread, using: &random) : origin
      return Traveller(from: place, turningBackAfter: reach, seed: random.next())
    }
  }

  /// About `total` fixes of devices that move one after the other.
  func tracks(total: Int, _ journey: Journey, from origins: [Coordinate], salt: UInt64) -> Tracks {
    var tracks = Tracks()
    let count = max(1, total / journey.fixesPerTrack)
    for var traveller in travellers(count, from: origins, turningBackAfter: journey.reach, salt: salt) {
      for i in 0..<journey.fixesPerTrack {
        tracks.append(traveller.coordinate, at: Traveller.start + i * journey.seconds)
        traveller.move(seconds: Double(journey.seconds))
      }
      tracks.endTrack()
    }
    return tracks
  }

  /// `rounds` fixes of each device, a second apart: the first of all, the second of all, and so on.
  func interleaved(devices: Int, rounds: Int, from origins: [Coordinate]) -> [Fix] {
    var travellers = travellers(devices, from: origins, salt: 15)
    var fixes: [Fix] = []
    fixes.reserveCapacity(devices * rounds)
    for round in 0..<rounds {
      let time = Timestamp(microseconds: Int64(Traveller.start + round) * 1_000_000)
      for i in travellers.indices {
        fixes.append(Fix(time: time, coordinate: travellers[i].coordinate))
        travellers[i].move(seconds: 1)
      }
    }
    return fixes
  }

  /// Centres of random circles: where regions are, there is traffic.
  func origins(_ circles: Circles, count: Int) -> [Coordinate] {
    var random = SplitMix64(seed: seed &* 1000 &+ 10)
    return (0..<count).map { _ in circles.center(random.index(below: circles.count)) }
  }

  /// Places that have their quarter degree to themselves.
  func lonelyPlaces(_ count: Int) -> [Coordinate] {
    var random = SplitMix64(seed: seed &* 1000 &+ 11)
    let cells = Dictionary(grouping: places.coordinates) {
      [Int(($0.latitude * 4).rounded(.down)), Int(($0.longitude * 4).rounded(.down))]
    }
    let lonely = cells.values.filter { $0.count == 1 }.map { $0[0] }
      .sorted { ($0.latitude, $0.longitude) < ($1.latitude, $1.longitude) }
    return (0..<count).map { _ in lonely[random.index(below: lonely.count)] }
  }
}
