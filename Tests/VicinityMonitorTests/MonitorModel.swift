import VicinityGeodesy
import VicinityIndex

@testable import VicinityCrossings
@testable import VicinityMonitor
@testable import VicinityTestSupport

/// What a monitor must do, in the plainest way: every condition looked at on every occasion, by the rules'
/// definitions.
///
/// It shares no logic with the monitor: regions are decided by `RuleOracle`, beacons by `BeaconModel`, what
/// suspends conditions by a table of its own, and the order of events by the rule that `MonitorStateMachine`
/// documents.
struct MonitorModel {
  /// What has been determined of a condition.
  struct Finding {
    var identifier: String
    var state: MonitoringState
    var date: Timestamp
    var refinement: BeaconIdentity?
    var diagnostics: Diagnostics = []
  }

  struct Entry {
    var number: UInt64
    var condition: Condition
    var options: ConditionOptions
    /// The state of the last event made, or what was assumed.
    var state: MonitoringState
    var isDecided = false
    var lastEvent: MonitoringEvent
    var suspension: Diagnostics = []
    var isActive = false
    var isVouched = false
    var ruleState = RuleOracle.Entry()
    var target: RuleOracle.Target?
  }

  var options: MonitorOptions
  var environment = MonitorEnvironment()
  var entries: [String: Entry] = [:]
  var pending: [MonitoringEvent] = []
  var lastNumber: UInt64 = 0
  var lastSequenceNumber: UInt64 = 0
  var lastFix: Fix?
  var isGap = false
  /// When the last fix that was taken was made, by the clock as it is now, and what a process found of that.
  var seen: Timestamp?
  var floor: Timestamp?
  var beacons: BeaconModel

  init(_ options: MonitorOptions) {
    self.options = options
    beacons = BeaconModel(timeout: Self.microseconds(options.beaconTimeout))
  }

  private static func microseconds(_ duration: Duration) -> Int64 {
    duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
  }

  private var ordered: [String] { entries.keys.sorted { entries[$0]!.number < entries[$1]!.number } }

  /// Makes the events of one input: by date, and of one date by the order in which the conditions were added.
  private mutating func note(_ findings: [Finding]) {
    var left = findings
    while !left.isEmpty {
      var first = 0
      for i in left.indices where isBefore(left[i], left[first]) { first = i }
      note(left.remove(at: first))
    }
  }

  private func isBefore(_ a: Finding, _ b: Finding) -> Bool {
    if a.date != b.date { return a.date < b.date }
    return (entries[a.identifier]?.number ?? 0) < (entries[b.identifier]?.number ?? 0)
  }

  private mutating func note(_ finding: Finding) {
    guard let entry = entries[finding.identifier], entry.state != finding.state else { return }
    entries[finding.identifier]!.state = finding.state
    entries[finding.identifier]!.isDecided = true
    lastSequenceNumber += 1
    pending.append(
      MonitoringEvent(
        identifier: finding.identifier, state: finding.state, date: finding.date,
        refinement: finding.refinement, diagnostics: finding.diagnostics,
        sequenceNumber: lastSequenceNumber))
  }

  /// What forbids an app to watch conditions of a kind, by the table in the documentation (“What a monitor
  /// promises”).
  static func suspension(_ kind: Condition.Kind, _ environment: MonitorEnvironment) -> Diagnostics {
    var reasons: Diagnostics = []
    let isAuthorized = environment.authorization == .always || environment.authorization == .whenInUse
    if environment.authorization == .denied { reasons.insert(.authorizationDenied) }
    if environment.authorization == .deniedGlobally { reasons.insert(.authorizationDeniedGlobally) }
    if environment.authorization == .restricted { reasons.insert(.authorizationRestricted) }
    if environment.authorization == .notDetermined {
      reasons.insert(
        environment.isRequestInProgress ? .authorizationRequestInProgress : .serviceSessionRequired)
    }
    let isLimitedToUse = environment.authorization == .whenInUse || !environment.allowsBackgroundRefresh
    if isAuthorized, isLimitedToUse, !environment.isInUse { reasons.insert(.insufficientlyInUse) }
    if !environment.hasFullAccuracy { reasons.insert(.accuracyLimited) }
    if environment.requiresServiceSession, !environment.hasServiceSession {
      reasons.insert(.serviceSessionRequired)
    }
    let isSupported =
      kind == .beacon
      ? environment.hasBeaconHardware && environment.isBluetoothOn
      : environment.hasLocationHardware && !environment.isAirplaneModeOn
    if !isSupported { reasons.insert(.conditionUnsupported) }
    return reasons
  }

