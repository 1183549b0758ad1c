/// What a beacon sends: its identity, and the level at which it is heard at a distance of one metre.
///
/// A device that is a beacon itself gives this to its radio; it is the content of
/// `CLBeaconRegion.peripheralData(withMeasuredPower:)`. Apple, *Proximity Beacon Specification*: of the
/// manufacturer's data, Apple's company identifier, type and length, then 16 bytes of UUID, 2 of major and 2
/// of minor number, in network order, and one of measured power, in two's complement.
public struct BeaconAdvertisement: Hashable, Sendable {
  /// Apple's company identifier (little-endian), and the type and length of a beacon's data.
  private static let prefix: [UInt8] = [0x4C, 0x00, 0x02, 0x15]

  /// The identity that receivers hear. The data have room for both numbers always: one that was left open is
  /// sent as zero.
  public let identity: BeaconIdentity
  /// The level at one metre. -128...127.
  public let measuredPower: DecibelMilliwatts

  /// What a device sends that is a beacon of an identity.
  ///
  /// - Parameters:
  ///   - identity: A UUID alone is enough.
  ///   - measuredPower: The level at one metre, -128...127; -59 by default, as phones send without a
  ///     measurement of their own.
  /// - Throws: ``BeaconOptionsError/outOfRange(option:value:)`` for a measured power that does not fit.
  public init(_ identity: BeaconIdentity, measuredPower: DecibelMilliwatts = -59) throws(BeaconOptionsError) {
    guard -128...127 ~= measuredPower else {
      throw .outOfRange(option: "measured power", value: Double(measuredPower))
    }
    self.identity = BeaconIdentity(
      uuid: identity.uuid, major: identity.major ?? 0, minor: identity.minor ?? 0)
    self.measuredPower = measuredPower
  }

  /// What a payload says; nil when it is no beacon's.
  public init?(payload: some Collection<UInt8>) {
    let bytes = Array(payload)
    guard bytes.count == 25, bytes.starts(with: Self.prefix) else { return nil }
    func number(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
    identity = BeaconIdentity(
      uuid: ProximityUUID(high: number(4..<12), low: number(12..<20)),
      major: UInt16(truncatingIfNeeded: number(20..<22)), minor: UInt16(truncatingIfNeeded: number(22..<24)))
    measuredPower = DecibelMilliwatts(Int8(bitPattern: bytes[24]))
  }

  /// The manufacturer's data: 25 bytes.
  public var payload: [UInt8] {
    func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
      (0..<number.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
    return Self.prefix + bytes(identity.uuid.high) + bytes(identity.uuid.low)
      + bytes(identity.major ?? 0) + bytes(identity.minor ?? 0)
      + [UInt8(bitPattern: Int8(truncatingIfNeeded: measuredPower))]
  }
}
