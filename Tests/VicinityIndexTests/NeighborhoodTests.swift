import CPortableKernels
import CVicinityKernels
import Testing
import VicinityGeodesy
import VicinityPolygon
import VicinityTestSupport

@testable import VicinityCrossings
@testable import VicinityIndex

/// What a neighbourhood promises about boundaries, against a scan of the list of regions.
@Suite struct NeighborhoodTests {
  @Test func kernelsAgreeWithTheirPortableTwins() {
    var random = SplitMix64(seed: 41)
    for round in 0..<5000 {
      let block = KernelTests.block(4, &random).enumerated().map {
        $0.offset < 48 ? $0.element : abs($0.element)
      }
      let q = (0..<3).map { _ in Float(random.uniform(-1e5...1e5)) }
      let threshold = Float(random.logUniform(1e-3...1e5))
      for isNear in [false, true] {
        var a = Float.greatestFiniteMagnitude
        var b = a
        let (mask, twin) =
          isNear
          ? unsafe (
            vk_near_boundary_bounds(block, 4, q[0], q[1], q[2], 1, threshold, &a),
            portable.near_boundary_bounds(block, 4, q[0], q[1], q[2], 1, threshold, &b)
          )
          : unsafe (
            vk_boundary_bounds(block, 4, q[0], q[1], q[2], 1, threshold, &a),
            portable.boundary_bounds(block, 4, q[0], q[1], q[2], 1, threshold, &b)
          )
        #expect(mask == twin && a == b, "round \(round)")
        #expect(a >= threshold)
      }
    }
  }

  @Test("A leaf's lanes are gathered in order, shifted, into blocks of sixteen")
  func lanesAreGathered() {
    var random = SplitMix64(seed: 42)
    let records = [UInt8](repeating: 0, count: 16 * 48)
    for round in 0..<500 {
      let leaf = KernelTests.block(4, &random)
      let shift = (0..<3).map { _ in Float(random.uniform(-1e4...1e4)) }
      let mask = UInt32(truncatingIfNeeded: random.next() & 0xffff)
      let start = random.below(33)
      var blocks = [Float](repeating: -1, count: 4 * 64)
      var list = unsafe [UnsafeRawPointer?](repeating: nil, count: 64)
      var largest: Float = 100
      unsafe records.withUnsafeBytes { bytes in
        let base = bytes.baseAddress
        let count = unsafe vk_gather(
          leaf, base, 48, shift[0], shift[1], shift[2], mask, Int32(start), &blocks, &list, &largest)
        #expect(Int(count) == start + mask.nonzeroBitCount, "round \(round)")
        var k = start
        for lane in 0..<16 where mask >> UInt32(lane) & 1 != 0 {
          for row in 0..<4 {
            #expect(
              blocks[64 * (k / 16) + 16 * row + k % 16] == leaf[16 * row + lane] - (row < 3 ? shift[row] : 0))
          }
          #expect(unsafe list[k] == base.map { unsafe $0 + 48 * lane })
          k += 1
        }
      }
      let radii = (0..<16).filter { mask >> UInt32($0) & 1 != 0 }.map { leaf[48 + $0] }
      #expect(largest == radii.reduce(100, max))
      // Nothing else is written.
      #expect(blocks.count { $0 != -1 } <= 4 * mask.nonzeroBitCount)
      let listed = unsafe list.count { unsafe $0 != nil }
      #expect(listed == mask.nonzeroBitCount)
    }
  }

  @Test(arguments: RegionFamily.allCases)
  func boundsHold(_ family: RegionFamily) throws {
    let seed: UInt64 = 4100
    let regions = family.circles(600, seed: seed)
    let oracle = ListOracle(regions)
    let index = try RegionIndex(regions)
    var random = SplitMix64(seed: seed)
    var neighborhood = Neighborhood()
    var found: [NearbyCircle] = []
    var looks = 0
    for anchor in family.positions(25, among: regions, seed: seed) {
      let limit = random.logUniform(10...Neighborhood.largestLimit)
      neighborhood.gather(index.tree.view, around: anchor, ECEF(unchecked: anchor), limit: limit)
      for _ in 0..<6 {
        let place = Geodesic.uncheckedDirect(
          anchor, azimuth: random.uniform(0...360), distance: random.uniform(0...1.05) * limit
        ).coordinate
        let reach = random.logUniform(0.01...limit)
        guard let bound = neighborhood.findCircles(within: reach, of: ECEF(unchecked: place), into: &found)
        else {
          let apart = Geodesic.uncheckedDistance(anchor, place)
          #expect(apart + reach > limit * 0.97 - 1)
          continue
        }
        #expect(bound >= reach)
        looks += 1
        let near = Set((0..<found.count).map { Int(found[$0].ordinal) })
        #expect(near.count == found.count && near.isSubset(of: regions.indices))
        for answer in oracle.scan(place).answers where !near.contains(answer.ordinal) {
          #expect(
            abs(answer.distance) >= bound, "\(family), seed \(seed), \(answer), anchor \(anchor), \(place)")
        }
      }
    }
    #expect(looks > 75, "\(family), seed \(seed)")
  }

  @Test func polygonsAreListed() throws {
    var random = SplitMix64(seed: 42)
    let center = Coordinate(latitude: 48.2, longitude: 16.37)
    let oracle = ListOracle(
      try (0..<60).map { i in
        let middle = Geodesic.uncheckedDirect(
          center, azimuth: random.uniform(0...360), distance: random.uniform(0...40_000)
        ).coordinate
        let ring = PolygonSample.star(middle, count: 12, radii: 500...9000, &random)
        return try ListedRegion(identifier: "\(i)", parts: [.init(exterior: ring)])
      })
    let index = try RegionIndex(oracle.regions)
    var (inside, outside) = (0, 0)
    var neighborhood = Neighborhood()
    for _ in 0..<40 {
      let anchor = Geodesic.uncheckedDirect(
        center, azimuth: random.uniform(0...360), distance: random.uniform(0...40_000)
      ).coordinate
      let limit = random.uniform(50...8000)
      neighborhood.gather(index.tree.view, around: anchor, ECEF(unchecked: anchor), limit: limit)
      let listed = Set((0..<neighborhood.polygonCount).map { Int(neighborhood[polygon: $0].ordinal) })
      #expect(listed.count == neighborhood.polygonCount)
      for answer in oracle.scan(anchor).answers {
        if abs(answer.distance) < limit - 1e-3 {
          inside += 1
          #expect(listed.contains(answer.ordinal))
        } else if abs(answer.distance) > limit + 0.01 {
          outside += 1
          #expect(!listed.contains(answer.ordinal))
        }
      }
    }
    #expect(inside > 100 && outside > 100)
  }
}
