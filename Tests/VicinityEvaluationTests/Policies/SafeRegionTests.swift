import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPolygon
import VicinitySimulation
import VicinityTestSupport

@testable import VicinityEvaluation

@Suite("Fixes that change nothing")
struct QuietZoneTests {
  /// What is decided, with the zone and without, for a phone that rests and wanders among regions.
  private final class Decider: PhoneApp {
    var fixes: [Fix]
    let regions: RegionIndex
    var plain: [String] = []
    var quick: [String] = []
    var spared = 0

    init(_ fixes: [Fix], _ regions: RegionIndex) {
      self.fixes = fixes
      self.regions = regions
    }

    func phone(_ phone: SimulatedPhone, did event: PhoneEvent) {
      guard case .launched = event else { return }
      var decisions = FixDecisions(regions)
      var slow = FixDecisions(regions)
      slow.usesSafeRegion = false
      for fix in fixes {
        decisions.handle(fix, on: phone) { quick.append("\($0) \($1) \($2.microseconds)") }
        slow.handle(fix, on: phone) { plain.append("\($0) \($1) \($2.microseconds)") }
      }
      spared = decisions.sparedCount
      let (a, b) = (decisions.memory(), slow.memory())
      #expect(a?.occupied == b?.occupied)
    }
  }

  @Test(
    "Passing over fixes changes no decision, whatever accuracies and places they have", arguments: 0..<150)
  func same(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    let isDense = random.below(2) == 0
    var regions: [Region] = []
    for number in 0..<(isDense ? 60 : 8) {
      regions.append(
        PolicyStage.circle(
          "r\(number)", random.uniform(-400...400), random.uniform(-400...400),
          radius: random.logUniform(3...600)))
    }
    for number in 0..<random.below(4) {
      let (x, y) = (random.uniform(-300...300), random.uniform(-300...300))
      let corners = [(0.0, 0.0), (random.uniform(20...300), 0), (0, random.uniform(20...300))]
      regions.append(
        Region(
          identifier: "p\(number)",
          polygon: try Polygon(exterior: corners.map { PolicyStage.at(x + $0.0, y + $0.1) })))
    }
    let index = try RegionIndex(regions)
    var fixes: [Fix] = []
    var (east, north) = (0.0, 0.0)
    for second in 0..<4000 {
      if random.below(300) == 0 {
        (east, north) = (random.uniform(-500...500), random.uniform(-500...500))
      }
      let spread = random.below(40) == 0 ? 100.0 : 4
      let accuracy: Double =
        switch random.below(12) {
        case 0: 0
        case 1: random.logUniform(0.001...30_000)
        case 2: 5
        default: 65
        }
      fixes.append(
        Fix(
          time: PolicyStage.start.advanced(by: .seconds(second)),
          coordinate: PolicyStage.at(
            east + random.uniform(-spread...spread), north + random.uniform(-spread...spread)),
          horizontalAccuracy: accuracy))
    }
    var stage = PolicyStage()
    stage.stand(for: 5)
    let decider = Decider(fixes, index)
    let scenario = Scenario(track: try TrueTrack(stage.fixes), profile: try PolicyStage.profile())
    _ = try Simulation.run(scenario) { decider }
    #expect(decider.quick == decider.plain, "seed \(seed)")
    if !isDense { #expect(decider.spared > 1000, "seed \(seed)") }
  }

  /// An app that a closure is, at its first launch.
  private struct Once: PhoneApp {
    let body: (SimulatedPhone) -> Void

    func phone(_ phone: SimulatedPhone, did event: PhoneEvent) {
      if case .launched = event { body(phone) }
    }
  }

  @Test("A later process reports what has changed since decisions were saved, and nothing else")
  func resumed() throws {
    let index = try RegionIndex([
      PolicyStage.circle("home", 0, radius: 100), PolicyStage.circle("office", 5000, radius: 100),
      PolicyStage.circle("city", 0, radius: 9000),
    ])
    func fix(_ second: Int, _ east: Double) -> Fix {
      Fix(
        time: PolicyStage.start.advanced(by: .seconds(second)), coordinate: PolicyStage.at(east, 0),
        horizontalAccuracy: 10)
    }
    var stage = PolicyStage()
    stage.stand(for: 5)
    var reports: [String] = []
    let scenario = Scenario(track: try TrueTrack(stage.fixes), profile: try PolicyStage.profile())
    _ = try Simulation.run(scenario) {
      Once { phone in
        func note(_ region: String, _ isInside: Bool, _ time: Timestamp) {
          reports.append((isInside ? "+" : "-") + region)
        }
        var first = FixDecisions(index)
        let before = first.memory()
        #expect(before?.occupied == nil)
        first.handle(fix(0, 0), on: phone, note)
        first.handle(fix(10, 1000), on: phone, note)
        first.handle(fix(20, 0), on: phone, note)
        let memory = first.memory()
        #expect(memory?.occupied == [0, 2])
        var second = FixDecisions(index, resuming: memory)
        // Known already.
        second.handle(fix(15, 1000), on: phone, note)
        second.handle(fix(30, 5000), on: phone, note)
        let hasNews = second.hasNews
        let after = second.memory()
        #expect(hasNews && after?.occupied == [1, 2])
        var fresh = FixDecisions(index)
        fresh.handle(fix(30, 5000), on: phone, note)
      }
    }
    #expect(reports == ["-home", "+home", "-home", "+office"])
  }

  @Test("Shares of discs: half of one on a straight boundary, the lens of two equal ones")
  func shares() {
    #expect(abs(SafeRegion.halfPlane(0) - 0.5) < 1e-12)
    #expect(abs(SafeRegion.halfPlane(-1) - 1) < 1e-12)
    #expect(abs(SafeRegion.lens(0) - (2.0 / 3 - 3.0.squareRoot() / (2 * .pi))) < 1e-12)
    #expect(abs(SafeRegion.lens(-1) - 1) < 1e-12 && abs(SafeRegion.lens(1)) < 1e-12)
  }
}
