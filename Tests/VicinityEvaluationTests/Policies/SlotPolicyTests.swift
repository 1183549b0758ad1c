import Testing
import VicinityIndex
import VicinityMonitor
import VicinitySimulation

@testable import VicinityEvaluation

@Suite("Policies that leave the watching to the system")
struct SlotPolicyTests {
  /// Small circles around a place.
  private func crowd(_ count: Int, _ east: Double, _ north: Double = 0, prefix: String = "kiosk") -> [Region]
  {
    (0..<count).map { number in
      PolicyStage.circle(
        "\(prefix)-\(number)", east + Double(number % 5) * 30, north + Double(number / 5) * 30, radius: 20)
    }
  }

  private var commute: PolicyStage {
    var stage = PolicyStage()
    stage.stand(for: 1800)
    stage.go(toEast: 6000)
    stage.stand(for: 1800)
    return stage
  }

  @Test("By centre an occupied large region loses its slot, and its exit is missed; by boundary it does not")
  func evicted() throws {
    // In it from the beginning to 5 km east; its centre is far, and kiosks are near.
    let park = PolicyStage.circle("park", 2500, 2500, radius: 3550)
    let regions =
      [park] + crowd(25, 0, 300) + crowd(25, 3000, 300, prefix: "stall")
      + crowd(25, 5500, 300, prefix: "stand")
    let common = try commute.play(CommonRecipePolicy(), regions)
    #expect(!common.registered(at: 1700).contains("park"))
    #expect(common.registered(at: 1700).count == 20)
    #expect(common.reports.isEmpty)
    let sentinel = try commute.play(ConstantSentinelPolicy(), regions)
    #expect(sentinel.registered(at: 1700).contains("park"))
    #expect(sentinel.registered(at: 1700).count == 20)
    #expect(sentinel.reports == ["-park"])
  }

  @Test(
    "A constant sentinel misses what is within its reach and has no slot; following the position does not")
  func constantSentinel() throws {
    var stage = PolicyStage()
    stage.stand(for: 1800)
    stage.go(toEast: 700, at: 3)
    stage.stand(for: 1800)
    let regions = [PolicyStage.circle("shop", 700, radius: 120)] + crowd(20, 0, 250)
    let constant = try stage.play(ConstantSentinelPolicy(), regions)
    #expect(!constant.registered(at: 3600).contains("shop"))
    #expect(constant.reports.isEmpty)
    #expect(try stage.play(MonitorAdaptivePolicy(), regions).reports == ["+shop"])
    // With fewer it has a slot.
    let few = [PolicyStage.circle("shop", 700, radius: 120)] + crowd(18, 0, 250)
    #expect(try stage.play(ConstantSentinelPolicy(), few).reports == ["+shop"])
    #expect(try stage.play(ConstantSentinelPolicy().setting(\.radius, to: 300), regions).reports == ["+shop"])
  }

  @Test("Visits alone know nothing of a drive; IFTTT's has nothing before the first visit")
  func visits() throws {
    var stage = PolicyStage()
    stage.stand(for: 1800)
    stage.go(toEast: 12_000)
    stage.stand(for: 1800)
    // Passed for 60 s, six kilometres away from either end; so are those that take all slots.
    let regions =
      [PolicyStage.circle("shop", 6000, radius: 300)] + crowd(20, 0, 200)
      + crowd(20, 12_000, 200, prefix: "stall")
    #expect(try stage.play(ContinuousTrackingPolicy(.best), regions).reports == ["+shop", "-shop"])
    let visits = try stage.play(VisitsPolicy(), regions)
    #expect(visits.reports.isEmpty)
    #expect(visits.registered(at: 60).count == 20)
    #expect(visits.registered(at: 4790).allSatisfy { $0.hasPrefix("stall") })
    let ifttt = try stage.play(VisitsPolicy(.ifttt), regions)
    #expect(ifttt.registered(at: 60).isEmpty)
    #expect(ifttt.registered(at: 600).count == 20)
  }

