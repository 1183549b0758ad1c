internal import VicinityIndex

/// A buffered writer to what is open already, to a device or a pipe, or to a file that appears when finished.
package final class ByteWriter {
  /// How many bytes are gathered before they are written.
  package static let bufferSize = 1 << 16

  /// The bytes still to be written; formatters append to it, then call ``flushIfFull()``.
  package var buffer: [UInt8] = []

  private var file: OpenFile
  /// What the output is called in errors.
  private let name: String
  private let staged: StagedFile?
  private let clearTerminal: (() -> Void)?
  /// How many bytes have been written, with those that were there.
  private(set) var byteCount = 0

  /// A writer to `path` (``OutputPlace``): regular files as a whole (``StagedFile``), everything else
  /// directly.
  ///
  /// - Parameters:
  ///   - path: Where the output goes.
  ///   - inputs: Files that must not be overwritten.
  ///   - folder: A folder on the same file system to stage a regular file in; nil for one of its own.
  ///   - stagedName: What the file is called there.
  ///   - clear: Clears the line of a terminal, where progress may be drawn; called before anything is written
  ///     to one.
  package init(
    path: String, inputs: [String], stagingIn folder: String? = nil, as stagedName: String = "output",
    clearingTerminalBy clear: (() -> Void)? = nil
  ) throws {
    buffer.reserveCapacity(2 * Self.bufferSize)
    let place = OutputPlace(path)
    clearTerminal = place == .standardOutput && System.isTerminal(System.standardOutput) ? clear : nil
    let staged =
      place.isFile ? try StagedFile(for: path, inputs: inputs, stagingIn: folder, as: stagedName) : nil
    self.staged = staged
    name = place == .standardOutput ? "standard output" : path
    file = try CommandFailure.writing(path) {
      if case .open(let descriptor) = place { return try System.open(descriptor, as: path) }
      return try OpenFile(staged?.path ?? path, .writing)
    }
  }

  /// A writer to a regular file, behind what is there.
  ///
  /// - Parameters:
  ///   - path: The file; it is made where there is none.
  ///   - byteCount: How much of it counts; what is behind that is cut off.
  package init(appendingTo path: String, after byteCount: Int) throws {
    buffer.reserveCapacity(2 * Self.bufferSize)
    clearTerminal = nil
    staged = nil
    name = path
    self.byteCount = byteCount
    file = try CommandFailure.writing(path) {
      let file = try OpenFile(path, .appending)
      try file.truncate(to: byteCount)
      return file
    }
  }

  /// Writes the buffer, and flushes it to the disk.
  func synchronize() throws {
    try flush()
    try CommandFailure.writing(name) { try file.synchronize() }
  }

  /// Where a regular file is until it is in its place.
  var stagedPath: String? { staged?.path }

  /// Writes the buffer if it is large enough.
  package func flushIfFull() throws {
    if buffer.count >= Self.bufferSize { try flush() }
  }

  /// Writes the buffer.
  ///
  /// - Throws: ``OutputClosed`` where the reader of a pipe has gone, ``CommandFailure`` for anything else.
  package func flush() throws {
    guard !buffer.isEmpty else { return }
    clearTerminal?()
    defer { buffer.removeAll(keepingCapacity: true) }
    do throws(FileError) {
      try file.write(buffer)
      byteCount += buffer.count
    } catch {
      throw error.isBrokenPipe ? OutputClosed() : CommandFailure("cannot write", error, at: name)
    }
  }

  /// Writes the rest; a staged file takes its place.
  package func finish() throws {
    try close()
    try commit()
  }

  /// Puts a staged file that has been closed in its place.
  package func commit() throws { try staged?.commit() }

  /// Writes the rest, without putting a staged file in its place.
  package func close() throws {
    try flush()
    try CommandFailure.writing(name) {
      if staged != nil { try file.synchronize() }
      try file.close()
    }
  }
}
