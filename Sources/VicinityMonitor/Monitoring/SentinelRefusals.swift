internal import VicinityCrossings

/// Whether the device refuses sentinels, as it does without permission for regions. One that is asked for
/// again as soon as it was refused would be refused again at once, and each refusal would ask for a position.
struct SentinelRefusals {
  /// One refusal may be of the moment, such as a slot that is not free yet: a second one without a sentinel
  /// between them is the rule.
  private static let most = 2
  /// After this another attempt is made: nobody need tell when the reason has gone. Assumed.
  static let pause = Duration.seconds(600)
  /// How often to look where the device is meanwhile, with an app that is kept awake: nothing would wake it.
  /// About as often as a strategy looks that may notice crossings a minute late. Assumed.
  static let lookInterval = Duration.seconds(60)

  private var count = 0
  /// When the last one was.
  private var last: Timestamp?

  /// Takes note of what the device says of a sentinel.
  mutating func note(_ state: MonitoringState, at time: Timestamp) {
    switch state {
    case .unmonitored:
      count += 1
      last = time
    case .satisfied, .unsatisfied: end()
    case .unknown: break
    }
  }

  /// What is allowed has changed, or may have.
  mutating func end() { (count, last) = (0, nil) }

  /// Whether no sentinel is to be asked for now.
  func stand(at time: Timestamp) -> Bool {
    guard count >= Self.most, let last else { return false }
    // A clock that was set back ends it too.
    return (.zero..<Self.pause).contains(last.duration(to: time))
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
