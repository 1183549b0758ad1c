internal import VicinitySimulation

/// The relation between a battery's displayed level and its energy.
///
/// After charging, an iPhone shows 100 % until a reserve is spent, so short days show too small a drain. The
/// reserve is estimated from phones that lay still: with the rate r below 100 %, a level L first seen after t
/// hours means r t = reserve + (100 - L).
struct BatteryGauge: Hashable, Sendable {
  /// The energy drawn before the level falls, per cent.
  var reserve: Double

  /// Estimates the reserve; zero without ranges that began at 100 %.
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

  /// The fall of the level when so many per cent are drawn, from a starting level.
  func shown(_ drawn: Double, from level: Double) -> Double {
    level >= 100 ? max(0, drawn - reserve) : drawn
  }

  /// The per cent drawn when the level has fallen by so much from a starting level.
  func drawn(_ shown: Double, from level: Double) -> Double { level >= 100 ? shown + reserve : shown }
}

/// The drain of each phone compared with the median of its kind: batteries age differently.
struct PhoneFactors: Sendable {
  private var factors: [String: Double] = [:]

  /// For each phone, the median of its drain over the median of all, over the ranges in which all phones lay
  /// side by side. The factor is used only when nine of ten of the phone's ranges are on one side of 1.
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

  var description: String {
    guard !factors.isEmpty else { return "1 of all" }
    return factors.sorted { $0.key < $1.key }.map { "\($0.key) \(Sample.rounded($0.value))" }.joined(
      separator: ", ")
  }
}
