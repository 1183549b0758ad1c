#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The few calls into the system's C library that the command line needs, with Swift types.
enum System {
  static let standardOutput: CInt = 1
  static let standardError: CInt = 2
  /// The error code of writing to a pipe that nobody reads.
  static let brokenPipe: CInt = EPIPE

  /// What tells one file from another, whatever its names.
  struct FileIdentity: Equatable {
    var device: UInt64
    var inode: UInt64
  }

  enum FileKind: Equatable {
    case regular, directory, other
  }

  /// The kind and identity of the file at `path`, symbolic links followed; `nil` when there is none.
  static func file(at path: String) -> (kind: FileKind, identity: FileIdentity)? {
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

  /// `path` with symbolic links resolved; `path` itself when nothing is there yet.
  static func resolved(_ path: String) -> String {
    guard let pointer = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(pointer) }
    return unsafe String(cString: pointer)
  }

  static func message(forError code: CInt) -> String {
    guard let pointer = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: pointer)
  }

  static func environment(_ name: String) -> String? {
    guard let pointer = unsafe getenv(name) else { return nil }
    return unsafe String(cString: pointer)
  }

  /// Ends the process.
  static func leave(with code: CInt) -> Never { exit(code) }

  static func isTerminal(_ descriptor: CInt) -> Bool { isatty(descriptor) == 1 }

  /// The columns of the terminal behind `descriptor`; `COLUMNS` overrides. `nil` when unknown.
  static func terminalWidth(_ descriptor: CInt) -> Int? {
    if let columns = environment("COLUMNS").flatMap({ Int($0) }), columns > 0 { return columns }
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Writes all of `bytes`; the system's error code when that fails, else 0.
  static func writeAll(_ bytes: Span<UInt8>, to descriptor: CInt) -> CInt {
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

  /// Writes `text` to standard error, whatever becomes of it.
  static func printError(_ text: String) {
    let bytes = Array(text.utf8)
    _ = writeAll(bytes.span, to: standardError)
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

  /// Makes a new directory whose name is `prefix` and six letters; its path, or an error code.
  static func makeDirectory(prefix: String) -> (path: String, error: CInt) {
    var template = Array((prefix + "XXXXXX").utf8CString)
    return unsafe template.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress, unsafe mkdtemp(base) != nil else { return ("", errno) }
      return unsafe (String(cString: base), 0)
    }
  }

  /// Removes the directory at `path` and the files in it.
  static func removeDirectory(_ path: String) {
    // A file made between the listing and the removal is found by the next round.
    for _ in 0..<16 {
      for name in names(in: path) { _ = unsafe unlink("\(path)/\(name)") }
      if unsafe rmdir(path) == 0 || errno != ENOTEMPTY && errno != EEXIST { return }
    }
  }

  private static func names(in path: String) -> [String] {
    guard let directory = unsafe opendir(path) else { return [] }
    defer { unsafe _ = closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        // SAFETY: d_name is NUL-terminated within its declared capacity.
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 1) { unsafe String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }
}
