import Foundation
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPlanner
import VicinityPolygon

/// Circles in columns, for the peers and for ours.
struct Circles {
  var latitudes: [Double] = []
  var longitudes: [Double] = []
  var radii: [Double] = []

  var count: Int { radii.count }

  func center(_ i: Int) -> Coordinate {
    Coordinate(latitude: latitudes[i], longitude: longitudes[i])
  }

  mutating func append(_ center: Coordinate, radius: Meters) {
    latitudes.append(center.latitude)
    longitudes.append(center.longitude)
    radii.append(radius)
  }
}

/// Positions to ask about, for the peers and for ours.
struct Queries {
  var coordinates: [Coordinate]
  var latitudes: [Double]
  var longitudes: [Double]

  var count: Int { coordinates.count }

  init(_ coordinates: [Coordinate]) {
    self.coordinates = coordinates
    latitudes = coordinates.map(\.latitude)
    longitudes = coordinates.map(\.longitude)
  }
}

/// Every input is made here, from real places and one seed.
///
/// - Circles: up to as many as there are places, a sample of the places themselves, without repeats;
///   beyond, all places and then copies of random ones moved by ``spread`` (standard deviation, each
///   axis). Radii are log-uniform in 50-2000 m.
/// - Near: a random circle's centre moved by ``spread``, in random order.
/// - Track: 1 Hz at 15 m/s, the course a random walk of 3 degrees a fix, turned back after 15 km; an eighth
///   of it in each of the eight densest quarter degrees.
/// - Uniform: uniform on the sphere. Ocean: the same, 500 km and more from every place.
/// - Dense city: 10 000 circles uniform in a disc 20 km across, radii log-uniform in 50-500 m; queries
///   uniform in the disc.
struct Inputs {
  static let spread: Meters = 5000
  static let speed: Meters = 15
  static let oceanDistance: Meters = 500_000

  var places: Places
  var seed: UInt64

  private func generator(_ salt: UInt64) -> SplitMix64 { SplitMix64(seed: seed &* 1000 &+ salt) }

  func circles(_ n: Int) -> Circles {
    var random = generator(1)
    let order = places.coordinates.shuffled(using: &random)
    var circles = Circles()
    for i in 0..<n {
      let center =
        i < order.count
        ? order[i]
        : Self.moved(order[random.index(below: order.count)], by: Self.spread, using: &random)
      circles.append(center, radius: Self.radius(50, 2000, using: &random))
    }
    return circles
  }

  func near(_ circles: Circles, count: Int) -> Queries {
    var random = generator(2)
    return Queries(
      (0..<count).map { _ in
        Self.moved(
          circles.center(random.index(below: circles.count)), by: Self.spread, using: &random)
      })
  }

  /// The same positions in an order of chance.
  func shuffled(_ queries: Queries) -> Queries {
    var random = generator(9)
    return Queries(queries.coordinates.shuffled(using: &random))
  }

  func uniform(count: Int) -> Queries {
    var random = generator(3)
    return Queries((0..<count).map { _ in Self.uniformPosition(using: &random) })
  }

  func ocean(count: Int) -> Queries {
    var random = generator(4)
    // One place for each twentieth of a degree is off by 8 km at most; the margin is more.
    let cells = Set(
      places.coordinates.map {
        Coordinate(
          latitude: ($0.latitude * 20).rounded() / 20, longitude: ($0.longitude * 20).rounded() / 20)
      })
    let points = cells.compactMap { try? ECEF($0) }
    var positions: [Coordinate] = []
    while positions.count < count {
      let position = Self.uniformPosition(using: &random)
      guard let p = try? ECEF(position) else { continue }
      if points.allSatisfy({ $0.chord(to: p) > Self.oceanDistance + 20_000 }) {
        positions.append(position)
      }
    }
    return Queries(positions)
  }

  func track(count: Int) -> Queries {
    var random = generator(5)
    var positions: [Coordinate] = []
    let centers = densestPlaces(8)
    for (leg, center) in centers.enumerated() {
      var position = center
      var course = 360 * random.unit()
      while positions.count < count * (leg + 1) / centers.count {
        positions.append(position)
        course += 3 * random.gaussian()
        if let home = try? Geodesic.inverse(from: position, to: center), home.distance > 15_000 {
          course = home.azimuth1 + 60 * random.gaussian()
        }
        if let next = try? Geodesic.direct(from: position, azimuth: course, distance: Self.speed) {
          position = next.coordinate
        }
      }
    }
    return Queries(positions)
  }

  func denseCity(queries count: Int) -> (Circles, Queries) {
    var random = generator(6)
    let center = densestPlaces(1)[0]
    func position() -> Coordinate {
      let distance = 10_000 * random.unit().squareRoot()
      return (try? Geodesic.direct(from: center, azimuth: 360 * random.unit(), distance: distance))?
        .coordinate ?? center
    }
    var circles = Circles()
    for _ in 0..<10_000 {
      circles.append(position(), radius: Self.radius(50, 500, using: &random))
    }
    return (circles, Queries((0..<count).map { _ in position() }))
  }

  /// Positions `step` apart, each leg in a random direction.
  func walk(step: Meters, count: Int) -> Queries {
    var random = generator(9)
    var position = Coordinate(latitude: 48.2, longitude: 16.37)
    var positions = [position]
    while positions.count < count {
      let azimuth = 360 * random.unit()
      if let next = try? Geodesic.direct(from: position, azimuth: azimuth, distance: step) {
        position = next.coordinate
      }
      positions.append(position)
    }
    return Queries(positions)
  }

  /// A place in each of the `count` quarter degrees that hold the most.
  func densestPlaces(_ count: Int) -> [Coordinate] {
    struct Cell: Hashable {
      var row: Int
      var column: Int
    }
    var cells: [Cell: (count: Int, first: Int)] = [:]
    for (i, place) in places.coordinates.enumerated() {
      let cell = Cell(
        row: Int((place.latitude * 4).rounded(.down)), column: Int((place.longitude * 4).rounded(.down)))
      cells[cell, default: (0, i)].count += 1
    }
    let densest = cells.values.sorted { ($0.count, $1.first) > ($1.count, $0.first) }
    return densest.prefix(count).map { places.coordinates[$0.first] }
  }

  static func radius(_ low: Meters, _ high: Meters, using random: inout SplitMix64) -> Meters {
    low * pow(high / low, random.unit())
  }

  /// `place`, moved along both axes by normal offsets of standard deviation `spread`.
  static func moved(
    _ place: Coordinate, by spread: Meters, using random: inout SplitMix64
  ) -> Coordinate {
    let north = spread * random.gaussian()
    let east = spread * random.gaussian()
    let azimuth = atan2(east, north) * 180 / .pi
    let moved = try? Geodesic.direct(
      from: place, azimuth: azimuth, distance: (north * north + east * east).squareRoot())
    return moved?.coordinate ?? place
  }

  static func uniformPosition(using random: inout SplitMix64) -> Coordinate {
    let latitude = asin(2 * random.unit() - 1) * 180 / .pi
    return Coordinate(latitude: latitude, longitude: 360 * random.unit() - 180)
  }
}
