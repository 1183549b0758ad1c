public import VicinityCrossings
internal import VicinityGeodesy
public import VicinityIndex

/// What a planner says to a fix.
public enum PlanDecision: Hashable, Sendable {
  /// The plan in force is still good.
  case holds
  /// There is a new plan, ``RegistrationPlanner/plan``; these are the steps to it.
  case planned(PlanDiff)
}

/// What a planner has done.
public struct PlanCounts: Hashable, Sendable {
  /// Fixes taken and dropped.
  public var fixes = FixCounts()
  /// Plans made.
  public var plans = 0
  /// Of these, how many were saturated.
  public var saturated = 0
  /// Steps of all their diffs.
  public var steps = 0
}

/// Which regions to register as a device moves, and until when that does.
///
///     var planner = try RegistrationPlanner(index)
///     for fix in fixes {
///       guard case .planned(let diff) = try planner.advance(to: fix) else { continue }
///       for step in diff.steps { perform(step) }
///     }
///
/// At a fix with error e, with S registered and D the smallest gap of any region not in S: if e < D, then while the device
/// is nearer than D to the plan's centre, no region outside S can be entered. See <doc:Certificate>.
///
/// A plan is made at the first fix, and then when the device may have left the vicinity, or by the time the next fix is
/// due. One device's: not to be shared between threads; an actor may hold one.
public struct RegistrationPlanner<Index: SearchableRegions>: ~Copyable {
  /// The regions; changed by ``update(_:)``.
  public private(set) var index: Index
  /// What plans have to work with; changed by ``setOptions(_:)``.
  public private(set) var options: PlanOptions
  /// The plan in force; nil before the first fix.
  public internal(set) var plan: Plan?
  /// What has been done.
  public internal(set) var counts = PlanCounts()

  var motion = PlannerMotion()
  /// `options.errorFactor`.
  private var errorFactor: Double
  /// What the device has registered.
  var standing = DeviceRegistrations()
  /// Where the device has stayed, for ``PlanStrategy/visits(radius:stay:)``.
  var stay: Stay?
  var bench = PlannerBench()

  /// A planner for a device that has not been seen yet and has nothing registered.
  ///
  /// - Throws: ``PlanOptionsError``.
  public init(_ index: Index, options: PlanOptions = PlanOptions()) throws(PlanOptionsError) {
    self.index = index
    self.options = try options.validated()
    errorFactor = options.errorFactor
  }

  /// Takes other options; the next fix plans anew.
  ///
  /// - Throws: ``PlanOptionsError``; nothing has changed then.
  public mutating func setOptions(_ options: PlanOptions) throws(PlanOptionsError) {
    self.options = try options.validated()
    errorFactor = options.errorFactor
    bench.needsChoices = true
    invalidate()
  }

  /// Changes the regions, in place and without a copy; the next fix plans anew, also when `change` throws.
  ///
  /// Registrations whose regions stay as they were stay too; they are told by identifier and shape, whatever the
  /// ordinals. Until the next fix ``plan`` is the old one, with the ordinals it was made with.
  ///
  /// - Complexity: that of `change`; the first time after a plan, O(registrations) more.
  public mutating func update<R, E: Error>(_ change: (inout Index) throws(E) -> R) throws(E) -> R {
    standing.remember(index)
    bench.needsChoices = true
    invalidate()
    return try change(&index)
  }

  /// Has the next fix plan anew: when the system says that the sentinel has been left, or after a gap.
  public mutating func invalidate() { motion.invalidate() }

  /// Says what the device has registered already, when the app is launched again: the next plan's diff starts from there.
  ///
  /// - Parameters:
  ///   - identifiers: Regions by their identifiers, taken to be registered as the index has them. Ones that it does not
  ///     know are unregistered by the next diff.
  ///   - sentinel: The sentinel's identifier.
  public mutating func adopt(_ identifiers: [String], sentinel: String?) {
    standing = DeviceRegistrations(identifiers, sentinel: sentinel, in: index)
    invalidate()
  }

  /// Forgets the device, as for the beginning of another track; nothing is registered then. Counts go on.
  public mutating func reset() {
    plan = nil
    motion = PlannerMotion()
    standing = DeviceRegistrations()
    stay = nil
  }

  /// Moves the device to its next fix.
  ///
  /// - Parameters:
  ///   - fix: The fix. One of negative accuracy is dropped and counted, as is an exact repeat.
  ///   - now: The time by which the fix's age counts; by default the fix's own.
  /// - Returns: Whether the plan holds, or the steps to a new one.
  /// - Throws: ``TrackError``; the planner stays as it was then.
  /// - Complexity: O(1) while the plan holds, and no allocation; a query otherwise.
  public mutating func advance(to fix: Fix, now: Timestamp? = nil) throws(TrackError) -> PlanDecision {
    if motion.pass(fix, errorFactor: errorFactor) {
      counts.fixes.fixes += 1
      return .holds
    }
    return try look(at: fix, now: now ?? fix.time)
  }

  /// When the next fix is due at the latest, with what is known since the plan was made; nil where there is nothing to
  /// wait for but the sentinel.
  public var nextFixDue: Timestamp? {
    guard let plan, plan.saturation != nil, let certificate = plan.certificate, motion.isSeen else {
      return nil
    }
    return options.due(after: motion.time, certificate: certificate, error: motion.bound)
  }
}

extension PlanOptions {
  /// `max(0, (D - e) / maximumSpeed - acquisition time)` after a time.
  func due(after time: Timestamp, certificate: Meters, error: Meters) -> Timestamp {
    let acquisition: Double = acquisitionTime / .seconds(1)
    let seconds = (certificate - error) / maximumSpeed - acquisition
    // Beyond a century nothing is due.
    return time.advanced(by: .seconds(min(max(0, seconds), 3.2e9)))
  }
}