  private static func isBeacon(_ condition: Condition) -> Bool {
    if case .beacon = condition { true } else { false }
  }

  private static func target(_ condition: Condition) -> RuleOracle.Target? {
    guard case .circle(let center, let radius) = condition else { return nil }
    return RuleOracle.Target(
      distance: { Geodesic.uncheckedDistance($0, center) - radius }, radius: radius, inradius: radius)
  }

  mutating func add(
    _ identifier: String, _ condition: Condition, _ options: ConditionOptions, _ state: MonitoringState,
    _ now: Timestamp
  ) {
    if entries[identifier]?.condition == condition {
      // The same condition stays: record, state and undelivered events.
      entries[identifier]!.options = options
      return refresh(now)
    }
    remove(identifier, now, refreshes: false)
    lastNumber += 1
    entries[identifier] = Entry(
      number: lastNumber, condition: condition, options: options, state: state,
      lastEvent: MonitoringEvent(identifier: identifier, state: state, date: now),
      target: Self.target(condition))
    refresh(now)
  }

  mutating func remove(_ identifier: String, _ now: Timestamp, refreshes: Bool = true) {
    guard let entry = entries.removeValue(forKey: identifier) else { return }
    pending.removeAll { $0.identifier == identifier }
    if entry.isActive, let beacon = entry.condition.beacon { unwatch(beacon) }
    if refreshes { refresh(now) }
  }

  private mutating func unwatch(_ beacon: BeaconIdentity) {
    if !entries.values.contains(where: { $0.isActive && $0.condition.beacon == beacon }) {
      beacons.unwatch(beacon)
    }
  }

  /// Which conditions are suspended, and by what.
  mutating func refresh(_ now: Timestamp, isKnown: Bool = false) {
    let isClaim = { (entry: Entry) in Self.isBeacon(entry.condition) || entry.options.isPinned }
    let sharing = entries.values.count { !isClaim($0) }
    let slots = max(0, options.plan.capacity - options.plan.reserved)
    var room = [Condition.Kind: Int]()
    let regions = max(0, slots - min(2, sharing, slots))
    room[.geographic] = regions
    room[.beacon] = slots
    var total = regions
    var arrivals: [String] = []
    var suspended: [(String, Diagnostics)] = []
    var findings: [Finding] = []
    for identifier in ordered {
      let entry = entries[identifier]!
      let kind: Condition.Kind = Self.isBeacon(entry.condition) ? .beacon : .geographic
      var suspension = Self.suspension(kind, environment)
      if isClaim(entry) {
        let left: Int
        if options.limit == .total {
          total -= 1
          left = total
        } else {
          room[kind]! -= 1
          left = room[kind]!
        }
        if left < 0 { suspension.insert(.conditionLimitExceeded) }
      }
      entries[identifier]!.suspension = suspension
      if !suspension.isEmpty {
        suspended.append((identifier, suspension))
      } else if !entry.isActive {
        arrivals.append(identifier)
      }
    }
    for (identifier, suspension) in suspended {
      let wasActive = entries[identifier]!.isActive
      entries[identifier]!.isActive = false
      entries[identifier]!.isVouched = false
      if wasActive, let beacon = entries[identifier]!.condition.beacon { unwatch(beacon) }
      findings.append(
        Finding(identifier: identifier, state: .unmonitored, date: now, diagnostics: suspension))
    }
    for identifier in arrivals {
      entries[identifier]!.isActive = true
      let entry = entries[identifier]!
      if let beacon = entry.condition.beacon {
        findings += self.findings(beacons.watch(beacon))
        let state = beacons.state(of: beacon)
        if state == .satisfied || state == .unsatisfied && !isVouched(beacon) {
          findings.append(
            Finding(
              identifier: identifier, state: state, date: now, refinement: beacons.refinement(of: beacon)))
        }
      } else {
        entries[identifier]!.ruleState = RuleOracle.Entry()
        if isKnown, entry.isDecided, entry.state == .satisfied || entry.state == .unsatisfied {
          entries[identifier]!.ruleState.isKnown = true
          entries[identifier]!.ruleState.isInside = entry.state == .satisfied
        }
      }
    }
    note(findings)
  }

