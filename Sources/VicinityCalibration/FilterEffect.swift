package import VicinityGeodesy
internal import VicinitySimulation

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

  /// The comparison of all fixes' median errors.
  package var all: Validation.Row
  /// Those that the filter lets through.
  package var measured: Errors
  package var predicted: Errors
}

extension MeasuredRange {
  /// Whether it was carried about by a phone that was asked for fixes without a filter, and without an interval.
  fileprivate var isUnfilteredMove: Bool {
    !isStationary && requestedInterval == nil
      && distanceFilter.map { $0 <= FilterEffect.widestNone } ?? false
  }

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
  /// - Parameters:
  ///   - fits: Profiles by the day that they are to judge.
  ///   - rows: The comparisons of all fixes.
  func filterEffects(
    _ platform: DeviceProfile.Platform, _ fits: [String: FittedProfile], _ rows: [Validation.Row],
    progress: (Double) throws -> Void
  ) throws -> [FilterEffect] {
    let compared = rows.filter { $0.platform == platform && $0.isMoving && $0.quantity == .errorMedian }
    var effects: [FilterEffect] = []
    for (index, row) in compared.enumerated() {
      try progress(Double(index) / Double(compared.count))
      var measured: [Double] = []
      var predicted: [Double] = []
      for range in measurements.ranges where range.isUnfilteredMove && range.regime == row.regime {
        guard range.platform == platform else { continue }
        let truth = try truths[range.run] ?? ReplayTruth(range, in: measurements)
        let behind = range.behind(filter: FilterEffect.filter)
        measured += RangeFigures(behind, truth).errors
        guard let fitted = fits[range.day] else { continue }
        for replay in 0..<Self.replays(range) {
          predicted +=
            try RangeFigures(
              predicting: behind, truth, by: fitted, seed: Self.seed(seed, range, replay)
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
