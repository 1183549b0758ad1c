/// Files that appear in a directory together, when all are written.
final class OutputFolder {
  private let writers: [ByteWriter]

  /// A directory, made unless it is there, and the files that are to appear in it.
  ///
  /// - Parameters:
  ///   - path: The directory.
  ///   - names: The files' names, in the order of their contents.
  ///   - inputs: Files that must not be overwritten.
  init(_ path: String, files names: [String], inputs: [String]) throws {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    let code = System.makeDirectory(at: path)
    guard code == 0 else {
      let isFile = System.file(at: path).map { $0.kind != .directory } ?? false
      throw isFile
        ? CommandFailure("not a directory", at: path)
        : CommandFailure("cannot make the directory", systemError: code, at: path)
    }
    writers = try names.map { try ByteWriter(path: "\(path)/\($0)", inputs: inputs) }
  }

  /// Writes the files, then puts all of them in place.
  func finish(with contents: [[UInt8]]) throws {
    for (writer, bytes) in zip(writers, contents) {
      writer.buffer += bytes
      try writer.close()
    }
    for writer in writers { try writer.commit() }
  }
}
