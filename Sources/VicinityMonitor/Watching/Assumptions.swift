internal import CMath
internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityPlanner

/// What a monitor takes of people, of positions and of the system where it decides by positions.
///
/// These ten numbers, the phone's times (``PhoneTimes``), the planner's (`PlanOptions`) and the shortest
/// visit that counts are all that its decisions rest on; the rest follows from them, here and where it is
/// used.
enum Assumptions {
  /// The share of crossings that may be noticed later than asked for, and the share that may be missed.
  static let lateShare = 0.05
  /// How fast speed may grow, m/s²: a car's acceleration in traffic.
  static let acceleration = 1.5
  /// Slower than most people walk, metres a second: the means of groups by age and sex are from 0.94, of
  /// women of 80 and more, to 1.43, of men in their forties (R. W. Bohannon, A. W. Andrews, *Normal walking
  /// speed: a descriptive meta-analysis*, Physiotherapy 97, 2011).
  static let walkingSpeed: MetersPerSecond = 1
  /// The time after which the correlation of errors of positions is 1/e, seconds: that of the phones'
  /// profiles under a roof where it is assumed. Measured under roofs, with MobilityNet's phones, errors
  /// persist for hours (`Data/devices`), and then no mean is better than a position; outdoors for one to five
  /// minutes.
  static let errorTime = 300.0
  /// Positions whose accuracy is said to be better than this are no better, metres: their errors wander
  /// farther all the same (MobilityNet's phones, `Data/devices`).
  static let leastAccuracy: Meters = 10
  /// How accurate positions of the middle tier are, metres (`kCLLocationAccuracyHundredMeters`). Worse ones,
  /// of cells, have the same error for minutes.
  static let coarseAccuracy: Meters = 100
  /// What is thought of a user of whom nothing is known, counted as so many crossings: that this share of
  /// them comes right after rests, however long these are (`Benchmarks/Results/shares.md`).
  static let (priorCrossings, priorShare) = (10.0, 0.17)
  /// This share of the visits that are over before an app that slept can tell is inferred from the way that
  /// somebody has gone, taken to be straight (`Benchmarks/Results/shares.md`).
  static let inferredShare = 0.5
  // The tenth is ``CrossingHistory/longRest``.

  // MARK: What follows

  /// What is left to chance of a share that is allowed, because a day has few visits.
  static let chance = lateShare / 4
  /// The share that may be missed because an app sleeps. Positions miss two or three in a hundred by their
  /// errors (<doc:ThePromise>); this is the rest of what is allowed. Nothing of it is left to chance because
  /// exits are assumed to be later than most that were measured (``PhoneTimes/usual``): after 85 and 161 s
  /// two thirds as many visits are over (`Benchmarks/Results/shares.md`).
  static let asleepMissShare = lateShare / 2
  /// The share that may be missed between two positions.
  static let missShare = asleepMissShare - chance
  /// Errors are larger than this many times the accuracy in a share of ``missShare``, where they are normal
  /// in both directions and the accuracy is the radius that holds two in three, as `CLLocation` says: nearly
  /// two.
  static let proof = (log(missShare) / log(1.0 / 3)).squareRoot()
  /// The same for the distance between two positions, both of which have errors.
  static let proofOfTwo = proof * 2.0.squareRoot()
  /// How many of the latest crossings something is learned from: one in so many is ``missShare``.
  static let memory = Int(1 / missShare)
  /// The planner's figures for a phone whose regions the system watches: a car's speed, the system's waits
  /// and errors, the least radius that works.
  static let plan = PlanOptions()
  /// For how long the system waits beyond a boundary, seconds.
  static let systemWait = plan.latency / .seconds(1)
  /// From how long a stay on a device is at rest, seconds: twice the shortest visit that counts.
  static let shortestRest = 2 * (AdaptiveStrategy.usualVisit / .seconds(1))
  /// Errors wander as far as this, whatever accuracies are said, metres: from the least that positions have
  /// to as far as somebody walks in the shortest visit that counts.
  static let wandering: ClosedRange<Meters> =
    proofOfTwo * leastAccuracy...walkingSpeed * (AdaptiveStrategy.usualVisit / .seconds(1))
  /// A distance, or the nearest that errors are known to wander.
  static func wandering(_ distance: Meters) -> Meters {
    max(wandering.lowerBound, min(distance, wandering.upperBound))
  }
  /// Positions nearer to each other in time than this, seconds, have the same errors, and somebody who walks
  /// has not gone farther than these are.
  static let denseInterval = leastAccuracy / walkingSpeed
  /// A device that itself says that it is as fast as this moves, metres a second.
  static let surelyMoving: MetersPerSecond = 2 * walkingSpeed
}
