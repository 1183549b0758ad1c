/// A buffered writer to what is open already, to a device or a pipe, or to a file that appears when finished.
package final class ByteWriter {
  /// How many bytes are gathered before they are written.
  package static let bufferSize = 1 << 16

  /// The bytes still to be written; formatters append to it, then call ``flushIfFull()``.
  package var buffer: [UInt8] = []

  private let descriptor: CInt
  private let name: String
  private let staged: StagedFile?
  private let closes: Bool
  private let clearTerminal: (() -> Void)?

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
    if case .open(let descriptor) = place {
      guard System.isOpen(descriptor) else {
        throw CommandFailure("cannot write", systemError: System.badDescriptor, at: path)
      }
      let name = place == .standardOutput ? "standard output" : path
      (self.descriptor, self.name, staged, closes) = (descriptor, name, nil, false)
      return
    }
    let staged =
      place.isFile ? try StagedFile(for: path, inputs: inputs, stagingIn: folder, as: stagedName) : nil
    let descriptor = System.openForWriting(staged?.path ?? path)
    guard descriptor >= 0 else {
      throw CommandFailure("cannot write", systemError: -descriptor, at: path)
    }
    (self.descriptor, name, self.staged, closes) = (descriptor, path, staged, true)
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
    let code = System.writeAll(buffer[0..<buffer.count].span, to: descriptor)
    buffer.removeAll(keepingCapacity: true)
    if code == System.brokenPipe { throw OutputClosed() }
    guard code == 0 else { throw CommandFailure("cannot write", systemError: code, at: name) }
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
    guard closes else { return }
    var code = staged == nil ? 0 : System.synchronize(descriptor)
    let closing = System.closeDescriptor(descriptor)
    if code == 0 { code = closing }
    guard code == 0 else { throw CommandFailure("cannot write", systemError: code, at: name) }
  }
}
