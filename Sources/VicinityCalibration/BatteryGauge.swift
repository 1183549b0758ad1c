internal import VicinitySimulation

/// What a phone's battery level shows of what is drawn.
///
/// After charging, an iPhone shows 100 % until a reserve is spent, and then what is drawn: the levels of short days show too
/// little. The reserve is estimated from phones that lay still: with the rate r below 100 %, a level L first seen after t hours
/// means r t = reserve + (100 - L).
struct BatteryGauge: Hashable, Sendable {
  /// Per cent that are drawn before the level falls.
  var reserve: Double

  /// Estimates the reserve; none without ranges that began at 100 %.
  init(_ ranges: [MeasuredRange]) {
    var estimates: [Double] = []
    for range in ranges where range.isStationary && range.accuracy != nil && range.hoursBelow100 >= 3 {
      guard let rate = range.drainBelow100, range.battery.first?.level == 100,
        let first = range.battery.first(where: { $0.level < 100 })
      else { continue }
      estimates.append(rate * (first.time - range.start) / 3600 - (100 - first.level))
    }
    reserve = max(0, Sample(estimates).median ?? 0)
  }

  /// The per cent that the level falls by when so much is drawn, from a level to begin with.
  func shown(_ drawn: Double, from level: Double) -> Double {
    level >= 100 ? max(0, drawn - reserve) : drawn
  }

  /// The per cent that are drawn when the level has fallen by so much, from a level to begin with.
  func drawn(_ shown: Double, from level: Double) -> Double { level >= 100 ? shown + reserve : shown }
}

/// How much of the median phone's drain one phone of a kind shows: its battery has aged more or less.
struct PhoneFactors: Sendable {
  private var factors: [String: Double] = [:]

  /// The median, over the ranges in which all phones of a kind lay side by side, of each phone's drain over the median of all.
  /// A phone counts as another than the rest when nine of ten of its ranges are on one side.
  init(_ ranges: [MeasuredRange]) {
    var runs: [String: [MeasuredRange]] = [:]
    for range in ranges where range.isStationary && range.accuracy != nil {
      runs["\(range.platform.rawValue) \(range.run)", default: []].append(range)
    }
    var ratios: [String: [Double]] = [:]
    for (_, run) in runs.sorted(by: { $0.key < $1.key }) where run.count >= 3 {
      guard let median = Sample(run.compactMap(EnergyFit.stationaryRate)).median, median > 0 else { continue }
      for range in run {
        if let rate = EnergyFit.stationaryRate(range) {
          ratios[range.phone, default: []].append(rate / median)
        }
      }
    }
    for (phone, ratios) in ratios where ratios.count >= 3 {
      let sample = Sample(ratios)
      guard let low = sample.quantile(0.1), let high = sample.quantile(0.9), low > 1 || high < 1 else {
        continue
      }
      factors[phone] = sample.median
    }
  }

  subscript(phone: String) -> Double { factors[phone] ?? 1 }

  /// All of them, by name.
  var description: String {
    guard !factors.isEmpty else { return "1 of all" }
    return factors.sorted { $0.key < $1.key }.map { "\($0.key) \(Sample.rounded($0.value))" }.joined(
      separator: ", ")
  }
}
