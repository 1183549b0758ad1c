import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinitySimulation
import VicinitySynthesis

@testable import VicinityEvaluation

/// The knob on days that nothing was chosen on: people who spend nights and days at one place, and cross
/// boundaries when they leave it. *The promise* has other cities.
@Suite("The knob on days of people")
struct KnobOnUnseenDaysTests {
  @Test(
    "95 % of the crossings are told within the latency and a tenth, and 95 % of all are told",
    arguments: [
      Day(city: "Sydney", center: Coordinate(latitude: -33.9, longitude: 151.2), seed: 3),
      Day(city: "Porto", center: Coordinate(latitude: 41.15, longitude: -8.61), seed: 8),
      Day(city: "Vienna", center: Coordinate(latitude: 48.2, longitude: 16.37), seed: 11),
    ])
  func keepsItsWord(day: Day) throws {
    let shops = try RegionSetGenerator(count: 3000, around: day.center, spread: 8000, seed: day.seed)
      .regionSet()
    let people = try Population(
      count: 10, around: day.center, start: Timestamp(microseconds: 1_780_264_800_000_000), days: 4,
      interval: 2,
      seed: day.seed)
    var study = Study(
      of: [60, 90, 120].map { MonitorAdaptivePolicy().setting(\.latency, to: $0) },
      watching: try RegionIndex(shops),
      on: (0..<people.count).map { number in
        StudyDevice(name: "device \(number)") { try TrueTrack(people.person(number).fixes()) }
      }, seeds: [day.seed], profile: try DeviceProfile.named("iphone-6"))
    study.filter = .minuteInHundredMeters
    study.resampling.count = 0
    for (latency, card) in zip([60.0, 90, 120], try study.run().cards) {
      let p95 = try #require(card.value(.p95Latency))
      let recall = try #require(card.value(.recall))
      print(
        "\(day.city), seed \(day.seed), \(latency) s: p95 \(p95) s, recall \(recall), net \(card.value(.netEnergy) ?? .nan)"
      )
      #expect(p95 <= 1.1 * latency && recall >= 0.95, "seed \(day.seed)")
    }
  }

  struct Day: CustomTestStringConvertible {
    var city: String
    var center: Coordinate
    var seed: UInt64
    var testDescription: String { city }
  }
}
