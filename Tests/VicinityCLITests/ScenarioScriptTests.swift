import Testing
import VicinityCrossings
import VicinityFormats
import VicinityGeodesy
import VicinityMonitor
import VicinitySimulation

@testable import VicinityCLI

@Suite struct ScenarioScriptTests {
  private static func script(_ lines: [String]) throws -> ScenarioScript {
    try ScenarioScript(path: nil, lines: lines, reading: ReadingOptions())
  }

  @Test("Other phones keep the order in which they are first named, however often a line names them again")
  func order() throws {
    let script = try Self.script([
      "phone b stands 0,0", "phone a stands 0,1", "phone b wifi off", "phone a bluetooth off",
      "phone b rules ios7",
    ])
    #expect(script.companions.map(\.name) == ["b", "a"])
  }

  @Test(
    "Each other phone is what its own lines say, with a seed of its own, and its times count from the first one's track"
  )
  func companions() throws {
    let script = try Self.script([
      "airplane on", "phone b stands 0,0", "phone a stands 0,1", "phone b wifi off", "phone b at +60 open",
      "phone b rules ios7",
    ])
    let plan = ScenarioPlan(
      script, base: PhoneSurroundings(), rules: .iOS17, capabilities: script.capabilities(), seed: 7)
    let track = try TrueTrack(
      (0...9).map {
        Fix(
          time: Timestamp(microseconds: 1_000_000_000_000 + 60_000_000 * Int64($0)),
          coordinate: Coordinate(latitude: 1, longitude: 1))
      })
    let scenario = plan.scenario(track, try .named("iphone-6"))
    #expect(scenario.surroundings.initial.isInAirplaneMode && scenario.rules.name == "ios17")
    let (b, a) = (scenario.companions[0], scenario.companions[1])
    #expect(b.seed == 8 && a.seed == 9)
    #expect(b.rules.name == "ios7" && a.rules.name == "ios17")
    #expect(!b.surroundings.initial.hasWiFi && a.surroundings.initial.hasWiFi)
    #expect(!b.surroundings.initial.isInAirplaneMode)
    #expect(b.actions == [TimedAction(time: track.start.advanced(by: .seconds(60)), .openApp)])
    #expect(a.actions.first?.time == track.start && a.track.fix(at: 0).coordinate.longitude == 1)
  }
}
