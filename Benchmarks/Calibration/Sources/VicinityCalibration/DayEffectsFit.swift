internal import CMath
internal import VicinitySimulation

/// Fits how much days differ from each other (``DayEffects``), beyond what the fitted phone already varies.
///
/// Every range is predicted by the fit that it is part of, with two seeds. The logarithms of measured over
/// predicted are grouped by request; their variance within groups, pooled over all groups, is that of the
/// effect and of chance: a day's median of errors that last varies without any difference between days. What
/// two seeds differ by tells how much that is, and it is taken out, because a simulated day has it again. The
/// exits of regions are too few for that: there the variance between days is what is left of the variance of
/// their means without the variance within days (H. Scheffé, *The Analysis of Variance*, 1959, 7.2).
struct DayEffectsFit {
  /// The least number of degrees of freedom of a fitted deviation.
  private static let leastFreedom = 3.0
  /// Where too little was measured: a factor of 1.35 for two days in three.
  private static let unknown = Figure(0.3, low: 0.1, high: 1, basis: .assumed, source: ProfileFit.otherSource)

  let measurements: Measurements
  let truths: [String: ReplayTruth]
  let seed: UInt64

  /// - Parameter fitted: The fit to `ranges`, without effects of days.
  func effects(_ fitted: FittedProfile, _ ranges: [MeasuredRange]) throws(SimulationError) -> DayEffects {
    var errors: [String: [Double]] = [:]
    var power: [String: [Double]] = [:]
    var chance = (errors: [Double](), power: [Double]())
    for range in ranges {
      let known = truths[range.run]
      let truth: ReplayTruth
      if let known { truth = known } else { truth = try ReplayTruth(range, in: measurements) }
      let measured = RangeFigures(range, truth)
      let sections = measurements.sections[range.run] ?? []
      let first = try RangeFigures(
        predicting: range, truth, on: sections, by: fitted, seed: ProfileFit.seed(seed, range, 0))
      let second = try RangeFigures(
        predicting: range, truth, on: sections, by: fitted, seed: ProfileFit.seed(seed, range, 1))
      let group = (range.tierKey?.name ?? "off") + (range.isStationary ? " at rest" : "")
      // Errors at rest under a roof last for hours; the fitted distribution has the difference between
      // nights.
      if !range.isStationary, measured.errors.count >= PositionFit.leastCount,
        let found = Self.residual(
          Sample(measured.errors).median, Sample(first.errors).median, Sample(second.errors).median)
      {
        errors[group, default: []].append(found.residual)
        chance.errors.append(found.chance)
      }
      if let found = Self.residual(
        Self.drawn(range, measured, fitted.gauge), first.drawn, second.drawn)
      {
        power[group, default: []].append(found.residual)
        chance.power.append(found.chance)
      }
    }
    func mean(_ numbers: [Double]) -> Double { numbers.reduce(0, +) / Double(max(1, numbers.count)) }
    return DayEffects(
      errors: Self.deviation(Self.inOrder(errors), chance: mean(chance.errors)),
      power: Self.deviation(Self.inOrder(power), chance: mean(chance.power)),
      regionTimes: Self.between(Self.exitDays(ranges)))
  }

  /// The logarithms of latencies of exits, by day.
  static func exitDays(_ ranges: [MeasuredRange]) -> [[Double]] {
    var exits: [String: [Double]] = [:]
    for range in ranges {
      exits[range.day, default: []] += range.exits.map { log(max(RegionFit.leastLatency, $0.latency)) }
    }
    return inOrder(exits)
  }

  /// The logarithm of a measured number over those predicted with two seeds, and the variance that it has by
  /// chance: the number's own, which is taken to be a prediction's, half the square of what the two differ
  /// by; and half of that again for their mean.
  private static func residual(
    _ measured: Double?, _ first: Double?, _ second: Double?
  ) -> (residual: Double, chance: Double)? {
    guard let measured, let first, let second, measured > 0, first > 0, second > 0 else { return nil }
    let difference = log(first / second)
    return (log(measured) - (log(first) + log(second)) / 2, 0.75 * difference * difference)
  }

