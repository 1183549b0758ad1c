internal import CFiles

/// Unpacks xz, stream after stream, in pieces.
///
/// liblzma compares checksums. A file that needs more than 256 MiB to unpack is refused; `xz -9` needs 65.
@safe final class XzInflater: Inflater {
  static let memoryByteCount: UInt64 = 256 << 20

  // liblzma keeps pointers to its own state only, but one place for it is as good as for zlib's.
  private let stream: UnsafeMutablePointer<lzma_stream>
  private let input: PackedInput
  private(set) var isAtEnd = false

  /// An inflater of a stream that begins with `head`; `nil` without memory.
  init?(head: [UInt8]) {
    input = PackedInput(head: head)
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: lzma_stream())
    // LZMA_CONCATENATED: streams may follow one another, as gzip's members do.
    guard unsafe lzma_stream_decoder(stream, Self.memoryByteCount, UInt32(0x08)) == LZMA_OK else {
      return nil
    }
  }

  deinit {
    unsafe lzma_end(stream)
    unsafe stream.deallocate()
  }

  func inflate(into buffer: UnsafeMutableRawBufferPointer) throws(InflateFault) -> Int {
    guard let base = buffer.baseAddress, buffer.count > 0, !isAtEnd else { return 0 }
    unsafe stream.pointee.next_out = base.assumingMemoryBound(to: UInt8.self)
    unsafe stream.pointee.avail_out = buffer.count
    while unsafe stream.pointee.avail_out > 0 {
      let count = input.count
      if count == 0, input.hasMore { break }
      unsafe stream.pointee.next_in = UnsafePointer(input.start)
      unsafe stream.pointee.avail_in = count
      let code = unsafe lzma_code(stream, count == 0 ? LZMA_FINISH : LZMA_RUN)
      input.use(unsafe count - stream.pointee.avail_in)
      if code == LZMA_STREAM_END {
        isAtEnd = true
        break
      }
      guard code == LZMA_OK else { throw .damaged("damaged xz: \(Self.words(code))") }
    }
    return unsafe buffer.count - stream.pointee.avail_out
  }

  func refill(_ read: (UnsafeMutableRawBufferPointer) -> Int) { unsafe input.refill(read) }

  private static func words(_ code: lzma_ret) -> String {
    switch code {
    case LZMA_MEMLIMIT_ERROR: "it needs more than \(memoryByteCount >> 20) MiB of memory to unpack"
    case LZMA_FORMAT_ERROR: "something else follows"
    case LZMA_OPTIONS_ERROR: "it uses options that are not known"
    case LZMA_DATA_ERROR: "its data contradict their checksum"
    case LZMA_BUF_ERROR: "it ends too early"
    case LZMA_MEM_ERROR: "no memory"
    default: "liblzma's error \(code.rawValue)"
    }
  }
}
