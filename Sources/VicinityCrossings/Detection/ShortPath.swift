internal import VicinityGeodesy

/// The geodesic between two points no farther apart than ``longest``, in Earth-centred coordinates: no
/// trigonometry.
///
/// With arc length u from the middle, −L/2...L/2, unit chord t, outward unit normal n at the middle, and κ
/// the normal curvature along the chord,
///
///     P(u) = m + x(u) t + h(u) n,    x(u) = (c/L) u (1 + κ² (L²/4 − u²) / 6),    h(u) = κ/2 (L²/4 − u²)
///
/// **Error.** A geodesic's acceleration is −κn. The circle through both ends with the middle's κ and n is the
/// above up to κ³L⁴/384 (1e-9 m). What is left, e, has e = 0 at both ends and |e″| <= M |u|, where M bounds
/// the change of the vector κn other than the circle's own: the geodesic's torsion times κ, at most ½ (1/R₋ −
/// 1/N) κ = 8.4e-17 m⁻², and κ′, at most 3e²/(2(1−e²)) · (1/a) / M for the meridian's curvature and (k₁ − k₂)
/// tan φ / N for turning, together 3.4e-16 m⁻². Green's function of the interval gives |e| <= M L³/48 <=
/// 9e-18 L³: 2.4e-7 m at 3 km, 9e-9 m at 1 km.
struct ShortPath {
  /// Longer paths are cut into pieces, metres.
  static let longest: Meters = 3000

  let start: ECEF
  let end: ECEF
  /// The length, metres.
  let length: Meters
  private let mx: Double
  private let my: Double
  private let mz: Double
  /// The unit chord.
  private let tx: Double
  private let ty: Double
  private let tz: Double
  /// The outward unit normal times κ.
  private let nx: Double
  private let ny: Double
  private let nz: Double
  private let stretch: Double
  private let bend: Double

  /// The path from `start` to `end`.
  ///
  /// Farther apart than ``longest`` the length is no shorter than the chord, or NaN, and nothing else holds.
  @inline(__always)
  init(from start: ECEF, to end: ECEF) {
    self.start = start
    self.end = end
    let dx = end.x - start.x
    let dy = end.y - start.y
    let dz = end.z - start.z
    let c2 = dx * dx + dy * dy + dz * dz
    let chord = c2.squareRoot()
    let reciprocal = chord > 0 ? 1 / chord : 0
    mx = 0.5 * (start.x + end.x)
    my = 0.5 * (start.y + end.y)
    mz = 0.5 * (start.z + end.z)
    tx = dx * reciprocal
    ty = dy * reciprocal
    tz = dz * reciprocal
    // The quadric xᵀMx = 1 has the normal Mm and the curvature tᵀMt / |Mm|.
    let gx = mx * WGS84.reciprocalA2
    let gy = my * WGS84.reciprocalA2
    let gz = mz * WGS84.reciprocalB2
    let form = (tx * tx + ty * ty) * WGS84.reciprocalA2 + tz * tz * WGS84.reciprocalB2
    let scale = form / (gx * gx + gy * gy + gz * gz)
    nx = gx * scale
    ny = gy * scale
    nz = gz * scale
    let curvature2 = form * scale
    bend = curvature2 / 6
    // The chord series' first term; the next is 1e-13 m at 3 km.
    let excess = c2 * curvature2 * (1.0 / 24)
    length = chord * (1 + excess)
    stretch = 1 - excess
  }

  /// The point half way.
  @inline(__always)
  var middle: ECEF {
    let h = 0.125 * length * length
    return ECEF(x: mx + h * nx, y: my + h * ny, z: mz + h * nz)
  }

  /// The point `s` metres along the path.
  @inline(__always)
  func point(at s: Meters) -> ECEF {
    if s <= 0 { return start }
    if s >= length { return end }
    let half = 0.5 * length
    let u = s - half
    let rest = half * half - u * u
    let x = stretch * u * (1 + bend * rest)
    let h = 0.5 * rest
    return ECEF(x: mx + x * tx + h * nx, y: my + x * ty + h * ny, z: mz + x * tz + h * nz)
  }

  /// The first and second derivatives of half the squared chord from `center`, along the path.
  @inline(__always)
  func slope(at s: Meters, from center: ECEF, point p: ECEF) -> (Double, Double) {
    let u = s - 0.5 * length
    let wx = p.x - center.x
    let wy = p.y - center.y
    let wz = p.z - center.z
    let along = wx * tx + wy * ty + wz * tz
    let up = wx * nx + wy * ny + wz * nz
    return (along - u * up, 1 - up)
  }

  /// The point of the straight line through the ends that is nearest to `center`, in metres from the start,
  /// and the square of the distance between the two.
  @inline(__always)
  func foot(of center: ECEF) -> (s: Meters, offset2: Double) {
    let wx = center.x - start.x
    let wy = center.y - start.y
    let wz = center.z - start.z
    let along = wx * tx + wy * ty + wz * tz
    let ox = wx - along * tx
    let oy = wy - along * ty
    let oz = wz - along * tz
    return (along, ox * ox + oy * oy + oz * oz)
  }
}
