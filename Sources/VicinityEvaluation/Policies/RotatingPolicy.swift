internal import VicinityCrossings
internal import VicinityGeodesy
public import VicinityIndex
public import VicinityMonitor
public import VicinitySimulation

/// Vicinity's rotation: registers the nearest regions by boundary distance, and a sentinel; when the phone leaves the sentinel,
/// the app plans again.
///
/// The app requests a position when the phone leaves the sentinel and when the app comes to the front. A saturated plan has no
/// certificate, so the app tracks the phone continuously until a plan has one again.
public struct RotatingPolicy: AdjustablePolicy {
  /// By default, the sentinel is placed ahead of the phone where its course is known, with a phone's margins.
  public var options = PlanOptions(strategy: .boundaryAhead())
  /// The tier of the positions at which the app plans.
  public var accuracy = DesiredAccuracy.hundredMeters

  public init() {}

  public var name: String { "rotation" }
  public var summary: String {
    "Registers the nearest regions by boundary distance and a sentinel; plans again when the phone leaves the sentinel."
  }

  public var source: String { "Vicinity: RegistrationPlanner." }
  public var needs: String { "Monitor with its slots alone: permission always and no background mode" }

  public static let adjustments: [PolicyAdjustment<RotatingPolicy>] = [
    .choice(
      "accuracy", \.accuracy, "The tier of the positions at which the app plans.",
      tries: [.best, .hundredMeters]),
    .number(
      "speed", \.options.maximumSpeed, in: 0.1...1000, unit: "m/s",
      "The speed cap, on which the certificate rests.",
      tries: [20, 40]),
    .number(
      "overshoot", \.options.overshoot, in: 0...10_000, unit: "m",
      "How far beyond a border an exit is noticed.",
      tries: [50, 100, 200]),
    .number(
      "minimum-radius", \.options.minimumReliableRadius, in: 0...10_000, unit: "m",
      "The least radius of a sentinel.", tries: [100, 200]),
    .count("capacity", \.options.capacity, in: 2...1000, "Slots, the sentinel's included.", tries: [20]),
  ]

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp {
    RotatingApp(regions, options, accuracy)
  }
}

/// The app's state that survives the process.
private struct RotatingMemory: Sendable {
  var reported = ReportedRegions()
  /// The sentinel's identifier while there is one.
  var sentinel: String?
  /// Whether there has been a plan. The regions that the phone is in at the first plan were entered before, so they are not
  /// reported.
  var hasPlanned = false
}

final class RotatingApp: PhoneApp {
  /// The app does not plan with positions less accurate than this, metres: those of cells alone.
  private static let worstAccuracy: Meters = 1000

  private let regions: RegionIndex
  private let options: PlanOptions
  private let accuracy: DesiredAccuracy
  private var planner: RegistrationPlanner<RegionIndex>?
  private var decisions: FixDecisions
  private var memory = RotatingMemory()
  private var request = PositionRequest()
  private var isTracking = false

  init(_ regions: RegionIndex, _ options: PlanOptions, _ accuracy: DesiredAccuracy) {
    self.regions = regions
    self.options = options
    self.accuracy = accuracy
    decisions = FixDecisions(regions)
  }

  func phone(_ phone: SimulatedPhone, did event: PhoneEvent) {
    switch event {
    case .launched: begin(on: phone)
    case .becameActive: locate(phone)
    case .locations(let fixes, _):
      for fix in fixes { handle(fix, on: phone) }
    case .locationUnknown: request.finish(on: phone)
    case .taskExpires(let task): request.expire(task, on: phone)
    case .exited(let region):
      if region == memory.sentinel { locate(phone) } else { handle(region, isInside: false, on: phone) }
    case .entered(let region):
      if region != memory.sentinel { handle(region, isInside: true, on: phone) }
    case .determined(let state, let region):
      guard region != memory.sentinel else {
        if state == .outside { locate(phone) }
        return
      }
      if state != .unknown { handle(region, isInside: state == .inside, on: phone) }
    case .monitoringFailed(let region, let error): phone.lose("\(region): \(error)")
    default: break
    }
  }

  private func begin(on phone: SimulatedPhone) {
    memory = phone.saved as? RotatingMemory ?? RotatingMemory()
    do {
      planner = try RegistrationPlanner(regions, options: options)
      planner?.adopt(phone.monitoredRegions.map(\.identifier), sentinel: memory.sentinel)
    } catch {
      phone.lose("no plans: \(error)")
    }
    locate(phone)
  }

  /// Requests a position; while the phone is tracked, the next one comes by itself.
  private func locate(_ phone: SimulatedPhone) {
    if isTracking { request.hold(phone) } else { request.ask(phone, accuracy) }
  }

  private func handle(_ fix: Fix, on phone: SimulatedPhone) {
    // A position from before the sentinel was left would plan for where the phone was.
    guard fix.horizontalAccuracy >= 0, phone.now.seconds(since: fix.time) < 60 else { return }
    if isTracking {
      // For registered regions too: fixes tell sooner than the system, which waits for its cushion.
      decisions.handle(fix, on: phone) { region, isInside, _ in handle(region, isInside: isInside, on: phone)
      }
    }
    // A position of cells tells less than the plan in force, and would make the planner look at all regions for kilometres.
    guard fix.horizontalAccuracy <= Self.worstAccuracy else { return track(true, on: phone) }
    do {
      if case .planned(let diff)? = try planner?.advance(to: fix, now: phone.now) {
        carryOut(diff, on: phone)
      }
    } catch {
      phone.lose("a fix: \(error)")
    }
    request.finish(on: phone)
  }

  private func carryOut(_ diff: PlanDiff, on phone: SimulatedPhone) {
    for step in diff.steps {
      switch step {
      case .registerSentinel(let sentinel):
        memory.sentinel = sentinel.identifier
        phone.startMonitoring(
          MonitoredRegion(
            identifier: sentinel.identifier, center: sentinel.disc.center, radius: sentinel.disc.radius))
        // The phone may have left it while it was being chosen.
        phone.requestState(identifier: sentinel.identifier)
      case .unregisterSentinel(let identifier):
        if memory.sentinel == identifier { memory.sentinel = nil }
        phone.stopMonitoring(identifier: identifier)
      case .register(let registration):
        guard let circle = MonitoredRegion(enclosing: registration.ordinal, of: regions) else { continue }
        phone.startMonitoring(circle)
        phone.requestState(identifier: circle.identifier)
      case .unregister(let registration): phone.stopMonitoring(identifier: registration.identifier)
      }
    }
    let plan = planner?.plan
    if !memory.hasPlanned, let plan {
      memory.hasPlanned = true
      for registration in plan.registrations where registration.distance <= 0 {
        memory.reported.know(registration.identifier, isInside: true)
      }
    }
    phone.saved = memory
    phone.show(safeDisc: plan?.safeDisc)
    track(plan?.saturation != nil, on: phone)
  }

  /// Starts or ends continuous tracking, which is needed while plans have no certificate.
  private func track(_ isNeeded: Bool, on phone: SimulatedPhone) {
    guard isNeeded != isTracking else { return }
    isTracking = isNeeded
    if isNeeded {
      phone.locationSettings = LocationSettings(continuous: accuracy, distanceFilter: 10)
      phone.startUpdatingLocation()
    } else {
      phone.stopUpdatingLocation()
    }
  }

  private func handle(_ region: String, isInside: Bool, on phone: SimulatedPhone) {
    if memory.reported.report(region, isInside: isInside, on: phone) { phone.saved = memory }
  }
}
