/// Files written at once.
enum WholeFile {
  /// Writes a file that appears whole or not at all.
  ///
  /// - Parameter isDurable: Whether it is on the disk when this returns.
  /// - Throws: ``CommandFailure``; what stood under that name is unchanged then.
  static func write(_ bytes: [UInt8], to path: String, isDurable: Bool) throws {
    let staged = path + ".new"
    let descriptor = System.openForWriting(staged)
    guard descriptor >= 0 else { throw CommandFailure("cannot write", systemError: -descriptor, at: path) }
    var code = System.writeAll(bytes[0..<bytes.count].span, to: descriptor)
    if code == 0, isDurable { code = System.synchronize(descriptor) }
    let closing = System.closeDescriptor(descriptor)
    if code == 0 { code = closing }
    if code == 0 { code = System.move(staged, to: path) }
    guard code == 0 else {
      System.removeFile(staged)
      throw CommandFailure("cannot write", systemError: code, at: path)
    }
    if isDurable { System.synchronizeDirectory(System.parent(of: path)) }
  }
}
