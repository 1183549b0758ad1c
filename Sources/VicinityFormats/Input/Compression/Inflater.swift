internal import VicinityText

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

extension Compression {
  /// An inflater of a stream that begins with `head`; `nil` without memory.
  func inflater(head: [UInt8]) -> (any Inflater)? {
    switch self {
    case .gzip: GzipInflater(head: head)
    case .zstd: ZstdInflater(head: head)
    case .xz: XzInflater(head: head)
    case .bzip2: Bzip2Inflater(head: head)
    }
  }
}
