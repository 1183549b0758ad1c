import Testing
import VicinityTestSupport

@testable import VicinityIndex

@Suite struct ParallelSortTests {
  /// As the standard library sorts, equal items in their order, whatever the number of threads; also where
  /// nearly all are equal, and where they are sorted already.
  @Test(arguments: [1, 2, 3, 8], [0, 1, 1000, 16_384, 50_000])
  func stableForAnyThreads(_ threads: Int, _ count: Int) {
    let seed: UInt64 = 61
    var random = SplitMix64(seed: seed)
    for limit in [1, 3, 1000, 1 << 40] {
      let items = (0..<count).map { (key: random.below(limit), place: $0) }
      var found = items
      Parallel.sort(&found, threads: threads) { $0.key < $1.key }
      let wanted = items.sorted { $0.key != $1.key ? $0.key < $1.key : $0.place < $1.place }
      #expect(found.map(\.place) == wanted.map(\.place), "seed \(seed), keys below \(limit)")
      var again = found
      Parallel.sort(&again, threads: threads) { $0.key < $1.key }
      #expect(again.map(\.place) == found.map(\.place))
    }
  }
}
