internal import CMath
internal import VicinityGeodesy

/// Where points and segments lie relative to a segment.
///
/// A straight segment is judged exactly. One that stands for a geodesic, in longitude and latitude, is judged
/// as a straight one where the bend cannot matter, and otherwise by azimuths: at a longitude farther east
/// than the start, the geodesics that leave it are in the order of their azimuths.
extension SweepStatus.Segment {
  /// A geodesic that leaves its straight line by no more than this, in degrees of latitude, counts as
  /// straight: 1 mm.
  private static let tolerance: Degrees = 9e-9

  /// How far a geodesic may leave the straight line between its ends in a plane of longitude and latitude: a
  /// bound of the difference in latitude, times the difference in longitude; zero where the geodesic counts
  /// as straight.
  ///
  /// On a sphere, and with dashes for derivatives by longitude, a great circle has φ'' = -(sin φ cos φ + 2
  /// tan φ φ'²): differentiate tan φ = A cos λ twice. Over a width w it leaves the line by at most max |φ''|
  /// w² / 8. With s the difference in latitude, T the greatest tan φ and z = max |φ''| w², φ' is nowhere more
  /// than (s + z) / w, so z <= w² sin φ cos φ + 2 T (s + z)². While T s and T z are below 1/16, (s + z)² is
  /// at most 1.4 s² and terms that 1.5 covers, with what the ellipsoid adds. tan φ is less than 1 over the
  /// distance p from the pole, sin φ cos φ less than 1/2 and than the greatest distance from the pole. Where
  /// that does not hold nothing is known: infinity.
  ///
  /// Checked against points of geodesics in `GeodesicValidityTests`.
  @inline(__always)
  static func bend(_ start: SIMD2<Double>, _ end: SIMD2<Double>) -> Float {
    let width = end.x - start.x
    let height = abs(end.y - start.y)
    let degree = Double.pi / 180
    let pole = 90 - max(abs(start.y), abs(end.y))
    let slope = min(0.5, degree * (90 - min(abs(start.y), abs(end.y))))
    let off = 1.5 / 8 * (degree * width * width * slope + 2 * height * height / pole)
    guard pole > 16 * height && pole > 16 * off else {
      // Along a meridian, or along the line that stands for a pole.
      return width == 0 || (pole == 0 && height == 0) ? 0 : .infinity
    }
    let bend = off * width
    return bend <= tolerance * max(width, height) ? 0 : Float(bend).nextUp
  }

  /// The side on which `point` lies: positive above, negative below, zero on the segment.
  ///
  /// - Precondition: `point` is not before the start and not after the end, as the sweep goes.
  @inline(__always)
  func side(_ point: SIMD2<Double>) -> Double {
    RobustOrientation.certainSign(start, end, point, margin: Double(bend)) ?? closeSide(point)
  }

  @inline(never)
  private func closeSide(_ point: SIMD2<Double>) -> Double {
    if bend == 0 { return Double(RobustOrientation.exactSign(start, end, point)) }
    if point == start || point == end { return 0 }
    return Self.azimuth(start, end) - Self.azimuth(start, point)
  }

  /// From north, 0, by east to south, 180.
  private static func azimuth(_ start: SIMD2<Double>, _ end: SIMD2<Double>) -> Degrees {
    GeodesicSolver.inverse(coordinate(start), coordinate(end)).azimuth1
  }

  private static func coordinate(_ point: SIMD2<Double>) -> Coordinate {
    Coordinate(latitude: point.y, longitude: point.x)
  }

  /// Positive when another segment lies above this one right of `point`, through which both pass; zero when
  /// they go the same way.
  func turn(to other: Self, at point: SIMD2<Double>) -> Double {
    if end == other.end { return 0 }
    let isLonger = PlanarRings.isBefore(other.end, end)
    var long = isLonger ? self : other
    long.start = point
    return isLonger ? long.side(other.end) : -long.side(end)
  }

  /// Positive where this segment lies above another, zero where they meet: at the first point at which both
  /// are there, and at the last.
  ///
  /// - Returns: nil when one ends before the other starts.
  func order(over other: Self) -> (start: Double, end: Double)? {
    if PlanarRings.isBefore(end, other.start) || PlanarRings.isBefore(other.end, start) { return nil }
    let first =
      start == other.start
      ? 0 : PlanarRings.isBefore(start, other.start) ? -side(other.start) : other.side(start)
    let last =
      end == other.end ? 0 : PlanarRings.isBefore(other.end, end) ? -side(other.end) : other.side(end)
    return (first, last)
  }

  /// Whether two segments have a point in common.
  func meets(_ other: Self) -> Bool {
    guard let order = order(over: other) else { return false }
    return !(order.start > 0 && order.end > 0) && !(order.start < 0 && order.end < 0)
  }

  /// Where two segments cross, rounded.
  func crossing(with other: Self) -> SIMD2<Double> {
    guard bend > 0 || other.bend > 0, let order = order(over: other), order.start * order.end < 0 else {
      return straightCrossing(with: other)
    }
    // The part of this segment that lies beside the other is halved.
    let line = GeodesicSolver.inverse(Self.coordinate(start), Self.coordinate(end))
    let first = PlanarRings.isBefore(start, other.start) ? other.start : start
    let last = PlanarRings.isBefore(end, other.end) ? end : other.end
    var low = 0.0
    var high = line.distance
    var point = start
    for _ in 0..<60 {
      let middle = (low + high) / 2
      let place = GeodesicSolver.direct(
        Self.coordinate(start), azimuth: line.azimuth1, distance: middle
      ).coordinate
      let turns = ((start.x + end.x) / 2 - place.longitude) / 360
      point = SIMD2(place.longitude + turns.rounded() * 360, place.latitude)
      let side =
        PlanarRings.isBefore(point, first)
        ? order.start : PlanarRings.isBefore(last, point) ? order.end : other.side(point)
      if (side > 0) == (order.start > 0) { low = middle } else { high = middle }
    }
    return point
  }

  /// Where two straight segments cross, rounded, and within the bounds of the first.
  private func straightCrossing(with other: Self) -> SIMD2<Double> {
    // Halves, so that no difference overflows.
    let along = 0.5 * end - 0.5 * start
    let across = 0.5 * other.end - 0.5 * other.start
    let between = 0.5 * other.start - 0.5 * start
    // Relative to the largest of them, so that no product does.
    let scale = max(
      abs(along.x), abs(along.y), abs(across.x), abs(across.y), abs(between.x), abs(between.y))
    let (u, v, w) = (along / scale, across / scale, between / scale)
    let fraction = (w.x * v.y - w.y * v.x) / (u.x * v.y - u.y * v.x)
    let t = fraction >= 0 && fraction <= 1 ? fraction : fraction > 1 ? 1 : 0
    return t < 0.5 ? start + 2 * t * along : end - 2 * (1 - t) * along
  }
}
