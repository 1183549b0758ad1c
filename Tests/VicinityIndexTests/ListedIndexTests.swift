import Testing
import VicinityGeodesy
import VicinityPolygon
import VicinityTestSupport

@testable import VicinityIndex

/// An index in each of its forms holds the regions that were put in and answers as their list does: built,
/// written and opened again, updatable, changed, repacked, and as a snapshot.
@Suite struct ListedIndexTests {
  /// Every form of an index over a list, with what made it.
  static func forms(_ list: ListOracle) throws -> [(name: String, index: any SearchableRegions)] {
    let built = try RegionIndex(RegionSet(list.regions), threads: 1)
    let path = TemporaryFile.path("listed.vicinity")
    defer { TemporaryFile.remove(path) }
    try built.write(to: path)
    let updatable = try UpdatableRegionIndex(list.regions)
    return [
      ("built", built), ("built by three threads", try RegionIndex(RegionSet(list.regions), threads: 3)),
      ("opened", try RegionIndex(contentsOf: path)),
      ("opened by copying", try RegionIndex(contentsOf: path, copying: true)),
      ("from bytes", try RegionIndex(bytes: TemporaryFile.bytes(path))),
      ("updatable", updatable), ("its snapshot", try updatable.snapshot()),
    ]
  }

  @Test func aNeighbourPrintsItsNameAndDistanceAndNotTheIndex() throws {
    let place = Coordinate(latitude: 48.2, longitude: 16.4)
    let region = Region(identifier: "airport", center: place, radius: 500)
    let index = try RegionIndex([region])
    let found = try #require(try index.nearest(1, to: place).first)
    #expect("\(found)" == "airport: -500.0 m")
  }

