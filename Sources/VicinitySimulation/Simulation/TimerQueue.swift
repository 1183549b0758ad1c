internal import VicinityCrossings

/// What a phone waits for. Of several timers due at one instant the one listed first here fires first.
enum TimerKind: Int, CaseIterable {
  /// The main thread has finished, expiration handlers are due, or the background time is up. First, so that
  /// all others find the app in its current state.
  case lifecycle
  case surroundings
  case action
  /// The phone begins to stand still or to move.
  case motion
  case keepAlive
  /// The time in which an app may go on with a session of the process before is over.
  case sessions
  case concurrentWork
  case appTimer
  case notification
  /// The next position of the standard service.
  case standard
  /// A pause, deferral or single request of the standard service ends.
  case standardState
  case significantChange
  case visit
  case regionCheck
  /// A region event reaches the app.
  case regionDelivery
  /// A Bluetooth scan, or the end of a beacon region's time without a sighting.
  case beacons
  case ranging
  case heading
  case end
}

/// The timers of a phone, one time for each kind. Setting and cancelling need no queue.
struct TimerQueue {
  private var times = [Int64](repeating: .max, count: TimerKind.allCases.count)

  /// The time at which a timer is due; ``Timestamp/distantFuture`` when it is not set.
  subscript(kind: TimerKind) -> Timestamp {
    get { Timestamp(microseconds: times[kind.rawValue]) }
    set { times[kind.rawValue] = newValue.microseconds }
  }

  /// The timer that is due first. There is always one: the end.
  func next() -> (kind: TimerKind, time: Timestamp) {
    var first = 0
    for index in 1..<times.count where times[index] < times[first] { first = index }
    return (TimerKind(rawValue: first) ?? .end, Timestamp(microseconds: times[first]))
  }

  mutating func cancel(_ kind: TimerKind) { times[kind.rawValue] = .max }
}
