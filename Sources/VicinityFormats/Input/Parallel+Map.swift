internal import Synchronization
package import VicinityIndex

extension Parallel {
  /// What `body` returns for each of `count` items, in their order, computed on up to `threads` threads.
  package static func map<Result: Sendable>(
    _ count: Int, threads: Int, _ body: @Sendable (_ item: Int) -> Result
  ) -> [Result] {
    guard count > 1, threads > 1 else { return (0..<count).map(body) }
    let results = Mutex([Result?](repeating: nil, count: count))
    forEach(count, threads: threads) { i in
      let result = body(i)
      results.withLock { $0[i] = result }
    }
    return results.withLock { $0.compactMap(\.self) }
  }
}
