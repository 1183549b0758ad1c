internal import VicinityCrossings
internal import VicinityGeodesy

/// Visits: places where the phone stays.
///
/// An arrival is reported some time after the phone has come to rest (``SignificantChangeProfile/arrival``), if it is there
/// still; a departure some time after it has left (``SignificantChangeProfile/departure``). A phone that is back within
/// ``returnRadius`` before its departure has been reported has not left. Visits belong to the system, as significant changes
/// do; their positions are those of ``DesiredAccuracy/hundredMeters`` at rest.
struct VisitState {
  /// Assumed: as far as Wi-Fi positions scatter.
  static let returnRadius: Meters = 100

  var isStarted = false
  var isAsleep = false
  var source: PositionSource
  let positions: TierPositions
  var random: RandomStream
  /// When the phone came to where it rests, and when that is reported.
  var arrival: (time: Timestamp, place: Coordinate, report: Timestamp)?
  /// A visit that has been reported, and where it truly was.
  var current: (visit: Visit, place: Coordinate)?
  /// When the phone left that, and when it is reported.
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
  /// Starts reports of visits, as ``PhoneEvent/visited(_:)``. Needs permission at all times. A stay that has begun counts from
  /// now on.
  public func startMonitoringVisits() {
    guard !significant.visits.isStarted else { return }
    guard scenario.capabilities.authorization == .always, !scenario.capabilities.isReducedAccuracy else {
      return record(.lost("visits: not allowed"))
    }
    record(.service(name: "visits", setting: "started"))
    significant.visits.isStarted = true
    if truth.isStill(at: now) { arrive() }
    armVisits()
  }

  /// Stops reports of visits.
  public func stopMonitoringVisits() {
    guard significant.visits.isStarted else { return }
    record(.service(name: "visits", setting: "stopped"))
    significant.visits.isStarted = false
    significant.visits.arrival = nil
    significant.visits.current = nil
    significant.visits.departure = nil
    armVisits()
  }

  func visitsNotice(_ change: SurroundingChange) {
    switch change {
    case .motion(let isStill) where significant.visits.isStarted:
      if isStill { arrive() } else { leave() }
    case .sleep(let isAsleep): significant.visits.isAsleep = isAsleep
    default: return
    }
    armVisits()
  }

  private func arrive() {
    let place = truth.state(at: now).place
    if let current = significant.visits.current {
      if Geodesic.simulatedDistance(current.place, place) <= VisitState.returnRadius {
        significant.visits.departure = nil
        return
      }
    }
    let delay = profile.significantChange.arrival.value(at: significant.visits.random.unit())
    significant.visits.arrival = (now, place, now.advanced(bySeconds: delay))
  }

  private func leave() {
    significant.visits.arrival = nil
    guard significant.visits.current != nil, significant.visits.departure == nil else { return }
    let delay = profile.significantChange.departure.value(at: significant.visits.random.unit())
    significant.visits.departure = (now, now.advanced(bySeconds: delay))
  }

  private func armVisits() {
    let visits = significant.visits
    guard visits.isStarted, !visits.isAsleep else { return agenda.cancel(.visit) }
    agenda[.visit] = min(
      visits.arrival?.report ?? .distantFuture, visits.departure?.report ?? .distantFuture)
  }

  func visitIsDue() {
    if let departure = significant.visits.departure, departure.report <= now {
      endVisit(departure.time)
    }
    if let arrival = significant.visits.arrival, arrival.report <= now {
      significant.visits.arrival = nil
      // Nobody is at two places.
      if let departure = significant.visits.departure { endVisit(departure.time) }
      let state = truth.state(at: now)
      if let measured = significant.visits.source.measure(
        state, at: now, by: significant.visits.positions, in: environment, isTracking: false)
      {
        let visit = Visit(fix: measured.fix, arrival: arrival.time, departure: nil)
        significant.visits.current = (visit, arrival.place)
        standardNotesPassive(measured.fix)
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
    // Two seconds of the modem, or of Wi-Fi where that is all there is.
    if environment.hasCells || environment.hasWiFi {
      meter.pulse(
        environment.hasCells ? .cell : .wifi, profile.significantChange.report.value / 2, seconds: 2, at: now)
    }
    if !deliver(.visited(visit), .relaunching) { record(.lost("the app was not told of a visit")) }
  }
}
