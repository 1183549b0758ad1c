internal import CMath

/// Areas of rings of geodesic edges (Karney 2013, doi:10.1007/s00190-012-0578-z, section 6).
extension GeodesicSolver {
  /// ``Geodesic/measure(ofRing:)`` for coordinates already known to be valid.
  ///
  /// - Complexity: O(n), about 0.4 µs a vertex
  package static func measure(ofRing ring: [Coordinate]) -> Geodesic.RingMeasure {
    guard var start = ring.last else { return Geodesic.RingMeasure(area: 0, perimeter: 0) }
    var area = CompensatedSum()
    var perimeter = CompensatedSum()
    var turn = CompensatedSum()
    for end in ring {
      let edge = edge(from: start, to: end)
      area.add(-edge.area)
      perimeter.add(edge.length)
      turn.add(edge.longitude)
      start = end
    }
    // A ring that goes once round the axis bounds, with the equator, a hemisphere less what it encloses.
    area.add((turn.value / 360).rounded() * (ellipsoidArea / 2))
    let whole = area.value.remainder(dividingBy: ellipsoidArea)
    return Geodesic.RingMeasure(
      area: whole == -ellipsoidArea / 2 ? ellipsoidArea / 2 : whole, perimeter: perimeter.value)
  }

  /// The area of the whole ellipsoid, 4πc² with c the authalic radius, equation (60), m².
  static let ellipsoidArea: Double = {
    let e = WGS84.e2.squareRoot()
    return 2 * .pi * (WGS84.a * WGS84.a + WGS84.b * WGS84.b * atanh(e) / e)
  }()

  /// An edge's length, the area between it and the equator (positive when it goes east in the north), m², and
  /// how far east it goes, degrees.
  static func edge(
    from p1: Coordinate, to p2: Coordinate
  ) -> (length: Meters, area: Double, longitude: Degrees) {
    let problem = InverseProblem(p1, p2)
    let sign: Double = problem.isWestward ? -1 : 1
    let longitude = sign * (180 - problem.supplement * (180 / .pi))
    let (path, turned) = problem.pathAndTurn()
    guard path.length > 0 else { return (0, 0, longitude) }
    return (path.length, sign * problem.area(below: path, turned), longitude)
  }
}

extension InverseProblem {
  /// The area between an eastward path and the equator, m².
  ///
  /// S₁₂ = c² (α₂ - α₁) + e²a² cos α₀ sin α₀ (I₄(σ₂) - I₄(σ₁)), equation (59).
  ///
  /// - Parameter turned: The ends with the second turned by ω - λ, where they are known.
  func area(below path: GeodesicPath, _ turned: SphereEnds?) -> Double {
    let (sinBeta1, cosBeta1) = (ends.z1, ends.x1)
    let sinBeta2 = ends.z2
    let alpha1 = Azimuth(direction: path.sinAlpha1, path.cosAlpha1)
    let alpha2 = Azimuth(direction: path.sinAlpha2, path.cosAlpha2)

    let excess: Double
    if let turned, turned.x2 > -0.7 * cosBeta2, abs(sinBeta2 - sinBeta1) < 1.75 {
      // The same angle as the spherical excess of the quadrilateral down to the equator, which small edges
      // know to the last digits: tan (E/2) = tan (ω/2) (tan (β₁/2) + tan (β₂/2)) / (1 + tan (β₁/2) tan
      // (β₂/2)).
      let (sinOmega, cosOmega) = (turned.y2 / cosBeta2, turned.x2 / cosBeta2)
      excess =
        2
        * atan2(
          sinOmega * (sinBeta1 * (1 + cosBeta2) + sinBeta2 * (1 + cosBeta1)),
          (1 + cosOmega) * (sinBeta1 * sinBeta2 + (1 + cosBeta1) * (1 + cosBeta2)))
    } else {
      excess = atan2(
        alpha2.sine * alpha1.cosine - alpha2.cosine * alpha1.sine,
        alpha2.cosine * alpha1.cosine + alpha2.sine * alpha1.sine)
    }
    var area = GeodesicSolver.ellipsoidArea / (4 * .pi) * excess

    let sinAlpha0 = alpha1.sine * cosBeta1
    let cos2Alpha0 =
      alpha1.cosine * alpha1.cosine + (alpha1.sine * sinBeta1) * (alpha1.sine * sinBeta1)
    // Along the equator and the meridians nothing is added.
    if cos2Alpha0 > 1e-30, sinAlpha0 > 0 {
      let cosAlpha0 = cos2Alpha0.squareRoot()
      let series = AreaSeries(eps: GeodesicSeries.epsilonFactor(cos2Alpha0: cos2Alpha0) * cos2Alpha0)
      area +=
        (WGS84.e2 * WGS84.a * WGS84.a) * (cosAlpha0 * sinAlpha0)
        * series.difference(
          from: (sinBeta1 / cosAlpha0, alpha1.cosine * cosBeta1 / cosAlpha0),
          to: (sinBeta2 / cosAlpha0, alpha2.cosine * cosBeta2 / cosAlpha0))
    }
    return area
  }
}

/// A sum that carries what rounding takes (A. Neumaier, *Rundungsfehleranalyse einiger Verfahren zur
/// Summation endlicher Summen*, 1974).
private struct CompensatedSum {
  private var sum = 0.0
  private var rest = 0.0

  var value: Double { sum + rest }

  mutating func add(_ term: Double) {
    let next = sum + term
    rest += abs(sum) >= abs(term) ? (sum - next) + term : (term - next) + sum
    sum = next
  }
}
