/// Binary search in arrays whose elements ascend.
extension Array where Element: Comparable {
  /// The position of the first element that is not below `value`.
  @inlinable
  package func lowerBound(of value: Element) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Whether `value` is one of the elements.
  @inlinable
  package func containsSorted(_ value: Element) -> Bool {
    let position = lowerBound(of: value)
    return position < count && self[position] == value
  }
}
