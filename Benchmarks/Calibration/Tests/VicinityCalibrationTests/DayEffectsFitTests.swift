import Testing
import VicinityGeodesy

@testable import VicinityCalibration
@testable import VicinitySimulation

@Suite("How much days differ, from measured days") struct DayEffectsFitTests {
  @Test(
    "Four of five days and more of the next ones lie in the interval, however few were measured",
    arguments: [2, 3, 6])
  func intervalsHold(daysPerGroup: Int) {
    var random = RandomStream(seed: 41, "groups")
    var (within, count) = (0, 0)
    for _ in 0..<1500 {
      // Groups about medians of their own.
      let groups = (0..<4).map { group in
        (0..<daysPerGroup).map { _ in Double(group) + 0.4 * random.normal() }
      }
      let deviation = DayEffectsFit.deviation(groups).value
      for (group, days) in groups.enumerated() {
        let center = days.reduce(0, +) / Double(days.count)
        let new = Double(group) + 0.4 * random.normal()
        within += abs(new - center) <= 1.645 * deviation ? 1 : 0
        count += 1
      }
    }
    let share = Double(within) / Double(count)
    #expect((0.87...0.93).contains(share), "\(share)")
  }

  @Test("What numbers differ by chance is taken out; where that is all, days are alike")
  func chanceIsTakenOut() {
    var random = RandomStream(seed: 43, "chance")
    func groups(_ deviation: Double) -> [[Double]] {
      (0..<100).map { _ in (0..<10).map { _ in deviation * random.normal() + 0.3 * random.normal() } }
    }
    let found = DayEffectsFit.deviation(groups(0.4), chance: 0.09).value
    #expect(abs(found - 0.4 * 1.1.squareRoot()) < 0.03, "\(found)")
    #expect(DayEffectsFit.deviation(groups(0), chance: 0.12).value == 0)
  }

  @Test(
    "The spread between days is found apart from that within, and is zero where there is none",
    arguments: [0, 0.5])
  func betweenDays(deviation: Double) {
    var random = RandomStream(seed: 42, "days")
    let days = (0..<400).map { day in
      let own = deviation * random.normal()
      return (0..<(1 + day % 5)).map { _ in 3 + own + random.normal() }
    }
    let found = DayEffectsFit.between(days)
    #expect(abs(found.value - deviation) < 0.12, "\(found)")
    #expect(found.low <= found.value && found.value <= found.high && found.basis == .measured)
  }

  @Test("Days that differ by no more than chance are not known to be alike")
  func fewDays() {
    var random = RandomStream(seed: 44, "few days")
    var (held, open) = (0, 0)
    for _ in 0..<400 {
      let days = (0..<8).map { _ in
        let own = 0.4 * random.normal()
        return (0..<4).map { _ in own + random.normal() }
      }
      let found = DayEffectsFit.between(days)
      open += found.high > 0.1 ? 1 : 0
      held += found.low <= 0.4 && 0.4 <= found.high ? 1 : 0
    }
    #expect(open > 390, "\(open)")
    #expect((0.88...0.98).contains(Double(held) / 400), "\(held)")
  }

  @Test("χ² has the published quantiles, and too little measured is an assumption")
  func bounds() throws {
    // χ² of 10 degrees of freedom: 3.247 and 20.483 at 2.5 and 97.5 %.
    let figure = DayEffectsFit.deviation([[Double]](repeating: [-0.1, 0.1], count: 10))
    #expect(abs(figure.high / figure.value - (10 / 3.247).squareRoot()) < 0.02)
    #expect(abs(figure.low / figure.value - (10 / 20.483).squareRoot()) < 0.02)
    for groups in [[], [[1]], [[1, 2, 3], [1]], [[1], [2], [3], [4]]] as [[[Double]]] {
      #expect(DayEffectsFit.deviation(groups).basis == .assumed)
    }
    #expect(DayEffectsFit.between([[1, 2], [3], [4]]).basis == .assumed)
    #expect(DayEffectsFit.between([[1], [2], [3], [4]]).basis == .assumed)
  }
}
