internal import VicinitySimulation

/// Fits how phones that lie still deliver fixes through a distance filter of a metre: in bursts, with silence
/// in between.
///
/// The gaps run from each fix to the next, once positions have settled. The silence from the last fix to the
/// end of a range is a censored gap: only a lower bound is known. The distribution of the gaps is the
/// product-limit estimate (E. L. Kaplan, P. Meier, *Nonparametric Estimation from Incomplete Observations*,
/// J. Am. Statist. Assoc. 53, 1958), in which the longest time counts as complete (B. Efron, *The Two Sample
/// Problem with Censored Data*, Proc. 5th Berkeley Symp. 4, 1967). Without censoring, the ends of nights
/// would make gaps look too short. Successive gaps are taken to be independent.
struct StrayFit {
  /// The least number of gaps for a distribution.
  static let leastCount = 20
  /// The probabilities of the quantiles of gaps. They are closer together than ``Sample/probabilities``,
  /// because gaps range from seconds to half a day and are linear between quantiles.
  static let probabilities = (0...50).map { Double($0) / 50 }

  /// Fixes an hour.
  let rate: Double
  /// The quantiles of the gaps at ``probabilities``, in units of their mean; nil for too few gaps.
  let gaps: [Double]?

  /// Fits the ranges of phones that lay still and delivered fixes.
  init(_ ranges: [MeasuredRange]) {
    var ended: [Double] = []
    var open: [Double] = []
    for range in ranges {
      let settled = SettlingFit.settledTime(range)
      var last = range.start
      for fix in range.fixes {
        if fix.time >= settled { ended.append(max(0, fix.time - last)) }
        last = fix.time
      }
      open.append(max(0, range.end - last))
    }
    let hours = ranges.reduce(0) { $0 + $1.hours }
    let values = ended.count >= Self.leastCount ? Self.productLimit(ended, open: open) : []
    let mean = Self.mean(values)
    if mean > 0 {
      rate = 3600 / mean
      gaps = values.map { $0 / mean }
    } else {
      rate = hours > 0 ? Double(ended.count) / hours : 0
      gaps = nil
    }
  }

  func gaps(source: String) -> Quantiles? {
    gaps.flatMap { Sample.quantiles($0, at: Self.probabilities, source: source) }
  }

  /// The product-limit quantiles at ``probabilities``.
  ///
  /// - Parameters:
  ///   - numbers: Complete observations.
  ///   - open: Censored observations: lower bounds.
  static func productLimit(_ numbers: [Double], open: [Double]) -> [Double] {
    // At equal values complete observations come first, because a censored one lies beyond.
    let all = (numbers.map { ($0, true) } + open.map { ($0, false) })
      .sorted { $0.0 == $1.0 ? $0.1 && !$1.1 : $0.0 < $1.0 }
    guard let last = all.last else { return [] }
    var steps: [(value: Double, below: Double)] = []
    var beyond = 1.0
    for (index, (value, isEnd)) in all.enumerated() where isEnd {
      beyond *= 1 - 1 / Double(all.count - index)
      steps.append((value, 1 - beyond))
    }
    return probabilities.map { probability in
      let wanted = max(0.001, min(0.999, probability))
      return steps.first { $0.below >= wanted - 1e-12 }?.value ?? last.0
    }
  }

  /// The mean of a distribution given by its values at ``probabilities``; 0 for none.
  private static func mean(_ values: [Double]) -> Double {
    let points = Array(zip(probabilities, values))
    return zip(points, points.dropFirst()).reduce(0) { sum, pair in
      sum + (pair.1.0 - pair.0.0) * (pair.0.1 + pair.1.1) / 2
    }
  }
}
