internal import VicinityIndex

/// Index files as arrays of bytes, to be damaged.
package enum IndexBytes {
  /// Recomputes all checksums, as somebody with ill intent would.
  ///
  /// Sections are taken from where the header says they are, as far as those bytes exist.
  package static func reseal(_ bytes: inout [UInt8]) {
    guard bytes.count >= IndexLayout.headerSize else { return }
    for section in IndexLayout.Section.allCases {
      let entry = IndexLayout.Field.sections + section.rawValue * IndexLayout.Field.sectionSize
      let start = word(bytes, entry)
      // A section's checksum covers the padding behind it.
      let next = entry + IndexLayout.Field.sectionSize
      let isLast = section.rawValue + 1 == IndexLayout.Section.allCases.count
      let end = isLast ? UInt64(bytes.count) : word(bytes, next)
      guard start <= end, end <= UInt64(bytes.count) else { continue }
      put(hash(bytes[Int(start)..<Int(end)]), in: &bytes, at: entry + 16)
    }
    put(
      hash(bytes[..<IndexLayout.Field.headerChecksum]), in: &bytes,
      at: IndexLayout.Field.headerChecksum)
  }

  /// The XXH64 of some bytes.
  package static func hash(_ bytes: ArraySlice<UInt8>, seed: UInt64 = 0) -> UInt64 {
    unsafe bytes.withUnsafeBytes { unsafe XXHash64.hash($0, seed: seed) }
  }

  /// The little-endian word at an offset.
  package static func word(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
    (0..<8).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
  }

  /// Stores a little-endian word.
  package static func put(_ value: UInt64, in bytes: inout [UInt8], at offset: Int) {
    for i in 0..<8 { bytes[offset + i] = UInt8(truncatingIfNeeded: value >> UInt64(8 * i)) }
  }
}
