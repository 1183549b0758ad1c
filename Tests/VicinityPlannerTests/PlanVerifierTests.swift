import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinityCrossings
@testable import VicinityPlanner

/// Plans that break their certificates, held to the way of a device: the verifier must say so, and of right
/// plans nothing.
@Suite("Plan verifier")
struct PlanVerifierTests: AroundVienna {
  /// Where the device is at a fix, metres east of Vienna: 19.7 m/s, a fix every 10 s.
  private func east(_ i: Int) -> Double { 197 * Double(i) }

  private func position(_ i: Int, from start: Double = 0) -> Fix {
    fix(10 * Double(i), place(90, start + east(i)))
  }

  /// Three regions and a sentinel.
  private func options(followed: Bool = true) -> PlanOptions {
    var options = followed ? PlanOptions.followed : PlanOptions()
    options.capacity = 4
    return options
  }

  /// The plan that a planner makes at a fix.
  private func plan(
    at fix: Fix, _ regions: [Region], _ options: PlanOptions
  ) throws -> Plan {
    let planner = try PlannerRun(RegionIndex(regions), options: options)
    _ = try planner.advance(to: fix)
    return try #require(planner.plan)
  }

  /// The plan made in Vienna: r0, r1 and r2 registered; r3, 4 km away, ends the certificate.
  private func viennasPlan() throws -> Plan {
    let plan = try self.plan(at: position(0), row(40), options())
    #expect(plan.registrations.map(\.ordinal) == [0, 1, 2])
    #expect(plan.certificate == 3999.999 && plan.saturation == nil && plan.number == 1)
    return plan
  }

  /// What a verifier says of a device that goes east, past the boundaries at 1000 and 1200 m, 2000 and 2200 m
  /// and so on, to 5910 m unless told otherwise.
  ///
  /// - Parameter plan: The plan in force on the way to a fix.
  private func verify(
    _ regions: [Region]? = nil, fixes: Int = 31, from start: Double = 0, plan: (Int) throws -> Plan?
  ) throws -> (violations: [PlanVerifier.Violation], tally: PlanTally) {
    var verifier = try PlanVerifier(RegionIndex(regions ?? row(40)))
    var violations: [PlanVerifier.Violation] = []
    for i in 0..<fixes {
      violations += try verifier.advance(to: position(i, from: start), under: try plan(i))
    }
    return (violations, verifier.tally)
  }

  private func tally(
    entries: Int = 5, noticed: Int = 0, violations: Int = 0, announced: Int = 0, late: Int = 0,
    missed: Int = 0, exits: Int = 5, unnoticedExits: Int = 0
  ) -> PlanTally {
    var tally = PlanTally()
    tally.entries = entries
    tally.noticed = noticed
    tally.violations = violations
    tally.announced = announced
    tally.late = late
    tally.missed = missed
    tally.exits = exits
    tally.unnoticedExits = unnoticedExits
    return tally
  }

  /// Whether violations are these: regions, plans, and metres from the plan's centre.
  private func expect(
    _ violations: [PlanVerifier.Violation], _ expected: [(region: Int, plan: Int, distance: Double)],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(violations.map(\.crossing.region) == expected.map(\.region), sourceLocation: sourceLocation)
    #expect(violations.map(\.plan) == expected.map(\.plan), sourceLocation: sourceLocation)
    for (violation, there) in zip(violations, expected) {
      #expect(abs(violation.distance - there.distance) < 1e-3, sourceLocation: sourceLocation)
      #expect(violation.crossing.kind == .enter, sourceLocation: sourceLocation)
      // The row's boundaries are on whole kilometres.
      if violation.crossing.region < 40 {
        let there = place(90, 1000 * Double(violation.crossing.region + 1))
        let off = Geodesic.uncheckedDistance(violation.crossing.coordinate, there)
        #expect(off < 1e-3, sourceLocation: sourceLocation)
      }
    }
  }

  // MARK: Right plans

  @Test(arguments: [31, 150])
  func rightPlans(_ fixes: Int) throws {
    for strategy in [PlanStrategy.boundary, .boundaryAhead()] {
      var options = self.options(followed: false)
      options.strategy = strategy
      let planner = try PlannerRun(RegionIndex(row(40)), options: options)
      // The way to a fix is under the plan made before it.
      let (violations, tally) = try verify(fixes: fixes) { i in
        guard i > 0 else { return nil }
        var last = position(i - 1)
        last.speed = 19.7
        last.course = 90
        _ = try planner.advance(to: last)
        return planner.plan
      }
      let entries = fixes == 31 ? 5 : 29
      expect(violations, [])
      #expect(tally == self.tally(entries: entries, noticed: entries, exits: entries), "\(strategy)")
      #expect(planner.counts.plans > 2)
    }
  }

