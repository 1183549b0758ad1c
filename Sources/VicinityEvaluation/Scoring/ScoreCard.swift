public import VicinitySimulation

/// A figure and how sure it is.
public struct Estimate: Hashable, Sendable {
  /// The figure; nil where there is nothing to take it from: a latency without a report, a rate over no time. Infinite for a
  /// quantile that falls on a missed crossing.
  public var value: Double?
  /// The percentile interval of the bootstrap over devices; nil where the figure is taken from a single device, which says
  /// nothing about others, and where fewer than half of the resamples have a figure at all.
  public var interval: ClosedRange<Double>?

  /// An estimate.
  public init(value: Double?, interval: ClosedRange<Double>? = nil) {
    self.value = value
    self.interval = interval
  }
}

/// One policy over all devices and seeds of a study.
public struct ScoreCard: Sendable {
  /// Name and parameters: `fixed-interval:interval=60`.
  public var policy: String
  /// What it does, in a sentence.
  public var summary: String
  /// True crossings, over all devices and seeds.
  public var crossings: Int
  /// Visits with an entry.
  public var visits: Int
  /// Every metric, over everything that happened.
  public var metrics: [Metric: Estimate]
  /// Every metric, those of visits over the visits of ``StudyResult/filter`` alone: what requirements ask for and the Pareto
  /// front is drawn of. The same as ``metrics`` where everything passes.
  public var headline: [Metric: Estimate]
  /// True crossings and visits with an entry of that filter.
  public var headlineCrossings: Int
  public var headlineVisits: Int
  /// By classes of size, speed and duration: in the order of ``ClassDimension``, then of its classes, empty ones included.
  public var classes: [ClassScore]
  /// Milliwatts by component, on average over all time.
  public var milliwatts: [EnergyComponent: Double]
  /// Milliwatts by hour of the day, 24, and component, on average over the time that fell into the hour.
  public var hourlyMilliwatts: [[EnergyComponent: Double]]
  /// Whether no other policy of the study is better in energy, recall and latency: see ``ParetoFront``.
  public var isOnFront: Bool
  /// By resample: the metrics of ``PairedComparison``, of the headline, in their order. All policies of a study have the same
  /// resamples, so that differences can be told.
  var resamples: [[Double]]

  /// A metric's figure of the headline; nil where there is none.
  public func value(_ metric: Metric) -> Double? { headline[metric]?.value }
}

/// The metrics of visits over one class of crossings.
public struct ClassScore: Sendable {
  /// What the class is of.
  public var dimension: ClassDimension
  /// Its place among the dimension's classes.
  public var index: Int
  /// True crossings of the class.
  public var crossings: Int
  /// Visits of the class with an entry; for speeds, those entered at such a speed.
  public var visits: Int
  /// Recall, visit recall, and the quantiles; precision for sizes alone, as a report of nothing has no speed and no end.
  public var metrics: [Metric: Estimate]

  /// What the class is called.
  public var name: String { dimension.names[index] }
}
