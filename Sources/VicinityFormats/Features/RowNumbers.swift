/// The line or feature number of each region, by its ordinal.
///
/// Most follow each other, so only where they do not is stored. Numbers of features may be any, so sums wrap.
struct RowNumbers {
  private var runs: [(ordinal: Int, number: Int64)] = []
  private(set) var count = 0

  mutating func append(_ number: Int64) {
    if let last = runs.last, last.number &+ Int64(count - last.ordinal) == number {
      count += 1
      return
    }
    runs.append((count, number))
    count += 1
  }

  /// - Precondition: `0 <= ordinal < count`.
  /// - Complexity: O(log n)
  subscript(ordinal: Int) -> Int64 {
    var (low, high) = (0, runs.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if runs[middle].ordinal <= ordinal { low = middle } else { high = middle }
    }
    return runs[low].number &+ Int64(ordinal - runs[low].ordinal)
  }
}
