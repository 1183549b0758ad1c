internal import CFiles

/// Unpacks Zstandard (RFC 8878), frame after frame, in pieces.
///
/// libzstd compares checksums. A frame whose window is larger than 128 MiB is refused, as the command `zstd`
/// does too (`--ultra --long` makes them), so that a few bytes cannot ask for gigabytes.
@safe final class ZstdInflater: Inflater {
  /// The largest window, as the power of two: libzstd's own limit, whatever it may become.
  static let largestWindow: Int32 = 27

  private let stream: OpaquePointer
  private let input: PackedInput
  /// Whether a frame has begun and has not ended.
  private var isInFrame = true
  private(set) var isAtEnd = false

  /// An inflater of a stream that begins with `head`; `nil` without memory.
  init?(head: [UInt8]) {
    input = PackedInput(head: head)
    guard let stream = unsafe ZSTD_createDStream() else { return nil }
    unsafe self.stream = stream
    _ = unsafe ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, Self.largestWindow)
  }

  deinit { _ = unsafe ZSTD_freeDStream(stream) }

  func inflate(into buffer: UnsafeMutableRawBufferPointer) throws(InflateFault) -> Int {
    guard buffer.count > 0, !isAtEnd else { return 0 }
    var output = unsafe ZSTD_outBuffer(dst: buffer.baseAddress, size: buffer.count, pos: 0)
    while unsafe output.pos < output.size {
      let before = unsafe output.pos
      var packed = unsafe ZSTD_inBuffer(src: input.start, size: input.count, pos: 0)
      // Called without input too: what is left of a block comes out then.
      if input.count == 0, !isInFrame { break }
      let code = unsafe ZSTD_decompressStream(stream, &output, &packed)
      guard ZSTD_isError(code) == 0 else {
        let words = unsafe ZSTD_getErrorName(code).map { unsafe String(cString: $0) }
        throw .damaged("damaged zstd: \(words ?? "error \(code)")")
      }
      let used = unsafe packed.pos
      input.use(used)
      isInFrame = code != 0
      if used == 0, unsafe output.pos == before { break }
    }
    let produced = unsafe output.pos
    if produced == 0, !input.hasMore {
      if isInFrame { throw .damaged("damaged zstd: it ends too early") }
      isAtEnd = true
    }
    return produced
  }

  func refill(_ read: (UnsafeMutableRawBufferPointer) -> Int) { unsafe input.refill(read) }
}
