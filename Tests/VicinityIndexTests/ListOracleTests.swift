import Testing
import VicinityGeodesy
import VicinityPolygon
import VicinityTestSupport

@testable import VicinityIndex

/// The oracle itself: it knows what can be computed otherwise, and notices answers that are wrong.
@Suite struct ListOracleTests {
  private func at(_ latitude: Double, _ longitude: Double) -> Coordinate {
    Coordinate(latitude: latitude, longitude: longitude)
  }

  // MARK: Rings

  /// A square on the equator: its southern edge is an arc of the equator, two others are meridians.
  @Test func knowsASquare() throws {
    let ring = [at(0, 0), at(0, 10), at(10, 10), at(10, 0)]
    let hole = [at(4, 4), at(4, 6), at(6, 6), at(6, 4)]
    // A degree of the meridian from the equator, and a degree of the equator.
    let (north, east) = (110_574.388_6, 111_319.490_8)
    for exterior in [ring, ring.reversed(), ring + [ring[0]], [ring[0]] + ring] {
      let square = try #require(RingOracle(exterior: exterior))
      #expect(abs(square.signedDistance(from: at(1, 5)) + north) < 1e-3)
      #expect(abs(square.signedDistance(from: at(-1, 5)) - north) < 1e-3)
      #expect(abs(square.signedDistance(from: at(0, -1)) - east) < 1e-3)
      #expect(abs(square.signedDistance(from: at(0, 3))) < 1e-7)
      #expect(square.signedDistance(from: at(0, 10)) == 0)
      let corner = PROJ.distance(at(-3, -4), at(0, 0))
      #expect(square.signedDistance(from: at(-3, -4)) == corner)
      // Azimuths to the vertices go around the antipode of the inside, too.
      #expect(square.signedDistance(from: at(-5, -175)) > 18_000_000)
      let holed = try #require(RingOracle(exterior: exterior, holes: [hole]))
      #expect(holed.signedDistance(from: at(5, 5)) > 100_000)
      #expect(abs(holed.signedDistance(from: at(5, 7)) + east * 0.996) < 500)
      #expect(holed.signedDistance(from: at(5, 3)) < 0)
    }
    #expect(RingOracle(exterior: [at(-80, 0), at(0, 120), at(0, -120), at(80, 0)]) == nil)
  }

  /// Distances against places sampled along every edge, sides against the even-odd rule in longitude and
  /// latitude.
  @Test func agreesWithSampling() throws {
    var random = SplitMix64(seed: 501)
    var sides = 0
    for round in 0..<20 {
      let center = at(random.uniform(-60...60), random.uniform(-150...150))
      let size = [300.0, 20_000, 900_000][round % 3]
      let ring = PolygonSample.star(center, count: 9, radii: size * 0.3...size, &random)
      let oracle = try #require(RingOracle(exterior: ring))
      for _ in 0..<12 {
        let position = Geodesic.uncheckedDirect(
          center, azimuth: random.uniform(0...360), distance: random.uniform(0...2.5) * size
        ).coordinate
        let distance = oracle.signedDistance(from: position)
        var (sampled, isInside) = (Double.infinity, false)
        for (a, b) in zip(ring, ring.dropFirst() + ring.prefix(1)) {
          let edge = PROJ.path(a, b)
          let line = PROJ.Line(from: a, azimuth: edge.azimuth1)
          for k in 0...200 {
            sampled = min(
              sampled, PROJ.distance(position, line.place(edge.distance * Double(k) / 200).coordinate))
          }
          if (a.latitude > position.latitude) != (b.latitude > position.latitude),
            position.longitude < a.longitude
              + (position.latitude - a.latitude) / (b.latitude - a.latitude) * (b.longitude - a.longitude)
          {
            isInside.toggle()
          }
        }
        #expect(abs(distance) <= sampled + 1e-7, "seed 501, round \(round), \(position)")
        #expect(abs(distance) >= sampled - 0.01 * size, "seed 501, round \(round), \(position)")
        // The straight lines of a map leave geodesics by less than this.
        guard abs(distance) > size * size / 1e7 else { continue }
        sides += 1
        #expect((distance < 0) == isInside, "seed 501, round \(round), \(position)")
      }
    }
    #expect(sides > 120)
  }

