import Foundation
import Testing
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityIndex

/// Regions that come and go, against a dictionary that does the same, the scan, and a fresh index.
@Suite struct UpdatableRegionIndexTests {
  @Test(arguments: RegionFamily.allCases)
  func scriptsOfCirclesAgree(_ family: RegionFamily) throws {
    for (i, size) in [0, 1, 16, 17, 300, 1100].enumerated() {
      var script = try UpdateScript(
        family, seed: UInt64(2000 + i), pool: 1200, initial: size, polygonShare: 0)
      try script.run(phases: [(200, 0.5), (900, 0.9), (700, 0.1)], checkEvery: 450)
    }
  }

  @Test(arguments: RegionFamily.allCases)
  func scriptsWithPolygonsAgree(_ family: RegionFamily) throws {
    for (i, size) in [0, 200].enumerated() {
      var script = try UpdateScript(
        family, seed: UInt64(2100 + i), pool: 250, initial: size, polygonShare: 0.2)
      try script.run(phases: [(300, 0.8), (500, 0.4), (300, 0.9)], checkEvery: 500)
    }
  }

  /// Long enough for the tree to be built anew several times, to empty, and to fill again.
  @Test func rebuildsAgree() throws {
    for family in [RegionFamily.clustered, .nested, .duplicate, .polar] {
      var script = try UpdateScript(
        family, seed: 2200, pool: 1200, initial: 900, polygonShare: 0.02)
      try script.run(
        phases: [(6000, 0.5), (6000, 0.1), (6000, 0.8)], checkEvery: 3000)
    }
  }

  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["VICINITY_LONG_TESTS"] != nil,
      "a soak of some minutes: set VICINITY_LONG_TESTS=1"),
    arguments: RegionFamily.allCases)
  func soak(_ family: RegionFamily) throws {
    for seed in UInt64(1)...2 {
      var script = try UpdateScript(
        family, seed: 2300 + seed, pool: 12_000, initial: 5000, polygonShare: seed % 2 == 0 ? 0.05 : 0)
      try script.run(
        phases: [(40_000, 0.5), (40_000, 0.2), (60_000, 0.8), (40_000, 0.05), (20_000, 0.9)],
        checkEvery: 20_000)
    }
  }

  @Test func emptiesAndFillsAgain() throws {
    let regions = RegionFamily.clustered.circles(700, seed: 11)
    var random = SplitMix64(seed: 12)
    var index = try UpdatableRegionIndex()
    #expect(index.isEmpty)
    let here = Coordinate(latitude: 0, longitude: 0)
    #expect(try index.nearest(3, to: here).isEmpty)
    #expect(try index.nearest(3, to: here, options: QueryOptions(usesBruteForce: true)).isEmpty)
    for round in 0..<3 {
      for (i, region) in regions.enumerated() {
        #expect(try index.insert(region) == round * regions.count + i)
      }
      #expect(index.count == regions.count)
      index.checkInvariants()
      for region in regions.shuffled(using: &random) {
        #expect(try index.remove(region.identifier) != nil)
      }
      #expect(index.isEmpty)
      #expect(try index.within(.infinity, of: here).isEmpty)
      index.checkInvariants()
    }
  }

  /// Many at once, as one at a time: into an empty index, which is built, and into one that is not; all or
  /// none.
  @Test(arguments: [40, 700]) func insertsManyAtOnce(_ count: Int) throws {
    let regions = RegionFamily.clustered.circles(2 * count, seed: 13)
    var index = try UpdatableRegionIndex()
    var other = try UpdatableRegionIndex()
    for part in [regions[..<count], regions[count...]] {
      let first = part.startIndex
      let ordinals = try index.insert(contentsOf: part)
      #expect(ordinals == first..<first + count)
      for region in part { try other.insert(region) }
      index.checkInvariants()
    }
    for position in RegionFamily.clustered.positions(50, among: regions, seed: 14) {
      let (found, expected) = (try index.nearest(20, to: position), try other.nearest(20, to: position))
      #expect(found.map(\.ordinal) == expected.map(\.ordinal), "\(position)")
      for (a, b) in zip(found, expected) { #expect(abs(a.distance - b.distance) < 1e-6, "\(position)") }
    }
    // The last region's identifier is there already.
    let twice =
      regions[..<count].map { Region(identifier: "new " + $0.identifier, shape: $0.shape) } + [regions[0]]
    #expect(throws: RegionError.self) { try index.insert(contentsOf: twice) }
    #expect(index.count == 2 * count && index.ordinal(of: twice[0].identifier) == nil)
    for region in regions { try index.remove(region.identifier) }
    let next = Int(try index.insert(regions[0]))
    try index.remove(regions[0].identifier)
    // Ordinals go on, also where the tree is built anew.
    let ordinals = try index.insert(contentsOf: regions)
    #expect(ordinals == next + 1..<next + 1 + 2 * count)
    #expect(index.identifier(of: next + 1) == regions[0].identifier)
    for region in regions { try index.remove(region.identifier) }
    #expect(throws: RegionError.self) { try index.insert(contentsOf: regions + [regions[0]]) }
    #expect(index.isEmpty)
    index.checkInvariants()
  }

  @Test func copiesAreIndependent() throws {
    let regions = RegionFamily.uniform.circles(500, seed: 13)
    let original = try UpdatableRegionIndex(regions)
    var changed = original
    let here = Coordinate(latitude: 10, longitude: 20)
    let before = try original.nearest(500, to: here)
    for region in regions.prefix(250) { try changed.remove(region.identifier) }
    for i in 0..<300 {
      try changed.insert(Region(identifier: "new-\(i)", center: here, radius: Double(i)))
    }
    #expect(try original.nearest(500, to: here) == before)
    #expect(original.count == 500)
    #expect(original.ordinal(of: "new-0") == nil)
    #expect(changed.count == 550)
    original.checkInvariants()
    changed.checkInvariants()
    var again = changed
    try again.replace(Region(identifier: "new-0", center: here, radius: 9000))
    #expect(changed.region(for: "new-0")?.shape == .circle(center: here, radius: 0))
  }

  /// Queries of one copy while another changes.
  @Test func copiesMayBeReadMeanwhile() async throws {
    let regions = RegionFamily.clustered.circles(3000, seed: 14)
    let index = try UpdatableRegionIndex(regions)
    let positions = RegionFamily.clustered.positions(200, among: regions, seed: 14)
    let expected = try positions.map { try index.nearest(10, to: $0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          for (position, answer) in zip(positions, expected) {
            let found = try index.nearest(10, to: position)
            #expect(found == answer)
          }
        }
      }
      group.addTask {
        var copy = index
        for region in regions.prefix(2000) { try copy.remove(region.identifier) }
        #expect(copy.count == 1000)
      }
      try await group.waitForAll()
    }
  }

  @Test func snapshotsNumberAfresh() throws {
    let regions = RegionFamily.gridded.circles(100, seed: 15)
    var index = try UpdatableRegionIndex(regions)
    for i in stride(from: 0, to: 100, by: 2) { try index.remove(regions[i].identifier) }
    try index.replace(regions[1])
    let snapshot = try index.snapshot()
    #expect(snapshot.count == 50)
    #expect(snapshot.identifier(of: 0) == regions[3].identifier)
    #expect(snapshot.identifier(of: 49) == regions[1].identifier)
    #expect(index.ordinal(of: regions[1].identifier) == 100)
    #expect(index.region(at: 1) == nil)
    #expect(index.identifier(of: 100) == regions[1].identifier)
  }

  @Test func refusesNonsense() throws {
    let here = Coordinate(latitude: 1, longitude: 2)
    var index = try UpdatableRegionIndex([Region(identifier: "a", center: here, radius: 1)])
    #expect(throws: RegionError.duplicateIdentifier("a", first: 0, second: 1)) {
      try index.insert(Region(identifier: "a", center: here, radius: 2))
    }
    #expect(throws: RegionError.invalidRadius(identifier: "b", -1)) {
      try index.insert(Region(identifier: "b", center: here, radius: -1))
    }
    #expect(throws: RegionError.invalidRadius(identifier: "a", .infinity)) {
      try index.replace(Region(identifier: "a", center: here, radius: .infinity))
    }
    let beyond = Coordinate(latitude: 91, longitude: 0)
    #expect(throws: RegionError.invalidCenter(identifier: "a", beyond)) {
      try index.replace(Region(identifier: "a", center: beyond, radius: 1))
    }
    #expect(try index.remove("b") == nil)
    #expect(index.count == 1)
    #expect(index.region(for: "a")?.shape == .circle(center: here, radius: 1))
    #expect(throws: QueryError.invalidCoordinate(beyond)) { try index.nearest(1, to: beyond) }
    #expect(throws: QueryError.invalidCount(-1)) { try index.nearest(-1, to: here) }
    #expect(throws: QueryError.self) { try index.within(.nan, of: here) }
    #expect(throws: RegionError.duplicateIdentifier("x", first: 0, second: 2)) {
      try UpdatableRegionIndex([
        Region(identifier: "x", center: here, radius: 1), Region(identifier: "y", center: here, radius: 1),
        Region(identifier: "x", center: here, radius: 2),
      ])
    }
    index.checkInvariants()
  }

  @Test func ordinalsRunOut() throws {
    let here = Coordinate(latitude: 1, longitude: 2)
    var set = RegionSet()
    try set.append(Region(identifier: "a", center: here, radius: 1))
    var index = try UpdatableRegionIndex(set, threads: 1, firstOrdinal: 0xffff_fffd)
    #expect(try index.insert(Region(identifier: "b", center: here, radius: 1)) == 0xffff_fffe)
    let exhausted = RegionError.ordinalsExhausted(maximum: 0xffff_fffe)
    #expect(throws: exhausted) { try index.insert(Region(identifier: "c", center: here, radius: 1)) }
    #expect(throws: exhausted) { try index.replace(Region(identifier: "a", center: here, radius: 5)) }
    #expect(try index.nearest(5, to: here).map(\.ordinal) == [0xffff_fffd, 0xffff_fffe])
    #expect(try index.remove("a") == 0xffff_fffd)
    #expect(try index.snapshot().count == 1)
    index.checkInvariants()
    #expect(throws: exhausted) { try UpdatableRegionIndex(set, threads: 1, firstOrdinal: .max) }
  }

  @Test func hugeRadiiAreOrdinary() throws {
    var random = SplitMix64(seed: 16)
    let radii = [0, 1e-9, 1, 1e7, 4e7, 1e12, 1e30, 1e38, 1e200, .greatestFiniteMagnitude]
    var index = try UpdatableRegionIndex()
    let regions = (0..<900).map { i in
      let center = Coordinate(
        latitude: random.uniform(-90...90), longitude: random.uniform(-180...180))
      return Region(identifier: "\(i)", center: center, radius: radii[i % radii.count])
    }
    for region in regions { try index.insert(region) }
    index.checkInvariants()
    let oracle = ListOracle(regions)
    expectNoFault(try oracle.contentsFault(of: index))
    for position in RegionFamily.uniform.positions(30, among: [], seed: 16) {
      expectNoFault(try oracle.fault(of: index, at: position, counts: [1, 20, 400, 900]), "seed 16")
    }
  }

  /// Identifiers of every length, and enough dead text and dead ordinals to be dropped.
  @Test func identifiersLeadBack() throws {
    var random = SplitMix64(seed: 17)
    var index = try UpdatableRegionIndex()
    var ordinals: [String: Int] = [:]
    let here = Coordinate(latitude: -33, longitude: 151)
    for i in 0..<20_000 {
      let identifier = String(repeating: "é", count: i % 40) + "\(i)"
      ordinals[identifier] = try index.insert(
        Region(identifier: identifier, center: here, radius: Double(i)))
      if ordinals.count > 600, let gone = ordinals.keys.randomElement(using: &random) {
        #expect(try index.remove(gone) == ordinals.removeValue(forKey: gone))
      }
    }
    index.checkInvariants()
    #expect(index.count == ordinals.count)
    for (identifier, ordinal) in ordinals {
      #expect(index.ordinal(of: identifier) == ordinal)
      #expect(index.identifier(of: ordinal) == identifier)
    }
    #expect(index.identifier(of: -1) == nil)
    #expect(index.identifier(of: .max) == nil)
    #expect(index.ordinal(of: "") == nil)
  }
}
