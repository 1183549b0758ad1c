internal import VicinityCrossings
internal import VicinityGeodesy

/// Tells from positions whether a device goes somewhere, or stands while the errors of its positions wander.
///
/// Errors of a phone's positions persist for minutes and change by less than a metre in a second; somebody
/// who walks goes farther. So a device moves if it has gone ``distance(accuracy:)`` in as many seconds as it
/// takes to walk there, unless it has stood for as long as the system waits beyond a boundary. Under a roof,
/// where satellites tell no speed, errors now and then go as fast as somebody who walks: one that rests there
/// must have gone as far as errors are known to wander.
struct MotionDetector {
  /// Of positions nearer to each other in time than this, seconds, one is kept.
  private static let spacing = Assumptions.denseInterval / 2

  /// The latest positions, oldest first: one that is old enough to be compared with any, and the later ones;
  /// with the way up to each.
  private var positions: [(fix: Fix, path: Meters)] = []
  /// How far the device has gone by its speeds, metres; where they are unknown, by its positions.
  private var path: Meters = 0
  private var last: Fix?
  /// Whether the position is farther from one of the last ``jumpTime`` seconds than the device has gone by
  /// the speeds that it said it had, by more than positions are usually wrong. Satellites tell speeds by
  /// themselves, so it is the position that has jumped, as it does where roofs begin and end.
  private(set) var isImplausible = false
  /// So long after a jump a position is compared with none before it, seconds.
  static let jumpTime = Assumptions.systemWait + spacing

  /// How far a device must go to be moving, metres.
  private static func distance(accuracy: Meters) -> Meters {
    Assumptions.wandering(Assumptions.proofOfTwo * accuracy)
  }

  /// Takes the next position, and tells whether the device has moved to it. It has, for all that is known,
  /// until there is a position that is old enough to tell.
  ///
  /// - Parameters:
  ///   - accuracy: How accurate positions are at present, metres.
  ///   - isAtRest: Whether the device was at rest before.
  mutating func isMoving(to fix: Fix, accuracy: Meters, isAtRest: Bool = false) -> Bool {
    let oldest = fix.time.advanced(by: .seconds(-Assumptions.wandering.upperBound / Assumptions.walkingSpeed))
    while positions.count > 1, positions[1].fix.time <= oldest { positions.removeFirst() }
    if let last {
      let speed = max(last.speed, fix.speed)
      path +=
        speed < 0
        ? Geodesic.uncheckedDistance(last.coordinate, fix.coordinate)
        : speed * fix.time.seconds(since: last.time)
    }
    last = fix
    isImplausible = positions.contains {
      fix.time.seconds(since: $0.fix.time) <= Self.jumpTime
        && Geodesic.uncheckedDistance($0.fix.coordinate, fix.coordinate) - (path - $0.path)
          > Assumptions.leastAccuracy
    }
    defer {
      if positions.last.map({ fix.time.seconds(since: $0.fix.time) >= Self.spacing }) ?? true {
        positions.append((fix, path))
      }
    }
    if fix.speed >= Assumptions.surelyMoving { return true }
    let distance =
      isAtRest && fix.speed < 0 ? Assumptions.wandering.upperBound : Self.distance(accuracy: accuracy)
    let time = fix.time.advanced(by: .seconds(-distance / Assumptions.walkingSpeed))
    guard let start = positions.last(where: { $0.fix.time <= time }) else { return true }
    return Geodesic.uncheckedDistance(start.fix.coordinate, fix.coordinate) >= distance
      && !stands(at: fix)
  }

  /// Whether the device has gone less than half of what the slowest walker would have, in
  /// ``Assumptions/systemWait``. After a drive or a jump, that tells before the longer ways do.
  private func stands(at fix: Fix) -> Bool {
    let time = fix.time.advanced(by: .seconds(-Assumptions.systemWait))
    guard let start = positions.last(where: { $0.fix.time <= time })?.fix,
      fix.time.seconds(since: start.time) <= Self.jumpTime
    else { return false }
    return Geodesic.uncheckedDistance(start.coordinate, fix.coordinate) < Assumptions.walkingSpeed
      * Assumptions.systemWait / 2
  }
}
