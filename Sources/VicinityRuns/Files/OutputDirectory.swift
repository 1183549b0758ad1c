/// A directory for output: made if it does not exist, and then removed again if it stays empty.
package final class OutputDirectory {
  /// The path, without a slash at its end.
  package let path: String
  private let isFresh: Bool

  /// - Throws: ``CommandFailure`` if there is a file of that name, or the directory cannot be made.
  package init(_ path: String) throws {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    // A symbolic link to where nothing is yet: the directory is made there.
    if System.file(at: path) == nil { path = System.resolved(path) }
    self.path = path
    var code: CInt = 0
    var isThere = false
    isFresh = UnfinishedWork.makingEmpty(path) {
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
    UnfinishedWork.unregister(path)
  }
}
