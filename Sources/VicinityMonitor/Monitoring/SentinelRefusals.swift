internal import VicinityCrossings

/// Whether the device refuses sentinels, as it does without permission for regions. One that is asked for
/// again as soon as it was refused would be refused again at once, and each refusal would ask for a position.
struct SentinelRefusals {
  /// One refusal may be of the moment, such as a slot that is not free yet: a second one without a sentinel
  /// between them is the rule.
  private static let most = 2
  /// After this another attempt is made: nobody need tell when the reason has gone. Assumed.
  static let pause = Duration.seconds(600)
  /// How often to look where the device is meanwhile, with an app that is awake: nothing would wake it.
  /// About as often as a strategy looks that may notice crossings a minute late. Assumed.
  static let lookInterval = Duration.seconds(60)

  private var count = 0
  /// When the first was of those that followed each other within the pause.
  private var first: Timestamp?
  /// When the last one was.
  private var last: Timestamp?

  /// Whether the device has refused the last sentinel of which it has said anything.
  var isRefused: Bool { count > 0 }

  /// Takes note of what the device says of a sentinel.
  mutating func note(_ state: MonitoringState, at time: Timestamp) {
    switch state {
    case .unmonitored:
      let isOfSeries = last.map { (.zero..<Self.pause).contains($0.duration(to: time)) } ?? false
      if !isOfSeries { first = time }
      count += 1
      last = time
    case .satisfied, .unsatisfied: end()
    case .unknown: break
    }
  }

  /// What is allowed has changed, or may have.
  mutating func end() { (count, first, last) = (0, nil, nil) }

  /// Whether no sentinel is to be asked for now.
  func stand(at time: Timestamp) -> Bool {
    guard count >= Self.most, let last else { return false }
    // A clock that was set back ends it too.
    return (.zero..<Self.pause).contains(last.duration(to: time))
  }

  /// From when on a plan may ask for the next sentinel: at once where none was refused, and for the first
  /// minute of refusals, in which a slot may become free while the app still runs. After that a minute after
  /// the last refusal: an app in front for hours would otherwise ask for a position every nine seconds.
  func nextAttempt(at time: Timestamp) -> Timestamp {
    guard let first, let last, !(.zero..<Self.lookInterval).contains(first.duration(to: time)),
      (.zero..<Self.lookInterval).contains(last.duration(to: time))
    else { return time }
    return last.advanced(by: Self.lookInterval)
  }
}

extension WatchLogEntry {
  /// The entry of a follower that waits for a look as it would for the end of a stay, with the true reason.
  var ofRefusal: Self {
    guard case .watch(.locate(let delay, let accuracy, "a stay is long enough then")) = decision else {
      return self
    }
    var entry = self
    entry.decision = .watch(.locate(after: delay, accuracy, because: "the device refuses sentinels"))
    return entry
  }
}
