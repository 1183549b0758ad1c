public import VicinityCrossings
public import VicinityGeodesy

/// One true stay of a device in a region, from its entry to its exit.
///
/// A stay that holds when the track begins has no entry, one that holds when it ends no exit; a region that the device is in
/// all the time is no visit, as nothing is to be reported of it.
public struct RegionVisit: Hashable, Sendable {
  /// The region's ordinal in the index.
  public var region: Int
  /// The region's size: a circle's radius; a polygon's is that of the circle of equal area, metres.
  public var radius: Meters
  /// When and where it was entered; nil for one that the device was in at the beginning.
  public var entry: Crossing?
  /// When and where it was left; nil for one that the device was in at the end.
  public var exit: Crossing?
  /// The entry; the track's beginning where there is none.
  public var start: Timestamp
  /// The exit; the track's end where there is none.
  public var end: Timestamp

  /// A visit.
  public init(
    region: Int, radius: Meters, entry: Crossing?, exit: Crossing?, start: Timestamp, end: Timestamp
  ) {
    self.region = region
    self.radius = radius
    self.entry = entry
    self.exit = exit
    self.start = start
    self.end = end
  }

  /// How long it lasted, as far as the track knows, seconds.
  public var seconds: Double { end.seconds(since: start) }
}

/// An entry or exit that truly happened, and what a scorecard asks about it.
public struct TrueCrossing: Hashable, Sendable {
  /// What happened, when and where.
  public var crossing: Crossing
  /// The visit that it begins or ends: its place in ``DeviceTruth/visits``.
  public var visit: Int
  /// How fast the device went, metres a second; 0 in a stay.
  public var speed: MetersPerSecond

  /// A crossing.
  public init(crossing: Crossing, visit: Int, speed: MetersPerSecond) {
    self.crossing = crossing
    self.visit = visit
    self.speed = speed
  }
}

/// What truly happened to one device.
///
/// The truth of a study is where the simulated phone goes: from fix to fix along the geodesic at constant speed, however long
/// that takes. So there are no inferred crossings, and nothing that the phone could not have noticed.
public struct DeviceTruth: Sendable {
  /// What the device is called.
  public var device: String
  /// When its track begins.
  public var start: Timestamp
  /// When its track ends.
  public var end: Timestamp
  /// Every entry and exit, ordered by time.
  public var crossings: [TrueCrossing]
  /// The visits that they begin and end, ordered by their first crossing.
  public var visits: [RegionVisit]

  /// How long the track is, hours.
  public var hours: Double { end.seconds(since: start) / 3600 }
}
