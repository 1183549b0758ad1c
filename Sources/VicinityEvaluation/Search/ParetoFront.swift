/// The policies that nothing beats in everything.
public enum ParetoFront {
  /// What the front is of: less energy, more recall, less latency.
  public static let metrics: [Metric] = [.energy, .recall, .p95Latency]

  /// The places of the cards that no other is at least as good as in every metric of ``metrics``, and better in one.
  ///
  /// Cards that are equal in all of them are on the front together, or not at all. A metric without a figure is worse than
  /// any figure.
  ///
  /// - Complexity: O(n²)
  public static func places(of cards: [ScoreCard]) -> [Int] {
    // All turned so that less is better.
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
