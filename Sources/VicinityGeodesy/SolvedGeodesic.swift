internal import CMath

/// A geodesic from a point in a direction: the direct problem, solved once for all its points (Karney 2013,
/// doi:10.1007/s00190-012-0578-z, sections 2 and 3).
///
/// All that depends on the start and the azimuth alone is kept; a point takes one sine and cosine and two
/// series.
struct SolvedGeodesic {
  private let lon1: Degrees
  private let sinAlpha0: Double
  private let cosAlpha0: Double
  private let sinSigma1: Double
  private let cosSigma1: Double
  /// τ₁ = σ₁ + Σ C₁ₗ sin 2lσ₁, its sine and cosine, and the sum.
  private let sinTau1: Double
  private let cosTau1: Double
  private let tauLessSigma1: Double
  /// 1 / (b A₁) and f sin α₀ A₃, and Σ C₃ₗ sin 2lσ₁.
  private let reciprocalLength: Double
  private let longitudeScale: Double
  private let longitudeSum1: Double
  private let revertedLength: SineSeries
  private let longitude: SineSeries

  /// The geodesic that leaves `start` at `azimuth`, degrees.
  @inline(__always)
  init(start: Coordinate, azimuth: Degrees) {
    let degrees = SIMD2(start.latitude, Self.wrapped(azimuth: azimuth))
    let (sine, cosine) = DegreeTrigonometry.sineAndCosine(degrees)
    let norm = 1 / (1 - WGS84.e2 * sine.x * sine.x).squareRoot()
    self.init(
      lon1: Coordinate.wrapped(longitude: start.longitude), sinBeta1: (1 - WGS84.f) * sine.x * norm,
      cosBeta1: max(cosine.x * norm, InverseProblem.leastCosBeta), sinAlpha1: sine.y, cosAlpha1: cosine.y)
  }

  /// The geodesic from a reduced latitude at an azimuth, by their sines and cosines.
  @inline(__always)
  init(lon1: Degrees, sinBeta1: Double, cosBeta1: Double, sinAlpha1: Double, cosAlpha1: Double) {
    self.lon1 = lon1
    // Equations (5) and (10).
    sinAlpha0 = sinAlpha1 * cosBeta1
    let cos2Alpha0 = cosAlpha1 * cosAlpha1 + (sinAlpha1 * sinBeta1) * (sinAlpha1 * sinBeta1)
    cosAlpha0 = cos2Alpha0.squareRoot()
    // Equation (11). Along the equator σ is the longitude on the sphere, from the start.
    let northward1 = cosAlpha1 * cosBeta1
    if cosAlpha0 > 0 {
      sinSigma1 = sinBeta1 / cosAlpha0
      cosSigma1 = northward1 / cosAlpha0
    } else {
      sinSigma1 = 0
      cosSigma1 = 1
    }
    let eps = GeodesicSeries.epsilonFactor(cos2Alpha0: cos2Alpha0) * cos2Alpha0
    reciprocalLength = 1 / (WGS84.b * SineSeries.lengthFactor(eps))
    tauLessSigma1 = SineSeries.length(eps).sum(sine: sinSigma1, cosine: cosSigma1)
    (sinTau1, cosTau1) = turned(sinSigma1, cosSigma1, by: tauLessSigma1)
    revertedLength = .revertedLength(eps)
    longitude = .longitude(eps)
    longitudeScale = WGS84.f * sinAlpha0 * SineSeries.longitudeFactor(eps)
    longitudeSum1 = longitude.sum(sine: sinSigma1, cosine: cosSigma1)
  }

