public import VicinityCrossings

/// A radio level, decibels relative to a milliwatt (dBm): -59 is stronger than -90.
public typealias DecibelMilliwatts = Int

/// One advertisement of a beacon, as a device's radio has received it.
///
/// ## Units
/// - `rssi`: dBm; 0 where the radio could not tell, as in Core Location.
/// - `measuredPower`: dBm, what the beacon says its signal is received with at 1 m: the last byte of an
///   iBeacon's advertisement.
public struct BeaconSighting: Hashable, Sendable {
  /// What the beacon advertises of itself: always complete.
  public let beacon: BeaconIdentity
  /// The strength received, dBm; 0 when not known.
  public var rssi: DecibelMilliwatts
  /// The strength at 1 m by the beacon's own word, dBm.
  public var measuredPower: DecibelMilliwatts
  /// When it was received.
  public var time: Timestamp

  @inlinable
  public init(
    uuid: ProximityUUID, major: UInt16, minor: UInt16, rssi: DecibelMilliwatts,
    measuredPower: DecibelMilliwatts, time: Timestamp
  ) {
    beacon = BeaconIdentity(uuid: uuid, major: major, minor: minor)
    self.rssi = rssi
    self.measuredPower = measuredPower
    self.time = time
  }
}

/// A number that beacons cannot be followed with.
public enum BeaconOptionsError: Error, Hashable, Sendable {
  /// A duration must be more than zero.
  case durationNotPositive(option: String, value: Duration)
  /// A number is out of its range.
  case outOfRange(option: String, value: Double)
}

extension BeaconOptionsError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .durationNotPositive(let option, let value): "\(option): \(value) is not more than zero"
    case .outOfRange(let option, let value): "\(option): \(value) is out of range"
    }
  }
}
