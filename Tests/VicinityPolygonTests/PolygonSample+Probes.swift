import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityPolygon

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension PolygonSample {
  /// Positions that try a polygon: near, far, inside, beside vertices and beside edges.
  static func probes(
    _ polygon: Polygon, count: Int, _ random: inout SplitMix64
  ) -> [Coordinate] {
    let chains = polygon.chains
    let center = polygon.boundingCenter
    let reach = min(polygon.boundingRadius, 15_000_000)
    return (0..<count).map { i in
      let chain = chains[Int.random(in: 0..<chains.count, using: &random)]
      let k = Int.random(in: 0..<chain.count - 1, using: &random)
      let azimuth = random.uniform(0...360)
      switch i % 5 {
      case 0:
        return Geodesic.uncheckedDirect(
          center, azimuth: azimuth, distance: random.uniform(0...1.3) * reach
        ).coordinate
      case 1:
        return Geodesic.uncheckedDirect(
          chain[k], azimuth: azimuth, distance: pow(10, random.uniform(-3...5))
        ).coordinate
      case 2, 3:
        let line = Geodesic.uncheckedInverse(chain[k], chain[k + 1])
        let foot = Geodesic.uncheckedDirect(
          chain[k], azimuth: line.azimuth1, distance: random.unit() * line.distance)
        return Geodesic.uncheckedDirect(
          foot.coordinate, azimuth: foot.azimuth + (random.unit() < 0.5 ? 90 : -90),
          distance: pow(10, random.uniform(-3...5))
        ).coordinate
      default:
        return i % 2 == 0
          ? random.coordinate()
          : Geodesic.uncheckedDirect(
            center, azimuth: azimuth, distance: reach * random.uniform(1...6)
          ).coordinate
      }
    }
  }

  /// A description of the worst disagreement with the authority, or with the oracle of the rings that were
  /// put in where there is one; `nil` when all is well.
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
