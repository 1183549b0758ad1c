public import VicinityCrossings
public import VicinityGeodesy

/// A region that occupies one of the device's slots.
public struct Registration: Hashable, Sendable {
  /// The region's ordinal in the index.
  public var ordinal: Int
  /// The region's identifier.
  public var identifier: String
  /// Signed boundary distance from the plan's centre, metres: negative inside; within
  /// ``PlanOptions/tolerance`` of the true one.
  public var distance: Meters
}

/// Which regions to register at a fix, and how far that choice holds.
public struct Plan: Hashable, Sendable {
  /// An open disc: all positions nearer to the centre, by geodesic distance, than the radius.
  public struct Disc: Hashable, Sendable {
    public var center: Coordinate
    public var radius: Meters

    public init(center: Coordinate, radius: Meters) {
      self.center = center
      self.radius = radius
    }
  }

  /// The region that wakes the device to plan again.
  public struct Sentinel: Hashable, Sendable {
    /// Its identifier, which no region has.
    public var identifier: String
    /// The disc that it covers: the safe disc.
    public var disc: Disc

    public init(identifier: String, disc: Disc) {
      self.identifier = identifier
      self.disc = disc
    }
  }

  /// Why there is no safe disc, and what is lost by that.
  public struct Saturation: Hashable, Sendable {
    /// A reason; where several apply, the first one is given.
    public enum Reason: String, CaseIterable, Hashable, Sendable {
      /// No slot is free for the planner.
      case noSlots
      /// More regions are pinned than there are slots for regions: all but the sentinel's.
      case tooManyPinned
      /// More regions contain the position than there are slots for regions.
      case tooManyOccupied
      /// The position may be in a region left out: its error reaches one.
      case errorTooLarge
      /// The safe disc would be smaller than a sentinel works with.
      case radiusTooSmall
    }

    /// Why there is no safe disc.
    public var reason: Reason
    /// The regions that would need a slot and have none, nearest first: regions that the device may be in;
    /// where the safe disc is too small, regions within the radius it needs; and pinned regions.
    public var leftOut: [Registration]
    /// The regions left out that contain the position: their exits cannot be proved to be noticed.
    public var unprovableExits: [Registration]
  }

  /// The number of the plan among its planner's plans, from one.
  public var number: Int
  /// The fix that the plan was made at.
  public var fix: Fix
  /// When the plan was made.
  public var time: Timestamp
  /// e: how far the fix may be from the truth, metres.
  public var error: Meters
  /// The regions to register, nearest first.
  public var registrations: [Registration]
  /// Regions too large to be registered, for software to watch; nearest first. Only those that the
  /// certificate depends on.
  public var watched: [Registration]
  /// The centre of the disc in which the certificate holds: the fix, or a position ahead of it.
  public var center: Coordinate
  /// D: while the device is nearer to the centre than this, no region that is not registered can be entered,
  /// metres; infinite when every region is registered, nil for strategies that promise nothing.
  public var certificate: Meters?
  /// The disc inside which the plan holds; nil when every region is registered, when the plan is saturated,
  /// and for strategies without a sentinel.
  public var safeDisc: Disc?
  /// The safe disc as a region to register; its exit is the time to plan again.
  public var sentinel: Sentinel?
  /// Why there is no safe disc; nil when there is one or none is needed.
  public var saturation: Saturation?
  /// When the next fix is due, where there is no safe disc: it must be asked for, to come by then. Nil
  /// otherwise.
  public var nextFixDue: Timestamp?
  /// How many slots there were for regions and sentinels.
  public var slots: Int

  /// How many slots the plan uses.
  public var slotsInUse: Int { registrations.count + (sentinel == nil ? 0 : 1) }
}