  // MARK: Answers

  /// Every way in which an answer can be wrong.
  @Test func noticesWrongAnswers() throws {
    let seed: UInt64 = 502
    for share in [0, 0.3] {
      let oracle = ListOracle(ListedRegion.some(.clustered, 60, seed: seed, polygonShare: share))
      let index = try RegionIndex(oracle.regions)
      let position = RegionFamily.clustered.positions(6, among: oracle.regions, seed: seed)[5]
      let scan = oracle.scan(position)
      let right = try index.nearest(20, to: position).found
      #expect(scan.fault(in: right, count: 20) == nil)
      func expectFault(_ what: String, _ change: (inout [Neighbor]) -> Void) {
        var wrong = right
        change(&wrong)
        #expect(scan.fault(in: wrong, count: 20) != nil, "\(what), share \(share)")
      }
      expectFault("one is missing at the end") { $0.removeLast() }
      expectFault("one is missing at the start") { $0.removeFirst() }
      expectFault("one is too many") { $0.append($0[0]) }
      expectFault("one is named twice") { $0[3] = $0[4] }
      expectFault("two have changed places") { $0.swapAt(3, 9) }
      expectFault("a stranger") { $0[2].ordinal = 60 }
      expectFault("another's ordinal") { $0[2].ordinal = scan.answers[40].ordinal }
      expectFault("one is nearer than it is") { $0[5].distance -= 0.01 }
      expectFault("a distance is no number") { $0[5].distance = .nan }
      expectFault("no distances") { for i in $0.indices { $0[i].distance = .infinity } }
      expectFault("a wrong centre") { list in
        let i = list.firstIndex { $0.distanceToCenter != nil } ?? 0
        list[i].centerDistance += 1e-5
      }
      expectFault("no centre") { list in
        let i = list.firstIndex { $0.distanceToCenter != nil } ?? 0
        list[i].centerDistance = .nan
      }
      expectFault("one is left out for the next") { list in
        list.remove(at: 10)
        let next = scan.answers[20]
        list.append(
          Neighbor(
            ordinal: next.ordinal, distance: next.distance, centerDistance: next.distanceToCenter ?? .nan))
      }
      let limit = 0.5 * (scan.answers[10].distance + scan.answers[11].distance)
      let within = try index.within(limit, of: position).found
      #expect(within.count == 11 && scan.fault(in: within, within: limit) == nil)
      #expect(scan.fault(in: Array(within.dropLast()), within: limit) != nil)
      #expect(scan.fault(in: Array(right.prefix(12)), within: limit) != nil)
      // With a tolerance distances may be off by what the answer says, and no more.
      #expect(scan.fault(in: right, error: 0, count: 20, tolerance: 0) == nil)
      #expect(scan.fault(in: right, error: 1, count: 20, tolerance: 0.5) != nil)
      #expect(scan.fault(in: right.reversed(), error: 0, count: 20, tolerance: 1e7) != nil)
      #expect(scan.fault(in: Array(right.dropLast()), error: 0, count: 20, tolerance: 1e7) != nil)
      let shifted = right.map { neighbor in
        var neighbor = neighbor
        neighbor.distance += 5
        neighbor.centerDistance += 5
        return neighbor
      }
      #expect(scan.fault(in: shifted, error: 5, count: 20, tolerance: 10) == nil)
      #expect(scan.fault(in: shifted, error: 4, count: 20, tolerance: 10) != nil)
      let others = scan.answers[20..<40].map {
        Neighbor(ordinal: $0.ordinal, distance: $0.distance, centerDistance: $0.distanceToCenter ?? .nan)
      }
      #expect(scan.fault(in: others, error: 0, count: 20, tolerance: 4e7) == nil)
      #expect(scan.fault(in: others, error: 0, count: 20, tolerance: 0) != nil)
      var gap = right
      gap[0] = others[0]
      gap.sort { $0.distance < $1.distance }
      let reach = others[0].distance - scan.answers[0].distance
      #expect(scan.fault(in: gap, error: 0, count: 20, tolerance: 0.9 * reach) != nil)
      var far = right
      far[7].distance = .nan
      #expect(scan.fault(in: far, error: 0, count: 20, tolerance: 1e7) != nil)
      // Sets.
      let set = right.map(\.ordinal)
      #expect(scan.fault(inSet: set.reversed(), count: 20) == nil)
      #expect(scan.fault(inSet: set.dropLast() + [scan.answers[30].ordinal], count: 20) != nil)
      #expect(scan.fault(inSet: set.dropLast() + set.prefix(1), count: 20) != nil)
      #expect(scan.fault(inSet: set.dropLast(), count: 20) != nil)
    }
  }

