internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityMonitor

/// The state of the visit service, which reports stays of the phone.
///
/// An arrival is reported ``SignificantChangeProfile/arrival`` after the phone has come to rest, if it is
/// still there, and a departure ``SignificantChangeProfile/departure`` after it has left. A phone that
/// returns to within ``returnRadius`` before its departure was reported has not left. Like significant
/// changes, visits belong to the system. Their positions are those of ``DesiredAccuracy/hundredMeters`` at
/// rest.
struct VisitState {
  /// Assumed: the scatter of Wi-Fi positions.
  static let returnRadius: Meters = 100

  var isStarted = false
  var source: PositionSource
  let positions: TierPositions
  var random: RandomStream
  /// The current stay until its arrival is reported: when and where it began, and when the report is due.
  var arrival: (time: Timestamp, position: Coordinate, report: Timestamp)?
  /// The reported visit, and its true position.
  var current: (visit: Visit, position: Coordinate)?
  /// When the phone left the visit, and when the report is due.
  var departure: (time: Timestamp, report: Timestamp)?

  init(_ scenario: Scenario) {
    let profile = scenario.profile
    source = PositionSource(seed: scenario.seed, "visits/positions")
    positions =
      profile.tier(.hundredMeters).map { TierPositions($0, of: profile) }
      ?? TierPositions(profile.significantChange.positions, of: profile)
    random = RandomStream(seed: scenario.seed, "visits/times")
  }
}

extension SimulatedPhone {
  /// Starts visits: `PhoneEvent.visited`. Needs "always" authorization. A stay that has already begun counts
  /// from now.
  public func startMonitoringVisits() {
    guard !significant.visits.isStarted else { return }
    guard authorization == .always, !capabilities.isReducedAccuracy else {
      return record(.lost("visits: not allowed"))
    }
    record(.service(name: "visits", setting: "started"))
    significant.visits.isStarted = true
    if truth.isStill(at: now) { arrive() }
    armVisits()
  }

  public func stopMonitoringVisits() {
    guard significant.visits.isStarted else { return }
    record(.service(name: "visits", setting: "stopped"))
    significant.visits.isStarted = false
    significant.visits.arrival = nil
    significant.visits.current = nil
    significant.visits.departure = nil
    armVisits()
  }

  func visitsHandle(_ change: SurroundingChange) {
    switch change {
    case .motion(let isStill) where significant.visits.isStarted:
      if isStill { arrive() } else { leave() }
    case .sleep, .settings: break
    default: return
    }
    armVisits()
  }

  private func arrive() {
    let position = truth.state(at: now).position
    if let current = significant.visits.current {
      if Geodesic.simulatedDistance(current.position, position) <= VisitState.returnRadius {
        significant.visits.departure = nil
        return
      }
    }
    let delay = profile.significantChange.arrival.value(at: significant.visits.random.unit())
    significant.visits.arrival = (now, position, now.advanced(bySeconds: delay))
  }

  private func leave() {
    significant.visits.arrival = nil
    guard significant.visits.current != nil, significant.visits.departure == nil else { return }
    let delay = profile.significantChange.departure.value(at: significant.visits.random.unit())
    significant.visits.departure = (now, now.advanced(bySeconds: delay))
  }

  private func armVisits() {
    let visits = significant.visits
    guard visits.isStarted, !lifecycle.isAsleep, authorization == .always, !capabilities.isReducedAccuracy
    else {
      return timers.cancel(.visit)
    }
    timers[.visit] = min(
      visits.arrival?.report ?? .distantFuture, visits.departure?.report ?? .distantFuture)
  }

  func visitIsDue() {
    if let departure = significant.visits.departure, departure.report <= now {
      endVisit(departure.time)
    }
    if let arrival = significant.visits.arrival, arrival.report <= now {
      significant.visits.arrival = nil
      // A phone cannot be at two positions.
      if let departure = significant.visits.departure { endVisit(departure.time) }
      let state = truth.state(at: now)
      if let measured = significant.visits.source.measure(
        state, at: now, by: significant.visits.positions, in: surroundings, isTracking: false)
      {
        let visit = Visit(fix: measured.fix, arrival: arrival.time, departure: nil)
        significant.visits.current = (visit, arrival.position)
        notePassiveFix(measured.fix)
        tell(visit)
      }
    }
    armVisits()
  }

  private func endVisit(_ time: Timestamp) {
    significant.visits.departure = nil
    guard var visit = significant.visits.current?.visit else { return }
    significant.visits.current = nil
    visit.departure = time
    tell(visit)
  }

  private func tell(_ visit: Visit) {
    // Two seconds of the modem, or of Wi-Fi when there are no cells.
    if surroundings.hasCells || surroundings.hasWiFi {
      meter.pulse(
        surroundings.hasCells ? .cell : .wifi, profile.significantChange.report.value / 2,
        due: .significantReports, seconds: 2, at: now)
    }
    if !deliver(.visited(visit), .relaunching) { record(.lost("the app was not told of a visit")) }
  }
}
