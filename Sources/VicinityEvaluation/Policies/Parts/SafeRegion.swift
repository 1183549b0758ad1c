internal import CMath
internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex

/// The area around a position in which fixes change nothing under the overlap rule. It saves work for a phone
/// at rest near boundaries.
///
/// Let q be the position at which the regions were measured, m the distance of a fix from q, and a the fix's
/// accuracy.
///
/// **Regions that the phone is not in.** A circle lies within the half-plane behind its nearest tangent, and
/// the rule treats a polygon as that half-plane. So the share of the disc in the region is at most the
/// half-plane's, which is below `enter` while d > -x a. The boundary distance falls by at most m. So no
/// region is entered while m < D + x a, where D is the least boundary distance of such regions at q.
///
/// **Regions that the phone is in.** Among all circles no smaller than the fix's disc, the one of equal size
/// has the least share at a given d / a; it is above `exit` while d < y a. So no region is left while m < E +
/// y a, where E is the least depth in such regions at q, and a is at most their least radius.
struct SafeRegion: ~Copyable {
  /// Regions farther away than this are not measured one by one, metres.
  private static let maximumDistance: Meters = 150
  /// The error to allow for in distances and shares, metres.
  private static let slack: Meters = 1e-3
  /// x and y above, rounded down.
  private static let (entering, leaving) = {
    guard case .overlap(let enter, let exit) = CrossingRule.overlap() else {
      return (-Double.infinity, -Double.infinity)
    }
    return (last(in: 0...1) { halfPlane(-$0) < enter }, last(in: -1...1) { lens($0) > exit })
  }()

  private var center = ECEF(x: 0, y: 0, z: 0)
  /// D and E above; `outside` is negative infinity where nothing is known.
  private var outside = -Double.infinity
  private var depth = -Double.infinity
  /// The least radius of the circles that the phone is in.
  private var leastRadius = Double.infinity
  /// How many fixes it has contained, and how many fixes to wait before it is set again: one that contains
  /// few costs more than it saves.
  private var spared = 0
  private var pause = 0
  private var scratch = QueryScratch()
  private var found: [Neighbor] = []

  /// Whether a fix lies in the area, so that it changes nothing.
  mutating func contains(_ fix: Fix) -> Bool {
    let accuracy = fix.horizontalAccuracy
    guard outside > -.infinity, accuracy <= leastRadius else { return false }
    let free = min(outside + Self.entering * accuracy, depth + Self.leaving * accuracy) - Self.slack
    guard free > 0, fix.coordinate.isValid else { return false }
    let chord = center.chord(to: ECEF(unchecked: fix.coordinate))
    guard GeodesicBounds.fastUpperBound(chord: chord) < free else { return false }
    spared += 1
    return true
  }

  /// Whether it is worth setting the area again, after a fix that it did not contain.
  mutating func isDue() -> Bool {
    if outside > -.infinity, spared < 4 { pause = 16 }
    outside = -.infinity
    spared = 0
    pause -= 1
    return pause < 0
  }

  /// Sets the area around a fix that has been decided.
  ///
  /// - Parameter occupied: The regions that the phone is in; the decision about all others must be that it is
  ///   not.
  mutating func set(at fix: Fix, occupied: [Int], _ regions: RegionIndex) {
    guard
      (try? regions.within(
        Self.maximumDistance, of: fix.coordinate, options: QueryOptions(), scratch: &scratch,
        into: &found))
        != nil
    else { return }
    center = ECEF(unchecked: fix.coordinate)
    (outside, depth, leastRadius) = (Self.maximumDistance, .infinity, .infinity)
    var seen = 0
    for neighbor in found {
      if occupied.contains(neighbor.ordinal) {
        seen += 1
        depth = min(depth, -neighbor.distance)
        if let center = neighbor.distanceToCenter {
          leastRadius = min(leastRadius, center - neighbor.distance)
        }
      } else {
        outside = min(outside, neighbor.distance)
      }
    }
    // The phone has yet to leave a region that is far away.
    if seen != occupied.count { outside = -.infinity }
  }

  // MARK: Shares

  /// The share of a disc of radius 1 that lies behind a straight boundary, at distance `d` from its centre.
  static func halfPlane(_ d: Double) -> Double { (acos(d) - d * max(0, 1 - d * d).squareRoot()) / .pi }

  /// The share of a disc of radius 1 that lies in a circle of radius 1, with its centre `d` from the circle's
  /// boundary.
  static func lens(_ d: Double) -> Double {
    let half = (1 + d) / 2
    return 2 * (acos(half) - half * max(0, 1 - half * half).squareRoot()) / .pi
  }

  /// The last value of a range up to which `holds` is true, less the error of the bisection.
  private static func last(in range: ClosedRange<Double>, _ holds: (Double) -> Bool) -> Double {
    var (low, high) = (range.lowerBound, range.upperBound)
    for _ in 0..<50 {
      let middle = 0.5 * (low + high)
      if holds(middle) { low = middle } else { high = middle }
    }
    return low - 1e-9
  }
}
