public import VicinityGeodesy
public import VicinityIndex
public import VicinityMonitor
public import VicinitySimulation

/// At rest, one region around the phone; its exit switches on continuous tracking, until the phone has rested
/// for some minutes. While the phone is tracked, the app decides about all regions from its fixes.
///
/// This is e-mission's geofenced duty cycling (K. Shankari et al., EECS-2016-119, Berkeley, 2016): a region
/// of 100 m, and a trip that ends after five minutes within 100 m. An app that is killed in motion runs again
/// only when its user opens it.
public struct DutyCycledPolicy: AdjustablePolicy {
  /// The tier in motion.
  public var accuracy = DesiredAccuracy.best
  /// How far the phone must go between two positions, metres; nil for every position.
  public var distanceFilter: Meters? = 10
  /// The radius of the region at rest, metres; also how far a phone at rest may go.
  public var radius: Meters = 100
  /// How long the phone must rest before it is no longer tracked, seconds.
  public var stopAfter = 300.0
  /// How positions decide about regions.
  public var decision = DecisionRule.own

  public init() {}

  public var name: String { "duty-cycled" }
  public var summary: String {
    "Tracks at \(accuracy.rawValue) in motion; after \(stopAfter) s at rest, only watches a region of \(radius) m around the phone."
  }
  public var presence: Presence { .indicator }
  public var source: String {
    "e-mission (Shankari, EECS-2016-119): a 100 m region, trips that end after five minutes."
  }

  public static let adjustments: [PolicyAdjustment<DutyCycledPolicy>] = [
    .choice("accuracy", \.accuracy, "The tier in motion.", tries: [.best, .hundredMeters]),
    .number(
      "filter", orNone: \.distanceFilter, in: 0...100_000, unit: "m",
      "How far the phone must go between two positions.", tries: [nil, 10, 30]),
    .number(
      "radius", \.radius, in: 1...10_000, unit: "m", "The radius of the region at rest.", tries: [100, 200]),
    .number(
      "stop", \.stopAfter, in: 10...86_400, unit: "s",
      "How long the phone must rest before it is no longer tracked.",
      tries: [120, 300, 600]),
    .decision(\.decision),
  ]

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp {
    DutyCycledApp(
      regions, by: decision,
      MotionCycle.Settings(
        accuracy: accuracy, distanceFilter: distanceFilter, stopAfter: stopAfter,
        stillRadius: radius, fence: radius, name: regions.unusedIdentifier(like: "at-rest")))
  }
}

private final class DutyCycledApp: PortableApp {
  private struct Memory: Sendable {
    var cycle = MotionCycle.Memory()
    var decisions: FixDecisions.Memory?
  }

  private let regions: RegionIndex
  private let rule: DecisionRule
  private var decisions: FixDecisions
  private var cycle: MotionCycle
  private var saved = Memory()

  init(_ regions: RegionIndex, by rule: DecisionRule, _ settings: MotionCycle.Settings) {
    self.regions = regions
    self.rule = rule
    decisions = FixDecisions(regions, by: rule)
    cycle = MotionCycle(settings)
  }

  func handle(_ event: PhoneEvent, on phone: any StudiedPhone) {
    let fence = cycle.settings.name
    switch event {
    case .launched:
      saved = phone.saved as? Memory ?? Memory()
      decisions = FixDecisions(regions, by: rule, resuming: saved.decisions)
      cycle.memory = saved.cycle
      cycle.begin(on: phone)
    case .becameActive: if !cycle.memory.isMoving { cycle.move(on: phone) }
    case .locations(let fixes, _):
      for fix in fixes {
        decisions.report(fix, on: phone)
        cycle.handle(fix, on: phone)
      }
    case .timer: if !cycle.handleTimer(event, on: phone) { return }
    case .exited(let region) where region == fence: cycle.move(on: phone)
    case .determined(.outside, let region) where region == fence:
      if !cycle.memory.isMoving { cycle.move(on: phone) }
    case .monitoringFailed(let region, let error): phone.lose("\(region): \(error)")
    default: return
    }
    guard decisions.hasNews || cycle.memory.isMoving != saved.cycle.isMoving else { return }
    saved.cycle = cycle.memory
    if decisions.hasNews { saved.decisions = decisions.memory() }
    phone.saved = saved
  }
}
