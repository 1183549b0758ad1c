internal import VicinityGeodesy

/// A crossing rule that decides at fixes: every rule but the geometric one.
///
/// A decision depends on the fix, the region and the region's state alone. So it does not matter which
/// regions are examined, or when, as long as every region whose state would change is examined.
struct FixRule {
  enum Kind {
    case coreLocation
    case naive
    case exitMargin
    case overlap
  }

  /// A region as seen from a fix.
  struct Observation {
    /// Boundary distance, metres.
    var distance: Meters
    /// A circle's radius, metres; nil for a polygon.
    var radius: Meters?
    /// The radius of the largest circle in the region, metres; at least ``FixRule/sufficientRoom`` where it
    /// is larger.
    var room: Meters
  }

  let kind: Kind
  /// The parameters of ``Kind/coreLocation``; without meaning for the other kinds.
  let cushionRule: CushionRule
  /// The parameters of ``Kind/exitMargin``: a share of the room, and a least margin in metres.
  private let marginShare: Double
  private let leastMargin: Meters
  /// The parameters of ``Kind/overlap``: shares of the fix's disc.
  private let enter: Double
  private let exit: Double

  /// nil for the geometric rule.
  init?(_ rule: CrossingRule) {
    var (marginShare, leastMargin, enter, exit) = (0.0, 0.0, 0.0, 0.0)
    var cushionRule = CushionRule(cushion: 0, inwardShare: 0, timeToRemain: 0)
    switch rule {
    case .geometric: return nil
    case .naive: kind = .naive
    case .coreLocation(let parameters):
      kind = .coreLocation
      cushionRule = CushionRule(parameters)
    case .exitMargin(let fraction, let minimum):
      kind = .exitMargin
      (marginShare, leastMargin) = (fraction, minimum)
    case .overlap(let least, let most):
      kind = .overlap
      (enter, exit) = (least, most)
    }
    self.cushionRule = cushionRule
    self.marginShare = marginShare
    self.leastMargin = leastMargin
    self.enter = enter
    self.exit = exit
  }

  /// Whether a fix's accuracy can decide, so that a track can begin with open states.
  @inline(__always)
  var usesAccuracy: Bool { kind == .coreLocation || kind == .overlap }

  /// The room above which more room makes no difference, metres; nil where room makes no difference at all.
  var sufficientRoom: Meters? {
    switch kind {
    case .naive, .overlap: nil
    case .coreLocation:
      cushionRule.inwardShare > 0 && cushionRule.cushion > 0
        ? cushionRule.cushion / cushionRule.inwardShare : nil
    case .exitMargin: marginShare > 0 ? .infinity : nil
    }
  }

  /// How far beyond the boundary the device must be to have left, metres, under ``Kind/exitMargin``.
  @inline(__always)
  private func exitMargin(_ room: Meters) -> Meters { max(marginShare * room, leastMargin) }

  /// Whether an error of `slack` metres in the distance could change the decision.
  @inline(__always)
  func isAmbiguous(_ seen: Observation, accuracy: Meters, slack: Meters) -> Bool {
    let d = seen.distance
    if abs(d) <= slack { return true }
    switch kind {
    case .naive, .overlap: return false
    case .exitMargin: return abs(d - exitMargin(seen.room)) <= slack
    case .coreLocation:
      return abs(abs(d) - accuracy) <= slack || abs(d - cushionRule.cushion) <= slack
        || abs(d + cushionRule.inwardCushion(room: seen.room)) <= slack
    }
  }

  /// The state of a region after a fix.
  ///
  /// - Parameters:
  ///   - state: The state before.
  ///   - time: The fix's time, microseconds.
  @inline(__always)
  func decide(_ state: RuleState, _ seen: Observation, accuracy: Meters, time: Int64) -> RuleState {
    let d = seen.distance
    switch kind {
    case .naive: return RuleState(isInside: d <= 0)
    case .exitMargin: return RuleState(isInside: d <= 0 || (state.isInside && d <= exitMargin(seen.room)))
    case .overlap: return overlap(state, seen, accuracy)
    case .coreLocation:
      var state = state
      _ = cushionRule.update(&state, distance: d, accuracy: accuracy, room: seen.room, time: time)
      return state
    }
  }

  private func overlap(_ state: RuleState, _ seen: Observation, _ accuracy: Meters) -> RuleState {
    let share =
      if accuracy <= 1e-6 {
        // A point.
        seen.distance <= 0 ? 1.0 : 0.0
      } else if let radius = seen.radius {
        DiscOverlap.share(distance: seen.distance, accuracy: accuracy, radius: radius)
      } else {
        DiscOverlap.share(distance: seen.distance, accuracy: accuracy)
      }
    if share >= enter { return RuleState(isInside: true) }
    if share <= exit { return RuleState(isInside: false) }
    return state
  }

  /// How far the device may move before the region can matter, metres; negative where the next fix may
  /// matter.
  ///
  /// - Core Location: see ``CushionRule/clearance(_:distance:room:)``. Accuracies only keep fixes from
  ///   deciding.
  /// - Overlap: a disc that does not reach the boundary has a share of 0 or 1, which is the reported side.
  ///   The quick test allows for the disc.
  @inline(__always)
  func clearance(_ state: RuleState, _ seen: Observation) -> Meters {
    let d = seen.distance
    if state.isOpen { return -1 }
    switch kind {
    case .naive: return abs(d)
    case .exitMargin: return state.isInside ? exitMargin(seen.room) - d : d
    case .overlap: return state.isInside == (d <= 0) ? abs(d) : -1
    case .coreLocation: return cushionRule.clearance(state, distance: d, room: seen.room)
    }
  }
}
