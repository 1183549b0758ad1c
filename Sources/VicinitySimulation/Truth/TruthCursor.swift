package import VicinityCrossings
package import VicinityGeodesy

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Where a phone truly is at one instant.
package struct TrueState: Hashable, Sendable {
  package var place: Coordinate
  /// Metres a second; zero while it stands.
  package var speed: MetersPerSecond
  /// Degrees clockwise from north, 0 ..< 360; of no meaning while it stands.
  package var course: Degrees
  /// Whether it is in one of the track's stays.
  package var isStill: Bool
}

/// Reads a track forwards: O(1) amortised for times that do not go back.
package struct TruthCursor: Sendable {
  package let track: TrueTrack
  /// The fix at or before the time last asked for, and the stay that has not ended by then.
  private var index = 0
  private var stay = 0
  private var line: GeodesicLine?
  private var lineIndex = -1

  package init(_ track: TrueTrack) { self.track = track }

  /// Whether the phone is in a stay at a time; times may not go back.
  package mutating func isStill(at time: Timestamp) -> Bool {
    while stay < track.stays.count, track.stays[stay].end < time { stay += 1 }
    return stay < track.stays.count && track.stays[stay].start <= time
      || time.microseconds >= track.times[track.times.count - 1]
  }

  /// When the phone next begins or ends a stay, after a time that ``isStill(at:)`` was asked for; at the end of time when
  /// it never does again.
  package func nextChange(after time: Timestamp) -> Timestamp {
    guard stay < track.stays.count else { return track.end > time ? track.end : .distantFuture }
    let next = track.stays[stay]
    return next.start > time ? next.start : next.end.advanced(by: .microseconds(1))
  }

  /// The state at a time; times may not go back.
  package mutating func state(at time: Timestamp) -> TrueState {
    let still = isStill(at: time)
    let times = track.times
    let instant = time.microseconds
    while index + 1 < times.count, times[index + 1] <= instant { index += 1 }
    let here = track.places[index]
    guard instant > times[index] || index + 1 < times.count, index + 1 < times.count, instant >= times[0]
    else {
      return TrueState(place: here, speed: 0, course: 0, isStill: still)
    }
    let next = track.places[index + 1]
    let seconds = Double(times[index + 1] - times[index]) * 1e-6
    let share = Double(instant - times[index]) / Double(times[index + 1] - times[index])
    let frame = LocalFrame(here)
    let step = frame.offset(of: next)
    // A chord of 2 km is within 15 cm of its geodesic up to 60 degrees of latitude.
    if step.length < 2000, abs(here.latitude) < 80 {
      let place = frame.place(at: Offset(east: step.east * share, north: step.north * share))
      return TrueState(
        place: place, speed: still ? 0 : step.length / seconds, course: Self.course(step), isStill: still)
    }
    if lineIndex != index {
      line = GeodesicLine(unchecked: here, next)
      lineIndex = index
    }
    guard let line else { return TrueState(place: here, speed: 0, course: 0, isStill: still) }
    let place = line.point(at: line.distance * share)
    let ahead = line.point(at: line.distance * min(1, share + 1e-4))
    let behind = line.point(at: line.distance * max(0, share - 1e-4))
    let course = Self.course(LocalFrame(behind).offset(of: ahead))
    return TrueState(
      place: place, speed: still ? 0 : line.distance / seconds, course: course, isStill: still)
  }

  private static func course(_ step: Offset) -> Degrees {
    let degrees = atan2(step.east, step.north) * (180 / .pi)
    return degrees < 0 ? min(degrees + 360, 360.0.nextDown) : degrees
  }
}

extension TrueTrack {
  /// Where the phone is at some times, which must not go back.
  package func places(at times: [Timestamp]) -> [Coordinate] {
    var reader = PlaceReader(self)
    return times.map { reader.place(at: $0) }
  }

  /// Where the phone is at some times, which must not go back, and how fast it goes: zero in a stay.
  package func motions(at times: [Timestamp]) -> [(place: Coordinate, speed: MetersPerSecond)] {
    var cursor = TruthCursor(self)
    return times.map { time in
      let state = cursor.state(at: time)
      return (state.place, state.speed)
    }
  }
}

/// Reads where a phone is along a track, forwards.
package struct PlaceReader: Sendable {
  private var cursor: TruthCursor

  package init(_ track: TrueTrack) { cursor = TruthCursor(track) }

  /// The place at a time; times may not go back.
  ///
  /// - Complexity: O(1) amortised
  package mutating func place(at time: Timestamp) -> Coordinate { cursor.state(at: time).place }
}
