public import VicinityGeodesy

/// A speed in metres a second.
public typealias MetersPerSecond = Double

/// One measurement of a device's position.
///
/// A plain value: making one checks nothing; whatever receives a fix checks it. As with Core Location's
/// `CLLocation`, a negative accuracy says that the position is not valid, and a negative speed or course that
/// it is not known.
///
/// ## Units
/// - `horizontalAccuracy`: metres, the radius of uncertainty; negative for a position that is not valid.
/// - `speed`: metres a second over the ground; negative when not known.
/// - `course`: degrees clockwise from true north, 0 ..< 360; negative when not known.
public struct Fix: Hashable, Sendable {
  /// When the position was measured.
  public var time: Timestamp
  /// Where the device was.
  public var coordinate: Coordinate
  /// The radius of uncertainty, metres; negative when the position is not valid, zero when it is exact.
  public var horizontalAccuracy: Meters
  /// The speed over the ground; negative when not known.
  public var speed: MetersPerSecond
  /// The direction of travel, degrees clockwise from true north; negative when not known.
  public var course: Degrees

  @inlinable
  public init(
    time: Timestamp, coordinate: Coordinate, horizontalAccuracy: Meters = 0, speed: MetersPerSecond = -1,
    course: Degrees = -1
  ) {
    self.time = time
    self.coordinate = coordinate
    self.horizontalAccuracy = horizontalAccuracy
    self.speed = speed
    self.course = course
  }
}
