internal import VicinityGeodesy
internal import VicinityIndex

/// What moves a device: the one implementation behind ``CrossingDetector`` and ``Fleet``.
///
/// Which regions a device occupies is a function of its place alone, decided by the authority where bounds leave it open;
/// and what happens between two fixes is a function of the two and of one region. So entries and exits alternate, and
/// neither the neighbourhood nor the fixes before can change a result: they only save looking.
struct CrossingEngine: ~Copyable {
  let index: RegionIndex
  /// Microseconds.
  let maximumGap: Int64
  /// Microseconds; nil without dwell events.
  let delay: Int64?
  /// The rule; nil for the geometric one.
  let decision: FixRule?
  /// Whether the quick test must allow for the fix's accuracy disc.
  let usesDisc: Bool
  private let notifyOnEntry: RegionChoice
  private let notifyOnExit: RegionChoice
  private let notifiesOfAll: Bool

  init(_ index: RegionIndex, _ options: CrossingOptions) throws(CrossingOptionsError) {
    let options = try options.validated()
    self.index = index
    maximumGap = options.maximumGap.microseconds
    delay = options.dwell.map { max(1, $0.microseconds) }
    decision = FixRule(options.rule)
    usesDisc = decision?.kind == .overlap
    notifyOnEntry = options.notifyOnEntry
    notifyOnExit = options.notifyOnExit
    notifiesOfAll = notifyOnEntry == .all && notifyOnExit == .all
  }

  /// The way from one fix to the next.
  struct Leg {
    let start: Coordinate
    let end: Coordinate
    let startTime: Int64
    let endTime: Int64
    let isGap: Bool

    /// The time at a fraction of the way, to the microsecond.
    func time(at fraction: Double) -> Int64 {
      let (duration, overflow) = endTime.subtractingReportingOverflow(startTime)
      if overflow || fraction >= 1 { return endTime }
      let part = Int64((fraction * Double(duration)).rounded())
      return startTime + min(max(part, 0), duration)
    }

    /// The fraction of the way at a time.
    func fraction(at time: Int64) -> Double {
      let whole = Double(endTime) - Double(startTime)
      return min(max((Double(time) - Double(startTime)) / whole, 0), 1)
    }
  }

  /// Moves a device to its next fix, unless the quick test of the callers has done so already.
  ///
  /// - Throws: ``TrackError``; nothing has changed then.
  func advance(
    to fix: Fix, _ state: inout DeviceState, _ counts: inout FixCounts,
    _ neighborhood: inout Neighborhood, _ bench: inout Workbench, _ crossings: inout [Crossing]
  ) throws(TrackError) {
    let verdict = try FixValidator.check(
      fix, after: state.isSeen ? Timestamp(microseconds: state.time) : nil, at: state.coordinate)
    counts.count(verdict)
    guard verdict == .accepted else { return }
    advance(toValidated: fix, &state, &neighborhood, &bench, &crossings)
  }

  /// Moves a device to its next fix, which a ``FixValidator`` has accepted.
  func advance(
    toValidated fix: Fix, _ state: inout DeviceState, _ neighborhood: inout Neighborhood,
    _ bench: inout Workbench, _ crossings: inout [Crossing]
  ) {
    bench.forgetEvents()
    guard state.isSeen else {
      if let decision {
        begin(decision, fix, &state, &neighborhood, &bench)
      } else {
        begin(fix.coordinate, fix.time.microseconds, &state, &neighborhood, &bench)
      }
      return
    }
    let leg = leg(to: fix, from: state)
    if let decision {
      decide(decision, fix, leg, &state, &neighborhood, &bench)
      if !bench.events.isEmpty { report(leg, &bench, &crossings) }
      return
    }
    if !(state.moved2(to: fix.coordinate) < Double(state.safeRadius2)) {
      if leg.isGap {
        jump(leg, &state, &neighborhood, &bench)
      } else {
        travel(leg, &state, &neighborhood, &bench)
      }
    }
    finish(leg, &state, &bench, &crossings)
  }

  /// The way to a later fix.
  @inline(__always)
  func leg(to fix: Fix, from state: borrowing DeviceState) -> Leg {
    let time = fix.time.microseconds
    let (duration, overflow) = time.subtractingReportingOverflow(state.time)
    return Leg(
      start: state.coordinate, end: fix.coordinate, startTime: state.time, endTime: time,
      isGap: overflow || duration > maximumGap)
  }

  /// Moves a device to the end of a leg whose entries and exits are found.
  @inline(__always)
  func finish(
    _ leg: Leg, _ state: inout DeviceState, _ bench: inout Workbench, _ crossings: inout [Crossing]
  ) {
    state.move(to: leg.end, at: leg.endTime)
    report(leg, &state, &bench, &crossings)
  }

  /// Reports what happens on a leg whose entries and exits are found.
  @inline(__always)
  func report(
    _ leg: Leg, _ state: inout DeviceState, _ bench: inout Workbench, _ crossings: inout [Crossing]
  ) {
    if state.nextDue != .max || delay != nil { reportStays(leg, &state, &bench) }
    if !bench.events.isEmpty { report(leg, &bench, &crossings) }
  }

  // MARK: States

