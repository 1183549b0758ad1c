/// A run of whole records, as bytes for a parser.
///
/// ``padding`` readable bytes follow the last byte, so that a parser may load words without checking where
/// the block ends. The first of them is a line feed, which ends the last record where the source ends without
/// one.
@safe package final class ByteBlock {
  /// How many bytes may be read beyond the last.
  static let padding = 64

  package let base: UnsafeMutablePointer<UInt8>
  let capacity: Int
  package fileprivate(set) var count = 0
  /// Whether this stands for a line that is longer than any may be, whose bytes have been dropped.
  package fileprivate(set) var isOverlong = false

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
/// Unless the reader is eager, where a block ends depends on the bytes alone, not on how a pipe delivers
/// them.
///
/// A block may end with a carriage return. A line feed that follows it in the source is of the same line end,
/// and is left out: the next block does not begin with it.
package struct BlockReader: ~Copyable {
  /// The most bytes that a line may take, unless the reader's maker says otherwise.
  package static let maximumRecordByteCount = 256 << 20
  /// The same for rows of tracks, which are short: streams that never end a line must not take much memory.
  package static let maximumTrackRowByteCount = 16 << 20

  package let source: any ByteStream
  /// The offset in the unpacked source of the byte to be handed out next.
  package private(set) var offset = 0
  /// The most bytes that a line may take, or a record of several lines. Memory grows up to that.
  let maximumRecordByteCount: Int
  /// Whether to hand out what has arrived instead of waiting until a block is full.
  private let isEager: Bool
  /// Whether a last line without an end is left where it is, because the rest of it may still come.
  private let leavesUnfinished: Bool
  private let blockByteCount: Int
  private var pending: ByteBlock
  private var isAtEnd = false
  /// How many of the pending bytes have been found to hold no line end, so that they are looked at once.
  private var scanned = 0
  /// Whether the last byte that was handed out, or passed over, is a carriage return.
  private var endsWithReturn = false
  /// How many bytes of an unfinished line have been left at the end.
  package private(set) var unfinishedByteCount = 0
  /// How many bytes were looked at in search of line ends; for tests.
  package private(set) var searchedByteCount = 0

  /// A reader of `source`, from its start.
  package init(
    _ source: any ByteStream, blockByteCount: Int, isEager: Bool = false, leavesUnfinished: Bool = false,
    maximumRecordByteCount: Int = BlockReader.maximumRecordByteCount
  ) {
    self.source = source
    self.blockByteCount = max(blockByteCount, 16)
    self.maximumRecordByteCount = max(maximumRecordByteCount, self.blockByteCount)
    self.isEager = isEager
    self.leavesUnfinished = leavesUnfinished
    pending = ByteBlock(capacity: self.blockByteCount)
  }

  /// The bytes to be handed out next, up to `count`; fewer only at the end, or where an eager reader has a
  /// whole line.
  mutating func peek(_ count: Int) throws(FormatError) -> [UInt8] {
    if pending.capacity < count { grow(to: count) }
    while pending.count < count, !isAtEnd {
      if isEager, hasLineEnd() { break }
      try read(upTo: count)
    }
    return unsafe [UInt8](pending.bytes.prefix(count))
  }

  /// Whether a line ends in the pending bytes.
  private mutating func hasLineEnd() -> Bool {
    let isThere = unsafe pending.bytes[scanned...].contains(where: CSVScanner.endsLine)
    searchedByteCount += pending.count - scanned
    if !isThere { scanned = pending.count }
    return isThere
  }

  /// Drops `count` bytes that were peeked at.
  mutating func skip(_ count: Int) {
    let count = min(count, pending.count)
    guard count > 0 else { return }
    endsWithReturn = unsafe pending.base[count - 1] == CSVScanner.carriageReturn
    drop(count)
    dropLineFeed()
  }

  private mutating func drop(_ count: Int) {
    let rest = pending.count - count
    // The ranges may overlap: update is memmove.
    unsafe pending.base.update(from: pending.base + count, count: rest)
    pending.count = rest
    scanned = 0
    offset += count
  }

  /// Leaves out a line feed whose carriage return has been handed out.
  private mutating func dropLineFeed() {
    guard endsWithReturn, pending.count > 0 else { return }
    endsWithReturn = false
    if unsafe pending.base[0] == CSVScanner.lineFeed { drop(1) }
  }

  /// Starts to unpack a source that is packed; to be called before anything is skipped.
  package mutating func unpack() throws(FormatError) {
    guard let compression = Compression(head: try peek(Compression.headByteCount)) else { return }
    try source.unpack(compression, after: unsafe [UInt8](pending.bytes))
    pending.count = 0
    scanned = 0
    isAtEnd = false
  }

  /// Moves forward to offset `target`: by seeking in a plain file, by reading in anything else.
  ///
  /// - Throws: ``FormatError`` when the source fails or ends before that offset.
  mutating func seek(to target: Int) throws(FormatError) {
    let ahead = target - offset
    // The byte before says whether a line feed there belongs to it.
    if ahead > pending.count, try source.seek(to: target - 1) {
      pending.count = 0
      scanned = 0
      offset = target - 1
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
  /// A line longer than any may be is dropped as it is read, and a block without bytes stands for it
  /// (``ByteBlock/isOverlong``).
  ///
  /// - Parameter cut: Returns how many of the bytes belong to whole records; 0 asks for more bytes. It is
  ///   also told how many of the bytes were there when it last returned 0. Not asked at the end of the
  ///   source, where all bytes are handed out; unless the reader leaves unfinished lines.
  /// - Throws: ``FormatError`` when the source fails.
  package mutating func next(
    cut: (_ bytes: UnsafeBufferPointer<UInt8>, _ scanned: Int) -> Int
  ) throws(FormatError) -> ByteBlock? {
    while true {
      if !isEager {
        while pending.count < pending.capacity, !isAtEnd { try read(upTo: pending.capacity) }
      }
      if pending.count == 0, isAtEnd { return nil }
      let takesAll = isAtEnd && !leavesUnfinished
      let length = unsafe takesAll ? pending.count : cut(pending.bytes, scanned)
      searchedByteCount += pending.count - scanned
      if length > 0 { return handOut(length) }
      if isAtEnd {
        unfinishedByteCount = pending.count
        return nil
      }
      scanned = pending.count
      if pending.count == pending.capacity {
        guard pending.capacity < maximumRecordByteCount else { return try dropLine() }
        grow(to: min(pending.capacity * 2, maximumRecordByteCount))
      }
      if isEager { try read(upTo: pending.capacity) }
    }
  }

  /// What is wrong with a line that a block without bytes stands for.
  package var overlongMessage: String {
    "a line of more than \(maximumRecordByteCount) bytes"
  }

  /// Passes over the line that begins here, and returns the block that stands for it.
  private mutating func dropLine() throws(FormatError) -> ByteBlock {
    while true {
      let end = unsafe pending.bytes.firstIndex(where: CSVScanner.endsLine)
      if let end {
        skip(end + 1)
        break
      }
      skip(pending.count)
      if isAtEnd { break }
      if pending.capacity > blockByteCount { pending = ByteBlock(capacity: blockByteCount) }
      try read(upTo: pending.capacity)
    }
    let block = ByteBlock(capacity: 0)
    block.isOverlong = true
    return block
  }

  private mutating func handOut(_ length: Int) -> ByteBlock {
    let block = pending
    let rest = block.count - length
    pending = ByteBlock(capacity: max(blockByteCount, rest))
    unsafe pending.base.update(from: block.base + length, count: rest)
    pending.count = rest
    block.setCount(length)
    offset += length
    scanned = 0
    endsWithReturn = unsafe block.base[length - 1] == CSVScanner.carriageReturn
    dropLineFeed()
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
    dropLineFeed()
  }
}
