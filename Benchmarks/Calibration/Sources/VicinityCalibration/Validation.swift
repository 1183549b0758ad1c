internal import VicinityMonitor
package import VicinitySimulation

/// The simulator's predictions for days that were not part of the fit, compared with the measurements of
/// those days.
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
    /// The fits that the prediction is from.
    package var split = Split.day
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
    /// What is predicted for 90 % of new days. Of outings and folders it is the mean of their values'
    /// intervals (``Validation/Value/interval``), weighed by ranges; of days it is by simulated days alone:
    /// the same ranges, with the effects of other days (`DayEffects`).
    package var newDays: ClosedRange<Double>?
    /// The width that holds 90 % of the measured ranges, were they normal: 3.29 standard deviations; nil for
    /// fewer than three.
    package var spread: Double?
    /// A remark on the row.
    package var note: String
    /// Whether the prediction is independent of the judged days. Otherwise the comparison is shown but not
    /// judged.
    package var isJudged = true

    /// The relative deviation of the prediction; nil when the measured value is zero.
    package var difference: Double? { measured > 0 ? predicted / measured - 1 : nil }

    /// Whether the measured value lies within ``newDays``; nil without a goal, or when nothing can be
    /// concluded.
    package var isWithinNewDays: Bool? {
      guard isJudged, quantity.goal != nil, measured > 0 else { return nil }
      return newDays?.contains(measured)
    }

    /// The verdict; nil without a goal, or when nothing can be concluded.
    ///
    /// When zero was measured, as with a level that stays at 100 %, a prediction of zero is no success,
    /// because many would do; the row is not counted. A prediction outside the interval is missed there too.
    package var verdict: Verdict? {
      guard isJudged, let goal = quantity.goal else { return nil }
      guard let difference else { return isMetByInterval == false ? .missed : nil }
      if abs(difference) <= goal { return .met }
      return isMetByInterval == true ? .metByInterval : .missed
    }

    /// For few values, whether the prediction lies within the measured interval; nil for many values or
    /// without an interval.
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

  /// Which measurements judge, and which are fitted then.
  package enum Split: String, CaseIterable, Sendable {
    /// Each day is judged by fits on all others. The same outing on another day may be among them.
    case day
    /// Each outing is judged by fits on all others: on days unlike those fitted.
    case outing
    /// Measurements that are only judged, by one fit on all others.
    case folder
  }

  package func goals(_ split: Split) -> Goals { Goals(rows.filter { $0.split == split }) }

  /// How many pairs of regimes are told apart by what they drain, and of how many the prediction has the
  /// order right.
  package struct EnergyOrder: Hashable, Sendable {
    /// Pairs of one kind of phone, both moving or both at rest, whose measured intervals do not overlap.
    package var pairs = 0
    package var right = 0

    package init(_ rows: [Row]) {
      let drains = rows.filter { $0.quantity == .drain && $0.isJudged && $0.interval != nil }
      for (place, one) in drains.enumerated() {
        for other in drains[(place + 1)...]
        where one.platform == other.platform && one.isMoving == other.isMoving {
          guard let a = one.interval, let b = other.interval, !a.overlaps(b) else { continue }
          pairs += 1
          if one.predicted != other.predicted,
            (one.predicted < other.predicted) == (a.upperBound < b.lowerBound)
          {
            right += 1
          }
        }
      }
    }
  }

  package func energyOrder(_ split: Split) -> EnergyOrder {
    EnergyOrder(rows.filter { $0.split == split })
  }

  package var rows: [Row]
  /// What each held-back outing measured, with intervals; none where days are left out.
  package var values: [Value] = []
  /// The effect of a distance filter on errors, on the same days.
  package var filterEffects: [FilterEffect]
  /// The splits, and the names of the days, outings or runs that each judges.
  package var splits: [(split: Split, names: [String])]
  /// The median length of the reference's own error, metres.
  package var truthNoise: Double
  /// What was fitted besides profiles, and what could not be fitted, in words.
  package var notes: [String]
}

extension ProfileFit {
  /// How many times a range is replayed; more often when each replay has few fixes.
  static func replays(_ range: MeasuredRange) -> Int { range.isStationary ? 60 : 24 }

