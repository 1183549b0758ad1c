import VicinityGeodesy
import VicinityTestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Two points, given as a start, a direction and a way to go.
struct Pair: Sendable, CustomStringConvertible {
  var latitude: Double
  var longitude: Double
  var azimuth: Double
  var length: Double

  var start: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }
  var end: Coordinate {
    Geodesic.uncheckedDirect(start, azimuth: azimuth, distance: length).coordinate
  }
  var description: String {
    "from \(latitude),\(longitude) at \(azimuth) degrees for \(length) m"
  }
}

/// Pairs from every family in which a formula for distances has ever broken.
struct PairSource {
  var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func next() -> Pair {
    Pair(latitude: latitude(), longitude: longitude(), azimuth: azimuth(), length: length())
  }

  private mutating func latitude() -> Double {
    let sign: Double = generator.next() & 1 == 0 ? 1 : -1
    switch generator.next() % 8 {
    case 0: return sign * (90 - 90 * scale(9))
    case 1: return sign * 90 * scale(12)
    case 2: return sign * (45 + 2 * (generator.unit() - 0.5))
    case 3: return sign * Double(generator.next() % 7) * 15
    default: return asin(2 * generator.unit() - 1) * (180 / .pi)
    }
  }

  private mutating func longitude() -> Double {
    switch generator.next() % 4 {
    case 0: return 180 - 20 * scale(10)
    case 1: return Double(generator.next() % 9) * 45 - 180
    default: return 360 * generator.unit() - 180
    }
  }

  private mutating func azimuth() -> Double {
    switch generator.next() % 4 {
    case 0: return Double(generator.next() % 8) * 45
    case 1: return Double(generator.next() % 4) * 90 + 45 * scale(12)
    default: return 360 * generator.unit()
    }
  }

  private mutating func length() -> Double {
    switch generator.next() % 8 {
    case 0: return 2.0e7 * generator.unit()
    case 1: return 1.7e6 * generator.unit()
    case 2: return 6e5 * generator.unit()
    case 3: return 2.00039314e7 - 1e6 * scale(9)
    default: return 2.0e7 * scale(9)
    }
  }

  /// A number in 10^-decades ..< 1, every decade as likely as any other.
  private mutating func scale(_ decades: Double) -> Double { pow(10, -decades * generator.unit()) }

  /// A pair near `pair`, `reach` in 0...1 saying how near.
  mutating func neighbor(of pair: Pair, reach: Double) -> Pair {
    let d = { (source: inout PairSource) in 2 * source.generator.unit() - 1 }
    var near = pair
    near.latitude = max(-90, min(90, pair.latitude + 20 * reach * d(&self)))
    near.longitude += 180 * reach * d(&self)
    near.azimuth += 90 * reach * d(&self)
    near.length = max(0, min(2.00039e7, pair.length * (1 + 0.3 * reach * d(&self))))
    return near
  }

  /// `p` moved by `distance` metres in any direction of space.
  mutating func moved(_ p: ECEF, by distance: Double) -> ECEF {
    let z = 2 * generator.unit() - 1
    let r = (1 - z * z).squareRoot() * distance
    let turn = 2 * .pi * generator.unit()
    return ECEF(x: p.x + r * cos(turn), y: p.y + r * sin(turn), z: p.z + z * distance)
  }
}
