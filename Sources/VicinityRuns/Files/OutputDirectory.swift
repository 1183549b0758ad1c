internal import VicinityFormats
internal import VicinityIndex

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
    if !FileSystem.exists(path) { path = FileSystem.resolved(path) }
    self.path = path
    do throws(FileError) {
      isFresh = try UnfinishedWork.makeEmptyDirectory(path)
    } catch {
      throw FileSystem.exists(path)
        ? CommandFailure("not a directory", at: path)
        : CommandFailure("cannot make the directory", error, at: path)
    }
  }

  deinit {
    guard isFresh else { return }
    FileSystem.removeEmptyDirectory(path)
    UnfinishedWork.unregister(path)
  }
}
