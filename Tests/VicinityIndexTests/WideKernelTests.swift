import CVicinityKernels
import Testing
import VicinityTestSupport

/// The kernels by wider vectors, where the machine has them, against those by vectors of four: the same to the last bit.
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
      unsafe vk_frame_of(box, q[0], q[1], q[2], &frame)
      var expected = [Float](repeating: 0, count: 16)
      let smallest = unsafe vk_box_gaps(node, &frame, count, &expected)
      for width in 0...vk_widest() {
        var gaps = [Float](repeating: 0, count: 16)
        let least = unsafe vk_box_gaps_by(width, node, &frame, count, &gaps)
        #expect(gaps.map(\.bitPattern) == expected.map(\.bitPattern), "round \(round), width \(width)")
        #expect(least.bitPattern == smallest.bitPattern, "round \(round), width \(width)")
      }
      var gaps = [Float](repeating: 0, count: 16)
      #expect(unsafe vk_wide_box_gaps(node, &frame, count, &gaps) == smallest && gaps == expected)
    }
  }

  @Test("Gaps to edges are the same by all widths")
  func edgeGaps() {
    var random = SplitMix64(seed: 72)
    for round in 0..<3000 {
      let scale = random.logUniform(1e-2...2e5)
      var group = (0..<64).map { _ in Float(random.uniform(-scale...scale)) }
      // Some edges of no length, and some coordinates that are no numbers.
      for i in 1..<17 where random.unit() < 0.1 {
        for axis in 0..<3 { group[20 * axis + i] = group[20 * axis + i - 1] }
      }
      if random.unit() < 0.1 { group[20 * random.below(3) + random.below(17)] = .nan }
      for i in 60..<64 { group[i] = Float(bitPattern: UInt32(truncatingIfNeeded: random.next())) }
      let q = (0..<3).map { _ in Float(random.uniform(-3...3) * scale) }
      var expected = [Float](repeating: 0, count: 16)
      var ends: UInt32 = 0
      let smallest = unsafe vk_edge_gaps(group, q[0], q[1], q[2], &expected, &ends)
      for width in 0...vk_widest() {
        var gaps = [Float](repeating: 0, count: 16)
        var others: UInt32 = 0
        let least = unsafe vk_edge_gaps_by(width, group, q[0], q[1], q[2], &gaps, &others)
        #expect(
          zip(gaps, expected).allSatisfy { $0 == $1 || $0.isNaN && $1.isNaN },
          "round \(round), width \(width)")
        #expect(least == smallest && others == ends, "round \(round), width \(width)")
      }
    }
  }

  @Test("Distances of feet are the same by all widths, however many there are")
  func feet() {
    var random = SplitMix64(seed: 73)
    var series = vk_chord_series()
    unsafe withUnsafeMutableBytes(of: &series) { bytes in
      for i in stride(from: 0, to: bytes.count, by: 8) {
        unsafe bytes.storeBytes(of: random.uniform(0...1e-13), toByteOffset: i, as: Double.self)
      }
    }
    for count in 0...64 {
      var feet = vk_feet()
      unsafe withUnsafeMutableBytes(of: &feet.best) { bytes in
        for owner in 0..<32 {
          unsafe bytes.storeBytes(of: .infinity, toByteOffset: 8 * owner, as: Double.self)
        }
      }
      for _ in 0..<count {
        let p = (0..<3).map { _ in random.uniform(-6e6...6e6) }
        let e = (0..<3).map { _ in random.unit() < 0.3 ? 0 : random.uniform(-1e4...1e4) }
        unsafe vk_add_foot(&feet, UInt32(random.below(32)), p[0], p[1], p[2], e[0], e[1], e[2])
      }
      let q = (0..<3).map { _ in random.uniform(-6e6...6e6) }
      var expected = feet
      unsafe vk_measure_feet(&series, &expected, q[0], q[1], q[2])
      for width in 0...vk_widest() {
        var others = feet
        unsafe vk_measure_feet_by(width, &series, &others, q[0], q[1], q[2])
        #expect(others.count == 0)
        #expect(Self.best(others) == Self.best(expected), "\(count) feet, width \(width)")
      }
      #expect(count == 0 || Self.best(expected).contains { $0 != Double.infinity.bitPattern })
    }
  }

  private static func best(_ feet: vk_feet) -> [UInt64] {
    unsafe withUnsafeBytes(of: feet.best) { unsafe Array($0.bindMemory(to: UInt64.self)) }
  }
}
