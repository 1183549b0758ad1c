internal import VicinityGeodesy

/// One true pass through a region: how near to its middle the phone kept, and for how long.
struct PassProfile: Sendable {
  /// For each length of time asked for, the smallest radius around the middle that the phone kept within for as long without a
  /// break; infinite where the track was not that long. Ascending.
  var radii: [Meters]

  /// The profile of distances from a region's middle at equal steps of time.
  ///
  /// The smallest disc that holds a stretch of the way of n steps is that of the greatest distance on it, so what is wanted is
  /// the least of the sliding maxima; those cost O(1) amortised by a queue of candidates in descending order (as in
  /// D. Lemire, *Streaming Maximum-Minimum Filter Using No More than Three Comparisons per Element*, Nordic J. Computing 13,
  /// 2006).
  ///
  /// - Parameters:
  ///   - distances: Metres, a step apart.
  ///   - steps: The lengths of time, in steps, ascending; zero is the nearest single place.
  ///   - core: The steps that belong to the pass itself; a stretch counts where it has one of them.
  /// - Complexity: O(distances × steps)
  init(_ distances: [Meters], steps: [Int], core: ClosedRange<Int>) {
    radii = []
    var queue: [Int] = []
    for length in steps {
      var least = Meters.infinity
      queue.removeAll(keepingCapacity: true)
      var head = 0
      for end in distances.indices {
        while queue.count > head, let last = queue.last, distances[last] <= distances[end] {
          queue.removeLast()
        }
        queue.append(end)
        let start = end - length
        guard start >= 0 else { continue }
        while queue[head] < start { head += 1 }
        if start <= core.upperBound, end >= core.lowerBound { least = min(least, distances[queue[head]]) }
      }
      radii.append(least)
    }
  }

  /// How long the phone kept within a radius, in the unit of `lengths`; nil where it did not come so near.
  ///
  /// Linear between the lengths that were asked for, and no longer than the last.
  func duration(within radius: Meters, lengths: [Double]) -> Double? {
    guard let last = radii.lastIndex(where: { $0 <= radius }) else { return nil }
    guard last + 1 < radii.count, radii[last + 1] < .infinity else { return lengths[last] }
    let share = (radius - radii[last]) / (radii[last + 1] - radii[last])
    return lengths[last] + (lengths[last + 1] - lengths[last]) * share
  }
}
