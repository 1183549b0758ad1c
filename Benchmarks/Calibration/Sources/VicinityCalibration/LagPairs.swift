/// Pairs the members of a series by their distance in time.
enum LagPairs {
  /// Calls `body` for each bin of lags and each member `i`, with the first later member `j` whose lag falls
  /// in the bin.
  ///
  /// - Parameters:
  ///   - times: The times of the members, seconds, ascending.
  ///   - bounds: The bounds of the bins, seconds, ascending.
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
