internal import CFiles

/// Unpacks bzip2, stream after stream, in pieces; libbz2 compares checksums and takes 4 MB at most.
@safe final class Bzip2Inflater: Inflater {
  // libbz2 keeps a pointer back to its stream, which therefore must not move.
  private let stream: UnsafeMutablePointer<bz_stream>
  private let input: PackedInput
  private var isInStream = true
  private(set) var isAtEnd = false

  /// An inflater of a stream that begins with `head`; `nil` without memory.
  init?(head: [UInt8]) {
    input = PackedInput(head: head)
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: bz_stream())
    guard unsafe BZ2_bzDecompressInit(stream, 0, 0) == BZ_OK else { return nil }
  }

  deinit {
    // Does nothing but say so where the stream was never set up.
    _ = unsafe BZ2_bzDecompressEnd(stream)
    unsafe stream.deallocate()
  }

  func inflate(into buffer: UnsafeMutableRawBufferPointer) throws(InflateFault) -> Int {
    guard let base = buffer.baseAddress, buffer.count > 0, !isAtEnd else { return 0 }
    let room = UInt32(clamping: buffer.count)
    unsafe stream.pointee.next_out = base.assumingMemoryBound(to: CChar.self)
    unsafe stream.pointee.avail_out = room
    while unsafe stream.pointee.avail_out > 0, input.count > 0 {
      if !isInStream { try startStream() }
      let count = UInt32(clamping: input.count)
      let before = unsafe stream.pointee.avail_out
      unsafe stream.pointee.next_in = UnsafeMutableRawPointer(input.start).assumingMemoryBound(to: CChar.self)
      unsafe stream.pointee.avail_in = count
      let code = unsafe BZ2_bzDecompress(stream)
      let used = unsafe Int(count - stream.pointee.avail_in)
      input.use(used)
      if code == BZ_STREAM_END {
        isInStream = false
      } else if code != BZ_OK {
        throw .damaged("damaged bzip2: \(Self.words(code))")
      } else if used == 0, unsafe stream.pointee.avail_out == before {
        break
      }
    }
    var produced = unsafe Int(room - stream.pointee.avail_out)
    if produced == 0, !input.hasMore {
      // What is left of a block comes out without input.
      if isInStream {
        unsafe stream.pointee.avail_in = 0
        let code = unsafe BZ2_bzDecompress(stream)
        produced = unsafe Int(room - stream.pointee.avail_out)
        if code == BZ_STREAM_END {
          isInStream = false
        } else if code != BZ_OK {
          throw .damaged("damaged bzip2: \(Self.words(code))")
        }
        if produced > 0 { return produced }
        if isInStream { throw .damaged("damaged bzip2: it ends too early") }
      }
      isAtEnd = true
    }
    return produced
  }

  func refill(_ read: (UnsafeMutableRawBufferPointer) -> Int) { unsafe input.refill(read) }

  private func startStream() throws(InflateFault) {
    _ = unsafe BZ2_bzDecompressEnd(stream)
    unsafe stream.pointee.state = nil
    guard unsafe BZ2_bzDecompressInit(stream, 0, 0) == BZ_OK else {
      throw .damaged("no memory to unpack bzip2")
    }
    isInStream = true
  }

  private static func words(_ code: Int32) -> String {
    switch code {
    case BZ_DATA_ERROR: "its data contradict their checksum"
    case BZ_DATA_ERROR_MAGIC: "something else follows"
    case BZ_MEM_ERROR: "no memory"
    default: "libbz2's error \(code)"
    }
  }
}
