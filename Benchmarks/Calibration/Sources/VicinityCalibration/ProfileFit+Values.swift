internal import VicinitySimulation

extension Validation.Quantity {
  /// The quantile that is compared.
  var probability: Double { self == .errorTail ? 0.95 : 0.5 }

  /// The numbers of a range that it is a quantile of; none for exits, which have replays of their own.
  func numbers(_ figures: RangeFigures) -> [Double] {
    switch self {
    case .errorMedian, .errorTail: figures.errors
    case .reportedMedian: figures.reported
    case .intervalMedian: figures.intervals
    case .drain: figures.drain.map { [$0] } ?? []
    case .exitLatency: []
    }
  }

  /// The value of some ranges; nil without numbers.
  func value(_ figures: [RangeFigures]) -> Double? {
    Sample(figures.flatMap(numbers)).quantile(probability)
  }
}

extension ProfileFit {
  /// The regime of exits, which are those of all requests together.
  static let exitRegime = "all duty-cycled"
  /// How many days a range is simulated for the interval of a left-out outing.
  private static let simulatedDays = 12

  /// The ranges of one outing with one request.
  private struct Group: Hashable {
    var outing: String
    var regime: String
    var isStationary: Bool
  }

  private func groups(_ ranges: [MeasuredRange]) -> [Group: [MeasuredRange]] {
    Dictionary(grouping: ranges) {
      Group(outing: $0.outing, regime: $0.regime, isStationary: $0.isStationary)
    }
  }

  static func key(
    _ range: MeasuredRange, _ quantity: Validation.Quantity
  ) -> Validation.Value.Key {
    Validation.Value.Key(
      platform: range.platform, outing: range.outing,
      regime: quantity == .exitLatency ? exitRegime : range.regime,
      isMoving: quantity == .exitLatency || !range.isStationary, quantity: quantity)
  }

  /// What was measured, by value.
  private func measuredValues(
    _ ranges: [MeasuredRange]
  ) throws(SimulationError) -> [Validation.Value.Key: Double] {
    var values: [Validation.Value.Key: Double] = [:]
    for ranges in groups(ranges).values {
      var figures: [RangeFigures] = []
      for range in ranges { figures.append(RangeFigures(range, try truth(of: range))) }
      for quantity in Validation.Quantity.allCases {
        values[Self.key(ranges[0], quantity)] = quantity.value(figures)
      }
    }
    for (_, ranges) in Dictionary(grouping: ranges, by: \.outing) {
      guard let median = Sample(ranges.flatMap(\.exits).map(\.latency)).median else { continue }
      values[Self.key(ranges[0], .exitLatency)] = median
    }
    return values
  }

  /// What 90 % of simulated days lie between for the values of ranges, as logarithms.
  private func predictions(
    _ ranges: [MeasuredRange], _ fitted: FittedProfile
  ) throws(SimulationError) -> [Validation.Value.Key: ClosedRange<Double>] {
    var found: [Validation.Value.Key: ClosedRange<Double>] = [:]
    func add(_ key: Validation.Value.Key, _ days: [Double]) {
      guard let ends = Self.ninety(days) else { return }
      found[key] =
        key.quantity.logarithm(ends.lowerBound)...key.quantity.logarithm(ends.upperBound)
    }
    for ranges in groups(ranges).values {
      let scores = DayScores.stratified(Self.simulatedDays, seed: Self.seed(seed, ranges[0].outing))
      var days: [[RangeFigures]] = []
      for (replay, day) in scores.enumerated() {
        let profile = fitted.day(day)
        var figures: [RangeFigures] = []
        for range in ranges {
          figures.append(
            try RangeFigures(
              predicting: range, try truth(of: range), on: measurements.sections[range.run] ?? [],
              by: profile, seed: Self.seed(seed, range, replay)))
        }
        days.append(figures)
      }
      for quantity in Validation.Quantity.allCases where quantity != .drain || fitted.isIdleFitted {
        add(Self.key(ranges[0], quantity), days.compactMap { quantity.value($0) })
      }
    }
    for (outing, ranges) in Dictionary(grouping: ranges, by: \.outing) {
      let days = exitDays(ranges.filter { !$0.exits.isEmpty }, fitted, outing)
      add(Self.key(ranges[0], .exitLatency), days.compactMap { Sample($0).median })
    }
    return found
  }

