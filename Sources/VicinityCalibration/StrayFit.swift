internal import VicinitySimulation

/// Fits how phones that lie still deliver fixes through a distance filter of a metre: in bursts, with silence between.
///
/// The gaps are those from each fix to the next that came once positions had settled. The silence from the last to the end of a
/// range is a gap of which only the least is known. Their distribution is the product limit (E. L. Kaplan, P. Meier,
/// *Nonparametric Estimation from Incomplete Observations*, J. Am. Statist. Assoc. 53, 1958), in which the longest time counts as
/// a gap that ended (B. Efron, *The Two Sample Problem with Censored Data*, Proc. 5th Berkeley Symp. 4, 1967): without it nights
/// that end would make gaps look shorter than they are. Successive gaps are taken to be independent.
struct StrayFit {
  /// Fewer gaps than this have no distribution of their own.
  static let leastCount = 20
  /// The probabilities that gaps are given at: closer together than ``Sample/probabilities``, as gaps go from seconds to half a
  /// day, and between quantiles they are linear.
  static let probabilities = (0...50).map { Double($0) / 50 }

  /// Fixes an hour.
  let rate: Double
  /// The gaps at ``probabilities``, in units of their mean; nil for too few.
  let gaps: [Double]?

  /// The strays of phones that lay still and delivered something.
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

  /// The gaps as a profile has them.
  func gaps(source: String) -> Quantiles? {
    guard let gaps else { return nil }
    var last = 0.0
    let points = zip(Self.probabilities, gaps).map { probability, gap in
      last = max(last, Sample.rounded(gap))
      return Quantiles.Point(probability, last)
    }
    return Quantiles(points, basis: .measured, source: source)
  }

  /// The values at ``probabilities`` of a distribution, of numbers and of others that are known to be at least as large
  /// as something.
  static func productLimit(_ numbers: [Double], open: [Double]) -> [Double] {
    // At the same value numbers come first, as what is open lies beyond.
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

  /// The mean of a distribution by its values at ``probabilities``; none is 0.
  private static func mean(_ values: [Double]) -> Double {
    let points = Array(zip(probabilities, values))
    return zip(points, points.dropFirst()).reduce(0) { sum, pair in
      sum + (pair.1.0 - pair.0.0) * (pair.0.1 + pair.1.1) / 2
    }
  }
}
