import VicinityTestSupport

@testable import VicinityGeodesy

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Karney's test set (doi:10.5281/zenodo.32156), 100 of its rows: lat1 lon1 azi1 lat2 lon2 azi2 s12 a12 m12
/// S12.
let karneyFile: String = {
  var path = #filePath.split(separator: "/", omittingEmptySubsequences: false)
  path.removeLast(3)
  return path.joined(separator: "/") + "/../shared/data/reference/geodtest/GeodTest-100.dat"
}()

func karneyRows() throws -> [[Double]] {
  try String(contentsOfFile: karneyFile, encoding: .utf8).split(separator: "\n")
    .map { try $0.split(separator: " ").map { try Double($0).required() } }
}

extension Optional where Wrapped == Double {
  fileprivate struct NotANumber: Error {}

  fileprivate func required() throws -> Double {
    guard let self else { throw NotANumber() }
    return self
  }
}

/// The worst errors of a solver on Karney's rows.
struct KarneyErrors: CustomStringConvertible {
  /// Metres.
  var distance = 0.0
  /// Degrees, beyond what 15 nm at the other end turn it by: 15 nm / m₁₂ with m₁₂ the reduced length.
  var azimuth = 0.0
  /// Metres.
  var directPlace = 0.0
  var backwardPlace = 0.0
  /// Degrees, with what 15 nm turn the meridian by at the latitude taken off.
  var directAzimuth = 0.0
  /// m², with the azimuths of the row. Near the antipode `Double` positions do not tell azimuths, nor areas,
  /// to 0.1 m².
  var area = 0.0
  /// m², with the azimuths of the inverse problem, where m₁₂ is 1000 km at least.
  var inverseArea = 0.0

  init(rows: [[Double]], inverse: (Coordinate, Coordinate) -> Geodesic.Inverse) {
    for row in rows {
      let p1 = Coordinate(latitude: row[0], longitude: row[1])
      let p2 = Coordinate(latitude: row[3], longitude: row[4])
      let solved = inverse(p1, p2)
      distance = largerOrNaN(distance, abs(solved.distance - row[6]))
      let allowance = 1.5e-8 / abs(row[8]) * (180 / .pi)
      azimuth = largerOrNaN(azimuth, turn(solved.azimuth1, row[2]) - allowance)
      azimuth = largerOrNaN(azimuth, turn(solved.azimuth2, row[5]) - allowance)
      let there = GeodesicSolver.direct(p1, azimuth: row[2], distance: row[6])
      directPlace = largerOrNaN(directPlace, chord(there.coordinate, p2))
      let back = GeodesicSolver.direct(p2, azimuth: row[5], distance: -row[6])
      backwardPlace = largerOrNaN(backwardPlace, chord(back.coordinate, p1))
      let meridian = { (latitude: Double) in
        1.5e-8 / WGS84.a * abs(tan(latitude * (.pi / 180))) * (180 / .pi)
      }
      directAzimuth = largerOrNaN(directAzimuth, turn(there.azimuth, row[5]) - meridian(row[3]))
      directAzimuth = largerOrNaN(directAzimuth, turn(back.azimuth, row[2]) - meridian(row[0]))
      let radians = Double.pi / 180
      let path = GeodesicPath(
        length: row[6], sinAlpha1: sin(row[2] * radians), cosAlpha1: cos(row[2] * radians),
        sinAlpha2: sin(row[5] * radians), cosAlpha2: cos(row[5] * radians))
      area = largerOrNaN(area, abs(InverseProblem(p1, p2).area(below: path, nil) - row[9]))
      if abs(row[8]) > 1e6 {
        inverseArea = largerOrNaN(
          inverseArea, abs(GeodesicSolver.edge(from: p1, to: p2).area - row[9]))
      }
    }
  }

  private func turn(_ a: Double, _ b: Double) -> Double { abs((a - b).remainder(dividingBy: 360)) }

  private func chord(_ p: Coordinate, _ q: Coordinate) -> Double {
    ECEF(unchecked: p).chord(to: ECEF(unchecked: q))
  }

  var description: String {
    "distance \(distance) m, azimuth \(azimuth) degrees, direct \(directPlace) m and \(backwardPlace) m back, "
      + "its azimuth \(directAzimuth) degrees, area \(area) and \(inverseArea) m²"
  }
}

/// Families of pairs in which an inverse problem has its own difficulty.
enum PairFamily: String, CaseIterable, Sendable {
  case random, near, tiny, coincident, polar, equatorial, meridional
  /// Within 2 degrees of the antipode; every decade down to 1e-15 degrees; around the cusps of the astroid;
  /// far, but not so far.
  case nearlyAntipodal, almostAntipodal, cusp, far
}

/// Pairs of one family.
struct FamilySource {
  let family: PairFamily
  var generator: SplitMix64

  init(_ family: PairFamily, seed: UInt64) {
    self.family = family
    generator = SplitMix64(
      seed: seed &* 31 &+ UInt64(family.rawValue.utf8.reduce(0) { Int($0) * 3 + Int($1) }))
  }

