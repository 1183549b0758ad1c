public import VicinityCrossings
public import VicinityGeodesy
public import VicinitySimulation

/// How a true crossing was reported.
public struct CrossingOutcome: Hashable, Sendable {
  /// When its user could notice.
  public var reported: Timestamp
  /// When the app says that it happened.
  public var claimed: Timestamp
  /// Seconds from the crossing to the report; negative for one that came early, by a position's error.
  public var delay: Double
  /// From the crossing's place to where the phone truly was when the report came, metres.
  public var distance: Meters

  /// How late it was, seconds: the delay, and zero for an early one.
  public var latency: Double { max(0, delay) }
}

/// A report of something that did not happen.
public struct UnfoundedReport: Hashable, Sendable {
  /// When.
  public var time: Timestamp
  /// Whether the region was said to be entered.
  public var isEntry: Bool
  /// The region's ordinal; nil for one that is not in the index.
  public var region: Int?
  /// The region's size as ``RegionVisit/radius``, metres; NaN for one that is not in the index.
  public var radius: Meters
  /// Where the phone truly was.
  public var place: Coordinate
}

/// How far the dwell that an app reports is from the true one.
public struct DwellError: Hashable, Sendable {
  /// The visit: its place in ``DeviceTruth/visits``.
  public var visit: Int
  /// The reported dwell, by the times that the app claims, minus the true one, seconds.
  public var seconds: Double
}

/// What one policy did on one device along one track with one seed: everything that a scorecard adds up.
///
/// All of it is additive, or a list of samples; rates and quantiles are the ``ScoreCard``'s.
public struct DayScore: Sendable {
  /// The policy: its place in ``StudyResult/policies``.
  public var policy: Int
  /// The device: its place in ``StudyResult/devices``.
  public var device: Int
  /// What decided everything that is left to chance.
  public var seed: UInt64
  /// How long the run was, hours.
  public var hours: Double

  /// By the device's true crossings, in their order: how each was reported; nil for one that was missed.
  public var outcomes: [CrossingOutcome?]
  /// The reports that are of no crossing, ordered by time.
  public var unfounded: [UnfoundedReport]
  /// Reports of a region and kind of which the report before was: entered twice, or left twice.
  public var duplicates: Int
  /// Pairs of reports of one region, entered and left or left and entered, within ``MatchingRule/flapTime`` of each other,
  /// with no true crossing of it between and at least one of the two unfounded. No report is in two pairs.
  public var flaps: Int
  /// Of the visits of which both ends happened and were reported: how far the reported dwell is off.
  public var dwellErrors: [DwellError]

  /// Fixes, wake-ups, registrations, time in the background.
  public var counts: SimulationCounts
  /// Joules by component, in the order of `EnergyComponent`'s raw values.
  public var joules: [Double]
  /// Joules by hour of the day and component: 24 times as many as ``joules``. The hour is that of the zone that the track's
  /// first longitude lies in, 15 degrees wide; no country's law is asked.
  public var hourlyJoules: [Double]
  /// How much of the run fell into each hour of the day, seconds: 24.
  public var hourlySeconds: [Double]
  /// The battery's share that a joule is, per cent.
  public var percentPerJoule: Double

  /// Joules altogether.
  public var totalJoules: Double { joules.reduce(0, +) }
  /// Joules above what the phone draws regardless.
  public var netJoules: Double { totalJoules - joules[EnergyComponent.idle.rawValue] }
}
