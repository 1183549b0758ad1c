import VicinityCrossings
import VicinityFormats

/// A file read from front to back.
struct InputFile {
  let path: String
  private let source: ByteSource

  init(_ path: String) throws {
    self.path = path
    source = try CommandFailure.at(path) { try ByteSource(path) }
  }

  /// The next bytes: as many as asked for, fewer at the end.
  func read(upTo count: Int) throws -> [UInt8] {
    return try CommandFailure.at(path) { try source.read(count) }
  }

  /// All bytes of the file at `path`.
  ///
  /// - Throws: ``CommandFailure`` for a file that cannot be read or has more than `limit` bytes.
  static func bytes(of path: String, atMost limit: Int = .max) throws -> [UInt8] {
    let file = try InputFile(path)
    var bytes: [UInt8] = []
    while true {
      let piece = try file.read(upTo: 1 << 16)
      if piece.isEmpty { return bytes }
      bytes += piece
      guard bytes.count <= limit else {
        throw CommandFailure("larger than \(DecimalText.grouped(limit)) bytes", at: path)
      }
    }
  }
}
