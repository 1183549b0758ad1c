import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinityCrossings
@testable import VicinityPlanner

@Suite("Registration planner")
struct PlannerTests: AroundVienna {
  // MARK: Plans

  @Test func nineteenAndASentinel() throws {
    let planner = try PlannerRun(RegionIndex(row(40)))
    #expect(planner.plan == nil)
    guard case .planned(let diff) = try planner.advance(to: fix(0, Self.vienna, accuracy: 10)) else {
      Issue.record("no plan")
      return
    }
    let plan = try #require(planner.plan)
    #expect(plan.registrations.map(\.ordinal) == Array(0..<19))
    #expect(plan.registrations[3].identifier == "r3")
    #expect(abs(plan.registrations[3].distance - 4000) < 1e-6)
    #expect(plan.error == 30)
    let certificate = try #require(plan.certificate)
    #expect(certificate <= 20_000 && certificate > 20_000 - 0.002)
    // 200 m of overshoot, 40 m/s for 20 s, and 100 m of the system's own error.
    let safeDisc = try #require(plan.safeDisc)
    #expect(safeDisc.center == Self.vienna)
    #expect(safeDisc.radius <= certificate - 1100 && safeDisc.radius > certificate - 1100 - 0.002)
    #expect(plan.sentinel?.disc == safeDisc)
    #expect(plan.slotsInUse == 20)
    #expect(plan.saturation == nil && plan.nextFixDue == nil)
    #expect(diff.steps.count == 20)
    #expect(diff.steps.first == plan.sentinel.map { .registerSentinel($0) })
  }

  /// At a tier the certificate is smaller by what the answer leaves open, and no larger than the exact one.
  @Test func aTierCostsSomeOfTheDisc() throws {
    let exact = try PlannerRun(RegionIndex(row(40)))
    _ = try exact.advance(to: fix(0, Self.vienna, accuracy: 10))
    let whole = try #require(exact.plan?.certificate)
    for tolerance: Meters in [10, 100, 1000] {
      let planner = try PlannerRun(RegionIndex(row(40)), options: PlanOptions(tolerance: tolerance))
      _ = try planner.advance(to: fix(0, Self.vienna, accuracy: 10))
      let plan = try #require(planner.plan)
      let certificate = try #require(plan.certificate)
      #expect(certificate <= whole && certificate >= whole - 2 * tolerance, "\(tolerance)")
      #expect(plan.registrations.count == 19)
      for registration in plan.registrations {
        let truth = try #require(exact.index.knownRegion(at: registration.ordinal))
        let distance = try truth.shape.boundaryDistance(from: Self.vienna)
        #expect(abs(registration.distance - distance) <= tolerance, "\(tolerance)")
      }
    }
    for tolerance in [-1, .nan, .infinity] {
      #expect(throws: PlanOptionsError.self) { try PlanOptions(tolerance: tolerance).validated() }
    }
  }

  /// Where a tolerance lets the query pass over regions, the certificate allows for them: no region that is
  /// not registered has a smaller gap.
  @Test(arguments: [RegionFamily.dense, .clustered, .gridded, .ring])
  func aTiersCertificateHolds(_ family: RegionFamily) throws {
    let seed: UInt64 = 91
    let regions = family.circles(500, seed: seed)
    let index = try RegionIndex(regions)
    var certified = 0
    for place in family.positions(60, among: regions, seed: seed) {
      let gaps = regions.map { max(0, PlanOracle.distance($0, place)) }
      for tolerance: Meters in [100, 1000, 3000, 20_000] {
        let planner = try PlannerRun(index, options: PlanOptions(tolerance: tolerance))
        _ = try planner.advance(to: fix(0, place, accuracy: 1))
        let plan = try #require(planner.plan)
        let certificate = try #require(plan.certificate)
        let chosen = Set(plan.registrations.map(\.ordinal))
        let least = regions.indices.filter { !chosen.contains($0) }.map { gaps[$0] }.min() ?? .infinity
        #expect(certificate <= least + 1e-6, "\(family), seed \(seed), tolerance \(tolerance), \(place)")
        if certificate > 0 { certified += 1 }
      }
    }
    #expect(certified >= 10, "\(family)")
  }