  /// Kept too long, a right plan is no wrong one: what comes after its disc is late.
  @Test func aPlanKeptTooLong() throws {
    let plan = try viennasPlan()
    let (violations, tally) = try verify { _ in plan }
    expect(violations, [])
    #expect(tally == self.tally(noticed: 3, late: 2, unnoticedExits: 2))
    #expect(tally.unregistered == 2)
  }

  @Test func aSaturatedPlan() throws {
    // 4500 m of error reach the fourth region.
    let plan = try self.plan(at: fix(0, Self.vienna, accuracy: 1500), row(40), options())
    #expect(plan.saturation?.reason == .errorTooLarge && plan.registrations.map(\.ordinal) == [0, 1, 2])
    let (violations, tally) = try verify { _ in plan }
    expect(violations, [])
    #expect(tally == self.tally(noticed: 3, announced: 2, unnoticedExits: 2))
    // What it says is within its certificate it is held to all the same.
    var wrong = plan
    wrong.registrations.remove(at: 0)
    let (found, second) = try verify { _ in wrong }
    expect(found, [(0, 1, 1000)])
    #expect(second == self.tally(noticed: 2, violations: 1, announced: 2, unnoticedExits: 3))
  }

  @Test func nothingPromised() throws {
    let none = try verify { _ in nil }
    expect(none.violations, [])
    #expect(none.tally == tally(missed: 5, unnoticedExits: 5))
    var options = self.options()
    options.strategy = .constantRadius(5000)
    let plan = try self.plan(at: position(0), row(40), options)
    #expect(plan.certificate == nil)
    let others = try verify { _ in plan }
    expect(others.violations, [])
    #expect(others.tally == tally(noticed: 3, missed: 2, unnoticedExits: 2))
  }

  // MARK: Wrong plans

  @Test func aCertificateTooLarge() throws {
    let plan = try viennasPlan()
    func found(_ certificate: Double) throws -> ([PlanVerifier.Violation], PlanTally) {
      var wrong = plan
      wrong.certificate = certificate
      return try verify { _ in wrong }
    }
    // By a centimetre, by half a kilometre, and without end.
    for certificate in [4000.01, 4500] {
      let (violations, tally) = try found(certificate)
      expect(violations, [(3, 1, 4000)])
      #expect(tally == self.tally(noticed: 3, violations: 1, late: 1, unnoticedExits: 2))
    }
    let (violations, tally) = try found(.infinity)
    expect(violations, [(3, 1, 4000), (4, 1, 5000)])
    #expect(tally == self.tally(noticed: 3, violations: 2, unnoticedExits: 2))
  }

  /// Made before a region was added.
  @Test func anOldIndex() throws {
    let plan = try viennasPlan()
    let added = row(40) + [Region(identifier: "new", center: place(90, 2600), radius: 50)]
    let (violations, tally) = try verify(added) { _ in plan }
    expect(violations, [(40, 1, 2550)])
    #expect(tally == self.tally(entries: 6, noticed: 3, violations: 1, late: 2, exits: 6, unnoticedExits: 3))
  }

  /// The second plan says where it is good, and the device has the first one's registrations.
  @Test func registrationsOfAnEarlierPlace() throws {
    let planner = try PlannerRun(RegionIndex(row(40)), options: options())
    _ = try planner.advance(to: position(0))
    let first = try #require(planner.plan)
    planner.invalidate()
    _ = try planner.advance(to: position(14))
    let second = try #require(planner.plan)
    #expect(second.number == 2 && second.registrations.map(\.ordinal) == [2, 1, 3])
    #expect(abs((second.certificate ?? 0) - (east(14) - 1200)) < 2e-3)
    let right = try verify { i in i <= 14 ? first : second }
    expect(right.violations, [])
    #expect(right.tally == tally(noticed: 4, late: 1, unnoticedExits: 1))
    var stale = second
    stale.registrations = first.registrations
    let wrong = try verify { i in i <= 14 ? first : stale }
    expect(wrong.violations, [(3, 2, 4000 - east(14))])
    #expect(wrong.tally == tally(noticed: 3, violations: 1, late: 1, unnoticedExits: 2))
  }

  @Test(arguments: [0, 1, 2])
  func aRegionLeftOut(_ ordinal: Int) throws {
    var plan = try viennasPlan()
    plan.registrations.removeAll { $0.ordinal == ordinal }
    let (violations, tally) = try verify { _ in plan }
    expect(violations, [(ordinal, 1, 1000 * Double(ordinal + 1))])
    #expect(tally == self.tally(noticed: 2, violations: 1, late: 2, unnoticedExits: 3))
  }

