internal import VicinityCrossings
internal import VicinitySimulation

/// What an app has reported, so that it reports nothing twice; saved with the app's memory.
struct RegionLedger: Sendable {
  /// The regions that it takes the phone to be in.
  private(set) var inside: Set<String> = []

  /// Takes a region for entered or left without a report.
  mutating func know(_ region: String, isInside: Bool) {
    if isInside { inside.insert(region) } else { inside.remove(region) }
  }

  /// Reports a region unless that is known already; whether it has.
  mutating func note(_ region: String, isInside: Bool, on phone: SimulatedPhone) -> Bool {
    guard isInside ? inside.insert(region).inserted : inside.remove(region) != nil else { return false }
    phone.report(entry: isInside, region: region, at: phone.now)
    return true
  }
}

/// Reports that are not repeated for some time.
struct Cooldown: Sendable {
  /// What was reported, and when: no longer ago than the time.
  private var last: [String: Timestamp] = [:]

  /// Whether something may be reported now; it then counts as reported.
  mutating func allows(_ what: String, for seconds: Double, at now: Timestamp) -> Bool {
    guard seconds > 0 else { return true }
    last = last.filter { now.seconds(since: $0.value) < seconds }
    guard last[what] == nil else { return false }
    last[what] = now
    return true
  }
}
