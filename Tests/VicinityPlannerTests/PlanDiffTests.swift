import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinityCrossings
@testable import VicinityPlanner

/// A device that does as it is told, and refuses what no device does.
struct Slots {
  var regions: [String: Int] = [:]
  var sentinels: Set<String> = []

  var inUse: Int { regions.count + sentinels.count }

  /// What is wrong with the steps, if anything.
  mutating func perform(_ diff: PlanDiff, capacity: Int) -> String? {
    var before = inUse
    for step in diff.steps {
      switch step {
      case .registerSentinel(let sentinel):
        guard regions[sentinel.identifier] == nil, sentinels.insert(sentinel.identifier).inserted else {
          return "a sentinel over what is registered: \(sentinel.identifier)"
        }
      case .unregisterSentinel(let name):
        guard sentinels.remove(name) != nil else { return "no sentinel \(name)" }
      case .register(let registration):
        guard regions[registration.identifier] == nil, !sentinels.contains(registration.identifier) else {
          return "\(registration.identifier) twice"
        }
        regions[registration.identifier] = registration.ordinal
      case .unregister(let identifier):
        guard regions.removeValue(forKey: identifier) != nil else {
          return "\(identifier) was not registered"
        }
      }
      // Over the capacity only on the way down to it.
      if inUse > capacity, inUse >= before { return "\(inUse) slots of \(capacity)" }
      before = inUse
    }
    return nil
  }

  /// What is wrong with where the steps led, if anything.
  func fault(_ plan: Plan) -> String? {
    let wanted = plan.registrations.map(\.identifier).sorted()
    if regions.keys.sorted() != wanted { return "registered \(regions.keys.sorted()), not \(wanted)" }
    let sentinel: Set<String> = plan.sentinel.map { [$0.identifier] } ?? []
    return sentinels != sentinel ? "sentinels \(sentinels), not \(sentinel)" : nil
  }
}

@Suite("Diffs of plans")
struct PlanDiffTests {
  private func plan(_ ordinals: [Int], sentinel: String?, slots: Int) -> Plan {
    let place = Coordinate(latitude: 0, longitude: 0)
    let disc = Plan.Disc(center: place, radius: 100)
    return Plan(
      number: 1, fix: Fix(time: Timestamp(microseconds: 0), coordinate: place),
      time: Timestamp(microseconds: 0), error: 0,
      registrations: ordinals.map { Registration(ordinal: $0, identifier: "r\($0)", distance: Double($0)) },
      watched: [], center: place, certificate: 100, safeDisc: sentinel == nil ? nil : disc,
      sentinel: sentinel.map { Plan.Sentinel(identifier: $0, disc: disc) }, saturation: nil,
      nextFixDue: nil, slots: slots)
  }

