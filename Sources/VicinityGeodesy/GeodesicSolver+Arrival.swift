/// Where a shortest path arrives: how long it is and in which direction it ends.
package struct GeodesicArrival {
  /// The length, metres.
  package var distance: Meters
  /// The unit tangent at the end, along the path, in the Earth-centred frame, to within 1e-5. The distance
  /// grows fastest in this direction.
  package var x: Double
  package var y: Double
  package var z: Double
}

extension GeodesicSolver {
  /// The shortest path from `p` to `q`, two points of the ellipsoid: its length, to within ``errorBound``,
  /// and its direction at `q`.
  ///
  /// Azimuths on the auxiliary sphere are those on the ellipsoid; there the path is the great circle through
  /// both points, the second turned about the axis (Karney 2013, section 2).
  ///
  /// - Returns: Nil where the direction is not certain: at a pole, for coincident points, and where one is
  ///   not finite.
  /// - Complexity: O(1), about 0.1 µs; 0.4 µs for points more than 158 degrees apart.
  package static func arrival(from p: ECEF, to q: ECEF) -> GeodesicArrival? {
    let ends = SphereEnds(p, q)
    let axial = (q.x * q.x + q.y * q.y).squareRoot()
    // Nearer to a pole, east and north are uncertain.
    guard axial > 1e3 else { return nil }
    var length: Meters
    var sine: Double
    var cosine: Double
    if let (nearLength, turned) = nearArrival(ends) {
      length = nearLength
      // Sine and cosine of the azimuth, times the sine of the arc and times cos β₂.
      let s = turned.x1 * turned.y2 - turned.y1 * turned.x2
      let c = turned.x1 * turned.x2 + turned.y1 * turned.y2
      sine = s
      cosine = turned.z2 * c - turned.z1 * (turned.x2 * turned.x2 + turned.y2 * turned.y2)
    } else {
      let problem = InverseProblem(ends)
      let path = problem.farPath()
      length = path.length
      sine = problem.isWestward ? -path.sinAlpha2 : path.sinAlpha2
      cosine = path.cosAlpha2
    }
    let norm = (sine * sine + cosine * cosine).squareRoot()
    guard length > 1, norm > 0, length.isFinite, norm.isFinite else { return nil }
    sine /= norm
    cosine /= norm
    let east = (x: -q.y / axial, y: q.x / axial)
    // Up is along the gradient (x/a², y/a², z/b²); north is up × east.
    let up = (h: axial * WGS84.b2, z: q.z * WGS84.a2)
    let steepness = 1 / (up.h * up.h + up.z * up.z).squareRoot()
    let northward = -up.z * steepness
    return GeodesicArrival(
      distance: length,
      x: sine * east.x + cosine * northward * (q.x / axial),
      y: sine * east.y + cosine * northward * (q.y / axial),
      z: cosine * up.h * steepness)
  }
}
