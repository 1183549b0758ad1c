internal import VicinityIndex

/// What tells a file's content from another's, whatever its name and times.
package struct FileContent: Equatable {
  var byteCount: Int
  var checksum: UInt64
}

extension FileContent {
  private static let blockSize = 1 << 20
  private static let sampleSize = 1 << 12
  private static let sampleCount = 64

  /// All of a file; `nil` for one that cannot be read.
  package init?(of path: String) {
    self.init(path) { size in
      stride(from: 0, to: size, by: Self.blockSize).map { $0..<min($0 + Self.blockSize, size) }
    }
  }

  /// The size of a file, and its first bytes, its last ones and some in between: a hint that costs little in
  /// a file of any length.
  init?(samplesOf path: String) {
    self.init(path) { size in
      let length = min(Self.sampleSize, size)
      guard size > Self.sampleSize * Self.sampleCount else { return [0..<size] }
      return (0..<Self.sampleCount).map { i in
        let start = (size - length) / (Self.sampleCount - 1) * i
        return i == Self.sampleCount - 1 ? size - length..<size : start..<start + length
      }
    }
  }

  private init?(_ path: String, _ ranges: (_ size: Int) -> [Range<Int>]) {
    guard let file = try? OpenFile.regular(path),
      let size = try? file.status().byteCount
    else { return nil }
    byteCount = size
    checksum = 0
    for range in ranges(size) {
      guard let bytes = try? file.read(range), bytes.count == range.count else { return nil }
      checksum = bytes[...].checksum(after: checksum)
    }
  }
}

extension FileContent: CustomStringConvertible {
  package var description: String { "\(byteCount) bytes, \(String(checksum, radix: 16))" }
}
