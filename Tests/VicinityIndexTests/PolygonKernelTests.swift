import CPortableKernels
import CVicinityKernels
import Testing
import VicinityTestSupport

/// The vector kernels of polygons against their portable twins and against plain arithmetic.
@Suite struct PolygonKernelTests {
  @Test("Gaps to boxes: the twins agree, and gaps are right to a few counts")
  func boxGaps() {
    var random = SplitMix64(seed: 51)
    for round in 0..<3000 {
      let low = (0..<3).map { _ in Float(random.uniform(-1e5...0)) }
      let high = low.map { $0 + Float(random.logUniform(1e-2...1e5)) }
      // Four bytes more are read.
      let box = low + high + [0]
      var node = [UInt16](repeating: 0, count: 96)
      for axis in 0..<3 {
        for lane in 0..<16 {
          let ends = [UInt16(random.below(65536)), UInt16(random.below(65536))]
          node[16 * axis + lane] = ends.min() ?? 0
          node[48 + 16 * axis + lane] = ends.max() ?? 0
        }
      }
      let q = (0..<3).map { low[$0] + (high[$0] - low[$0]) * Float(random.uniform(-0.5...1.5)) }
      let count = Int32(1 + random.below(16))
      var a = [Float](repeating: 0, count: 16)
      var b = a
      var frame = vk_frame()
      unsafe vk_frame_of(box, q[0], q[1], q[2], &frame)
      let smallest = unsafe withUnsafePointer(to: frame) { unsafe vk_box_gaps(node, $0, count, &a) }
      #expect(unsafe smallest == portable_box_gaps(node, box, q[0], q[1], q[2], count, &b), "round \(round)")
      #expect(a.map(\.bitPattern) == b.map(\.bitPattern), "round \(round)")
      #expect(smallest == a.min())
      for lane in 0..<16 {
        #expect(Int(a[lane].bitPattern & 15) == lane)
        guard lane < Int(count) else {
          #expect(a[lane] > 9e36)
          continue
        }
        var exact = 0.0
        for axis in 0..<3 {
          let step = (Double(high[axis]) - Double(low[axis])) / 65535
          let first = Double(low[axis]) + (Double(node[16 * axis + lane]) - 1) * step
          let last = Double(low[axis]) + (Double(node[48 + 16 * axis + lane]) + 1) * step
          let p = Double(q[axis])
          let gap = max(0, first - p, p - last)
          exact += gap * gap
        }
        let rounding = q.reduce(0) { $0 + abs($1) } * 0x1p-21 + 1e-3
        let widest = (0..<3).reduce(0.0) { $0 + (Double(high[$1]) - Double(low[$1])) } * 3 / 65535
        #expect(
          Double(a[lane].squareRoot()) <= exact.squareRoot() + widest + Double(rounding), "round \(round)")
        #expect(
          Double(a[lane].squareRoot()) >= exact.squareRoot() - widest - Double(rounding), "round \(round)")
      }
    }
  }

  @Test("Gaps to edges: the twins agree, and errors stay below what searches allow")
  func edgeGaps() {
    var random = SplitMix64(seed: 52)
    for round in 0..<3000 {
      let scale = random.logUniform(1e-2...2e5)
      var group = [Float](repeating: 0, count: 64)
      for i in 0..<17 {
        for axis in 0..<3 { group[20 * axis + i] = Float(random.uniform(-scale...scale)) }
        // Some edges of no length.
        if i > 0, random.unit() < 0.1 {
          for axis in 0..<3 { group[20 * axis + i] = group[20 * axis + i - 1] }
        }
      }
      var marks: [UInt32] = [0, 0, 0, 0]
      for i in 0..<16 where random.unit() < 0.1 {
        marks[i / 4] |= UInt32(1 + random.below(7)) << UInt32(i % 4 * 8)
      }
      for i in 0..<4 { group[60 + i] = Float(bitPattern: marks[i]) }
      let q = (0..<3).map { _ in Float(random.uniform(-3...3) * scale) }
      var a = [Float](repeating: 0, count: 16)
      var b = a
      var ends: UInt32 = 0
      var otherEnds: UInt32 = 0
      let smallest = unsafe vk_edge_gaps(group, q[0], q[1], q[2], &a, &ends)
      #expect(
        unsafe smallest == portable_edge_gaps(group, q[0], q[1], q[2], &b, &otherEnds), "round \(round)")
      #expect(a.map(\.bitPattern) == b.map(\.bitPattern) && ends == otherEnds, "round \(round)")
      #expect(smallest == a.min())
      let limit = a[Int(random.below(16))]
      let below = unsafe vk_below16(a, limit)
      #expect(unsafe below == portable_below16(a, limit))
      let size = (0..<3).reduce(Float(0)) { sum, axis in
        sum + (0..<17).reduce(Float(0)) { max($0, abs(group[20 * axis + $1])) }
      }
      let reach = q.reduce(0) { $0 + abs($1) } + 2 * size
      for lane in 0..<16 {
        #expect((below >> UInt32(lane) & 1 != 0) == (a[lane] < limit))
        if marks[lane / 4] >> UInt32(lane % 4 * 8) & 1 != 0 {
          #expect(a[lane] == 1e37)
          continue
        }
        let exact = Self.distance(q, group, lane)
        #expect(abs(Double(a[lane].squareRoot()) - exact) <= 0x1p-19 * Double(reach), "round \(round)")
      }
    }
  }

  private static func distance(_ q: [Float], _ group: [Float], _ lane: Int) -> Double {
    func point(_ i: Int) -> [Double] { (0..<3).map { Double(group[20 * $0 + i]) } }
    func dot(_ a: [Double], _ b: [Double]) -> Double { zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } }
    let p1 = point(lane)
    let e = zip(point(lane + 1), p1).map(-)
    let w = zip(q.map(Double.init), p1).map(-)
    let ee = dot(e, e)
    let t = ee > 0 ? max(0, min(1, dot(w, e) / ee)) : 0
    let d = zip(w, e).map { $0 - t * $1 }
    return dot(d, d).squareRoot()
  }
}
