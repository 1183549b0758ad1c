import Foundation
import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinitySimulation

@testable import VicinityEvaluation

/// Two devices, ten hours each, worked out by hand.
@Suite("Scorecards by hand")
struct ScoreCardTests {
  private typealias Made = MadeScores

  private let truths = [
    MadeScores.truth(
      "a", until: 36_000,
      [
        .init(region: 2, radius: 1000, entry: nil, exit: 500, speed: 10),
        .init(region: 0, radius: 50, entry: 1000, exit: 1100, speed: 1),
        .init(region: 1, radius: 300, entry: 2000, exit: 5600, speed: 5),
        .init(region: 3, radius: 150, entry: 30_000, exit: nil, speed: 50),
      ]),
    MadeScores.truth("b", until: 36_000, [.init(region: 4, radius: 120, entry: 100, exit: 400, speed: 1)]),
  ]

  private func scores() throws -> [DayScore] {
    var a = try Made.score(
      truths[0],
      [
        .init(isEntry: false, region: 2, at: 530, away: 300),
        .init(isEntry: true, region: 0, at: 1150, away: 400),
        .init(isEntry: false, region: 0, at: 1160, away: 50),
        .init(isEntry: true, region: 1, at: 2010, away: 20),
        // Once more: of nothing, and a duplicate.
        .init(isEntry: true, region: 1, at: 2500),
        // More than a minute early: of nothing, and the exit is missed.
        .init(isEntry: false, region: 1, at: 5500),
        .init(isEntry: true, region: nil, at: 7000),
      ])
    a.counts.fixes = 100
    a.counts.wakes = 3
    a.counts.relaunches = 2
    a.counts.registrations = 40
    a.counts.backgroundSeconds = 360
    a.joules[EnergyComponent.gnss.rawValue] = 1000
    a.joules[EnergyComponent.idle.rawValue] = 500
    a.percentPerJoule = 0.001
    a.hourlyJoules[8 * EnergyComponent.allCases.count + EnergyComponent.gnss.rawValue] = 900
    a.hourlySeconds[8] = 3600
    var b = try Made.score(
      truths[1], device: 1,
      [
        .init(isEntry: true, region: 4, at: 100, away: 0),
        // 55 s early, and taken back at once: a flap.
        .init(isEntry: false, region: 4, at: 345, away: 7),
        .init(isEntry: true, region: 4, at: 350),
      ])
    b.counts.fixes = 300
    b.counts.wakes = 5
    b.counts.registrations = 10
    b.counts.backgroundSeconds = 40
    b.joules[EnergyComponent.gnss.rawValue] = 2000
    b.joules[EnergyComponent.idle.rawValue] = 700
    b.percentPerJoule = 0.001
    b.hourlyJoules[8 * EnergyComponent.allCases.count + EnergyComponent.gnss.rawValue] = 180
    b.hourlySeconds[8] = 1800
    return [a, b]
  }

