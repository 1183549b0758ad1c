import CPortableKernels
import CVicinityKernels
import Testing
import VicinityTestSupport

@testable import VicinityGeodesy
@testable import VicinityPolygon

/// Edges measured together against the same formulas one by one, and points against the authority.
@Suite struct ClosestPointBatchTests {
  private static func coordinate(_ random: inout SplitMix64) -> Coordinate {
    Coordinate(latitude: random.uniform(-90...90), longitude: random.uniform(-180...180))
  }

  private static func moved(
    _ from: Coordinate, by distance: Meters, _ random: inout SplitMix64
  ) -> Coordinate {
    Geodesic.uncheckedDirect(from, azimuth: random.uniform(-180...180), distance: distance).coordinate
  }

  @Test("Any number of edges and points, each for its owner")
  func edgesAndPoints() throws {
    let room = UnsafeMutablePointer<vk_closest_point_batch>.allocate(capacity: 1)
    defer { unsafe room.deallocate() }
    var random = SplitMix64(seed: 63)
    for round in 0..<1000 {
      let position = Self.coordinate(&random)
      let place = ECEF(unchecked: position)
      let batch = unsafe ClosestPointBatch(room)
      var expected = [Double](repeating: .infinity, count: 32)
      for owner in 0..<32 { batch.begin(owner) }
      // More than there is room for at once.
      for _ in 0..<random.below(150) {
        let owner = random.below(32)
        let start = Self.moved(position, by: random.logUniform(1e-3...8e5), &random)
        let p1 = Vector3(unchecked: start)
        var distance = Geodesic.uncheckedDistance(position, start)
        func add(_ e: Vector3) {
          if unsafe room.pointee.count == 64 { batch.measure(from: place) }
          unsafe vk_add_edge(room, UInt32(owner), p1.x, p1.y, p1.z, e.x, e.y, e.z)
        }
        if random.unit() < 0.4 {
          add(Vector3(0, 0, 0))
        } else {
          let p2 = Vector3(unchecked: Self.moved(start, by: random.logUniform(1e-3...16e3), &random))
          let e = p2 - p1
          add(e)
          let p = EdgeKernel.closestPoint(to: Vector3(place), from: p1, to: p2).surface.point
          distance = ChordSeries.distance(from: place, to: ECEF(x: p.x, y: p.y, z: p.z))
        }
        expected[owner] = min(expected[owner], distance)
      }
      batch.measure(from: place)
      for owner in 0..<32 {
        let found = batch.distance(owner, cutoff: 1e9)
        guard expected[owner] < .infinity else {
          #expect(found > 1e9)
          continue
        }
        // The step along the edge that one by one leaves out where it is a micrometre.
        #expect(abs(found - expected[owner]) <= 3e-6, "round \(round), owner \(owner)")
        #expect(batch.distance(owner, cutoff: -1) == 0)
        #expect(batch.distance(owner, cutoff: 0) <= 1e-3)
      }
    }
  }

  @Test("A group's edges are added with their places, ends as points and once")
  func edges() {
    var random = SplitMix64(seed: 65)
    for round in 0..<2000 {
      var group = GroupBytes(reach: 32767, &random)
      group.step = Float(sign: .plus, exponent: random.below(33) - 24, significand: 1)
      group.remainders = group.remainders.map { $0.map { _ in Int32(truncatingIfNeeded: random.next()) } }
      group.center = (0..<3).map { _ in Float(random.uniform(-1e6...1e6)) }
      let origin = (0..<3).map { _ in random.uniform(-6e6...6e6) }
      let lanes = UInt32(truncatingIfNeeded: random.next()) & 0xFFFF
      let starts = UInt32(truncatingIfNeeded: random.next() & random.next()) & 0xFFFF
      let stops = UInt32(truncatingIfNeeded: random.next() & random.next()) & 0xFFFF & ~starts
      var batch = vk_closest_point_batch()
      let before = random.below(48)
      batch.count = UInt32(before)
      unsafe vk_add_edges(
        &batch, 7, group.bytes, origin[0], origin[1], origin[2], lanes, starts | stops << 16)

      func point(_ i: Int) -> [Double] { zip(group.place(i), origin).map(+) }
      var expected: [[Double]] = []
      for lane in 0..<16 where lanes >> UInt32(lane) & 1 != 0 {
        let isStart = starts >> UInt32(lane) & 1 != 0
        let isStop = stops >> UInt32(lane) & 1 != 0
        if isStart, lane > 0, (lanes & stops) >> UInt32(lane - 1) & 1 != 0 { continue }
        let (p, q) = (point(lane), point(lane + 1))
        expected.append(isStop ? q + [0, 0, 0] : isStart ? p + [0, 0, 0] : p + zip(q, p).map(-))
      }
      #expect(Int(batch.count) == before + expected.count, "round \(round)")
      let columns = unsafe withUnsafeBytes(of: batch) { unsafe Array($0.bindMemory(to: Double.self)) }
      for (i, edge) in expected.enumerated() {
        for (column, value) in edge.enumerated() {
          #expect(columns[64 * column + before + i] == value, "round \(round), edge \(i)")
        }
      }
    }
  }

  @Test("The portable twin measures the same")
  func twins() {
    var random = SplitMix64(seed: 64)
    for count in [UInt32(1), 2, 3, 31, 63, 64] {
      let position = Vector3(unchecked: Self.coordinate(&random))
      var series = vk_chord_series()
      unsafe withUnsafeMutableBytes(of: &series) { bytes in
        for i in stride(from: 0, to: bytes.count, by: 8) {
          unsafe bytes.storeBytes(of: random.uniform(0...1e-13), toByteOffset: i, as: Double.self)
        }
      }
      var a = vk_closest_point_batch()
      for owner in 0..<32 {
        unsafe withUnsafeMutableBytes(of: &a.best) { bytes in
          unsafe bytes.storeBytes(of: .infinity, toByteOffset: 8 * owner, as: Double.self)
        }
      }
      for _ in 0..<count {
        let p = (0..<3).map { _ in random.uniform(-6e6...6e6) }
        let e = (0..<3).map { _ in random.uniform(-1e4...1e4) }
        unsafe vk_add_edge(&a, UInt32(random.below(32)), p[0], p[1], p[2], e[0], e[1], e[2])
      }
      var b = a
      unsafe kernels(0).measure(&series, &a, position.x, position.y, position.z)
      unsafe kernels(-1).measure(&series, &b, position.x, position.y, position.z)
      #expect(a.count == 0 && b.count == 0)
      let best = unsafe withUnsafeBytes(of: a.best) { unsafe Array($0.bindMemory(to: Double.self)) }
      let twin = unsafe withUnsafeBytes(of: b.best) { unsafe Array($0.bindMemory(to: Double.self)) }
      #expect(best.contains { $0 < .infinity })
      #expect(best.count == twin.count)
      for (x, y) in zip(best, twin) { #expect(x == y || abs(x - y) <= 1e-9 * abs(x)) }
    }
  }
}