  /// Judges days, outings or runs by profiles that are not fitted to them, and fits the profiles to all
  /// measurements but those that are only judged.
  ///
  /// - Parameters:
  ///   - templates: A template profile for each kind of phone.
  ///   - splits: What is left out in turn; ignored where runs are only judged.
  ///   - judged: The runs that are only judged.
  /// - Returns: The comparison, and the profiles.
  package func validate(
    _ templates: [DeviceProfile], splits: [Validation.Split] = [.day], judging judged: Set<String> = [],
    progress: (Double) throws -> Void
  ) throws -> (validation: Validation, profiles: [DeviceProfile]) {
    let allFolds =
      judged.isEmpty
      ? splits.map { Folds(measurements.ranges, by: $0) } : [Folds(measurements.ranges, judging: judged)]
    var rows: [Validation.Row] = []
    var values: [Validation.Value] = []
    var outingFolds: [Validation.Split: [String: [String: OutingIntervals.Fold]]] = [:]
    var effects: [FilterEffect] = []
    var notes: [String] = []
    var profiles: [DeviceProfile] = []
    for (index, template) in templates.enumerated() {
      var fits: [FittedProfile] = []
      for (number, folds) in allFolds.enumerated() {
        func advance(_ share: Double) throws {
          let parts = Double(index * allFolds.count + number) + share
          try progress(parts / Double(templates.count * allFolds.count))
        }
        let judging = try self.fits(template, folds) { try advance(0.4 * $0) }
        let left = try self.outingFolds(template, folds) { try advance(0.4 + 0.35 * $0) }
        for (name, others) in left {
          outingFolds[folds.split, default: [:]][name, default: [:]].merge(others) { $0.merged($1) }
        }
        let found = try compare(template.platform, judging, folds) { try advance(0.75 + 0.1 * $0) }
        effects += try filterEffects(template.platform, judging, found.rows, folds) {
          try advance(0.85 + 0.1 * $0)
        }
        let exits = exits(template.platform, judging, folds)
        rows += found.rows + exits.rows
        values += found.values + exits.values
        fits += judging.values
      }
      let whole = try fit(template) { !judged.contains($0.run) }
      notes.append(
        "\(template.name): reserve of the battery's level \(Sample.rounded(whole.gauge.reserve)) %; drain of each phone over "
          + "the median: \(whole.factors.description)")
      notes.append(
        "\(template.name): power above idle at rest on days out over that at home \(Sample.rounded(whole.sites.ratio)); "
          + "the app's own work \(whole.work.millijoulesPerPoint) mJ for each point that it reads back")
      if let days = whole.profile.days {
        let (errors, power, times) = (days.errors.value, days.power.value, days.regionTimes.value)
        notes.append(
          "\(template.name): days differ, standard deviations of logarithms: errors \(Sample.rounded(errors)), "
            + "power \(Sample.rounded(power)), times of the regions' checks \(Sample.rounded(times))")
      }
      notes.append(idleNote(template, whole, fits))
      notes += whole.notes.map { "\(template.name): \($0)" }
      profiles.append(whole.profile)
    }
    // Scores of all kinds of phones together: a score says how far beyond its own prediction a value is.
    for index in values.indices {
      let value = values[index]
      let left = outingFolds[value.split]?[value.split == .folder ? "" : value.key.outing] ?? [:]
      values[index].interval = OutingIntervals(folds: Array(left.values)).interval(value.key)
        .map { value.key.quantity.values($0) }
    }
    for index in rows.indices where rows[index].split != .day {
      rows[index].newDays = Validation.meanInterval(rows[index], values)
    }
    let validation = Validation(
      rows: rows, values: values, filterEffects: effects, splits: allFolds.map { ($0.split, $0.names) },
      truthNoise: noise.median ?? 0, notes: notes)
    return (validation, profiles)
  }

