public import VicinityCrossings
public import VicinityGeodesy
public import VicinityIndex

/// Counts of the entries and exits along a track, by what the plans in force said of them.
public struct PlanTally: Hashable, Sendable {
  /// Entries into regions.
  public var entries = 0
  /// Entries into a registered region: the device notices them.
  public var noticed = 0
  /// Entries into an unregistered region inside the certificate's disc or, where the plan is not saturated,
  /// no farther from the plan's fix than the fix may be off. There must be none, or the plan is wrong.
  public var violations = 0
  /// Entries into an unregistered region while the plan was saturated.
  public var announced = 0
  /// Entries into an unregistered region after the disc was left and before the next fix.
  public var late = 0
  /// Entries into an unregistered region under a strategy without a certificate.
  public var missed = 0
  public var exits = 0
  /// Exits from an unregistered region.
  public var unnoticedExits = 0

  public init() {}

  /// Entries into regions that were not registered.
  public var unregistered: Int { entries - noticed }

  @inlinable
  public static func + (a: PlanTally, b: PlanTally) -> PlanTally {
    var sum = a
    sum.entries += b.entries
    sum.noticed += b.noticed
    sum.violations += b.violations
    sum.announced += b.announced
    sum.late += b.late
    sum.missed += b.missed
    sum.exits += b.exits
    sum.unnoticedExits += b.unnoticedExits
    return sum
  }
}

/// Checks plans against every exact crossing of a device, under the plan in force.
///
///     var verifier = try PlanVerifier(index)
///     for fix in track {
///       let violations = try verifier.advance(to: fix, under: planner.plan)
///       _ = try planner.advance(to: fix)
///     }
///
/// Give it true positions where the planner got fixes with errors: then the guarantee is checked against the
/// truth.
public struct PlanVerifier: ~Copyable {
  /// An entry that the plan in force rules out.
  public struct Violation: Hashable, Sendable {
    public var crossing: Crossing
    /// The number of the plan in force.
    public var plan: Int
    /// How far from the plan's centre, metres: less than its certificate, or within the error of the plan's
    /// fix.
    public var distance: Meters
  }

  /// The counts so far.
  public private(set) var tally = PlanTally()
  private var detector: CrossingDetector
  private var crossings: [Crossing] = []

  /// A verifier for a device that has not been seen yet.
  ///
  /// - Parameters:
  ///   - index: The regions that the plans are about.
  ///   - maximumGap: See `CrossingOptions.maximumGap`. Changes over a longer gap count at the fix that ends
  ///     it.
  /// - Throws: `CrossingOptionsError` for a negative gap.
  public init(
    _ index: RegionIndex, maximumGap: Duration = .seconds(300)
  ) throws(CrossingOptionsError) {
    detector = try CrossingDetector(index, options: CrossingOptions(maximumGap: maximumGap))
  }

  /// Forgets the device, for the beginning of another track. The tally goes on.
  public mutating func reset() { detector.reset() }

  /// Moves the device to its next position.
  ///
  /// - Parameters:
  ///   - position: Where the device truly is.
  ///   - plan: The plan in force on the leg to that position; nil for none.
  /// - Returns: The entries that the plan rules out: none, or the plan is wrong.
  /// - Throws: `TrackError`; nothing has changed then.
  public mutating func advance(
    to position: Fix, under plan: Plan?
  ) throws(TrackError) -> [Violation] {
    crossings.removeAll(keepingCapacity: true)
    try detector.advance(to: position, into: &crossings)
    var violations: [Violation] = []
    for crossing in crossings {
      let isRegistered = plan?.registrations.contains { $0.ordinal == crossing.region } ?? false
      switch crossing.kind {
      case .dwell: continue
      case .exit:
        tally.exits += 1
        if !isRegistered { tally.unnoticedExits += 1 }
        continue
      case .enter: tally.entries += 1
      }
      if isRegistered {
        tally.noticed += 1
        continue
      }
      guard let plan, let certificate = plan.certificate else {
        tally.missed += 1
        continue
      }
      let distance = Geodesic.uncheckedDistance(plan.center, crossing.coordinate)
      if distance < certificate || Self.isPromised(plan, at: crossing.coordinate) {
        tally.violations += 1
        violations.append(Violation(crossing: crossing, plan: plan.number, distance: distance))
      } else if plan.saturation != nil {
        tally.announced += 1
      } else {
        tally.late += 1
      }
    }
    return violations
  }

  /// Whether a plan promises that every region is registered that the device may enter at a position. A plan
  /// that is not saturated does so no farther from its fix than the fix may be off.
  private static func isPromised(_ plan: Plan, at position: Coordinate) -> Bool {
    plan.saturation == nil && Geodesic.uncheckedDistance(plan.fix.coordinate, position) < plan.error
  }
}
