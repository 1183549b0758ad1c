internal import VicinitySimulation

extension ScoreCard {
  /// The metrics of classes that come with intervals.
  private static let classMetrics: [Metric] = [.recall, .visitRecall, .p50Latency, .p95Latency]

  /// A policy's card.
  ///
  /// - Parameter scores: The policy's, of all devices and seeds.
  init(
    _ policy: StudiedPolicy, _ scores: [DayScore], _ truths: [DeviceTruth], filter: VisitFilter,
    resampling: Resampling
  ) {
    let devices = 0..<truths.count
    func sums(_ selection: CrossingSelection, ofRuns: Bool = false) -> MetricSums {
      MetricSums(scores, truths, devices: devices, selection, ofRuns: ofRuns)
    }
    let everything = sums(.visits(.all), ofRuns: true)
    let chosen = filter == .all ? everything : sums(.visits(filter), ofRuns: true)
    var selections = [(everything, Metric.allCases)]
    if filter != .all { selections.append((chosen, Metric.allCases)) }
    let (headlinePlace, classesPlace) = (selections.count - 1, selections.count)
    var classes: [(dimension: ClassDimension, index: Int, sums: MetricSums)] = []
    for dimension in ClassDimension.allCases {
      for index in dimension.bounds.indices {
        let sums = sums(.oneClass(dimension, index))
        classes.append((dimension, index, sums))
        selections.append((sums, Self.classMetrics))
      }
    }
    let estimates = Estimates(selections, resampling, deviceCount: truths.count)
    var all: [Metric: Estimate] = [:]
    var headline: [Metric: Estimate] = [:]
    for (index, metric) in Metric.allCases.enumerated() {
      all[metric] = estimates.estimate(0, index)
      headline[metric] = estimates.estimate(headlinePlace, index)
    }
    self.policy = policy.label
    summary = policy.summary
    crossings = everything.crossings
    visits = everything.visits
    metrics = all
    self.headline = headline
    headlineCrossings = chosen.crossings
    headlineVisits = chosen.visits
    let rest = Metric.allCases.filter { $0.isOfVisits && !Self.classMetrics.contains($0) }
    let ones = [Int32](repeating: 1, count: truths.count)
    self.classes = classes.enumerated().map { place, entry in
      var metrics: [Metric: Estimate] = [:]
      for (index, metric) in Self.classMetrics.enumerated() {
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
    resamples = PairedComparison.metrics.map { metric in
      estimates.resampled[headlinePlace][Metric.allCases.firstIndex(of: metric) ?? 0]
    }
  }

  /// Mean power, of all time and by hour of the day.
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