  /// The groups by name, so that sums are the same to the last bit.
  private static func inOrder(_ groups: [String: [Double]]) -> [[Double]] {
    groups.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The per cent an hour that was drawn; nil where the level never fell, which says little.
  private static func drawn(
    _ range: MeasuredRange, _ figures: RangeFigures, _ gauge: BatteryGauge
  ) -> Double? {
    guard let drain = figures.drain, drain > 0 else { return nil }
    if range.isStationary { return drain }
    return gauge.drawn(drain * range.hours, from: range.battery.first?.level ?? 100) / range.hours
  }

  /// The standard deviation of a new number about its group's median, from groups of numbers.
  ///
  /// The pooled deviation s, without the variance that numbers have by chance, is multiplied by √(1 + 1/n),
  /// because the median of n numbers, n on average, is not exact, and by 1 + 0.93/ν for ν degrees of freedom:
  /// normal intervals that hold 90 % then are those of Student's distribution, to first order in 1/ν.
  static func deviation(_ groups: [[Double]], chance: Double = 0) -> Figure {
    let groups = groups.filter { $0.count > 1 }
    var squares = 0.0
    var freedom = 0.0
    for group in groups {
      let mean = group.reduce(0, +) / Double(group.count)
      squares += group.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
      freedom += Double(group.count - 1)
    }
    guard freedom >= leastFreedom else { return unknown }
    let size = (freedom + Double(groups.count)) / Double(groups.count)
    let variance = max(0, squares / freedom - chance)
    return figure((variance * (1 + 1 / size)).squareRoot(), freedom)
  }

  /// The standard deviation of the means of days, from the numbers of each.
  ///
  /// Its ends are those for which the variance of the means would be at an end of its own 95 % interval (J.
  /// S. Williams, *A Confidence Interval for Variance Components*, Biometrika 49, 1962, without the part of
  /// the variance within days). So days that differ by no more than chance are not known to be alike.
  static func between(_ days: [[Double]]) -> Figure {
    let days = days.filter { !$0.isEmpty }
    let count = days.reduce(0) { $0 + Double($1.count) }
    let freedom = Double(days.count - 1)
    guard freedom >= leastFreedom, count > Double(days.count) else { return unknown }
    let mean = days.joined().reduce(0, +) / count
    var (among, within, squares) = (0.0, 0.0, 0.0)
    for day in days {
      let size = Double(day.count)
      let own = day.reduce(0, +) / size
      among += size * (own - mean) * (own - mean)
      within += day.reduce(0) { $0 + ($1 - own) * ($1 - own) }
      squares += size * size
    }
    let size = (count - squares / count) / freedom
    let chance = within / (count - Double(days.count))
    func deviation(_ factor: Double) -> Double {
      widened((max(0, among / freedom * factor * factor - chance) / size).squareRoot(), freedom)
    }
    return .measured(
      deviation(1), deviation(factor(1.96, freedom)), deviation(factor(-1.96, freedom)),
      source: ProfileFit.source)
  }

  /// The figure with its 95 % interval.
  private static func figure(_ deviation: Double, _ freedom: Double) -> Figure {
    let value = widened(deviation, freedom)
    return .measured(
      value, value * factor(1.96, freedom), min(most, value * factor(-1.96, freedom)),
      source: ProfileFit.source)
  }

  private static let most = 1.5

  private static func widened(_ deviation: Double, _ freedom: Double) -> Double {
    min(most, deviation * (1 + 0.93 / freedom))
  }

  /// The end of a deviation's interval over the deviation, at the normal score of χ²: E. B. Wilson, M. M.
  /// Hilferty, *The Distribution of Chi-Square*, 1931.
  private static func factor(_ score: Double, _ freedom: Double) -> Double {
    let spread = 2 / (9 * freedom)
    let root = max(0.1, 1 - spread + score * spread.squareRoot())
    return 1 / (root * root * root).squareRoot()
  }
}
