/// Pairs of a series' members by how much later the second is.
enum LagPairs {
  /// Calls `body` with each bin of lags, each member, and the first that is later by what the bin begins with, where that is
  /// still in the bin.
  ///
  /// - Parameters:
  ///   - times: Of the members, seconds, ascending.
  ///   - bounds: Where bins begin, and the last ends, seconds, ascending.
  /// - Complexity: O(bins x members)
  static func forEach(_ times: [Double], bounds: [Double], _ body: (_ bin: Int, _ i: Int, _ j: Int) -> Void) {
    for bin in 0..<bounds.count - 1 {
      var j = 0
      for i in times.indices {
        j = max(j, i + 1)
        while j < times.count, times[j] - times[i] < bounds[bin] { j += 1 }
        guard j < times.count, times[j] - times[i] < bounds[bin + 1] else { continue }
        body(bin, i, j)
      }
    }
  }
}
