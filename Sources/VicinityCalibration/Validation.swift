package import VicinitySimulation

/// The simulator's predictions for days that were not part of the fit, compared with the measurements of those days.
package struct Validation: Sendable {
  package enum Quantity: String, CaseIterable, Sendable {
    case errorMedian = "error p50"
    case errorTail = "error p95"
    case reportedMedian = "reported accuracy p50"
    case intervalMedian = "interval p50"
    case drain = "drain"
    case exitLatency = "exit latency p50"

    package var unit: String {
      switch self {
      case .errorMedian, .errorTail, .reportedMedian: "m"
      case .intervalMedian, .exitLatency: "s"
      case .drain: "%/h"
      }
    }

    /// The allowed deviation as a share of the measured value; nil for quantities without a goal.
    package var goal: Double? {
      switch self {
      case .errorMedian, .drain: 0.15
      case .exitLatency: 0.2
      case .errorTail, .reportedMedian, .intervalMedian: nil
      }
    }
  }

  /// Below this count a prediction may also be judged by the interval.
  package static let fewNumbers = 10

  package struct Row: Sendable {
    package var platform: DeviceProfile.Platform
    /// The name of the regime in the measurements.
    package var regime: String
    package var tier: String
    package var isMoving: Bool
    package var quantity: Quantity
    package var measured: Double
    /// The 95 % interval of the measured value, by days.
    package var interval: ClosedRange<Double>?
    /// The number of measured values, and of their ranges.
    package var count: Int
    package var ranges: Int
    package var predicted: Double
    /// A remark on the row.
    package var note: String
    /// Whether the prediction is independent of the judged days. Otherwise the comparison is shown but not judged.
    package var isJudged = true

    /// The relative deviation of the prediction; nil when the measured value is zero.
    package var difference: Double? { measured > 0 ? predicted / measured - 1 : nil }

    /// The verdict; nil without a goal, or when nothing can be concluded.
    ///
    /// When zero was measured, as with a level that stays at 100 %, a prediction of zero is no success, because many would do; the
    /// row is not counted. A prediction outside the interval is missed there too.
    package var verdict: Verdict? {
      guard isJudged, let goal = quantity.goal else { return nil }
      guard let difference else { return isMetByInterval == false ? .missed : nil }
      if abs(difference) <= goal { return .met }
      return isMetByInterval == true ? .metByInterval : .missed
    }

    /// For few values, whether the prediction lies within the measured interval; nil for many values or without an interval.
    private var isMetByInterval: Bool? {
      count < Validation.fewNumbers ? interval.map { $0.contains(predicted) } : nil
    }
  }

  /// Whether and how a comparison meets its goal.
  package enum Verdict: Sendable {
    /// The deviation is within the goal.
    case met
    /// The deviation is larger, but the values are few and the prediction lies within their interval.
    case metByInterval
    case missed

    package var isMet: Bool { self != .missed }
  }

  /// The number of comparisons by verdict.
  package struct Goals: Hashable, Sendable {
    package var met = 0
    package var metByInterval = 0
    package var missed = 0
    /// Comparisons with a goal from which nothing can be concluded.
    package var notCounted = 0

    package init(_ rows: [Row]) {
      for row in rows where row.quantity.goal != nil {
        switch row.verdict {
        case .met: met += 1
        case .metByInterval: metByInterval += 1
        case .missed: missed += 1
        case nil: notCounted += 1
        }
      }
    }

    /// The number of judged comparisons.
    package var total: Int { met + metByInterval + missed }
  }

  package var goals: Goals { Goals(rows) }

  package var rows: [Row]
  /// The effect of a distance filter on errors, on the same days.
  package var filterEffects: [FilterEffect]
  /// The judged days.
  package var days: [String]
  /// The median length of the reference's own error, metres.
  package var truthNoise: Double
  /// What was fitted besides profiles, and what could not be fitted, in words.
  package var notes: [String]
}

extension ProfileFit {
  /// How many times a range is replayed; more often when each replay has few fixes.
  static func replays(_ range: MeasuredRange) -> Int { range.isStationary ? 60 : 24 }

