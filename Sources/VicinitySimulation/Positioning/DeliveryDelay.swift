internal import VicinityCrossings
internal import VicinityGeodesy

/// Draws the delays of deliveries, so that they have a given distribution in the long run.
///
/// Positions are delivered in the order of their times. A position that is measured while another one waits
/// is delivered together with it. So long delays are those of batches, whose first position waits longest. If
/// the density of the delays falls beyond the interval between positions, it is a mixture of uniform
/// densities (A. Khintchine, 1938; W. Feller, *An Introduction to Probability Theory and Its Applications*,
/// volume II, 2nd edition, 1971, V.9), and each of them is a batch of one length. The density here is
/// constant between quantiles: batches end at quantiles, as often as the density falls there. Shorter delays
/// are drawn for each position alone. A density that rises beyond the interval cannot be reproduced.
struct DeliveryDelay {
  private let delay: Quantiles
  private let interval: Double
  /// The share of the delays up to the interval.
  private let short: Double
  /// The probability that a position which finds no other one waiting starts a batch.
  private let batchShare: Double
  /// The lengths of batches, seconds, with their cumulative probabilities.
  private let batches: [(probability: Double, length: Double)]

  /// Delays of positions that are measured at an interval in seconds.
  init(_ delay: Quantiles, interval: Double) {
    self.delay = delay
    self.interval = interval
    short = delay.probability(of: interval)
    var falls: [(fall: Double, length: Double)] = []
    let points = delay.points
    for index in points.indices where points[index].value > interval {
      // A step between equal quantiles has been counted with the first of them.
      guard index > 0, points[index - 1].value < points[index].value else { continue }
      let before = Self.density(points, index)
      let after = index + 1 < points.count ? Self.density(points, index + 1) : 0
      if before > after { falls.append((before - after, points[index].value)) }
    }
    let total = falls.reduce(0) { $0 + $1.fall }
    batchShare = short > 0 ? min(1, total * interval / short) : 1
    var sum = 0.0
    batches = falls.map { fall in
      sum += fall.fall
      return (sum / total, fall.length)
    }
  }

  private static func density(_ points: [Quantiles.Point], _ index: Int) -> Double {
    let (a, b) = (points[index - 1], points[index])
    return b.value > a.value ? (b.probability - a.probability) / (b.value - a.value) : .infinity
  }

  /// The time at which a position is delivered.
  ///
  /// - Parameters:
  ///   - time: The time of its measurement.
  ///   - last: The delivery time of the position before it.
  func delivery(of time: Timestamp, after last: Timestamp, _ random: inout RandomStream) -> Timestamp {
    if !batches.isEmpty, time < last { return last }
    return max(last, time.advanced(bySeconds: draw(&random)))
  }

  /// The delay of a position that finds no other one waiting, seconds.
  func draw(_ random: inout RandomStream) -> Double {
    let lot = random.unit()
    guard !batches.isEmpty, lot < batchShare else {
      let rest = batchShare < 1 ? (lot - batchShare) / (1 - batchShare) : lot
      return delay.value(at: batches.isEmpty ? lot : rest * short)
    }
    let choice = lot / batchShare
    let length = batches.first { choice < $0.probability }?.length ?? batches[batches.count - 1].length
    return max(0, length - interval * random.unit())
  }
}
