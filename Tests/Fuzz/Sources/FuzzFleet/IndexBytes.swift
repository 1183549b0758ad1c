/// Index files as arrays of bytes, to be damaged: by the specification, not by the library's own constants.
public enum IndexBytes {
  /// The header's length, bytes.
  public static let headerSize = 1024
  /// Where the header has the file's length.
  public static let fileSizeField = 16
  /// Where the table of sections starts, eight entries of 32 bytes: offset, length, checksum, nothing.
  private static let sections = 256
  private static let sectionCount = 8
  private static let headerChecksum = 1016

  /// Recomputes all checksums, as somebody with ill intent would.
  ///
  /// Sections are taken from where the header says they are, as far as those bytes exist.
  public static func reseal(_ bytes: inout [UInt8]) {
    guard bytes.count >= headerSize else { return }
    for section in 0..<sectionCount {
      let entry = sections + section * 32
      let start = word(bytes, entry)
      // A section's checksum covers the padding behind it.
      let end = section + 1 == sectionCount ? UInt64(bytes.count) : word(bytes, entry + 32)
      guard start <= end, end <= UInt64(bytes.count) else { continue }
      put(hash(bytes[Int(start)..<Int(end)]), in: &bytes, at: entry + 16)
    }
    put(hash(bytes[..<headerChecksum]), in: &bytes, at: headerChecksum)
  }

  /// The little-endian word at an offset.
  public static func word(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
    (0..<8).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
  }

  /// Stores a little-endian word.
  public static func put(_ value: UInt64, in bytes: inout [UInt8], at offset: Int) {
    for i in 0..<8 { bytes[offset + i] = UInt8(truncatingIfNeeded: value >> UInt64(8 * i)) }
  }
}
