import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityRuns

@testable import VicinityCLI

/// `plan --check` on plans that a planner would not make: it names the entry and the plan, and fails.
@Suite struct PlanCheckTests {
  private static func degrees(_ metres: Double) -> Double { metres / 111_319.490793 }

  /// As in `PlanCommandTests`: circles of 100 m along the equator, 1 km apart, the first boundary 900 m east
  /// of 0.
  private static func index(_ count: Int = 30) throws -> RegionIndex {
    try RegionIndex(
      (1...count).map {
        Region(
          identifier: "r\($0)",
          center: Coordinate(latitude: 0, longitude: degrees(1000 * Double($0))), radius: 100)
      })
  }

  /// A device that goes east at 20 m/s, a fix each 10 s.
  private static func fix(_ i: Int) -> Fix {
    Fix(
      time: Timestamp(microseconds: 10_000_000 * Int64(i)),
      coordinate: Coordinate(latitude: 0, longitude: degrees(200 * Double(i))), horizontalAccuracy: 0)
  }

  /// A check of a device that has gone 6 km, its plans changed before they are judged.
  private static func check(
    _ count: Int = 30, devices: [String] = ["bus"], fixes: Int = 31, _ change: (inout Plan) -> Void
  ) throws -> PlanCheck {
    var options = PlanOptions()
    options.capacity = 4
    let index = try index(count)
    let check = PlanCheck(index, maximumGap: .seconds(300))
    for (device, name) in devices.enumerated() {
      var planner = try RegistrationPlanner(index, options: options)
      for i in 0..<fixes {
        var plan = planner.plan
        if plan != nil { change(&plan!) }
        try check.advance(device, name, to: fix(i), under: plan)
        _ = try planner.advance(to: fix(i))
      }
    }
    return check
  }

  private static func failure(_ check: PlanCheck) -> CommandFailure? {
    do {
      try check.judge(isCertified: true, at: "bus.csv")
      return nil
    } catch {
      return error as? CommandFailure
    }
  }

  @Test func rightPlans() throws {
    let check = try Self.check { _ in }
    #expect(check.violations == [])
    #expect(Self.failure(check) == nil)
    #expect(
      check.summary(isCertified: true)
        == "6 entries, 6 into registered regions; of the others 0 under saturated plans, "
        + "0 between the vicinity's border and the next fix, 0 against a certificate")
  }

  @Test func aRegionLeftOut() throws {
    let check = try Self.check { $0.registrations.removeAll { $0.identifier == "r2" } }
    #expect(
      check.violations == [
        "bus entered r2, which is not registered, at 1970-01-01T00:01:35.000Z, 1900.000 m from the centre of plan 1"
      ])
    #expect(
      check.summary(isCertified: true)
        == "6 entries, 5 into registered regions; of the others 0 under saturated plans, "
        + "0 between the vicinity's border and the next fix, 1 against a certificate")
    #expect(
      Self.failure(check) == CommandFailure("1 entry that certificates rule out", at: "bus.csv"))
    // Where nothing is promised the same is missed, and no failure.
    let missed = try Self.check {
      $0.registrations.removeAll { $0.identifier == "r2" }
      $0.certificate = nil
    }
    #expect(missed.summary(isCertified: false) == "6 entries, 5 into registered regions; 1 missed")
    #expect(Self.failure(missed) == nil)
  }

  @Test func aCertificateTooLarge() throws {
    // The first plan for the whole way, and good for all of it by its own words.
    var first: Plan?
    let check = try Self.check { plan in
      if first == nil { first = plan }
      plan = first ?? plan
      plan.certificate = .infinity
    }
    #expect(
      check.violations == [
        "bus entered r4, which is not registered, at 1970-01-01T00:03:15.000Z, 3900.000 m from the centre of plan 1",
        "bus entered r5, which is not registered, at 1970-01-01T00:04:05.000Z, 4900.000 m from the centre of plan 1",
        "bus entered r6, which is not registered, at 1970-01-01T00:04:55.000Z, 5900.000 m from the centre of plan 1",
      ])
    #expect(Self.failure(check)?.what == "3 entries that certificates rule out")
  }

  /// Plans that are right about fewer regions than there are.
  @Test func anOldIndex() throws {
    var options = PlanOptions()
    options.capacity = 4
    var planner = try RegistrationPlanner(try Self.index(2), options: options)
    let check = PlanCheck(try Self.index(3), maximumGap: .seconds(300))
    for i in 0..<16 {
      try check.advance(0, "bus", to: Self.fix(i), under: planner.plan)
      _ = try planner.advance(to: Self.fix(i))
    }
    #expect(
      check.violations == [
        "bus entered r3, which is not registered, at 1970-01-01T00:02:25.000Z, 2900.000 m from the centre of plan 1"
      ])
    #expect(Self.failure(check) != nil)
  }

  /// Each device by itself, and the first twenty in words.
  @Test func manyDevices() throws {
    let names = (0..<7).map { "bus \($0)" }
    let check = try Self.check(devices: names) { $0.registrations = [] }
    #expect(check.tally.entries == 42 && check.tally.violations == 42)
    #expect(check.violations.count == PlanCheck.maximumViolations)
    for name in names.prefix(3) {
      #expect(check.violations.filter { $0.hasPrefix("\(name) entered r") }.count == 6)
    }
    #expect(Self.failure(check)?.what == "42 entries that certificates rule out")
  }
}
