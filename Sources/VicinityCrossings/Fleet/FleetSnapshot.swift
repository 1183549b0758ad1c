internal import VicinityIndex

#if _endian(big)
  #error("a snapshot's numbers are little-endian and read in place")
#endif

/// The layout of a fleet's snapshot. All numbers are little-endian; offsets and lengths in bytes.
///
/// Header, 128 bytes:
///
/// | offset | | |
/// | --- | --- | --- |
/// | 0 | `VICFLEET` | |
/// | 8 | version | UInt32 |
/// | 12 | 128 | UInt32 |
/// | 16 | length of the file | UInt64 |
/// | 24 | fingerprint of the index | UInt64 |
/// | 32, 40 | longest gap, loitering delay or 0 | Int64, microseconds |
/// | 48, 56, 64, 72 | devices, occupied regions of all, names, bytes of names | UInt64 |
/// | 80, 88, 96 | fixes taken, repeats dropped, invalid dropped | UInt64 |
/// | 104 | bytes of the rule's section: 0 for the geometric rule, all its crossings reported | UInt64 |
/// | 112 | XXH64 of all behind the header | UInt64 |
/// | 120 | XXH64 of the header up to here | UInt64 |
///
/// Then, each on a multiple of eight bytes and filled up with zeros:
///
/// - devices, 32 bytes each: time of the last fix (Int64, microseconds), latitude, longitude (Float64; latitude NaN for a
///   device not yet seen), how many regions it occupies (UInt32), how wide neighbourhoods were last (Float32, metres);
/// - ordinals of occupied regions, UInt32, device after device, ascending in each;
/// - with a loitering delay: when each of these has lasted for it, Int64, microseconds; `Int64.max` once reported;
/// - where each name ends, UInt64; the names' bytes;
/// - the rule's section (``FleetRuleSection``).
struct FleetSnapshot {
  static let magic = Array("VICFLEET".utf8)
  static let version: UInt32 = 1
  static let headerSize = 128
  static let deviceSize = 32

  enum Field {
    static let version = 8
    static let headerSize = 12
    static let fileSize = 16
    static let fingerprint = 24
    static let gap = 32
    static let delay = 40
    static let deviceCount = 48
    static let occupiedCount = 56
    static let nameCount = 64
    static let nameByteCount = 72
    static let fixes = 80
    static let repeats = 88
    static let invalid = 96
    static let ruleByteCount = 104
    static let bodyChecksum = 112
    static let headerChecksum = 120
  }

  let deviceCount: Int
  let occupiedCount: Int
  let hasDues: Bool
  let nameCount: Int
  let nameByteCount: Int
  let ruleByteCount: Int

  var devices: Int { Self.headerSize }
  var ordinals: Int { devices + Self.deviceSize * deviceCount }
  var dues: Int { ordinals + (4 * occupiedCount + 7) / 8 * 8 }
  var nameEnds: Int { dues + (hasDues ? 8 * occupiedCount : 0) }
  var nameBytes: Int { nameEnds + 8 * nameCount }
  var rule: Int { nameBytes + (nameByteCount + 7) / 8 * 8 }
  var fileSize: Int { rule + ruleByteCount }

  static func hash(_ bytes: [UInt8], _ range: Range<Int>) -> UInt64 {
    unsafe bytes.withUnsafeBytes { unsafe XXHash64.hash(UnsafeRawBufferPointer(rebasing: $0[range])) }
  }
}

extension [UInt8] {
  /// The number at an offset.
  @inlinable
  package func number<T: BitwiseCopyable>(_ offset: Int, as type: T.Type = T.self) -> T {
    precondition(
      offset >= 0 && offset + MemoryLayout<T>.size <= count, "offset \(offset) is beyond the bytes")
    // SAFETY: the bytes exist, by the line above.
    return unsafe withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: T.self) }
  }

  @inlinable
  package mutating func put<T: BitwiseCopyable>(_ value: T, at offset: Int) {
    precondition(
      offset >= 0 && offset + MemoryLayout<T>.size <= count, "offset \(offset) is beyond the bytes")
    // SAFETY: the bytes exist, by the line above.
    unsafe withUnsafeMutableBytes { unsafe $0.storeBytes(of: value, toByteOffset: offset, as: T.self) }
  }
}
