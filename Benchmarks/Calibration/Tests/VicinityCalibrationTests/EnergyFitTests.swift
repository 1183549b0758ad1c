import Testing
import VicinityMonitor

@testable import VicinityCalibration
@testable import VicinitySimulation

@Suite("Fitted power")
struct EnergyFitTests {
  /// A day out with the service on throughout: half an hour at rest, half an hour on the move, five hours at
  /// rest elsewhere.
  private func outing(
    moving: Double, still: Double, platform: DeviceProfile.Platform = .ios, isDutyCycled: Bool = false
  ) throws -> (range: MeasuredRange, truth: ReplayTruth) {
    let ride = SampleMeasurements.ride()
    var range = SampleMeasurements.range(
      "out", day: "2020-01-01", platform: platform, requestedInterval: platform == .android ? 1 : nil,
      isDutyCycled: isDutyCycled)
    let measurements = Measurements(
      ranges: [range], truth: [range.run: ride.places], trips: [range.run: [ride.trip]])
    let truth = try ReplayTruth(range, in: measurements)
    range.battery = (0...12).map { step in
      let time = range.start + Double(step) * 1800
      let hours = truth.movingSeconds(from: range.start, to: time) / 3600
      return BatteryReading(
        time: time, level: 99 - moving * hours - still * ((time - range.start) / 3600 - hours))
    }
    return (range, truth)
  }

  @Test("The rates that made the levels are found again")
  func rates() throws {
    let (range, truth) = try outing(moving: 7.5, still: 4.5)
    #expect(abs(try #require(EnergyFit.restingRate(range, truth)) - 4.5) < 1e-6)
    let rate = EnergyFit.movingRate(range, truth, still: 4.5, off: 0.4, BatteryGauge([]), factor: 1)
    #expect(abs(try #require(rate) - 7.5) < 1e-6)
    let other = EnergyFit.movingRate(
      range, truth, still: 4.5 / 0.8, off: 0.4, BatteryGauge([]), factor: 0.8)
    #expect(abs(try #require(other) - 7.5 / 0.8) < 1e-6)
    // More than all of it went to rest: no less than with the service off.
    #expect(EnergyFit.movingRate(range, truth, still: 9, off: 0.4, BatteryGauge([]), factor: 1) == 0.4)
  }

  @Test func aReserveCounts() throws {
    var (range, truth) = try outing(moving: 7.5, still: 4.5)
    for index in range.battery.indices { range.battery[index].level += 1 }
    var gauge = BatteryGauge([])
    gauge.reserve = 2
    let rate = EnergyFit.movingRate(range, truth, still: 4.5, off: 0.4, gauge, factor: 1)
    // Two per cent in half an hour.
    #expect(abs(try #require(rate) - 11.5) < 0.2)
    for index in range.battery.indices { range.battery[index].level = 100 }
    #expect(EnergyFit.movingRate(range, truth, still: 4.5, off: 0.4, gauge, factor: 1) == nil)
  }

  @Test("What places take is told apart, and does not change what motion takes")
  func places() throws {
    let (range, truth) = try outing(moving: 7.5, still: 5.4)
    let key = try #require(range.tierKey)
    let home = try #require(EnergyFit.Rate([4.4], seed: 1))
    let places = SitePower([range], [range.run: truth], rates: [key: home], idle: 0.4, PhoneFactors([]))
    #expect(abs(places.ratio - 1.25) < 1e-6)
    #expect(abs(places.home + places.out - 2) < 1e-12)
    #expect(SitePower([range], [:], rates: [key: home], idle: 0.4, PhoneFactors([])).ratio == 1)
    var tier = SampleProfile.tier(error: 5, reported: 10, interval: 1, gnss: 250)
    tier.motion = SampleProfile.figure(100)
    func held(_ tier: TierProfile) -> Double {
      tier.gnss.value + tier.wifi.value + tier.cell.value + tier.processor.value
    }
    let (lying, out) = (places.tier(tier, atHome: true), places.tier(tier, atHome: false))
    #expect(abs(held(out) / held(lying) - 1.25) < 1e-6)
    for other in [lying, out] {
      #expect(abs(held(other) + other.motion.value - held(tier) - 100) < 1e-9)
    }
  }

