/// What a crossing rule has decided about one region: the reported side, and the decision that is pending.
package struct RuleState: Hashable, Sendable {
  /// Whether the device is reported to be inside; false while the state is open.
  package var isInside: Bool
  /// Since when the device has been beyond the cushion, microseconds; or ``notPending``, or ``unknown``.
  package var since: Int64

  /// A value of ``since``: no decision is pending.
  package static let notPending = Int64.max
  /// A value of ``since``: no fix has told yet on which side of the boundary the device is.
  package static let unknown = Int64.min
  /// Nothing is known of the region.
  package static let open = RuleState(isInside: false, since: unknown)

  package init(isInside: Bool, since: Int64 = .max) {
    self.isInside = isInside
    self.since = since
  }

  /// Whether no fix has told yet on which side of the boundary the device is.
  @inline(__always)
  package var isOpen: Bool { since == Self.unknown }

  /// Whether the device is beyond the cushion, and the time to remain is not over.
  @inline(__always)
  package var isPending: Bool { since != Self.unknown && since != Self.notPending }
}

/// A region that every fix must be compared with, however far away: its decision is pending or open, or the
/// reported side differs from the side on which the last fix lay.
struct WatchedRegion {
  let ordinal: UInt32
  /// As ``RuleState/since``.
  let since: Int64
}
