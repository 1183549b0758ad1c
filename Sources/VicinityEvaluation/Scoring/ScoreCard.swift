public import VicinitySimulation

/// A figure and its confidence interval.
public struct Estimate: Hashable, Sendable {
  /// The figure; nil where there are no data, as for a latency without reports. Infinite for a quantile that
  /// falls on a missed crossing.
  public var value: Double?
  /// The percentile interval of the bootstrap over devices; nil for a figure from a single device, which says
  /// nothing about others, and where fewer than half of the resamples have a figure.
  public var interval: ClosedRange<Double>?
}

/// The figures of one policy over all devices and seeds of a study.
public struct ScoreCard: Sendable {
  /// The policy's ``MonitoringPolicy/label``.
  public var policy: String
  /// The policy's ``MonitoringPolicy/summary``.
  public var summary: String
  /// True crossings, over all devices and seeds.
  public var crossings: Int
  /// Visits with an entry.
  public var visits: Int
  /// All metrics, over everything that happened.
  public var metrics: [Metric: Estimate]
  /// All metrics, with those of visits over the visits of ``StudyResult/filter`` alone. Requirements and the
  /// Pareto front use these.
  public var headline: [Metric: Estimate]
  /// True crossings that pass the filter.
  public var headlineCrossings: Int
  /// Visits with an entry that pass the filter.
  public var headlineVisits: Int
  /// By ``ClassDimension``, then by its classes, including empty ones.
  public var classes: [ClassScore]
  /// Mean power by component, milliwatts.
  public var milliwatts: [EnergyComponent: Double]
  /// Mean power in each of the 24 hours of the day, by component, milliwatts.
  public var hourlyMilliwatts: [[EnergyComponent: Double]]
  /// Whether the policy is on the ``ParetoFront`` of the study.
  public var isOnFront: Bool
  /// What the intervals of the headline metrics are due to; a metric that does not vary has none.
  public var shares: [Metric: UncertaintyShares]
  /// The intervals of the metrics of energy in two parts; none where energies are not drawn.
  public var energyIntervals: [Metric: EnergyIntervals] = [:]
  /// The number of devices that the card is of.
  public var deviceCount: Int
  /// The headline metrics in each resample. All policies of a study have the same resamples, so that they can
  /// be subtracted.
  package var resamples: [Metric: [Double]]
  /// The two parts of ``resamples`` of energies; nil where energies are not drawn.
  var energyResamples: EnergyResamples?

  /// A headline metric; nil where it has no figure.
  public func value(_ metric: Metric) -> Double? { headline[metric]?.value }
}

/// The metrics of visits over one class of crossings.
public struct ClassScore: Sendable {
  public var dimension: ClassDimension
  /// An index into the dimension's classes.
  public var index: Int
  /// True crossings of the class.
  public var crossings: Int
  /// Visits of the class with an entry; for speeds, those entered at a speed of the class.
  public var visits: Int
  /// Recall, visit recall and the quantiles; precision by size only, because an unfounded report has no speed
  /// and no duration.
  public var metrics: [Metric: Estimate]

  public var name: String { dimension.names[index] }
}

extension ScoreCard {
  private static let classMetrics: [Metric] = [.recall, .visitRecall, .p50Latency, .p95Latency]

