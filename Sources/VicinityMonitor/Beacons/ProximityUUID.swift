/// The 128 bits that name a family of beacons: a UUID (RFC 9562), as an iBeacon advertises it.
public struct ProximityUUID: Hashable, Sendable {
  /// The first eight bytes, the most significant first.
  public var high: UInt64
  /// The last eight bytes.
  public var low: UInt64

  /// A UUID of sixteen bytes, as two big-endian halves.
  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The UUID that `text` spells: 32 hexadecimal digits in groups of 8-4-4-4-12, of either case.
  ///
  /// - Returns: nil for any other text.
  public init?(_ text: String) {
    var digits: [UInt64] = []
    digits.reserveCapacity(32)
    for (i, byte) in text.utf8.enumerated() {
      guard i < 36 else { return nil }
      if [8, 13, 18, 23].contains(i) {
        guard byte == UInt8(ascii: "-") else { return nil }
      } else {
        guard let digit = Self.digit(byte) else { return nil }
        digits.append(digit)
      }
    }
    guard digits.count == 32 else { return nil }
    high = digits[..<16].reduce(0) { $0 << 4 | $1 }
    low = digits[16...].reduce(0) { $0 << 4 | $1 }
  }

  private static func digit(_ byte: UInt8) -> UInt64? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}

extension ProximityUUID: CustomStringConvertible {
  /// The UUID in upper-case digits, in groups of 8-4-4-4-12.
  public var description: String {
    func hex(_ value: UInt64, _ count: Int) -> String {
      let digits = String(value, radix: 16, uppercase: true)
      return String(repeating: "0", count: count - digits.count) + digits
    }
    return [
      hex(high >> 32, 8), hex(high >> 16 & 0xFFFF, 4), hex(high & 0xFFFF, 4), hex(low >> 48, 4),
      hex(low & 0xFFFF_FFFF_FFFF, 12),
    ].joined(separator: "-")
  }
}