  /// Judges each day by profiles fitted to all others, and fits the profiles to all days.
  ///
  /// - Parameter templates: A template profile for each kind of phone.
  /// - Returns: The comparison, and the profiles fitted to all days.
  package func validate(
    _ templates: [DeviceProfile], progress: (Double) throws -> Void
  ) throws -> (validation: Validation, profiles: [DeviceProfile]) {
    let folds = Folds(measurements.ranges)
    var rows: [Validation.Row] = []
    var effects: [FilterEffect] = []
    var notes: [String] = []
    var profiles: [DeviceProfile] = []
    for (index, template) in templates.enumerated() {
      func advance(_ share: Double) throws { try progress((Double(index) + share) / Double(templates.count)) }
      var fits: [String: FittedProfile] = [:]
      let ranges = measurements.ranges.filter { $0.platform == template.platform }
      for (index, day) in folds.days.enumerated() where ranges.contains(where: { $0.day == day }) {
        fits[day] = fit(template, idlePower: .fitted) { folds.isFitted($0, judging: day) }
        try advance(0.7 * Double(index) / Double(folds.days.count))
      }
      rows += try compare(template.platform, fits) { try advance(0.7 + 0.15 * $0) }
      effects += try filterEffects(template.platform, fits, rows) { try advance(0.85 + 0.1 * $0) }
      rows += exits(template.platform, fits)
      let whole = fit(template) { _ in true }
      notes.append(
        "\(template.name): reserve of the battery's level \(Sample.rounded(whole.gauge.reserve)) %; drain of each phone over "
          + "the median: \(whole.factors.description)")
      notes.append(
        "\(template.name): power above idle at rest on days out over that at home \(Sample.rounded(whole.sites.ratio)); "
          + "the app's own work \(whole.work.millijoulesPerPoint) mJ for each point that it reads back")
      notes.append(idleNote(template, whole, Array(fits.values)))
      notes += whole.notes.map { "\(template.name): \($0)" }
      profiles.append(whole.profile)
      try advance(1)
    }
    let validation = Validation(
      rows: rows, filterEffects: effects, days: folds.days, truthNoise: noise.median ?? 0, notes: notes)
    return (validation, profiles)
  }

  /// A note on the idle power of the profile and of those that judged days.
  private func idleNote(
    _ template: DeviceProfile, _ whole: FittedProfile, _ fits: [FittedProfile]
  ) -> String {
    let perPercent = template.milliwattsPerPercentAnHour
    let judging = Sample(fits.filter(\.isIdleFitted).map { $0.profile.idle.value / perPercent })
    let own = Sample.rounded(whole.profile.idle.value / perPercent)
    let text =
      "\(template.name): idle power \(own) %/h of the profile (\(whole.profile.idle.basis.rawValue)); "
    guard let low = judging.sorted.first, let high = judging.sorted.last else {
      return text + "no day was judged by one measured on the others"
    }
    return text + "\(Sample.rounded(low)) to \(Sample.rounded(high)) %/h of those that judged days, "
      + "each measured on the other days"
  }

  private struct Group: Hashable {
    var regime: String
    var isStationary: Bool
  }

  private func compare(
    _ platform: DeviceProfile.Platform, _ fits: [String: FittedProfile],
    progress: (Double) throws -> Void
  ) throws -> [Validation.Row] {
    let ranges = measurements.ranges.filter { $0.platform == platform }
    var groups: [Group: [MeasuredRange]] = [:]
    for range in ranges {
      groups[Group(regime: range.regime, isStationary: range.isStationary), default: []].append(range)
    }
    let order = groups.keys.sorted {
      ($0.isStationary ? 1 : 0, $0.regime) < ($1.isStationary ? 1 : 0, $1.regime)
    }
    var rows: [Validation.Row] = []
    for (index, group) in order.enumerated() {
      try progress(Double(index) / Double(order.count))
      var measured: [RangeFigures] = []
      var predicted: [RangeFigures] = []
      var standing: Set<DesiredAccuracy> = []
      var isIdleFitted = true
      for range in groups[group] ?? [] {
        let truth = try truths[range.run] ?? ReplayTruth(range, in: measurements)
        measured.append(RangeFigures(range, truth))
        guard let fitted = fits[range.day] else { continue }
        isIdleFitted = isIdleFitted && fitted.isIdleFitted
        if let key = range.tierKey { standing.insert(fitted.tierStanding(for: key)) }
        for replay in 0..<Self.replays(range) {
          predicted.append(
            try RangeFigures(predicting: range, truth, by: fitted, seed: Self.seed(seed, range, replay)))
        }
      }
      guard let first = groups[group]?.first else { continue }
      let note =
        standing.subtracting(first.accuracy.map { [$0] } ?? []).map(\.rawValue).sorted()
        .map { "where it was not measured on the other days, \($0) stands for it" }.joined(separator: "; ")
      rows += compare(measured, predicted, first, note, isIdleFitted: isIdleFitted)
    }
    return rows
  }

