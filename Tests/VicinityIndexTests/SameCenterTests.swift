import Testing
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityIndex

/// Many circles around one centre, which are ordered by their radii and ordinals without being measured one
/// by one: against the list, in both kinds of index.
@Suite struct SameCenterTests {
  enum Radii: CaseIterable {
    /// All the same.
    case one
    /// A few.
    case few
    /// All different, within a metre.
    case within
    /// So close that distances from afar are equal to the last bit, and ordinals decide.
    case rounded
    /// From nothing to more than the Earth.
    case all

    func radius(_ random: inout SplitMix64) -> Meters {
      switch self {
      case .one: 100
      case .few: 100 + 0.125 * Double(random.below(4))
      case .within: 100 + random.unit()
      case .rounded: 100 + 1e-13 * Double(random.below(30_000))
      case .all: random.below(20) == 0 ? 1e30 : random.logUniform(1e-3...1e8)
      }
    }
  }

  static let place = Coordinate(latitude: 48.2, longitude: 16.3)

  /// Circles around one place, and four in ten around others.
  static func regions(_ radii: Radii, _ count: Int, _ random: inout SplitMix64) -> [Region] {
    let others = [
      Coordinate(latitude: 48.2, longitude: 16.3 + 1e-12), Coordinate(latitude: 48.2, longitude: 16.3 + 3e-5),
      Coordinate(latitude: 48.2, longitude: 16.3 - 3e-5), Coordinate(latitude: -1, longitude: -180),
    ]
    return (0..<count).map { i in
      Region(
        identifier: "r\(i)", center: random.below(10) < 4 ? others[random.below(4)] : place,
        radius: radii.radius(&random))
    }
  }

  static let distances: [Meters] = [0, 1e-6, 99, 100.5, 5000, 1e6, 5e6, 1.9e7]

  private func expectAgreement(
    _ index: some SearchableRegions, _ regions: [Region], _ counts: [Int], _ context: String
  ) throws {
    let ordinals = try regions.map { try #require(index.ordinal(of: $0.identifier)) }
    let oracle = ListOracle(regions.map { ListedRegion($0) }, ordinals: ordinals)
    // From the east and from the west one of the other centres is a little nearer.
    for distance in Self.distances + [-1e6, -5e6] {
      let position = Geodesic.uncheckedDirect(Self.place, azimuth: 91, distance: distance).coordinate
      let scan = oracle.scan(position)
      for count in counts {
        let fault = scan.fault(in: try index.nearest(count, to: position).found, count: count)
        expectNoFault(fault, "\(context), \(count) from \(distance) m")
      }
      for limit in [scan.answers[3].distance, scan.answers[3].distance.nextDown] {
        let options = QueryOptions(maximumDistance: limit)
        let fault = scan.fault(
          in: try index.nearest(50, to: position, options: options).found, count: 50, within: limit)
        expectNoFault(fault, "\(context), within \(limit) m from \(distance) m")
      }
      for tolerance: Meters in [10, 1000] {
        let answer = try index.nearest(20, to: position, options: QueryOptions(tolerance: tolerance))
        let fault = scan.fault(
          in: answer.found, error: answer.distanceError, count: 20, tolerance: tolerance)
        expectNoFault(fault, "\(context), tolerance \(tolerance) from \(distance) m")
      }
    }
  }

  @Test(arguments: Radii.allCases)
  func agreesWithTheList(_ radii: Radii) throws {
    var random = SplitMix64(seed: 92)
    let regions = Self.regions(radii, 5000, &random)
    let counts = [1, 20, 33, 300, 1500]
    let packed = try RegionIndex(regions)
    try packed.verify(contents: true)
    try expectAgreement(packed, regions, counts, "\(radii), packed")
    let updatable = try UpdatableRegionIndex(regions)
    updatable.checkInvariants()
    try expectAgreement(updatable, regions, counts, "\(radii), updatable")
  }

  /// An index that has grown one by one, from which some were taken, and which then got other centres too.
  @Test(arguments: Radii.allCases)
  func agreesAfterChanges(_ radii: Radii) throws {
    var random = SplitMix64(seed: 93)
    var index = try UpdatableRegionIndex()
    var live: [Region] = []
    for (i, region) in Self.regions(radii, 3000, &random).enumerated() {
      guard case .circle(let any, let radius) = region.shape else { continue }
      // At first nothing but the one centre.
      let center = i < 1500 ? Self.place : any
      let region = Region(identifier: region.identifier, center: center, radius: radius)
      _ = try index.insert(region)
      live.append(region)
      if random.below(3) == 0 {
        let k = random.below(live.count)
        _ = try index.remove(live[k].identifier)
        live.remove(at: k)
      } else if random.below(5) == 0 {
        let k = random.below(live.count)
        let other = Region(
          identifier: live[k].identifier, center: random.below(2) == 0 ? Self.place : center,
          radius: radii.radius(&random))
        _ = try index.replace(other)
        live[k] = other
      }
      guard [600, 1499, 1600, 2999].contains(i) else { continue }
      index.checkInvariants()
      try expectAgreement(index, live, [1, 20, 300], "\(radii), \(i)")
    }
  }

  /// Of a hundred thousand circles around one centre, few are looked at, in either kind of index, wherever
  /// the position; where distances are equal to the last bit, those that have the last of them.
  @Test(arguments: Radii.allCases)
  func fewAreLookedAt(_ radii: Radii) throws {
    var random = SplitMix64(seed: 94)
    let regions = (0..<100_000).map { i in
      Region(identifier: "r\(i)", center: Self.place, radius: radii.radius(&random))
    }
    let packed = try RegionIndex(regions)
    let updatable = try UpdatableRegionIndex(regions)
    var scratch = QueryScratch()
    var found: [Neighbor] = []
    // With a limit no query is answered by the one before.
    let options = QueryOptions(maximumDistance: 3e7)
    func leafCount() -> Int { scratch.visitCount + scratch.sames.reduce(0) { $0 + $1.leafCount } }
    for distance in Self.distances {
      let position = Geodesic.uncheckedDirect(Self.place, azimuth: 20, distance: distance).coordinate
      let toCenter = Geodesic.uncheckedDistance(position, Self.place)
      for count in [1, 20] {
        try packed.nearest(count, to: position, options: options, scratch: &scratch, into: &found)
        let last = try #require(found.last?.distance)
        var ties = Set<Double>()
        var tied = 0
        for case .circle(_, let radius) in regions.map(\.shape) where toCenter - radius == last {
          ties.insert(radius)
          tied += 1
        }
        let most = 24 + (ties.count > 1 ? tied / 8 : 0)
        #expect(found.count == count && leafCount() <= most, "packed, \(count) from \(distance) m")
        try updatable.nearest(count, to: position, options: options, scratch: &scratch, into: &found)
        #expect(
          found.count == count && leafCount() <= max(most, radii == .rounded ? 400 : 0),
          "updatable, \(count) from \(distance) m")
      }
    }
  }

