/// Unpacks one packed stream in pieces, in bounded memory however far its bytes unpack.
protocol Inflater: AnyObject {
  /// Whether all has been unpacked.
  var isAtEnd: Bool { get }
  /// Unpacks what is there into `buffer`; 0 when more input is needed, or at the end.
  func inflate(into buffer: UnsafeMutableRawBufferPointer) throws(InflateFault) -> Int
  /// Lets `read` fill the empty input buffer; it returns how many bytes it wrote, 0 at the end.
  func refill(_ read: (UnsafeMutableRawBufferPointer) -> Int)
}

/// Why nothing more can be unpacked.
enum InflateFault: Error {
  /// The packed bytes are damaged, or ask for more memory than is given; the reason.
  case damaged(String)
  /// The file behind them cannot be read.
  case source(FormatError)
}

/// The packed bytes that an inflater has been given and has not used yet.
@safe final class PackedInput {
  static let byteCount = 1 << 18

  private let bytes: UnsafeMutablePointer<UInt8>
  private(set) var next = 0
  private(set) var end: Int
  private(set) var hasMore = true

  init(head: [UInt8]) {
    unsafe bytes = .allocate(capacity: max(Self.byteCount, head.count))
    for i in head.indices { unsafe bytes[i] = head[i] }
    end = head.count
  }

  deinit { unsafe bytes.deallocate() }

  var count: Int { end - next }

  /// The bytes not used yet; to be used before the next call.
  var start: UnsafeMutablePointer<UInt8> { unsafe bytes + next }

  func use(_ count: Int) { next += min(max(count, 0), self.count) }

  /// The first byte not used yet.
  var first: UInt8? { count > 0 ? unsafe bytes[next] : nil }

  func refill(_ read: (UnsafeMutableRawBufferPointer) -> Int) {
    guard count == 0 else { return }
    next = 0
    end = min(
      max(unsafe read(UnsafeMutableRawBufferPointer(start: bytes, count: Self.byteCount)), 0), Self.byteCount)
    if end == 0 { hasMore = false }
  }
}

/// The ways in which a file may be packed, told by its first bytes.
package enum Compression: String, CaseIterable {
  case gzip
  case zstd
  case xz
  case bzip2

  /// What the names of such files end with.
  var ending: String {
    switch self {
    case .gzip: ".gz"
    case .zstd: ".zst"
    case .xz: ".xz"
    case .bzip2: ".bz2"
    }
  }

  /// How many bytes tell.
  static let headByteCount = 6

  /// The way in which a file that begins with `head` is packed; `nil` if it is not.
  package init?(head: [UInt8]) {
    if head.starts(with: [0x1F, 0x8B]) {
      self = .gzip
    } else if head.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
      // A frame to be skipped may come first (RFC 8878, section 3.1.2).
      || head.count >= 4 && head[0] & 0xF0 == 0x50 && head[1...3].elementsEqual([0x2A, 0x4D, 0x18])
    {
      self = .zstd
    } else if head.starts(with: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]) {
      self = .xz
    } else if head.count >= 5, head.starts(with: "BZh".utf8), (0x31...0x39).contains(head[3]),
      // The start of a block, or the end of a file without any.
      head[4] == 0x31 || head[4] == 0x17
    {
      self = .bzip2
    } else {
      return nil
    }
  }

  /// An inflater of a stream that begins with `head`; `nil` without memory.
  func inflater(head: [UInt8]) -> (any Inflater)? {
    switch self {
    case .gzip: GzipInflater(head: head)
    case .zstd: ZstdInflater(head: head)
    case .xz: XzInflater(head: head)
    case .bzip2: Bzip2Inflater(head: head)
    }
  }

  /// `name`, in small letters, without the ending of a packed file.
  package static func withoutEnding(_ name: String) -> String {
    for ending in allCases.map(\.ending) where name.utf8.count > ending.utf8.count && name.hasSuffix(ending) {
      return String(name.dropLast(ending.count))
    }
    return name
  }
}