  @Test func everyRegionFits() throws {
    for count in [0, 1, 20] {
      let planner = try PlannerRun(RegionIndex(row(count)))
      _ = try planner.advance(to: fix(0, Self.vienna, accuracy: 5000))
      let plan = try #require(planner.plan)
      #expect(plan.registrations.count == count)
      #expect(plan.certificate == .infinity)
      #expect(plan.safeDisc == nil && plan.sentinel == nil && plan.saturation == nil)
      // Wherever the device goes, the other side of the Earth included.
      #expect(try planner.advance(to: fix(1, Coordinate(latitude: -48, longitude: -164))) == .holds)
      #expect(try planner.advance(to: fix(2, Coordinate(latitude: 90, longitude: 7))) == .holds)
    }
    let planner = try PlannerRun(RegionIndex(row(21)))
    _ = try planner.advance(to: fix(0, Self.vienna))
    #expect(planner.plan?.registrations.count == 19)
  }

  @Test func ageMakesTheVicinitySmaller() throws {
    let planner = try PlannerRun(RegionIndex(row(40)))
    _ = try planner.advance(to: fix(0, Self.vienna), now: Timestamp(microseconds: 30_000_000))
    let radius = try #require(planner.plan?.safeDisc?.radius)
    #expect(abs(radius - (20_000 - 1100 - 30 * 40)) < 0.003)
    // A clock behind the fix's makes no fix younger than new.
    let other = try PlannerRun(RegionIndex(row(40)))
    _ = try other.advance(to: fix(60, Self.vienna), now: Timestamp(microseconds: 0))
    #expect(abs((other.plan?.safeDisc?.radius ?? 0) - (20_000 - 1100)) < 0.003)
  }

  @Test func theVicinityIsCapped() throws {
    var options = PlanOptions()
    options.maximumRadius = 1500
    let planner = try PlannerRun(RegionIndex(row(40)), options: options)
    _ = try planner.advance(to: fix(0, Self.vienna))
    #expect(planner.plan?.safeDisc?.radius == 1500)
    #expect(try planner.advance(to: fix(1, place(90, 1499))) == .holds)
    #expect(try planner.advance(to: fix(2, place(90, 1501))) != .holds)
  }

  // MARK: Saturation

  @Test func aSmallVicinityIsSaturated() throws {
    var options = PlanOptions.followed
    options.minimumReliableRadius = 100
    options.overshoot = 1950
    options.capacity = 2
    options.acquisitionTime = .seconds(5)
    let planner = try PlannerRun(RegionIndex(row(40)), options: options)
    _ = try planner.advance(to: fix(100, Self.vienna, accuracy: 10))
    let plan = try #require(planner.plan)
    #expect(plan.safeDisc == nil && plan.sentinel == nil)
    let saturation = try #require(plan.saturation)
    #expect(saturation.reason == .radiusTooSmall)
    // Within the 2050 m that would be needed.
    #expect(saturation.leftOut.map(\.identifier) == ["r1"])
    #expect(saturation.unprovableExits.isEmpty)
    // (2000 - 30) m at 40 m/s, less 5 s.
    let due = try #require(plan.nextFixDue)
    #expect(abs(due.seconds - (100 + 1970.0 / 40 - 5)) < 0.001)
    // Half way to the certificate's end there is a new plan; until then, what is due moves with the device.
    #expect(try planner.advance(to: fix(101, place(270, 900), accuracy: 10)) == .holds)
    let later = try #require(planner.nextFixDue)
    // Bounds of the way are up to 2 % longer than it.
    let soonest = 101 + (2000 - 930.0 * 1.02) / 40 - 5
    #expect(later.seconds > soonest && later.seconds <= soonest + 0.02 * 930 / 40)
    #expect(try planner.advance(to: fix(102, place(270, 1100), accuracy: 10)) != .holds)
  }

