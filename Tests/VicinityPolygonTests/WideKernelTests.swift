import CPortableKernels
import CVicinityKernels
import Testing
import VicinityTestSupport

/// The kernels by wider vectors, where the machine has them, against those by vectors of four: the same to
/// the last bit.
@Suite(.enabled(if: vk_widest() > 0, "this machine has vectors of four only"))
struct WideKernelTests {
  @Test("Gaps to boxes are the same by all widths")
  func boxGaps() {
    var random = SplitMix64(seed: 71)
    for round in 0..<3000 {
      let low = (0..<3).map { _ in Float(random.uniform(-1e5...0)) }
      let box = low + low.map { $0 + Float(random.logUniform(1e-2...1e5)) } + [0]
      // Empty intervals too, as damaged bytes have them.
      let node = (0..<96).map { _ in UInt16(random.below(65536)) }
      var q = (0..<3).map { low[$0] + Float(random.uniform(-0.5...1.5)) * (box[3 + $0] - low[$0]) }
      if random.unit() < 0.1 { q[random.below(3)] = random.unit() < 0.5 ? .nan : .infinity }
      let count = Int32(random.below(17))
      var frame = vk_frame()
      unsafe kernels(0).frame_of(box, q[0], q[1], q[2], &frame)
      var expected = [Float](repeating: 0, count: 16)
      var second: Float = 0
      let smallest = unsafe kernels(0).box_gaps(node, &frame, count, &expected, &second)
      for width in allWidths {
        var gaps = [Float](repeating: 0, count: 16)
        var next: Float = 0
        let least = unsafe kernels(width).box_gaps(node, &frame, count, &gaps, &next)
        #expect(next.bitPattern == second.bitPattern, "round \(round), width \(width)")
        #expect(gaps.map(\.bitPattern) == expected.map(\.bitPattern), "round \(round), width \(width)")
        #expect(least.bitPattern == smallest.bitPattern, "round \(round), width \(width)")
      }
    }
  }

  @Test("Bounds of a group's edges are the same by all widths")
  func groupBounds() {
    var random = SplitMix64(seed: 72)
    var narrowed = 0
    for round in 0..<3000 {
      let reach = Int(random.logUniform(1...32767))
      var group = GroupBytes(reach: reach, &random)
      group.step = Float(sign: .plus, exponent: random.below(33) - 24, significand: 1)
      let scale = Double(reach) * Double(group.step)
      group.center = (0..<3).map { _ in Float(random.uniform(-scale...scale)) }
      // Some places that are no numbers.
      if random.unit() < 0.1 { group.center[random.below(3)] = .nan }
      group.slack = Float(random.logUniform(1e-3...10)) + group.step
      let bytes = group.bytes
      let q = (0..<3).map { _ in random.uniform(-3...3) * scale }
      let limit = random.unit() < 0.5 ? 1e9 : random.logUniform(1e-2...1e7)
      var expected = vk_group_bounds()
      expected.limit = limit
      unsafe kernels(0).group_bounds(bytes, q[0], q[1], q[2], &expected)
      for width in allWidths {
        var bounds = vk_group_bounds()
        bounds.limit = limit
        unsafe kernels(width).group_bounds(bytes, q[0], q[1], q[2], &bounds)
        #expect(
          bounds.limit == expected.limit && Self.isSame(bounds.lower, expected.lower)
            && bounds.lanes == expected.lanes
            && bounds.ends == expected.ends, "round \(round), width \(width)")
      }
      expectHolds(expected, group, q, limit, "round \(round)")
      if expected.limit < limit { narrowed += 1 }
    }
    #expect(narrowed > 1000)
  }

  /// What bounds say follows from the gaps.
  private func expectHolds(
    _ bounds: vk_group_bounds, _ group: GroupBytes, _ q: [Double], _ limit: Double, _ comment: Comment
  ) {
    let relative = (0..<3).map { Float(q[$0] - Double(group.center[$0])) }
    let reach = relative.reduce(0) { $0 + abs($1) } + 2 * group.size
    let slack = group.slack + 0x1p-19 * reach
    let steps = 1 / group.step
    var squares = [Float](repeating: 0, count: 16)
    var ends: UInt32 = 0
    let square = unsafe kernels(0).edge_gaps(
      group.bytes, steps * relative[0], steps * relative[1], steps * relative[2], 3 * (steps * reach) + 4,
      &squares, &ends)
    let least = group.step * square.squareRoot()
    #expect(bounds.ends == ends, comment)
    #expect(Self.isSame(bounds.lower, least - slack), comment)
    let upper = Double(least + slack)
    let longest = upper * (1 + upper * upper * (2.2e-17 + upper * upper * 1.4e-31)) + 1e-4
    #expect(bounds.limit == (upper < VK_COMPARABLE_CHORD ? min(limit, longest) : limit), comment)
    for (lane, square) in squares.enumerated() {
      let isListed = bounds.lanes >> UInt32(lane) & 1 != 0
      let distance = Double(group.step * square.squareRoot())
      // What is within the limit is listed; what is beyond it by more than roundings is not.
      if distance <= bounds.limit + Double(slack) { #expect(isListed, comment) }
      if distance > (bounds.limit + Double(slack)) * 1.000002 { #expect(!isListed, comment) }
    }
  }

  private static func isSame(_ a: Float, _ b: Float) -> Bool { a == b || a.isNaN && b.isNaN }

  @Test("Exact distances are the same by all widths, however many there are")
  func exactDistances() {
    var random = SplitMix64(seed: 73)
    var series = vk_chord_series()
    unsafe withUnsafeMutableBytes(of: &series) { bytes in
      for i in stride(from: 0, to: bytes.count, by: 8) {
        unsafe bytes.storeBytes(of: random.uniform(0...1e-13), toByteOffset: i, as: Double.self)
      }
    }
    for count in 0...64 {
      var batch = vk_closest_point_batch()
      unsafe withUnsafeMutableBytes(of: &batch.best) { bytes in
        for owner in 0..<32 {
          unsafe bytes.storeBytes(of: .infinity, toByteOffset: 8 * owner, as: Double.self)
        }
      }
      for _ in 0..<count {
        let p = (0..<3).map { _ in random.uniform(-6e6...6e6) }
        let e = (0..<3).map { _ in random.unit() < 0.3 ? 0 : random.uniform(-1e4...1e4) }
        unsafe vk_add_edge(&batch, UInt32(random.below(32)), p[0], p[1], p[2], e[0], e[1], e[2])
      }
      let q = (0..<3).map { _ in random.uniform(-6e6...6e6) }
      var expected = batch
      unsafe kernels(0).measure(&series, &expected, q[0], q[1], q[2])
      for width in allWidths {
        var others = batch
        unsafe kernels(width).measure(&series, &others, q[0], q[1], q[2])
        #expect(others.count == 0)
        #expect(Self.best(others) == Self.best(expected), "\(count) edges, width \(width)")
      }
      #expect(count == 0 || Self.best(expected).contains { $0 != Double.infinity.bitPattern })
    }
  }

  private static func best(_ batch: vk_closest_point_batch) -> [UInt64] {
    unsafe withUnsafeBytes(of: batch.best) { unsafe Array($0.bindMemory(to: UInt64.self)) }
  }
}
