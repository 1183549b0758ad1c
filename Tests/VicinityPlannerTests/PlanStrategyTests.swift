import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityPlanner
import VicinityTestSupport

@Suite("Other strategies")
struct PlanStrategyTests: AroundVienna {
  @Test func othersPromiseNothing() throws {
    // One large region whose centre is far and whose boundary is near: what ranking by centre loses.
    let regions = row(40) + [Region(identifier: "park", center: place(270, 60_000), radius: 59_000)]
    let index = try RegionIndex(regions)
    func plan(_ strategy: PlanStrategy) throws -> Plan {
      var options = PlanOptions()
      options.strategy = strategy
      let planner = try PlannerRun(index, options: options)
      _ = try planner.advance(to: fix(0, Self.vienna))
      return try #require(planner.plan)
    }
    let centre = try plan(.nearestByCenter)
    #expect(!centre.registrations.contains { $0.identifier == "park" } && centre.registrations.count == 19)
    #expect(abs((centre.safeDisc?.radius ?? 0) - 20_100) < 1e-3)
    let constant = try plan(.constantRadius(2000))
    #expect(constant.safeDisc?.radius == 2000 && constant.registrations.contains { $0.identifier == "park" })
    let visits = try plan(.visits())
    #expect(visits.registrations.count == 20 && visits.sentinel == nil)
    let significant = try plan(.significantChange())
    #expect(significant.registrations.count == 20 && significant.safeDisc == nil)
    for plan in [centre, constant, visits, significant] {
      #expect(plan.certificate == nil && plan.saturation == nil && plan.nextFixDue == nil)
    }
  }

  @Test func whenOthersPlanAnew() throws {
    let index = try RegionIndex(row(40))
    func plans(_ strategy: PlanStrategy, _ fixes: [Fix]) throws -> [Int] {
      var options = PlanOptions()
      options.strategy = strategy
      let planner = try PlannerRun(index, options: options)
      var result: [Int] = []
      for (i, fix) in fixes.enumerated() {
        if case .planned = try planner.advance(to: fix) { result.append(i) }
      }
      return result
    }
    // A minute between fixes, 200 m a minute.
    let walk = (0..<20).map { fix(60 * Double($0), place(0, 200 * Double($0))) }
    #expect(try plans(.constantRadius(1000), walk) == [0, 5, 10, 15])
    #expect(try plans(.significantChange(), walk) == [0, 5, 10, 15])
    #expect(try plans(.significantChange(distance: 1100), walk) == [0, 6, 12, 18])
    // Four minutes' walk, then still for ten, then on.
    let pause = (0..<20).map { (i: Int) -> Fix in
      let way: Double = i < 4 || i >= 14 ? 200 * Double(i) : 600 + Double(i)
      return fix(60 * Double(i), place(0, way))
    }
    #expect(try plans(.visits(), pause) == [0, 8])
  }
}
