internal import VicinityCrossings
internal import VicinityMonitor

/// Replays scenarios.
public enum Simulation {
  /// Runs an app on a phone from the beginning of the scenario's track to its end.
  ///
  /// The same scenario and app give the same result, to the bit.
  ///
  /// - Parameters:
  ///   - scenario: The phone and what happens to it.
  ///   - recording: What the result contains besides sums; nothing by default.
  ///   - app: Makes a new process of the app. Called at each start.
  /// - Throws: An error if the profile is invalid.
  /// - Complexity: O(fixes + events): seconds in which nothing happens cost nothing.
  public static func run(
    _ scenario: Scenario, recording: Recording = [], app: @escaping () -> any PhoneApp
  ) throws(SimulationError) -> SimulationResult {
    guard let result = try run(scenario, recording: recording, isStopped: { false }, app: app) else {
      preconditionFailure("a run that nobody stops has a result")
    }
    return result
  }

  /// The same; nil where it was stopped, which a run with other phones cannot be.
  ///
  /// - Parameter isStopped: Asked every some milliseconds whether to stop.
  package static func run(
    _ scenario: Scenario, recording: Recording, isStopped: () -> Bool, app: @escaping () -> any PhoneApp
  ) throws(SimulationError) -> SimulationResult? {
    guard scenario.companions.isEmpty else {
      let others = scenario.companions.map { PhoneRun($0) { IdleApp() } }
      return try run(together: [PhoneRun(scenario, recording: recording, app: app)] + others)[0]
    }
    do { try scenario.profile.check() } catch { throw .profile(error) }
    let phone = SimulatedPhone(scenario, recording: recording, app: app)
    return phone.run(isStopped)
  }
}

/// An app that does nothing by itself.
private struct IdleApp: PhoneApp {
  func phone(_ phone: SimulatedPhone, did event: PhoneEvent) {}
}

/// One of several phones that run together.
public struct PhoneRun {
  public var scenario: Scenario
  public var recording: Recording
  /// Makes a new process of the app.
  public var app: () -> any PhoneApp

  public init(_ scenario: Scenario, recording: Recording = [], app: @escaping () -> any PhoneApp) {
    self.scenario = scenario
    self.recording = recording
    self.app = app
  }
}

extension Simulation {
  /// Runs several phones at the same time, which hear each other where they are beacons
  /// (``SimulatedPhone/startAdvertising(_:measuredPower:)``). Apart from that each runs as alone. A phone is
  /// heard from the beginning of its track to its end. Companions that a scenario names take no part: each is
  /// to be one of the phones.
  ///
  /// - Returns: The results, in the order of the phones.
  /// - Throws: An error if a profile is invalid.
  /// - Complexity: O((fixes + events) × phones)
  public static func run(together phones: [PhoneRun]) throws(SimulationError) -> [SimulationResult] {
    var group: [SimulatedPhone] = []
    for run in phones {
      do { try run.scenario.profile.check() } catch { throw .profile(error) }
      group.append(SimulatedPhone(run.scenario, recording: run.recording, app: run.app))
    }
    for index in group.indices {
      for other in group.indices where other != index {
        let phone = group[other]
        group[index].beacons.others.append(
          BeaconState.Neighbor(phone: phone, truth: TruthCursor(phone.scenario.track)))
      }
    }
    var results = [SimulationResult?](repeating: nil, count: group.count)
    while true {
      var next: (index: Int, time: Timestamp)?
      for (index, phone) in group.enumerated() where !phone.hasEnded {
        let time = phone.lifecycle.hasBegun ? max(phone.now, phone.timers.next().time) : phone.now
        if time < next?.time ?? .distantFuture { next = (index, time) }
      }
      guard let (index, _) = next else { break }
      let phone = group[index]
      if !phone.lifecycle.hasBegun {
        phone.begin()
      } else if !phone.step(to: phone.scenario.track.end) {
        results[index] = phone.finish()
        phone.tellOthers()
      }
    }
    // They hold each other.
    for phone in group { phone.beacons.others = [] }
    return results.compactMap { $0 }
  }
}

extension SimulatedPhone {
  var hasEnded: Bool { lifecycle.hasEnded }

  /// Plays the whole track; nil where it was stopped.
  func run(_ isStopped: () -> Bool) -> SimulationResult? {
    begin()
    return advance(to: scenario.track.end, isStopped) ? finish() : nil
  }

