internal import CMath
internal import VicinityCrossings
internal import VicinityGeodesy

/// The magnetic declination: the World Magnetic Model of 2020, on the surface of the ellipsoid.
///
/// A. Chulliat et al., *The US/UK World Magnetic Model for 2020–2025: Technical Report*, NOAA, 2020,
/// section 1.2: the gradient of a potential in spherical harmonics of degree and order 1 to 12, Schmidt
/// semi-normalised, whose coefficients change linearly in time. The model is a work of the government of the
/// United States, in the public domain.
///
/// The code reproduces the report's test values to their last digit, 0.01 degrees. The model covers 2020 to
/// 2025; its linear change is extended to 1990 to 2050. The difference from the test values of the models of
/// 2015 and 2010, for their first years, is less than 0.2 degrees; a compass is off by several degrees. Near
/// the magnetic poles declinations mean little.
enum WorldMagneticModel {
  /// The reference radius of the model, metres; not an Earth radius.
  private static let radius: Meters = 6_371_200
  private static let degree = 12

  /// The angle from true north to magnetic north, degrees eastwards, -180...180.
  ///
  /// - Parameters:
  ///   - position: A valid position. At a pole, the value a metre away along the meridian.
  ///   - time: 1990 to 2050; times beyond count as the nearer end.
  /// - Complexity: O(1), some microseconds.
  static func declination(at position: Coordinate, time: Timestamp) -> Degrees {
    // 365.25 days from the beginning of 2020.
    let years = (time.seconds - 1_577_836_800) / 31_557_600
    return declination(at: position, years: max(-30, min(30, years)))
  }

  static func declination(at position: Coordinate, years: Double) -> Degrees {
    let latitude = max(-89.99999, min(89.99999, position.latitude)) * .pi / 180
    let longitude = position.longitude * .pi / 180
    let sine = sin(latitude)
    let n = WGS84.a / (1 - WGS84.e2 * sine * sine).squareRoot()
    let across = n * cos(latitude)
    let along = n * (1 - WGS84.e2) * sine
    let distance = (across * across + along * along).squareRoot()
    let field = field(
      sine: along / distance, cosine: across / distance, longitude: longitude, ratio: radius / distance,
      years: years)
    // From the geocentric to the geodetic vertical.
    let tilt = atan2(along, across) - latitude
    let north = field.north * cos(tilt) - field.down * sin(tilt)
    return atan2(field.east, north) * 180 / .pi
  }

  /// The field in geocentric directions, nanotesla.
  private static func field(
    sine s: Double, cosine c: Double, longitude: Double, ratio: Double, years: Double
  ) -> (north: Double, east: Double, down: Double) {
    // Legendre functions of the sine of the latitude and their derivatives with respect to latitude, of the
    // current degree and the two before; indexed by order.
    var (p, d) = ([1.0], [0.0])
    var (before, beforeD) = ([Double](), [Double]())
    var (north, east, down) = (0.0, 0.0, 0.0)
    var weight = ratio * ratio
    var row = 0
    for n in 1...degree {
      var (next, nextD) = ([Double](), [Double]())
      weight *= ratio
      for m in 0...n {
        if m == n {
          let q = n == 1 ? 1 : (Double(2 * n - 1) / Double(2 * n)).squareRoot()
          next.append(q * c * p[m - 1])
          nextD.append(q * (c * d[m - 1] - s * p[m - 1]))
        } else {
          let q = Double(n * n - m * m).squareRoot()
          let two = m < before.count ? Double((n - 1) * (n - 1) - m * m).squareRoot() : 0
          let (old, oldD) = m < before.count ? (before[m], beforeD[m]) : (0, 0)
          next.append((Double(2 * n - 1) * s * p[m] - two * old) / q)
          nextD.append((Double(2 * n - 1) * (c * p[m] + s * d[m]) - two * oldD) / q)
        }
        let g = coefficients[row] + years * coefficients[row + 2]
        let h = coefficients[row + 1] + years * coefficients[row + 3]
        row += 4
        let (sineM, cosineM) = (sin(Double(m) * longitude), cos(Double(m) * longitude))
        let along = g * cosineM + h * sineM
        north -= weight * along * nextD[m]
        east += weight * Double(m) * (g * sineM - h * cosineM) * next[m] / c
        down -= weight * Double(n + 1) * along * next[m]
      }
      (before, beforeD) = (p, d)
      (p, d) = (next, nextD)
    }
    return (north, east, down)
  }

