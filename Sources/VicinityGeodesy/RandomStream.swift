internal import CMath

/// A stream of random numbers, determined by a seed and a name.
///
/// Every random process draws from a stream of its own, so that the draws of one do not change those of
/// another. The generator is SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, *Fast Splittable Pseudorandom
/// Number Generators*, OOPSLA 2014); the seed and the name are mixed into its first state.
@usableFromInline
package struct RandomStream: RandomNumberGenerator, Sendable {
  @usableFromInline var state: UInt64
  private var spare: Double?

  package init(seed: UInt64, _ name: StaticString) {
    // FNV-1a over the name.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    name.withUTF8Buffer { bytes in
      for i in bytes.indices { hash = (hash ^ UInt64(unsafe bytes[i])) &* 0x100_0000_01B3 }
    }
    self.init(state: Self.mix(seed &+ Self.mix(hash)))
  }

  /// The stream of plain SplitMix64 from a first state.
  package init(state: UInt64) { self.state = state }

  @inlinable static func mix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  @inlinable package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  /// A uniform number in 0 ..< 1.
  @inlinable package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// A normal number of mean 0 and variance 1.
  ///
  /// G. E. P. Box, M. E. Muller, *A Note on the Generation of Random Normal Deviates*, Ann. Math. Statist.
  /// 29, 1958.
  package mutating func normal() -> Double {
    if let spare {
      self.spare = nil
      return spare
    }
    // 1 - unit() is never zero.
    let radius = (-2 * log(1 - unit())).squareRoot()
    let angle = 2 * Double.pi * unit()
    spare = radius * sin(angle)
    return radius * cos(angle)
  }

  package mutating func exponential(mean: Double) -> Double { -mean * log(1 - unit()) }

  /// A log-normal number with a median; `spread` is the standard deviation of its natural logarithm.
  package mutating func logNormal(median: Double, spread: Double) -> Double {
    median * exp(spread * normal())
  }
}
