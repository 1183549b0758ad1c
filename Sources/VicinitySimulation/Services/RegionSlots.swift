internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityMonitor

/// The circles and beacons that the system monitors, and the state of each.
///
/// ``CushionRule`` decides about circles. Positions from cells alone decide nothing about a boundary that is
/// nearer than their accuracy, and cancel a pending decision; other positions decide whatever their accuracy.
final class RegionSlots {
  struct Slot {
    var region: MonitoredRegion
    /// Identifies a registration; a later one of the same identifier gets another number.
    var number: Int
    /// When it was registered.
    var since: Timestamp
    var isCircle = false
    /// The centre and radius of a circle; meaningless for beacons.
    var center = ECEF(x: 0, y: 0, z: 0)
    var radius: Meters = 0
    var ruleState = RuleState.open
    /// Whether the app waits for the state.
    var isAskedFor = false

    /// Whether the phone has lain still from before the registration on.
    func isUnmoved(since stillSince: Timestamp?) -> Bool { stillSince.map { $0 <= since } ?? false }

    var state: RegionState { ruleState.isOpen ? .unknown : ruleState.isInside ? .inside : .outside }
  }

  /// A region's new state.
  struct Change {
    var slot: Int
    var before: RegionState
    var state: RegionState
  }

  private(set) var slots: [Slot] = []
  private(set) var circleCount = 0
  var beaconCount: Int { slots.count - circleCount }
  private var lastNumber = 0
  private let rule: CushionRule
  /// Within this chord of this position nothing changes.
  private var quiet: (position: ECEF, radius: Meters)?

  /// - Parameter cushion: Of the era; nil for the phone's own figure.
  init(_ profile: RegionMonitoringProfile, cushion: Meters?) {
    rule = CushionRule(
      cushion: cushion ?? profile.cushion.value, inwardShare: profile.inwardShare.value,
      timeToRemain: Int64((profile.timeToRemain.value * 1e6).rounded()), uncertainFixes: .cancelPending)
  }

  // MARK: Registering

  func index(of identifier: String) -> Int? { slots.firstIndex { $0.region.identifier == identifier } }

  func slot(number: Int) -> Slot? { slots.first { $0.number == number } }

  /// Adds a region; it replaces one with the same identifier. Returns its index.
  func add(_ region: MonitoredRegion, at now: Timestamp) -> Int {
    remove(region.identifier)
    lastNumber += 1
    var slot = Slot(region: region, number: lastNumber, since: now)
    if case .circle(let center, let radius) = region.area {
      slot.isCircle = true
      slot.center = ECEF(unchecked: center)
      slot.radius = radius
      circleCount += 1
    }
    slots.append(slot)
    quiet = nil
    return slots.count - 1
  }

  @discardableResult
  func remove(_ identifier: String) -> Slot? {
    guard let index = index(of: identifier) else { return nil }
    if slots[index].isCircle { circleCount -= 1 }
    quiet = nil
    return slots.remove(at: index)
  }

  func setInside(_ isInside: Bool, of slot: Int) { slots[slot].ruleState = RuleState(isInside: isInside) }

  func setAskedFor(_ isAskedFor: Bool, _ slot: Int) { slots[slot].isAskedFor = isAskedFor }

  // MARK: Deciding

  var hasUnknownCircle: Bool {
    for index in slots.indices where slots[index].isCircle && slots[index].ruleState.isOpen { return true }
    return false
  }

  /// The first time at which a pending change can be confirmed.
  var nextConfirmation: Timestamp? {
    var first: Int64?
    for index in slots.indices {
      guard let time = rule.decisionTime(slots[index].ruleState) else { continue }
      first = min(first ?? .max, time)
    }
    return first.map { Timestamp(microseconds: $0) }
  }

  /// Whether a position cannot change anything.
  func isQuiet(at position: ECEF) -> Bool {
    quiet.map { $0.position.chord(to: position) < $0.radius } ?? false
  }

  /// Decides by a position. Returns the regions whose state has changed or become known.
  ///
  /// - Parameter stillSince: Since when the phone lies still; nil while it moves. It cannot have left a
  ///   region that it has been in since the registration without moving, whatever the position says.
  func update(_ fix: Fix, at position: ECEF, isFromCells: Bool, stillSince: Timestamp?) -> [Change] {
    var changes: [Change] = []
    var clearance = Double.infinity
    for index in slots.indices where slots[index].isCircle {
      let distance = boundaryDistance(index, fix.coordinate, position)
      let before = slots[index].state
      if before == .inside, slots[index].isUnmoved(since: stillSince) {
        clearance = min(
          clearance, rule.clearance(slots[index].ruleState, distance: distance, room: slots[index].radius))
        continue
      }
      let hasChanged = rule.update(
        &slots[index].ruleState, distance: distance, accuracy: isFromCells ? fix.horizontalAccuracy : 0,
        room: slots[index].radius, time: fix.time.microseconds)
      if hasChanged { changes.append(Change(slot: index, before: before, state: slots[index].state)) }
      let state = slots[index].ruleState
      let isSettled = !state.isOpen && !state.isPending
      clearance = min(
        clearance,
        isSettled ? rule.clearance(state, distance: distance, room: slots[index].radius) : 0)
    }
    // Up to 100 km a chord is less than 1.1 m shorter than its geodesic.
    quiet = (position, min(clearance, 100_000) - 1.1)
    return changes
  }

  /// Forgets pending changes: there is no position.
  func cancelPending() {
    for index in slots.indices where slots[index].ruleState.isPending {
      slots[index].ruleState.since = RuleState.notPending
    }
    quiet = nil
  }

  private func boundaryDistance(_ index: Int, _ coordinate: Coordinate, _ position: ECEF) -> Meters {
    let (distance, error) = Geodesic.certifiedDistance(from: position, to: slots[index].center)
    if error < 1 { return distance - slots[index].radius }
    guard case .circle(let center, let radius) = slots[index].region.area else { return .infinity }
    return Geodesic.uncheckedDistance(coordinate, center) - radius
  }
}