  /// Fires all that is due up to a time; false where it was stopped.
  @discardableResult
  func advance(to end: Timestamp, _ isStopped: () -> Bool = { false }) -> Bool {
    var steps = 0
    while step(to: end) {
      steps += 1
      if steps % 4096 == 0, isStopped() { return false }
    }
    now = max(now, end)
    return true
  }

  func begin() {
    lifecycle.hasBegun = true
    meter.hold(.idle, profile.idle.value, due: .idle, by: .base, at: now)
    timers[.end] = scenario.track.end
    surroundingsBegin(from: 0)
    if truth.isStill(at: now) { regions.stillSince = now }
    timers[.motion] = truth.nextChange(after: now)
    lifecycleBegins()
  }

  /// Fires all timers up to and including a time.
  /// Fires the timer that is due first, if that is not after a time. Returns false when it is, or when it is
  /// the end.
  func step(to end: Timestamp) -> Bool {
    let (kind, time) = timers.next()
    if kind == .end || time > end { return false }
    // A timer set for the past fires now.
    now = max(now, time)
    if now.microseconds >= hourly.next { hourly.read(meter, upTo: now) }
    timers.cancel(kind)
    fire(kind)
    // What kept the app running may have ended.
    if lifecycle.state == .background { settle() }
    return true
  }

  func finish() -> SimulationResult {
    let end = scenario.track.end
    now = max(now, end)
    lifecycle.hasEnded = true
    hourly.finish(meter, at: end)
    lifecycleEnds()
    meter.settle(at: end)
    var joules: [EnergyComponent: Double] = [:]
    for component in EnergyComponent.allCases { joules[component] = meter.joules(component) }
    return SimulationResult(
      start: scenario.track.start, end: end, joules: joules, joulesBySource: meter.joulesBySource,
      counts: counts, timeline: timeline,
      power: meter.orderedSteps, hours: hourly.hours)
  }

  private func fire(_ kind: TimerKind) {
    switch kind {
    case .surroundings: surroundingsChange()
    case .action: actionIsDue()
    case .motion: motionChanges()
    case .lifecycle: lifecycleIsDue()
    case .keepAlive: keepAliveIsDue()
    case .sessions: sessionsAreDue()
    case .concurrentWork: concurrentWorkIsDue()
    case .appTimer: appTimerIsDue()
    case .notification: notificationIsDue()
    case .standard: standardFixIsDue()
    case .standardState: standardStateIsDue()
    case .significantChange: significantChangeIsDue()
    case .visit: visitIsDue()
    case .regionCheck: regionCheckIsDue()
    case .regionDelivery: regionDeliveryIsDue()
    case .beacons: beaconsAreDue()
    case .ranging: rangingIsDue()
    case .heading: headingIsDue()
    case .end: break
    }
  }

  /// Informs every service of a change, in a fixed order.
  func notifyServices(_ change: SurroundingChange) {
    standardHandles(change)
    significantChangeHandles(change)
    regionsHandle(change)
    beaconsHandle(change)
    headingHandles(change)
  }

  private func motionChanges() {
    let still = truth.isStill(at: now)
    timers[.motion] = truth.nextChange(after: now)
    notifyServices(.motion(isStill: still))
    if beacons.isHeard { tellOthers() }
  }

  private func surroundingsChange() {
    let before = surroundings
    surroundingsBegin(from: surroundingsIndex)
    // No service notices another way, and none may measure at another time because of it.
    var same = surroundings
    same.way = before.way
    if same == before { return }
    lifecycleHandlesSurroundings()
    notifyServices(.surroundings(from: before))
  }

  private func surroundingsBegin(from index: Int) {
    let changes = scenario.surroundings.changes
    surroundingsIndex = index
    while surroundingsIndex < changes.count, changes[surroundingsIndex].time <= now {
      surroundings = changes[surroundingsIndex].surroundings
      surroundingsIndex += 1
    }
    timers[.surroundings] =
      surroundingsIndex < changes.count ? changes[surroundingsIndex].time : .distantFuture
    meter.hold(
      .screen, surroundings.isScreenOn ? profile.screen.value : 0, due: .screen, by: .base, at: now)
  }

  /// Informs the services of the app's new state.
  func appStateChanged(from old: AppState) {
    sessionsHandleApp(from: old)
    notifyServices(.app(from: old))
  }
}

/// A change that the services have to know.
enum SurroundingChange {
  case motion(isStill: Bool)
  /// The surroundings changed; the former ones.
  case surroundings(from: PhoneSurroundings)
  /// The state of the app changed; the former one.
  case app(from: AppState)
  /// The computer went to sleep or woke.
  case sleep
  /// The user changed a setting.
  case settings
}
