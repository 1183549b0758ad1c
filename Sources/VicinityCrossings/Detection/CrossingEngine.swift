internal import VicinityGeodesy
internal import VicinityIndex

/// Moves devices and finds their crossings: the one implementation behind ``CrossingDetector``, ``Fleet`` and
/// ``UpdatableCrossingDetector``.
///
/// Which regions a device occupies depends on its position alone; where bounds leave it open, the reference
/// decides. What happens between two fixes depends on the two and on one region. So entries and exits
/// alternate, and neither the neighbourhood nor earlier fixes can change a result: they only save work.
struct CrossingEngine: ~Copyable {
  let regions: MonitoredIndex
  let tree: TreeView
  /// The longest gap between two fixes of a track, microseconds.
  let maximumGap: Int64
  /// The loitering delay, microseconds; nil without dwell events.
  let delay: Int64?
  /// The rule that decides at fixes; nil for the geometric rule.
  let fixRule: FixRule?
  /// Whether the quick test must allow for the fix's accuracy disc.
  let usesDisc: Bool
  private let notifyOnEntry: RegionChoice
  private let notifyOnExit: RegionChoice
  private let notifiesOfAll: Bool

  init(_ regions: MonitoredIndex, validated options: CrossingOptions) {
    self.regions = regions
    tree = regions.tree
    maximumGap = options.maximumGap.microseconds
    delay = options.dwell.map { max(1, $0.microseconds) }
    fixRule = FixRule(options.rule)
    usesDisc = fixRule?.kind == .overlap
    notifyOnEntry = options.notifyOnEntry
    notifyOnExit = options.notifyOnExit
    notifiesOfAll = notifyOnEntry == .all && notifyOnExit == .all
  }

  /// The movement from one fix to the next.
  struct Leg {
    let start: Coordinate
    let end: Coordinate
    let startTime: Int64
    let endTime: Int64
    let isGap: Bool

    /// The time at a fraction of the leg, to the microsecond.
    func time(at fraction: Double) -> Int64 {
      let (duration, overflow) = endTime.subtractingReportingOverflow(startTime)
      if overflow || fraction >= 1 { return endTime }
      let part = Int64((fraction * Double(duration)).rounded())
      return startTime + min(max(part, 0), duration)
    }

    func fraction(at time: Int64) -> Double {
      let whole = Double(endTime) - Double(startTime)
      return min(max((Double(time) - Double(startTime)) / whole, 0), 1)
    }
  }

  /// Moves a device to its next fix, which the callers' quick test has not skipped.
  ///
  /// - Throws: ``TrackError``; nothing has changed then.
  func advance(
    to fix: Fix, _ state: inout DeviceState, _ counts: inout FixCounts,
    _ neighborhood: inout Neighborhood, _ scratch: inout DetectorScratch, _ crossings: inout [Crossing]
  ) throws(TrackError) {
    let verdict = try FixValidator.check(
      fix, after: state.isSeen ? Timestamp(microseconds: state.time) : nil, at: state.coordinate)
    counts.count(verdict)
    guard verdict == .accepted else { return }
    advance(toValidated: fix, &state, &neighborhood, &scratch, &crossings)
  }

  /// Moves a device to its next fix, which a ``FixValidator`` has accepted.
  func advance(
    toValidated fix: Fix, _ state: inout DeviceState, _ neighborhood: inout Neighborhood,
    _ scratch: inout DetectorScratch, _ crossings: inout [Crossing]
  ) {
    scratch.forgetEvents()
    guard state.isSeen else {
      if let fixRule {
        begin(fixRule, fix, &state, &neighborhood, &scratch)
      } else {
        begin(fix.coordinate, fix.time.microseconds, &state, &neighborhood, &scratch)
      }
      return
    }
    let leg = leg(to: fix, from: state)
    if let fixRule {
      decide(fixRule, fix, leg, &state, &neighborhood, &scratch)
      if !scratch.events.isEmpty { report(leg, &scratch, &crossings) }
      return
    }
    if !(state.moved2(to: fix.coordinate) < Double(state.safeRadius2)) {
      if leg.isGap {
        jump(leg, &state, &neighborhood, &scratch)
      } else {
        travel(leg, &state, &neighborhood, &scratch)
      }
    }
    finish(leg, &state, &scratch, &crossings)
  }

