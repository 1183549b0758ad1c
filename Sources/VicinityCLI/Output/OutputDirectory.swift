/// A directory for output: made unless it is there, and gone again if nothing comes to be in it.
final class OutputDirectory {
  /// Where it is, without a slash at its end.
  let path: String
  private let isFresh: Bool

  /// - Throws: ``CommandFailure`` where something else stands under that name, or it cannot be made.
  init(_ path: String) throws {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    self.path = path
    var code: CInt = 0
    var isThere = false
    isFresh = SignalGuard.makingEmpty(path) {
      isThere = System.file(at: path)?.kind == .directory
      if !isThere { code = System.makeDirectory(at: path) }
      return !isThere && code == 0
    }
    guard code == 0 else {
      let isFile = System.file(at: path) != nil
      throw isFile
        ? CommandFailure("not a directory", at: path)
        : CommandFailure("cannot make the directory", systemError: code, at: path)
    }
  }

  deinit {
    guard isFresh else { return }
    System.removeEmptyDirectory(path)
    SignalGuard.unregister(path)
  }
}
