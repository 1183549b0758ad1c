import VicinityGeodesy
import VicinityIndex

@testable import VicinityMonitor

/// What a monitor must do, in the plainest way: every condition looked at on every occasion, by the rules' definitions.
struct MonitorModel {
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
    var standing = RuleOracle.Entry()
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
  var presence: BeaconPresence

  init(_ options: MonitorOptions) throws {
    self.options = options
    presence = try BeaconPresence(timeout: options.beaconTimeout)
  }

  private var ordered: [String] { entries.keys.sorted { entries[$0]!.number < entries[$1]!.number } }

  mutating func note(
    _ identifier: String, _ state: MonitoringState, _ date: Timestamp, _ refinement: BeaconIdentity? = nil,
    _ diagnostics: Diagnostics = []
  ) {
    guard let entry = entries[identifier], entry.state != state else { return }
    entries[identifier]!.state = state
    entries[identifier]!.isDecided = true
    lastSequenceNumber += 1
    pending.append(
      MonitoringEvent(
        identifier: identifier, state: state, date: date, refinement: refinement, diagnostics: diagnostics,
        sequenceNumber: lastSequenceNumber))
  }

  mutating func add(
    _ identifier: String, _ condition: Condition, _ options: ConditionOptions, _ state: MonitoringState,
    _ now: Timestamp
  ) {
    remove(identifier, now, refreshes: false)
    lastNumber += 1
    entries[identifier] = Entry(
      number: lastNumber, condition: condition, options: options, state: state,
      lastEvent: MonitoringEvent(identifier: identifier, state: state, date: now),
      target: condition.region(identifier: identifier).map { RuleOracle.targets([$0])[0] })
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
      presence.unwatch(beacon)
    }
  }

  /// Which conditions are suspended, and by what.
  mutating func refresh(_ now: Timestamp, isKnown: Bool = false) {
    let isClaim = { (entry: Entry) in entry.condition.kind == .beacon || entry.options.isPinned }
    let sharing = entries.values.count { !isClaim($0) }
    let slots = options.plan.slots
    var room = [Condition.Kind: Int]()
    let regions = max(0, slots - min(2, sharing, slots))
    room[.geographic] = regions
    room[.beacon] = slots
    var total = regions
    var arrivals: [String] = []
    var suspended: [(String, Diagnostics)] = []
    for identifier in ordered {
      let entry = entries[identifier]!
      var suspension = environment.diagnostics(for: entry.condition.kind)
      if isClaim(entry) {
        let left: Int
        if options.limit == .total {
          total -= 1
          left = total
        } else {
          room[entry.condition.kind]! -= 1
          left = room[entry.condition.kind]!
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
    // Those that share come first, then those with claims: the order in which events get their numbers.
    for claims in [false, true] {
      for (identifier, suspension) in suspended where isClaim(entries[identifier]!) == claims {
        let wasActive = entries[identifier]!.isActive
        entries[identifier]!.isActive = false
        entries[identifier]!.isVouched = false
        if wasActive, let beacon = entries[identifier]!.condition.beacon { unwatch(beacon) }
        note(identifier, .unmonitored, now, nil, suspension)
      }
    }
    for identifier in arrivals {
      entries[identifier]!.isActive = true
      let entry = entries[identifier]!
      if let beacon = entry.condition.beacon {
        for change in presence.watch(beacon, at: now) { take(change) }
        let state = presence.state(of: beacon)
        if state == .satisfied || state == .unsatisfied && !isVouched(beacon) {
          note(identifier, state, now, presence.refinement(of: beacon))
        }
      } else {
        entries[identifier]!.standing = RuleOracle.Entry()
        if isKnown, entry.isDecided, entry.state == .satisfied || entry.state == .unsatisfied {
          entries[identifier]!.standing.isKnown = true
          entries[identifier]!.standing.isInside = entry.state == .satisfied
        }
      }
    }
  }

  mutating func pass(_ now: Timestamp) {
    for change in presence.advance(to: now) { take(change) }
  }

  private func isVouched(_ beacon: BeaconIdentity) -> Bool {
    entries.values.contains { $0.isVouched && $0.condition.beacon == beacon }
  }

  mutating func take(_ change: BeaconPresence.Change) {
    if change.state == .unsatisfied, isVouched(change.identity) { return }
    for identifier in ordered
    where entries[identifier]!.isActive && entries[identifier]!.condition.beacon == change.identity {
      note(identifier, change.state, change.date, change.refinement)
    }
  }

  mutating func setClock(_ now: Timestamp) throws {
    isGap = true
    var identities: [BeaconIdentity] = []
    for identifier in ordered where entries[identifier]!.isActive {
      guard let beacon = entries[identifier]!.condition.beacon, !identities.contains(beacon) else { continue }
      identities.append(beacon)
    }
    let inRange = identities.compactMap { presence.refinement(of: $0) }
    presence = try BeaconPresence(timeout: options.beaconTimeout)
    for identity in identities { _ = presence.watch(identity, at: now) }
    for beacon in inRange {
      _ = presence.see(
        BeaconSighting(
          uuid: beacon.uuid, major: beacon.major!, minor: beacon.minor!, rssi: 0, measuredPower: 0, time: now)
      )
    }
  }

  /// - Returns: Whether the fix can follow those before it.
  mutating func take(_ fix: Fix) -> Bool {
    if fix.horizontalAccuracy < 0 { return true }
    if let last = lastFix, !isGap {
      if fix.time == last.time, fix.coordinate == last.coordinate { return true }
      if fix.time <= last.time { return false }
      let gap = options.crossings.maximumGap.components.seconds * 1_000_000
      if fix.time.microseconds - last.time.microseconds > gap { isGap = true }
    }
    for identifier in ordered {
      guard entries[identifier]!.isActive, let target = entries[identifier]!.target else { continue }
      if isGap { entries[identifier]!.standing.since = nil }
      RuleOracle.step(
        &entries[identifier]!.standing, options.crossings.rule, target.distance(fix.coordinate),
        fix.horizontalAccuracy, fix.time.microseconds, target)
    }
    isGap = false
    lastFix = fix
    return true
  }

  /// The events of the regions' states, in the order in which the monitor has made them: its order is free where the
  /// instants are the same.
  mutating func noteFindings(of fix: Fix, inOrderOf made: [MonitoringEvent]) {
    var order: [String: Int] = [:]
    for (i, event) in made.enumerated() { order[event.identifier] = i }
    for identifier in ordered.sorted(by: { (order[$0] ?? -1) < (order[$1] ?? -1) }) {
      let entry = entries[identifier]!
      guard entry.isActive, entry.target != nil, entry.standing.isKnown else { continue }
      note(identifier, entry.standing.isInside ? .satisfied : .unsatisfied, fix.time)
    }
  }

  mutating func take(_ report: SlotReport) {
    note(report.identifier, report.state, report.date, report.refinement)
    guard entries[report.identifier]?.target != nil else {
      entries[report.identifier]?.isVouched = report.state == .satisfied
      return
    }
    entries[report.identifier]!.standing.isKnown = true
    entries[report.identifier]!.standing.isInside = report.state == .satisfied
    entries[report.identifier]!.standing.since = nil
  }

  mutating func handle(_ number: UInt64) {
    guard let i = pending.firstIndex(where: { $0.sequenceNumber == number }) else { return }
    let event = pending.remove(at: i)
    entries[event.identifier]?.lastEvent = event
  }

  mutating func relaunch(_ now: Timestamp) throws {
    lastFix = nil
    isGap = false
    presence = try BeaconPresence(timeout: options.beaconTimeout)
    for identifier in entries.keys {
      entries[identifier]!.isActive = false
      entries[identifier]!.isVouched = false
      entries[identifier]!.standing = RuleOracle.Entry()
    }
    refresh(now, isKnown: true)
  }
}
