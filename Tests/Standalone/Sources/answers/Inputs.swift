import Vicinity

/// Knuth's generator of 64 bits (MMIX), for inputs that are the same everywhere.
struct Generator {
  var state: UInt64

  /// A number in 0 ..< 1.
  mutating func unit() -> Double {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Double(state >> 11) * 0x1p-53
  }

  mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + unit() * (range.upperBound - range.lowerBound)
  }
}

/// A coordinate to a millionth of a degree, so that two solvers, which may differ by 20 nm, make the same
/// inputs.
func rounded(_ coordinate: Coordinate) -> Coordinate {
  Coordinate(
    latitude: (coordinate.latitude * 1e6).rounded() / 1e6,
    longitude: (coordinate.longitude * 1e6).rounded() / 1e6)
}

/// Where the regions of a family lie.
struct Family {
  let name: String
  let latitudes: ClosedRange<Double>
  let longitudes: ClosedRange<Double>
  let radii: ClosedRange<Double>

  static let all = [
    Family(name: "uniform", latitudes: -90...90, longitudes: -180...180, radii: 0...100_000),
    Family(name: "city", latitudes: 48.1...48.3, longitudes: 16.2...16.5, radii: 50...500),
    Family(name: "polar", latitudes: 89...90, longitudes: -180...180, radii: 10...20_000),
    Family(name: "south-polar", latitudes: -90 ... -89.5, longitudes: -180...180, radii: 10...20_000),
    Family(name: "antimeridian", latitudes: -20...20, longitudes: 179...181, radii: 10...5000),
    Family(name: "points", latitudes: -60...60, longitudes: -180...180, radii: 0...0),
  ]

  func position(_ random: inout Generator) -> Coordinate {
    Coordinate(latitude: random.uniform(latitudes), longitude: random.uniform(longitudes))
  }

  /// Circles; every seventh region a polygon, every eleventh a copy of the one before.
  func regions(_ count: Int, _ random: inout Generator) throws -> [Region] {
    var regions: [Region] = []
    for i in 0..<count {
      let identifier = "\(name)-\(i)"
      let center = position(&random)
      let radius = random.uniform(radii)
      if i % 11 == 10, let last = regions.last {
        regions.append(Region(identifier: identifier, shape: last.shape))
      } else if i % 7 == 6, radius > 0 {
        let corners = 3 + Int(random.unit() * 9)
        let ring = try (0..<corners).map { k in
          try rounded(
            Geodesic.direct(
              from: center, azimuth: 360 * Double(k) / Double(corners),
              distance: radius * random.uniform(0.3...1)
            ).coordinate)
        }
        regions.append(Region(identifier: identifier, polygon: try Polygon(exterior: ring)))
      } else {
        regions.append(Region(identifier: identifier, center: center, radius: radius))
      }
    }
    return regions
  }

  /// A device's fixes, from `start` on: steps of up to `longest` metres, ten seconds apart.
  func track(
    _ count: Int, from start: Coordinate, longest: Double, _ random: inout Generator
  ) throws -> [Fix] {
    var position = start
    var azimuth = random.uniform(0...360)
    var fixes: [Fix] = []
    for i in 0..<count {
      fixes.append(
        Fix(
          time: Timestamp(microseconds: 1_700_000_000_000_000 + Int64(i) * 10_000_000), coordinate: position,
          horizontalAccuracy: random.uniform(3...50)))
      azimuth += random.uniform(-40...40)
      let reached = try Geodesic.direct(
        from: position, azimuth: azimuth, distance: random.uniform(0...longest))
      (position, azimuth) = (rounded(reached.coordinate), reached.azimuth)
    }
    return fixes
  }
}