  @Test(arguments: RegionFamily.allCases)
  func everyFormAnswersAsTheListDoes(_ family: RegionFamily) throws {
    let mixes: [RegionFamily] = [.clustered, .nested, .polar, .antimeridian]
    for (n, share) in [(17, 0.0), (300, 0)] + (mixes.contains(family) ? [(300, 0.15)] : []) {
      let seed = UInt64(600 + n)
      let list = ListOracle(ListedRegion.some(family, n, seed: seed, polygonShare: share))
      if share > 0 { #expect(list.polygonCount > 20, "\(family), seed \(seed)") }
      let scans = family.positions(4, among: list.regions, seed: seed).map { ($0, list.scan($0)) }
      for (name, index) in try Self.forms(list) {
        expectNoFault(try list.contentsFault(of: index), "\(name), \(family), seed \(seed)")
        for (i, (position, scan)) in scans.enumerated() {
          let fault = try list.fault(
            of: index, at: position, scan: scan, judgesBruteForce: i == 0 || share == 0)
          expectNoFault(fault, "\(name), \(family), seed \(seed)")
        }
      }
    }
  }

  /// Four levels of the tree, and leaves of every stratum of radii.
  @Test(arguments: [RegionFamily.uniform, .clustered, .nested])
  func manyRegionsAreAllThere(_ family: RegionFamily) throws {
    let seed: UInt64 = 607
    let list = ListOracle(family.circles(9000, seed: seed))
    for (name, index) in try Self.forms(list) {
      expectNoFault(try list.contentsFault(of: index), "\(name), \(family), seed \(seed)")
    }
    let index = try RegionIndex(list.regions)
    let details = index.details()
    #expect(details.regionCount == 9000 && details.circleCount == 9000 && details.polygonCount == 0)
    for position in family.positions(6, among: list.regions, seed: seed) {
      expectNoFault(try list.fault(of: index, at: position), "\(family), seed \(seed)")
    }
  }

  /// Polygons that come and go until the bytes of those that went are given up, and the others moved
  /// together.
  @Test func polygonsThatHaveMovedAnswerAsTheListDoes() throws {
    let seed: UInt64 = 609
    var random = SplitMix64(seed: seed)
    let center = Coordinate(latitude: -12, longitude: 130)
    func polygon(_ i: Int) throws -> ListedRegion {
      let middle = Geodesic.uncheckedDirect(center, azimuth: 40 * Double(i), distance: 90_000).coordinate
      let ring = PolygonSample.star(middle, count: 400, radii: 5000...50_000, &random)
      return try ListedRegion(identifier: "\(i)", parts: [.init(exterior: ring)])
    }
    var listed = try (0..<8).map(polygon)
    var ordinals = Array(0..<8)
    var index = try UpdatableRegionIndex(listed.map(\.region))
    let byteCount = listed.map {
      if case .polygon(let polygon) = $0.region.shape { polygon.blob.byteCount } else { 0 }
    }
    let atFirst = byteCount.reduce(0, +)
    var most = 0
    for change in 0..<120 {
      let i = (change * 5) % 8
      listed[i] = try polygon(i)
      #expect(try index.replace(listed[i].region) == ordinals[i])
      ordinals[i] = 8 + change
      most = max(most, index.storage.polygons.byteCount)
      guard change % 15 == 14 else { continue }
      index.checkInvariants()
      let order = (0..<8).sorted { ordinals[$0] < ordinals[$1] }
      let list = ListOracle(order.map { listed[$0] }, ordinals: order.map { ordinals[$0] })
      expectNoFault(try list.contentsFault(of: index), "seed \(seed), change \(change)")
      expectNoFault(
        try list.fault(of: index, at: center, counts: [1, 8]), "seed \(seed), change \(change)")
    }
    // Fifteen times as much has come in.
    #expect(most > 1 << 20 && most < 8 * atFirst, "\(most) bytes, at first \(atFirst)")
  }

  /// An index that has grown, shrunk and been built anew by its own rule is none the worse for it.
  @Test(arguments: [RegionFamily.clustered, .dense, .nested, .polar])
  func changedAndRepackedAnswersAsTheListDoes(_ family: RegionFamily) throws {
    let seed: UInt64 = 608
    let listed = ListedRegion.some(family, 600, seed: seed, polygonShare: 0.05)
    var random = SplitMix64(seed: seed)
    var index = try UpdatableRegionIndex(listed.prefix(200).map(\.region))
    var ordinals = Array(0..<200)
    var next = 200
    // Strangers come between the others, and go.
    for region in listed.dropFirst(200) {
      try index.insert(region.named("stranger").region)
      ordinals.append(try index.insert(region.region))
      #expect(try index.remove("stranger") == next)
      next += 2
    }
    func expectAllRight(_ what: String) throws {
      index.checkInvariants()
      let list = ListOracle(listed, ordinals: ordinals)
      let numberedAfresh = ListOracle(listed)
      let snapshot = try index.snapshot()
      expectNoFault(try list.contentsFault(of: index), "\(what), \(family), seed \(seed)")
      expectNoFault(try numberedAfresh.contentsFault(of: snapshot), "\(what), \(family), seed \(seed)")
      for position in family.positions(4, among: list.regions, seed: random.next()) {
        expectNoFault(try list.fault(of: index, at: position), "\(what), \(family), seed \(seed)")
        expectNoFault(
          try numberedAfresh.fault(of: snapshot, at: position), "\(what), \(family), seed \(seed)")
      }
    }
    try expectAllRight("changed")
    let changed = index.storage.tree.leaves.liveCount
    // 1200 changes so far: the 4097th has the tree built anew.
    for _ in 0..<1448 {
      try index.insert(listed[random.below(600)].named("stranger").region)
      try index.remove("stranger")
    }
    try expectAllRight("before repacking")
    #expect(index.storage.tree.leaves.liveCount + 8 >= changed)
    try index.insert(listed[0].named("stranger").region)
    let fresh = try UpdatableRegionIndex(listed.map(\.region) + [listed[0].named("stranger").region])
    #expect(index.storage.tree.leaves.count == fresh.storage.tree.leaves.count)
    #expect(index.storage.tree.leaves.free.isEmpty)
    #expect(index.storage.tree.nodes.liveCount == fresh.storage.tree.nodes.liveCount)
    #expect(try index.remove("stranger") == next + 1448)
    try expectAllRight("repacked")
  }
}
