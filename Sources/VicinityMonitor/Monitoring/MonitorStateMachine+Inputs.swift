public import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex

extension MonitorStateMachine {
  /// When something happens unless something is told: the time to call ``pass(to:)``; nil when nothing will.
  public var nextDeadline: Timestamp? { presence.nextDeadline }

  /// Lets time pass, which may have been set back.
  public mutating func pass(to now: Timestamp) {
    if now < time { setClock(to: now) }
    time = now
    note(determinations(presence.advance(to: now)))
  }

  /// A clock may go back so far without having been set.
  private static let clockTolerance = Duration.seconds(1)

  /// The clock has been set back: what follows is later all the same.
  private mutating func setClock(to now: Timestamp) {
    guard now.duration(to: time) > Self.clockTolerance else { return }
    tracker.setClock()
    lastFix = nil
    let sentinel = slots.values.first { $0.isSentinel }?.identifier
    planner.reset()
    planner.adopt(
      slots.values.filter { $0.condition.kind == .geographic && !$0.isSentinel }.map(\.identifier),
      sentinel: sentinel)
    presence.setClock(to: now)
  }

  /// Takes what a monitor is told.
  ///
  /// - Throws: ``MonitorError/fix(_:)`` for a fix that cannot follow those before it, which changes nothing;
  ///   ``MonitorError/condition(identifier:_:)`` where there is no memory.
  public mutating func receive(_ input: MonitorInput, at now: Timestamp) throws(MonitorError) {
    pass(to: now)
    switch input {
    case .fix(let fix): try take(fix)
    case .sighting(let sighting): note(determinations(presence.see(sighting)))
    case .slot(let report): take(report)
    case .environment(let environment): try take(environment)
    }
  }

  // MARK: Fixes

  private mutating func take(_ fix: Fix) throws(MonitorError) {
    var findings: [ConditionTracker.Finding] = []
    let isTaken: Bool
    do { isTaken = try tracker.advance(to: fix, into: &findings) } catch {
      switch error {
      case .track(let error): throw .fix(error)
      case .region(let error): throw .condition(identifier: "", error)
      case .options(let error): throw .crossingOptions(error)
      }
    }
    guard isTaken else { return }
    note(
      findings.map { finding in
        Determination(
          identifier: finding.identifier, state: finding.isInside ? .satisfied : .unsatisfied,
          date: finding.time)
      })
    lastFix = fix
    // What was asked for has come.
    requestedFix = nil
    if regionCount > 0 { plan(at: fix) }
  }

  // MARK: Slots

  private mutating func take(_ report: SlotReport) {
    // What has left its slot may still be heard of; it is not asked any more.
    guard let slot = slots[report.identifier] else { return }
    if slot.isSentinel {
      guard report.state != .satisfied else { return }
      planner.invalidate()
      requestFix(by: time)
      return
    }
    switch report.state {
    case .unknown: return
    case .unmonitored:
      watched[report.identifier]?.isVouched = false
      note([
        Determination(
          identifier: report.identifier, state: .unmonitored, date: report.date,
          diagnostics: report.diagnostics)
      ])
    case .satisfied, .unsatisfied:
      let isInside = report.state == .satisfied
      note([
        Determination(
          identifier: report.identifier, state: report.state, date: report.date,
          refinement: isInside ? report.refinement : nil)
      ])
      switch slot.condition.kind {
      case .geographic: tracker.report(report.identifier, isInside: isInside)
      case .beacon: watched[report.identifier]?.isVouched = isInside
      }
    }
  }

  // MARK: Beacons

  /// What changes of identities mean to the conditions about them.
  func determinations(_ changes: [BeaconPresence.Change]) -> [Determination] {
    var result: [Determination] = []
    for change in changes {
      // A phone tells of its slots, and need not tell of sightings.
      if change.state == .unsatisfied, isVouched(change.identity) { continue }
      for identifier in beacons[change.identity] ?? [] {
        result.append(
          Determination(
            identifier: identifier, state: change.state, date: change.date, refinement: change.refinement))
      }
    }
    return result
  }

  /// Whether the device says that a beacon of an identity is in range.
  func isVouched(_ identity: BeaconIdentity) -> Bool {
    beacons[identity]?.contains { watched[$0]?.isVouched == true } ?? false
  }

  // MARK: The environment

  private mutating func take(_ new: MonitorEnvironment) throws(MonitorError) {
    guard new != environment else { return }
    let changed = Condition.Kind.allCases.filter {
      environment.diagnostics(for: $0) != new.diagnostics(for: $0)
    }
    environment = new
    guard !changed.isEmpty else { return }
    let conditions = stored.conditions.values.filter { changed.contains($0.record.condition.kind) }
    try update(conditions.sorted { $0.number < $1.number }, isKnown: false)
    settle()
  }
}
