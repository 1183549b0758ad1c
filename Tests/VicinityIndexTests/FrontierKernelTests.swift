import CPortableKernels
import CVicinityKernels
import Testing
import VicinityTestSupport

/// The kernels of a search's frontier against their portable twins and against plain arithmetic.
@Suite struct FrontierKernelTests {
  /// What stands in the place of a float that has been taken.
  private static let taken: Float = 3e38

  @Test("The smallest floats are taken")
  func taking() throws {
    var random = SplitMix64(seed: 61)
    for round in 0..<2000 {
      // Distinct, as bounds are that carry their lane numbers; some have been taken before.
      let floats = (0..<16).map { lane in
        random.unit() < 0.2
          ? Self.taken
          : Float(bitPattern: Float(random.uniform(-1e5...1e5)).bitPattern & ~15 | UInt32(lane))
      }
      let smallest = try #require(floats.min())
      guard smallest < Self.taken else { continue }
      let others = floats.map { $0 == smallest ? Self.taken : $0 }
      #expect(unsafe vk_next16(floats, smallest) == others.min(), "round \(round)")
      #expect(unsafe portable.next16(floats, smallest) == others.min())
      var a = floats
      var b = floats
      #expect(unsafe vk_take16(&a, smallest) == others.min())
      #expect(unsafe portable.take16(&b, smallest) == others.min())
      #expect(a == others && b == others)
    }
  }

  @Test("Floats are appended and replaced, and padded for the smallest to be found")
  func appending() throws {
    var random = SplitMix64(seed: 62)
    let capacity = 64
    // Whole vectors are read: the floats start where a vector may.
    let a = unsafe UnsafeMutableRawPointer.allocate(byteCount: 4 * capacity, alignment: 64)
      .initializeMemory(as: Float.self, repeating: Self.taken, count: capacity)
    let b = unsafe UnsafeMutableRawPointer.allocate(byteCount: 4 * capacity, alignment: 64)
      .initializeMemory(as: Float.self, repeating: Self.taken, count: capacity)
    defer {
      unsafe a.deallocate()
      unsafe b.deallocate()
    }
    // What stands beyond the first sixteen is anything.
    for i in 16..<capacity { unsafe (a[i], b[i]) = (-7, -7) }
    var plain: [Float] = []
    for count in 0..<Int32(capacity) {
      let value = Float(random.uniform(-1e5...1e5))
      unsafe vk_push(a, count, value)
      unsafe portable.push(b, count, value)
      plain.append(value)
      let place = random.below(plain.count)
      plain[place] = Float(random.uniform(-1e5...1e5))
      unsafe vk_put(a, Int32(place), plain[place])
      unsafe portable.put(b, Int32(place), plain[place])
      for i in plain.indices { #expect(unsafe a[i] == plain[i] && b[i] == plain[i], "\(count)") }
      let smallest = try #require(plain.min())
      #expect(unsafe Int(vk_argmin(a, count + 1)) == plain.firstIndex(of: smallest))
      #expect(unsafe Int(portable.argmin(b, count + 1)) == plain.firstIndex(of: smallest))
    }
  }
}
