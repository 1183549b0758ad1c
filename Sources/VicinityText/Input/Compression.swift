/// The ways in which a file may be packed, told by its first bytes.
package enum Compression: String, CaseIterable {
  case gzip
  case zstd
  case xz
  case bzip2

  /// What the names of such files end with.
  package var ending: String {
    switch self {
    case .gzip: ".gz"
    case .zstd: ".zst"
    case .xz: ".xz"
    case .bzip2: ".bz2"
    }
  }

  /// How many bytes tell.
  static let headByteCount = 6

  /// The way in which a file that begins with `head` is packed; `nil` if it is not.
  package init?(head: [UInt8]) {
    if head.starts(with: [0x1F, 0x8B]) {
      self = .gzip
    } else if head.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
      // A frame to be skipped may come first (RFC 8878, section 3.1.2).
      || head.count >= 4 && head[0] & 0xF0 == 0x50 && head[1...3].elementsEqual([0x2A, 0x4D, 0x18])
    {
      self = .zstd
    } else if head.starts(with: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]) {
      self = .xz
    } else if head.count >= 5, head.starts(with: "BZh".utf8), (0x31...0x39).contains(head[3]),
      // The start of a block, or the end of a file without any.
      head[4] == 0x31 || head[4] == 0x17
    {
      self = .bzip2
    } else {
      return nil
    }
  }

  /// `name`, in small letters, without the ending of a packed file.
  package static func withoutEnding(_ name: String) -> String {
    for ending in allCases.map(\.ending) where name.utf8.count > ending.utf8.count && name.hasSuffix(ending) {
      return String(name.dropLast(ending.count))
    }
    return name
  }
}
