/// What a beacon advertises of itself, or which beacons are meant: a UUID; a UUID and a major number; or a
/// UUID, a major and a minor number.
///
/// What is left out is a wildcard: any value will do. A minor number without a major one means nothing, and
/// cannot be written.
public struct BeaconIdentity: Hashable, Sendable {
  /// The family of beacons.
  public let uuid: ProximityUUID
  /// The group within the family; nil for any.
  public let major: UInt16?
  /// The beacon within the group; nil for any.
  public let minor: UInt16?

  /// All beacons of a family.
  public init(uuid: ProximityUUID) {
    self.uuid = uuid
    major = nil
    minor = nil
  }

  /// All beacons of a group.
  public init(uuid: ProximityUUID, major: UInt16) {
    self.uuid = uuid
    self.major = major
    minor = nil
  }

  /// One beacon.
  public init(uuid: ProximityUUID, major: UInt16, minor: UInt16) {
    self.uuid = uuid
    self.major = major
    self.minor = minor
  }

  /// Whether nothing is left open, as in what a beacon advertises.
  public var isComplete: Bool { minor != nil }

  /// Whether the beacons meant by `other` are among those meant by this.
  ///
  /// - Complexity: O(1)
  public func matches(_ other: BeaconIdentity) -> Bool {
    uuid == other.uuid && (major == nil || major == other.major) && (minor == nil || minor == other.minor)
  }
}

extension BeaconIdentity: CustomStringConvertible {
  public var description: String {
    ([uuid.description] + [major, minor].compactMap { $0.map(String.init) }).joined(separator: "/")
  }
}
