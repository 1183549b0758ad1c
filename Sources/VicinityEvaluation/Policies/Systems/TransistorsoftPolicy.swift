internal import VicinityCrossings
public import VicinityGeodesy
public import VicinityIndex
public import VicinityMonitor
public import VicinitySimulation

/// Transistorsoft's background-geolocation on iOS: in motion, continuous tracking with a distance filter that
/// grows with the speed; at rest, a region whose exit means motion; the nineteen nearest regions within a
/// kilometre are left to the system.
///
/// After its documentation at f50a1c1: `stationaryRadius` 25 m, which takes 200 m of movement; `stopTimeout`
/// 5 minutes; `distanceFilter` 10 m and `elasticityMultiplier` 1, so the filter grows with the speed in steps
/// of 5 m/s; `geofenceProximityRadius` 1000 m, plus the fix's accuracy; the significant-change service;
/// entries of regions that the phone is in when they get a slot. Its core is closed source. How it detects
/// motion is unknown: here, by positions and the region. Its ranking is assumed to be by centre.
public struct TransistorsoftPolicy: AdjustablePolicy {
  /// The tier in motion.
  public var accuracy = DesiredAccuracy.best
  /// The distance filter at walking speed, metres.
  public var distanceFilter: Meters = 10
  /// The factor of the filter's growth with speed.
  public var elasticity = 1.0
  /// How long the phone must rest before it is no longer tracked, seconds.
  public var stopTimeout = 300.0
  /// The radius of the region at rest, metres.
  public var fence: Meters = 200
  /// Regions within this distance get slots, metres.
  public var proximity: Meters = 1000

  public init() {}

  public var name: String { "transistorsoft" }
  public var summary: String {
    "Tracks in motion, with a filter that grows with speed; a region of \(fence) m at rest; registers the nearest 19 within \(proximity) m."
  }
  public var presence: Presence { .indicator }
  public var source: String {
    "transistorsoft/react-native-background-geolocation at f50a1c1: documentation, changelog."
  }

  public static let adjustments: [PolicyAdjustment<TransistorsoftPolicy>] = [
    .choice("accuracy", \.accuracy, "The tier in motion.", tries: [.best, .hundredMeters]),
    .number(
      "filter", \.distanceFilter, in: 0...100_000, unit: "m", "The filter at walking speed.",
      tries: [10, 30, 50]),
    .number(
      "elasticity", \.elasticity, in: 0...100, unit: "", "The factor of the filter's growth with speed.",
      tries: [0, 1, 2]),
    .number(
      "stop", \.stopTimeout, in: 10...86_400, unit: "s",
      "How long the phone must rest before it is no longer tracked.",
      tries: [60, 300]),
    .number(
      "fence", \.fence, in: 1...10_000, unit: "m", "The radius of the region at rest.", tries: [100, 200]),
    .number(
      "proximity", \.proximity, in: 1...1_000_000, unit: "m",
      "Regions within this distance get slots.",
      tries: [1000, 2000]),
  ]

  /// The distance filter at a speed, metres: multiplied by round(speed / 5), at least 1.
  func filter(at speed: MetersPerSecond) -> Meters {
    guard elasticity > 0, speed >= 0, speed < 1000 else { return distanceFilter }
    return distanceFilter * max(1, (speed / 5).rounded() * elasticity)
  }

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp { TransistorsoftApp(regions, self) }
}

private final class TransistorsoftApp: PortableApp {
  private struct Memory: Sendable {
    var cycle = MotionCycle.Memory()
    var slots = SlotManager.Memory()
  }

  private let policy: TransistorsoftPolicy
  private let isSmall: Bool
  private var cycle: MotionCycle
  private var slots: SlotManager

  init(_ regions: RegionIndex, _ policy: TransistorsoftPolicy) {
    self.policy = policy
    isSmall = regions.count <= 18
    cycle = MotionCycle(
      .init(
        accuracy: policy.accuracy, distanceFilter: policy.distanceFilter, stopAfter: policy.stopTimeout,
        stillRadius: 25, fence: policy.fence, name: regions.unusedIdentifier(like: "stationary")))
    slots = SlotManager(
      regions,
      SlotRecipe(
        ranking: .center, count: 19, triggers: [], maximumDistance: policy.proximity, asksStates: true,
        avoidsRepeats: true))
  }

  func handle(_ event: PhoneEvent, on phone: any StudiedPhone) {
    let fence = cycle.settings.name
    switch event {
    case .launched:
      let memory = phone.saved as? Memory ?? Memory()
      cycle.memory = memory.cycle
      slots.memory = memory.slots
      if !isSmall { phone.startMonitoringSignificantLocationChanges() }
      cycle.begin(on: phone)
    case .locations(let fixes, let source):
      for fix in fixes where phone.now.seconds(since: fix.time) < 60 { handle(fix, from: source, on: phone) }
    case .timer: if !cycle.handleTimer(event, on: phone) { return }
    case .entered(let region): slots.handle(region, isInside: true, on: phone)
    case .exited(let region):
      if region == fence { cycle.move(on: phone) } else { slots.handle(region, isInside: false, on: phone) }
    case .determined(let state, let region):
      if region == fence {
        if state == .outside, !cycle.memory.isMoving { cycle.move(on: phone) }
      } else if state != .unknown {
        slots.handle(region, isInside: state == .inside, on: phone)
      }
    case .monitoringFailed(let region, let error): phone.lose("\(region): \(error)")
    default: return
    }
    phone.saved = Memory(cycle: cycle.memory, slots: slots.memory)
  }

  private func handle(_ fix: Fix, from source: LocationSource, on phone: any StudiedPhone) {
    _ = slots.choose(at: fix, on: phone, sparing: [cycle.settings.name])
    guard source == .standard, cycle.memory.isMoving else { return }
    cycle.handle(fix, on: phone)
    if cycle.memory.isMoving { cycle.filter(policy.filter(at: fix.speed), on: phone) }
  }
}
