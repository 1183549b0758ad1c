import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinitySimulation
import VicinitySynthesis

@testable import VicinityEvaluation

/// The knob on days that nothing was chosen on: people who spend nights and days at one place, and cross boundaries when they leave it.
@Suite("The knob keeps its word on days of people")
struct KnobOnUnseenDaysTests {
  @Test(
    "95 % of the crossings are told within the latency, and 95 % of all are told",
    arguments: zip(
      [Coordinate(latitude: -33.9, longitude: 151.2), Coordinate(latitude: 41.15, longitude: -8.61)],
      [3, 8] as [UInt64])
  )
  func keepsItsWord(city: Coordinate, seed: UInt64) throws {
    let shops = try RegionSetGenerator(count: 3000, around: city, spread: 8000, seed: seed).regionSet()
    let people = try Population(
      count: 6, around: city, start: Timestamp(microseconds: 1_780_264_800_000_000), days: 4, seed: seed)
    var study = Study(
      of: [60, 90, 120].map { MonitorAdaptivePolicy().setting(\.latency, to: $0) },
      watching: try RegionIndex(shops),
      on: (0..<people.count).map { number in
        StudyDevice(name: "device \(number)") { try TrueTrack(people.person(number).fixes()) }
      }, seeds: [seed], profile: try DeviceProfile.named("iphone-6"))
    study.filter = .minuteInHundredMeters
    for (latency, card) in zip([60.0, 90, 120], try study.run().cards) {
      let p95 = try #require(card.value(.p95Latency))
      let recall = try #require(card.value(.recall))
      print(
        "the knob at \(latency) s, seed \(seed): p95 \(p95) s, recall \(recall), net \(card.value(.netEnergy) ?? .nan)"
      )
      #expect(p95 <= latency && recall >= 0.95, "seed \(seed)")
    }
  }
}
