import CPortableKernels
import CVicinityKernels
import Testing
import VicinityGeodesy
import VicinityPolygon
import VicinityTestSupport

@testable import VicinityIndex

/// The vector kernels against their portable twins, and the list of best bounds against sorting.
@Suite struct KernelTests {
  /// A block of numbers such as a leaf or node holds.
  static func block(_ rows: Int, _ random: inout SplitMix64) -> [Float] {
    (0..<rows * 16).map { i in
      if random.unit() < 0.05 { return i < rows * 16 - 16 ? 1e9 : 0 }
      return Float(random.uniform(-1e5...1e5))
    }
  }

  /// The bounds by the chord alone, and the same parted, against their twins and each other.
  private func expectNearBoundsAgree(_ leaf: [Float], _ q: [Float], _ pivot: Float) throws {
    var lower = [Float](repeating: 0, count: 16)
    var other = lower
    let mask = unsafe vk_near_bounds(leaf, q[0], q[1], q[2], 1, pivot, &lower)
    #expect(unsafe mask == portable.near_bounds(leaf, q[0], q[1], q[2], 1, pivot, &other))
    #expect(lower.map(\.bitPattern) == other.map(\.bitPattern))
    for lane in 0..<16 {
      let d = (0..<3).map { Double(q[$0]) - Double(leaf[16 * $0 + lane]) }
      let chord = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).squareRoot()
      let exact = chord - Double(leaf[48 + lane]) - 1
      #expect(Double(lower[lane]) <= exact + 1e-6 * (chord + abs(exact)))
      #expect(Double(lower[lane]) >= exact - 6e-6 * (chord + abs(exact)))
      #expect((mask >> UInt32(lane) & 1 != 0) == (lower[lane] < pivot))
    }
    for isPortable in [false, true] {
      var parted = [Float](repeating: 0, count: 16)
      var inside = -Float.greatestFiniteMagnitude
      var outside: Float = 1e30
      let members =
        unsafe isPortable
        ? portable.partition_near(leaf, q[0], q[1], q[2], 1, pivot, &parted, &inside, &outside)
        : vk_partition_near(leaf, q[0], q[1], q[2], 1, pivot, &parted, &inside, &outside)
      #expect(members == mask)
      #expect(parted == lower)
      let split = (0..<16).map { mask >> UInt32($0) & 1 != 0 }
      #expect(inside == (0..<16).filter { split[$0] }.map { lower[$0] }.max() ?? -.greatestFiniteMagnitude)
      #expect(outside == min(1e30, (0..<16).filter { !split[$0] }.map { lower[$0] }.min() ?? 1e30))
    }
  }

  @Test func networksSort() {
    var random = SplitMix64(seed: 33)
    for round in 0..<3000 {
      // Few different values make many equal ones.
      let values = (0..<32).map { _ in
        round % 2 == 0 ? Float(random.below(5)) : Float(random.uniform(-1e8...1e8))
      }
      var list = values
      var twin = values
      unsafe vk_sort32(&list)
      unsafe portable.sort32(&twin)
      #expect(list == values.sorted() && twin == list)
      var half = Array(values.prefix(16))
      var halfTwin = half
      unsafe vk_sort16_at(&half)
      unsafe portable.sort16(&halfTwin)
      #expect(half == values.prefix(16).sorted() && halfTwin == half)
    }
  }

  @Test(arguments: [1, 2, 3, 15, 16, 17, 20, 21, 31, 32])
  func nearDistancesFollowTheSeries(_ count: Int) {
    var random = SplitMix64(seed: 34 + UInt64(count))
    var series = KernelConstants.chordSeries
    for round in 0..<300 {
      let scale = random.logUniform(1e-3...5e4)
      var batch = vk_batch()
      var expected: [Double] = []
      let z2 = 2 * random.uniform(-6.3e6...6.3e6)
      let hasFar = round % 10 == 0
      unsafe withUnsafeMutablePointer(to: &batch) { pointer in
        let columns = unsafe BatchColumns(pointer)
        // What an earlier query left behind.
        for i in 0..<48 {
          unsafe columns.dx[i] = 1e7
          unsafe columns.radius[i] = 1e7
        }
        for i in 0..<count {
          let d = (0..<3).map { _ in scale * random.uniform(-1...1) }
          let isFar = hasFar && i == count - 1
          unsafe columns.dx[i] = isFar ? 2e5 : d[0]
          unsafe columns.dy[i] = d[1]
          unsafe columns.dz[i] = d[2]
          unsafe columns.radius[i] = random.logUniform(1...1e6)
          expected.append(
            unsafe ChordSeries.distance(dx: columns.dx[i], dy: d[1], dz: d[2], zSum: z2 - d[2]))
        }
      }
      let twin = batch
      let radii = unsafe withUnsafeMutablePointer(to: &batch) { pointer in
        (0..<count).map { unsafe BatchColumns(pointer).radius[$0] }
      }
      var keys = [Float](repeating: 7, count: 48)
      var otherKeys = keys
      let largest = unsafe vk_near_distances(&series, &batch, Int32(count), z2, &keys)
      for width in allWidths {
        var same = twin
        let other = unsafe kernels(width).near_distances(&series, &same, Int32(count), z2, &otherKeys)
        #expect(largest == other)
        #expect(keys.prefix(count).map(\.bitPattern) == otherKeys.prefix(count).map(\.bitPattern))
      }
      #expect(largest == (hasFar ? .infinity : radii.max()))
      for width in allWidths {
        var same = twin
        unsafe kernels(width).series_distances(&series, &same, Int32(count), z2)
        unsafe withUnsafeMutablePointer(to: &same) { pointer in
          let distances = unsafe BatchColumns(pointer).centerDistance
          let areClose = (0..<count).allSatisfy { unsafe abs(distances[$0] - expected[$0]) < 1e-9 }
          #expect(areClose, "\(width)")
        }
      }
      #expect(count % 2 == 0 || keys[count] == 3.4e38)
      guard !hasFar else { continue }
      unsafe withUnsafeMutablePointer(to: &batch) { pointer in
        let columns = unsafe BatchColumns(pointer)
        for i in 0..<count {
          let (center, boundary) = unsafe (columns.centerDistance[i], columns.distance[i])
          #expect(abs(center - expected[i]) < 1e-8)
          #expect(boundary == center - radii[i])
          #expect(keys[i].bitPattern & 31 == UInt32(i))
          #expect(abs(Double(keys[i]) - boundary) <= 5e-6 * abs(boundary) + 1e-36)
        }
      }
    }
  }

  /// Geodesics by vectors against the solver that makes one after the other, and against the reference.
  @Test func farDistancesFollowTheSolver() {
    let seed: UInt64 = 35
    var random = SplitMix64(seed: seed)
    var series = KernelConstants.geodesicSeries
    let hard: [Coordinate] = [
      Coordinate(latitude: 90, longitude: 0), Coordinate(latitude: -90, longitude: 10),
      Coordinate(latitude: 0, longitude: 0), Coordinate(latitude: 0, longitude: 180),
      Coordinate(latitude: 0, longitude: 90), Coordinate(latitude: 45, longitude: 0),
    ]
    func place() -> Coordinate {
      random.unit() < 0.2
        ? hard[random.below(hard.count)]
        : Coordinate(latitude: random.uniform(-90...90), longitude: random.uniform(-180...180))
    }
    var (solved, unsolved) = (0, 0)
    var (worst, farthest) = (0.0, 0.0)
    for count in Array(1...48) + Array(repeating: 48, count: 150) {
      let position = place()
      let p = ECEF(unchecked: position)
      let centers = (0..<count).map { _ in
        random.unit() < 0.2
          ? Geodesic.uncheckedDirect(
            position, azimuth: random.uniform(0...360), distance: random.logUniform(1e-7...2e7)
          ).coordinate : place()
      }
      let places = centers.map { ECEF(unchecked: $0) }
      var batch = vk_batch()
      unsafe withUnsafeMutablePointer(to: &batch) { pointer in
        let columns = unsafe BatchColumns(pointer)
        for (i, q) in places.enumerated() {
          unsafe columns.dx[i] = p.x - q.x
          unsafe columns.dy[i] = p.y - q.y
          unsafe columns.dz[i] = p.z - q.z
          if random.unit() < 0.01 { unsafe columns.dy[i] = .nan }
        }
      }
      var found: [Double] = []
      for width in allWidths {
        var twin = batch
        unsafe kernels(width).far_distances(&series, &twin, Int32(count), p.x, p.y, p.z)
        let distances = unsafe withUnsafeMutablePointer(to: &twin) { pointer in
          (0..<count).map { unsafe BatchColumns(pointer).centerDistance[$0] }
        }
        if found.isEmpty { found = distances }
        #expect(
          zip(found, distances).allSatisfy { $0 == $1 || $0.isNaN && $1.isNaN }, "seed \(seed), \(width)")
      }
      unsafe withUnsafeMutablePointer(to: &batch) { pointer in
        for i in 0..<count {
          let columns = unsafe BatchColumns(pointer)
          let (dx, dy, dz) = unsafe (columns.dx[i], columns.dy[i], columns.dz[i])
          let q = ECEF(x: p.x - dx, y: p.y - dy, z: p.z - dz)
          let near = GeodesicSolver.nearDistance(from: p, to: q)
          guard !found[i].isNaN else {
            unsolved += 1
            #expect(near.isNaN || near < 1e-5, "seed \(seed), \(position), \(centers[i])")
            continue
          }
          solved += 1
          worst = max(worst, abs(found[i] - near))
          let error = abs(found[i] - Geodesic.uncheckedDistance(position, centers[i]))
          #expect(error <= GeodesicSolver.errorBound, "seed \(seed), \(position), \(centers[i])")
          farthest = max(farthest, found[i])
        }
      }
    }
    #expect(worst < 1e-8, "seed \(seed)")
    #expect(solved > 5000 && unsolved > 200 && farthest > 1.7e7, "\(solved), \(unsolved), \(farthest)")
  }

  /// The smallest of any number.
  private func expectFewAgree(_ a: [Float], _ random: inout SplitMix64) throws {
    let count = 1 + random.below(40)
    var padded = (0..<count).map { a[$0 % 16] + Float($0 / 16) }
    let place = padded.firstIndex(of: try #require(padded.min()))
    padded += [Float](repeating: 3.4e38, count: 48 - count)
    #expect(unsafe Int(vk_argmin(padded, Int32(count))) == place)
    #expect(unsafe vk_argmin(padded, Int32(count)) == portable.argmin(padded, Int32(count)))
  }

  @Test func vectorsAgreeWithTheirPortableTwins() throws {
    var random = SplitMix64(seed: 31)
    for round in 0..<5000 {
      let scale = Float(random.logUniform(1e-3...100))
      var node = Self.block(8, &random)
      for i in 48..<112 { node[i] = abs(node[i]) }
      let q = (0..<3).map { _ in Float(random.uniform(-1e5...1e5)) * scale }
      var a = [Float](repeating: 0, count: 16)
      var b = a
      let smallest = unsafe vk_node_bounds(node, q[0], q[1], q[2], 3, &a)
      #expect(unsafe smallest == portable.node_bounds(node, q[0], q[1], q[2], 3, &b), "round \(round)")
      #expect(a.map(\.bitPattern) == b.map(\.bitPattern), "round \(round)")
      #expect(smallest == a.min())
      #expect(Set(a.map { $0.bitPattern & 15 }).count == 16)
      #expect(unsafe vk_argmin(a, 16) == portable.argmin(a, 16))
      #expect(unsafe Int(vk_argmin(a, 16)) == a.firstIndex(of: smallest))
      try expectFewAgree(a, &random)

      var lower = [Float](repeating: 0, count: 16)
      var upper = lower
      var otherLower = lower
      var otherUpper = lower
      let threshold = Float(random.uniform(-1e5...1e5))
      let mask = unsafe vk_leaf_bounds(node, q[0], q[1], q[2], 1, threshold, &lower, &upper)
      #expect(
        unsafe mask
          == portable.leaf_bounds(node, q[0], q[1], q[2], 1, threshold, &otherLower, &otherUpper))
      #expect(lower.map(\.bitPattern) == otherLower.map(\.bitPattern))
      #expect(upper.map(\.bitPattern) == otherUpper.map(\.bitPattern))
      for lane in 0..<16 { #expect((mask >> UInt32(lane) & 1 != 0) == (lower[lane] < threshold)) }

      #expect(unsafe vk_below16(lower, threshold) == mask)
      #expect(unsafe portable.below16(lower, threshold) == mask)
      try expectNearBoundsAgree(node, q, threshold)

      var inside = -Float.greatestFiniteMagnitude
      var outside: Float = 1e30
      var otherInside = inside
      var otherOutside = outside
      let part = unsafe vk_partition(lower, upper, threshold, &inside, &outside)
      #expect(unsafe part == portable.partition(lower, upper, threshold, &otherInside, &otherOutside))
      #expect(inside == otherInside && outside == otherOutside)
      let members = (0..<16).filter { part >> UInt32($0) & 1 != 0 }
      #expect(inside == max(-3e38, members.map { upper[$0] }.max() ?? -3e38))
      #expect(outside == min(1e30, (0..<16).filter { !members.contains($0) }.map { lower[$0] }.min() ?? 1e30))
    }
  }

  @Test(arguments: [1, 3, 4, 17, 20, 21, 24, 25, 40, 64])
  func theListKeepsTheSmallest(_ count: Int) {
    var random = SplitMix64(seed: 32)
    for _ in 0..<300 {
      let empty = [Float](repeating: 0, count: 3) + [-.infinity] + [Float](repeating: 1e8, count: count + 36)
      var list = empty
      var twin = empty
      var all: [Float] = []
      for _ in 0..<random.below(12) {
        let values = (0..<16).map { _ in Float(random.uniform(-1000...1000)) }
        let mask = UInt32(random.below(65536))
        let addend = Float(random.below(3)) * 0.25
        if count <= 32 && random.unit() < 0.5 {
          unsafe list.withUnsafeMutableBufferPointer {
            guard let list = $0.baseAddress else { return }
            unsafe vk_merge(list + 4, values, addend, mask)
          }
          unsafe twin.withUnsafeMutableBufferPointer {
            guard let twin = $0.baseAddress else { return }
            unsafe portable.merge(twin + 4, values, addend, mask)
          }
        } else {
          unsafe vk_insert(&list, Int32((count + 3) / 4), values, addend, mask)
          unsafe portable.insert(&twin, Int32((count + 3) / 4), values, addend, mask)
        }
        for lane in 0..<16 where mask >> UInt32(lane) & 1 != 0 { all.append(values[lane] + addend) }
      }
      all.sort()
      let expected = Array((all + [Float](repeating: 1e8, count: count)).prefix(count))
      #expect(Array(list[4..<4 + count]) == expected)
      #expect(Array(twin[4..<4 + count]) == expected)
    }
  }

  /// Estimates carry their owners, in the order of their values; the portable twin agrees.
  @Test func taggedEstimatesMerge() {
    var random = SplitMix64(seed: 35)
    for _ in 0..<300 {
      var list = [Float](repeating: 3e38, count: 32)
      var twin = list
      var all: [Float] = []
      for visit in 0..<random.below(15) {
        var lower = (0..<16).map { _ in Float(random.uniform(-1000...1_000_000)) }
        var upper = lower.map { $0 + Float(random.uniform(0...100)) }
        var other = upper
        let mask = UInt32(random.below(65536))
        let half = unsafe vk_center16(&lower, &upper, mask)
        #expect(unsafe portable.center16(&lower, &other, mask) == half && other == upper)
        for lane in 0..<16 {
          #expect(upper[lane] >= lower[lane])
          if mask >> UInt32(lane) & 1 != 0 { #expect(upper[lane] - lower[lane] <= half * 1.001 + 0.1) }
        }
        unsafe vk_merge_tagged(&list, upper, 0.5, mask, UInt32(visit) << 4)
        unsafe portable.merge_tagged(&twin, upper, 0.5, mask, UInt32(visit) << 4)
        for lane in 0..<16 where mask >> UInt32(lane) & 1 != 0 {
          let bits = (upper[lane] + 0.5).bitPattern & ~255 | UInt32(visit << 4 | lane)
          all.append(Float(bitPattern: bits))
        }
      }
      all.sort()
      #expect(list == Array((all + [Float](repeating: 3e38, count: 32)).prefix(32)))
      #expect(twin == list)
      for estimate in list where estimate < 3e38 {
        let tag = Int(estimate.bitPattern & 255)
        #expect(EstimateTag.visit(estimate) == tag >> 4 && EstimateTag.lane(estimate) == tag & 15)
        let error = abs(EstimateTag.value(estimate) - estimate)
        #expect(error <= abs(estimate) * EstimateTag.error)
      }
    }
  }
}
