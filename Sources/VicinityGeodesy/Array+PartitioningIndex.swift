extension Array {
  /// The first index whose element, and so all after it, satisfies `predicate`; `count` where none does.
  ///
  /// - Complexity: O(log n)
  package func partitioningIndex(where predicate: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if predicate(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