  /// The seed of a replay. It depends on names only, so that an additional range does not change the others.
  static func seed(_ seed: UInt64, _ range: MeasuredRange, _ replay: Int) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ seed
    for byte in range.identifier.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash &+ UInt64(replay) &* 0x9E37_79B9_7F4A_7C15
  }

  private func compare(
    _ measured: [RangeFigures], _ predicted: [RangeFigures], _ range: MeasuredRange, _ note: String,
    isIdleFitted: Bool
  ) -> [Validation.Row] {
    var rows: [Validation.Row] = []
    func row(
      _ quantity: Validation.Quantity, _ probability: Double, _ numbers: (RangeFigures) -> [Double],
      note: String
    ) {
      let all = ClusteredSample(measured.map(numbers))
      guard let value = all.pooled.quantile(probability),
        let guess = Sample(predicted.flatMap(numbers)).quantile(probability)
      else { return }
      rows.append(
        Validation.Row(
          platform: range.platform, regime: range.regime, tier: range.accuracy?.rawValue ?? "off",
          isMoving: !range.isStationary, quantity: quantity, measured: value,
          interval: all.interval(probability, seed: seed), count: all.count, ranges: all.clusters.count,
          predicted: guess, note: note))
    }
    row(.errorMedian, 0.5, \.errors, note: note)
    row(.errorTail, 0.95, \.errors, note: note)
    row(.reportedMedian, 0.5, \.reported, note: note)
    row(.intervalMedian, 0.5, \.intervals, note: note)
    let idleNote = "drains rest on idle power that was not measured on the other days, and are not judged"
    row(
      .drain, 0.5, { $0.drain.map { [$0] } ?? [] },
      note: isIdleFitted ? note : [note, idleNote].filter { !$0.isEmpty }.joined(separator: "; "))
    for index in rows.indices where rows[index].quantity == .drain { rows[index].isJudged = isIdleFitted }
    return rows
  }

  private func exits(
    _ platform: DeviceProfile.Platform, _ fits: [String: FittedProfile]
  ) -> [Validation.Row] {
    let ranges = measurements.ranges.filter { $0.platform == platform && !$0.exits.isEmpty }
    let fit = RegionFit(measurements: measurements, truths: truths, seed: seed)
    var predicted: [Double] = []
    for (day, fitted) in fits.sorted(by: { $0.key < $1.key }) {
      let trips = ranges.filter { $0.day == day }
        .flatMap { range in range.exits.compactMap { fit.trip(range, $0) } }
      predicted += fit.predict(trips, fitted.profile, replays: 50)
    }
    let all = ClusteredSample(ranges.map { $0.exits.map(\.latency) })
    guard let measured = all.pooled.median, let guess = Sample(predicted).median else { return [] }
    return [
      Validation.Row(
        platform: platform, regime: "all duty-cycled", tier: "regions", isMoving: true,
        quantity: .exitLatency,
        measured: measured, interval: all.interval(0.5, seed: seed), count: all.count,
        ranges: all.clusters.count,
        predicted: guess, note: "")
    ]
  }
}

/// Leave-one-day-out cross-validation: each day is judged by profiles fitted to all others.
///
/// A range belongs to the day on which it ended, so that no two nights share a day. No data of a judged day, of any phone, is in
/// the fit.
struct Folds: Sendable {
  let days: [String]

  init(_ ranges: [MeasuredRange]) { days = Set(ranges.map(\.day)).sorted() }

  /// Whether a range is fitted when a day is judged.
  func isFitted(_ range: MeasuredRange, judging day: String) -> Bool { range.day != day }
}
