import CPortableKernels
import CVicinityKernels
import Testing
import VicinityTestSupport

/// The vector kernels against their portable twins, and the list of best bounds against sorting.
@Suite struct KernelTests {
  /// A block of numbers such as a leaf or node holds.
  static func block(_ rows: Int, _ random: inout SplitMix64) -> [Float] {
    (0..<rows * 16).map { i in
      if random.unit() < 0.05 { return i < rows * 16 - 16 ? 1e9 : 0 }
      return Float(random.uniform(-1e5...1e5))
    }
  }

  @Test func vectorsAgreeWithTheirPortableTwins() {
    var random = SplitMix64(seed: 31)
    for round in 0..<5000 {
      let scale = Float(random.logUniform(1e-3...100))
      var node = Self.block(8, &random)
      for i in 48..<112 { node[i] = abs(node[i]) }
      let q = (0..<3).map { _ in Float(random.uniform(-1e5...1e5)) * scale }
      var a = [Float](repeating: 0, count: 16)
      var b = a
      let smallest = unsafe vk_node_bounds(node, q[0], q[1], q[2], 3, &a)
      #expect(unsafe smallest == portable_node_bounds(node, q[0], q[1], q[2], 3, &b), "round \(round)")
      #expect(a.map(\.bitPattern) == b.map(\.bitPattern), "round \(round)")
      #expect(smallest == a.min())
      #expect(Set(a.map { $0.bitPattern & 15 }).count == 16)
      #expect(unsafe vk_smallest16(a) == portable_smallest16(a))
      #expect(unsafe vk_argmin(a, 16) == portable_argmin(a, 16))
      #expect(unsafe Int(vk_argmin(a, 16)) == a.firstIndex(of: smallest))

      var lower = [Float](repeating: 0, count: 16)
      var upper = lower
      var otherLower = lower
      var otherUpper = lower
      let threshold = Float(random.uniform(-1e5...1e5))
      let mask = unsafe vk_leaf_bounds(node, q[0], q[1], q[2], 1, threshold, &lower, &upper)
      #expect(
        unsafe mask
          == portable_leaf_bounds(node, q[0], q[1], q[2], 1, threshold, &otherLower, &otherUpper))
      #expect(lower.map(\.bitPattern) == otherLower.map(\.bitPattern))
      #expect(upper.map(\.bitPattern) == otherUpper.map(\.bitPattern))
      for lane in 0..<16 { #expect((mask >> UInt32(lane) & 1 != 0) == (lower[lane] < threshold)) }

      var inside = -Float.greatestFiniteMagnitude
      var outside: Float = 1e30
      var otherInside = inside
      var otherOutside = outside
      let part = unsafe vk_part(lower, upper, threshold, &inside, &outside)
      #expect(unsafe part == portable_part(lower, upper, threshold, &otherInside, &otherOutside))
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
      let empty = [Float](repeating: 0, count: 3) + [-.infinity] + [Float](repeating: 1e8, count: count + 28)
      var list = empty
      var twin = empty
      var all: [Float] = []
      for _ in 0..<random.below(12) {
        let values = (0..<16).map { _ in Float(random.uniform(-1000...1000)) }
        let mask = UInt32(random.below(65536))
        unsafe vk_insert(&list, Int32((count + 3) / 4), values, mask)
        unsafe portable_insert(&twin, Int32((count + 3) / 4), values, mask)
        for lane in 0..<16 where mask >> UInt32(lane) & 1 != 0 { all.append(values[lane]) }
      }
      all.sort()
      let expected = Array((all + [Float](repeating: 1e8, count: count)).prefix(count))
      #expect(Array(list[4..<4 + count]) == expected)
      #expect(Array(twin[4..<4 + count]) == expected)
    }
  }
}
