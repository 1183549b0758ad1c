internal import CLibrary

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
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { _ = close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    byteCount = Int(status.st_size)
    checksum = 0
    for range in ranges(byteCount) {
      guard let bytes = Self.read(range, descriptor) else { return nil }
      checksum = bytes[...].checksum(after: checksum)
    }
  }

  private static func read(_ range: Range<Int>, _ descriptor: CInt) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: range.count)
    var filled = 0
    let isRead = unsafe bytes.withUnsafeMutableBytes { buffer in
      while filled < buffer.count {
        guard let base = buffer.baseAddress else { return true }
        // SAFETY: filled < buffer.count, and no more than the rest is read.
        let count = unsafe pread(
          descriptor, base + filled, buffer.count - filled, off_t(range.lowerBound + filled))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        filled += count
      }
      return true
    }
    return isRead ? bytes : nil
  }
}

extension FileContent: CustomStringConvertible {
  package var description: String { "\(byteCount) bytes, \(String(checksum, radix: 16))" }
}
