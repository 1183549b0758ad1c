import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityMonitor

@testable import VicinitySimulation

/// Rules of region monitoring that eras and scenarios set, and what holds at registration.
@Suite("Region monitoring: rules")
struct RegionRulesTests {
  private static let home = MonitoredRegion(identifier: "home", center: Route.place(0), radius: 100)

  private static func monitoring(
    _ regions: MonitoredRegion..., updates: DesiredAccuracy? = nil
  ) -> (SimulatedPhone, PhoneEvent) -> Void {
    { phone, event in
      guard case .launched = event else { return }
      for region in regions { phone.startMonitoring(region) }
      guard let updates else { return }
      phone.locationSettings = LocationSettings(continuous: updates)
      phone.startUpdatingLocation()
    }
  }

  @Test("The cushion is the era's where it has one, and the phone's otherwise")
  func cushion() throws {
    // As in `RegionMonitoringTests.walk`: the inward cushion is half of the radius, or less with none at all;
    // 300 m, 200 m and 100 m from the centre are left behind at 649.5, 599.5 and 549.5 s.
    var none = BackgroundRules.iOS13
    none.regionCushion = 0
    for (rules, crossings) in [
      (BackgroundRules.iOS4, ["501.0 entered home", "671.0 exited home"]),
      (.iOS7, ["501.0 entered home", "671.0 exited home"]),
      (.iOS13, ["501.0 entered home", "641.0 exited home"]),
      (none, ["471.0 entered home", "581.0 exited home"]),
    ] {
      let result = try Simulation.run(
        Route(east: -999).going(east: 2, for: 1000), profile: RegionMonitoringTests.exactPhone, rules: rules,
        Self.monitoring(Self.home))
      #expect(result.crossings == crossings, "\(rules.name)")
    }
  }

  @Test("A circle that is too large is refused with Core Location's code, and one of the greatest radius not")
  func tooLarge() throws {
    let huge = MonitoredRegion(identifier: "huge", center: Route.place(0), radius: 10_000.5)
    let large = MonitoredRegion(identifier: "large", center: Route.place(0), radius: 10_000)
    let result = try Simulation.run(
      Route(east: 0).standing(for: 60), Self.monitoring(huge, large, huge.clamped(to: 10_000)))
    let failures = result.told.compactMap { told -> RegionMonitoringError? in
      if case .monitoringFailed("huge", let error) = told.event { error } else { nil }
    }
    #expect(failures.map(\.code) == [.regionMonitoringFailure])
    #expect(failures.first?.diagnostics == .conditionUnsupported)
    #expect(failures.first?.description.contains("10000.5") == true)
    #expect(result.counts.registrations == 2)
  }

  @Test("By the guides' rules good positions of the standard service decide nothing about regions")
  func apart() throws {
    var phone = RegionMonitoringTests.exactPhone
    phone.tiers[.best]?.moving = SampleProfile.positions(error: 0, reported: 10)
    func entry(_ rules: BackgroundRules) throws -> String? {
      try Simulation.run(
        Route(east: -999).going(east: 2, for: 700), profile: phone, rules: rules,
        Self.monitoring(Self.home, updates: .best)
      ).crossings.first
    }
    #expect(try entry(.iOS7) == "501.0 entered home")
    // Within the inward cushion from 474.5 s on: seen a second later at most, and told 21 s after that.
    let modern = try #require(try entry(.iOS13))
    let seconds = try #require(Double(modern.split(separator: " ")[0]))
    #expect((495.5...497).contains(seconds), "\(modern)")
  }

  @Test("Other apps' regions take from the system's limit, until they are gone")
  func otherApps() throws {
    func region(_ name: String) -> UserAction {
      .app(.monitor(MonitoredRegion(identifier: name, center: Route.place(0), radius: 100)))
    }
    let stage = try Stage([
      (1, .otherAppsRegions(99)), (2, region("a")), (3, region("b")), (4, region("a")),
      (5, .otherAppsRegions(98)), (6, region("b")),
    ])
    stage.go(to: 4)
    #expect(stage.phone.monitoredRegions.map(\.identifier) == ["a"])
    stage.go(to: 10)
    #expect(stage.phone.monitoredRegions.map(\.identifier) == ["a", "b"])
    let failures = stage.phone.timeline.compactMap { entry -> String? in
      guard case .delivered(.monitoringFailed(let region, let error)) = entry.kind else { return nil }
      return "\(entry.time.seconds) \(region) \(error.diagnostics == .conditionLimitExceeded)"
    }
    #expect(failures == ["3.0 b true"])
  }

  /// 10 m on either side of the boundary, where every second position is on the wrong side.
  @Test(
    "What holds at registration is no event, whatever positions say while the phone lies still; and leaving is told",
    arguments: ["iphone-6", "modern-phone"])
  func stayAtRegistration(name: String) throws {
    let phone = try DeviceProfile.named(name)
    for (east, isInside) in [(90.0, true), (110, false)] {
      var exits = 0
      for seed in 1...40 {
        // The phone lies still for eight hours, and then goes 3 km away.
        let route = Route(east: east).standing(for: 28_800).going(east: 1.4, for: 2143)
        let result = try Simulation.run(
          route, profile: phone, surroundings: .inferred(from: try route.track()), seed: UInt64(seed),
          Self.monitoring(Self.home))
        let early = result.told.filter { told in
          switch told.event {
          case .entered, .exited: told.seconds < 28_800
          default: false
          }
        }
        #expect(early.isEmpty, "\(east) m, seed \(seed): \(result.crossings)")
        if result.crossings.last?.hasSuffix("exited home") == true { exits += 1 }
      }
      // Errors last for hours: here and there all positions of a stay were outside.
      if isInside { #expect(exits >= 30, "\(exits) of 40") }
    }
  }
}
