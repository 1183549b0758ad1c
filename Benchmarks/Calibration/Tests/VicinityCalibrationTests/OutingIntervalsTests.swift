import Testing
import VicinityGeodesy

@testable import VicinityCalibration
@testable import VicinitySimulation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Intervals from left-out outings, on made-up studies whose truth is known")
struct OutingIntervalsTests {
  private func key(_ outing: String, _ regime: Int) -> Validation.Value.Key {
    Validation.Value.Key(
      platform: .ios, outing: outing, regime: "\(regime)", isMoving: true, quantity: .errorMedian)
  }

  /// A study: logarithms of values by outing and request. Outings differ, values within an outing differ, and
  /// the last outing is new.
  private struct Study {
    static let requests = 6
    var outings: [[Double]]
    var new: [Double]

    init(seed: UInt64, outings count: Int, between: Double, within: Double) {
      var random = RandomStream(seed: seed, "studies")
      let all = (0...count).map { _ in
        let own = log(20) + between * random.normal()
        return (0..<Self.requests).map { _ in own + within * random.normal() }
      }
      (outings, new) = (Array(all.dropLast()), all[count])
    }

    /// What a fit to some outings predicts: their mean, and the spread of values within them, as fits to days
    /// at hand know it.
    func prediction(without left: Int? = nil) -> ClosedRange<Double> {
      let fitted = outings.indices.filter { $0 != left }.map { outings[$0] }
      let all = fitted.flatMap { $0 }
      let mean = all.reduce(0, +) / Double(all.count)
      let spread = DayEffectsFit.deviation(fitted).value
      return (mean - 1.645 * spread)...(mean + 1.645 * spread)
    }
  }

  private func folds(_ study: Study) -> [OutingIntervals.Fold] {
    study.outings.indices.map { left in
      let told = study.prediction(without: left)
      return OutingIntervals.Fold(
        scores: study.outings[left].map {
          .init(quantity: .errorMedian, isMoving: true, score: OutingIntervals.score($0, told))
        },
        predictions: Dictionary(
          uniqueKeysWithValues: study.new.indices.map { (key("new", $0), told) }))
    }
  }