  /// How many days the exits of an outing are simulated.
  static let exitReplays = 50

  /// The latencies of the exits of an outing's ranges on each simulated day.
  func exitDays(_ ranges: [MeasuredRange], _ fitted: FittedProfile, _ outing: String) -> [[Double]] {
    let fit = RegionFit(measurements: measurements, truths: truths, seed: seed)
    let trips = ranges.flatMap { range in range.exits.compactMap { fit.trip(range, $0) } }
    return DayScores.stratified(Self.exitReplays, seed: Self.seed(seed, outing)).enumerated().map {
      replay, day in
      fit.predict(trips, fitted.profile.day(day), replays: replay..<(replay + 1))
    }
  }

  func truth(of range: MeasuredRange) throws(SimulationError) -> ReplayTruth {
    if let truth = truths[range.run] { return truth }
    return try ReplayTruth(range, in: measurements)
  }

  /// For each judged outing the other outings, each predicted by a fit without both; where a folder is
  /// judged, under one name, the outings that are fitted, each predicted by a fit without it. None when days
  /// are judged.
  ///
  /// Nothing that was measured on a judged outing is in any of its folds.
  func outingFolds(
    _ template: DeviceProfile, _ folds: Folds, progress: (Double) throws -> Void
  ) throws -> [String: [String: OutingIntervals.Fold]] {
    let own = measurements.ranges.filter { $0.platform == template.platform }
    func scores(
      _ ranges: [MeasuredRange], _ predictions: [Validation.Value.Key: ClosedRange<Double>]
    ) throws -> [OutingIntervals.Score] {
      try measuredValues(ranges).compactMap { key, measured in
        guard measured > 0, let prediction = predictions[key] else { return nil }
        return OutingIntervals.Score(
          quantity: key.quantity, isMoving: key.isMoving,
          score: OutingIntervals.score(key.quantity.logarithm(measured), prediction))
      }
    }
    var found: [String: [String: OutingIntervals.Fold]] = [:]
    switch folds.split {
    case .day: break
    case .outing:
      let names = Set(own.map(\.outing)).sorted()
      let pairs = names.flatMap { one in names.filter { $0 > one }.map { (one, $0) } }
      for (index, (one, other)) in pairs.enumerated() {
        try progress(Double(index) / Double(pairs.count))
        guard own.contains(where: { $0.outing != one && $0.outing != other }) else { continue }
        let fitted = try fit(template, idlePower: .fitted) { $0.outing != one && $0.outing != other }
        let ranges = [one, other].map { name in own.filter { $0.outing == name } }
        let told = try ranges.map { try predictions($0, fitted) }
        found[one, default: [:]][other] = OutingIntervals.Fold(
          scores: try scores(ranges[1], told[1]), predictions: told[0])
        found[other, default: [:]][one] = OutingIntervals.Fold(
          scores: try scores(ranges[0], told[0]), predictions: told[1])
      }
    case .folder:
      let judged = own.filter { folds.name(of: $0) != nil }
      let known = own.filter { folds.name(of: $0) == nil }
      let names = Set(known.map(\.outing)).sorted()
      for (index, name) in names.enumerated() where names.count > 1 {
        try progress(Double(index) / Double(names.count))
        let fitted = try fit(template, idlePower: .fitted) {
          folds.name(of: $0) == nil && $0.outing != name
        }
        let ranges = known.filter { $0.outing == name }
        found["", default: [:]][name] = OutingIntervals.Fold(
          scores: try scores(ranges, predictions(ranges, fitted)),
          predictions: try predictions(judged, fitted))
      }
    }
    return found
  }
}