  /// Takes the first fix.
  private func begin(
    _ coordinate: Coordinate, _ time: Int64, _ state: inout DeviceState,
    _ neighborhood: inout Neighborhood, _ bench: inout Workbench
  ) {
    let place = Place(coordinate)
    state.margin = Float(guessedMargin(at: place, &neighborhood))
    if !gather(at: place, &state, &neighborhood, &bench) { findContaining(coordinate, &bench) }
    state.reserve(bench.containing.count, hasDues: delay != nil)
    for ordinal in bench.containing { state.insert(ordinal, due: due(after: time)) }
    updateDue(&state)
    state.move(to: coordinate, at: time)
    settle(place, &state, &neighborhood, &bench)
  }

  /// Goes over a gap: compares the regions there with those before.
  private func jump(
    _ leg: Leg, _ state: inout DeviceState, _ neighborhood: inout Neighborhood, _ bench: inout Workbench
  ) {
    findContaining(leg.end, &bench)
    let entered = due(after: leg.endTime)
    bench.dues.removeAll(keepingCapacity: true)
    var i = 0
    for ordinal in bench.containing {
      while i < state.occupiedCount, state.ordinal(at: i) < ordinal {
        bench.add(1, state.ordinal(at: i), .exit, leg.end)
        i += 1
      }
      if i < state.occupiedCount, state.ordinal(at: i) == ordinal {
        if delay != nil { bench.dues.append(state.due(at: i)) }
        i += 1
      } else {
        bench.add(1, ordinal, .enter, leg.end)
        if let entered { bench.dues.append(entered) }
      }
    }
    while i < state.occupiedCount {
      bench.add(1, state.ordinal(at: i), .exit, leg.end)
      i += 1
    }
    state.removeAll()
    state.reserve(bench.containing.count, hasDues: delay != nil)
    for (k, ordinal) in bench.containing.enumerated() {
      state.insert(ordinal, due: delay == nil ? nil : bench.dues[k])
    }
    settle(Place(leg.end), &state, &neighborhood, &bench)
  }

  /// The ordinals of the regions that contain a position, ascending.
  func findContaining(_ coordinate: Coordinate, _ bench: inout Workbench) {
    find(within: 0, of: coordinate, &bench)
  }

  /// The ordinals of the regions that contain a position or come within a distance of it, ascending.
  func find(within distance: Meters, of coordinate: Coordinate, _ bench: inout Workbench) {
    index.regions(uncheckedWithin: distance, of: coordinate, scratch: &bench.scratch, into: &bench.found)
    bench.containing.removeAll(keepingCapacity: true)
    bench.found.sort { $0.ordinal < $1.ordinal }
    // A damaged file may list a region twice.
    for neighbor in bench.found where bench.containing.last.map({ Int($0) < neighbor.ordinal }) ?? true {
      bench.containing.append(UInt32(neighbor.ordinal))
    }
  }

  /// Finds how far the device may go before anything can happen, where nothing else has told.
  private func settle(
    _ place: Place, _ state: inout DeviceState, _ neighborhood: inout Neighborhood,
    _ bench: inout Workbench
  ) {
    bench.place = place
    let radius = clearance(at: place, &state, &neighborhood, &bench)
    state.setSafeRadius(radius, at: place.coordinate, place.ecef)
  }

  // MARK: Stays

  /// When a stay that begins at `time` has lasted for the delay; nil without dwell events.
  func due(after time: Int64) -> Int64? {
    guard let delay else { return nil }
    let (sum, overflow) = time.addingReportingOverflow(delay)
    return overflow ? .max : sum
  }

  /// Reports the stays whose delays end on a leg and that go on after it.
  private func reportStays(_ leg: Leg, _ state: inout DeviceState, _ bench: inout Workbench) {
    for i in 0..<Int(state.occupiedCount) {
      let due = state.due(at: i)
      guard due <= leg.endTime, due != .max else { continue }
      let fraction = leg.isGap ? 1 : leg.fraction(at: due)
      bench.add(
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

  /// Where the device is at a fraction of a leg.
  static func coordinate(_ leg: Leg, at fraction: Double) -> Coordinate {
    if fraction >= 1 { return leg.end }
    let start = ECEF(unchecked: leg.start)
    let end = ECEF(unchecked: leg.end)
    if start.chord(to: end) <= ShortPath.longest {
      let path = ShortPath(from: start, to: end)
      return path.place(at: fraction * path.length).surfaceCoordinate
    }
    let line = GeodesicLine(unchecked: leg.start, leg.end)
    return line.point(at: fraction * line.distance)
  }

  // MARK: Reporting

  /// Appends a leg's events in the order of their instants, then of regions.
  private func report(_ leg: Leg, _ bench: inout Workbench, _ crossings: inout [Crossing]) {
    if bench.events.count > 1 { bench.sortEvents() }
    let start = Timestamp(microseconds: leg.startTime)
    let end = Timestamp(microseconds: leg.endTime)
    for event in bench.events where notifiesOfAll || notifies(event) {
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
  private func notifies(_ event: Workbench.Event) -> Bool {
    switch event.kind {
    case .enter: notifyOnEntry.contains(Int(event.region))
    case .exit: notifyOnExit.contains(Int(event.region))
    case .dwell: true
    }
  }
}