  /// How intervals of 90 % do in 200 studies, those of left-out outings and those of the days at hand.
  private func quality(outings: Int, between: Double, within: Double) throws -> (
    new: Validation.IntervalQuality, old: Validation.IntervalQuality
  ) {
    var values: [Validation.Value] = []
    for seed in 0..<200 as Range<UInt64> {
      let study = Study(seed: seed, outings: outings, between: between, within: within)
      let intervals = OutingIntervals(folds: folds(study))
      let told = study.prediction()
      for (request, value) in study.new.enumerated() {
        let key = key("new", request)
        values.append(
          Validation.Value(
            split: .outing, key: key, measured: exp(value), predicted: 1, ranges: 1,
            interval: key.quantity.values(try #require(intervals.interval(key))),
            simulated: exp(told.lowerBound)...exp(told.upperBound)))
      }
    }
    return (
      Validation.IntervalQuality(values, \.interval), Validation.IntervalQuality(values, \.simulated)
    )
  }

  @Test(
    "Intervals of 90 % hold 85 to 97 % of the values of new outings; those of the days at hand hold far fewer",
    arguments: [4, 5, 8, 12])
  func coverage(outings: Int) throws {
    let (new, old) = try quality(outings: outings, between: 0.3, within: 0.15)
    #expect((0.85...0.97).contains(new.share), "\(new)")
    #expect(old.share < 0.65, "\(old)")
    #expect(new.score < 0.75 * old.score, "\(new), \(old)")
    // Those who knew the truth would need a width of 3.29 deviations: no more than a third over that.
    let logarithm = new.score
    #expect(logarithm > 3.29 * 0.3354, "\(new)")
    #expect(new.medianWidth < 2 * (exp(1.645 * 0.3354) - exp(-1.645 * 0.3354)), "\(new)")
  }

  @Test(
    "Where outings are alike, intervals are hardly wider than those of the days at hand, and hold as much")
  func outingsAlike() throws {
    let (new, old) = try quality(outings: 6, between: 0, within: 0.3)
    #expect((0.85...0.97).contains(new.share) && (0.85...0.97).contains(old.share), "\(new), \(old)")
    #expect(new.medianWidth < 1.25 * old.medianWidth, "\(new), \(old)")
  }

  @Test("The ends are the quantiles of CV+, and fewer than nine scores tell none")
  func ends() throws {
    #expect(OutingIntervals.score(5, 2...4) == 1 && OutingIntervals.score(0, 2...4) == 2)
    #expect(OutingIntervals.score(3.5, 2...4) == -0.5)
    func interval(_ count: Int) -> ClosedRange<Double>? {
      // Two folds that agree, with scores 1, 2, ..., count.
      let folds = [0, 1].map { half in
        OutingIntervals.Fold(
          scores: (1...count).filter { $0 % 2 == half }.map {
            .init(quantity: .errorMedian, isMoving: true, score: Double($0))
          }, predictions: [key("new", 0): 2...4])
      }
      return OutingIntervals(folds: folds).interval(key("new", 0))
    }
    #expect(interval(8) == nil)
    // ⌈0.9 · 10⌉ = 9, ⌈0.9 · 20⌉ = 18.
    #expect(interval(9) == (-7)...13)
    #expect(interval(19) == (-16)...22)
    #expect(OutingIntervals(folds: []).interval(key("new", 0)) == nil)
  }

  @Test("A quantity with few scores has those of all with goals; fits that differ widen the interval")
  func fewScores() throws {
    func fold(
      _ prediction: ClosedRange<Double>, own: Int = 1, isMoving: Bool = true
    ) -> OutingIntervals.Fold {
      let scores =
        [(Validation.Quantity.intervalMedian, 99.0)] + (0..<own).map { _ in (.errorMedian, 3) }
        + (0..<60).map { _ in (.drain, 1) }
      return OutingIntervals.Fold(
        scores: scores.map { .init(quantity: $0, isMoving: isMoving, score: $1) },
        predictions: [key("new", 0): prediction])
    }
    func interval(_ folds: [OutingIntervals.Fold]) -> ClosedRange<Double>? {
      OutingIntervals(folds: folds).interval(key("new", 0))
    }
    #expect(interval([fold(2...4), fold(2...4)]) == 1...5)
    #expect(interval([fold(2...4), fold(6...8)]) == 1...9)
    // Nine scores of its own are enough, and at rest they count where there are none in motion.
    #expect(interval([fold(2...4, own: 9)]) == (-1)...7)
    #expect(interval([fold(2...4, own: 9, isMoving: false)]) == (-1)...7)
    #expect(interval([fold(2...4, own: 9), fold(2...4, own: 90, isMoving: false)]) == (-1)...7)
  }

  @Test(
    "The interval score is the width, and twenty times what is beyond it; neither narrow nor endless intervals win"
  )
  func score() {
    func value(_ measured: Double) -> Validation.Value {
      Validation.Value(split: .outing, key: key("new", 0), measured: measured, predicted: 10, ranges: 1)
    }
    let values = [8.0, 10, 12, 30].map(value)
    func score(_ low: Double, _ high: Double) -> Double {
      Validation.IntervalQuality(values) { _ in low...high }.score
    }
    #expect(abs(score(5, 20) - (log(4) + 20 * log(1.5) / 4)) < 1e-12)
    #expect(score(7, 32) < score(9.9, 10.1) && score(7, 32) < score(1.1, 1e6))
    let quality = Validation.IntervalQuality(values) { _ in 5...20 }
    #expect(quality.count == 4 && quality.within == 3)
    #expect(abs(quality.meanWidth - 15 * (1 / 8.0 + 1 / 10 + 1 / 12 + 1 / 30) / 4) < 1e-12)
    // What was not judged, or measured nothing, is not counted.
    var unjudged = value(10)
    unjudged.isJudged = false
    #expect(Validation.IntervalQuality([unjudged, value(0)]) { _ in 5...20 }.count == 0)
  }

  @Test("An end at the least value is 0, and a row's interval is the mean of its outings'")
  func rows() throws {
    #expect(Validation.Quantity.exitLatency.values(log(5)...log(50)) == 0...exp(log(50)))
    var one = Validation.Value(
      split: .outing, key: key("a", 0), measured: 4, predicted: 4, ranges: 1, interval: 2...8)
    var other = one
    (other.key.outing, other.ranges, other.interval) = ("b", 3, 32...128)
    let row = Validation.Row(
      split: .outing, platform: .ios, regime: "0", tier: "best", isMoving: true, quantity: .errorMedian,
      measured: 4, interval: nil, count: 9, ranges: 4, predicted: 4, note: "")
    let mean = try #require(Validation.meanInterval(row, [one, other]))
    #expect(abs(mean.lowerBound - 16) < 1e-9 && abs(mean.upperBound - 64) < 1e-9)
    one.interval = nil
    #expect(try #require(Validation.meanInterval(row, [one, other])).contains(33))
    #expect(Validation.meanInterval(row, [one]) == nil)
  }
}
