import Foundation
import VicinityGeodesy
import VicinityPolygon
import VicinityTestSupport

/// Random polygons that planes distort, many with edges some metres from a fault.
struct GeodesicPolygonSamples {
  enum Family: CaseIterable {
    /// Within 20 km of a pole.
    case polar
    /// Edges of 15 to 1,000 km anywhere, a hole near one.
    case longEdges
    /// Rings metres wide and up to 1,000 km long.
    case slivers
    /// Two parts that nearly touch.
    case parts
    /// Any of these across the antimeridian, or around a pole with edges of up to 1,000 km.
    case antimeridian, aroundPole
    /// Edges of up to 12,000 km.
    case wide
  }

  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func next(_ family: Family) -> [Polygon.Part] {
    switch family {
    case .polar:
      let pole = Coordinate(latitude: random.below(2) == 0 ? 90 : -90, longitude: 0)
      let center = moved(pole, random.uniform(-180...180), random.uniform(0...15_000))
      return withHole(star(center, 500...5000, spread: 4))
    case .longEdges: return withHole(star(anywhere(), 10_000...500_000, spread: 1.5))
    case .slivers: return [.init(exterior: sliver(anywhere()))]
    case .parts: return twoParts(star(anywhere(), 10_000...500_000, spread: 1.5))
    case .antimeridian:
      var center = anywhere()
      center.longitude = 180 + random.uniform(-0.2...0.2)
      switch random.below(3) {
      case 0: return withHole(star(center, 10_000...500_000, spread: 1.5))
      case 1: return [.init(exterior: sliver(center))]
      default: return twoParts(star(center, 10_000...500_000, spread: 1.5))
      }
    case .aroundPole:
      let pole = Coordinate(latitude: random.below(2) == 0 ? 90 : -90, longitude: 0)
      let center = moved(pole, random.uniform(-180...180), random.uniform(0...100_000))
      let ring = star(center, 20_000...600_000, spread: 1.5)
      return random.below(2) == 0 ? withHole(ring) : twoParts(ring)
    case .wide:
      let ring = star(anywhere(), 1_000_000...4_500_000, spread: 1.5)
      return random.below(2) == 0 ? withHole(ring) : twoParts(ring)
    }
  }

  /// A ring of up to 60 vertices with up to four holes, which may touch it, and each other, in vertices.
  ///
  /// From 100 m to 500 km, as often as not within three times its own size of a pole.
  mutating func nextOfManyVertices() -> [Polygon.Part] {
    let radius = size(100...250_000)
    var center = anywhere()
    if random.below(2) == 0 {
      let pole = Coordinate(latitude: center.latitude < 0 ? -90 : 90, longitude: 0)
      center = moved(pole, random.uniform(-180...180), radius * random.uniform(0...6))
    }
    let count = 6 + random.below(55)
    let exterior = (0..<count).map { i in
      moved(center, 360 * Double(i) / Double(count), radius * random.uniform(1...2))
    }
    var holes: [[Coordinate]] = []
    var middle = center
    for _ in 0..<random.below(5) {
      // Some of them within the last one, some outside.
      let isNested = !holes.isEmpty && random.below(8) == 0
      if !isNested {
        middle = moved(
          center, random.uniform(0...360), radius * random.uniform(0...0.7) * (random.below(8) == 0 ? 4 : 1))
      }
      let corners = 3 + random.below(4)
      var hole = (0..<corners).map { i in
        moved(
          middle, 360 * Double(i) / Double(corners),
          radius * random.uniform(0.05...0.2) * (isNested ? 0.1 : 1))
      }
      if random.below(4) == 0 { hole[0] = exterior[random.below(count)] }
      if random.below(12) == 0 { hole[2] = exterior[random.below(count)] }
      if random.below(4) == 0, !isNested, let other = holes.last {
        hole[1] = other[random.below(other.count)]
      }
      holes.append(hole)
    }
    return [.init(exterior: exterior, holes: holes)]
  }

  private mutating func anywhere() -> Coordinate {
    Coordinate(latitude: random.uniform(-89.9...89.9), longitude: random.uniform(-180...180))
  }

  private func moved(_ c: Coordinate, _ azimuth: Double, _ distance: Double) -> Coordinate {
    PROJ.Line(from: c, azimuth: azimuth).place(distance).coordinate
  }

  /// A size, all magnitudes alike.
  private mutating func size(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound * Foundation.pow(range.upperBound / range.lowerBound, random.unit())
  }

  /// A clockwise ring around `center`; sometimes its vertices are exchanged, so that it crosses itself.
  private mutating func star(_ center: Coordinate, _ sizes: ClosedRange<Double>, spread: Double)
    -> [Coordinate]
  {
    let radius = size(sizes)
    let count = 3 + random.below(5)
    let start = random.uniform(0...360)
    var ring = (0..<count).map { i in
      moved(
        center, start + 360 * (Double(i) + random.uniform(-0.3...0.3)) / Double(count),
        radius * random.uniform(1...spread))
    }
    if random.below(6) == 0 { ring.swapAt(random.below(count), random.below(count)) }
    return ring
  }

  /// A place on an edge of the ring, and which way the edge runs there.
  private mutating func place(on ring: [Coordinate]) -> (place: Coordinate, azimuth: Double, length: Double) {
    let i = random.below(ring.count)
    let path = PROJ.path(ring[i], ring[(i + 1) % ring.count])
    let (place, azimuth) = PROJ.Line(from: ring[i], azimuth: path.azimuth1)
      .place(path.distance * random.uniform(0.05...0.95))
    return (place, azimuth, path.distance)
  }

  /// A triangle with a corner half a metre to 10 m from an edge, on either side, and the others on the
  /// `side`.
  private mutating func triangle(near ring: [Coordinate], side: Double) -> [Coordinate] {
    let (place, azimuth, length) = place(on: ring)
    let offset = size(0.03...10) * (random.below(2) == 0 ? 1 : -1)
    let reach = size(20...max(30, length * 0.2))
    return [
      moved(place, azimuth + 90, offset), moved(place, azimuth + side * random.uniform(20...80), reach),
      moved(place, azimuth + side * random.uniform(100...160), reach),
    ]
  }

  private mutating func withHole(_ ring: [Coordinate]) -> [Polygon.Part] {
    let holes = random.below(5) == 0 ? [] : [triangle(near: ring, side: 1)]
    return [.init(exterior: ring, holes: holes)]
  }

  private mutating func twoParts(_ ring: [Coordinate]) -> [Polygon.Part] {
    [.init(exterior: ring), .init(exterior: triangle(near: ring, side: -1))]
  }

  /// An edge and one or two vertices metres beside it.
  private mutating func sliver(_ start: Coordinate) -> [Coordinate] {
    let azimuth = random.uniform(-180...180)
    let length = size(15_000...1_000_000)
    let line = PROJ.Line(from: start, azimuth: azimuth)
    func beside(_ share: Double, _ offset: Double) -> Coordinate {
      let (place, azimuth) = line.place(length * share)
      return moved(place, azimuth + 90, offset)
    }
    func offset(_ random: inout SplitMix64) -> Double {
      random.uniform(0.5...10) * (random.below(3) == 0 ? -1 : 1)
    }
    let end = line.place(length).coordinate
    let first = beside(random.uniform(0.6...0.9), offset(&random))
    let second = beside(random.uniform(0.1...0.4), offset(&random))
    return random.below(3) == 0 ? [start, end, first] : [start, end, first, second]
  }
}