  @inline(__always)
  func leg(to fix: Fix, from state: borrowing DeviceState) -> Leg {
    let time = fix.time.microseconds
    let (duration, overflow) = time.subtractingReportingOverflow(state.time)
    let isBroken = state.isBroken
    return Leg(
      start: state.coordinate, end: fix.coordinate, startTime: state.time, endTime: time,
      isGap: overflow || duration > maximumGap || isBroken)
  }

  /// Moves a device to the end of a leg whose entries and exits are found.
  @inline(__always)
  func finish(
    _ leg: Leg, _ state: inout DeviceState, _ scratch: inout DetectorScratch, _ crossings: inout [Crossing]
  ) {
    state.move(to: leg.end, at: leg.endTime)
    report(leg, &state, &scratch, &crossings)
  }

  /// Reports what happens on a leg whose entries and exits are found.
  @inline(__always)
  func report(
    _ leg: Leg, _ state: inout DeviceState, _ scratch: inout DetectorScratch, _ crossings: inout [Crossing]
  ) {
    if state.nextDue != .max || delay != nil { reportStays(leg, &state, &scratch) }
    if !scratch.events.isEmpty { report(leg, &scratch, &crossings) }
  }

  // MARK: States

  /// Begins a track with its first fix.
  private func begin(
    _ coordinate: Coordinate, _ time: Int64, _ state: inout DeviceState,
    _ neighborhood: inout Neighborhood, _ scratch: inout DetectorScratch
  ) {
    let position = Position(coordinate)
    state.margin = Float(estimatedMargin(at: position, &neighborhood))
    if !gather(at: position, &state, &neighborhood, &scratch) { findContaining(coordinate, &scratch) }
    state.reserve(scratch.containing.count, hasDues: delay != nil)
    for i in scratch.containing.indices {
      let ordinal = scratch.containing[i]
      state.insert(ordinal, due: due(after: time))
      scratch.addBeginning(ordinal, coordinate, time: time)
    }
    updateDue(&state)
    state.move(to: coordinate, at: time)
    updateSafeRadius(at: position, &state, &neighborhood, &scratch)
  }

  /// Moves over a gap: compares the regions that contain the device with those before.
  private func jump(
    _ leg: Leg, _ state: inout DeviceState, _ neighborhood: inout Neighborhood,
    _ scratch: inout DetectorScratch
  ) {
    findContaining(leg.end, &scratch)
    let entered = due(after: leg.endTime)
    scratch.dues.removeAll(keepingCapacity: true)
    var i = 0
    for ordinal in scratch.containing {
      while i < state.occupiedCount, state.ordinal(at: i) < ordinal {
        scratch.add(1, state.ordinal(at: i), .exit, leg.end)
        i += 1
      }
      if i < state.occupiedCount, state.ordinal(at: i) == ordinal {
        if delay != nil { scratch.dues.append(state.due(at: i)) }
        i += 1
      } else {
        scratch.add(1, ordinal, .enter, leg.end)
        if let entered { scratch.dues.append(entered) }
      }
    }
    while i < state.occupiedCount {
      scratch.add(1, state.ordinal(at: i), .exit, leg.end)
      i += 1
    }
    state.removeAll()
    state.reserve(scratch.containing.count, hasDues: delay != nil)
    for (k, ordinal) in scratch.containing.enumerated() {
      state.insert(ordinal, due: delay == nil ? nil : scratch.dues[k])
    }
    updateSafeRadius(at: Position(leg.end), &state, &neighborhood, &scratch)
  }

