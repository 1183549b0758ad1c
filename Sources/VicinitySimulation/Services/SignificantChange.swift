internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityMonitor

/// The state of the significant-change service.
///
/// The service needs cells; Wi-Fi alone is not enough. When the phone is far enough from where a change was
/// last noticed (``SignificantChangeProfile/cellChange``, scaled by the distance between cells), the service
/// measures a position. It reports the position if it is at least ``SignificantChangeProfile/distance`` from
/// the last reported one and ``SignificantChangeProfile/interval`` has passed. The first report comes at
/// once. Like regions, the service belongs to the system: it continues when the app's process ends, and its
/// events start the app again. A process that was started gets them once it has started the service too, at
/// its launch at the latest for the event that started it: Apple's page of
/// `startMonitoringSignificantLocationChanges()` has a relaunched app call it again.
///
/// While the phone moves, the travelled distance is checked as often as the bound of its speed requires, at
/// most every 10 s; at rest never.
struct SignificantChangeState: ~Copyable {
  /// The greatest speed of a phone, metres a second: an airliner's 300 m/s.
  static let speedBound = 300.0
  static let leastStep = 10.0

  var isStarted = false
  /// Whether the app's process has started it, too.
  var isFollowed = false
  var source: PositionSource
  let positions: TierPositions
  let reduced: TierPositions?
  var random: RandomStream
  var visits: VisitState
  /// The position at which a change was last noticed, and the distance from there to the next one.
  var anchor: Coordinate?
  var distance: Meters = 0
  /// Whether a change has been noticed but not reported, because it was too early.
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
  /// Starts the significant-change service, or follows it in a new process. A further call has no effect.
  ///
  /// Reports come as `PhoneEvent.locations`, the first one soon. With "always" authorization they wake and
  /// start the app; otherwise it gets them in the foreground only.
  public func startMonitoringSignificantLocationChanges() {
    guard !significant.isStarted else {
      if !significant.isFollowed { record(.service(name: "significant-change", setting: "followed")) }
      significant.isFollowed = true
      return
    }
    guard mayLocate else {
      return record(.lost("significant changes: not allowed"))
    }
    guard isSignificantChangeAvailable else {
      let reason =
        scenario.rules.hasSignificantChanges
        ? "the phone has no modem" : "rules \(scenario.rules.name) know none"
      return record(.lost("significant changes: \(reason)"))
    }
    record(.service(name: "significant-change", setting: "started"))
    significant.isStarted = true
    significant.isFollowed = true
    significant.anchor = nil
    significant.lastReport = nil
    significant.isPending = false
    holdSignificantPower()
    timers[.significantChange] = now
  }

  public func stopMonitoringSignificantLocationChanges() {
    guard significant.isStarted else { return }
    record(.service(name: "significant-change", setting: "stopped"))
    significant.isStarted = false
    timers.cancel(.significantChange)
    holdSignificantPower()
  }

  func significantChangeHandles(_ change: SurroundingChange) {
    if case .app = change, appState == .notRunning { significant.isFollowed = false }
    if significant.isStarted {
      switch change {
      case .motion, .surroundings, .sleep, .settings: timers[.significantChange] = now
      case .app: break
      }
    }
    holdSignificantPower()
    visitsHandle(change)
  }

  private func holdSignificantPower() {
    let isListening =
      significant.isStarted && mayLocate && surroundings.hasCells && !lifecycle.isAsleep
      && !truth.isStill(at: now)
    meter.hold(
      .cell, isListening ? profile.significantChange.listening.value : 0, due: .significantListening,
      by: .significant, at: now)
  }

  func significantChangeIsDue() {
    guard significant.isStarted, mayLocate, !lifecycle.isAsleep, surroundings.hasCells else { return }
    let state = truth.state(at: now)
    guard let anchor = significant.anchor else {
      noticeChange(state)
      return planSignificantChange(state, gone: 0)
    }
    var gone = Geodesic.simulatedDistance(anchor, state.position)
    if gone >= significant.distance || significant.isPending {
      noticeChange(state)
      gone = significant.anchor.map { Geodesic.simulatedDistance($0, state.position) } ?? 0
    }
    planSignificantChange(state, gone: gone)
  }

  private func planSignificantChange(_ state: TrueState, gone: Meters) {
    if significant.isPending, let last = significant.lastReport {
      timers[.significantChange] = last.time.advanced(bySeconds: profile.significantChange.interval.value)
    } else if !state.isStill {
      let left = max(0, significant.distance - gone)
      let step = max(SignificantChangeState.leastStep, left / SignificantChangeState.speedBound)
      timers[.significantChange] = now.advanced(bySeconds: step)
    }
  }

  /// Handles a change of cell: measures a position and reports it if the limits allow.
  private func noticeChange(_ state: TrueState) {
    let interval = profile.significantChange.interval.value
    if let last = significant.lastReport, now < last.time.advanced(bySeconds: interval) {
      significant.isPending = true
      return
    }
    significant.isPending = false
    significant.anchor = state.position
    let quantile = profile.significantChange.cellChange.value(at: significant.random.unit())
    significant.distance = quantile * surroundings.cells.scale
    let isReduced = capabilities.isReducedAccuracy
    let positions = isReduced ? significant.reduced ?? significant.positions : significant.positions
    guard
      let measured = significant.source.measure(
        state, at: now, by: positions, in: surroundings, isTracking: false)
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
    meter.pulse(
      .cell, profile.significantChange.report.value / 2, due: .significantReports, seconds: 2, at: now)
    significant.lastReport = fix
    notePassiveFix(fix)
    let isAlways = authorization == .always
    guard isAlways || appState == .foreground else { return }
    if deliver(.locations([fix], from: .significantChange), isAlways ? .relaunching : .running) {
      counts.fixes += 1
    } else {
      record(.lost("the app was not told of a significant change"))
    }
  }
}
