internal import CZlib

/// Unpacks gzip (RFC 1952), member after member, in pieces.
///
/// zlib compares checksums and lengths. Only zeros, as tapes write them, may follow the last member.
@safe final class GzipInflater {
  /// Why nothing more can be unpacked.
  enum Fault: Error {
    case damaged(String)
    case source(FormatError)
  }

  private static let inputByteCount = 1 << 18

  // zlib keeps a pointer back to its stream, which therefore must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private let input: UnsafeMutablePointer<UInt8>
  private var isInMember = true
  private var hasInput = true
  /// Whether all has been unpacked.
  private(set) var isAtEnd = false

  /// An inflater of a stream that begins with `head`; `nil` without memory.
  init?(head: [UInt8]) {
    let capacity = max(Self.inputByteCount, head.count)
    unsafe stream = .allocate(capacity: 1)
    unsafe input = .allocate(capacity: capacity)
    unsafe stream.initialize(to: z_stream())
    for i in head.indices { unsafe input[i] = head[i] }
    unsafe stream.pointee.next_in = unsafe input
    unsafe stream.pointee.avail_in = UInt32(head.count)
    // 16: gzip's header and trailer are expected; 15: any window.
    let size = unsafe Int32(MemoryLayout<z_stream>.size)
    guard unsafe inflateInit2_(stream, 15 + 16, ZLIB_VERSION, size) == Z_OK else { return nil }
  }

  deinit {
    // Does nothing but say so where the stream was never set up.
    _ = unsafe inflateEnd(stream)
    unsafe stream.deallocate()
    unsafe input.deallocate()
  }

  /// Unpacks what is there into `buffer`; 0 when more input is needed, or at the end.
  func inflate(into buffer: UnsafeMutableRawBufferPointer) throws(Fault) -> Int {
    guard let base = buffer.baseAddress, buffer.count > 0, !isAtEnd else { return 0 }
    let room = UInt32(clamping: buffer.count)
    unsafe stream.pointee.next_out = base.assumingMemoryBound(to: UInt8.self)
    unsafe stream.pointee.avail_out = room
    while unsafe stream.pointee.avail_out > 0 {
      if !isInMember, try !startMember() { break }
      guard unsafe stream.pointee.avail_in > 0 else { break }
      let code = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
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
    if produced == 0, !hasInput {
      if isInMember { throw .damaged("damaged gzip: it ends too early") }
      isAtEnd = true
    }
    return produced
  }

  /// Lets `read` fill the empty input buffer; it returns how many bytes it wrote, 0 at the end.
  func refill(_ read: (UnsafeMutableRawBufferPointer) -> Int) {
    guard unsafe stream.pointee.avail_in == 0 else { return }
    let count = unsafe read(UnsafeMutableRawBufferPointer(start: input, count: Self.inputByteCount))
    unsafe stream.pointee.next_in = unsafe input
    unsafe stream.pointee.avail_in = UInt32(count)
    if count == 0 { hasInput = false }
  }

  /// Skips padding up to the next member; returns false if there is none yet.
  private func startMember() throws(Fault) -> Bool {
    while unsafe stream.pointee.avail_in > 0, unsafe stream.pointee.next_in.pointee == 0 {
      unsafe stream.pointee.next_in += 1
      unsafe stream.pointee.avail_in -= 1
    }
    guard unsafe stream.pointee.avail_in > 0 else { return false }
    guard unsafe stream.pointee.next_in.pointee == 0x1F, unsafe inflateReset(stream) == Z_OK else {
      throw .damaged("damaged gzip: something else follows")
    }
    isInMember = true
    return true
  }
}
