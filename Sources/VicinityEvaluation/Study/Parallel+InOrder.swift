internal import Synchronization
internal import VicinityIndex

extension Parallel {
  /// Runs `body` for the numbers 0 ..< count on some threads.
  ///
  /// - Returns: The results in the order of their numbers.
  /// - Throws: The error of the first number that has one.
  package static func inOrder<T: Sendable, Failure: Error>(
    _ count: Int, threads: Int, _ body: @Sendable (Int) throws(Failure) -> T
  ) throws(Failure) -> [T] {
    let results = Mutex([Result<T, Failure>?](repeating: nil, count: max(0, count)))
    forEach(count, threads: threads) { number in
      let result: Result<T, Failure>
      do throws(Failure) { result = .success(try body(number)) } catch { result = .failure(error) }
      results.withLock { $0[number] = result }
    }
    var values: [T] = []
    for result in results.withLock({ $0 }) {
      if let result { values.append(try result.get()) }
    }
    return values
  }
}
