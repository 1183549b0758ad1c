import Testing
import VicinityCrossings
import VicinityMonitor
import VicinitySimulation

@testable import VicinityEvaluation
@testable import VicinityGeodesy

/// Intervals and quantiles against a bootstrap written once more, plainly.
@Suite("Bootstrap over devices")
struct BootstrapTests {
  private typealias Made = MadeScores

  /// Devices of very different numbers of crossings, and reports of them that come late or never.
  private func study(_ seed: UInt64, devices: Int, worse: Bool = false) throws -> ([DayScore], [DeviceTruth])
  {
    var random = RandomStream(seed: seed, "bootstrap test")
    var truths: [DeviceTruth] = []
    var scores: [DayScore] = []
    for device in 0..<devices {
      let count = Int(random.unit() * random.unit() * 40)
      let care = random.unit()
      let truth = Made.truth(
        "d\(device)", until: 200_000,
        (0..<count).map {
          .init(region: $0, radius: 100, entry: Double($0) * 4000, exit: Double($0) * 4000 + 1999)
        })
      var reports: [MadeScores.Report] = []
      for crossing in truth.crossings {
        let (luck, delay) = (random.unit(), random.unit())
        guard luck < care else { continue }
        reports.append(
          .init(
            isEntry: crossing.crossing.kind == .enter, region: crossing.crossing.region,
            at: crossing.crossing.time.seconds + (delay * (worse ? 900 : 600)).rounded()))
      }
      var score = try Made.score(truth, device: device, reports)
      score.joules[0] = 1000 * random.unit() * (worse ? 2 : 1)
      score.percentPerJoule = 0.01
      truths.append(truth)
      scores.append(score)
    }
    return (scores, truths)
  }

  /// A metric of a list of devices, some of them several times.
  private func plain(_ metric: Metric, _ scores: [DayScore]) -> Double? {
    let outcomes = scores.flatMap(\.outcomes)
    let latencies = outcomes.compactMap { $0?.latency }.sorted()
    func quantile(_ values: [Double], _ percent: Int) -> Double? {
      values.isEmpty ? nil : values[max(0, Int((Double(values.count * percent) / 100).rounded(.up)) - 1)]
    }
    switch metric {
    case .recall: return outcomes.isEmpty ? nil : Double(latencies.count) / Double(outcomes.count)
    case .p50Latency: return quantile(latencies, 50)
    case .p95Latency: return quantile(latencies, 95)
    case .maxLatency: return latencies.last
    case .p95LatencyOfAll:
      return quantile(
        latencies + Array(repeating: .infinity, count: outcomes.count - latencies.count), 95)
    case .entryP95Latency:
      return quantile(Self.everyOther(scores, from: 0).compactMap { $0?.latency }.sorted(), 95)
    case .exitP95Latency:
      return quantile(Self.everyOther(scores, from: 1).compactMap { $0?.latency }.sorted(), 95)
    case .exitRecall:
      let exits = Self.everyOther(scores, from: 1)
      return exits.isEmpty ? nil : Double(exits.count { $0 != nil }) / Double(exits.count)
    case .energy:
      return scores.map { $0.totalJoules * $0.percentPerJoule }.reduce(0, +)
        / scores.map(\.hours).reduce(0, +)
    default: return nil
    }
  }

  /// Visits follow each other, so that entries and exits do by turns.
  private static func everyOther(_ scores: [DayScore], from first: Int) -> [CrossingOutcome?] {
    scores.flatMap { score in stride(from: first, to: score.outcomes.count, by: 2).map { score.outcomes[$0] }
    }
  }

  private static let metrics: [Metric] = [
    .recall, .p50Latency, .p95Latency, .maxLatency, .p95LatencyOfAll, .entryP95Latency, .exitP95Latency,
    .exitRecall, .energy,
  ]

  /// The devices of each resample.
  private func draws(_ seed: UInt64, _ devices: Int, _ count: Int) -> [[Int]] {
    var random = RandomStream(seed: seed, "bootstrap")
    return (0..<count).map { _ in
      (0..<devices).map { _ in
        Int(random.next().multipliedFullWidth(by: UInt64(devices)).high)
      }
    }
  }

