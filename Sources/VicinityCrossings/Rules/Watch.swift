/// What is kept of a region that a rule must look at whatever its boundary distance: because the decision is pending or
/// open, or because what is reported and what the last look saw are two things.
struct Watch {
  let ordinal: UInt32
  /// Since when the device has been beyond the cushion, microseconds; or one of the values below.
  var since: Int64

  /// Nothing is pending; the region is listed to be looked at.
  static let nothing = Int64.max
  /// No fix has yet told on which side of the boundary the track began.
  static let open = Int64.min
}

/// Where a device stands with a region.
package struct Standing {
  /// What is reported; false while open.
  package var isInside: Bool
  /// As ``Watch/since``.
  package var since: Int64

  /// A device that nothing is known of.
  package static let open = Standing(isInside: false, since: Watch.open)

  package init(isInside: Bool, since: Int64 = .max) {
    self.isInside = isInside
    self.since = since
  }

  var isOpen: Bool { since == Watch.open }
  var isPending: Bool { since != Watch.open && since != Watch.nothing }

  /// Whether the region must be looked at wherever the device goes.
  func isWatched(distance: Double) -> Bool { since != Watch.nothing || isInside != (distance <= 0) }
}