  @Test("An app's own work is what those that read back take more")
  func appWork() throws {
    let reading = try outing(moving: 20, still: 1, platform: .android, isDutyCycled: true).range
    let other = try outing(moving: 12, still: 1, platform: .android).range
    let work = AppWork([
      .init(range: reading, rate: 20, perMillijoule: 0.01),
      .init(range: other, rate: 12, perMillijoule: 0.01),
    ])
    // 300 points at each fix, of a fix a second.
    #expect(abs(work.millijoules(reading) * 0.01 - 8) < 0.01)
    #expect(work.millijoules(other) == 0)
    var slow = reading
    slow.requestedInterval = 30
    #expect(abs(work.millijoules(slow) * 30 / work.millijoules(reading) - 1) < 1e-9)
    #expect(AppWork([.init(range: reading, rate: 20, perMillijoule: 0.01)]).millijoulesPerPoint == 0)
  }

  /// A phone that lay for twelve hours and drew evenly, its level read each hour through a gauge.
  private func lying(_ phone: String, rate: Double, reserve: Double, run: String) -> MeasuredRange {
    var range = SampleMeasurements.range(
      "\(run) \(phone)", day: run, outing: "home", phone: phone, isStationary: true, hours: 12,
      drainBelow100: rate)
    range.battery = (0...12).map { hour in
      BatteryReading(
        time: range.start + Double(hour) * 3600, level: 100 - max(0, rate * Double(hour) - reserve))
    }
    return range
  }

  @Test func theReserveIsFound() {
    let ranges = ["a", "b", "c"].map { lying($0, rate: 2, reserve: 5, run: "monday") }
    let gauge = BatteryGauge(ranges)
    #expect(abs(gauge.reserve - 5) < 1e-9)
    #expect(gauge.shown(4, from: 100) == 0)
    #expect(gauge.shown(9, from: 100) == 4)
    #expect(gauge.shown(9, from: 90) == 9)
    #expect(BatteryGauge([]).reserve == 0)
  }

  @Test("A phone that draws less than the rest every time is another; one that does now and then is not")
  func factors() {
    var ranges: [MeasuredRange] = []
    for (index, run) in ["mon", "tue", "wed", "thu"].enumerated() {
      for (phone, factor) in [("a", 1.0), ("b", 0.8), ("c", index % 2 == 0 ? 1.2 : 0.95), ("d", 1)] {
        ranges.append(lying(phone, rate: 4 * factor, reserve: 0, run: run))
      }
    }
    let factors = PhoneFactors(ranges)
    #expect(abs(factors["b"] - 0.8) < 0.03)
    #expect(factors["a"] == 1)
    #expect(factors["c"] == 1)
    #expect(factors["elsewhere"] == 1)
  }

  @Test("Motion adds what the simulator needs to drain as fast as was measured")
  func motion() throws {
    var phone = SampleProfile.phone
    phone.sources[ProfileFit.source] = "made up"
    var fitted = FittedProfile(
      profile: phone, slow: [:], gauge: BatteryGauge([]), factors: PhoneFactors([]),
      noise: Sample([]), notes: [])
    let key = TierKey(accuracy: .best, isSlow: false)
    MotionFit(seed: 3).fit(&fitted, [key: .init(rate: 6, low: 5, high: 7)])
    let motion = try #require(fitted.profile.tiers[.best]).motion
    #expect(motion.low < motion.value && motion.value < motion.high)
    let replay = StandardReplay(profile: fitted.profile, accuracy: .best, distanceFilter: 1)
    #expect(abs(try replay.movingRate(seed: 3) / 6 - 1) < 0.02)
  }
}