  private func near(_ a: Double?, _ b: Double?) -> Bool {
    guard let a, let b else { return a == nil && b == nil }
    return a == b || abs(a - b) <= 1e-9 * max(1, abs(a))
  }

  @Test("Point estimates and intervals are those of the plain way", arguments: 1...12)
  func plainWay(seed: UInt64) throws {
    let devices = 2 + Int(seed) * 3
    let (scores, truths) = try study(seed, devices: devices)
    let resampling = Resampling(count: 400, seed: seed, level: 0.9)
    let card = Made.card(scores, truths, resampling: resampling)
    let draws = draws(seed, devices, 400)
    for metric in Self.metrics {
      #expect(near(card.value(metric), plain(metric, scores)), "seed \(seed) \(metric.rawValue)")
      let values = draws.compactMap { plain(metric, $0.map { scores[$0] }) }.sorted()
      let interval = card.headline[metric]?.interval
      let contributors = scores.count { plain(metric, [$0]) != nil }
      if values.count < 200 || card.value(metric) == nil || contributors < 2 {
        #expect(interval == nil)
      } else {
        let low = values[Int((0.05 * Double(values.count)).rounded(.up)) - 1]
        let high = values[Int((0.95 * Double(values.count)).rounded(.up)) - 1]
        #expect(
          near(interval?.lowerBound, low) && near(interval?.upperBound, high),
          "seed \(seed) \(metric.rawValue): \(String(describing: interval)), \(low) to \(high)")
      }
    }
  }

  @Test("Paired differences are taken within each resample", arguments: 1...6)
  func paired(seed: UInt64) throws {
    let (a, truths) = try study(seed, devices: 12)
    let (b, others) = try study(seed, devices: 12, worse: true)
    #expect(truths.map(\.crossings) == others.map(\.crossings))
    let resampling = Resampling(count: 300, seed: 5)
    let result = try MadeResult.result([a, b], truths, resampling: resampling)
    let comparison = result.comparison(of: 0, with: 1)
    let draws = draws(5, 12, 300)
    for difference in comparison.differences {
      let metric = difference.metric
      let expected = plain(metric, a).flatMap { one in plain(metric, b).map { one - $0 } }
      #expect(near(difference.difference.value, expected))
      let values = draws.compactMap { draw -> Double? in
        guard let one = plain(metric, draw.map { a[$0] }), let other = plain(metric, draw.map { b[$0] })
        else {
          return nil
        }
        return one - other
      }.sorted()
      let low = values[Int((0.025 * Double(values.count)).rounded(.up)) - 1]
      let high = values[Int((0.975 * Double(values.count)).rounded(.up)) - 1]
      #expect(near(difference.difference.interval?.lowerBound, low), "seed \(seed) \(metric.rawValue)")
      #expect(near(difference.difference.interval?.upperBound, high), "seed \(seed) \(metric.rawValue)")
      var (better, worse) = (0, 0)
      for device in 0..<12 {
        guard let one = plain(metric, [a[device]]), let other = plain(metric, [b[device]]), one != other
        else {
          continue
        }
        if (metric.better == .higher) == (one > other) { better += 1 } else { worse += 1 }
      }
      #expect((difference.better, difference.worse) == (better, worse), "\(metric.rawValue)")
    }
    // The same the other way round, turned over.
    let back = result.comparison(of: 1, with: 0)
    for (one, other) in zip(comparison.differences, back.differences) {
      #expect(near(one.difference.value, other.difference.value.map { -$0 }))
      #expect((one.better, one.worse) == (other.worse, other.better))
    }
    // Energy doubled by construction of one: clear, whatever the devices.
    #expect(comparison.differences.last?.difference.value.map { $0 < 0 } == true)
  }

  @Test("An interval leaves out as much at either end, and is none where too few resamples came to anything")
  func ranks() {
    let values = (1...1000).map(Double.init).reversed()
    #expect(Resampling().interval(of: Array(values)) == 25...975)
    #expect(Resampling(level: 0.8).interval(of: Array(values)) == 100...900)
    #expect(Resampling(level: 1).interval(of: Array(values)) == 1...1000)
    for level in [0, -1, 1.1, Double.nan] {
      #expect(Resampling(level: level).interval(of: Array(values)) == nil, "\(level)")
    }
    let four = Resampling(count: 4)
    #expect(four.interval(of: [2, .nan, 1, .nan]) == 1...2)
    #expect(four.interval(of: [2, .nan, .nan, .nan]) == nil)
    #expect(four.interval(of: []) == nil)
    #expect(Resampling(count: 0).interval(of: [1]) == nil)
  }

  @Test("A difference is clear where its interval is wholly on one side of zero")
  func clear() {
    func isClear(_ interval: ClosedRange<Double>?) -> Bool {
      PairedComparison.Difference(
        metric: .recall, difference: Estimate(value: 0.1, interval: interval), better: 1, worse: 0
      ).isClear
    }
    #expect(isClear(0.1...0.2) && isClear(-0.2 ... -0.1))
    #expect(!isClear(-0.1...0.2) && !isClear(0...0.2) && !isClear(-0.2...0) && !isClear(nil))
  }

  @Test("One device has no interval")
  func alone() throws {
    let (scores, truths) = try study(3, devices: 1)
    let card = Made.card(scores, truths, resampling: Resampling())
    #expect(card.metrics.values.allSatisfy { $0.interval == nil })
  }

  @Test("A figure that one device of several has to itself has no interval")
  func aloneAmongOthers() throws {
    let visits = (0..<6).map {
      MadeScores.Visit(region: $0, radius: 100, entry: Double($0) * 4000, exit: Double($0) * 4000 + 1999)
    }
    let truths = [
      Made.truth("busy", until: 90_000, visits), Made.truth("idle", until: 90_000, []),
      Made.truth("idler", until: 90_000, []),
    ]
    var scores = try truths.indices.map { device in
      try Made.score(
        truths[device], device: device,
        truths[device].crossings.dropLast(3).map {
          .init(
            isEntry: $0.crossing.kind == .enter, region: $0.crossing.region, at: $0.crossing.time.seconds + 5)
        })
    }
    for device in scores.indices { scores[device].joules[0] = 100 * Double(device + 1) }
    let card = Made.card(scores, truths, resampling: Resampling())
    #expect(card.value(.recall) == 0.75)
    #expect(card.headline[.recall]?.interval == nil)
    #expect(card.headline[.energy]?.interval != nil)
  }

  @Test("Quantiles are nearest ranks, with weights, however many samples", arguments: 1...30)
  func quantiles(seed: UInt64) {
    var random = RandomStream(seed: seed, "quantiles")
    let devices = 1 + Int(random.unit() * 20)
    let count = Int(random.unit() * random.unit() * 30_000)
    let samples = (0..<count).map { _ in
      (value: (random.unit() * 50).rounded(), device: Int(random.unit() * random.unit() * Double(devices)))
    }
    let endless = (0..<devices).map { _ in Int(random.unit() * 20) }
    let table = DeviceSamples(samples, endless: endless, deviceCount: devices)
    for _ in 0..<5 {
      let weights = (0..<devices).map { _ in Int32(random.unit() * 4) }
      var values: [Double] = []
      for sample in samples {
        for _ in 0..<weights[sample.device] { values.append(sample.value) }
      }
      values.sort()
      var all = values
      for (device, weight) in weights.enumerated() {
        all += Array(repeating: .infinity, count: endless[device] * Int(weight))
      }
      let totals = table.totals(weights: weights)
      #expect(totals == (values.count, all.count - values.count), "seed \(seed)")
      for percent in [1, 50, 95, 100] {
        func expected(_ values: [Double]) -> Double? {
          values.isEmpty ? nil : values[(values.count * percent + 99) / 100 - 1]
        }
        #expect(
          table.quantile(percent, weights: weights, totals) == expected(values), "seed \(seed) \(percent)")
        #expect(
          table.quantile(percent, weights: weights, totals, countsEndless: true) == expected(all),
          "seed \(seed) \(percent)")
      }
    }
  }
}
