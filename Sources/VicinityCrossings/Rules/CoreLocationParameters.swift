public import VicinityGeodesy

/// The numbers of ``CrossingRule/coreLocation(_:)``.
///
/// Apple's *Location and Maps Programming Guide*, "Region Monitoring and iBeacon", has the first two: "the
/// user's location must cross the region boundary, move away from the boundary by a minimum distance, and
/// remain at that minimum distance for at least 20 seconds before the notifications are reported", the
/// distance being "approximately 200 meters" for testing. It says nothing of regions with less room than
/// that; ``inwardShare`` is this library's own.
public struct CoreLocationParameters: Hashable, Sendable {
  /// How far beyond the boundary a device must be, metres; 200 by default. Zero or more.
  public var cushion: Meters
  /// How long it must remain there; 20 s by default. Zero or more; counted from the first fix there.
  public var timeToRemain: Duration
  /// How much of the room that a region has inwards the cushion may take, 0...1; half by default.
  ///
  /// Inwards the cushion is the smaller of ``cushion`` and this times the radius: of a polygon, its inradius,
  /// the radius of the largest circle in it, to 1 %. So circles of 400 m and more have the whole cushion
  /// inwards too, and one of 100 m is entered 50 m within.
  public var inwardShare: Double

  @inlinable
  public init(cushion: Meters = 200, timeToRemain: Duration = .seconds(20), inwardShare: Double = 0.5) {
    self.cushion = cushion
    self.timeToRemain = timeToRemain
    self.inwardShare = inwardShare
  }

  func check() throws(CrossingOptionsError) {
    func fail(_ name: String, _ value: Double) -> CrossingOptionsError {
      .parameterOutOfRange(rule: "core-location", parameter: name, value: value)
    }
    guard cushion >= 0, cushion < .infinity else { throw fail("cushion", cushion) }
    guard timeToRemain >= .zero else {
      throw fail("time to remain", Double(timeToRemain.components.seconds))
    }
    guard inwardShare >= 0, inwardShare <= 1 else { throw fail("inward share", inwardShare) }
  }
}
