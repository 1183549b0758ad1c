import Foundation
import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinitySimulation
import VicinitySynthesis

@testable import VicinityEvaluation

/// What a study says of the order of two policies, against phones drawn from the ranges of the figures, each
/// with all of its energies.
@Suite("The order of policies on phones that the figures may describe")
struct OrderOfPoliciesTests {
  static let isLong = ProcessInfo.processInfo.environment["VICINITY_LONG_TESTS"] == "1"

  private func study(people count: Int, phone: String) throws -> Study {
    let vienna = Coordinate(latitude: 48.21, longitude: 16.37)
    let monday = Timestamp(microseconds: 1_780_264_800_000_000)
    let shops = try RegionSetGenerator(count: 2000, around: vienna, spread: 8000, seed: 3).regionSet()
    let people = try Population(count: count, around: vienna, start: monday, days: 1, seed: 3)
    var profile = try DeviceProfile.named(phone)
    // Of one era for both phones.
    profile.era = .iOS13
    var study = Study(
      of: Self.policies, watching: try RegionIndex(shops),
      on: (0..<people.count).map { number in
        StudyDevice(name: "device \(number)") { try TrueTrack(people.person(number).fixes()) }
      }, seeds: [1, 2, 3, 4, 5], profile: profile)
    study.phones = .drawn
    return study
  }

  private static var policies: [any MonitoringPolicy] {
    var list: [any MonitoringPolicy] = [
      MonitorSlotsPolicy(), ContinuousTrackingPolicy(.best), ContinuousTrackingPolicy(.hundredMeters),
      FixedIntervalPolicy(), DutyCycledPolicy(), DistanceToBoundaryPolicy(), RateAdaptivePolicy(),
      ConstantSentinelPolicy(), VisitsPolicy(),
    ]
    for latency in [15.0, 60, 300] {
      var knob = MonitorAdaptivePolicy()
      knob.latency = latency
      list.append(knob)
    }
    return list
  }

  @Test(
    "Each order that is called sure holds on nine of ten phones",
    arguments: ["iphone-6", "modern-phone"])
  func holds(phone: String) throws {
    var study = try study(people: Self.isLong ? 12 : 6, phone: phone)
    let told = try study.run()
    let comparisons = told.comparisons()
    // Other seeds; the first has the phone of the profile, which is no draw.
    let draws = Self.isLong ? 200 : 24
    study.seeds = (0...UInt64(draws)).map { 1000 + $0 }
    study.resampling.count = 0
    let drawn = try study.run()
    var (shares, neighbours, withheld) = ([Double](), 0, 0)
    for metric in PairedComparison.metrics {
      // By policy and phone.
      let figures = told.policies.indices.map { policy in
        let sums = MetricSums(
          drawn.scores[policy], drawn.devices, devices: drawn.devices.indices, .visits(drawn.filter),
          ofRuns: true)
        return study.seeds.indices.dropFirst().map { seed in
          var weights = [Int32](repeating: 0, count: drawn.scores[policy].count)
          for device in drawn.devices.indices { weights[device * study.seeds.count + seed] = 1 }
          return sums.values(
            [metric], weights: weights, factors: study.profile.energyFactors(seed: study.seeds[seed]))[0]
        }
      }
      let order = told.policies.indices.filter { told.cards[$0].value(metric)?.isFinite == true }
        .sorted { (told.cards[$0].value(metric) ?? 0, $0) < (told.cards[$1].value(metric) ?? 0, $1) }
      for (place, first) in order.enumerated() {
        for second in order[(place + 1)...] {
          let pair = comparisons.first { [$0.first, $0.second] == [min(first, second), max(first, second)] }
          guard let surety = pair?.differences.first(where: { $0.metric == metric })?.surety else { continue }
          guard surety >= PairedComparison.sureProbability else {
            let resampled = [first, second].map { told.cards[$0].resamples[metric] ?? [] }
            if zip(resampled[0], resampled[1]).allSatisfy({ $0 < $1 }) { withheld += 1 }
            continue
          }
          let known = zip(figures[first], figures[second]).filter { !$0.isNaN && !$1.isNaN }
          let same = known.reduce(0.0) { $0 + ($1.0 == $1.1 ? 0.5 : $1.0 < $1.1 ? 1 : 0) }
          let share = same / Double(max(1, known.count))
          shares.append(share)
          let words = "\(metric.rawValue), \(told.policies[first].label) < \(told.policies[second].label)"
          print(
            "order on \(phone): \(words): sure \(surety), holds on \((share * 100).rounded()) % of \(known.count)"
          )
          let areNeighbours = second == order[place + 1]
          if areNeighbours { neighbours += 1 }
          if Self.isLong || areNeighbours { #expect(share >= 0.9, "\(words)") }
        }
      }
    }
    #expect(shares.count >= 5 && neighbours >= (Self.isLong ? 4 : 3))
    // Few people and phones leave single pairs of these many to chance.
    #expect(shares.reduce(0, +) >= 0.95 * Double(shares.count))
    // All resamples have these, and the seeds' few phones do not say that most others do.
    #expect(withheld > 0)
  }
}