  /// The ordinals of the regions that contain a position, ascending.
  func findContaining(_ coordinate: Coordinate, _ scratch: inout DetectorScratch) {
    find(within: 0, of: coordinate, &scratch)
  }

  /// The ordinals of the regions that contain a position or come within a distance of it, ascending.
  func find(within distance: Meters, of coordinate: Coordinate, _ scratch: inout DetectorScratch) {
    regions.find(within: distance, of: coordinate, &scratch.query, into: &scratch.found)
    scratch.containing.removeAll(keepingCapacity: true)
    scratch.found.sort { $0.ordinal < $1.ordinal }
    // A damaged file may list a region twice.
    for neighbor in scratch.found where scratch.containing.last.map({ Int($0) < neighbor.ordinal }) ?? true {
      scratch.containing.append(UInt32(neighbor.ordinal))
    }
  }

  /// Finds how far the device may move before it can cross a boundary.
  private func updateSafeRadius(
    at position: Position, _ state: inout DeviceState, _ neighborhood: inout Neighborhood,
    _ scratch: inout DetectorScratch
  ) {
    scratch.lastPosition = position
    let radius = clearance(at: position, &state, &neighborhood, &scratch)
    state.setSafeRadius(radius, at: position.coordinate, position.ecef)
  }

  // MARK: Stays

  /// When a stay that begins at `time` has lasted for the delay; nil without dwell events.
  func due(after time: Int64) -> Int64? {
    guard let delay else { return nil }
    let (sum, overflow) = time.addingReportingOverflow(delay)
    return overflow ? .max : sum
  }

  /// Reports the stays whose delays end on a leg and that go on after it.
  private func reportStays(_ leg: Leg, _ state: inout DeviceState, _ scratch: inout DetectorScratch) {
    for i in 0..<Int(state.occupiedCount) {
      let due = state.due(at: i)
      guard due <= leg.endTime, due != .max else { continue }
      let fraction = leg.isGap ? 1 : leg.fraction(at: due)
      scratch.add(
        fraction, state.ordinal(at: i), .dwell, leg.isGap ? leg.end : Self.coordinate(leg, at: fraction),
        time: due)
      state.setDue(.max, at: i)
    }
    updateDue(&state)
  }

  func updateDue(_ state: inout DeviceState) {
    guard delay != nil else { return }
    var next = Int64.max
    for i in 0..<Int(state.occupiedCount) { next = min(next, state.due(at: i)) }
    state.nextDue = next
  }

  static func coordinate(_ leg: Leg, at fraction: Double) -> Coordinate {
    if fraction >= 1 { return leg.end }
    let start = ECEF(unchecked: leg.start)
    let end = ECEF(unchecked: leg.end)
    if start.chord(to: end) <= ShortPath.longest {
      let path = ShortPath(from: start, to: end)
      return path.point(at: fraction * path.length).surfaceCoordinate
    }
    let line = GeodesicLine(unchecked: leg.start, leg.end)
    return line.point(at: fraction * line.distance)
  }

  // MARK: Reporting

  /// Appends a leg's events in the order of time, then of regions.
  private func report(_ leg: Leg, _ scratch: inout DetectorScratch, _ crossings: inout [Crossing]) {
    if scratch.events.count > 1 { scratch.sortEvents() }
    let start = Timestamp(microseconds: leg.startTime)
    let end = Timestamp(microseconds: leg.endTime)
    for event in scratch.events where notifiesOfAll || notifies(event) {
      crossings.append(
        leg.isGap
          ? Crossing(
            region: Int(event.region), kind: event.kind, time: end, coordinate: leg.end, inferred: start...end
          )
          : Crossing(
            region: Int(event.region), kind: event.kind, time: Timestamp(microseconds: event.time),
            coordinate: event.coordinate))
    }
  }
  private func notifies(_ event: DetectorScratch.Event) -> Bool {
    switch event.kind {
    case .enter: notifyOnEntry.contains(Int(event.region))
    case .exit: notifyOnExit.contains(Int(event.region))
    case .dwell: true
    }
  }
}
