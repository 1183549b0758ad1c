import Testing

@testable import VicinityCalibration
@testable import VicinityGeodesy

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Bootstrap by blocks")
struct BlockBootstrapTests {
  /// A series of variance 1 whose neighbours are correlated by so much.
  private func series(_ correlation: Double, count: Int, seed: UInt64) -> [Double] {
    var random = RandomStream(seed: seed, "series")
    var value = random.normal()
    return (0..<count).map { _ in
      value = correlation * value + (1 - correlation * correlation).squareRoot() * random.normal()
      return value
    }
  }

  @Test("Blocks are as long as the rule says for a series whose autocovariances are known")
  func blockLength() {
    // R(k) = ρ^|k|: G = 2ρ / (1-ρ)², Σ R = (1+ρ) / (1-ρ).
    let rho = 0.8
    let count = 4000
    let g = 2 * rho / ((1 - rho) * (1 - rho))
    let sum = (1 + rho) / (1 - rho)
    let best = cbrt(2 * g * g / (4.0 / 3 * sum * sum) * Double(count))
    let found = (0..<20).map {
      Double(BlockBootstrap.blockLength(series(rho, count: count, seed: UInt64($0) + 1)))
    }
    #expect(abs(Statistics.mean(found) / best - 1) < 0.25, "\(found) \(best)")
    // Independent numbers need none to speak of, and what does not change needs none.
    let alone = (0..<20).map {
      Double(BlockBootstrap.blockLength(series(0, count: count, seed: UInt64($0) + 1)))
    }
    #expect(Statistics.mean(alone) < best / 3, "\(alone)")
    #expect(BlockBootstrap.blockLength([Double](repeating: 3, count: 100)) == 1)
    #expect(BlockBootstrap.blockLength([1, 2]) == 1)
  }

  @Test("Intervals of a correlated series hold its median about as often as they say", arguments: [0.0, 0.8])
  func coverage(correlation: Double) throws {
    let trials = 200
    var held = 0
    for trial in 0..<trials {
      let numbers = series(correlation, count: 600, seed: UInt64(trial) + 1).map { 100 + $0 }
      let bootstrap = BlockBootstrap(numbers: numbers)
      let interval = try #require(bootstrap.interval(0.5, seed: UInt64(trial), rounds: 200))
      if interval.contains(100) { held += 1 }
    }
    // 190 are wanted, of which a binomial number strays by 12 in four deviations; blocks cut what is
    // correlated, and hold less.
    #expect(held >= 170 && held <= 200, "\(held)")
  }

  @Test("A single range has an interval by blocks, of few numbers none; the same seed gives the same")
  func singleRange() throws {
    let numbers = series(0.9, count: 400, seed: 3).map { 10 + $0 }
    let sample = ClusteredSample([numbers, []])
    let interval = try #require(sample.interval(0.5, seed: 1))
    #expect(interval == sample.interval(0.5, seed: 1))
    let median = try #require(sample.pooled.median)
    #expect(interval.contains(median))
    // As if they were independent, it would be far too narrow.
    let alone = try #require(
      ClusteredSample(numbers.map { [$0] }).interval(0.5, seed: 1))
    #expect(
      interval.upperBound - interval.lowerBound > 2 * (alone.upperBound - alone.lowerBound),
      "\(interval) \(alone)")
    #expect(BlockBootstrap(numbers: Array(numbers.prefix(29))).interval(0.5, seed: 1) == nil)
  }
}