  @Test func moreThanNineteenAroundTheUser() throws {
    var regions = (0..<25).map {
      Region(identifier: "n\($0)", center: Self.vienna, radius: 100 * Double($0 + 1))
    }
    regions.append(Region(identifier: "far", center: place(0, 9000), radius: 10))
    let planner = try PlannerRun(RegionIndex(regions))
    _ = try planner.advance(to: fix(0, place(0, 50)))
    let plan = try #require(planner.plan)
    #expect(plan.saturation?.reason == .tooManyOccupied)
    #expect(plan.certificate == 0 && plan.safeDisc == nil)
    // The exits farthest away are the ones left out, and named.
    #expect(plan.registrations.count == 19)
    #expect(Set(plan.registrations.map(\.ordinal)) == Set(0..<19))
    #expect(Set(plan.saturation?.unprovableExits.map(\.identifier) ?? []) == Set((19..<25).map { "n\($0)" }))
    #expect(plan.nextFixDue == plan.fix.time)
    // Each fix needs a look.
    #expect(
      try planner.advance(to: fix(1, place(0, 51))) == .planned(PlanDiff(steps: [], leavesSentinelGap: false))
    )
  }

  @Test func anErrorThatReachesTheCertificate() throws {
    var options = PlanOptions.followed
    options.capacity = 4
    let planner = try PlannerRun(RegionIndex(row(40)), options: options)
    _ = try planner.advance(to: fix(0, Self.vienna, accuracy: 1500))
    var plan = try #require(planner.plan)
    // 4500 m: four regions for three slots.
    #expect(plan.saturation?.reason == .errorTooLarge)
    #expect(plan.registrations.map(\.ordinal) == [0, 1, 2])
    #expect(plan.saturation?.leftOut.map(\.ordinal) == [3])
    // The more important one stays.
    options.priorities = ["r3": 1, "r0": -1, "nowhere": 7]
    try planner.setOptions(options)
    _ = try planner.advance(to: fix(1, Self.vienna, accuracy: 1500))
    plan = try #require(planner.plan)
    #expect(plan.registrations.map(\.ordinal) == [1, 2, 3])
    #expect(plan.saturation?.leftOut.map(\.ordinal) == [0])
    // Where there is room, importance changes nothing.
    _ = try planner.advance(to: fix(2, Self.vienna, accuracy: 10), now: nil)
    #expect(planner.plan?.registrations.map(\.ordinal) == [0, 1, 2])
  }

  @Test func oneSlotAndNone() throws {
    var options = PlanOptions.followed
    options.capacity = 1
    let planner = try PlannerRun(RegionIndex(row(5)), options: options)
    _ = try planner.advance(to: fix(0, Self.vienna))
    // A sentinel alone: until the first region can be reached.
    #expect(planner.plan?.registrations.isEmpty == true)
    #expect(abs((planner.plan?.safeDisc?.radius ?? 0) - 1000) < 0.002)
    options.reserved = 7
    try planner.setOptions(options)
    _ = try planner.advance(to: fix(1, Self.vienna))
    #expect(planner.plan?.saturation?.reason == .noSlots)
    #expect(planner.plan?.sentinel == nil && planner.plan?.slots == 0)
    #expect(abs((planner.plan?.certificate ?? 0) - 1000) < 0.002)
    let nothing = try PlannerRun(RegionIndex([Region]()), options: options)
    _ = try nothing.advance(to: fix(0, Self.vienna))
    #expect(nothing.plan?.saturation == nil && nothing.plan?.certificate == .infinity)
  }

  @Test func pinnedRegionsHoldTheirSlots() throws {
    var options = PlanOptions.followed
    options.capacity = 4
    options.pinned = ["r30", "r2"]
    let planner = try PlannerRun(RegionIndex(row(40)), options: options)
    _ = try planner.advance(to: fix(0, Self.vienna))
    #expect(planner.plan?.registrations.map(\.ordinal) == [0, 2, 30])
    #expect(abs((planner.plan?.certificate ?? 0) - 2000) < 0.002)
    options.pinned = ["r1", "r2", "r3", "r4"]
    try planner.setOptions(options)
    _ = try planner.advance(to: fix(1, Self.vienna))
    #expect(planner.plan?.saturation?.reason == .tooManyPinned)
    #expect(planner.plan?.registrations.map(\.ordinal) == [1, 2, 3])
    #expect(planner.plan?.saturation?.leftOut.map(\.ordinal) == [4])
  }

  @Test func largeRegionsAreWatchedAndEndTheVicinity() throws {
    var regions = row(40)
    regions.append(Region(identifier: "city", center: place(180, 0), radius: 3500))
    var options = PlanOptions.followed
    options.maximumRegionRadius = 1000
    let planner = try PlannerRun(RegionIndex(regions), options: options)
    _ = try planner.advance(to: fix(0, Self.vienna))
    let plan = try #require(planner.plan)
    #expect(!plan.registrations.contains { $0.identifier == "city" })
    #expect(plan.watched.map(\.identifier) == ["city"])
    // Deep inside: it cannot be entered without having been left.
    #expect(abs((plan.safeDisc?.radius ?? 0) - 3500) < 0.002)
    // Every region that may be registered fits; the one that may not needs a sentinel all the same.
    let few = try PlannerRun(RegionIndex(regions.suffix(5)), options: options)
    _ = try few.advance(to: fix(0, Self.vienna))
    #expect(few.plan?.registrations.count == 4)
    #expect(few.plan?.sentinel != nil)
  }

  // MARK: Fixes

  @Test func badFixes() throws {
    let planner = try PlannerRun(RegionIndex(row(40)))
    #expect(try planner.advance(to: fix(0, Self.vienna, accuracy: -1)) == .holds)
    #expect(planner.plan == nil && planner.counts.fixes.invalid == 1)
    _ = try planner.advance(to: fix(10, Self.vienna))
    let plan = planner.plan
    let nowhere = Coordinate(latitude: .nan, longitude: 16)
    #expect(throws: TrackError.invalidCoordinate(nowhere, at: Timestamp(microseconds: 11_000_000))) {
      try planner.advance(to: fix(11, nowhere))
    }
    let beyond = Coordinate(latitude: 90.5, longitude: 16)
    #expect(throws: TrackError.invalidCoordinate(beyond, at: Timestamp(microseconds: 11_000_000))) {
      try planner.advance(to: fix(11, beyond))
    }
    #expect(throws: TrackError.invalidAccuracy(.nan, at: Timestamp(microseconds: 11_000_000))) {
      try planner.advance(to: fix(11, Self.vienna, accuracy: .nan))
    }
    #expect(
      throws: TrackError.timeBackwards(
        Timestamp(microseconds: 9_000_000), after: Timestamp(microseconds: 10_000_000))
    ) { try planner.advance(to: fix(9, Self.vienna)) }
    #expect(
      throws: TrackError.twoPlaces(Self.vienna, place(0, 5), at: Timestamp(microseconds: 10_000_000))
    ) { try planner.advance(to: fix(10, place(0, 5))) }
    #expect(try planner.advance(to: fix(10, Self.vienna)) == .holds)
    #expect(try planner.advance(to: fix(8, Self.vienna, accuracy: -5)) == .holds)
    #expect(planner.counts.fixes.repeats == 1 && planner.counts.fixes.invalid == 2)
    #expect(planner.plan == plan && planner.counts.plans == 1)
    // Without a factor, too.
    var options = PlanOptions()
    options.errorFactor = 0
    try planner.setOptions(options)
    #expect(try planner.advance(to: fix(12, Self.vienna)) != .holds)
    #expect(try planner.advance(to: fix(13, Self.vienna, accuracy: -5)) == .holds)
    #expect(planner.counts.fixes.invalid == 3)
    // An error without bound is one that reaches everything.
    try planner.setOptions(PlanOptions())
    _ = try planner.advance(to: fix(14, Self.vienna, accuracy: .infinity))
    #expect(planner.plan?.saturation?.reason == .errorTooLarge)
    #expect(planner.plan?.saturation?.leftOut.count == 21)
  }

  @Test func aPoorFixDoesNotEndAGoodPlan() throws {
    let planner = try PlannerRun(RegionIndex(row(40)), options: .followed)
    _ = try planner.advance(to: fix(0, Self.vienna, accuracy: 10))
    // 30 km off, and saying so: the device cannot have left within a second.
    #expect(try planner.advance(to: fix(1, place(0, 30_000), accuracy: 12_000)) == .holds)
    // Half an hour later it can.
    #expect(try planner.advance(to: fix(1800, place(0, 1), accuracy: 12_000)) != .holds)
    #expect(planner.plan?.saturation?.reason == .errorTooLarge)
  }

  @Test func thePlanHoldsInItsDisc() throws {
    for (latitude, longitude) in [(48.0, 16.0), (89.9, 0), (-89.99, 170), (0, 180), (60, -179.999)] {
      let center = Coordinate(latitude: latitude, longitude: longitude)
      let regions = (0..<30).map { i in
        Region(
          identifier: "\(i)",
          center: Geodesic.uncheckedDirect(
            center, azimuth: Double(i) * 12, distance: 2000 + 3000 * Double(i)
          ).coordinate,
          radius: 100)
      }
      let index = try RegionIndex(regions)
      let radius = 2000.0 + 3000 * 19 - 100
      for i in 0..<72 {
        for (way, holds) in [(0.3, true), (0.999, true), (0.999_999, true), (1.000_001, false), (1.3, false)]
        {
          let planner = try PlannerRun(index, options: .followed)
          _ = try planner.advance(to: fix(0, center))
          var there = Geodesic.uncheckedDirect(center, azimuth: Double(i) * 5, distance: radius * way)
            .coordinate
          if i % 3 == 0 { there.longitude += 360 }
          let decision = try planner.advance(to: fix(3600, there))
          #expect((decision == .holds) == holds, "\(center), \(way), azimuth \(i * 5)")
        }
      }
    }
  }

  /// Devices within their errors and speeds: while a plan holds they are in its disc, in small discs and in
  /// ones as wide as a continent.
  @Test func plansHoldNoLongerThanTheyMay() throws {
    let seed: UInt64 = 4301
    var random = SplitMix64(seed: seed)
    var held = 0
    var planned = 0
    for walk in 0..<60 {
      let start = [
        Self.vienna, Coordinate(latitude: 3, longitude: 179.9), Coordinate(latitude: -89.8, longitude: 20),
      ][walk % 3]
      let scale = random.logUniform(50...3e5)
      let regions = (0..<60).map { i in
        Region(
          identifier: "\(i)",
          center: Geodesic.uncheckedDirect(
            start, azimuth: random.uniform(0...360), distance: scale * Double(i + 1) * random.unit()
          ).coordinate, radius: 0.1 * scale)
      }
      var options = PlanOptions.followed
      options.capacity = 5
      options.maximumSpeed = scale / 20
      if walk % 2 == 0 { options.strategy = .boundaryAhead() }
      let planner = try PlannerRun(RegionIndex(regions), options: options)
      var truth = start
      var azimuth = random.uniform(0...360)
      for i in 0..<300 {
        let reached = Geodesic.uncheckedDirect(
          truth, azimuth: azimuth,
          distance: options.maximumSpeed * (random.unit() < 0.1 ? 1 : 0.2 * random.unit()))
        truth = reached.coordinate
        azimuth = reached.azimuth + random.uniform(-20...20)
        let accuracy = scale * (random.unit() < 0.1 ? 1 : 0.01) * random.unit()
        var said = Geodesic.uncheckedDirect(
          truth, azimuth: random.uniform(0...360), distance: 3 * accuracy * random.unit()
        ).coordinate
        if random.unit() < 0.1 { said.longitude -= 360 }
        let before = planner.plan
        let decision = try planner.advance(
          to: fix(Double(i), said, accuracy: accuracy, speed: 10, course: random.uniform(0...359)))
        let plan = try #require(planner.plan)
        guard let certificate = plan.certificate, certificate > plan.error else { continue }
        let distance = Geodesic.uncheckedDistance(plan.center, truth)
        #expect(distance < certificate, "walk \(walk), fix \(i), seed \(seed)")
        if decision == .holds { held += 1 } else { planned += 1 }
        // Nor do they end sooner than bounds make them.
        if decision != .holds, let safeDisc = before?.safeDisc {
          let said = Geodesic.uncheckedDistance(safeDisc.center, said)
          #expect(said + 3 * accuracy >= 0.999 * safeDisc.radius, "walk \(walk), fix \(i), seed \(seed)")
        }
      }
    }
    #expect(held > 5 * planned && planned > 100, "held \(held), planned \(planned)")
  }

  @Test func anActorMayHoldOne() async throws {
    actor Holder {
      private var planner: RegistrationPlanner<UpdatableRegionIndex>

      init(_ regions: [Region]) throws {
        planner = try RegistrationPlanner(UpdatableRegionIndex(regions))
      }

      func advance(to fix: Fix) throws -> PlanDecision { try planner.advance(to: fix) }
      func add(_ region: Region) throws { _ = try planner.update { index in try index.insert(region) } }
      var plan: Plan? { planner.plan }
    }
    let holder = try Holder(row(3))
    _ = try await holder.advance(to: fix(0, Self.vienna))
    try await holder.add(Region(identifier: "new", center: Self.vienna, radius: 10))
    // At the same fix, because something else has changed.
    #expect(try await holder.advance(to: fix(0, Self.vienna)) != .holds)
    #expect(await holder.plan?.registrations.map(\.identifier) == ["new", "r0", "r1", "r2"])
  }

  // MARK: Changes

  @Test func regionsMayChangeBetweenPlans() throws {
    let planner = try PlannerRun(UpdatableRegionIndex(row(40)), options: .followed)
    _ = try planner.advance(to: fix(0, Self.vienna))
    try planner.update { (index: inout UpdatableRegionIndex) throws(RegionError) in
      _ = try index.insert(Region(identifier: "new", center: place(0, 500), radius: 50))
      _ = try index.remove("r1")
      // The same again, under another ordinal; and another one under the same name.
      _ = try index.replace(Region(identifier: "r2", center: place(90, 3100), radius: 100))
      _ = try index.replace(Region(identifier: "r3", center: place(90, 4100), radius: 200))
    }
    guard case .planned(let diff) = try planner.advance(to: fix(0, Self.vienna)) else {
      Issue.record("the plan held")
      return
    }
    var changed: [String] = []
    for step in diff.steps {
      switch step {
      case .register(let registration): changed.append("+\(registration.identifier)")
      case .unregister(let identifier): changed.append("-\(identifier)")
      default: continue
      }
    }
    #expect(Set(changed) == ["+new", "-r1", "-r3", "+r3"])
    #expect(planner.plan?.registrations.first?.identifier == "new")
    #expect(planner.counts.fixes.repeats == 0)
  }

  @Test func anotherIndexAltogether() throws {
    let regions = row(40)
    let planner = try PlannerRun(RegionIndex(regions), options: .followed)
    _ = try planner.advance(to: fix(0, Self.vienna))
    let other = try RegionIndex(regions.reversed())
    planner.update { $0 = other }
    guard case .planned(let diff) = try planner.advance(to: fix(1, Self.vienna)) else {
      Issue.record("the plan held")
      return
    }
    #expect(diff.isEmpty)
    #expect(planner.plan?.registrations.first?.ordinal == 39)
  }

  @Test func relaunched() throws {
    let planner = try PlannerRun(RegionIndex(row(40)))
    planner.adopt(["r0", "r1", "gone", "r35"], sentinel: "vicinity-a")
    guard case .planned(let diff) = try planner.advance(to: fix(0, Self.vienna)) else {
      Issue.record("no plan")
      return
    }
    var slots = Slots(regions: ["r0": 0, "r1": 1, "gone": -1, "r35": 35], sentinels: ["vicinity-a"])
    #expect(slots.perform(diff, capacity: 20) == nil)
    let plan = try #require(planner.plan)
    #expect(slots.fault(plan) == nil)
    #expect(plan.sentinel?.identifier == "vicinity-b")
    #expect(diff.steps.count == 2 + 17 + 2)
  }

  @Test func anInvalidatedPlanIsMadeAnew() throws {
    let planner = try PlannerRun(RegionIndex(row(40)))
    _ = try planner.advance(to: fix(0, Self.vienna))
    #expect(try planner.advance(to: fix(1, place(0, 10))) == .holds)
    planner.invalidate()
    #expect(try planner.advance(to: fix(2, place(0, 10))) != .holds)
    #expect(planner.plan?.safeDisc?.center == place(0, 10))
    #expect(planner.plan?.number == 2)
    planner.reset()
    #expect(planner.plan == nil)
    guard case .planned(let diff) = try planner.advance(to: fix(0, Self.vienna)) else {
      Issue.record("no plan")
      return
    }
    #expect(diff.steps.count == 20)
  }

  @Test func theCapacityIsTwentyUnlessItIsGivenOrADeviceSaysMore() {
    var options = PlanOptions()
    #expect(options.capacity == 20 && options.givenCapacity == nil && options.slots == 20)
    #expect([0, 5, 20, 100].allSatisfy { options.fitted(toSlots: $0).capacity == $0 })
    #expect(options.fitted(toSlots: .max).capacity == PlanOptions.largestCapacity)
    options.capacity = 20
    #expect(options.givenCapacity == 20 && options == PlanOptions(capacity: 20))
    #expect([0, 5, 20, 100].map { options.fitted(toSlots: $0).capacity } == [0, 5, 20, 20])
  }

  @Test func optionsAreChecked() throws {
    func refused(_ change: (inout PlanOptions) -> Void) -> PlanOptionsError? {
      var options = PlanOptions()
      change(&options)
      do {
        _ = try options.validated()
        return nil
      } catch {
        return error
      }
    }
    #expect(refused { _ in } == nil)
    #expect(refused { $0.capacity = -1 } == .outOfRange("capacity", -1))
    #expect(refused { $0.capacity = .max } != nil)
    #expect(refused { $0.reserved = -1 } != nil)
    #expect(refused { $0.maximumSpeed = 0 } == .outOfRange("maximumSpeed", 0))
    #expect(refused { $0.maximumSpeed = .nan } != nil)
    #expect(refused { $0.latency = .seconds(-1) } != nil)
    #expect(refused { $0.overshoot = -1 } != nil)
    #expect(refused { $0.sentinelError = .infinity } != nil)
    #expect(refused { $0.errorFactor = .nan } != nil)
    #expect(refused { $0.maximumRadius = 50 } != nil)
    #expect(refused { $0.maximumRegionRadius = -1 } != nil)
    #expect(refused { $0.acquisitionTime = .seconds(-2) } != nil)
    #expect(refused { $0.strategy = .constantRadius(0) } != nil)
    #expect(
      refused { $0.strategy = .boundaryAhead(turnMargin: 200) }?.description
        == "turnMargin cannot be 200.0: more than 0 and at most 1 is expected")
    #expect(refused { $0.strategy = .boundaryAhead(turnMargin: 0) } != nil)
    #expect(throws: PlanOptionsError.self) {
      _ = try PlannerRun(RegionIndex(row(3)), options: PlanOptions(overshoot: .nan))
    }
    for name in PlanStrategy.names { #expect(PlanStrategy(name: name)?.name == name) }
    #expect(PlanStrategy(name: "luck") == nil)
  }
}