  /// The point `s12` metres on, and the azimuth there.
  ///
  /// - Complexity: O(1), about 0.1 µs
  @inline(__always)
  func point(at s12: Meters) -> (coordinate: Coordinate, sinAlpha2: Double, cosAlpha2: Double) {
    // Equations (7) and (20).
    let tau12 = s12 * reciprocalLength
    let (sinTau12, cosTau12) = (sin(tau12), cos(tau12))
    let sinTau2 = sinTau1 * cosTau12 + cosTau1 * sinTau12
    let cosTau2 = cosTau1 * cosTau12 - sinTau1 * sinTau12
    let sigmaLessTau2 = revertedLength.sum(sine: sinTau2, cosine: cosTau2)
    let (sinSigma2, cosSigma2) = turned(sinTau2, cosTau2, by: sigmaLessTau2)
    let sigma12 = tau12 + (tauLessSigma1 + sigmaLessTau2)

    // The triangle from the equator to the second point, equations (12) to (14).
    let sinBeta2 = cosAlpha0 * sinSigma2
    let cosAlpha2 = cosAlpha0 * cosSigma2
    let cosBeta2 = (sinAlpha0 * sinAlpha0 + cosAlpha2 * cosAlpha2).squareRoot()
    let lat2 = atan2(sinBeta2, (1 - WGS84.f) * cosBeta2) * (180 / .pi)

    // tan ω = sin α₀ tan σ, and equation (8).
    let sinOmega = sinAlpha0 * (sinSigma2 * cosSigma1 - cosSigma2 * sinSigma1)
    let cosOmega = cosSigma2 * cosSigma1 + sinAlpha0 * sinAlpha0 * (sinSigma2 * sinSigma1)
    let omega12 = atan2(sinOmega, cosOmega)
    let sum2 = longitude.sum(sine: sinSigma2, cosine: cosSigma2)
    let lambda12 = omega12 - longitudeScale * (sigma12 + (sum2 - longitudeSum1))
    var lon2 = lon1 + lambda12 * (180 / .pi)
    if abs(lon2) > 180 { lon2 = lon2.remainder(dividingBy: 360) }
    return (Coordinate(latitude: lat2, longitude: lon2), sinAlpha0, cosAlpha2)
  }

  /// An azimuth wrapped to -180...180; exact.
  @inline(__always)
  private static func wrapped(azimuth: Degrees) -> Degrees {
    abs(azimuth) <= 180 ? azimuth : azimuth.remainder(dividingBy: 360)
  }
}

/// The sine and cosine of an angle and `small` more, |small| <= 0.002.
@inline(__always)
private func turned(_ sine: Double, _ cosine: Double, by small: Double) -> (Double, Double) {
  let d2 = small * small
  // What is left out is below 0.002⁶/720 = 1e-19.
  let s = small * (1 - d2 * (1.0 / 6 - d2 * (1.0 / 120)))
  let c = 1 - d2 * (0.5 - d2 * (1.0 / 24))
  return (sine * c + cosine * s, cosine * c - sine * s)
}

extension GeodesicSolver {
  /// ``Geodesic/direct(from:azimuth:distance:)`` for arguments already known to be valid.
  ///
  /// - Complexity: O(1), about 0.2 µs
  package static func direct(_ start: Coordinate, azimuth: Degrees, distance: Meters) -> Geodesic.Direct {
    let point = SolvedGeodesic(start: start, azimuth: azimuth).point(at: distance)
    return Geodesic.Direct(
      coordinate: point.coordinate, azimuth: atan2(point.sinAlpha2, point.cosAlpha2) * (180 / .pi))
  }

  /// The shortest path between two points, for computing points along it.
  package struct Line: GeodesicLineMethods {
    private let geodesic: SolvedGeodesic
    /// The length, metres.
    package let distance: Meters

    /// The shortest path from `p1` to `p2`.
    ///
    /// - Precondition: both coordinates are valid.
    /// - Complexity: O(1), about 0.4 µs
    package init(_ p1: Coordinate, _ p2: Coordinate) {
      let problem = InverseProblem(p1, p2)
      let path = problem.path()
      let alpha1 = Azimuth(direction: problem.isWestward ? -path.sinAlpha1 : path.sinAlpha1, path.cosAlpha1)
      distance = path.length
      geodesic = SolvedGeodesic(
        lon1: Coordinate.wrapped(longitude: p1.longitude), sinBeta1: problem.ends.z1,
        cosBeta1: problem.ends.x1, sinAlpha1: alpha1.sine, cosAlpha1: alpha1.cosine)
    }

    /// The point `s12` metres along the path.
    ///
    /// - Complexity: O(1), about 0.1 µs
    package func point(at s12: Meters) -> Coordinate { geodesic.point(at: s12).coordinate }
  }
}