  @Test("customer.io reports a region's entry once an hour")
  func cooldown() throws {
    var stage = PolicyStage()
    stage.stand(for: 600)
    stage.go(toEast: 1500)
    stage.stand(for: 600)
    stage.go(toEast: 0)
    stage.stand(for: 600)
    stage.go(toEast: 1500)
    stage.stand(for: 3600)
    stage.go(toEast: 0)
    let regions = [PolicyStage.circle("shop", 1500, radius: 200)]
    #expect(try stage.play(CustomerIOPolicy(), regions).reports == ["+shop", "-shop", "-shop"])
    #expect(
      try stage.play(CustomerIOPolicy().setting(\.cooldown, to: 0), regions).reports
        == ["+shop", "-shop", "+shop", "-shop"])
  }

  @Test("customer.io chooses from what it fetched, five kilometres ago at most")
  func cache() throws {
    // At the end the shop is the nearest, but was not among the hundred where they were fetched.
    let regions = crowd(110, 0, 500) + [PolicyStage.circle("shop", 4000, radius: 150)]
    var stage = PolicyStage()
    stage.stand(for: 600)
    stage.go(toEast: 4000)
    stage.stand(for: 600)
    let play = try stage.play(CustomerIOPolicy(), regions)
    #expect(play.reports.isEmpty)
    #expect(play.registered(at: 1600).count == 20)
    #expect(try stage.play(CustomerIOPolicy().setting(\.refetch, to: 1000), regions).reports == ["+shop"])
  }

  @Test("customer.io chooses when first launched, and not when launched again with all registered")
  func launches() throws {
    // The shop is the nearest where the app is ended and opened again, still within the circle.
    let regions = crowd(25, 0, 200) + [PolicyStage.circle("shop", 900, radius: 50)]
    var stage = PolicyStage()
    stage.stand(for: 600)
    stage.go(toEast: 800)
    stage.stand(for: 1200)
    let play = try stage.play(
      CustomerIOPolicy(), regions, actions: [(1000, .terminate), (1100, .openApp), (1200, .leaveApp)])
    let before = play.registered(at: 300)
    #expect(before.count == 20 && !before.contains("shop"))
    #expect(play.registered(at: 1800) == before)
  }

  @Test("Klaviyo's SDK chooses when the app starts, each time, and not as the phone moves")
  func klaviyo() throws {
    let regions = crowd(25, 0, 200) + [PolicyStage.circle("shop", 6000, radius: 200)]
    #expect(try commute.play(ContinuousTrackingPolicy(.best), regions).reports == ["+shop"])
    let play = try commute.play(KlaviyoPolicy(), regions)
    let first = play.registered(at: 300)
    #expect(first.count == 20 && !first.contains("shop"))
    #expect(play.registered(at: 4200) == first && play.reports.isEmpty)
    let again = try commute.play(
      KlaviyoPolicy(), regions, actions: [(3000, .terminate), (3100, .openApp), (3200, .leaveApp)])
    #expect(again.registered(at: 3000) == first)
    let second = again.registered(at: 3500)
    #expect(second.count == 20 && second.contains("shop"))
    // By centre: a large region that the phone is in has no slot where twenty centres are nearer.
    let park = [PolicyStage.circle("park", 2500, 2500, radius: 3550)]
    #expect(try !commute.play(KlaviyoPolicy(), park + regions).registered(at: 300).contains("park"))
  }

  @Test("Klaviyo's SDK does not repeat a report for a minute, of entries and exits each by itself")
  func klaviyoCooldown() throws {
    var stage = PolicyStage()
    stage.stand(for: 600)
    for _ in 0..<2 {
      stage.go(toEast: 1500)
      stage.stand(for: 600)
      stage.go(toEast: 0)
      stage.stand(for: 600)
    }
    let regions = [PolicyStage.circle("shop", 1500, radius: 200)]
    #expect(try stage.play(KlaviyoPolicy(), regions).reports == ["+shop", "-shop", "+shop", "-shop"])
    #expect(
      try stage.play(KlaviyoPolicy().setting(\.cooldown, to: 7200), regions).reports == ["+shop", "-shop"])
  }

  @Test("GeoMonitor goes by identifier, and knows no exits")
  func geoMonitor() throws {
    let near = [PolicyStage.circle("zoo", 2500, radius: 200)]
    let others = crowd(19, 0, 4000)
    let stage = commute
    let alone = try stage.play(GeoMonitorPolicy(), near)
    #expect(alone.reports == ["+zoo"])
    let crowded = try stage.play(GeoMonitorPolicy(), near + others)
    #expect(crowded.registered(at: 1700).count == 20)
    #expect(!crowded.registered(at: 1700).contains("zoo"))
    #expect(crowded.reports.isEmpty)
  }

  @Test("Home Assistant has three circles for a small zone, and whole zones or none")
  func homeAssistant() throws {
    let zones = (0..<8).map { PolicyStage.circle("zone-\($0)", 2000 + Double($0) * 100, radius: 60) }
    var stage = PolicyStage()
    stage.stand(for: 600)
    stage.go(toEast: 2000)
    stage.stand(for: 600)
    stage.go(toEast: 0)
    stage.stand(for: 600)
    let play = try stage.play(HomeAssistantPolicy(), zones)
    let names = play.registered(at: 500)
    #expect(names.count == 18)
    #expect(names.contains("zone-0@0") && names.contains("zone-0@120") && names.contains("zone-5@240"))
    #expect(play.reports.filter { $0.hasSuffix("zone-0") } == ["+zone-0", "-zone-0"])
  }

  @Test("Transistorsoft: a filter that grows with speed, a region at rest, nineteen within reach")
  func transistorsoft() throws {
    let policy = TransistorsoftPolicy().setting(\.distanceFilter, to: 30).setting(\.elasticity, to: 1)
    #expect(policy.filter(at: 7.7) == 60)
    #expect(policy.filter(at: 1) == 30)
    #expect(TransistorsoftPolicy().setting(\.distanceFilter, to: 50).filter(at: 27) == 250)
    #expect(policy.filter(at: -1) == 30 && policy.filter(at: .nan) == 30)
    let regions = crowd(30, 300) + [PolicyStage.circle("shop", 6000, radius: 200)]
    let play = try commute.play(TransistorsoftPolicy(), regions)
    #expect(play.registered(at: 1700).count == 20)
    #expect(play.registered(at: 1700).contains("stationary"))
    #expect(play.registered(at: 4100) == ["stationary", "shop"])
    #expect(play.followed.filter { $0 > 400 && $0 < 1800 }.isEmpty)
    #expect(play.reports.contains("+shop"))
  }

  @Test("The common recipe has twenty, all made anew at each change")
  func common() throws {
    let play = try commute.play(CommonRecipePolicy(), crowd(40, 3000, 100))
    #expect(play.mostRegistered == 20)
    let counts = play.result.counts
    #expect(counts.registrations >= 40 && counts.registrations - counts.unregistrations == 20)
  }
}