  /// The profile that judges each day, outing or run.
  private func fits(
    _ template: DeviceProfile, _ folds: Folds, progress: (Double) throws -> Void
  ) throws -> [String: FittedProfile] {
    let own = measurements.ranges.filter { $0.platform == template.platform }
    let names = folds.names.filter { name in own.contains { folds.name(of: $0) == name } }
    if folds.split == .folder, !names.isEmpty {
      let fitted = try fit(template, idlePower: .fitted) { folds.isFitted($0, judging: names[0]) }
      return Dictionary(uniqueKeysWithValues: names.map { ($0, fitted) })
    }
    var fits: [String: FittedProfile] = [:]
    for (index, name) in names.enumerated() {
      fits[name] = try fit(template, idlePower: .fitted) { folds.isFitted($0, judging: name) }
      try progress(Double(index) / Double(names.count))
    }
    return fits
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
    _ platform: DeviceProfile.Platform, _ fits: [String: FittedProfile], _ folds: Folds,
    progress: (Double) throws -> Void
  ) throws -> (rows: [Validation.Row], values: [Validation.Value]) {
    let ranges = measurements.ranges.filter { $0.platform == platform && folds.name(of: $0) != nil }
    var groups: [Group: [MeasuredRange]] = [:]
    for range in ranges {
      groups[Group(regime: range.regime, isStationary: range.isStationary), default: []].append(range)
    }
    let order = groups.keys.sorted {
      ($0.isStationary ? 1 : 0, $0.regime) < ($1.isStationary ? 1 : 0, $1.regime)
    }
    var rows: [Validation.Row] = []
    var values: [Validation.Value] = []
    for (index, group) in order.enumerated() {
      try progress(Double(index) / Double(order.count))
      var judged: [MeasuredRange] = []
      var measured: [RangeFigures] = []
      // By day that is simulated, then range. A new day's effects are those of all ranges of an outing.
      var predicted: [[RangeFigures]] = []
      var standing: Set<DesiredAccuracy> = []
      var isIdleFitted = true
      for range in groups[group] ?? [] {
        guard let fitted = folds.name(of: range).flatMap({ fits[$0] }) else { continue }
        let truth = try truth(of: range)
        judged.append(range)
        measured.append(RangeFigures(range, truth))
        isIdleFitted = isIdleFitted && fitted.isIdleFitted
        if let key = range.tierKey { standing.insert(fitted.tierStanding(for: key)) }
        let days = Self.days(range, seed)
        if predicted.isEmpty { predicted = days.map { _ in [] } }
        for (replay, day) in days.enumerated() {
          predicted[replay].append(
            try RangeFigures(
              predicting: range, truth, on: measurements.sections[range.run] ?? [], by: fitted.day(day),
              seed: Self.seed(seed, range, replay)))
        }
      }
      guard let first = groups[group]?.first else { continue }
      let note =
        standing.subtracting(first.accuracy.map { [$0] } ?? []).map(\.rawValue).sorted()
        .map { "where it was not measured in what was fitted, \($0) stands for it" }.joined(separator: "; ")
      rows += compare(measured, predicted, first, note, folds.split, isIdleFitted: isIdleFitted)
      guard folds.split != .day else { continue }
      for outing in Set(judged.map(\.outing)).sorted() {
        let places = judged.indices.filter { judged[$0].outing == outing }
        values += Validation.Quantity.allCases.compactMap { quantity in
          value(
            judged[places[0]], quantity, places.map { measured[$0] },
            predicted.map { day in places.map { day[$0] } }, folds.split, isIdleFitted: isIdleFitted)
        }
      }
    }
    return (rows, values)
  }

  /// The value of an outing's ranges with one request; nil without numbers.
  private func value(
    _ range: MeasuredRange, _ quantity: Validation.Quantity, _ measured: [RangeFigures],
    _ predicted: [[RangeFigures]], _ split: Validation.Split, isIdleFitted: Bool
  ) -> Validation.Value? {
    guard let value = quantity.value(measured), let guess = quantity.value(Array(predicted.joined()))
    else { return nil }
    return Validation.Value(
      split: split, key: Self.key(range, quantity), measured: value, predicted: guess,
      ranges: measured.count { !quantity.numbers($0).isEmpty },
      simulated: Self.ninety(predicted.compactMap { quantity.value($0) }),
      isJudged: quantity != .drain || isIdleFitted)
  }

  /// The effects of the days as which a range is replayed: the same for all ranges of an outing.
  static func days(_ range: MeasuredRange, _ seed: UInt64) -> [DayScores] {
    DayScores.stratified(replays(range), seed: Self.seed(seed, range.outing))
  }

