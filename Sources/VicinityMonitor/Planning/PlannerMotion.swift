internal import VicinityCrossings
internal import VicinityGeodesy

/// Where a planner's device is, and for how long its plan holds: all that a fix needs while it does.
///
/// Kept from fix to fix is an upper bound of how far the device, not the fix, is from the plan's centre: no more than the
/// fix is and its error together, and no more than the last such bound and the way since at the greatest speed. The second
/// keeps a single fix that says that it is bad from ending a good plan.
struct PlannerMotion {
  /// The last fix.
  private(set) var time = Timestamp(microseconds: .min)
  private(set) var coordinate = Coordinate(latitude: .nan, longitude: .nan)

  private var center = Coordinate(latitude: .nan, longitude: .nan)
  /// Where most fixes are compared with: the centre, or a place in the disc that is no farther from it than this.
  private var disc = FlatDisc()
  private var anchorDistance: Meters = 0
  /// How far from the centre the plan holds, metres; negative where each fix needs a new one.
  private var hold: Meters = -1
  /// How far from the centre the device must be known to be, metres.
  private var certain: Meters = -1
  /// Whether the plan holds everywhere.
  private var holdsEverywhere = false
  /// Whether distance alone does not decide.
  private var asksAlways = false
  /// The square of a bound of the last fix's distance from there, and what may come on top.
  private var distance2 = 0.0
  private var excess: Meters = 0

  /// Whether something else than the device's motion has ended the plan's time.
  private(set) var isInvalid = false

  /// Whether there has been a fix.
  var isSeen: Bool { !coordinate.latitude.isNaN }

  /// An upper bound of how far the device was from the centre at the last fix, metres.
  var bound: Meters { distance2.squareRoot() + excess }

  /// Says for how long a plan holds.
  ///
  /// - Parameters:
  ///   - hold: How far from the centre; infinite for everywhere.
  ///   - certain: How far the device must be known to be, at most.
  ///   - bound: How far the device may be from the centre now.
  mutating func take(
    center: Coordinate, hold: Meters, certain: Meters, bound: Meters, asksAlways: Bool
  ) {
    self.center = center
    self.hold = hold
    self.certain = certain
    self.asksAlways = asksAlways
    holdsEverywhere = hold == .infinity && certain == .infinity && !asksAlways
    disc = FlatDisc(at: center)
    anchorDistance = 0
    distance2 = bound * bound
    excess = 0
    isInvalid = false
  }

  /// Ends the plan's time.
  mutating func invalidate() {
    hold = -1
    certain = -1
    holdsEverywhere = false
    isInvalid = true
  }

  /// Takes a fix as the last one.
  @inline(__always)
  mutating func move(to fix: Fix) {
    time = fix.time
    coordinate = fix.coordinate
  }

  /// Takes a fix while a bound says that the plan holds.
  ///
  /// - Parameter errorFactor: What its accuracy is multiplied by to bound its error.
  /// - Returns: Whether it does; nothing has changed otherwise.
  /// - Complexity: O(1), some nanoseconds.
  @inline(__always)
  mutating func pass(_ fix: Fix, errorFactor: Double) -> Bool {
    let error = errorFactor * fix.horizontalAccuracy
    let moved2 = disc.distance2(to: fix.coordinate)
    let limit = min(min(hold, certain - error) - anchorDistance, disc.farthest)
    guard moved2 < limit * limit, limit > 0, fix.horizontalAccuracy >= 0, fix.time > time, !asksAlways
    else { return false }
    distance2 = moved2
    excess = anchorDistance + error
    move(to: fix)
    return true
  }

  /// Whether the plan holds at a valid fix later than the last, by exact distances; takes the fix if so.
  mutating func holds(at fix: Fix, error: Meters, maximumSpeed: MetersPerSecond) -> Bool {
    if holdsEverywhere {
      move(to: fix)
      return true
    }
    guard hold > 0 else { return false }
    let distance = Self.distance(from: center, to: fix.coordinate)
    // Where the two contradict each other, speed or error is beyond what was said: the fix is the later.
    let earlier = self.bound + maximumSpeed * fix.time.seconds(since: time)
    let bound = distance - error > earlier ? distance + error : min(distance + error, earlier)
    guard bound < certain, distance < hold || bound < hold else { return false }
    distance2 = bound * bound
    excess = 0
    if distance < hold { anchor(at: fix.coordinate, distance, limit: min(hold, certain - error)) }
    move(to: fix)
    return true
  }

  /// Has the next fixes compared with the centre where bounds reach that far, with a place in the disc otherwise.
  private mutating func anchor(at coordinate: Coordinate, _ distance: Meters, limit: Meters) {
    disc = FlatDisc(at: center)
    anchorDistance = 0
    let reach = min(limit, disc.farthest)
    guard reach <= 0 || disc.distance2(to: coordinate) >= reach * reach else { return }
    disc = FlatDisc(at: coordinate)
    anchorDistance = distance
  }

  /// The distance between two places, rounded up by what it may be off.
  static func distance(from p: Coordinate, to q: Coordinate) -> Meters {
    let (distance, error) = Geodesic.certifiedDistance(from: ECEF(unchecked: p), to: ECEF(unchecked: q))
    guard error < .infinity else { return Geodesic.uncheckedDistance(p, q) + 1e-6 }
    return distance + error
  }
}
