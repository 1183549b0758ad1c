public import VicinityGeodesy
public import VicinityMonitor

/// A beacon that stands somewhere.
public struct PlacedBeacon: Hashable, Sendable {
  /// Who it is.
  public var identity: BeaconIdentity
  /// Where it stands.
  public var coordinate: Coordinate
  /// What a phone hears at one metre: its calibrated power.
  public var measuredPower: DecibelMilliwatts
  /// How far it is heard, metres.
  public var range: Meters

  /// A beacon.
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