  static func seed(_ seed: UInt64, _ name: String) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ seed
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
  }

  /// The seed of a replay. It depends on names only, so that an additional range does not change the others.
  static func seed(_ seed: UInt64, _ range: MeasuredRange, _ replay: Int) -> UInt64 {
    Self.seed(seed, range.identifier) &+ UInt64(replay) &* 0x9E37_79B9_7F4A_7C15
  }

  private func compare(
    _ measured: [RangeFigures], _ predicted: [[RangeFigures]], _ range: MeasuredRange, _ note: String,
    _ split: Validation.Split, isIdleFitted: Bool
  ) -> [Validation.Row] {
    var rows: [Validation.Row] = []
    func row(
      _ quantity: Validation.Quantity, _ probability: Double, _ numbers: (RangeFigures) -> [Double],
      note: String
    ) {
      let all = ClusteredSample(measured.map(numbers))
      guard let value = all.pooled.quantile(probability),
        let guess = Sample(predicted.joined().flatMap(numbers)).quantile(probability)
      else { return }
      let days = predicted.compactMap { Sample($0.flatMap(numbers)).quantile(probability) }
      rows.append(
        Validation.Row(
          split: split, platform: range.platform, regime: range.regime,
          tier: range.accuracy?.rawValue ?? "off",
          isMoving: !range.isStationary, quantity: quantity, measured: value,
          interval: all.interval(probability, seed: seed), count: all.count, ranges: all.clusters.count,
          predicted: guess, newDays: Self.ninety(days), spread: Self.spread(all, probability), note: note))
    }
    row(.errorMedian, 0.5, \.errors, note: note)
    row(.errorTail, 0.95, \.errors, note: note)
    row(.reportedMedian, 0.5, \.reported, note: note)
    row(.intervalMedian, 0.5, \.intervals, note: note)
    let idleNote = "drains rest on idle power that was not measured in what was fitted, and are not judged"
    row(
      .drain, 0.5, { $0.drain.map { [$0] } ?? [] },
      note: isIdleFitted ? note : [note, idleNote].filter { !$0.isEmpty }.joined(separator: "; "))
    for index in rows.indices where rows[index].quantity == .drain { rows[index].isJudged = isIdleFitted }
    return rows
  }

  /// What 90 % of simulated days lie between; nil for fewer than ten.
  static func ninety(_ days: [Double]) -> ClosedRange<Double>? {
    let days = Sample(days)
    guard days.count >= 10, let low = days.quantile(0.05), let high = days.quantile(0.95) else { return nil }
    return low...high
  }

  private static func spread(_ sample: ClusteredSample, _ probability: Double) -> Double? {
    let values = sample.clusters.compactMap { Sample($0).quantile(probability) }
    guard values.count >= 3 else { return nil }
    let mean = values.reduce(0, +) / Double(values.count)
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return 3.29 * (squares / Double(values.count - 1)).squareRoot()
  }

  private func exits(
    _ platform: DeviceProfile.Platform, _ fits: [String: FittedProfile], _ folds: Folds
  ) -> (rows: [Validation.Row], values: [Validation.Value]) {
    let ranges = measurements.ranges.filter {
      $0.platform == platform && !$0.exits.isEmpty && folds.name(of: $0) != nil
    }
    var predicted = [[Double]](repeating: [], count: Self.exitReplays)
    // By outing: the days of all runs of it.
    var byOuting: [String: [[Double]]] = [:]
    for (name, fitted) in fits.sorted(by: { $0.key < $1.key }) {
      let own = ranges.filter { folds.name(of: $0) == name }
      for outing in Set(own.map(\.outing)).sorted() {
        let days = exitDays(own.filter { $0.outing == outing }, fitted, outing)
        for (replay, latencies) in days.enumerated() { predicted[replay] += latencies }
        let known = byOuting[outing] ?? days.map { _ in [] }
        byOuting[outing] = zip(known, days).map { $0 + $1 }
      }
    }
    let all = ClusteredSample(ranges.map { $0.exits.map(\.latency) })
    guard let measured = all.pooled.median, let guess = Sample(predicted.joined()).median else {
      return ([], [])
    }
    var values: [Validation.Value] = []
    for (outing, days) in byOuting.sorted(by: { $0.key < $1.key }) where folds.split != .day {
      let own = ranges.filter { $0.outing == outing }
      guard let measured = Sample(own.flatMap(\.exits).map(\.latency)).median,
        let guess = Sample(days.joined()).median
      else { continue }
      values.append(
        Validation.Value(
          split: folds.split, key: Self.key(own[0], .exitLatency), measured: measured, predicted: guess,
          ranges: own.count, simulated: Self.ninety(days.compactMap { Sample($0).median })))
    }
    let rows = [
      Validation.Row(
        split: folds.split, platform: platform, regime: Self.exitRegime, tier: "regions", isMoving: true,
        quantity: .exitLatency,
        measured: measured, interval: all.interval(0.5, seed: seed), count: all.count,
        ranges: all.clusters.count,
        predicted: guess, newDays: Self.ninety(predicted.compactMap { Sample($0).median }),
        spread: Self.spread(all, 0.5), note: "")
    ]
    return (rows, values)
  }
}

/// What is judged, and what is fitted for it.
///
/// A range belongs to the day on which it ended, so that no two nights share a day. Nothing of a judged day,
/// outing or folder, of any phone, is in the fit that judges it.
struct Folds: Sendable {
  let split: Validation.Split
  /// The days, outings or runs that are judged.
  let names: [String]
  private let judged: Set<String>

  /// Each day or each outing is judged by the others.
  init(_ ranges: [MeasuredRange], by split: Validation.Split) {
    self.split = split
    judged = []
    names = Set(ranges.map { split == .day ? $0.day : $0.outing }).sorted()
  }

  init(_ ranges: [MeasuredRange], judging runs: Set<String>) {
    split = .folder
    judged = runs
    names = Set(ranges.map(\.run)).intersection(runs).sorted()
  }

  /// What a range is judged as; `nil` for one that is not judged.
  func name(of range: MeasuredRange) -> String? {
    switch split {
    case .day: range.day
    case .outing: range.outing
    case .folder: judged.contains(range.run) ? range.run : nil
    }
  }

  func isFitted(_ range: MeasuredRange, judging name: String) -> Bool {
    split == .folder ? !judged.contains(range.run) : self.name(of: range) != name
  }
}
