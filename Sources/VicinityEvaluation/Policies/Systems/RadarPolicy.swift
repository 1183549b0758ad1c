internal import VicinityCrossings
internal import VicinityGeodesy
public import VicinityIndex
public import VicinityMonitor
public import VicinitySimulation

/// The presets of Radar's SDK for iOS: positions at an interval while the phone moves, by an app that keeps
/// itself alive. The nearest nineteen regions are left to the system, all unregistered and registered again
/// at each position.
///
/// As in `RadarTrackingOptions.m` and `RadarLocationManager.m` at aa6def6 (2026-08-21). The phone has stopped
/// when it stayed within 70 m for 140 s, or with a visit; otherwise it moves. Radar's service decides what a
/// position means for a region, by a rule that is not published. Here the app decides as all other policies
/// do (``decision``), and an event of the system counts as well.
public struct RadarPolicy: AdjustablePolicy {
  public enum Preset: String, CaseIterable, Hashable, Sendable {
    /// A position every 30 s, moving or not, at best accuracy.
    case continuous = "radar-continuous"
    /// One every 150 s while moving, at a hundred metres; a region of 100 m, visits and significant changes
    /// when stopped.
    case responsive = "radar-responsive"
    /// None at an interval; visits, and the system's events.
    case efficient = "radar-efficient"
  }

  public let preset: Preset
  /// Seconds between positions while the phone moves; 0 for none.
  public var movingInterval: Double
  /// Seconds between positions while it has stopped; 0 for none.
  public var stoppedInterval: Double
  public var accuracy: DesiredAccuracy
  /// What the user may be shown: `showBlueBar` of Radar's options.
  public var presence: Presence
  /// How positions decide about regions.
  public var decision = DecisionRule.own

  public init(_ preset: Preset) {
    self.preset = preset
    presence = preset == .continuous ? .indicator : .quiet
    switch preset {
    case .continuous: (movingInterval, stoppedInterval, accuracy) = (30, 30, .best)
    case .responsive: (movingInterval, stoppedInterval, accuracy) = (150, 0, .hundredMeters)
    case .efficient: (movingInterval, stoppedInterval, accuracy) = (0, 0, .hundredMeters)
    }
  }

  public var name: String { preset.rawValue }
  public var summary: String {
    switch preset {
    case .continuous:
      "A position every \(movingInterval) s at \(accuracy.rawValue); at each, the nearest 19 regions are registered anew."
    case .responsive:
      "A position every \(movingInterval) s in motion, a region of 100 m at rest, visits; at each, the nearest 19 regions are registered anew."
    case .efficient: "Visits and region events; at each the nearest 19 regions are registered anew."
    }
  }
  public var source: String {
    "radarlabs/radar-sdk-ios at aa6def6: RadarTrackingOptions.m, RadarLocationManager.m."
  }

  public static let adjustments: [PolicyAdjustment<RadarPolicy>] = [
    .number(
      "moving", \.movingInterval, in: 0...86_400, unit: "s", "Time between positions in motion; 0 for none.",
      tries: [0, 30, 60, 150]),
    .number(
      "stopped", \.stoppedInterval, in: 0...86_400, unit: "s", "Time between positions at rest; 0 for none.",
      tries: [0, 30, 300]),
    .choice("accuracy", \.accuracy, "The tier of the positions.", tries: [.best, .hundredMeters]),
    .choice(
      "presence", \.presence, "What the user may be shown; a search leaves it as it is.", tries: []),
    .decision(\.decision),
  ]

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp { RadarApp(regions, self) }
}

private final class RadarApp: PortableApp {
  private struct Memory: Sendable {
    var slots = SlotManager.Memory()
    var decisions: FixDecisions.Memory?
    var hasStopped = false
    var lastMoved: Fix?
  }

  private static let stopDistance: Meters = 70
  private static let stopDuration = 140.0

  private let regions: RegionIndex
  private let policy: RadarPolicy
  /// The identifier of the region at rest.
  private let fence: String
  private var memory = Memory()
  private var slots: SlotManager
  private var decisions: FixDecisions
  private var sampler: Sampler
  private var request = PositionRequest()