  /// In every plan that a planner makes on the way.
  @Test func theNextRegionAlwaysLeftOut() throws {
    let planner = try PlannerRun(RegionIndex(row(40)), options: options(followed: false))
    var expected: [(region: Int, plan: Int, distance: Double)] = []
    let (violations, tally) = try verify { i in
      if i > 0 { _ = try planner.advance(to: position(i - 1)) }
      guard var plan = planner.plan else { return nil }
      let from = east(i - 1)
      let next = Int(from / 1000)
      plan.registrations.removeAll { $0.ordinal == next }
      if east(i) > 1000 * Double(next + 1) {
        expected.append(
          (next, plan.number, Geodesic.uncheckedDistance(plan.center, place(90, 1000 * Double(next + 1)))))
      }
      return plan
    }
    #expect(expected.map(\.region) == [0, 1, 2, 3, 4])
    expect(violations, expected)
    #expect(tally.violations == 5 && tally.entries == 5 && tally.noticed == 0 && tally.late == 0)
  }

  @Test func aWrongCenter() throws {
    let plan = try viennasPlan()
    for (off, expected) in [(10.0, [3]), (1500, [3, 4])] {
      var wrong = plan
      wrong.center = place(90, off)
      let (violations, tally) = try verify { _ in wrong }
      expect(violations, expected.map { ($0, 1, 1000 * Double($0 + 1) - off) })
      #expect(
        tally
          == self.tally(
            noticed: 3, violations: expected.count, late: 2 - expected.count, unnoticedExits: 2))
    }
  }

  /// The fix says Vienna, and may be 2100 m off; the device is 1450 m east of there. r1, 2000 m away, needs a
  /// slot, and there is one only for r0.
  @Test func theFixesErrorIgnored() throws {
    var options = self.options()
    options.capacity = 2
    let rough = fix(0, Self.vienna, accuracy: 700)
    let right = try plan(at: rough, row(40), options)
    #expect(right.saturation?.reason == .errorTooLarge && right.error == 2100)
    #expect(right.saturation?.leftOut.map(\.ordinal) == [1])
    func found(_ plan: Plan) throws -> ([PlanVerifier.Violation], PlanTally) {
      try verify(fixes: 9, from: 1450) { _ in plan }
    }
    var (violations, tally) = try found(right)
    expect(violations, [])
    #expect(tally == self.tally(entries: 2, announced: 2, exits: 1, unnoticedExits: 1))
    // The same without a word of it: r1 is beyond the certificate, and no farther from the fix than its
    // error.
    var wrong = right
    wrong.saturation = nil
    (violations, tally) = try found(wrong)
    expect(violations, [(1, 1, 2000)])
    #expect(tally == self.tally(entries: 2, violations: 1, late: 1, exits: 1, unnoticedExits: 1))
    // A plan that was told that fixes are exact says so, and is not held to more.
    options.errorFactor = 0
    let exact = try plan(at: rough, row(40), options)
    #expect(exact.saturation == nil && exact.error == 0)
    (violations, tally) = try found(exact)
    expect(violations, [])
    #expect(tally == self.tally(entries: 2, late: 2, exits: 1, unnoticedExits: 1))
  }

  // MARK: Tallies

  @Test func talliesGoOnAndAdd() throws {
    let plan = try viennasPlan()
    var verifier = try PlanVerifier(RegionIndex(row(40)))
    for _ in 0..<2 {
      // Back at the start without a way there.
      verifier.reset()
      for i in 0..<31 { _ = try verifier.advance(to: position(i), under: plan) }
    }
    let twice = tally(entries: 10, noticed: 6, late: 4, exits: 10, unnoticedExits: 4)
    #expect(verifier.tally == twice)
    let once = tally(
      entries: 1, noticed: 2, violations: 3, announced: 4, late: 5, missed: 6, exits: 7, unnoticedExits: 8)
    #expect(
      once + twice
        == tally(
          entries: 11, noticed: 8, violations: 3, announced: 4, late: 9, missed: 6, exits: 17,
          unnoticedExits: 12))
  }

  /// What a gap hides counts at the fix that ends it.
  @Test func gaps() throws {
    var plan = try viennasPlan()
    plan.registrations = []
    var verifier = try PlanVerifier(RegionIndex(row(40)), maximumGap: .seconds(60))
    _ = try verifier.advance(to: fix(0, Self.vienna), under: plan)
    let violations = try verifier.advance(to: fix(61, place(90, 1100)), under: plan)
    #expect(violations.map(\.crossing.region) == [0] && violations.first?.crossing.isInferred == true)
    #expect(abs((violations.first?.distance ?? 0) - 1100) < 1e-3)
    #expect(verifier.tally == tally(entries: 1, violations: 1, exits: 0))
  }
}
