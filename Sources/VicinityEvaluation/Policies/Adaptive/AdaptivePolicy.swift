internal import VicinityCrossings
internal import VicinityGeodesy
public import VicinityIndex
public import VicinityMonitor
public import VicinitySimulation

/// Vicinity's own policy: a position when a boundary may have been crossed, and none before.
///
/// ## When the next position is due
/// A position at a distance d from the nearest boundary of any region, good to e, says that no boundary is crossed for as long as
/// the phone takes to go d - e. So the next is due a latency after that: ``SafeSamplingBound``'s promise, kept with errors. How
/// long the phone takes depends on how fast it goes now and on how fast it can get: speed grows by ``acceleration`` up to
/// `PlanOptions.maximumSpeed`.
///
/// ## What decides
/// A position farther beyond a boundary than ``entryMargin`` or ``exitMargin`` accuracies decides on which side the phone is, at rest
/// ``restMargin``; a nearer one is asked again soon, and two that agree decide. On the move a phone soon is elsewhere: who waits for
/// a second opinion misses how a region is left for seconds and entered again. A position that contradicts those before it, by speed or at rest, is believed when the next
/// says so too. At rest the mean of all positions is what counts.
///
/// ## What it costs
/// The app keeps itself alive by the coarsest tier and asks for single positions, of the tier that can decide: best near a
/// boundary, a hundred metres where none is within reach of one. Where satellites must be searched for longer than a single
/// position is waited for, updates are left on until they are found. Where the nearest boundary is farther than what a sentinel needs
/// (`PlanOptions`: overshoot, latency, error), the app is suspended behind one. At all other times a sentinel around the phone
/// starts the app anew, should it have been killed.
///
/// Defaults are from the sweep of `Benchmarks/Results/adaptive.md`.
public struct AdaptivePolicy: AdjustablePolicy {
  /// How late a crossing may be noticed on the move, seconds.
  public var latency = 9.0
  /// How late at rest: a departure.
  public var restLatency = 40.0
  /// How fast speed may grow, metres a second each second: what a car does in traffic.
  public var acceleration = 1.5
  /// How many times its accuracy a position on the move must be inside a boundary to decide on an entry by itself.
  public var entryMargin = 0.3
  /// How many times its accuracy it must be outside to decide on an exit.
  public var exitMargin = 0.0
  /// How many times the accuracy of a phone's place at rest that must be beyond a boundary.
  public var restMargin = 1.0
  /// Seconds from a position that decides nothing to the next.
  public var recheck = 4.0
  /// What is allowed for between a sentinel's border and the next position, and the speed cap. Its latency is 180 s: of the
  /// 16 region exits of MobilityNet's iPhones half came within 85 s of the crossing, and 95 % within 161 s. With the 20 s of a plan, two
  /// in three of a ride's few entries among a thousand regions were slept through.
  public var options = PlanOptions(latency: .seconds(180))

  /// The policy with its defaults.
  public init() {}

  public var name: String { "adaptive" }
  public var summary: String {
    "A position when a boundary may have been crossed, none before; asleep behind a sentinel where that is far off."
  }
  public var source: String { "Vicinity; safe periods: Bamba, Liu, Iyengar, Yu (ICDCS 2009)" }

  public static let adjustments: [PolicyAdjustment<AdaptivePolicy>] = [
    .number(
      "latency", \.latency, in: 1...3600, unit: "s", "How late a crossing may be noticed on the move.",
      tries: [5, 9, 25, 60]),
    .number(
      "rest-latency", \.restLatency, in: 1...86_400, unit: "s", "How late a departure may be noticed.",
      tries: [30, 40, 120, 300]),
    .number(
      "acceleration", \.acceleration, in: 0.01...100, unit: "m/s2", "How fast speed may grow.",
      tries: [0.7, 1.5, 3]),
    .number(
      "entry-margin", \.entryMargin, in: 0...10, unit: "",
      "Accuracies inside that decide on an entry at once.",
      tries: [0, 0.3, 1]),
    .number(
      "exit-margin", \.exitMargin, in: 0...10, unit: "", "Accuracies outside that decide on an exit at once.",
      tries: [0, 0.3, 1]),
    .number(
      "rest-margin", \.restMargin, in: 0...10, unit: "", "Accuracies beyond a boundary that decide at rest.",
      tries: [0.5, 1, 1.5]),
    .number(
      "recheck", \.recheck, in: 1...600, unit: "s", "From a position that decides nothing to the next.",
      tries: [2, 4, 8]),
    .number(
      "maximum-speed", \.options.maximumSpeed, in: 0.1...1000, unit: "m/s", "The speed cap.",
      tries: [20, 40]),
  ]

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp { AdaptiveApp(regions, self) }

  /// The least time in which a phone can go so far, seconds.
  ///
  /// - Parameter speed: How fast it goes now; negative where that is not known, which counts as standing.
  func travelTime(_ distance: Meters, at speed: MetersPerSecond) -> Double {
    let fastest = options.maximumSpeed
    let now = min(max(0, speed), fastest)
    // v² = u² + 2 a s.
    let spurt = (fastest * fastest - now * now) / (2 * acceleration)
    guard distance > spurt else {
      return ((now * now + 2 * acceleration * distance).squareRoot() - now) / acceleration
    }
    return (fastest - now) / acceleration + (distance - spurt) / fastest
  }

  /// How far beyond a boundary a position must be.
  func margins(atRest isAtRest: Bool) -> BoundaryEvidence.Margins {
    isAtRest
      ? BoundaryEvidence.Margins(entry: restMargin, exit: restMargin)
      : BoundaryEvidence.Margins(entry: entryMargin, exit: exitMargin)
  }

  /// The radius of the sentinel behind which the app may sleep when the nearest boundary is so far; nil where there is none.
  func sentinelRadius(clearance: Meters) -> Meters? {
    let waiting = options.latency / .seconds(1)
    let radius =
      clearance - options.overshoot - options.maximumSpeed * waiting - options.sentinelError
    return radius >= options.minimumReliableRadius ? min(radius, options.maximumRadius) : nil
  }
}