  private func expect(
    _ card: ScoreCard, _ metric: Metric, _ value: Double?, _ place: SourceLocation = #_sourceLocation
  ) {
    guard let value, let found = card.metrics[metric]?.value else {
      #expect(card.metrics[metric]?.value == value, "\(metric.rawValue)", sourceLocation: place)
      return
    }
    #expect(
      found == value || abs(found - value) < 1e-6 * max(1, abs(value)), "\(metric.rawValue): \(found)",
      sourceLocation: place)
  }

  /// The compiler holds each metric to an entry and a sum; a list of all is not in its power.
  @Test("No metric is left out of the list of all, and each has a name of its own")
  func allMetrics() throws {
    let source = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/VicinityEvaluation/Scoring/Metric.swift")
    let cases = try String(contentsOf: source, encoding: .utf8).split(separator: "\n")
      .prefix { !$0.contains("enum Direction") }.filter { $0.hasPrefix("  case ") && !$0.contains("(") }
      .map { $0.dropFirst("  case ".count) }
    #expect(Set(Metric.allCases.map { "\($0)" }) == Set(cases.map(String.init)))
    #expect(cases.count == Metric.allCases.count && Set(Metric.allCases.map(\.rawValue)).count == cases.count)
    for metric in Metric.allCases + [.entriesWithin(seconds: 60), .exitsWithin(seconds: 86_400)] {
      #expect(Metric(rawValue: metric.rawValue) == metric)
    }
  }

  @Test("Every metric, over both devices")
  func everything() throws {
    let card = Made.card(try scores(), truths)
    #expect(card.crossings == 8)
    #expect(card.visits == 4)
    expect(card, .recall, 6.0 / 8)
    // The first region's entry came when the visit was over, the third's never.
    expect(card, .visitRecall, 2.0 / 4)
    expect(card, .precision, 6.0 / 10)
    // 0 and -55 (which is 0), 10, 30, 60, 150.
    expect(card, .p50Latency, 10)
    expect(card, .p95Latency, 150)
    expect(card, .maxLatency, 150)
    // The eighth of eight, and two are missed.
    expect(card, .p95LatencyOfAll, .infinity)
    // Entries after 150, 10 and 0 s, and one missed; exits after 30, 60 and, early, 0 s, and one missed.
    expect(card, .entryRecall, 3.0 / 4)
    expect(card, .exitRecall, 3.0 / 4)
    expect(card, .entryP95Latency, 150)
    expect(card, .exitP95Latency, 60)
    // 0, 7, 20, 50, 300, 400.
    expect(card, .p50Distance, 20)
    expect(card, .p95Distance, 400)
    expect(card, .maxDistance, 400)
    expect(card, .duplicates, 1.0 / 20 * 24)
    expect(card, .flaps, 1.0 / 20 * 24)
    // 10 s for 100, and 245 for 300.
    expect(card, .dwellError, 55)
    expect(card, .registrations, 50.0 / 20)
    expect(card, .wakeups, 10.0 / 20)
    expect(card, .fixes, 400.0 / 20)
    expect(card, .backgroundTime, 400.0 / 20)
    expect(card, .energy, 4200 * 0.001 / 20)
    expect(card, .netEnergy, 3000 * 0.001 / 20)
    expect(card, .batteryDays, 20 / 24.0 / (4200 * 0.001 / 100))
    #expect(card.headline == card.metrics)
    #expect(card.metrics.count == Metric.allCases.count)
    #expect(card.metrics.values.allSatisfy { $0.value?.isNaN == false })
    #expect(card.metrics.values.allSatisfy { $0.interval == nil })
    let (mean, eight) = (card.milliwatts[.gnss] ?? 0, card.hourlyMilliwatts[8][.gnss] ?? 0)
    #expect(abs(mean - 125.0 / 3) < 1e-9)
    #expect(abs(eight - 200) < 1e-9)
    #expect(card.hourlyMilliwatts[9][.gnss] == 0)
  }

  @Test("Shares of entries and exits in time, over all and by class; what was missed is late")
  func inTime() throws {
    // Entries after 150, 10 and 0 s, and one missed; exits after 30, 60 and, early, 0 s, and one missed.
    let asked = [9, 10, 149, 150, 86_400].map(Metric.entriesWithin) + [29, 30, 60].map(Metric.exitsWithin)
    let card = Made.card(try scores(), truths, filter: .minuteInHundredMeters, onRequest: asked)
    let shares = [0.25, 0.5, 0.5, 0.75, 0.75, 0.25, 0.5, 0.75]
    for (metric, share) in zip(asked, shares) { expect(card, metric, share) }
    #expect(card.metrics.count == Metric.allCases.count + asked.count)
    // Without the 50 m region.
    #expect(card.value(.entriesWithin(seconds: 10)) == 2.0 / 3)
    #expect(card.value(.exitsWithin(seconds: 30)) == 2.0 / 3)
    let small = try #require(card.classes.first { $0.dimension == .size && $0.crossings == 2 })
    #expect(small.metrics[.entriesWithin(seconds: 149)]?.value == 0)
    #expect(small.metrics[.entriesWithin(seconds: 150)]?.value == 1)
    #expect(Made.card(try scores(), truths).metrics[.entriesWithin(seconds: 10)] == nil)
  }

  @Test("The headline: a minute or more in regions of 100 m or more")
  func headline() throws {
    let card = Made.card(try scores(), truths, filter: .minuteInHundredMeters)
    // Without the 50 m region: its two crossings, and its two reports.
    #expect(card.headlineCrossings == 6)
    #expect(card.headlineVisits == 3)
    #expect(card.value(.recall) == 4.0 / 6)
    #expect(card.value(.visitRecall) == 2.0 / 3)
    // Reports of a region that is not there have no size.
    #expect(card.value(.precision) == 4.0 / 7)
    #expect(card.value(.p50Latency) == 0)
    #expect(card.value(.p95Latency) == 30)
    #expect(card.value(.dwellError) == 55)
    #expect(card.value(.fixes) == 20)
    #expect(card.metrics[.recall]?.value == 6.0 / 8)
    let longer = Made.card(try scores(), truths, filter: VisitFilter(minimumSeconds: 301))
    // 500 s from the beginning, an hour, and to the end.
    #expect(longer.headlineCrossings == 4)
    #expect(longer.value(.recall) == 2.0 / 4)
  }

  @Test("Classes divide the crossings, each by its dimension")
  func classes() throws {
    let card = Made.card(try scores(), truths)
    func crossings(_ dimension: ClassDimension) -> [Int] {
      card.classes.filter { $0.dimension == dimension }.map(\.crossings)
    }
    #expect(crossings(.size) == [2, 3, 2, 1, 0])
    #expect(crossings(.speed) == [4, 2, 1, 1])
    #expect(crossings(.duration) == [0, 0, 2, 6])
    let small = try #require(card.classes.first { $0.name == "<100 m" })
    #expect(small.metrics[.recall]?.value == 1)
    #expect(small.metrics[.p95Latency]?.value == 150)
    #expect(small.metrics[.precision]?.value == 1)
    let air = try #require(card.classes.first { $0.name == "air" })
    #expect(air.metrics[.recall]?.value == 0 && air.metrics[.p95Latency]?.value == nil)
    #expect(air.metrics[.p95LatencyOfAll]?.value == .infinity)
    #expect(air.metrics[.precision]?.value == nil)
    // Of a visit's length, entries and exits apart: 150 and 60 s in the 50 m region, and elsewhere 10 and 30
    // s.
    func latencies(_ metric: Metric) -> [Double?] {
      card.classes.filter { $0.dimension == .duration }.map { $0.metrics[metric]?.value }
    }
    #expect(latencies(.entryP95Latency) == [nil, nil, 150, 10])
    #expect(latencies(.exitP95Latency) == [nil, nil, 60, 30])
    #expect(small.metrics[.entryP95Latency]?.value == 150 && small.metrics[.exitP95Latency]?.value == 60)
    // Dwells belong to their visit's size and duration; a visit has two speeds.
    func dwells(_ dimension: ClassDimension) -> [Double?] {
      card.classes.filter { $0.dimension == dimension }.map { $0.metrics[.dwellError]?.value }
    }
    #expect(dwells(.size) == [90, 55, nil, nil, nil])
    #expect(dwells(.speed).allSatisfy { $0 == nil })
    #expect(dwells(.duration) == [nil, nil, 90, 55])
    let empty = try #require(card.classes.first { $0.name == ">=2000 m" })
    #expect(empty.crossings == 0 && empty.metrics[.recall] == Estimate(value: nil))
  }

  @Test("Class bounds belong to the class above them")
  func bounds() {
    for dimension in ClassDimension.allCases {
      #expect(dimension.names.count == dimension.bounds.count)
      for (index, bound) in dimension.bounds.enumerated() {
        #expect(dimension.classIndex(of: bound) == index)
        if index > 0 { #expect(dimension.classIndex(of: bound.nextDown) == index - 1) }
      }
    }
  }

  @Test("A reporter without fault has recall 1, precision 1, latency 0; each report left out costs 1/n")
  func perfection() throws {
    let truth = truths[0]
    let reports = truth.crossings.map { crossing in
      MadeScores.Report(
        isEntry: crossing.crossing.kind == .enter, region: crossing.crossing.region,
        at: crossing.crossing.time.seconds)
    }
    let card = Made.card([try Made.score(truth, reports)], [truth])
    for (metric, value) in [
      (Metric.recall, 1.0), (.visitRecall, 1), (.precision, 1), (.maxLatency, 0), (.p95LatencyOfAll, 0),
      (.maxDistance, 0), (.flaps, 0), (.duplicates, 0), (.dwellError, 0),
    ] {
      #expect(card.value(metric) == value, "\(metric.rawValue)")
    }
    for left in reports.indices {
      var fewer = reports
      fewer.remove(at: left)
      let card = Made.card([try Made.score(truth, fewer)], [truth])
      #expect(card.value(.recall) == Double(reports.count - 1) / Double(reports.count))
      #expect(card.value(.precision) == 1)
    }
  }

  @Test(
    "Flaps: what contradicts within two minutes, without a crossing between, and one of the two of nothing")
  func flaps() throws {
    let truth = Made.truth("a", until: 10_000, [.init(region: 0, radius: 100, entry: 1000, exit: 1030)])
    func flaps(_ reports: [(Bool, Double)]) throws -> Int {
      try Made.score(truth, reports.map { .init(isEntry: $0.0, region: 0, at: $0.1) }).flaps
    }
    // Both late, and both true.
    #expect(try flaps([(true, 1040), (false, 1070)]) == 0)
    #expect(try flaps([(true, 1040), (false, 1070), (true, 1190)]) == 1)
    #expect(try flaps([(true, 1040), (false, 1070), (true, 1190.001)]) == 0)
    // Three in a row are one pair and a half.
    #expect(try flaps([(true, 5000), (false, 5060), (true, 5120)]) == 1)
    #expect(try flaps([(true, 5000), (false, 5060), (true, 5120), (false, 5180)]) == 2)
    // Left before it was entered: the entry lies between.
    #expect(try flaps([(false, 930), (true, 1000)]) == 0)
    // Said twice, then taken back.
    #expect(try flaps([(true, 5000), (true, 5060), (false, 5120)]) == 1)
  }

  @Test("Dwells are told by the times that the app claims")
  func dwell() throws {
    let truth = Made.truth("a", until: 10_000, [.init(region: 0, radius: 100, entry: 1000, exit: 2000)])
    let score = try Made.score(
      truth,
      [
        .init(isEntry: true, region: 0, at: 1100, claimed: 1010),
        .init(isEntry: false, region: 0, at: 2300, claimed: 1990),
      ])
    #expect(score.dwellErrors == [DwellError(visit: 0, seconds: -20)])
    #expect(score.outcomes.map { $0?.latency } == [100, 300])
  }
}
