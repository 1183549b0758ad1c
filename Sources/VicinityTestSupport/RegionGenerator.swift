internal import CMath
public import VicinityGeodesy
public import VicinityIndex

/// Families of made-up circles, each hard for an index in its own way.
public enum RegionFamily: String, CaseIterable, Sendable {
  /// Anywhere on Earth.
  case uniform
  /// Around a few dozen centres, log-normally crowded.
  case clustered
  /// On a regular grid, so that distances tie by symmetry.
  case gridded
  /// Around one centre with many radii.
  case concentric
  /// Few distinct circles, many times each.
  case duplicate
  /// Radii from nothing to thousands of kilometres, nested in each other.
  case nested
  /// Within a degree of either pole, and on it.
  case polar
  /// Astride 180 degrees, longitudes written either way.
  case antimeridian
  /// On a circle around one point: near-ties in every query from there.
  case ring
  /// A city's worth of overlapping circles.
  case dense

  /// `count` circles named by their ordinals.
  public func circles(_ count: Int, seed: UInt64) -> [Region] {
    var random = SplitMix64(seed: seed)
    let anchors = (0..<24).map { _ in Self.anywhere(&random) }
    return (0..<count).map { i in
      let (center, radius) = circle(i, anchors, &random)
      return Region(identifier: "\(rawValue)-\(i)", center: center, radius: radius)
    }
  }

  private func circle(
    _ i: Int, _ anchors: [Coordinate], _ random: inout SplitMix64
  ) -> (Coordinate, Meters) {
    switch self {
    case .uniform: return (Self.anywhere(&random), random.logUniform(1...1e5))
    case .clustered:
      let anchor = anchors[random.below(anchors.count)]
      let spread = random.logUniform(10...100_000)
      return (Self.around(anchor, spread, &random), random.logUniform(50...2000))
    case .gridded:
      return (
        Coordinate(latitude: Double(i % 31) - 15, longitude: Double(i / 31 % 37) * 10 - 180), 1000
      )
    case .concentric: return (anchors[0], Double(random.below(50)) * 1000)
    case .duplicate:
      let k = random.below(5)
      return (anchors[k], Double(k) * 100)
    case .nested:
      return (
        Self.around(anchors[i % 3], 1000, &random), random.unit() < 0.1 ? 0 : random.logUniform(1...8e6)
      )
    case .polar:
      let side: Double = random.unit() < 0.5 ? 90 : -90
      let off = random.unit() < 0.05 ? 0 : random.logUniform(1e-7...1)
      return (
        Coordinate(latitude: side - (side > 0 ? off : -off), longitude: random.uniform(-540...540)),
        random.logUniform(1...50_000)
      )
    case .antimeridian:
      let offset = random.uniform(-0.5...0.5) * (random.unit() < 0.3 ? 1e-6 : 1)
      let turn: Double = random.unit() < 0.5 ? 180 : -180
      return (
        Coordinate(latitude: random.uniform(-20...20), longitude: turn + offset),
        random.logUniform(1...20_000)
      )
    case .ring:
      let azimuth = 360 * random.unit()
      let reached = Geodesic.uncheckedDirect(anchors[0], azimuth: azimuth, distance: 5000)
      return (reached.coordinate, 100)
    case .dense: return (Self.around(anchors[0], 10_000, &random), random.uniform(50...500))
    }
  }

  /// Positions inside, on, near and far from these regions.
  public func positions(_ count: Int, among regions: [Region], seed: UInt64) -> [Coordinate] {
    var random = SplitMix64(seed: seed ^ 0xABCD)
    return (0..<count).map { i in
      guard !regions.isEmpty,
        case .circle(let center, let radius) = regions[random.below(regions.count)].shape
      else { return Self.anywhere(&random) }
      let azimuth = random.uniform(-180...180)
      switch i % 6 {
      case 0: return Self.anywhere(&random)
      case 1: return center
      case 2:  // on the boundary
        return Geodesic.uncheckedDirect(center, azimuth: azimuth, distance: radius).coordinate
      case 3: return Self.around(center, max(1, radius), &random)
      case 4:  // the antipode
        return Coordinate(latitude: -center.latitude, longitude: center.longitude + 180)
      default: return Self.around(center, random.logUniform(1...3e6), &random)
      }
    }
  }

  static func anywhere(_ random: inout SplitMix64) -> Coordinate {
    // Uniform on the sphere, by rejection.
    while true {
      let x = random.uniform(-1...1)
      let y = random.uniform(-1...1)
      let z = random.uniform(-1...1)
      let r2 = x * x + y * y + z * z
      guard r2 > 1e-4, r2 <= 1 else { continue }
      let rho = (x * x + y * y).squareRoot()
      return Coordinate(
        latitude: min(90, max(-90, degrees(atan2(z, rho)))), longitude: degrees(atan2(y, x)))
    }
  }

  static func around(
    _ center: Coordinate, _ distance: Meters, _ random: inout SplitMix64
  ) -> Coordinate {
    Geodesic.uncheckedDirect(
      center, azimuth: random.uniform(-180...180), distance: distance * random.unit()
    ).coordinate
  }

  private static func degrees(_ radians: Double) -> Degrees { radians * 180 / .pi }
}
