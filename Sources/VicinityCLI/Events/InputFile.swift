/// A file read from front to back; closed with its last user.
final class InputFile {
  let path: String
  private let descriptor: CInt

  init(_ path: String) throws {
    descriptor = System.openForReading(path)
    self.path = path
    guard descriptor >= 0 else { throw CommandFailure("cannot read", systemError: -descriptor, at: path) }
  }

  deinit { _ = System.closeDescriptor(descriptor) }

  /// The next bytes: as many as asked for, fewer at the end.
  func read(upTo count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let read = System.read(from: descriptor, into: &bytes)
    guard read >= 0 else { throw CommandFailure("cannot read", systemError: CInt(-read), at: path) }
    bytes.removeSubrange(read...)
    return bytes
  }

  /// All bytes of the file at `path`.
  static func bytes(of path: String) throws -> [UInt8] {
    let file = try InputFile(path)
    var bytes: [UInt8] = []
    while true {
      let piece = try file.read(upTo: 1 << 20)
      if piece.isEmpty { return bytes }
      bytes += piece
    }
  }
}
