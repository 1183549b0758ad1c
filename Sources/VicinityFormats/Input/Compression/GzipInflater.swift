internal import CFiles

/// Unpacks gzip (RFC 1952), member after member, in pieces.
///
/// zlib compares checksums and lengths. Only zeros, as tapes write them, may follow the last member.
@safe final class GzipInflater: Inflater {
  // zlib keeps a pointer back to its stream, which therefore must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private let input: PackedInput
  private var isInMember = true
  private(set) var isAtEnd = false

  /// An inflater of a stream that begins with `head`; `nil` without memory.
  init?(head: [UInt8]) {
    input = PackedInput(head: head)
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    // 16: gzip's header and trailer are expected; 15: any window.
    let size = unsafe Int32(MemoryLayout<z_stream>.size)
    guard unsafe inflateInit2_(stream, 15 + 16, ZLIB_VERSION, size) == Z_OK else { return nil }
  }

  deinit {
    // Does nothing but say so where the stream was never set up.
    _ = unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  func inflate(into buffer: UnsafeMutableRawBufferPointer) throws(InflateFault) -> Int {
    guard let base = buffer.baseAddress, buffer.count > 0, !isAtEnd else { return 0 }
    let room = UInt32(clamping: buffer.count)
    unsafe stream.pointee.next_out = base.assumingMemoryBound(to: UInt8.self)
    unsafe stream.pointee.avail_out = room
    while unsafe stream.pointee.avail_out > 0 {
      if !isInMember, try !startMember() { break }
      let count = UInt32(clamping: input.count)
      guard count > 0 else { break }
      unsafe stream.pointee.next_in = unsafe input.start
      unsafe stream.pointee.avail_in = count
      let code = unsafe CFiles.inflate(stream, Z_NO_FLUSH)
      input.use(unsafe Int(count - stream.pointee.avail_in))
      if code == Z_STREAM_END {
        isInMember = false
      } else if code == Z_BUF_ERROR {
        break
      } else if code != Z_OK {
        let words = unsafe stream.pointee.msg.map { unsafe String(cString: $0) }
        throw .damaged("damaged gzip: \(words ?? "zlib's error \(code)")")
      }
    }
    let produced = unsafe Int(room - stream.pointee.avail_out)
    if produced == 0, !input.hasMore {
      if isInMember { throw .damaged("damaged gzip: it ends too early") }
      isAtEnd = true
    }
    return produced
  }

  func refill(_ read: (UnsafeMutableRawBufferPointer) -> Int) { unsafe input.refill(read) }

  /// Skips padding up to the next member; returns false if there is none yet.
  private func startMember() throws(InflateFault) -> Bool {
    while input.first == 0 { input.use(1) }
    guard let first = input.first else { return false }
    guard first == 0x1F, unsafe inflateReset(stream) == Z_OK else {
      throw .damaged("damaged gzip: something else follows")
    }
    isInMember = true
    return true
  }
}
