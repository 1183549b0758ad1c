internal import CMath
internal import VicinityGeodesy

/// The share of a fix's disc that lies in a region.
///
/// Discs are plane: two circles as far apart as the geodesic between their centres. **Error.** In coordinates
/// of direction and distance from the fix the accuracy's disc is a plane disc exactly. The region's circle
/// leaves the plane one there by up to K c a²/5 (law of cosines on a sphere of curvature K, c the distance of
/// the centres, up to a quarter of the Earth), over a chord of at most 2a out of πa²; and area is off by K
/// s²/6 at s from the fix. With K at most 1/b² the share is off by less than a (c + a) / (6 b²): 5e-10 for a
/// fix of 100 m and a circle of 1 km, 2e-6 for one of 10 km and a circle of 50 km.
enum DiscOverlap {
  /// The share of a disc of radius `a`, its centre at boundary distance `d`, that lies in a circle of radius
  /// `r`.
  static func share(distance d: Meters, accuracy a: Meters, radius r: Meters) -> Double {
    // Apart; the disc in the circle; the circle in the disc. Comparisons that rounding cannot turn into NaN
    // below.
    if d >= a { return 0 }
    if d <= -a { return 1 }
    let c = r + d
    if c + r <= a { return r / a * (r / a) }
    // The circles meet on a line at x2 from the disc's centre towards the region's, x1 from the region's
    // towards it.
    let x2 = (d * (r + c) + a * a) / (2 * c)
    let x1 = c - x2
    let half = max(0, (a - x2) * (a + x2)).squareRoot()
    let area = segment(a, x2, half) + segment(r, x1, half)
    return min(1, max(0, area / (.pi * a * a)))
  }

  /// The share of a disc of radius `a`, its centre at `d` from a straight boundary.
  static func share(distance d: Meters, accuracy a: Meters) -> Double {
    if d >= a { return 0 }
    if d <= -a { return 1 }
    // Of a disc of radius 1; an infinite accuracy halves the plane.
    let x = d / a
    return segment(1, x, max(0, (1 - x) * (1 + x)).squareRoot()) / .pi
  }

  /// The part of a disc beyond a chord at distance `x` from its centre, whose half is `half`: r² (θ − sin θ
  /// cos θ) with θ half the angle that the chord is seen under.
  private static func segment(_ r: Meters, _ x: Meters, _ half: Meters) -> Double {
    let angle = atan2(half, x)
    // θ − sin θ cos θ = (2θ − sin 2θ)/2 loses all its digits in large circles; its series does not: below 0.1
    // to 1e-13.
    if angle < 0.1 {
      let t = 4 * angle * angle
      return r * r * angle * t * (1.0 / 6) * (1 - t / 20 * (1 - t / 42 * (1 - t / 72 * (1 - t / 110))))
    }
    return r * r * angle - x * half
  }
}
