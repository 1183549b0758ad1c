/// Files that appear in a directory together, once all are written.
package final class OutputFiles {
  private var writers: [ByteWriter]
  private let directory: OutputDirectory

  /// Makes the directory if it does not exist, and prepares the files that are to appear in it.
  ///
  /// - Parameters:
  ///   - path: The directory.
  ///   - names: The files' names, in the order of their contents.
  ///   - inputs: Files that must not be overwritten.
  package init(_ path: String, files names: [String], inputs: [String]) throws {
    let directory = try OutputDirectory(path)
    self.directory = directory
    writers = try names.map { try ByteWriter(path: "\(directory.path)/\($0)", inputs: inputs) }
  }

  // Staged files are removed first: the directory is removed only if it is empty.
  deinit { writers = [] }

  /// Writes the files, then puts all of them in place.
  package func finish(with contents: [[UInt8]]) throws {
    for (writer, bytes) in zip(writers, contents) {
      writer.buffer += bytes
      try writer.close()
    }
    for writer in writers { try writer.commit() }
  }
}
