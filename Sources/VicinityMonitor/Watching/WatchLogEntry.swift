public import VicinityCrossings
public import VicinityGeodesy

/// Why a monitor has asked its device for something: an entry of the log that ``MonitorOptions/log`` gets.
///
/// What decided a late or missed event can be found afterwards: a monitor with the same options and a
/// ``ReplayClock``, given the same fixes, makes the same entries.
public struct WatchLogEntry: Hashable, Sendable {
  /// What was decided.
  public enum Decision: Hashable, Sendable {
    /// What a strategy decided.
    case watch(WatchDecision)
    /// A plan of ``Strategy/slots``: how many regions hold slots, and the radius within which the choice
    /// stands, metres; nil without a sentinel.
    case plan(regions: Int, sentinel: Meters?)
  }

  /// When it was decided.
  public var time: Timestamp
  /// When the last accepted fix was made; nil before the first.
  public var fix: Timestamp?
  /// The distance to the nearest boundary, metres, and how accurate the position is; infinite where it is not
  /// known.
  public var clearance: Meters
  public var accuracy: Meters
  public var isAtRest: Bool
  public var decision: Decision

  public init(
    time: Timestamp, fix: Timestamp?, clearance: Meters, accuracy: Meters, isAtRest: Bool, decision: Decision
  ) {
    self.time = time
    self.fix = fix
    self.clearance = clearance
    self.accuracy = accuracy
    self.isAtRest = isAtRest
    self.decision = decision
  }

  /// Why, in a few words.
  public var reason: String {
    switch decision {
    case .watch(let decision): decision.reason
    case .plan: "the last plan does not hold here"
    }
  }
}

extension WatchLogEntry: CustomStringConvertible {
  public var description: String {
    let place =
      clearance.isFinite
      ? "\(Int(min(clearance, 1e9).rounded())) m from a boundary, ±\(Int(min(accuracy, 1e9).rounded())) m"
      : "no boundary known"
    return "\(time) \(isAtRest ? "at rest" : "moving"), \(place): \(decision.words), because: \(reason)"
  }
}

extension WatchLogEntry.Decision {
  fileprivate var words: String {
    switch self {
    case .watch(.locate(let delay, let accuracy, _)):
      "a position of accuracy \(accuracy.rawValue) in \(delay.inSeconds) s"
    case .watch(.update(let accuracy, let filter, let duration, _)):
      "updates of accuracy \(accuracy.rawValue) each \(Int(min(max(filter, 0), 1e9).rounded())) m for \(duration.inSeconds) s"
    case .watch(.sleep(let radius, _)): "sleep within \(Int(min(radius, 1e9).rounded())) m"
    case .plan(let regions, let sentinel):
      "slots for \(regions) regions"
        + (sentinel.map { ", which stand within \(Int(min($0, 1e9).rounded())) m" } ?? "")
    }
  }
}

extension Duration {
  fileprivate var inSeconds: Int { Int(min(max(self / .seconds(1), 0), 1e9).rounded()) }
}
