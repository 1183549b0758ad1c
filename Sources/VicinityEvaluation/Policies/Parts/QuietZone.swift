internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Where fixes change nothing under the overlap rule: what a phone at rest near boundaries is spared.
///
/// Let q be where regions were looked at, m how far a fix is from q and a its accuracy. **Regions not occupied.** A circle lies
/// within the half-plane behind its nearest tangent, which a polygon is taken for anyway; so a share is at most the half-plane's,
/// which is below `enter` while d > -x a. Boundary distance falls by m at most: nothing is entered while m < D + x a, with D the
/// least boundary distance of such regions at q. **Occupied regions.** Of all circles no smaller than the fix's disc, that of equal
/// size has the least share at a given d / a; it is above `exit` while d < y a. So none is left while m < E + y a, with E the
/// least depth of such regions at q and a no more than their least radius.
struct QuietZone: ~Copyable {
  /// Regions beyond this are not looked at one by one, metres.
  private static let reach: Meters = 150
  /// What distances and shares may be off by, metres.
  private static let slack: Meters = 1e-3
  /// Where the overlap rule's shares are reached, in accuracies: x and y above, rounded down.
  private static let (entering, leaving) = {
    guard case .overlap(let enter, let exit) = CrossingRule.overlap() else {
      return (-Double.infinity, -Double.infinity)
    }
    return (last(in: 0...1) { halfPlane(-$0) < enter }, last(in: -1...1) { lens($0) > exit })
  }()

  private var place = ECEF(x: 0, y: 0, z: 0)
  /// D and E; negative infinity where nothing is known.
  private var outside = -Double.infinity
  private var depth = -Double.infinity
  /// The least radius of the circles that are occupied.
  private var leastRadius = Double.infinity
  /// How many fixes it has spared, and how many to wait until it is made again: one that spares few costs more than it saves.
  private var spared = 0
  private var pause = 0
  private var scratch = QueryScratch()
  private var found: [Neighbor] = []

  /// Whether a fix changes nothing.
  mutating func contains(_ fix: Fix) -> Bool {
    let accuracy = fix.horizontalAccuracy
    guard outside > -.infinity, accuracy <= leastRadius else { return false }
    let free = min(outside + Self.entering * accuracy, depth + Self.leaving * accuracy) - Self.slack
    guard free > 0, fix.coordinate.isValid else { return false }
    let chord = place.chord(to: ECEF(unchecked: fix.coordinate))
    guard GeodesicBounds.fastUpperBound(chord: chord) < free else { return false }
    spared += 1
    return true
  }

  /// Whether it is worth looking at the regions around a fix that it did not contain.
  mutating func isDue() -> Bool {
    if outside > -.infinity, spared < 4 { pause = 16 }
    outside = -.infinity
    spared = 0
    pause -= 1
    return pause < 0
  }

  /// Looks at the regions around a fix that has been decided.
  ///
  /// - Parameter occupied: The regions that the phone is decided to be in; of all others it is to be known that it is not.
  mutating func settle(at fix: Fix, occupied: [Int], _ regions: RegionIndex) {
    guard
      (try? regions.regions(
        within: Self.reach, of: fix.coordinate, options: QueryOptions(), scratch: &scratch, into: &found))
        != nil
    else { return }
    place = ECEF(unchecked: fix.coordinate)
    (outside, depth, leastRadius) = (Self.reach, .infinity, .infinity)
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
    // One so far behind is still to be left.
    if seen != occupied.count { outside = -.infinity }
  }

  // MARK: Shares

  /// The share of a disc of radius 1, its centre at `d` from a straight boundary, that lies behind it.
  static func halfPlane(_ d: Double) -> Double { (acos(d) - d * max(0, 1 - d * d).squareRoot()) / .pi }

  /// The share of a disc of radius 1, its centre at `d` from the boundary of a circle of radius 1, that lies in that.
  static func lens(_ d: Double) -> Double {
    let half = (1 + d) / 2
    return 2 * (acos(half) - half * max(0, 1 - half * half).squareRoot()) / .pi
  }

  /// The last place of a range up to which something holds, from below.
  private static func last(in range: ClosedRange<Double>, _ holds: (Double) -> Bool) -> Double {
    var (low, high) = (range.lowerBound, range.upperBound)
    for _ in 0..<50 {
      let middle = 0.5 * (low + high)
      if holds(middle) { low = middle } else { high = middle }
    }
    return low - 1e-9
  }
}
