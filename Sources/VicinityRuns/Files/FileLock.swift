internal import CLibrary

/// A file or directory that this process alone works on, until the value goes or the process ends, however it
/// ends.
///
/// The system's lock (`flock`), which binds those who ask for it. It is on the file itself, whatever its
/// name.
final class FileLock {
  private let descriptor: CInt

  /// Takes the lock of the file at `path`, which is made if there is none, or of the directory there.
  ///
  /// - Parameter use: What another process that has the lock is doing with it, for the error.
  /// - Throws: ``CommandFailure`` where another process has the lock, or the file cannot be opened.
  init(_ path: String, isDirectory: Bool = false, use: String) throws {
    let flags = isDirectory ? O_RDONLY | O_DIRECTORY : O_RDWR | O_CREAT
    let descriptor = unsafe open(path, flags | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw CommandFailure("cannot open", systemError: errno, at: path) }
    var result: CInt
    repeat { result = flock(descriptor, LOCK_EX | LOCK_NB) } while result != 0 && errno == EINTR
    let code = errno
    // A file system without locks keeps nobody out.
    guard result == 0 || code != EWOULDBLOCK else {
      close(descriptor)
      throw CommandFailure("another process is \(use)", at: path)
    }
    self.descriptor = descriptor
  }

  deinit {
    // Closing alone would leave the lock to a process that another thread is just starting, until that has
    // begun.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
