import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityMonitor

@testable import VicinityCalibration
@testable import VicinitySimulation

@Suite("Phones at rest")
struct StrayTests {
  private let start = Timestamp(microseconds: 1_600_000_000_000_000)

  private func phone(gaps: Quantiles?) -> DeviceProfile {
    var phone = SampleProfile.phone
    phone.tiers[.hundredMeters]?.strayFixes = SampleProfile.figure(6)
    phone.tiers[.hundredMeters]?.strayGaps = gaps
    return phone
  }

  @Test("Fixes come at the stated gaps, in bursts")
  func gaps() throws {
    // Half of them a fortieth of the mean, and half up to nearly four times.
    let gaps = try #require(
      Quantiles(
        [.init(0, 0.02), .init(0.5, 0.03), .init(1, 3.925)], basis: .assumed, source: "test"))
    let phone = phone(gaps: gaps)
    try phone.check()
    let home = Coordinate(latitude: 37, longitude: -122)
    let track = try TrueTrack([
      Fix(time: start, coordinate: home), Fix(time: start.advanced(bySeconds: 360_000), coordinate: home),
    ])
    let replay = StandardReplay(profile: phone, accuracy: .hundredMeters, distanceFilter: 1e-6)
    let fixes = try replay.run(track, seed: 4).fixes
    #expect(try replay.run(track, seed: 4).fixes == fixes)
    let found = zip(fixes, fixes.dropFirst()).map { $1.time.seconds(since: $0.time) / 600 }
    #expect(found.count > 400)
    let distance = Statistics.kolmogorovSmirnov(found) { gaps.probability(of: $0) }
    #expect(distance < Statistics.kolmogorovSmirnovBound(found.count))
    var none = phone
    none.tiers[.hundredMeters]?.strayFixes = SampleProfile.figure(0)
    let silent = StandardReplay(profile: none, accuracy: .hundredMeters, distanceFilter: 1e-6)
    // The first, and one that the track's end brings.
    #expect(try silent.run(track, seed: 4).fixes.count <= 2)
  }

  @Test("The product limit, worked out by hand")
  func productLimit() {
    // Of 2, 5 and 9, and of what is at least 3 and 9: S = 4/5, then 4/5 x 2/3, then 4/5 x 2/3 x 1/2.
    let values = StrayFit.productLimit([9, 2, 5], open: [9, 3])
    func value(_ probability: Double) -> Double? {
      zip(StrayFit.probabilities, values).first { abs($0.0 - probability) < 1e-9 }?.1
    }
    #expect(value(0.2) == 2)
    #expect(value(0.22) == 5)
    #expect(value(0.46) == 5)
    #expect(value(0.48) == 9)
    // What is never seen to end counts as ended at the longest.
    #expect(value(1) == 9)
    #expect(StrayFit.productLimit([2, 3], open: [7]).last == 7)
    #expect(StrayFit.productLimit([], open: []).isEmpty)
  }

  @Test("Gaps are found again in nights that end before they do")
  func fit() throws {
    // Gaps of mean 2000 s, as nights of 4000 s show them.
    let ranges = (0..<400).map { index in
      var random = RandomStream(seed: UInt64(index), "nights")
      var range = SampleMeasurements.range(
        "lying \(index)", day: "2020-01-01", isStationary: true, hours: 4000.0 / 3600)
      var time = range.start
      while time <= range.end {
        range.fixes.append(
          MeasuredFix(
            time: time, coordinate: Coordinate(latitude: 37, longitude: -122), accuracy: 10, delay: 0))
        time += 20 + random.exponential(mean: 1980)
      }
      return range
    }
    let fit = StrayFit(ranges)
    let gaps = try #require(fit.gaps(source: "test"))
    // The median of the exponential is known to be within the nights; the mean is not quite.
    let median = gaps.value(at: 0.5) * 3600 / fit.rate
    #expect(abs(median / (20 + 1980 * 0.6931) - 1) < 0.1, "\(median)")
    // Those that ended alone would look shorter.
    let ended = ranges.flatMap { range in
      zip(range.fixes, range.fixes.dropFirst()).map { $1.time - $0.time }
    }
    #expect(try #require(Sample(ended).median) < 0.85 * median)
    #expect(StrayFit(Array(ranges.prefix(2))).gaps == nil)
  }

  // MARK: Scatter

  private func model(deviation: Quantiles) -> PositionModel {
    PositionModel(
      error: SampleProfile.uniform(0...0), reported: SampleProfile.uniform(65...65),
      correlationTime: SampleProfile.figure(1e6), association: SampleProfile.figure(0),
      scatter: ScatterModel(deviation: deviation, correlationTime: SampleProfile.figure(90)))
  }

  @Test("Scatter has its deviation and lasts as long as is stated")
  func scatter() {
    let distribution = PositionDistribution(model(deviation: SampleProfile.uniform(7...7)))
    var process = ErrorProcess(RandomStream(seed: 3, "test"))
    var (before, after): ([Double], [Double]) = ([], [])
    var time = start
    for _ in 0..<20_000 {
      time = time.advanced(bySeconds: 3000)
      before.append(process.sample(distribution, at: time).error.east)
      time = time.advanced(bySeconds: 90)
      after.append(process.sample(distribution, at: time).error.east)
    }
    let bound = Statistics.kolmogorovSmirnovBound(before.count)
    #expect(
      Statistics.kolmogorovSmirnov(before) { NormalDistribution.probability(below: $0 / 7) } < bound)
    #expect(abs(Statistics.correlation(before, after) - 0.3679) < 0.03)
  }

  @Test("How much it scatters differs from one process to the next, and stays")
  func deviations() {
    let distribution = PositionDistribution(model(deviation: SampleProfile.uniform(2...10)))
    let found = (0..<300).map { seed in
      var process = ErrorProcess(RandomStream(seed: UInt64(seed), "test"))
      var square = 0.0
      for step in 0..<400 {
        let error = process.sample(distribution, at: start.advanced(bySeconds: Double(step) * 3000)).error
        square += error.east * error.east + error.north * error.north
      }
      return (square / 800).squareRoot()
    }
    let distance = Statistics.kolmogorovSmirnov(found) { min(1, max(0, ($0 - 2) / 8)) }
    #expect(distance < Statistics.kolmogorovSmirnovBound(found.count))
  }

  @Test("Scatter about what lasts is found again, and how it differs between nights")
  func wandering() throws {
    var model = model(deviation: SampleProfile.uniform(4...8))
    model.error = SampleProfile.uniform(20...20)
    let ranges = SampleMeasurements.lying(
      40, hours: 10, at: stride(from: 0, to: 36_000, by: 15), PositionDistribution(model), stream: "scatter")
    let found = try #require(WanderingFit(ranges, isTimed: true))
    #expect(abs(try #require(found.jitterTime) / 90 - 1) < 0.2, "\(found)")
    let deviation = (found.jitter * found.meanSquare / 2).squareRoot()
    #expect(abs(deviation / 6.1 - 1) < 0.15, "\(found)")
    #expect(found.shares.count == 40)
    let shares = Sample(found.shares)
    let spread = try #require(shares.quantile(0.9)) / (try #require(shares.quantile(0.1)))
    // (7.6 / 4.4)², and what chance adds.
    #expect(spread > 2 && spread < 6, "\(spread)")
    #expect(WanderingFit(ranges, isTimed: false)?.jitterTime == nil)
  }
}
