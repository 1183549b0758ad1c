/// Files that appear in a directory together, when all are written.
final class OutputFolder {
  private var writers: [ByteWriter]
  private let directory: OutputDirectory

  /// A directory, made unless it is there, and the files that are to appear in it.
  ///
  /// - Parameters:
  ///   - path: The directory.
  ///   - names: The files' names, in the order of their contents.
  ///   - inputs: Files that must not be overwritten.
  init(_ path: String, files names: [String], inputs: [String]) throws {
    let directory = try OutputDirectory(path)
    self.directory = directory
    writers = try names.map { try ByteWriter(path: "\(directory.path)/\($0)", inputs: inputs) }
  }

  // What was staged goes first: the directory only goes when it is empty.
  deinit { writers = [] }

  /// Writes the files, then puts all of them in place.
  func finish(with contents: [[UInt8]]) throws {
    for (writer, bytes) in zip(writers, contents) {
      writer.buffer += bytes
      try writer.close()
    }
    for writer in writers { try writer.commit() }
  }
}
