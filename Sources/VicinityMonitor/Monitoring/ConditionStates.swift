internal import VicinityCrossings

/// What is known of conditions beyond what is stored.
struct ConditionStates {
  /// What is known of one.
  struct Known {
    /// The state of the last event made; before the first event, the assumed state.
    fileprivate(set) var state: MonitoringState
    /// Whether the state was decided, and not just assumed.
    fileprivate(set) var isDecided = false
    /// Whether the device, by its slot, says that the beacon is in range. Silence proves nothing then.
    fileprivate(set) var isVouched = false
    /// Why the device has refused to watch the condition, by its own report; nil where it has not.
    fileprivate(set) var refusal: Diagnostics?
    /// What suspends the condition; empty while it is watched.
    fileprivate(set) var suspension: Diagnostics = []
    /// Whether the decider or the beacon presence watches the condition.
    fileprivate(set) var isActive = false
  }

  private var known: [String: Known] = [:]
  /// The conditions whose last event says that they are satisfied, with the dates of these events.
  private(set) var inside: [String: Timestamp] = [:]

  subscript(_ identifier: String) -> Known? { known[identifier] }

  /// Begins with an assumed state.
  mutating func begin(_ identifier: String, assuming state: MonitoringState) {
    known[identifier] = Known(state: state)
  }

  mutating func forget(_ identifier: String) {
    known[identifier] = nil
    inside[identifier] = nil
  }

  /// An event has been made.
  mutating func decide(_ event: MonitoringEvent) {
    guard known[event.identifier] != nil else { return }
    known[event.identifier]?.state = event.state
    known[event.identifier]?.isDecided = true
    inside[event.identifier] = event.state == .satisfied ? event.date : nil
  }

  mutating func setActive(_ isActive: Bool, _ identifier: String) { known[identifier]?.isActive = isActive }

  mutating func setSuspension(_ suspension: Diagnostics, of identifier: String) {
    known[identifier]?.suspension = suspension
  }

  mutating func setRefusal(_ refusal: Diagnostics?, of identifier: String) {
    known[identifier]?.refusal = refusal
  }

  mutating func setVouched(_ isVouched: Bool, _ identifier: String) {
    known[identifier]?.isVouched = isVouched
  }

  /// The condition is watched no longer: what the device said of it does not count any more.
  mutating func deactivate(_ identifier: String) {
    known[identifier]?.refusal = nil
    known[identifier]?.isActive = false
    known[identifier]?.isVouched = false
  }
}
