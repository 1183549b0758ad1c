internal import VicinityGeodesy
public import VicinityIndex
internal import VicinityMonitor
public import VicinitySimulation

/// The recipe of most tutorials: at each significant change, all regions are torn down and the nearest twenty by their
/// centres registered.
///
/// As of plotprojects' *iOS geofencing: how to monitor more than 20 regions* (2014), and of the answers that repeat it. What is
/// wrong with it is what it is here for: centres in the place of boundaries, no proof, and states that are lost with the slots.
public struct CommonRecipePolicy: MonitoringPolicy {
  /// How many regions are registered.
  public var count: Int

  /// The recipe.
  public init(count: Int = 20) { self.count = count }

  public var name: String { "significant-change" }
  public var summary: String {
    "The significant-change service; at each, the nearest \(count) regions by centre are registered anew."
  }

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp { CommonRecipeApp(regions, count) }
}

private final class CommonRecipeApp: PhoneApp {
  private let regions: RegionIndex
  private let count: Int

  init(_ regions: RegionIndex, _ count: Int) {
    self.regions = regions
    self.count = count
  }

  func phone(_ phone: SimulatedPhone, did event: PhoneEvent) {
    switch event {
    case .launched: phone.startMonitoringSignificantLocationChanges()
    case .locations(let fixes, _):
      if let fix = fixes.last { register(around: fix, on: phone) }
    case .entered(let region): phone.report(entry: true, region: region, at: phone.now)
    case .exited(let region): phone.report(entry: false, region: region, at: phone.now)
    default: break
    }
  }

  private func register(around fix: Fix, on phone: SimulatedPhone) {
    do {
      var planner = try RegistrationPlanner(
        regions, options: PlanOptions(capacity: count, strategy: .nearestByCenter))
      _ = try planner.advance(to: fix)
      guard let plan = planner.plan else { return }
      for region in phone.monitoredRegions { phone.stopMonitoring(identifier: region.identifier) }
      for registration in plan.registrations {
        if let circle = MonitoredRegion(enclosing: registration.ordinal, of: regions) {
          phone.startMonitoring(circle)
        }
      }
    } catch {
      phone.lose("no registrations: \(error)")
    }
  }
}

extension MonitoredRegion {
  /// The circle that a system watches for a region: itself, or one around a polygon. nil where there is no such region.
  init?(enclosing ordinal: Int, of regions: RegionIndex) {
    guard let region = regions.knownRegion(at: ordinal) else { return nil }
    switch region.shape {
    case .circle(let center, let radius):
      self.init(identifier: region.identifier, center: center, radius: radius)
    case .polygon(let polygon):
      self.init(identifier: region.identifier, center: polygon.boundingCenter, radius: polygon.boundingRadius)
    }
  }
}