  /// The Gauss coefficients g and h, nanotesla at the beginning of 2020, and their change, nanotesla a year,
  /// by degree and order (`WMM.COF` of 10 December 2019).
  private static let coefficients: [Double] = [
    // Degree 1.
    -29404.5, 0, 6.7, 0, -1450.7, 4652.9, 7.7, -25.1,
    // Degree 2.
    -2500, 0, -11.5, 0, 2982, -2991.6, -7.1, -30.2, 1676.8, -734.8, -2.2, -23.9,
    // Degree 3.
    1363.9, 0, 2.8, 0, -2381, -82.2, -6.2, 5.7, 1236.2, 241.8, 3.4, -1, 525.7, -542.9, -12.2, 1.1,
    // Degree 4.
    903.1, 0, -1.1, 0, 809.4, 282, -1.6, 0.2, 86.2, -158.4, -6, 6.9, -309.4, 199.8, 5.4, 3.7,
    47.9, -350.1, -5.5, -5.6,
    // Degree 5.
    -234.4, 0, -0.3, 0, 363.1, 47.7, 0.6, 0.1, 187.8, 208.4, -0.7, 2.5, -140.7, -121.3, 0.1, -0.9,
    -151.2, 32.2, 1.2, 3, 13.7, 99.1, 1, 0.5,
    // Degree 6.
    65.9, 0, -0.6, 0, 65.6, -19.1, -0.4, 0.1, 73, 25, 0.5, -1.8, -121.5, 52.7, 1.4, -1.4,
    -36.2, -64.4, -1.4, 0.9, 13.5, 9, 0, 0.1, -64.7, 68.1, 0.8, 1,
    // Degree 7.
    80.6, 0, -0.1, 0, -76.8, -51.4, -0.3, 0.5, -8.3, -16.8, -0.1, 0.6, 56.5, 2.3, 0.7, -0.7,
    15.8, 23.5, 0.2, -0.2, 6.4, -2.2, -0.5, -1.2, -7.2, -27.2, -0.8, 0.2, 9.8, -1.9, 1, 0.3,
    // Degree 8.
    23.6, 0, -0.1, 0, 9.8, 8.4, 0.1, -0.3, -17.5, -15.3, -0.1, 0.7, -0.4, 12.8, 0.5, -0.2,
    -21.1, -11.8, -0.1, 0.5, 15.3, 14.9, 0.4, -0.3, 13.7, 3.6, 0.5, -0.5, -16.5, -6.9, 0, 0.4,
    -0.3, 2.8, 0.4, 0.1,
    // Degree 9.
    5, 0, -0.1, 0, 8.2, -23.3, -0.2, -0.3, 2.9, 11.1, 0, 0.2, -1.4, 9.8, 0.4, -0.4, -1.1, -5.1, -0.3, 0.4,
    -13.3, -6.2, 0, 0.1, 1.1, 7.8, 0.3, 0, 8.9, 0.4, 0, -0.2, -9.3, -1.5, 0, 0.5, -11.9, 9.7, -0.4, 0.2,
    // Degree 10.
    -1.9, 0, 0, 0, -6.2, 3.4, 0, 0, -0.1, -0.2, 0, 0.1, 1.7, 3.5, 0.2, -0.3, -0.9, 4.8, -0.1, 0.1,
    0.6, -8.6, -0.2, -0.2, -0.9, -0.1, 0, 0.1, 1.9, -4.2, -0.1, 0, 1.4, -3.4, -0.2, -0.1,
    -2.4, -0.1, -0.1, 0.2, -3.9, -8.8, 0, 0,
    // Degree 11.
    3, 0, 0, 0, -1.4, 0, -0.1, 0, -2.5, 2.6, 0, 0.1, 2.4, -0.5, 0, 0, -0.9, -0.4, 0, 0.2, 0.3, 0.6, -0.1, 0,
    -0.7, -0.2, 0, 0, -0.1, -1.7, 0, 0.1, 1.4, -1.6, -0.1, 0, -0.6, -3, -0.1, -0.1, 0.2, -2, -0.1, 0,
    3.1, -2.6, -0.1, 0,
    // Degree 12.
    -2, 0, 0, 0, -0.1, -1.2, 0, 0, 0.5, 0.5, 0, 0, 1.3, 1.3, 0, -0.1, -1.2, -1.8, 0, 0.1, 0.7, 0.1, 0, 0,
    0.3, 0.7, 0, 0, 0.5, -0.1, 0, 0, -0.2, 0.6, 0, 0.1, -0.5, 0.2, 0, 0, 0.1, -0.9, 0, 0, -1.1, 0, 0, 0,
    -0.3, 0.5, -0.1, -0.1,
  ]
}
