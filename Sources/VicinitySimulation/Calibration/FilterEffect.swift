package import VicinityGeodesy

/// What a distance filter does to errors on the move, of phones that had none: of their fixes those that one would have let
/// through, against the same days replayed behind one.
///
/// A filter lets the larger errors through. How much so depends on how errors follow each other, which medians of all fixes
/// say nothing of.
package struct FilterEffect: Sendable {
  /// The filter, metres: the one that other phones had. Phones whose filter was no wider than ``widestNone`` count as having
  /// none.
  package static let filter: Meters = 30
  static let widestNone: Meters = 1

  /// The median of some errors, metres, and how many there are.
  package struct Errors: Sendable {
    package var median: Double
    package var count: Int

    init?(_ errors: [Double]) {
      guard let median = Sample(errors).median else { return nil }
      self.median = median
      count = errors.count
    }
  }

  package var platform: DeviceProfile.Platform
  /// The regime's name in the measurements, and what it is.
  package var regime: String
  package var tier: String
  /// How many phones' days.
  package var ranges: Int
  /// All fixes, and those that the filter lets through.
  package var measured: Errors
  package var measuredBehind: Errors
  package var predicted: Errors
  package var predictedBehind: Errors
}

extension MeasuredRange {
  /// The range with the fixes that a distance filter would have let through, and with that filter: each time that the service
  /// was on the first, and then each that is no nearer than that to the last one let through.
  func behind(filter: Meters) -> MeasuredRange {
    var range = self
    range.distanceFilter = filter
    range.fixes = []
    for interval in tracking {
      var last: Coordinate?
      for fix in fixes where interval.contains(fix.time) {
        if let last, Geodesic.uncheckedDistance(last, fix.coordinate) < filter { continue }
        last = fix.coordinate
        range.fixes.append(fix)
      }
    }
    let times = Set(range.fixes.map(\.time))
    range.errors = errors.filter { times.contains($0.time) }
    return range
  }
}

extension ProfileFit {
  /// What a filter does, measured and predicted, by regime.
  ///
  /// - Parameter fits: Profiles by the day that they are to judge.
  func filterEffects(
    _ platform: DeviceProfile.Platform, _ fits: [String: FittedProfile], progress: (Double) throws -> Void
  ) throws -> [FilterEffect] {
    let ranges = measurements.ranges.filter { range in
      range.platform == platform && !range.isStationary && range.requestedInterval == nil
        && range.distanceFilter.map { $0 <= FilterEffect.widestNone } ?? false
        && !RangeFigures(range, nil).errors.isEmpty
    }
    var effects: [FilterEffect] = []
    var doneCount = 0
    for regime in Set(ranges.map(\.regime)).sorted() {
      var measured: [Double] = []
      var measuredBehind: [Double] = []
      var predicted: [Double] = []
      var predictedBehind: [Double] = []
      let ranges = ranges.filter { $0.regime == regime }
      for range in ranges {
        try progress(Double(doneCount) / Double(measurements.ranges.count))
        doneCount += 1
        let truth = try truths[range.run] ?? ReplayTruth(range, in: measurements)
        let behind = range.behind(filter: FilterEffect.filter)
        measured += RangeFigures(range, truth).errors
        measuredBehind += RangeFigures(behind, truth).errors
        guard let fitted = fits[range.day] else { continue }
        for replay in 0..<Self.replays(range) {
          let seed = Self.seed(seed, range, replay)
          predicted += try RangeFigures(predicting: range, truth, by: fitted, seed: seed).errors
          predictedBehind += try RangeFigures(predicting: behind, truth, by: fitted, seed: seed).errors
        }
      }
      guard let measured = FilterEffect.Errors(measured), let predicted = FilterEffect.Errors(predicted),
        let measuredBehind = FilterEffect.Errors(measuredBehind),
        let predictedBehind = FilterEffect.Errors(predictedBehind)
      else { continue }
      effects.append(
        FilterEffect(
          platform: platform, regime: regime, tier: ranges.first?.accuracy?.rawValue ?? "",
          ranges: ranges.count, measured: measured, measuredBehind: measuredBehind, predicted: predicted,
          predictedBehind: predictedBehind))
    }
    return effects
  }
}
