internal import VicinityCrossings
internal import VicinityFormats
internal import VicinityIndex

/// What is known of a file in a run's directory, so that damage is found whenever the file is read.
///
/// The file is cut into blocks of ``blockSize`` bytes, the last one shorter. Each is followed by its
/// checksum, which depends on the file's name and on all blocks before: neither a block nor a file can take
/// another's place.
struct KeptPiece: Equatable {
  /// Bytes of content, checksums not counted.
  var byteCount = 0
  /// The last block's checksum.
  var checksum: UInt64

  /// Bytes of content between two checksums: whole events.
  static let blockSize = EventRecord.size * 8192

  /// A piece without content.
  init(name: String) { checksum = Array(name.utf8).checksum }

  /// What a checkpoint says of a piece.
  init(_ reader: inout ByteReader) throws {
    guard let count = Int(exactly: try reader.number() as UInt64) else { throw ByteReader.Failure() }
    byteCount = count
    checksum = try reader.number()
  }

  func append(to bytes: inout [UInt8]) {
    bytes.append(number: UInt64(byteCount))
    bytes.append(number: checksum)
  }

  fileprivate mutating func add(_ block: ArraySlice<UInt8>) {
    byteCount += block.count
    checksum = block.checksum(after: checksum)
  }
}

extension ArraySlice<UInt8> {
  /// XXH64 of these bytes, given the checksum of what comes before.
  func checksum(after previous: UInt64) -> UInt64 {
    unsafe withUnsafeBytes { unsafe XXHash64.hash($0, seed: previous) }
  }
}

/// Puts a piece together in memory.
struct PieceWriter {
  /// The file's bytes, once ``finish()`` has been called.
  private(set) var bytes: [UInt8] = []
  private(set) var piece: KeptPiece
  private var blockStart = 0

  init(name: String, byteCount: Int) {
    piece = KeptPiece(name: name)
    bytes.reserveCapacity(byteCount + 8 * (byteCount / KeptPiece.blockSize + 1))
  }

  mutating func append(_ content: ArraySlice<UInt8>) {
    var rest = content
    while !rest.isEmpty {
      let part = rest.prefix(KeptPiece.blockSize - (bytes.count - blockStart))
      bytes.append(contentsOf: part)
      rest = rest.dropFirst(part.count)
      if bytes.count - blockStart == KeptPiece.blockSize { endBlock() }
    }
  }

  mutating func finish() {
    if bytes.count > blockStart { endBlock() }
  }

  private mutating func endBlock() {
    piece.add(bytes[blockStart...])
    bytes.append(number: piece.checksum)
    blockStart = bytes.count
  }
}

/// Reads a piece block by block; hands out nothing that has not been compared with its checksum.
struct PieceReader {
  private let path: String
  private let file: ByteSource
  private let expected: KeptPiece
  private var found: KeptPiece

  /// - Throws: ``CommandFailure`` for a file that is missing or cannot be read.
  init(_ piece: KeptPiece, _ name: String, in directory: RunDirectory) throws {
    path = directory.path(name)
    file = try CommandFailure.at(path) { [path] in
      guard FileSystem.exists(path) else { throw Self.failure("is missing", at: path) }
      return try ByteSource(path)
    }
    expected = piece
    found = KeptPiece(name: name)
  }

  /// The next block; empty at the end.
  ///
  /// - Throws: ``CommandFailure`` for anything that is not what was saved.
  mutating func next() throws -> ArraySlice<UInt8> {
    let count = min(KeptPiece.blockSize, expected.byteCount - found.byteCount)
    let bytes = try CommandFailure.at(path) { try file.read(count > 0 ? count + 8 : 1) }
    guard count > 0 else {
      guard bytes.isEmpty, found == expected else { throw damaged }
      return []
    }
    var stored = ByteReader(bytes.suffix(8))
    guard bytes.count == count + 8, let checksum: UInt64 = try? stored.number() else { throw damaged }
    found.add(bytes.prefix(count))
    guard found.checksum == checksum else { throw damaged }
    return bytes.prefix(count)
  }

  /// Reads all of a piece, only to compare it with its checksums.
  static func check(_ piece: KeptPiece, _ name: String, in directory: RunDirectory) throws {
    var reader = try PieceReader(piece, name, in: directory)
    while try !reader.next().isEmpty {}
  }

  private var damaged: CommandFailure { Self.failure("is not as it was saved", at: path) }

  /// What is wrong with the kept progress, and what to do about it.
  static func failure(_ what: String, at path: String) -> CommandFailure {
    CommandFailure(
      "damaged progress: this file \(what); --restart discards what is kept and begins anew", at: path)
  }
}
