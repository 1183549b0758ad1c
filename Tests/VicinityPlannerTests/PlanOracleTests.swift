import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityPlanner
import VicinityPolygon
import VicinityTestSupport

/// Every plan against the plain one.
@Suite("Plans against brute force")
struct PlanOracleTests {
  /// Options of all kinds.
  static func options(_ random: inout SplitMix64, _ regions: [Region]) -> PlanOptions {
    var options = random.unit() < 0.3 ? PlanOptions() : PlanOptions.followed
    options.capacity = [20, 20, 8, 3, 2, 1, 0][random.below(7)]
    options.reserved = random.unit() < 0.3 ? random.below(5) : 0
    options.swapPolicy = random.unit() < 0.3 ? .spareSlot : .removalsFirst
    if random.unit() < 0.3 { options.minimumReliableRadius = random.uniform(0...5000) }
    if random.unit() < 0.3 { options.overshoot = random.uniform(0...2000) }
    if random.unit() < 0.2 {
      options.maximumRadius = options.minimumReliableRadius + random.uniform(1...20_000)
    }
    if random.unit() < 0.3 { options.maximumRegionRadius = random.logUniform(100...1e5) }
    if random.unit() < 0.4 {
      for _ in 0..<random.below(6) { options.pinned.insert(regions[random.below(regions.count)].identifier) }
    }
    if random.unit() < 0.4 {
      for _ in 0..<random.below(40) {
        options.priorities[regions[random.below(regions.count)].identifier] = random.below(5) - 2
      }
    }
    return options
  }

  /// Whether registrations are the index's regions, as far as they say.
  static func areTrue(_ registrations: [Registration], _ regions: [Region], at place: Coordinate) -> Bool {
    registrations.allSatisfy {
      regions[$0.ordinal].identifier == $0.identifier
        && abs(PlanOracle.distance(regions[$0.ordinal], place) - $0.distance) <= 1e-6
    }
  }

  /// What is wrong with a plan around a fix, if anything.
  static func fault(
    _ plan: Plan, _ answer: PlanOracle.Answer, _ options: PlanOptions, _ regions: [Region], at fix: Fix
  ) -> String? {
    let place = fix.coordinate
    if plan.center != place || plan.fix != fix || plan.time != fix.time { return "of another fix or place" }
    if plan.error != options.errorFactor * fix.horizontalAccuracy { return "error \(plan.error)" }
    for list in [plan.registrations, plan.watched, plan.saturation?.leftOut ?? []]
    where !areTrue(list, regions, at: place) {
      return "other regions or distances than it says: \(list)"
    }
    let chosen = plan.registrations.map(\.ordinal)
    if Set(chosen) != Set(answer.chosen) || chosen.count != answer.chosen.count {
      return "registers \(chosen.sorted()) instead of \(answer.chosen.sorted())"
    }
    if zip(plan.registrations, plan.registrations.dropFirst()).contains(where: { $0.distance > $1.distance })
    {
      return "not in order"
    }
    guard let certificate = plan.certificate else { return "no certificate" }
    if answer.certificate == .infinity {
      if certificate != .infinity { return "certificate \(certificate), not infinite" }
    } else if certificate > answer.certificate || certificate < max(0, answer.certificate - 2e-3) {
      return "certificate \(certificate) of \(answer.certificate)"
    }
    if answer.isClose { return (plan.saturation != nil) == (answer.reason != nil) ? nil : "saturated or not" }
    if plan.saturation?.reason != answer.reason {
      return
        "saturated by \(String(describing: plan.saturation?.reason)), not \(String(describing: answer.reason))"
    }
    if Set(plan.saturation?.leftOut.map(\.ordinal) ?? []) != answer.leftOut {
      return "other regions left out"
    }
    if let saturation = plan.saturation {
      let inside = saturation.leftOut.filter { $0.distance <= 0 }
      if saturation.unprovableExits != inside { return "other exits unprovable" }
      if plan.safeDisc != nil || plan.sentinel != nil { return "a safe disc for all that" }
      let acquisition: Double = options.acquisitionTime / .seconds(1)
      let due = max(0, (answer.certificate - plan.error) / options.maximumSpeed - acquisition)
      guard let next = plan.nextFixDue?.seconds(since: fix.time), next <= due, next >= due - 1e-3 else {
        return "next fix due at \(String(describing: plan.nextFixDue)), not after \(due) s"
      }
    } else if answer.certificate == .infinity {
      if plan.safeDisc != nil || plan.sentinel != nil { return "a safe disc for nothing" }
    } else {
      guard let safeDisc = plan.safeDisc, plan.sentinel?.disc == safeDisc else { return "no safe disc" }
      if safeDisc.center != place { return "a safe disc elsewhere" }
      if plan.nextFixDue != nil { return "a fix due for nothing" }
      if safeDisc.radius > answer.radius || safeDisc.radius < answer.radius - 3e-3 {
        return "radius \(safeDisc.radius) of \(answer.radius)"
      }
    }
    return plan.slotsInUse > options.slots ? "\(plan.slotsInUse) slots in use" : nil
  }

