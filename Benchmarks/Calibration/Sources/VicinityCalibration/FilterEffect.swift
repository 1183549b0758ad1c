package import VicinityGeodesy
internal import VicinitySimulation

/// The effect of a distance filter on errors while moving, measured and predicted.
///
/// Measured: of the fixes of phones without a filter, those that the filter would have let through.
/// Predicted: the same days replayed with the filter. A filter lets the larger errors through; how much it
/// does depends on how errors follow each other, which the medians of all fixes do not show.
package struct FilterEffect: Sendable {
  /// The filter, metres: the one that other phones used. A filter no wider than ``widestNone`` counts as
  /// none.
  package static let filter: Meters = 30
  static let widestNone: Meters = 1

  /// The median and the number of some errors, metres.
  package struct Errors: Sendable {
    package var median: Double
    package var count: Int

    init?(_ errors: [Double]) {
      guard let median = Sample(errors).median else { return nil }
      self.median = median
      count = errors.count
    }
  }

  /// The comparison of the median errors of all fixes.
  package var all: Validation.Row
  /// The errors that the filter lets through.
  package var measured: Errors
  package var predicted: Errors
}

extension MeasuredRange {
  /// Whether the phone was carried, and asked for fixes without a filter and without an interval.
  fileprivate var isUnfilteredMove: Bool {
    !isStationary && requestedInterval == nil
      && distanceFilter.map { $0 <= FilterEffect.widestNone } ?? false
  }

  /// The range as if it had a distance filter. Whenever the service was on, its first fix is kept, and then
  /// each that is at least the filter's distance from the last kept one.
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
  /// The measured and predicted effect of the filter, by regime.
  ///
  /// - Parameters:
  ///   - fits: The profile that judges each day, outing or run.
  ///   - rows: The comparisons of all fixes.
  ///   - folds: What is judged.
  func filterEffects(
    _ platform: DeviceProfile.Platform, _ fits: [String: FittedProfile], _ rows: [Validation.Row],
    _ folds: Folds, progress: (Double) throws -> Void
  ) throws -> [FilterEffect] {
    let compared = rows.filter { $0.platform == platform && $0.isMoving && $0.quantity == .errorMedian }
    var effects: [FilterEffect] = []
    for (index, row) in compared.enumerated() {
      try progress(Double(index) / Double(compared.count))
      var measured: [Double] = []
      var predicted: [Double] = []
      for range in measurements.ranges where range.isUnfilteredMove && range.regime == row.regime {
        guard range.platform == platform, let name = folds.name(of: range) else { continue }
        let truth = try truths[range.run] ?? ReplayTruth(range, in: measurements)
        let behind = range.behind(filter: FilterEffect.filter)
        measured += RangeFigures(behind, truth).errors
        guard let fitted = fits[name] else { continue }
        for (replay, day) in Self.days(range, seed).enumerated() {
          predicted +=
            try RangeFigures(
              predicting: behind, truth, on: measurements.sections[range.run] ?? [], by: fitted.day(day),
              seed: Self.seed(seed, range, replay)
            ).errors
        }
      }
      guard let measured = FilterEffect.Errors(measured), let predicted = FilterEffect.Errors(predicted)
      else { continue }
      effects.append(FilterEffect(all: row, measured: measured, predicted: predicted))
    }
    return effects
  }
}