  /// An index over all regions but one is found out from its contents, and by queries where the region
  /// matters.
  @Test func noticesARegionThatIsMissing() throws {
    let seed: UInt64 = 503
    let oracle = ListOracle(ListedRegion.some(.dense, 200, seed: seed, polygonShare: 0.2))
    let last = try #require(oracle.listed.last)
    let here = RegionFamily.dense.positions(6, among: oracle.regions, seed: seed)[5]
    for missing in [0, 57, 199] {
      var regions = oracle.regions
      regions.remove(at: missing)
      let packed = try RegionIndex(regions)
      #expect(try oracle.contentsFault(of: packed) != nil)
      #expect(try oracle.fault(of: packed, at: here) != nil)
      var updatable = try UpdatableRegionIndex(oracle.regions)
      #expect(try updatable.remove(oracle.regions[missing].identifier) == missing)
      #expect(try oracle.contentsFault(of: updatable) != nil)
      #expect(try oracle.fault(of: updatable, at: here) != nil)
    }
    // One too many, and one in another's place.
    var updatable = try UpdatableRegionIndex(oracle.regions)
    try updatable.insert(Region(identifier: "stranger", center: here, radius: 1))
    #expect(try oracle.contentsFault(of: updatable) != nil)
    #expect(try oracle.fault(of: updatable, at: here) != nil)
    #expect(try updatable.remove("stranger") == 200)
    #expect(try oracle.contentsFault(of: updatable) == nil)
    try updatable.replace(last.region)
    #expect(try oracle.contentsFault(of: updatable) != nil)
  }

  /// A leaf that the tree has lost: the search and the product's own scan agree, and only the list knows
  /// better.
  @Test func noticesALeafThatBruteForceCannot() throws {
    let seed: UInt64 = 504
    let oracle = ListOracle(RegionFamily.dense.circles(400, seed: seed))
    let index = try UpdatableRegionIndex(oracle.regions)
    #expect(try oracle.contentsFault(of: index) == nil)
    // The last lane that leads to a leaf.
    let lanes = (0..<index.storage.tree.nodes.count * TreeLayout.width).filter { i in
      let child = index.storage.tree.child(i / TreeLayout.width, i % TreeLayout.width)
      return child != TreeLayout.absent && child & TreeLayout.leafFlag != 0
    }
    let last = try #require(lanes.last)
    let block =
      unsafe index.storage.tree.nodes.base
      + (TreeLayout.nodeSize * (last / TreeLayout.width) + 4 * (last % TreeLayout.width))
    unsafe block.storeBytes(of: TreeLayout.absent, toByteOffset: TreeLayout.child, as: UInt32.self)
    for row in [TreeLayout.centerX, TreeLayout.centerY, TreeLayout.centerZ] {
      unsafe block.storeBytes(of: TreeLayout.farAway, toByteOffset: row, as: Float.self)
    }
    var noticed = 0
    let positions = RegionFamily.dense.positions(20, among: oracle.regions, seed: seed)
    for position in positions {
      let found = try index.nearest(400, to: position)
      let brute = try index.nearest(400, to: position, options: QueryOptions(usesBruteForce: true))
      #expect(found.map(\.ordinal) == brute.map(\.ordinal))
      #expect(found.count < 400 && index.count == 400)
      if try oracle.fault(of: index, at: position) != nil { noticed += 1 }
    }
    #expect(noticed == positions.count)
    #expect(try oracle.contentsFault(of: index) != nil)
  }
}
