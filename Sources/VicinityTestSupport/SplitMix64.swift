internal import CMath
public import VicinityGeodesy

/// The package's random generator with a plain seed.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var stream: RandomStream

  public init(seed: UInt64) { stream = RandomStream(state: seed) }

  public mutating func next() -> UInt64 { stream.next() }

  /// A uniform number in 0 ..< 1.
  public mutating func unit() -> Double { stream.unit() }

  public mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * unit()
  }

  /// A uniform whole number in 0 ..< bound.
  public mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// A number whose logarithm is uniform.
  public mutating func logUniform(_ range: ClosedRange<Double>) -> Double {
    exp2(uniform(log2(range.lowerBound)...log2(range.upperBound)))
  }

  /// A place, uniform over the sphere.
  public mutating func coordinate() -> Coordinate {
    Coordinate(latitude: asin(uniform(-1...1)) * (180 / .pi), longitude: uniform(-180...180))
  }
}
