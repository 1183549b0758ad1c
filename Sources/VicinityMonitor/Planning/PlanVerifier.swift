public import VicinityCrossings
public import VicinityGeodesy
public import VicinityIndex

/// What became of the entries along a track while plans were in force.
public struct PlanTally: Hashable, Sendable {
  /// Entries into regions.
  public var entries = 0
  /// Of these, into a registered one: the device notices.
  public var noticed = 0
  /// Into one that is not registered, inside the disc that a certificate holds in or, where the plan is not saturated,
  /// no farther from its fix than the fix may be off: never, or the plan is wrong.
  public var violations = 0
  /// Into one that is not registered while the plan was saturated, and said so.
  public var announced = 0
  /// Into one that is not registered, after the disc was left and before the next fix.
  public var late = 0
  /// Into one that is not registered, by a strategy that promises nothing.
  public var missed = 0
  /// Exits from regions.
  public var exits = 0
  /// Of these, from one that was not registered.
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

/// Holds plans to the way a device goes: every crossing between its fixes, exactly, under the plan in force.
///
///     var verifier = PlanVerifier(index)
///     for fix in track {
///       let violations = try verifier.advance(to: fix, under: planner.plan)
///       _ = try planner.advance(to: fix)
///     }
///
/// Where the positions are true and the planner got fixes with errors, the guarantee is held to the truth.
public struct PlanVerifier: ~Copyable {
  /// An entry that no plan allows for.
  public struct Violation: Hashable, Sendable {
    public var crossing: Crossing
    /// The number of the plan in force.
    public var plan: Int
    /// How far from the plan's centre, metres: less than its certificate, or within the error of the plan's fix.
    public var distance: Meters
  }

  /// What became of the entries so far.
  public private(set) var tally = PlanTally()
  private var detector: CrossingDetector
  private var crossings: [Crossing] = []

  /// A verifier for a device that has not been seen yet.
  ///
  /// - Parameters:
  ///   - index: The regions that the plans are about.
  ///   - maximumGap: See ``CrossingOptions/maximumGap``. What has changed over a longer gap counts where the fix that ends
  ///     it is.
  /// - Throws: ``CrossingOptionsError`` for a negative gap.
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
  ///   - plan: The plan in force on the way there; nil for none.
  /// - Returns: The entries that the plan rules out: none, or the plan is wrong.
  /// - Throws: ``TrackError``; nothing has changed then.
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

  /// Whether a plan, by not being saturated, says that every region is registered that the device may be in or enter at
  /// a place: one no farther from its fix than the fix may be off.
  private static func isPromised(_ plan: Plan, at place: Coordinate) -> Bool {
    plan.saturation == nil && Geodesic.uncheckedDistance(plan.fix.coordinate, place) < plan.error
  }
}
