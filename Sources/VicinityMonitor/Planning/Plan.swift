public import VicinityCrossings
public import VicinityGeodesy

/// A region that occupies one of the device's slots.
public struct Registration: Hashable, Sendable {
  /// The region's ordinal in the index.
  public var ordinal: Int
  /// The region's identifier.
  public var identifier: String
  /// Signed boundary distance from the plan's centre, metres: negative inside.
  public var distance: Meters

  /// A registration.
  public init(ordinal: Int, identifier: String, distance: Meters) {
    self.ordinal = ordinal
    self.identifier = identifier
    self.distance = distance
  }
}

/// Which regions to register at a fix, and how far that does.
public struct Plan: Hashable, Sendable {
  /// An open disc: all places nearer to the centre, by geodesic distance, than the radius.
  public struct Disc: Hashable, Sendable {
    /// The centre.
    public var center: Coordinate
    /// The radius, metres.
    public var radius: Meters

    /// A disc.
    public init(center: Coordinate, radius: Meters) {
      self.center = center
      self.radius = radius
    }
  }

  /// The region that wakes the device to plan again.
  public struct Sentinel: Hashable, Sendable {
    /// Its identifier, which no region has.
    public var identifier: String
    /// What it covers: the vicinity.
    public var disc: Disc

    /// A sentinel.
    public init(identifier: String, disc: Disc) {
      self.identifier = identifier
      self.disc = disc
    }
  }

  /// Why no vicinity can be promised, and what is lost by it.
  public struct Saturation: Hashable, Sendable {
    /// What stands in the way, the first that applies.
    public enum Reason: String, CaseIterable, Hashable, Sendable {
      /// No slot is free for the planner.
      case noSlots
      /// More regions are pinned than there are slots.
      case tooManyPinned
      /// More regions contain the position than there are slots.
      case tooManyOccupied
      /// The position may be in a region left out: its error reaches one.
      case errorTooLarge
      /// The vicinity would be smaller than a sentinel works with.
      case radiusTooSmall
    }

    /// What stands in the way.
    public var reason: Reason
    /// The regions that would need a slot and have none: those that the position, as far off as it may be, may be in; where
    /// the vicinity is too small, those within what it needs; and pinned ones. Nearest first.
    public var leftOut: [Registration]
    /// Of these, the ones that contain the position: their exits cannot be proved to be noticed.
    public var unprovableExits: [Registration]
  }

  /// The plan's place in the planner's, from one.
  public var number: Int
  /// The fix it was made at.
  public var fix: Fix
  /// When it was made.
  public var time: Timestamp
  /// e: how far the fix may be from the truth, metres.
  public var error: Meters
  /// The regions to register, nearest first.
  public var registrations: [Registration]
  /// The regions larger than may be registered whose boundaries are the nearest, for software to watch; nearest first.
  /// Only those that the certificate had to look at.
  public var watched: [Registration]
  /// Where the certificate holds: the fix, or a place ahead of it.
  public var center: Coordinate
  /// D: while the device is nearer to the centre than this, no region that is not registered can be entered, metres;
  /// infinite when every region is registered, nil for strategies that promise nothing.
  public var certificate: Meters?
  /// The disc that the plan is good for; nil when every region is registered, when the plan is saturated, and for
  /// strategies without a sentinel.
  public var vicinity: Disc?
  /// The vicinity as a region to register; its exit is the time to plan again.
  public var sentinel: Sentinel?
  /// Why there is no vicinity; nil when there is one or none is needed.
  public var saturation: Saturation?
  /// When the next fix is due, where there is no vicinity to wait for: it must be asked for, to come by then. Nil
  /// otherwise.
  public var nextFixDue: Timestamp?
  /// How many slots there were for regions and sentinels.
  public var slots: Int

  /// How many slots the plan uses.
  public var slotsInUse: Int { registrations.count + (sentinel == nil ? 0 : 1) }
}
