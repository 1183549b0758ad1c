internal import CLibrary
internal import Dispatch
internal import Synchronization

/// Divides work among threads. Results are placed by position, so they do not depend on the number of threads.
package enum Parallel {
  /// How many processors are online.
  package static let coreCount: Int = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

  /// Calls `body` once for each of `count` items, on up to `threads` threads; returns when all are done.
  ///
  /// Items are handed out one by one, so they may differ in size. `body` must be safe to call
  /// concurrently for different items.
  package static func forEach(
    _ count: Int, threads: Int, _ body: @Sendable (_ item: Int) -> Void
  ) {
    let workers = min(max(1, threads), count)
    guard workers > 1 else {
      for item in 0..<max(0, count) { body(item) }
      return
    }
    let next = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(iterations: workers) { _ in
      while true {
        let item = next.add(1, ordering: .relaxed).oldValue
        guard item < count else { return }
        body(item)
      }
    }
  }

  /// What `body` returns for each of `count` items, in their order.
  ///
  /// - Throws: The error of the first item that has one.
  package static func map<T: Sendable, Failure: Error>(
    _ count: Int, threads: Int, _ body: @Sendable (_ item: Int) throws(Failure) -> T
  ) throws(Failure) -> [T] {
    let results = Mutex([Result<T, Failure>?](repeating: nil, count: max(0, count)))
    forEach(count, threads: threads) { item in
      let result = Result { () throws(Failure) in try body(item) }
      results.withLock { $0[item] = result }
    }
    var values: [T] = []
    for case let result? in results.withLock({ $0 }) { values.append(try result.get()) }
    return values
  }

  /// Calls `body` for consecutive ranges that together cover `0 ..< count`.
  package static func forEachChunk(
    of count: Int, size: Int, threads: Int, _ body: @Sendable (_ chunk: Range<Int>) -> Void
  ) {
    let chunks = (count + size - 1) / size
    forEach(chunks, threads: threads) { i in body(i * size..<min(count, (i + 1) * size)) }
  }
}
