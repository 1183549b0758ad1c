/// A run of whole records, as bytes for a parser.
///
/// ``padding`` readable bytes follow the last byte, so that a parser may load words without checking where the block ends.
/// The first of them is a line feed, which ends the last record where the source ends without one.
@safe package final class ByteBlock {
  /// How many bytes may be read beyond the last.
  static let padding = 64

  package let base: UnsafeMutablePointer<UInt8>
  let capacity: Int
  package fileprivate(set) var count = 0

  /// An empty block with room for `capacity` bytes.
  package init(capacity: Int) {
    self.capacity = capacity
    unsafe base = .allocate(capacity: capacity + Self.padding)
    unsafe (base + capacity).initialize(repeating: 0, count: Self.padding)
  }

  deinit { unsafe base.deallocate() }

  /// Sets how many bytes the block has, and puts a line feed behind them.
  package func setCount(_ count: Int) {
    self.count = min(max(count, 0), capacity)
    unsafe base[self.count] = CSVScanner.lineFeed
  }

  package var bytes: UnsafeBufferPointer<UInt8> { unsafe UnsafeBufferPointer(start: base, count: count) }
}

// SAFETY: one reader fills a block and then hands it to one parser, which alone may change it.
extension ByteBlock: @unchecked Sendable {}

/// Reads a source in blocks that end where the parser says.
///
/// Unless the reader is eager, where a block ends depends on the bytes alone, not on how a pipe delivers them.
package struct BlockReader: ~Copyable {
  /// The most bytes one record may take.
  static let maximumRecordByteCount = 256 << 20

  package let source: ByteSource
  /// The offset in the unpacked source of the byte to be handed out next.
  package private(set) var offset = 0
  /// Whether to hand out what has arrived instead of waiting until a block is full.
  private let isEager: Bool
  private let blockByteCount: Int
  private var pending: ByteBlock
  private var isAtEnd = false

  /// A reader of `source`, from its start.
  package init(_ source: ByteSource, blockByteCount: Int, isEager: Bool = false) {
    self.source = source
    self.blockByteCount = max(blockByteCount, 16)
    self.isEager = isEager
    pending = ByteBlock(capacity: self.blockByteCount)
  }

  /// The bytes to be handed out next, up to `count`; fewer only at the end, or where an eager reader has a whole line.
  mutating func peek(_ count: Int) throws(FormatError) -> [UInt8] {
    if pending.capacity < count { grow(to: count) }
    while pending.count < count, !isAtEnd {
      if isEager, unsafe pending.bytes.contains(CSVScanner.lineFeed) { break }
      try read(upTo: count)
    }
    return unsafe [UInt8](pending.bytes.prefix(count))
  }

  /// Drops `count` bytes that were peeked at.
  mutating func skip(_ count: Int) {
    let count = min(count, pending.count)
    let rest = pending.count - count
    // The ranges may overlap: update is memmove.
    unsafe pending.base.update(from: pending.base + count, count: rest)
    pending.count = rest
    offset += count
  }

  /// Starts to unpack a source that is packed; to be called before anything is skipped.
  package mutating func unpack() throws(FormatError) {
    guard let compression = Compression(head: try peek(Compression.headByteCount)) else { return }
    try source.unpack(compression, after: unsafe [UInt8](pending.bytes))
    pending.count = 0
    isAtEnd = false
  }

  /// Moves forward to offset `target`: by seeking in a plain file, by reading in anything else.
  ///
  /// - Throws: ``FormatError`` when the source fails or ends before that offset.
  mutating func seek(to target: Int) throws(FormatError) {
    let ahead = target - offset
    if ahead > pending.count, try source.seek(to: target) {
      pending.count = 0
      offset = target
      return
    }
    while offset < target {
      if pending.count == 0 {
        guard !isAtEnd else {
          throw .unreadable(path: source.path, reason: "it ends before byte \(target)")
        }
        try read(upTo: pending.capacity)
      }
      skip(target - offset)
    }
  }

  /// The next block, or nil at the end.
  ///
  /// - Parameters:
  ///   - line: The line at which the block starts, for the error.
  ///   - cut: Returns how many of the bytes belong to whole records; 0 asks for more bytes. Not asked at the end of the
  ///     source, where all bytes are handed out.
  /// - Throws: ``FormatError`` when the source fails or a record is longer than any can be.
  package mutating func next(
    line: Int, cut: (_ bytes: UnsafeBufferPointer<UInt8>) -> Int
  ) throws(FormatError) -> ByteBlock? {
    while true {
      if isEager {
        if !isAtEnd, unsafe cut(pending.bytes) == 0 { try read(upTo: pending.capacity) }
      } else {
        while pending.count < pending.capacity, !isAtEnd { try read(upTo: pending.capacity) }
      }
      if pending.count == 0, isAtEnd { return nil }
      let length = unsafe isAtEnd ? pending.count : cut(pending.bytes)
      if length > 0 { return handOut(length) }
      if pending.count == pending.capacity {
        guard pending.capacity < Self.maximumRecordByteCount else {
          throw .limitExceeded(
            .init(path: source.path, line: line), what: "a record of more bytes than can be right",
            limit: Self.maximumRecordByteCount)
        }
        grow(to: pending.capacity * 2)
      }
    }
  }

  private mutating func handOut(_ length: Int) -> ByteBlock {
    let block = pending
    let rest = block.count - length
    pending = ByteBlock(capacity: max(blockByteCount, rest))
    unsafe pending.base.update(from: block.base + length, count: rest)
    pending.count = rest
    block.setCount(length)
    offset += length
    return block
  }

  private mutating func grow(to capacity: Int) {
    let larger = ByteBlock(capacity: capacity)
    unsafe larger.base.update(from: pending.base, count: pending.count)
    larger.count = pending.count
    pending = larger
  }

  private mutating func read(upTo limit: Int) throws(FormatError) {
    let room = unsafe UnsafeMutableRawBufferPointer(
      start: pending.base + pending.count, count: limit - pending.count)
    let count = try unsafe source.read(into: room)
    if count == 0, room.count > 0 { isAtEnd = true }
    pending.count += count
  }
}
