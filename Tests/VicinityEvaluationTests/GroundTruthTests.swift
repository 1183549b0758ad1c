import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinitySimulation

@testable import VicinityEvaluation

@Suite("One ground truth")
struct GroundTruthTests {
  /// A phone that stands for ten minutes, is not heard of for two hours, and is then 9 km farther east.
  private static let track: Result<TrueTrack, SimulationError> = Result { () throws(SimulationError) in
    try TrueTrack(
      [(0, 0.0), (600, 0), (7800, 9000), (9600, 9000)].map { second, east in
        Fix(time: PolicyStage.start.advanced(by: .seconds(second)), coordinate: PolicyStage.at(east, 0))
      })
  }

  @Test("A run, a study and the advice see the same crossings, however long the gap")
  func gap() throws {
    let track = try Self.track.get()
    let regions = try RegionIndex([
      PolicyStage.circle("home", 0, radius: 150), PolicyStage.circle("shop", 2000, radius: 300),
      PolicyStage.circle("park", 6000, radius: 1000), PolicyStage.circle("office", 9000, radius: 200),
    ])
    let profile = try DeviceProfile.named("iphone-6")
    let device = StudyDevice(name: "a") { track }
    let run = try SimulatedRun(
      try device.scenario(profile), ContinuousTrackingPolicy(.best), watching: regions)
    let truth = try DeviceTruth(device: "a", track: track, regions: regions)
    let result = try Study(
      of: [ContinuousTrackingPolicy(.best)], watching: regions, on: [device],
      seeds: [run.scenario.seed], profile: profile
    ).run()

    // 1.25 m/s: home is left after 150 m, the others are entered and left on the way.
    let crossings = truth.crossings.map(\.crossing)
    #expect(
      crossings.map { $0.time.seconds(since: track.start).rounded() } == [720, 1960, 2440, 4600, 6200, 7640])
    #expect(crossings.allSatisfy { !$0.isInferred })
    #expect(run.matches.compactMap(\.truth) == crossings)
    #expect(result.devices[0].crossings == truth.crossings)
    let card = result.cards[0]
    #expect(card.crossings == run.tally.crossings)
    #expect(card.value(.recall) == Double(run.tally.reported) / Double(run.tally.crossings))

    let advice = try RadiusAdvisor(profile: profile).advise(regions, tracks: [track])
    #expect(advice.rows.map(\.region).sorted() == [1, 2, 3] && advice.rows.allSatisfy { $0.passes == 1 })
    let park = try #require(advice.rows.first { $0.region == 2 })
    #expect(abs(park.medianDuration - 1600) < 1)
  }

  @Test("Steps over which nobody knows the way are told: how many, how much of the time, and the longest")
  func holes() throws {
    // The track above stands for ten minutes at 0 m, then goes two hours and nine kilometres in one step.
    var holes = TrackHoles()
    let track = try Self.track.get()
    holes.add("a", track)
    // 7200 of 9600 seconds.
    let first =
      "between fixes, 1 step of 1 device takes more than 5 minutes and ends more than 100 m away (75.0 % of all "
      + "time; the longest: 120 minutes and 9.0 km, of \"a\")"
    #expect(holes.words?.hasPrefix(first) == true, "\(holes.words ?? "")")
    #expect(holes.words?.contains("the energy of a phone that moves all that time; to leave") == true)
    // Forty minutes of its 160 at two places are known by their ends alone.
    #expect(
      holes.words?.hasSuffix("; as long steps that end nearer are simulated as rests (25.0 % of all time)")
        == true)
    // What stands longer, what moves less, and what is not longer than five minutes is no hole.
    let known: [(Double, Double)] = [(0, 0), (7200, 0), (7500, 5000), (14_000, 5099), (14_301, 5200)]
    let fixes = known.map { second, east in
      Fix(time: PolicyStage.start.advanced(by: .seconds(second)), coordinate: PolicyStage.at(east, 0))
    }
    var none = TrackHoles()
    none.add("b", try TrueTrack(Array(fixes.dropLast())))
    #expect(none.words == nil)
    none.add("b", try TrueTrack(fixes))
    #expect(none.words?.contains("the longest: 5 minutes and 0.1 km, of \"b\"") == true)
    holes.add("b", try TrueTrack(fixes))
    holes.add("c", track)
    #expect(holes.words?.hasPrefix("between fixes, 3 steps of 3 devices take more than 5 minutes") == true)
  }

  @Test("Who steps out for less than a minute has not left, along a track")
  func absences() throws {
    // At a metre a second: out of home for 59 s, for 61 s, and for good; past the kiosk each time.
    let legs: [(Double, Double)] = [
      (0, 0), (150, 150), (179.5, 179.5), (209, 150), (359, 0), (509, 150), (539.5, 180.5), (570, 150),
      (720, 0), (1720, 1000),
    ]
    let track = try TrueTrack(
      legs.map { second, east in
        Fix(time: PolicyStage.start.advanced(by: .seconds(second)), coordinate: PolicyStage.at(east, 0))
      })
    let regions = try RegionIndex([
      PolicyStage.circle("home", 0, radius: 150), PolicyStage.circle("kiosk", 165, radius: 10),
    ])
    let truth = try DeviceTruth(device: "a", track: track, regions: regions)
    // Home is left once and entered once for a minute and more; it is left for good afterwards.
    let counts = CountedCrossings(truth, VisitFilter(minimumSeconds: 60))
    let counted = truth.crossings.indices.filter(counts.contains).map { truth.crossings[$0] }
    // At the kiosk beside it are twenty seconds each time.
    #expect(truth.crossings.count == 15 && counted.allSatisfy { $0.crossing.region == 0 })
    #expect(counted.map { $0.crossing.time.seconds(since: track.start).rounded() } == [509, 570, 870])
    #expect(counted.map(\.crossing.kind) == [.exit, .enter, .exit])
  }
}
