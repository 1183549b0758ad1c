internal import CMath
package import VicinityCrossings
package import VicinityGeodesy

/// The true position and motion of a phone at one instant.
package struct TrueState: Hashable, Sendable {
  package var position: Coordinate
  /// Metres a second; zero during a stay.
  package var speed: MetersPerSecond
  /// Degrees clockwise from north, 0 ..< 360; meaningless during a stay.
  package var course: Degrees
  /// Whether the phone is in one of the track's stays.
  package var isStill: Bool
}

/// Reads a track forwards: O(1) amortised if times do not decrease.
package struct TruthCursor: Sendable {
  package let track: TrueTrack
  /// The fix at or before the last requested time, and the first stay that has not ended by then.
  private var index = 0
  private var stay = 0
  private var line: GeodesicLine?
  private var lineIndex = -1

  package init(_ track: TrueTrack) { self.track = track }

  /// Whether the phone is in a stay at a time; times must not decrease from call to call.
  package mutating func isStill(at time: Timestamp) -> Bool {
    while stay < track.stays.count, track.stays[stay].end < time { stay += 1 }
    return stay < track.stays.count && track.stays[stay].start <= time
      || time.microseconds >= track.times[track.times.count - 1]
  }

  /// The next time at which a stay begins or ends, after the time of the last call of ``isStill(at:)``;
  /// ``Timestamp/distantFuture`` when there is none.
  package func nextChange(after time: Timestamp) -> Timestamp {
    guard stay < track.stays.count else { return track.end > time ? track.end : .distantFuture }
    let next = track.stays[stay]
    return next.start > time ? next.start : next.end.advanced(by: .microseconds(1))
  }

  /// The state at a time; times must not decrease from call to call.
  package mutating func state(at time: Timestamp) -> TrueState {
    let still = isStill(at: time)
    let times = track.times
    let instant = time.microseconds
    while index + 1 < times.count, times[index + 1] <= instant { index += 1 }
    let here = track.positions[index]
    guard instant > times[index] || index + 1 < times.count, index + 1 < times.count, instant >= times[0]
    else {
      return TrueState(position: here, speed: 0, course: 0, isStill: still)
    }
    let next = track.positions[index + 1]
    let seconds = Double(times[index + 1] - times[index]) * 1e-6
    let share = Double(instant - times[index]) / Double(times[index + 1] - times[index])
    let frame = LocalFrame(here)
    let step = frame.offset(of: next)
    // A chord of 2 km is within 15 cm of its geodesic up to 60 degrees of latitude.
    if step.length < 2000, abs(here.latitude) < 80 {
      let position = frame.coordinate(at: Offset(east: step.east * share, north: step.north * share))
      return TrueState(
        position: position, speed: still ? 0 : step.length / seconds, course: Self.course(step),
        isStill: still)
    }
    if lineIndex != index {
      line = GeodesicLine(unchecked: here, next)
      lineIndex = index
    }
    guard let line else { return TrueState(position: here, speed: 0, course: 0, isStill: still) }
    let position = line.point(at: line.distance * share)
    let ahead = line.point(at: line.distance * min(1, share + 1e-4))
    let behind = line.point(at: line.distance * max(0, share - 1e-4))
    let course = Self.course(LocalFrame(behind).offset(of: ahead))
    return TrueState(
      position: position, speed: still ? 0 : line.distance / seconds, course: course, isStill: still)
  }

  /// The true position at a time; times must not decrease from call to call.
  package mutating func position(at time: Timestamp) -> Coordinate { state(at: time).position }

  private static func course(_ step: Offset) -> Degrees {
    let degrees = atan2(step.east, step.north) * (180 / .pi)
    return degrees < 0 ? min(degrees + 360, 360.0.nextDown) : degrees
  }
}

extension TrueTrack {
  /// The positions at some times, which must not decrease.
  package func positions(at times: [Timestamp]) -> [Coordinate] {
    var cursor = TruthCursor(self)
    return times.map { cursor.position(at: $0) }
  }

  /// The positions and speeds at some times, which must not decrease. The speed during a stay is zero.
  package func motions(at times: [Timestamp]) -> [(position: Coordinate, speed: MetersPerSecond)] {
    var cursor = TruthCursor(self)
    return times.map { time in
      let state = cursor.state(at: time)
      return (state.position, state.speed)
    }
  }
}