  /// Makes a policy's card from its scores on all devices with all seeds.
  ///
  /// - Parameter profile: The phone whose energies are drawn; nil for energies as they are.
  init(
    _ policy: StudiedPolicy, _ scores: [DayScore], _ truths: [DeviceTruth], filter: VisitFilter,
    resampling: Resampling, onRequest windows: [Metric], drawing profile: DeviceProfile?
  ) {
    let seedCount = max(1, truths.isEmpty ? 1 : scores.count / truths.count)
    let devices = 0..<truths.count
    func sums(_ selection: CrossingSelection, ofRuns: Bool = false) -> MetricSums {
      MetricSums(scores, truths, devices: devices, selection, ofRuns: ofRuns, onRequest: windows)
    }
    let everything = sums(.visits(.all), ofRuns: true)
    let chosen = filter == .all ? everything : sums(.visits(filter), ofRuns: true)
    let metrics = Metric.allCases + windows
    let classMetrics = Self.classMetrics + windows
    var selections = [(everything, metrics)]
    if filter != .all { selections.append((chosen, metrics)) }
    let (headlinePlace, classesPlace) = (selections.count - 1, selections.count)
    var classes: [(dimension: ClassDimension, index: Int, sums: MetricSums)] = []
    for dimension in ClassDimension.allCases {
      for index in dimension.bounds.indices {
        let sums = sums(.oneClass(dimension, index))
        classes.append((dimension, index, sums))
        selections.append((sums, classMetrics))
      }
    }
    let estimates = Estimates(
      selections, resampling, deviceCount: truths.count, seedCount: seedCount, profile: profile)
    var all: [Metric: Estimate] = [:]
    var headline: [Metric: Estimate] = [:]
    for (index, metric) in metrics.enumerated() {
      all[metric] = estimates.estimate(0, index)
      headline[metric] = estimates.estimate(headlinePlace, index)
    }
    self.policy = policy.label
    summary = policy.summary
    crossings = everything.crossings
    visits = everything.visits
    self.metrics = all
    self.headline = headline
    headlineCrossings = chosen.crossings
    headlineVisits = chosen.visits
    let rest = Metric.allCases.filter { $0.isOfVisits && !Self.classMetrics.contains($0) }
    let ones = [Int32](repeating: 1, count: truths.count * seedCount)
    self.classes = classes.enumerated().map { place, entry in
      var metrics: [Metric: Estimate] = [:]
      for (index, metric) in classMetrics.enumerated() {
        metrics[metric] = estimates.estimate(classesPlace + place, index)
      }
      for (metric, value) in zip(rest, entry.sums.values(rest, weights: ones)) {
        metrics[metric] = Estimate(value: value.isNaN ? nil : value)
      }
      return ClassScore(
        dimension: entry.dimension, index: entry.index, crossings: entry.sums.crossings,
        visits: entry.sums.visits, metrics: metrics)
    }
    (milliwatts, hourlyMilliwatts) = Self.power(scores)
    isOnFront = false
    deviceCount = truths.count
    resamples = Dictionary(
      uniqueKeysWithValues: metrics.enumerated().map { ($1, estimates.resampled[headlinePlace][$0]) })
    let shares = Estimates.shares(
      of: metrics, chosen, resampling, deviceCount: truths.count, seedCount: seedCount, profile: profile)
    self.shares = Dictionary(
      uniqueKeysWithValues: zip(metrics, shares).compactMap { metric, share in share.map { (metric, $0) } })
    guard let profile else { return }
    let energies = EnergyResamples(
      chosen, resampling, deviceCount: truths.count, seedCount: seedCount, profile: profile)
    energyResamples = energies
    for metric in Metric.energies where headline[metric]?.interval != nil {
      energyIntervals[metric] = EnergyIntervals(
        days: resampling.interval(of: energies.days[metric] ?? []),
        phone: resampling.interval(of: energies.phone[metric] ?? []))
    }
  }

  /// Mean power over all time and by hour of the day, milliwatts.
  private static func power(
    _ scores: [DayScore]
  ) -> (all: [EnergyComponent: Double], hourly: [[EnergyComponent: Double]]) {
    let components = EnergyComponent.allCases
    var joules = [Double](repeating: 0, count: components.count)
    var hourly = [Double](repeating: 0, count: 24 * components.count)
    var seconds = [Double](repeating: 0, count: 24)
    var hours = 0.0
    for score in scores {
      hours += score.hours
      for (index, value) in score.joules.enumerated() { joules[index] += value }
      for (index, value) in score.hourlyJoules.enumerated() { hourly[index] += value }
      for (index, value) in score.hourlySeconds.enumerated() { seconds[index] += value }
    }
    func power(_ joules: some Sequence<Double>, _ seconds: Double) -> [EnergyComponent: Double] {
      var power: [EnergyComponent: Double] = [:]
      for (component, joules) in zip(components, joules) {
        power[component] = seconds > 0 ? joules / seconds * 1000 : 0
      }
      return power
    }
    let byHour = (0..<24).map { hour in
      power(hourly[(hour * components.count)..<((hour + 1) * components.count)], seconds[hour])
    }
    return (power(joules, hours * 3600), byHour)
  }
}
