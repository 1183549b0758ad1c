internal import VicinityCrossings
internal import VicinityGeodesy

/// How long positions wait for their delivery, so that in the end their delays have a stated distribution.
///
/// Positions are delivered in the order of their times: one that is measured while another waits comes with it, at once. So long
/// delays are those of batches, whose first position waits longest. Where delays beyond the interval of positions have a density
/// that falls, they are a mixture of uniform ones (A. Khintchine, 1938; W. Feller, *An Introduction to Probability Theory and
/// Its Applications*, volume II, 2nd edition, 1971, V.9), and each of these is a batch that waits for so long: of a density that
/// is constant between quantiles, batches end at the quantiles, as often as the density falls there. Shorter delays are drawn for
/// each position by itself. A density that rises beyond the interval is not met.
struct DeliveryDelay {
  private let delay: Quantiles
  private let interval: Double
  /// The share of the delays up to the interval.
  private let short: Double
  /// The probability that a position which does not find another waiting begins a batch.
  private let batchShare: Double
  /// The batches' lengths, seconds, with the probability of those up to each.
  private let batches: [(probability: Double, length: Double)]

  /// Delays of positions that are measured at an interval, seconds.
  init(_ delay: Quantiles, interval: Double) {
    self.delay = delay
    self.interval = interval
    short = delay.probability(of: interval)
    var falls: [(fall: Double, length: Double)] = []
    let points = delay.points
    for index in points.indices where points[index].value > interval {
      // From the quantile before, which differs, or the fall has been counted with it.
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

  /// When a position is delivered.
  ///
  /// - Parameters:
  ///   - time: When it was measured.
  ///   - last: When the one before is, or was, delivered.
  func delivery(of time: Timestamp, after last: Timestamp, _ random: inout RandomStream) -> Timestamp {
    if !batches.isEmpty, time < last { return last }
    return max(last, time.advanced(bySeconds: draw(&random)))
  }

  /// The delay of a position that finds no other waiting, seconds.
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
