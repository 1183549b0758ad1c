package import VicinityCrossings

extension Timestamp {
  /// Later than everything.
  package static let distantFuture = Timestamp(microseconds: .max)
}

/// What a phone waits for. Of several at one instant, that which is named first here comes first.
enum Alarm: Int, CaseIterable {
  /// The main thread has finished, expiration handlers are due, or the time of the background is up. First, so that all
  /// else finds the app as it is.
  case lifecycle
  /// The environment changes.
  case environment
  /// The user does something.
  case action
  /// The phone begins to stand still, or to move.
  case motion
  /// The app is kept alive.
  case keepAlive
  /// A timer of the app's.
  case appTimer
  /// A local notification.
  case notification
  /// The standard service's next position.
  case standard
  /// The standard service pauses or resumes, deferral ends.
  case standardState
  /// The significant-change service looks.
  case significantChange
  /// A visit is to be reported.
  case visit
  /// The system looks where it is with respect to the regions.
  case regionLook
  /// What was decided about a region reaches the app.
  case regionDelivery
  /// Bluetooth scans, and beacon regions left.
  case beacons
  /// Ranging reports.
  case ranging
  /// The compass is read.
  case heading
  /// The run is over.
  case end
}

/// When what is waited for comes: one time for each, so that setting and cancelling cost nothing and there is no queue to
/// outgrow.
struct Agenda {
  private var times = [Int64](repeating: .max, count: Alarm.allCases.count)

  /// When an alarm is due; ``Timestamp/distantFuture`` when it is not set.
  subscript(alarm: Alarm) -> Timestamp {
    get { Timestamp(microseconds: times[alarm.rawValue]) }
    set { times[alarm.rawValue] = newValue.microseconds }
  }

  /// The alarm that is due first. There is always one: the end.
  func next() -> (alarm: Alarm, time: Timestamp) {
    var first = 0
    for index in 1..<times.count where times[index] < times[first] { first = index }
    return (Alarm(rawValue: first) ?? .end, Timestamp(microseconds: times[first]))
  }

  /// Forgets an alarm.
  mutating func cancel(_ alarm: Alarm) { times[alarm.rawValue] = .max }
}
