internal import VicinityCrossings

/// Replays a scenario.
public enum Simulation {
  /// Runs an app on a phone from the beginning of a scenario's track to its end.
  ///
  /// The same scenario and app give the same result, to the bit.
  ///
  /// - Parameters:
  ///   - scenario: What happens to the phone.
  ///   - recording: What is kept besides sums: nothing, by default.
  ///   - app: Makes the app's process, each time that it is started.
  /// - Throws: What is wrong with the profile.
  /// - Complexity: O(fixes + events): nothing is done for the seconds in which nothing happens.
  public static func run(
    _ scenario: Scenario, recording: Recording = [], app: @escaping () -> any PhoneApp
  ) throws(SimulationError) -> SimulationResult {
    do { try scenario.profile.check() } catch { throw .profile(error) }
    let phone = SimulatedPhone(scenario, recording: recording, app: app)
    return phone.run()
  }
}

extension SimulatedPhone {
  func run() -> SimulationResult {
    begin()
    advance(to: scenario.track.end)
    return finish()
  }

  func begin() {
    meter.hold(.idle, profile.idle.value, by: .base, at: now)
    agenda[.end] = scenario.track.end
    environmentBegins(from: 0)
    _ = truth.isStill(at: now)
    agenda[.motion] = truth.nextChange(after: now)
    lifecycleBegins()
  }

  /// Does everything that is due up to a time, this one included.
  func advance(to end: Timestamp) {
    while true {
      let (alarm, time) = agenda.next()
      if alarm == .end || time > end { break }
      // What was due in the past, because it was asked for late, is done now.
      now = max(now, time)
      if now.microseconds >= hourly.next { hourly.read(meter, upTo: now) }
      agenda.cancel(alarm)
      fire(alarm)
      // What keeps an app running may have ended.
      if lifecycle.state == .background { settle() }
    }
    now = max(now, end)
  }

  func finish() -> SimulationResult {
    let end = scenario.track.end
    hourly.finish(meter, at: end)
    lifecycleEnds()
    meter.settle(at: end)
    var joules: [EnergyComponent: Double] = [:]
    for component in EnergyComponent.allCases { joules[component] = meter.joules(component) }
    return SimulationResult(
      start: scenario.track.start, end: end, joules: joules, counts: counts, timeline: timeline,
      power: meter.orderedSteps, hours: hourly.hours)
  }

  private func fire(_ alarm: Alarm) {
    switch alarm {
    case .environment: environmentChanges()
    case .action: actionIsDue()
    case .motion: motionChanges()
    case .lifecycle: lifecycleIsDue()
    case .keepAlive: keepAliveIsDue()
    case .appTimer: appTimerIsDue()
    case .notification: notificationIsDue()
    case .standard: standardFixIsDue()
    case .standardState: standardStateIsDue()
    case .significantChange: significantChangeIsDue()
    case .visit: visitIsDue()
    case .regionLook: regionLookIsDue()
    case .regionDelivery: regionDeliveryIsDue()
    case .beacons: beaconsAreDue()
    case .ranging: rangingIsDue()
    case .heading: headingIsDue()
    case .end: break
    }
  }

  /// Every service is told, in one order, what changed around it.
  func servicesNotice(_ change: SurroundingChange) {
    standardNotices(change)
    significantChangeNotices(change)
    regionsNotice(change)
    beaconsNotice(change)
    headingNotices(change)
  }

  private func motionChanges() {
    let still = truth.isStill(at: now)
    agenda[.motion] = truth.nextChange(after: now)
    servicesNotice(.motion(isStill: still))
  }

  private func environmentChanges() {
    let before = environment
    environmentBegins(from: environmentIndex)
    lifecycleNoticesEnvironment()
    servicesNotice(.environment(from: before))
  }

  private func environmentBegins(from index: Int) {
    let changes = scenario.environment.changes
    environmentIndex = index
    while environmentIndex < changes.count, changes[environmentIndex].time <= now {
      environment = changes[environmentIndex].environment
      environmentIndex += 1
    }
    agenda[.environment] = environmentIndex < changes.count ? changes[environmentIndex].time : .distantFuture
    meter.hold(.screen, environment.isScreenOn ? profile.screen.value : 0, by: .base, at: now)
  }

  /// The app's run state has changed: services that need it running begin or end.
  func appStateChanged(from old: AppState) { servicesNotice(.app(from: old)) }
}

/// What services are told of.
enum SurroundingChange {
  /// The phone begins or ends to stand still.
  case motion(isStill: Bool)
  /// The environment is another; it was this.
  case environment(from: Environment)
  /// The app's state is another; it was this.
  case app(from: AppState)
  /// The computer has gone to sleep, or has woken.
  case sleep(isAsleep: Bool)
}
