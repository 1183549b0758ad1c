internal import VicinityCrossings
internal import VicinityGeodesy

/// The significant-change service.
///
/// It rests on the cells that a phone hears: none, no service, whatever Wi-Fi there is. Once the phone is some distance from where
/// a change was last noticed (``SignificantChangeProfile/cellChange``, larger where cells lie farther apart), it takes a
/// position, and reports that if it lies at least ``SignificantChangeProfile/distance`` from the last it reported and
/// ``SignificantChangeProfile/interval`` is over since. It reports one at once when it is started. Like regions it belongs to
/// the system: it goes on when the app's process ends, and starts it anew.
///
/// On the move it looks how far the phone has come as often as a bound of its speed demands, every 10 s at most; at rest never.
struct SignificantChangeState {
  /// No phone is faster than this, metres a second: an airliner's 300 m/s.
  static let speedBound = 300.0
  static let leastStep = 10.0

  var isStarted = false
  var isAsleep = false
  var source: PositionSource
  let positions: TierPositions
  let reduced: TierPositions?
  var random: RandomStream
  var visits: VisitState
  /// Where the phone was when a change was last noticed, and how far from there the next is.
  var anchor: Coordinate?
  var distance: Meters = 0
  /// Whether a change has been noticed that has not been reported, because it was too soon.
  var isPending = false
  var lastReport: Fix?

  init(_ scenario: Scenario) {
    let profile = scenario.profile
    source = PositionSource(seed: scenario.seed, "significant/positions")
    positions = TierPositions(ofCells: profile.significantChange.positions)
    visits = VisitState(scenario)
    reduced = profile.tier(.reduced).map { TierPositions($0, of: profile) }
    random = RandomStream(seed: scenario.seed, "significant/times")
  }
}

extension SimulatedPhone {
  /// Starts the significant-change service; nothing happens where it is on, as it is in a process that it has started.
  ///
  /// Reports come as ``PhoneEvent/locations(_:from:)``, the first soon. They wake and start an app that may use location at all
  /// times; another gets them in front.
  public func startMonitoringSignificantLocationChanges() {
    guard !significant.isStarted else { return }
    guard scenario.capabilities.authorization != .denied else {
      return record(.lost("significant changes: not allowed"))
    }
    record(.service(name: "significant-change", setting: "started"))
    significant.isStarted = true
    significant.anchor = nil
    significant.lastReport = nil
    significant.isPending = false
    holdSignificantPower()
    agenda[.significantChange] = now
  }

  /// Stops the significant-change service.
  public func stopMonitoringSignificantLocationChanges() {
    guard significant.isStarted else { return }
    record(.service(name: "significant-change", setting: "stopped"))
    significant.isStarted = false
    agenda.cancel(.significantChange)
    holdSignificantPower()
  }

  func significantChangeNotices(_ change: SurroundingChange) {
    if case .sleep(let isAsleep) = change { significant.isAsleep = isAsleep }
    if significant.isStarted {
      switch change {
      case .motion, .environment, .sleep: agenda[.significantChange] = now
      case .app: break
      }
    }
    holdSignificantPower()
    visitsNotice(change)
  }

  private func holdSignificantPower() {
    let isListening =
      significant.isStarted && environment.hasCells && !significant.isAsleep && !truth.isStill(at: now)
    meter.hold(
      .cell, isListening ? profile.significantChange.listening.value : 0, by: .significant, at: now)
  }

  func significantChangeIsDue() {
    guard significant.isStarted, !significant.isAsleep, environment.hasCells else { return }
    let state = truth.state(at: now)
    guard let anchor = significant.anchor else {
      noticeChange(state)
      return planSignificantChange(state, gone: 0)
    }
    var gone = Geodesic.simulatedDistance(anchor, state.place)
    if gone >= significant.distance || significant.isPending {
      noticeChange(state)
      gone = significant.anchor.map { Geodesic.simulatedDistance($0, state.place) } ?? 0
    }
    planSignificantChange(state, gone: gone)
  }

  private func planSignificantChange(_ state: TrueState, gone: Meters) {
    if significant.isPending, let last = significant.lastReport {
      agenda[.significantChange] = last.time.advanced(bySeconds: profile.significantChange.interval.value)
    } else if !state.isStill {
      let left = max(0, significant.distance - gone)
      let step = max(SignificantChangeState.leastStep, left / SignificantChangeState.speedBound)
      agenda[.significantChange] = now.advanced(bySeconds: step)
    }
  }

  /// The phone hears another cell: it takes a position, and reports it where it may.
  private func noticeChange(_ state: TrueState) {
    let interval = profile.significantChange.interval.value
    if let last = significant.lastReport, now < last.time.advanced(bySeconds: interval) {
      significant.isPending = true
      return
    }
    significant.isPending = false
    significant.anchor = state.place
    let quantile = profile.significantChange.cellChange.value(at: significant.random.unit())
    significant.distance = quantile * environment.cells.scale
    let isReduced = scenario.capabilities.isReducedAccuracy
    let positions = isReduced ? significant.reduced ?? significant.positions : significant.positions
    guard
      let measured = significant.source.measure(
        state, at: now, by: positions, in: environment, isTracking: false)
    else { return }
    let fix = isReduced ? measured.fix.reduced : measured.fix
    if let last = significant.lastReport,
      Geodesic.simulatedDistance(last.coordinate, fix.coordinate) < profile.significantChange.distance.value
    {
      return
    }
    report(fix)
  }

  private func report(_ fix: Fix) {
    // Two seconds of the modem.
    meter.pulse(.cell, profile.significantChange.report.value / 2, seconds: 2, at: now)
    significant.lastReport = fix
    standardNotesPassive(fix)
    let isAlways = scenario.capabilities.authorization == .always
    guard isAlways || appState == .foreground else { return }
    if deliver(.locations([fix], from: .significantChange), isAlways ? .relaunching : .running) {
      counts.fixes += 1
    } else {
      record(.lost("the app was not told of a significant change"))
    }
  }
}
