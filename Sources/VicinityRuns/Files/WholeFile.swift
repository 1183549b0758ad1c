internal import VicinityIndex

/// Files written at once.
enum WholeFile {
  /// Writes a file that appears whole or not at all.
  ///
  /// - Parameter isDurable: Whether it is on the disk when this returns.
  /// - Throws: ``CommandFailure``; what stood under that name is unchanged then.
  static func write(_ bytes: [UInt8], to path: String, isDurable: Bool) throws {
    let staged = path + ".new"
    try CommandFailure.writing(path) {
      var file = try OpenFile(staged, .writing)
      do throws(FileError) {
        try file.write(bytes)
        if isDurable { try file.synchronize() }
        try file.close()
        try FileSystem.rename(staged, to: path)
      } catch {
        FileSystem.remove(staged)
        throw error
      }
    }
    if isDurable { FileSystem.synchronize(directory: FileSystem.directory(of: path)) }
  }
}
