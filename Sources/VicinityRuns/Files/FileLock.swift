internal import VicinityIndex

/// A file or directory that this process alone works on, until the value goes or the process ends, however it
/// ends.
final class FileLock {
  private let file: OpenFile

  /// Takes the lock of the file at `path`, which is made if there is none, or of the directory there.
  ///
  /// - Parameter use: What another process that has the lock is doing with it, for the error.
  /// - Throws: ``CommandFailure`` where another process has the lock, or the file cannot be opened.
  init(_ path: String, isDirectory: Bool = false, use: String) throws {
    var file: OpenFile
    do throws(FileError) {
      file = try OpenFile(path, isDirectory ? .directory : .locking)
    } catch {
      throw CommandFailure("cannot open", error, at: path)
    }
    // A file system without locks keeps nobody out.
    let isTaken = (try? file.lock()) ?? true
    guard isTaken else { throw CommandFailure("another process is \(use)", at: path) }
    self.file = file
  }
}
