import Testing
import VicinityCrossings

@testable import VicinityGeodesy
@testable import VicinitySimulation

@Suite("Delays of deliveries")
struct DeliveryDelayTests {
  private func quantiles(_ points: [(Double, Double)]) throws -> Quantiles {
    try #require(
      Quantiles(points.map { Quantiles.Point($0.0, $0.1) }, basis: .assumed, source: "test"))
  }

  /// The delays of positions that are measured at an interval, each with those before it.
  private func delays(_ quantiles: Quantiles, interval: Double, count: Int) -> [Double] {
    let delay = DeliveryDelay(quantiles, interval: interval)
    var random = RandomStream(seed: 3, "test")
    var last = Timestamp.distantPast
    return (0..<count).map { index in
      let time = Route.time(Double(index) * interval)
      let delivery = delay.delivery(of: time, after: last, &random)
      #expect(delivery >= last)
      last = delivery
      return delivery.seconds(since: time)
    }
  }

  @Test("In order, and distributed as is stated: short, long, and both")
  func distribution() throws {
    let short = try quantiles([(0, 0.06), (0.25, 0.12), (0.5, 0.16), (0.9, 0.23), (1, 0.9)])
    let long = try quantiles([
      (0, 0), (0.25, 0.3), (0.5, 5.5), (0.75, 24.8), (0.9, 44.1), (0.95, 58.4), (1, 200),
    ])
    let uniform = try quantiles([(0, 0), (1, 60)])
    for (quantiles, tolerance) in [(short, 0.01), (long, 0.04), (uniform, 0.03)] {
      let drawn = delays(quantiles, interval: 1, count: 200_000)
      #expect(Statistics.kolmogorovSmirnov(drawn) { quantiles.probability(of: $0) } < tolerance)
    }
  }

  @Test("A constant delay is that")
  func constant() throws {
    for (interval, value) in [(6.0, 2.5), (1, 0), (1, 1), (1, 2.5)] {
      let drawn = delays(SampleProfile.always(value), interval: interval, count: 10)
      #expect(drawn.allSatisfy { abs($0 - value) < 1e-9 })
    }
  }
}
