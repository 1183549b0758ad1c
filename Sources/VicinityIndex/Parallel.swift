internal import CLibrary
internal import Dispatch
internal import Synchronization

/// Divides work among threads. Results are placed by position, so they do not depend on the number of
/// threads.
package enum Parallel {
  /// How many processors are online.
  package static let coreCount: Int = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

  /// The process that has divided work among threads, or in which one before it has; 0 before the first.
  private static let owner = Atomic<Int32>(0)

  /// Whether this process was forked from one that had divided work: the threads that waited for more are not
  /// here, and Dispatch does not know it.
  private static var isForked: Bool {
    let process = getpid()
    let (isFirst, owner) = owner.compareExchange(expected: 0, desired: process, ordering: .relaxed)
    return !isFirst && owner != process
  }

  /// Calls `body` once for each of `count` items, on up to `threads` threads; returns when all are done. In a
  /// process that was forked from one that had called this, the calling thread does all of it.
  ///
  /// Items are handed out one by one, so they may differ in size. `body` must be safe to call
  /// concurrently for different items.
  package static func forEach(
    _ count: Int, threads: Int, _ body: @Sendable (_ item: Int) -> Void
  ) {
    let workers = min(max(1, threads), count)
    guard workers > 1, !isForked else {
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

extension Parallel {
  /// Fewer are sorted by one thread.
  private static let fewestSortedApart = 1 << 14

  /// Sorts; equal items keep their order. The result does not depend on the number of threads.
  ///
  /// A sample is sorted and divides the items into as many buckets of about the same size as four times the
  /// threads; each is sorted on its own (W. D. Frazer and A. C. McKellar, *Samplesort*, J. ACM 17, 1970).
  ///
  /// - Complexity: O(n log n) comparisons
  package static func sort<T: Sendable>(
    _ items: inout [T], threads: Int, by precedes: @Sendable (T, T) -> Bool
  ) {
    guard threads > 1, items.count >= fewestSortedApart else {
      items.sort(by: precedes)
      return
    }
    let buckets = 4 * threads
    let step = max(1, items.count / (64 * buckets))
    var sample = stride(from: 0, to: items.count, by: step).map { items[$0] }
    sample.sort(by: precedes)
    let splitters = (1..<buckets).map { sample[$0 * sample.count / buckets] }
    // Each stretch of items counts how many belong into each bucket; stretch after stretch they keep their
    // order there.
    let all = items
    let size = (all.count + threads - 1) / threads
    let parts: [[[T]]] = map(threads, threads: threads) { part in
      var found = [[T]](repeating: [], count: buckets)
      for i in min(all.count, part * size)..<min(all.count, (part + 1) * size) {
        var (low, high) = (0, splitters.count)
        while low < high {
          let middle = (low + high) / 2
          if precedes(all[i], splitters[middle]) { high = middle } else { low = middle + 1 }
        }
        found[low].append(all[i])
      }
      return found
    }
    let sorted: [[T]] = map(buckets, threads: threads) { bucket in
      var own: [T] = []
      own.reserveCapacity(parts.reduce(0) { $0 + $1[bucket].count })
      for part in parts { own += part[bucket] }
      own.sort(by: precedes)
      return own
    }
    items.removeAll(keepingCapacity: true)
    for bucket in sorted { items += bucket }
  }
}
