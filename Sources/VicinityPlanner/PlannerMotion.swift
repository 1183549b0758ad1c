internal import VicinityCrossings
internal import VicinityGeodesy

/// Where a planner's device is, and how far its plan holds: all that a fix needs while the plan holds.
///
/// From fix to fix an upper bound of the device's distance from the plan's centre is kept. It is no more than
/// the fix's distance and error together, and no more than the last bound plus the way since then at the
/// greatest speed. The second limit keeps a single inaccurate fix from ending a good plan.
struct PlannerMotion {
  /// The time and position of the last fix.
  private(set) var time = Timestamp(microseconds: .min)
  private(set) var coordinate = Coordinate(latitude: .nan, longitude: .nan)

  private var center = Coordinate(latitude: .nan, longitude: .nan)
  /// What most fixes are compared with: a disc around the centre, or around a position that is this far from
  /// it.
  private var disc = FlatDisc()
  private var anchorDistance: Meters = 0
  /// How far from the centre the plan holds, metres; negative where every fix needs a new plan.
  private var validRadius: Meters = -1
  /// The bound of the device's distance must stay below this, metres.
  private var certifiedRadius: Meters = -1
  private var holdsEverywhere = false
  /// Whether distance alone does not decide.
  private var asksAlways = false
  /// The bound at the last fix is the square root of this, and ``excess``.
  private var distance2 = 0.0
  private var excess: Meters = 0

  /// Whether something other than the device's motion has ended the plan.
  private(set) var isInvalid = false

  /// Whether there has been a fix.
  var isSeen: Bool { !coordinate.latitude.isNaN }

  /// An upper bound of how far the device was from the centre at the last fix, metres.
  var bound: Meters { distance2.squareRoot() + excess }

  /// Starts a plan.
  ///
  /// - Parameters:
  ///   - validRadius: How far from the centre the plan holds, metres; infinite for everywhere.
  ///   - certifiedRadius: What the bound of the device's distance must stay below, metres.
  ///   - bound: How far the device may be from the centre now, metres.
  ///   - asksAlways: Whether distance alone does not decide.
  mutating func start(
    center: Coordinate, validRadius: Meters, certifiedRadius: Meters, bound: Meters, asksAlways: Bool
  ) {
    self.center = center
    self.validRadius = validRadius
    self.certifiedRadius = certifiedRadius
    self.asksAlways = asksAlways
    holdsEverywhere = validRadius == .infinity && certifiedRadius == .infinity && !asksAlways
    disc = FlatDisc(at: center)
    anchorDistance = 0
    distance2 = bound * bound
    excess = 0
    isInvalid = false
  }

  /// Ends the plan.
  mutating func invalidate() {
    validRadius = -1
    certifiedRadius = -1
    holdsEverywhere = false
    isInvalid = true
  }

  @inline(__always)
  mutating func move(to fix: Fix) {
    time = fix.time
    coordinate = fix.coordinate
  }

  /// Makes a fix the last one if a bound says that the plan holds.
  ///
  /// - Parameter errorFactor: What its accuracy is multiplied by to bound its error.
  /// - Returns: Whether it does; nothing has changed otherwise.
  /// - Complexity: O(1), some nanoseconds.
  @inline(__always)
  mutating func skipIfUnaffected(_ fix: Fix, errorFactor: Double) -> Bool {
    let error = errorFactor * fix.horizontalAccuracy
    let moved2 = disc.distance2(to: fix.coordinate)
    let limit = min(min(validRadius, certifiedRadius - error) - anchorDistance, disc.farthest)
    guard moved2 < limit * limit, limit > 0, fix.horizontalAccuracy >= 0, fix.time > time, !asksAlways
    else { return false }
    distance2 = moved2
    excess = anchorDistance + error
    move(to: fix)
    return true
  }

  /// Whether the plan holds at a valid fix later than the last, by exact distances. If so, the fix becomes
  /// the last one.
  mutating func holds(at fix: Fix, error: Meters, maximumSpeed: MetersPerSecond) -> Bool {
    if holdsEverywhere {
      move(to: fix)
      return true
    }
    guard validRadius > 0 else { return false }
    let distance = Self.distance(from: center, to: fix.coordinate)
    // Where the two contradict each other, the speed or the error exceeds its limit. The fix is newer, and
    // counts.
    let earlier = self.bound + maximumSpeed * fix.time.seconds(since: time)
    let bound = distance - error > earlier ? distance + error : min(distance + error, earlier)
    guard bound < certifiedRadius, distance < validRadius || bound < validRadius else { return false }
    distance2 = bound * bound
    excess = 0
    if distance < validRadius {
      anchor(at: fix.coordinate, distance, limit: min(validRadius, certifiedRadius - error))
    }
    move(to: fix)
    return true
  }

  /// Has the next fixes compared with the centre where bounds reach that far, otherwise with a position in
  /// the disc.
  private mutating func anchor(at coordinate: Coordinate, _ distance: Meters, limit: Meters) {
    disc = FlatDisc(at: center)
    anchorDistance = 0
    let radius = min(limit, disc.farthest)
    guard radius <= 0 || disc.distance2(to: coordinate) >= radius * radius else { return }
    disc = FlatDisc(at: coordinate)
    anchorDistance = distance
  }

  /// An upper bound of the distance between two positions, metres.
  static func distance(from p: Coordinate, to q: Coordinate) -> Meters {
    let (distance, error) = Geodesic.certifiedDistance(from: ECEF(unchecked: p), to: ECEF(unchecked: q))
    guard error < .infinity else { return Geodesic.uncheckedDistance(p, q) + 1e-6 }
    return distance + error
  }
}
