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
      unsafe kernels(0).frame_of(box, q[0], q[1], q[2], &frame)
      var otherFrame = vk_frame()
      unsafe kernels(-1).frame_of(box, q[0], q[1], q[2], &otherFrame)
      var next: Float = 0
      var otherNext: Float = 0
      let smallest = unsafe kernels(0).box_gaps(node, &frame, count, &a, &next)
      #expect(
        unsafe smallest == kernels(-1).box_gaps(node, &otherFrame, count, &b, &otherNext),
        "round \(round)")
      // Lane numbers make all of them different.
      #expect(next == a.sorted()[1] && next == otherNext, "round \(round)")
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
    var certain = 0
    for round in 0..<3000 {
      let reach = Int(random.logUniform(1...32767))
      let group = GroupBytes(reach: reach, &random)
      let bytes = group.bytes
      let q = (0..<3).map { _ in Float(random.uniform(-3...3) * Double(reach)) }
      let margin = random.unit() < 0.5 ? 0 : Float(random.logUniform(1...1e6))
      var a = [Float](repeating: 0, count: 16)
      var b = a
      var ends: UInt32 = 0
      var otherEnds: UInt32 = 0
      let smallest = unsafe kernels(0).edge_gaps(bytes, q[0], q[1], q[2], margin, &a, &ends)
      #expect(
        unsafe smallest == kernels(-1).edge_gaps(bytes, q[0], q[1], q[2], margin, &b, &otherEnds),
        "round \(round)")
      #expect(a.map(\.bitPattern) == b.map(\.bitPattern) && ends == otherEnds, "round \(round)")
      #expect(smallest == a.min())
      let limit = a[Int(random.below(16))]
      let below = unsafe vk_below16(a, limit)
      #expect(unsafe below == portable.below16(a, limit))
      let size = group.size
      let span = Double(q.reduce(0) { $0 + abs($1) } + 2 * size)
      for lane in 0..<16 {
        #expect((below >> UInt32(lane) & 1 != 0) == (a[lane] < limit))
        let exact = Self.foot(q, group, lane)
        // Products are rounded by less than this.
        let rounding = 0x1p-20 * span * Double(size) + 1e-3
        for (bit, beyond) in [(lane, -exact.along), (16 + lane, exact.along - exact.length2)]
        where abs(beyond - Double(margin)) > rounding {
          #expect((ends >> UInt32(bit) & 1 != 0) == (beyond > Double(margin)), "round \(round)")
          if beyond > Double(margin) { certain += 1 }
        }
        if group.absent >> UInt16(lane) & 1 != 0 {
          #expect(a[lane] == 1e37)
          continue
        }
        #expect(abs(Double(a[lane].squareRoot()) - exact.distance) <= 0x1p-19 * span, "round \(round)")
      }
    }
    #expect(certain > 1000)
  }

  /// A chord's foot, in steps: how far it is, the product of the chord and the way from its start, and the
  /// chord's square.
  private static func foot(
    _ q: [Float], _ group: GroupBytes, _ lane: Int
  ) -> (distance: Double, along: Double, length2: Double) {
    func point(_ i: Int) -> [Double] { group.steps[i].map(Double.init) }
    func dot(_ a: [Double], _ b: [Double]) -> Double { zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } }
    let p1 = point(lane)
    let e = zip(point(lane + 1), p1).map(-)
    let w = zip(q.map(Double.init), p1).map(-)
    let ee = dot(e, e)
    let t = ee > 0 ? max(0, min(1, dot(w, e) / ee)) : 0
    let d = zip(w, e).map { $0 - t * $1 }
    return (dot(d, d).squareRoot(), dot(w, e), ee)
  }

  /// What bounds say of a group holds of the points themselves, which their remainders move by up to half a
  /// step.
  @Test("Bounds hold for the points that steps are short of: gaps, and which ends are certain")
  func boundsOfRemainders() {
    var random = SplitMix64(seed: 53)
    var ends = 0
    var known = 0
    for round in 0..<4000 {
      let reach = Int(random.logUniform(2...32767))
      var group = GroupBytes(reach: reach, &random)
      group.step = Float(sign: .plus, exponent: random.below(33) - 24, significand: 1)
      let half = Int64(Double(group.step) * 0x1p23)
      for i in 0..<17 {
        // As far off as may be, as often as not.
        group.remainders[i] = (0..<3).map { _ in
          Int32(
            clamping: random.unit() < 0.5
              ? (random.unit() < 0.5 ? -half : max(0, half - 1))
              : Int64(random.uniform(-1...1) * Double(half)))
        }
      }
      group.center = (0..<3).map { _ in Float(random.uniform(-1e6...1e6)) }
      group.slack = 0.8661 * group.step
      let span = Double(reach) * Double(group.step)
      let away = random.logUniform(1e-3...1e3)
      let q = group.center.map { Double($0) + random.uniform(-1...1) * away * span }
      var bounds = vk_group_bounds()
      bounds.limit = 1e9
      unsafe kernels(0).group_bounds(group.bytes, q[0], q[1], q[2], &bounds)
      let exact = (0..<16).map { Self.foot(q, group.place($0), group.place($0 + 1)) }
      let present = (0..<16).filter { group.absent >> UInt16($0) & 1 == 0 }
      guard let nearest = present.map({ exact[$0].distance }).min() else { continue }
      #expect(Double(bounds.lower) <= nearest, "round \(round)")
      for lane in 0..<16 {
        let isStart = bounds.ends >> UInt32(lane) & 1 != 0
        let isStop = bounds.ends >> UInt32(16 + lane) & 1 != 0
        #expect(!isStart || exact[lane].t <= 0, "round \(round), lane \(lane)")
        #expect(!isStop || exact[lane].t >= 1, "round \(round), lane \(lane)")
        // The packer takes the finest step, of which there are many.
        if reach > 16383, exact[lane].t < 0 || exact[lane].t > 1 {
          ends += 1
          if isStart || isStop { known += 1 }
        }
        guard present.contains(lane) else { continue }
        if exact[lane].distance <= min(bounds.limit, nearest) {
          #expect(bounds.lanes >> UInt32(lane) & 1 != 0, "round \(round), lane \(lane)")
        }
      }
      #expect(nearest >= VK_COMPARABLE_CHORD || bounds.limit >= nearest, "round \(round)")
    }
    // Most feet that are ends are known for that.
    #expect(4 * known > 3 * ends && known < ends, "\(known) of \(ends)")
  }

  private static func foot(
    _ q: [Double], _ p1: [Double], _ p2: [Double]
  ) -> (distance: Double, t: Double) {
    func dot(_ a: [Double], _ b: [Double]) -> Double { zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } }
    let e = zip(p2, p1).map(-)
    let w = zip(q, p1).map(-)
    let ee = dot(e, e)
    let t = ee > 0 ? dot(w, e) / ee : 0
    let d = zip(w, e).map { $0 - max(0, min(1, t)) * $1 }
    return (dot(d, d).squareRoot(), t)
  }
}
