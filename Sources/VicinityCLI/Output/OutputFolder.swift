/// Files that appear in a directory together, when all are written.
final class OutputFolder {
  private let path: String
  private var staged: [StagedFile] = []

  /// A directory, made unless it is there.
  init(_ path: String) throws {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    self.path = path
    let code = System.makeDirectory(at: path)
    guard code == 0 else {
      let isFile = System.file(at: path).map { $0.kind != .directory } ?? false
      throw isFile
        ? CommandFailure("not a directory", at: path)
        : CommandFailure("cannot make the directory", systemError: code, at: path)
    }
  }

  /// Writes a file that is to appear.
  func write(_ bytes: [UInt8], as name: String, inputs: [String]) throws {
    let destination = "\(path)/\(name)"
    let file = try StagedFile(for: destination, inputs: inputs)
    let descriptor = System.openForWriting(file.path)
    guard descriptor >= 0 else {
      throw CommandFailure("cannot write", systemError: -descriptor, at: destination)
    }
    var code = System.writeAll(bytes.span, to: descriptor)
    if code == 0 { code = System.synchronize(descriptor) }
    let closing = System.closeDescriptor(descriptor)
    if code == 0 { code = closing }
    guard code == 0 else { throw CommandFailure("cannot write", systemError: code, at: destination) }
    staged.append(file)
  }

  /// Puts all of them in place.
  func commit() throws {
    for file in staged { try file.commit() }
    staged = []
  }
}
