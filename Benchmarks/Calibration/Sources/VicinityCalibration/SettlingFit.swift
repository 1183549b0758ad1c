internal import VicinitySimulation

/// Fits how positions improve in the first seconds of a phone that lies still.
struct SettlingFit {
  /// The ends of the stages, seconds after the first fix; a simulated phone has that at once. The stages are
  /// what networks say first, and how that improves: the iPhones' fixes reported 65 m or much more in the
  /// first second or two, 30 m or so then, and their settled accuracy after five to eight seconds.
  static let ends = [2.0, 4, 10]
  /// The least number of errors for a stage.
  private static let leastCount = 10

  let positions: PositionFit
  let source: String

  static func settled(_ range: MeasuredRange) -> [MeasuredError] {
    let time = settledTime(range)
    return range.errors.filter { $0.truth == .site && $0.time >= time }
  }

  /// When the positions of a range have settled: some seconds after its first fix.
  static func settledTime(_ range: MeasuredRange) -> Double { firstTime(range) + ends[ends.count - 1] }

  private static func firstTime(_ range: MeasuredRange) -> Double { range.fixes.first?.time ?? range.start }

  private static func errors(_ range: MeasuredRange, _ stage: Int) -> [MeasuredError] {
    let from = stage > 0 ? ends[stage - 1] : -.infinity
    return range.errors.filter { error in
      let age = error.time - firstTime(range)
      return error.truth == .site && age >= from && age < ends[stage]
    }
  }

  /// Fits the model; nil for too few fixes.
  ///
  /// Ranges with a wide filter count for the first stage only: later the filter selects good fixes. The last
  /// stage ends at the median time of the last early fix. That is also the correlation time of errors where
  /// pairs do not determine it.
  func model(_ ranges: [MeasuredRange]) -> SettlingModel? {
    let lying = ranges.filter { $0.isStationary && $0.platform == .ios }
    let narrow = lying.filter { ($0.distanceFilter ?? 0) <= 1 }
    var intervals: [Double] = []
    var lengths: [Double] = []
    for range in narrow {
      let early = range.fixes.filter { $0.time < Self.settledTime(range) }
      intervals += zip(early, early.dropFirst()).map { max(0.1, $1.time - $0.time) }
      if let last = early.last { lengths.append(max(0.1, last.time - Self.firstTime(range))) }
    }
    guard let length = Sample(lengths).median.map(Sample.rounded) else { return nil }
    let time = Figure.measured(length, length / 3, length * 3, source: source)
    var stages: [SettlingModel.Stage] = []
    for (index, end) in Self.ends.enumerated() {
      let series = (index == 0 ? lying : narrow).map { Self.errors($0, index) }.filter { !$0.isEmpty }
      guard let model = positions.model(series, fallbackTime: time, leastCount: Self.leastCount)
      else { break }
      stages.append(
        .init(until: Figure(end, low: end, high: end, basis: .measured, source: source), positions: model))
    }
    if let last = stages.last {
      let end = max(length, stages.dropLast().last?.until.value ?? 0)
      stages[stages.count - 1].until = Figure(
        end, low: min(end, last.until.low), high: max(end, last.until.high), basis: .measured, source: source)
    }
    guard !stages.isEmpty, intervals.count >= Self.leastCount,
      let interval = Sample.quantiles(Sample(intervals).profile, source: source)
    else { return nil }
    return SettlingModel(stages: stages, interval: interval)
  }
}