  @Test(arguments: RegionFamily.allCases)
  func circles(_ family: RegionFamily) throws {
    let seed: UInt64 = 4001
    var random = SplitMix64(seed: seed ^ UInt64(family.rawValue.utf8.count))
    for count in [1, 15, 20, 21, 60, 400] {
      let regions = family.circles(count, seed: seed + UInt64(count))
      let index = try RegionIndex(regions)
      let updatable = try UpdatableRegionIndex(regions)
      for (i, place) in family.positions(18, among: regions, seed: seed).enumerated() {
        let options = Self.options(&random, regions)
        let accuracy = random.unit() < 0.3 ? 0 : random.logUniform(1...3000)
        let fix = Fix(
          time: Timestamp(microseconds: 1), coordinate: place, horizontalAccuracy: accuracy)
        let answer = PlanOracle(regions: regions, options: options)
          .answer(at: place, error: options.errorFactor * accuracy)
        let planner = try PlannerRun(index, options: options)
        _ = try planner.advance(to: fix)
        let plan = try #require(planner.plan)
        let message = "\(family) \(count), place \(i), seed \(seed), \(options)"
        #expect(Self.fault(plan, answer, options, regions, at: fix) == nil, "\(message)")
        let other = try PlannerRun(updatable, options: options)
        _ = try other.advance(to: fix)
        let otherPlan = try #require(other.plan)
        #expect(Self.fault(otherPlan, answer, options, regions, at: fix) == nil, "updatable: \(message)")
      }
    }
  }

  @Test func polygons() throws {
    let seed: UInt64 = 4002
    var random = SplitMix64(seed: seed)
    let anchor = Coordinate(latitude: 64, longitude: 179.95)
    let regions = try (0..<80).map { i in
      let center = Geodesic.uncheckedDirect(
        anchor, azimuth: random.uniform(0...360), distance: random.uniform(0...30_000)
      ).coordinate
      if i % 4 == 0 { return Region(identifier: "\(i)", center: center, radius: random.uniform(10...2000)) }
      let corners = (0..<(3 + random.below(5))).map { _ in random.uniform(0...360) }.sorted()
      let radius = random.logUniform(50...8000)
      return Region(
        identifier: "\(i)",
        polygon: try Polygon(
          exterior: corners.reversed().map {
            Geodesic.uncheckedDirect(center, azimuth: $0, distance: radius).coordinate
          }))
    }
    let index = try RegionIndex(regions)
    for _ in 0..<50 {
      let place = Geodesic.uncheckedDirect(
        anchor, azimuth: random.uniform(0...360), distance: random.uniform(0...40_000)
      ).coordinate
      let options = Self.options(&random, regions)
      let oracle = PlanOracle(regions: regions, options: options)
      let error = random.uniform(0...400)
      let planner = try PlannerRun(index, options: options)
      _ = try planner.advance(
        to: Fix(time: Timestamp(microseconds: 1), coordinate: place, horizontalAccuracy: error / 3))
      let plan = try #require(planner.plan)
      let certificate = try #require(plan.certificate)
      // Distances are good to a millimetre, and so is order: sets may differ there, what is promised may not.
      let chosen = Set(plan.registrations.map(\.ordinal))
      for (i, region) in regions.enumerated() where !chosen.contains(i) {
        let distance = PlanOracle.distance(region, place)
        #expect(certificate <= max(0, distance) || distance < 0 && certificate <= -distance, "seed \(seed)")
      }
      let answer = oracle.answer(at: place, error: error)
      #expect(
        answer.certificate == certificate || certificate > answer.certificate - 7e-3,
        "\(answer.certificate) \(certificate), seed \(seed)")
    }
  }
}