  init(_ regions: RegionIndex, _ policy: RadarPolicy) {
    self.regions = regions
    self.policy = policy
    fence = regions.unusedIdentifier(like: "radar")
    slots = SlotManager(
      regions, SlotRecipe(ranking: .boundary, count: 19, triggers: [], replacesAll: true, avoidsRepeats: true)
    )
    decisions = FixDecisions(regions, by: policy.decision)
    sampler = Sampler(policy.accuracy, showing: policy.presence)
  }

  private var interval: Double { memory.hasStopped ? policy.stoppedInterval : policy.movingInterval }

  func handle(_ event: PhoneEvent, on phone: any StudiedPhone) {
    sampler.handle(event, on: phone)
    let isAnswer = sampler.answers(event)
    switch event {
    case .launched: begin(on: phone)
    case .locations(let fixes, let source):
      if source != .standard, let fix = fixes.last { handle(fix, isArrival: false, on: phone) }
      request.finish(on: phone)
    case .locationUnknown: request.finish(on: phone)
    case .taskExpires(let task): request.expire(task, on: phone)
    case .visited(let visit): handle(visit.fix, isArrival: visit.departure == nil, on: phone)
    case .entered(let region): wake(by: region, isInside: true, on: phone)
    case .exited(let region): wake(by: region, isInside: false, on: phone)
    case .monitoringFailed(let region, let error): phone.lose("\(region): \(error)")
    default: break
    }
    if isAnswer, sampler.isOn { sampler.ask(phone, after: interval) }
  }

  private func begin(on phone: any StudiedPhone) {
    memory = phone.saved as? Memory ?? Memory()
    slots.memory = memory.slots
    decisions = FixDecisions(regions, by: policy.decision, resuming: memory.decisions)
    if policy.preset != .continuous { phone.startMonitoringVisits() }
    if policy.preset == .responsive { phone.startMonitoringSignificantLocationChanges() }
    updateSampling(phone)
    if !sampler.isOn, !memory.slots.hasChosen || phone.monitoredRegions.isEmpty { locate(phone) }
  }

  private func locate(_ phone: any StudiedPhone) {
    if sampler.isOn { sampler.ask(phone) } else { request.ask(phone, policy.accuracy) }
  }

  private func wake(by region: String, isInside: Bool, on phone: any StudiedPhone) {
    if region != fence { handle(region, isInside: isInside, on: phone) }
    locate(phone)
  }

  private func handle(_ region: String, isInside: Bool, on phone: any StudiedPhone) {
    slots.handle(region, isInside: isInside, on: phone)
    save(phone)
  }

  /// Decides what a fix means for regions, whether the phone has stopped, and which regions are registered.
  private func handle(_ fix: Fix, isArrival: Bool, on phone: any StudiedPhone) {
    guard fix.horizontalAccuracy >= 0, phone.now.seconds(since: fix.time) < 60 else { return }
    if memory.hasStopped, fix.horizontalAccuracy >= 1000 { return }
    var hasStopped = isArrival
    if policy.preset != .efficient {
      let last = memory.lastMoved ?? fix
      let gone = (try? Geodesic.distance(from: last.coordinate, to: fix.coordinate)) ?? 0
      if fix.time.seconds(since: last.time) >= Self.stopDuration, gone <= Self.stopDistance {
        hasStopped = true
      }
      memory.lastMoved = gone > Self.stopDistance ? fix : last
    }
    memory.hasStopped = hasStopped
    decisions.handle(fix, on: phone) { region, isInside, _ in
      slots.handle(region, isInside: isInside, on: phone)
    }
    _ = slots.choose(at: fix, on: phone, sparing: [fence])
    if memory.hasStopped, policy.preset == .responsive {
      phone.startMonitoring(MonitoredRegion(exitOnly: fence, center: fix.coordinate, radius: 100))
    } else {
      phone.stopMonitoring(identifier: fence)
    }
    save(phone)
    updateSampling(phone)
  }

  private func save(_ phone: any StudiedPhone) {
    memory.slots = slots.memory
    if decisions.hasNews { memory.decisions = decisions.memory() }
    phone.saved = memory
  }

  /// Keeps the app alive while it requests positions at an interval.
  private func updateSampling(_ phone: any StudiedPhone) {
    if interval > 0 { sampler.start(on: phone) } else { sampler.stop(on: phone) }
  }
}