  mutating func pass(_ now: Timestamp) { note(findings(beacons.pass(to: now.microseconds))) }

  mutating func see(_ beacon: BeaconIdentity, at time: Timestamp) {
    note(findings(beacons.see(beacon, at: time.microseconds)))
  }

  private func isVouched(_ beacon: BeaconIdentity) -> Bool {
    entries.values.contains { $0.isVouched && $0.condition.beacon == beacon }
  }

  private func findings(_ changes: [BeaconModel.Change]) -> [Finding] {
    changes.flatMap { change in
      // A phone that says that a beacon is in range need not tell of sightings.
      if !change.isInRange, isVouched(change.identity) { return [Finding]() }
      return entries.filter { $0.value.isActive && $0.value.condition.beacon == change.identity }.map {
        Finding(
          identifier: $0.key, state: change.isInRange ? .satisfied : .unsatisfied,
          date: Timestamp(microseconds: change.date), refinement: change.refinement)
      }
    }
  }

  mutating func setClock(_ now: Timestamp) {
    isGap = true
    if let last = seen, last > now { seen = now }
    beacons.setClock(to: now.microseconds)
  }

  /// - Returns: Whether the fix can follow those before it.
  mutating func take(_ fix: Fix) -> Bool {
    if fix.horizontalAccuracy < 0 { return true }
    if lastFix == nil, !isGap, let floor, fix.time <= floor { return fix.time == floor }
    if let last = lastFix, !isGap {
      if fix.time == last.time, fix.coordinate == last.coordinate { return true }
      if fix.time <= last.time { return false }
      let gap = Self.microseconds((options.crossings ?? CrossingOptions()).maximumGap)
      if fix.time.microseconds - last.time.microseconds > gap { isGap = true }
    }
    for identifier in ordered {
      guard entries[identifier]!.isActive, let target = entries[identifier]!.target else { continue }
      if isGap { entries[identifier]!.ruleState.since = nil }
      RuleOracle.step(
        &entries[identifier]!.ruleState, (options.crossings ?? CrossingOptions()).rule,
        target.distance(fix.coordinate),
        fix.horizontalAccuracy, fix.time.microseconds, target)
    }
    isGap = false
    lastFix = fix
    seen = fix.time
    noteFindings(of: fix)
    return true
  }

  /// Makes events of where a fix that was taken leaves the regions.
  private mutating func noteFindings(of fix: Fix) {
    note(
      ordered.compactMap { identifier in
        let entry = entries[identifier]!
        guard entry.isActive, entry.target != nil, entry.ruleState.isKnown else { return nil }
        let state: MonitoringState = entry.ruleState.isInside ? .satisfied : .unsatisfied
        return state == entry.state ? nil : Finding(identifier: identifier, state: state, date: fix.time)
      })
  }

  mutating func take(_ report: SlotReport) {
    if report.state == .unknown { return }
    note([
      Finding(
        identifier: report.identifier, state: report.state, date: report.date, refinement: report.refinement)
    ])
    guard entries[report.identifier]?.target != nil else {
      entries[report.identifier]?.isVouched = report.state == .satisfied
      return
    }
    entries[report.identifier]!.ruleState.isKnown = true
    entries[report.identifier]!.ruleState.isInside = report.state == .satisfied
    entries[report.identifier]!.ruleState.since = nil
  }

  mutating func handle(_ number: UInt64) {
    guard let i = pending.firstIndex(where: { $0.sequenceNumber == number }) else { return }
    let event = pending.remove(at: i)
    entries[event.identifier]?.lastEvent = event
  }

  mutating func relaunch(_ now: Timestamp) {
    lastFix = nil
    // What lies farther ahead is of a clock that was set back.
    floor = seen.flatMap { now.duration(to: $0) > .seconds(300) ? nil : $0 }
    isGap = false
    beacons = BeaconModel(timeout: beacons.timeout)
    _ = beacons.pass(to: now.microseconds)
    for identifier in entries.keys {
      entries[identifier]!.isActive = false
      entries[identifier]!.isVouched = false
      entries[identifier]!.ruleState = RuleOracle.Entry()
    }
    refresh(now, isKnown: true)
  }
}
