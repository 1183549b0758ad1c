/// The policies that no other policy beats in energy, recall and latency at once.
public enum ParetoFront {
  public static let metrics: [Metric] = [.energy, .recall, .p95Latency]

  /// The indices of the cards on the front: no other card is at least as good in every metric of ``metrics``
  /// and better in one.
  ///
  /// Cards with equal metrics are all on the front, or none of them. No figure is worse than any figure.
  ///
  /// - Complexity: O(n²)
  public static func indices(of cards: [ScoreCard]) -> [Int] {
    // With signs turned so that less is better.
    let points = cards.map { card in
      metrics.map { metric -> Double in
        guard let value = card.value(metric), !value.isNaN else { return .infinity }
        return metric.better == .lower ? value : -value
      }
    }
    return points.indices.filter { place in
      !points.contains { other in
        zip(other, points[place]).allSatisfy { $0 <= $1 } && other != points[place]
      }
    }
  }
}
