import Testing

@testable import VicinitySimulation

@Suite("Fitted power")
struct EnergyFitTests {
  @Test("The rates that made the levels are found again")
  func rates() throws {
    let spans = [(0.5, 0.5, 0.0), (1, 0, 0), (0.2, 0.8, 0), (0, 1, 0), (0.3, 0.3, 0.4)].map {
      moving, still, off in
      EnergyFit.Span(
        drawn: 7.5 * moving + 4.5 * still + 0.4 * off, moving: moving, still: still, off: off, phone: "a")
    }
    let rates = EnergyFit.outingRates(spans, still: 1, off: 0.4, PhoneFactors([]))
    #expect(abs(try #require(rates.moving) - 7.5) < 1e-9)
    #expect(abs(try #require(rates.still) - 4.5) < 1e-9)
  }

  @Test func littleTimeAtRestLeavesTheKnownRate() throws {
    let spans = [
      EnergyFit.Span(drawn: 6 * 0.9 + 2 * 0.1, moving: 0.9, still: 0.1, off: 0, phone: "a")
    ]
    let rates = EnergyFit.outingRates(spans, still: 2, off: 0.4, PhoneFactors([]))
    #expect(rates.still == nil)
    #expect(abs(try #require(rates.moving) - 6) < 1e-9)
    #expect(EnergyFit.outingRates([], still: 2, off: 0, PhoneFactors([])) == EnergyFit.OutingRates())
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
