public import VicinityGeodesy
public import VicinityMonitor

/// A beacon at a position.
public struct PlacedBeacon: Hashable, Sendable {
  public var identity: BeaconIdentity
  public var coordinate: Coordinate
  /// The level at a distance of one metre.
  public var measuredPower: DecibelMilliwatts
  /// The greatest distance at which the beacon is heard, metres.
  public var range: Meters

  public init(
    identity: BeaconIdentity, coordinate: Coordinate, measuredPower: DecibelMilliwatts = -59,
    range: Meters = 50
  ) {
    self.identity = identity
    self.coordinate = coordinate
    self.measuredPower = measuredPower
    self.range = range
  }
}
