@testable import VicinityText

/// Bytes in memory as a stream.
final class MemoryStream: ByteStream {
  let path = "memory"
  let isRegularFile = false
  private let bytes: [UInt8]
  private(set) var consumedByteCount = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var byteCount: Int? { bytes.count }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FormatError) -> Int {
    let count = min(buffer.count, bytes.count - consumedByteCount)
    unsafe buffer.copyBytes(from: bytes[consumedByteCount..<consumedByteCount + count])
    consumedByteCount += count
    return count
  }

  func seek(to offset: Int) -> Bool { false }

  func unpack(_ compression: Compression, after head: [UInt8]) throws(FormatError) {
    throw .unreadable(path: path, reason: "packed")
  }
}
