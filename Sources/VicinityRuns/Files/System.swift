internal import CLibrary
internal import CXattr
internal import VicinityFormats
internal import VicinityIndex

/// The few calls into the system's C library that the work on files needs, with Swift types.
package enum System {
  package static let standardOutput: CInt = 1
  static let standardError: CInt = 2
  /// The error code of writing to a pipe that nobody reads.
  package static let brokenPipe: CInt = EPIPE
  /// The error code of a descriptor that is not open.
  static let badDescriptor: CInt = EBADF
  /// The error code of symbolic links that lead in a circle.
  static let tooManyLinks: CInt = ELOOP

  /// What tells one file from another, whatever its names.
  package struct FileIdentity: Equatable {
    package var device: UInt64
    package var inode: UInt64
  }

  package enum FileKind: Equatable {
    case regular, directory, other
  }

  /// The kind and identity of the file at `path`, symbolic links followed; `nil` when there is none.
  package static func file(at path: String) -> (kind: FileKind, identity: FileIdentity)? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    let kind: FileKind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      default: .other
      }
    return (
      kind, FileIdentity(device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino))
    )
  }

  /// `path` with symbolic links resolved, also one that leads to where nothing is yet. Where nothing is, only
  /// the last part is resolved; a chain of links without an end stays as it is.
  package static func resolved(_ path: String) -> String {
    let path = (try? FileSystem.resolved(path)) ?? path
    guard let pointer = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(pointer) }
    return unsafe String(cString: pointer)
  }

  /// `path` from the root on, symbolic links resolved, whether there is a file or not.
  package static func absolute(_ path: String) -> String {
    let path = resolved(path)
    if file(at: path) != nil { return path }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let folder = resolved(parent(of: path))
    return folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  /// The directory of the file at `path`, with a slash at its end.
  static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
  }

  /// Whether files may be made in the directory at `path`; an error code.
  static func checkWritable(_ path: String) -> CInt { unsafe access(path, W_OK | X_OK) == 0 ? 0 : errno }

  /// Removes the file at `path`; best effort.
  static func removeFile(_ path: String) { _ = unsafe unlink(path) }

  package static func environment(_ name: String) -> String? {
    guard let pointer = unsafe getenv(name) else { return nil }
    return unsafe String(cString: pointer)
  }

  static var temporaryDirectory: String { environment("TMPDIR") ?? P_tmpdir }

  package static func isTerminal(_ descriptor: CInt) -> Bool { isatty(descriptor) == 1 }

  /// Writes all of `bytes`; the system's error code when that fails, else 0.
  package static func writeAll(_ bytes: Span<UInt8>, to descriptor: CInt) -> CInt {
    unsafe bytes.withUnsafeBufferPointer { buffer in
      var offset = 0
      while offset < buffer.count {
        // SAFETY: offset < buffer.count, and no more than the rest is written.
        guard let start = buffer.baseAddress else { return 0 }
        let written = unsafe write(descriptor, start + offset, buffer.count - offset)
        if written < 0 {
          if errno == EINTR { continue }
          return errno
        }
        offset += written
      }
      return 0
    }
  }

  /// Opens `path` for writing, created or emptied; a negative error code when that fails.
  static func openForWriting(_ path: String) -> CInt {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    return descriptor >= 0 ? descriptor : -errno
  }

  /// Flushes `descriptor` to the disk; files that cannot be flushed (pipes, devices) are no error.
  static func synchronize(_ descriptor: CInt) -> CInt {
    guard fsync(descriptor) != 0 else { return 0 }
    return errno == EINVAL || errno == ENOTSUP || errno == EROFS ? 0 : errno
  }

  /// Whether `descriptor` is open.
  static func isOpen(_ descriptor: CInt) -> Bool { fcntl(descriptor, F_GETFD) >= 0 }

  static func closeDescriptor(_ descriptor: CInt) -> CInt { close(descriptor) == 0 ? 0 : errno }

  /// Flushes the entries of the directory at `path`; best effort.
  static func synchronizeDirectory(_ path: String) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = fsync(descriptor)
    _ = close(descriptor)
  }

  static func move(_ source: String, to destination: String) -> CInt {
    unsafe rename(source, destination) == 0 ? 0 : errno
  }

  /// Makes a directory at `path` unless there is one; an error code.
  package static func makeDirectory(at path: String) -> CInt {
    if unsafe mkdir(path, 0o777) == 0 || errno == EEXIST && file(at: path)?.kind == .directory { return 0 }
    return errno
  }

  /// Attaches a note to a file, where the file system keeps such (extended attributes); best effort.
  static func setNote(_ name: String, _ value: [UInt8], onFileAt path: String) {
    #if canImport(Darwin)
      _ = unsafe setxattr(path, name, value, value.count, 0, 0)
    #else
      _ = unsafe setxattr(path, name, value, value.count, 0)
    #endif
  }

  /// The note attached to a file; `nil` where there is none, or none can be kept.
  static func note(_ name: String, onFileAt path: String) -> [UInt8]? {
    var value = [UInt8](repeating: 0, count: 4096)
    #if canImport(Darwin)
      let count = unsafe getxattr(path, name, &value, value.count, 0, 0)
    #else
      let count = unsafe getxattr(path, name, &value, value.count)
    #endif
    return count >= 0 ? Array(value.prefix(count)) : nil
  }

  /// Makes a new directory whose name is `prefix` and six letters; its path, or an error code.
  package static func makeDirectory(prefix: String) -> (path: String, error: CInt) {
    var template = Array((prefix + "XXXXXX").utf8CString)
    return unsafe template.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress, unsafe mkdtemp(base) != nil else { return ("", errno) }
      return unsafe (String(cString: base), 0)
    }
  }

  package static func removeEmptyDirectory(_ path: String) { _ = unsafe rmdir(path) }

  /// Removes the directory at `path` and the files in it.
  package static func removeDirectory(_ path: String) {
    // A file made between the listing and the removal is found by the next round.
    for _ in 0..<16 {
      for name in SystemCall.names(in: path) ?? [] { _ = unsafe unlink("\(path)/\(name)") }
      if unsafe rmdir(path) == 0 || errno != ENOTEMPTY && errno != EEXIST { return }
    }
  }
}
