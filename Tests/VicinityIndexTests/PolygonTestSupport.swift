import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityIndex

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): a seed gives the same polygons everywhere.
struct PolygonRandom: RandomNumberGenerator {
  var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  mutating func within(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + unit() * (range.upperBound - range.lowerBound)
  }

  /// Uniform over the sphere.
  mutating func coordinate() -> Coordinate {
    Coordinate(
      latitude: asin(within(-1...1)) * (180 / .pi), longitude: within(-180...180))
  }
}

enum PolygonSample {
  /// A ring whose vertices lie at ascending azimuths around `center`, between two distances.
  static func star(
    _ center: Coordinate, count: Int, radii: ClosedRange<Meters>, _ random: inout PolygonRandom
  ) -> [Coordinate] {
    let phase = random.within(0...360)
    return (0..<count).map { i in
      Geodesic.uncheckedDirect(
        center, azimuth: phase + 360 * (Double(i) + random.within(-0.3...0.3)) / Double(count),
        distance: random.within(radii)
      ).coordinate
    }
  }

  /// Positions that try a polygon: near, far, inside, beside vertices and beside edges.
  static func probes(
    _ polygon: Polygon, count: Int, _ random: inout PolygonRandom
  ) -> [Coordinate] {
    let chains = polygon.chains
    let center = polygon.boundingCenter
    let reach = min(polygon.boundingRadius, 15_000_000)
    return (0..<count).map { i in
      let chain = chains[Int.random(in: 0..<chains.count, using: &random)]
      let k = Int.random(in: 0..<chain.count - 1, using: &random)
      let azimuth = random.within(0...360)
      switch i % 5 {
      case 0:
        return Geodesic.uncheckedDirect(
          center, azimuth: azimuth, distance: random.within(0...1.3) * reach
        ).coordinate
      case 1:
        return Geodesic.uncheckedDirect(
          chain[k], azimuth: azimuth, distance: pow(10, random.within(-3...5))
        ).coordinate
      case 2, 3:
        let line = Geodesic.uncheckedInverse(chain[k], chain[k + 1])
        let foot = Geodesic.uncheckedDirect(
          chain[k], azimuth: line.azimuth1, distance: random.unit() * line.distance)
        return Geodesic.uncheckedDirect(
          foot.coordinate, azimuth: foot.azimuth + (random.unit() < 0.5 ? 90 : -90),
          distance: pow(10, random.within(-3...5))
        ).coordinate
      default:
        return i % 2 == 0
          ? random.coordinate()
          : Geodesic.uncheckedDirect(
            center, azimuth: azimuth, distance: reach * random.within(1...6)
          ).coordinate
      }
    }
  }

  /// A description of the worst disagreement with the authority, or with the oracle of the rings that were put in where
  /// there is one; `nil` when all is well.
  static func disagreement(
    _ polygon: Polygon, _ positions: [Coordinate], rings: RingOracle? = nil, tolerance: Meters = 1e-4,
    worst: inout Double
  ) throws -> String? {
    var message: String?
    var greatest = tolerance
    for position in positions {
      let fast = try polygon.signedBoundaryDistance(from: position)
      let exact = try polygon.bruteForceSignedBoundaryDistance(from: position)
      // On the boundary either sign is right.
      let error = abs(exact) < 1e-4 ? abs(abs(fast) - abs(exact)) : abs(fast - exact)
      worst = largerOrNaN(worst, error)
      if !(error <= greatest) {
        greatest = error
        message = "at \(position): \(fast), authority \(exact)"
      }
      let bound =
        Geodesic.uncheckedDistance(position, polygon.boundingCenter) - polygon.boundingRadius
      if !(bound <= exact + 1e-6) {
        message = "at \(position): bound \(bound) above authority \(exact)"
      }
      if let listed = rings?.signedDistance(from: position) {
        let error = abs(listed) < tolerance ? abs(abs(fast) - abs(listed)) : abs(fast - listed)
        if !(error <= tolerance) {
          message = "at \(position): \(fast), the rings that were put in \(listed)"
        }
      }
    }
    return message
  }
}