  @Test func theSentinelComesFirstAndUnchangedRegionsStay() {
    let old = plan([1, 2, 3], sentinel: "a", slots: 4)
    let new = plan([2, 3, 4], sentinel: "b", slots: 4)
    let diff = new.diff(from: old)
    #expect(
      diff.steps == [
        .unregister(old.registrations[0].identifier), .registerSentinel(new.sentinel!),
        .unregisterSentinel("a"),
        .register(new.registrations[2]),
      ])
    #expect(!diff.leavesSentinelGap)
    // Room enough: nothing has to go first.
    let roomy = plan([2, 3, 4], sentinel: "b", slots: 6)
    #expect(
      roomy.diff(from: old).steps == [
        .registerSentinel(new.sentinel!), .unregisterSentinel("a"), .register(new.registrations[2]),
        .unregister(old.registrations[0].identifier),
      ])
  }

  @Test func aFullDeviceSaysThatItsSentinelGoesFirst() {
    let old = plan([1, 2, 3], sentinel: "a", slots: 4)
    let new = plan([1, 2, 3], sentinel: "b", slots: 4)
    let diff = new.diff(from: old)
    #expect(diff.steps == [.unregisterSentinel("a"), .registerSentinel(new.sentinel!)])
    #expect(diff.leavesSentinelGap)
    #expect(new.diff(from: new).isEmpty)
    #expect(new.diff(from: nil).steps.count == 4)
    #expect(new.diff(from: nil).steps.first == .registerSentinel(new.sentinel!))
  }

  @Test func randomDiffsNeverOverfill() {
    let seed: UInt64 = 4101
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      var slots = Slots()
      var last: Plan?
      for step in 0..<20 {
        let capacity = random.below(8)
        let hasSentinel = capacity > 0 && random.unit() < 0.7
        let count = random.below(capacity + 1 - (hasSentinel ? 1 : 0))
        let ordinals = Array((0..<12).shuffled(using: &random).prefix(count))
        let other = last?.sentinel?.identifier == "a" ? "b" : "a"
        let next = plan(ordinals, sentinel: hasSentinel ? other : nil, slots: capacity)
        let diff = next.diff(from: last)
        #expect(slots.perform(diff, capacity: capacity) == nil, "seed \(seed), step \(step)")
        #expect(slots.fault(next) == nil, "seed \(seed), step \(step)")
        let kept = Set(last?.registrations.map(\.identifier) ?? []).intersection(
          next.registrations.map(\.identifier))
        for case .unregister(let identifier) in diff.steps {
          #expect(!kept.contains(identifier), "seed \(seed), step \(step)")
        }
        last = next
      }
    }
  }

  /// Options, regions and places change at random; the device must never be asked for what it cannot do.
  @Test func plannersNeverOverfill() throws {
    let seed: UInt64 = 4102
    var random = SplitMix64(seed: seed)
    for _ in 0..<12 {
      let regions = RegionFamily.clustered.circles(120, seed: random.next())
      let planner = try PlannerRun(
        UpdatableRegionIndex(regions), options: PlanOracleTests.options(&random, regions))
      var slots = Slots()
      var known = regions
      var shapes: [String: Region.Shape] = [:]
      let places = RegionFamily.clustered.positions(150, among: regions, seed: random.next())
      for (i, place) in places.enumerated() {
        if random.unit() < 0.2 {
          var options = PlanOracleTests.options(&random, regions)
          options.sentinelName = random.unit() < 0.2 ? "clustered" : "vicinity"
          try planner.setOptions(options)
        }
        if random.unit() < 0.3 {
          try planner.update { (index: inout UpdatableRegionIndex) throws(RegionError) in
            for _ in 0..<5 {
              let i = random.below(known.count)
              switch random.below(4) {
              case 0: _ = try index.remove(known[i].identifier)
              case 1: _ = try index.replace(known[i])
              case 2:
                known[i].shape = .circle(center: place, radius: random.uniform(0...500))
                _ = try index.replace(known[i])
              default:
                // What sentinels are called.
                let name = ["vicinity-a", "vicinity-b", "vicinity-a+"][random.below(3)]
                _ = try index.replace(Region(identifier: name, center: place, radius: 50))
              }
            }
          }
        }
        let fix = Fix(
          time: Timestamp(microseconds: Int64(i) * 60_000_000), coordinate: place,
          horizontalAccuracy: random.logUniform(1...500))
        guard case .planned(let diff) = try planner.advance(to: fix) else { continue }
        let plan = try #require(planner.plan)
        #expect(slots.perform(diff, capacity: planner.options.slots) == nil, "seed \(seed), fix \(i)")
        #expect(slots.fault(plan) == nil, "seed \(seed), fix \(i)")
        for case .register(let registration) in diff.steps {
          shapes[registration.identifier] = planner.index.region(at: registration.ordinal)?.shape
        }
        for registration in plan.registrations {
          // Registered as it is now.
          #expect(
            shapes[registration.identifier] == planner.index.region(at: registration.ordinal)?.shape,
            "seed \(seed), fix \(i)")
          #expect(planner.index.identifier(of: registration.ordinal) == registration.identifier)
        }
      }
    }
  }
}