  mutating func next() -> (Coordinate, Coordinate) {
    let p = Coordinate(latitude: latitude(), longitude: generator.uniform(-180...180))
    switch family {
    case .random: return (p, Coordinate(latitude: latitude(), longitude: generator.uniform(-180...180)))
    case .near: return (p, reached(from: p, generator.logUniform(1...2e6)))
    case .tiny: return (p, reached(from: p, generator.logUniform(1e-12...1)))
    case .coincident: return (p, Coordinate(latitude: p.latitude, longitude: p.longitude + whole()))
    case .polar:
      return (
        Coordinate(latitude: pole(), longitude: p.longitude),
        Coordinate(
          latitude: generator.below(2) == 0 ? pole() : p.latitude, longitude: generator.uniform(-180...180))
      )
    case .equatorial:
      let antipodal = p.longitude + 180 + signed(1e-12...1)
      return (
        Coordinate(latitude: equator(), longitude: p.longitude),
        Coordinate(
          latitude: equator(),
          longitude: generator.below(2) == 0 ? antipodal : generator.uniform(-180...180))
      )
    case .meridional:
      let half: Double = generator.below(2) == 0 ? 0 : 180
      return (p, Coordinate(latitude: latitude(), longitude: p.longitude + half))
    case .nearlyAntipodal:
      return (
        p,
        Coordinate(
          latitude: clamped(-p.latitude + generator.uniform(-2...2)),
          longitude: p.longitude + 180 + generator.uniform(-2...2))
      )
    case .almostAntipodal:
      return (
        p,
        Coordinate(
          latitude: clamped(-p.latitude + signed(1e-15...1)), longitude: p.longitude + 180 + signed(1e-15...1)
        )
      )
    case .cusp:
      let cosine = cos(atan((1 - WGS84.f) * tan(p.latitude * (.pi / 180))))
      let (x, y) = generator.below(2) == 0 ? (1.0, 0.0) : (0.0, 1.0)
      let size = 180 * WGS84.f * cosine
      return (
        p,
        Coordinate(
          latitude: clamped(-p.latitude + size * cosine * (y + signed(1e-9...0.1))),
          longitude: p.longitude + 180 - size * (x + signed(1e-9...0.1)))
      )
    case .far: return (p, reached(from: p, generator.uniform(1.74e7...1.97e7)))
    }
  }

  private mutating func latitude() -> Double { asin(2 * generator.unit() - 1) * (180 / .pi) }

  private mutating func signed(_ range: ClosedRange<Double>) -> Double {
    generator.logUniform(range) * (generator.below(2) == 0 ? 1 : -1)
  }

  private mutating func pole() -> Double {
    let latitude = generator.below(2) == 0 ? 90 : 90 - generator.logUniform(1e-16...1)
    return generator.below(2) == 0 ? latitude : -latitude
  }

  private mutating func equator() -> Double { generator.below(2) == 0 ? 0 : signed(1e-20...1) }

  private mutating func whole() -> Double { 360 * Double(generator.below(5) - 2) }

  private func clamped(_ latitude: Double) -> Double { max(-90, min(90, latitude)) }

  private mutating func reached(from p: Coordinate, _ distance: Double) -> Coordinate {
    PROJGeodesic.direct(p, azimuth: generator.uniform(-180...180), distance: distance).coordinate
  }
}

/// The worst differences between the solver and PROJ over many pairs of a family.
struct SolverErrors: Sendable, CustomStringConvertible {
  let family: PairFamily
  var count = 0
  /// Metres.
  var distance = 0.0
  /// By how many metres the geodesics of the two azimuths part, m₁₂ taken for the distance to the nearer of
  /// the end and its antipode.
  var azimuth = 0.0
  var worst: (Coordinate, Coordinate)?

  init(family: PairFamily) { self.family = family }

  static func run(_ family: PairFamily, seed: UInt64, count: Int) -> SolverErrors {
    var source = FamilySource(family, seed: seed)
    var errors = SolverErrors(family: family)
    for _ in 0..<count {
      let (p, q) = source.next()
      errors.add(p, q, GeodesicSolver.inverse(p, q), distance: GeodesicSolver.distance(p, q))
    }
    return errors
  }

  mutating func add(_ p: Coordinate, _ q: Coordinate, _ inverse: Geodesic.Inverse, distance plain: Double) {
    count += 1
    let reference = PROJGeodesic.inverse(p, q)
    let error = largerOrNaN(abs(inverse.distance - reference.distance), abs(plain - reference.distance))
    if !(error <= distance) {
      distance = largerOrNaN(distance, error)
      worst = (p, q)
    }
    let turn = abs((inverse.azimuth1 - reference.azimuth1).remainder(dividingBy: 360)) * (.pi / 180)
    let lever = max(0, min(reference.distance, 19_850_000 - reference.distance))
    azimuth = largerOrNaN(azimuth, largerOrNaN(turn * lever, 0 * inverse.azimuth2))
  }

  mutating func merge(_ other: SolverErrors) {
    count += other.count
    if !(other.distance <= distance) { worst = other.worst }
    distance = largerOrNaN(distance, other.distance)
    azimuth = largerOrNaN(azimuth, other.azimuth)
  }

  /// What is wrong; nil when distances agree to 20 nm and azimuths to what 30 nm turn them by.
  var fault: String? {
    distance <= 2e-8 && azimuth <= 3e-8 ? nil : description
  }

  var description: String {
    "\(family.rawValue): \(count) pairs, distance \(distance) m, azimuth \(azimuth) m"
      + (worst.map { ", worst \($0) to \($1)" } ?? "")
  }
}
