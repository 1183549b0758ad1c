package import VicinityGeodesy

/// Core Location's rule for one region: a crossing counts once the device has been seen beyond the boundary
/// by a cushion, and is still seen there when the time to remain is over.
///
/// This is the only implementation of the rule. ``CrossingRule/coreLocation(_:)`` uses it at fixes, the
/// simulated phone uses it for the regions in its slots, and the radius advice uses ``inwardCushion(room:)``
/// and its inverse.
///
///     let rule = CushionRule(CoreLocationParameters())
///     var state = RuleState.open                     // nothing is known of the region yet
///     if rule.update(&state, distance: d, accuracy: a, room: radius, time: fix.time.microseconds) {
///       // `state.isInside` has become known, or has changed
///     }
///
/// A caller whose fixes decide whatever their accuracy passes an accuracy of zero. `room` is a circle's
/// radius or a polygon's inradius, metres.
package struct CushionRule: Hashable, Sendable {
  /// What becomes of a pending decision at an uncertain fix: one whose accuracy disc straddles the boundary.
  /// Such a fix decides nothing in either case.
  package enum UncertainFixes: Hashable, Sendable {
    /// The decision stays pending, as if there had been no fix: Apple's guide.
    case areIgnored
    /// The decision is dropped, and the time to remain begins anew: measured phones.
    case cancelPending
  }

  /// The distance beyond the boundary at which a crossing can count, metres.
  package var cushion: Meters
  /// The share of a region's room that the cushion may take inwards, 0...1.
  package var inwardShare: Double
  /// How long the device must stay beyond the cushion, microseconds.
  package var timeToRemain: Int64
  /// What becomes of a pending decision at an uncertain fix.
  package var uncertainFixes: UncertainFixes

  package init(
    cushion: Meters, inwardShare: Double, timeToRemain: Int64, uncertainFixes: UncertainFixes = .areIgnored
  ) {
    self.cushion = cushion
    self.inwardShare = inwardShare
    self.timeToRemain = timeToRemain
    self.uncertainFixes = uncertainFixes
  }

  package init(_ parameters: CoreLocationParameters, uncertainFixes: UncertainFixes = .areIgnored) {
    self.init(
      cushion: parameters.cushion, inwardShare: parameters.inwardShare,
      timeToRemain: parameters.timeToRemain.microseconds, uncertainFixes: uncertainFixes)
  }

  // MARK: Cushions

  /// The distance within the boundary at which an entry can count, metres.
  @inline(__always)
  package func inwardCushion(room: Meters) -> Meters { min(cushion, inwardShare * room) }

  /// The inverse of `room - inwardCushion(room:)`: the room of a region in which `inner` metres are left
  /// inside the cushion.
  package func room(leaving inner: Meters) -> Meters {
    let shared = inwardShare < 1 ? inner / (1 - inwardShare) : .infinity
    return inwardShare * shared <= cushion ? shared : inner + cushion
  }

  // MARK: Fixes

  /// Updates a region's state at a fix.
  ///
  /// - Parameters:
  ///   - distance: The boundary distance of the fix, metres; negative inside.
  ///   - accuracy: The fix's accuracy, metres. A fix nearer to the boundary than this is uncertain.
  ///   - room: A circle's radius or a polygon's inradius, metres.
  ///   - time: The fix's time, microseconds.
  /// - Returns: Whether the reported side has become known or has changed.
  @inline(__always)
  package func update(
    _ state: inout RuleState, distance: Meters, accuracy: Meters, room: Meters, time: Int64
  ) -> Bool {
    if abs(distance) < accuracy {
      if state.isPending, uncertainFixes == .cancelPending { state.since = RuleState.notPending }
      return false
    }
    if state.isOpen {
      state = RuleState(isInside: distance <= 0)
      return true
    }
    let isBeyond =
      state.isInside
      ? distance > 0 && distance >= cushion : distance <= 0 && distance <= -inwardCushion(room: room)
    guard isBeyond else {
      state.since = RuleState.notPending
      return false
    }
    // The least time is not a time: it marks an open state.
    let since = state.isPending ? state.since : max(time, .min + 1)
    let (duration, overflow) = time.subtractingReportingOverflow(since)
    if overflow || duration >= timeToRemain || timeToRemain == 0 {
      state = RuleState(isInside: !state.isInside)
      return true
    }
    state.since = since
    return false
  }

  /// When a pending decision can be made, microseconds; nil where nothing is pending.
  @inline(__always)
  package func decisionTime(_ state: RuleState) -> Int64? {
    guard state.isPending else { return nil }
    let (time, overflow) = state.since.addingReportingOverflow(timeToRemain)
    return overflow ? .max - 1 : time
  }

  /// How far the device may move before the state can change, metres; negative where the next fix may change
  /// it.
  ///
  /// Between the two cushions nothing begins. While a decision is pending, nothing changes beyond the cushion
  /// before ``decisionTime(_:)``.
  @inline(__always)
  package func clearance(_ state: RuleState, distance: Meters, room: Meters) -> Meters {
    if state.isOpen { return -1 }
    let toCushion = state.isInside ? cushion - distance : distance + inwardCushion(room: room)
    return state.isPending ? -toCushion : toCushion
  }
}