  /// Only an index that changes may have circles around one centre in any order.
  @Test func aCenterIsNotSaidInAFile() throws {
    let bytes = try IndexSample.bytes(circles: 600, polygons: 300)
    let index = try RegionIndex(bytes: bytes)
    let nodes = Int(IndexBytes.word(bytes, 256))
    var changes = 0
    for i in 0..<index.tree.view.nodeCount * 16
    where index.tree.view.child(i / 16, i % 16) != TreeLayout.absent {
      var changed = bytes
      changed[nodes + i / 16 * 512 + TreeLayout.child + i % 16 * 4 + 3] |= 0x20
      IndexBytes.reseal(&changed)
      changes += 1
      #expect(throws: IndexFormatError.self) { try RegionIndex(bytes: changed) }
    }
    #expect(changes > 20)
  }

  /// A file in which circles around one centre are out of order is damaged: the same ones by their ordinals,
  /// others by their radii.
  @Test(arguments: [true, false])
  func aFalseOrderIsFound(isSame: Bool) throws {
    let regions = (0..<6000).map { i in
      Region(identifier: "\(i)", center: Self.place, radius: isSame ? 100 : 100 + 0.125 * Double(i % 7))
    }
    let bytes = try IndexSample.bytes(RegionIndex(regions))
    let index = try RegionIndex(bytes: bytes)
    try index.verify(contents: true)
    let view = index.tree.view
    let (leaves, positions) = (Int(IndexBytes.word(bytes, 256 + 32)), Int(IndexBytes.word(bytes, 256 + 64)))
    var changes = 0
    for leaf in 0..<view.leafCount {
      let lanes = (0..<TreeLayout.width - 1).filter { lane in
        let (a, b) = (view.record(leaf, lane), view.record(leaf, lane + 1))
        return b.ordinal < view.ordinalLimit && (a.radius == b.radius) == isSame
      }
      guard let lane = lanes.first, leaf % 5 == 0 || !isSame else { continue }
      // Two regions change places, and nothing else is wrong.
      var changed = bytes
      func swap(_ a: Int, _ b: Int, _ count: Int) { for i in 0..<count { changed.swapAt(a + i, b + i) } }
      let base = leaves + leaf * TreeLayout.leafSize
      let record = base + TreeLayout.recordOffset + lane * TreeLayout.recordSize
      swap(record, record + TreeLayout.recordSize, TreeLayout.recordSize)
      for row in [TreeLayout.leafOrdinals, TreeLayout.leafReach] {
        swap(base + row + 4 * lane, base + row + 4 * (lane + 1), 4)
      }
      let (first, second) = (view.record(leaf, lane), view.record(leaf, lane + 1))
      swap(positions + 4 * Int(first.ordinal), positions + 4 * Int(second.ordinal), 4)
      IndexBytes.reseal(&changed)
      let lying = try RegionIndex(bytes: changed)
      do throws(IndexFormatError) {
        try lying.verify(contents: true)
        Issue.record("leaf \(leaf), lane \(lane): not found")
      } catch {
        #expect("\(error)".contains("around one centre in order"))
      }
      try IndexExercise.run(lying)
      changes += 1
    }
    #expect(changes > 4)
  }
}
