public import VicinityGeodesy
public import VicinityMonitor

/// A beacon at a position.
public struct PlacedBeacon: Hashable, Sendable {
  /// Complete: what was left open is zero.
  public private(set) var identity: BeaconIdentity
  public var coordinate: Coordinate
  /// The level at a distance of one metre.
  public var measuredPower: DecibelMilliwatts
  /// The greatest distance at which the beacon is heard, metres.
  public var range: Meters

  /// - Parameter identity: A UUID alone is enough; numbers that are left open are sent as zero.
  public init(
    identity: BeaconIdentity, coordinate: Coordinate, measuredPower: DecibelMilliwatts = -59,
    range: Meters = 50
  ) {
    self.identity = BeaconIdentity(
      uuid: identity.uuid, major: identity.major ?? 0, minor: identity.minor ?? 0)
    self.coordinate = coordinate
    self.measuredPower = measuredPower
    self.range = range
  }
}
