import Testing

@testable import VicinityCalibration
@testable import VicinitySimulation

@Suite("Fitted idle power")
struct IdleFitTests {
  private let gauge: BatteryGauge = {
    var gauge = BatteryGauge([])
    gauge.reserve = 4
    return gauge
  }()

  /// A phone that was carried for ten hours with the service off.
  private func range(
    from first: Double = 100, to last: Double, hours: Double = 10, drain: Double? = nil,
    platform: DeviceProfile.Platform = .ios
  ) -> MeasuredRange {
    var range = SampleMeasurements.range(
      "off", day: "2020-01-01", platform: platform, accuracy: nil, hours: hours, drain: drain)
    range.battery = [
      BatteryReading(time: range.start, level: first), BatteryReading(time: range.end, level: last),
    ]
    return range
  }

  private func rate(_ ranges: [MeasuredRange]) -> EnergyFit.Rate? {
    IdleFit(ranges, .ios, gauge, PhoneFactors([]), seed: 1).rate
  }

  @Test("A level that stays at 100 % bounds what was drawn, one that falls tells it")
  func bounds() {
    // Nothing to all of the reserve of 4 %, in ten hours.
    #expect(IdleFit.bounds(range(to: 100), gauge, factor: 1) == 0...0.4)
    // The reserve and 6 %.
    #expect(IdleFit.bounds(range(to: 94), gauge, factor: 1) == 1...1)
    #expect(IdleFit.bounds(range(from: 90, to: 84), gauge, factor: 1) == 0.6...0.6)
    // A phone that drains twice as fast as its like.
    #expect(IdleFit.bounds(range(to: 94), gauge, factor: 2) == 0.5...0.5)
    // One that was charged on the way has drawn nothing that is known.
    #expect(IdleFit.bounds(range(from: 80, to: 90), gauge, factor: 1) == 0...0)
    var silent = range(to: 94)
    silent.battery = []
    #expect(IdleFit.bounds(silent, gauge, factor: 1) == nil)
  }

  @Test("The rate is the median of the middles, its ends those of the bounds")
  func rates() throws {
    let known = try #require(rate([range(to: 100), range(to: 94), range(to: 100)]))
    #expect(known == EnergyFit.Rate(value: 0.2, low: 0, high: 0.4, count: 3))
    let fallen = try #require(rate([range(to: 100), range(to: 94), range(to: 92)]))
    #expect(fallen == EnergyFit.Rate(value: 1, low: 1, high: 1, count: 3))
  }

  @Test("Only long days with the service off count")
  func ranges() {
    #expect(rate([]) == nil)
    #expect(rate([range(to: 90, hours: 4.9)]) == nil)
    #expect(rate([SampleMeasurements.range("on", day: "2020-01-01")]) == nil)
  }

  @Test("Other phones' levels fall from the first: their idle power is the median drain")
  func otherPhones() throws {
    let ranges = [0.7, 0.8, 1.2].map { range(to: 90, drain: $0, platform: .android) }
    let rate = try #require(IdleFit(ranges, .android, gauge, PhoneFactors([]), seed: 1).rate)
    #expect(rate.value == 0.8)
    #expect(rate.count == 3)
  }
}
