internal import VicinityCrossings
internal import VicinityFormats

/// Files that are read whole.
package enum InputFile {
  /// All bytes of the file at `path`.
  ///
  /// - Throws: ``CommandFailure`` for a file that cannot be read or has more than `limit` bytes.
  package static func bytes(of path: String, atMost limit: Int = .max) throws -> [UInt8] {
    try CommandFailure.at(path) {
      let source = try ByteSource(path)
      var bytes: [UInt8] = []
      while true {
        let piece = try source.read(1 << 16)
        if piece.isEmpty { return bytes }
        bytes += piece
        guard bytes.count <= limit else {
          throw CommandFailure("larger than \(DecimalText.grouped(limit)) bytes", at: path)
        }
      }
    }
  }
}
