import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinityCrossings

/// A fleet that goes on with other regions than it watched before.
@Suite("Regions that change while devices are followed")
struct RegionChangesTests {
  /// Crossings by device, with the region's identifier and without its ordinal.
  private struct Told: Hashable, CustomStringConvertible {
    var region: String
    var crossing: Crossing
    var description: String { "\(crossing.kind) \(region) at \(crossing.time)" }

    init(_ crossing: Crossing, _ index: RegionIndex) {
      region = index.identifier(of: crossing.region)
      self.crossing = crossing
      self.crossing.region = 0
    }
  }

  private static let families: [RegionFamily] = [.dense, .clustered, .duplicate, .antimeridian, .polar]

  /// The oracle watches all regions of both days from the start, and forgets what it says of a region before
  /// that was added, and after it was removed.
  @Test("What is the same keeps its state; who is in an added region was there before, and tells no entry")
  func asIfItHadBeenThere() throws {
    // Crossings of added regions that were told.
    var news = 0
    for (number, family) in Self.families.enumerated() {
      let seed = UInt64(5100 + number)
      let all = family.circles(80, seed: seed)
      var random = SplitMix64(seed: seed)
      var days = (first: [Region](), second: [Region]())
      for region in all {
        let which = random.below(4)
        if which != 0 { days.first.append(region) }
        if which != 1 { days.second.insert(region, at: Int(random.below(days.second.count + 1))) }
      }
      let (first, second, both) = (
        try RegionIndex(days.first), try RegionIndex(days.second), try RegionIndex(all)
      )
      let stream = FleetTests.stream(12, 30, among: all, steps: 5...900, seed: seed)
      let half = stream.count / 2
      for options in [
        CrossingOptions(), CrossingOptions(rule: .naive), CrossingOptions(rule: .coreLocation()),
      ] {
        var fleet = try Fleet(first, options: options)
        var oracle = try Fleet(both, options: options)
        var names = DeviceNames()
        var (found, expected) = ([[Told]](), [[Told]]())
        func advance(_ steps: ArraySlice<FleetTests.Step>, _ index: RegionIndex, _ kept: Set<String>) throws {
          for step in steps {
            let device = names.insert("n\(step.device)")
            var crossings: [Crossing] = []
            fleet.reserveDevices(names.count)
            try fleet.advance(device, to: step.fix, into: &crossings)
            found.append(crossings.map { Told($0, index) }.sorted { $0.region < $1.region })
            crossings = []
            oracle.reserveDevices(names.count)
            try oracle.advance(device, to: step.fix, into: &crossings)
            let told = crossings.map { Told($0, both) }.filter { kept.contains($0.region) }
            expected.append(told.sorted { $0.region < $1.region })
          }
        }
        try advance(stream[..<half], first, Set(days.first.map(\.identifier)))
        let inside = (0..<fleet.deviceCount).map { device in
          Set(fleet.occupied(by: device).map(first.identifier))
        }
        let bytes = fleet.snapshot(names: names)
        fleet = try Fleet.restored(fromSnapshot: bytes, index: second, names: &names)
        let told = fleet.regionChanges
        let changes = try #require(told)
        let (before, now) = (Set(days.first.map(\.identifier)), Set(days.second.map(\.identifier)))
        #expect(
          changes.kept == before.intersection(now).count && changes.removed == before.subtracting(now).count)
        #expect(changes.added == now.subtracting(before).count && changes.added > 0 && changes.removed > 0)
        for device in 0..<fleet.deviceCount {
          let ended = Set(changes.ended.filter { $0.device == device }.map(\.region))
          #expect(ended == inside[device].subtracting(now), "\(family), device \(device)")
          let occupied = Set(fleet.occupied(by: device).map(second.identifier))
          #expect(occupied.intersection(before) == inside[device].intersection(now))
        }
        try advance(stream[half...], second, now)
        // By a rule that waits for accuracies, a device that is in an added region at the next fix is so by
        // that fix.
        let isExact = options.rule != .coreLocation()
        let known = { (told: Told) in isExact || before.contains(told.region) }
        for (i, told) in expected.enumerated() {
          #expect(
            found[i].filter(known) == told.filter(known),
            "\(family), seed \(seed), \(options.rule), \(stream[i])")
        }
        news += found[half...].joined().count { !before.contains($0.region) }
      }
    }
    #expect(news > 40)
  }

  @Test("A region whose shape has changed is another one; regions that have nothing in common are refused")
  func shapesAndStrangers() throws {
    let here = Coordinate(latitude: 10, longitude: 20)
    func index(_ radii: [String: Double]) throws -> RegionIndex {
      try RegionIndex(
        radii.sorted { $0.key < $1.key }.map { Region(identifier: $0.key, center: here, radius: $0.value) })
    }
    var fleet = try Fleet(try index(["a": 100, "b": 100, "c": 100]), deviceCount: 1)
    var crossings: [Crossing] = []
    try fleet.advance(0, to: Fix(time: Timestamp(microseconds: 0), coordinate: here), into: &crossings)
    let bytes = fleet.snapshot()
    var names = DeviceNames()
    let other = try index(["a": 100, "b": 101, "d": 100])
    var restored = try Fleet.restored(fromSnapshot: bytes, index: other, names: &names)
    let told = restored.regionChanges
    let changes = try #require(told)
    #expect(changes.kept == 1 && changes.added == 2 && changes.removed == 2)
    #expect(changes.ended.map(\.region) == ["b", "c"])
    #expect(changes.words == "2 regions are new, 2 are gone (one that was changed is both)")
    #expect(restored.occupied(by: 0).map(other.identifier) == ["a", "b", "d"])
    // A change and back: nothing is known of `c` but what its shape says.
    restored = try Fleet.restored(
      fromSnapshot: restored.snapshot(), index: try index(["a": 100, "c": 100]), names: &names)
    try restored.advance(
      0,
      to: Fix(
        time: Timestamp(microseconds: 60_000_000), coordinate: Coordinate(latitude: 10, longitude: 20.01)),
      into: &crossings)
    #expect(crossings.map(\.kind) == [.exit, .exit])
    // The same regions in another order are no change.
    let same = try RegionIndex(["c", "a", "b"].map { Region(identifier: $0, center: here, radius: 100) })
    let moved = try Fleet.restored(fromSnapshot: bytes, index: same, names: &names)
    #expect(moved.occupied(by: 0).count == 3 && moved.regionChanges?.words == nil)
    #expect(throws: FleetSnapshotError.self) {
      _ = try Fleet.restored(fromSnapshot: bytes, index: try index(["a": 50, "x": 100]), names: &names)
    }
  }

  @Test("Choices of regions go along, and say of a new one what they say of those that they do not name")
  func choices() throws {
    let here = Coordinate(latitude: 10, longitude: 20)
    func index(_ identifiers: [String]) throws -> RegionIndex {
      try RegionIndex(identifiers.map { Region(identifier: $0, center: here, radius: 100) })
    }
    let before = try index(["a", "b", "c"])
    let after = try index(["c", "d", "a"])
    func ordinals(_ names: [String], _ index: RegionIndex) -> [Int] { names.compactMap(index.ordinal) }
    let options = CrossingOptions(
      notifyOnEntry: .only(ordinals(["a", "b"], before)), notifyOnExit: .allExcept(ordinals(["a"], before)))
    let fleet = try Fleet(before, options: options, deviceCount: 1)
    var names = DeviceNames()
    let restored = try Fleet.restored(fromSnapshot: fleet.snapshot(), index: after, names: &names)
    #expect(restored.options.notifyOnEntry == .only(ordinals(["a"], after)))
    #expect(restored.options.notifyOnExit == .allExcept(ordinals(["a"], after)))
  }

  /// Zero and minus zero are one number, so the region is the same.
  @Test func signsOfZeroChangeNothing() throws {
    func index(_ latitude: Double, _ longitude: Double) throws -> RegionIndex {
      let center = Coordinate(latitude: latitude, longitude: longitude)
      return try RegionIndex([Region(identifier: "a", center: center, radius: 100)])
    }
    let table = RegionHashes(try index(0, 0))
    for (latitude, longitude) in [(-0.0, 0), (0, -0.0), (-0.0, -0.0)] as [(Double, Double)] {
      #expect(table.moves(to: RegionHashes(try index(latitude, longitude)))?.changes.words == nil)
      #expect(table.moves(to: RegionHashes(try index(latitude, longitude))) != nil)
    }
    #expect(table.moves(to: RegionHashes(try index(1e-300, 0))) == nil)
  }
}
