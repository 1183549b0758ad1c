internal import CLibrary

/// System calls on files, with typed errors, and files that are written whole or not at all.
package enum FileSystem {
  /// The error that the system has just reported.
  static func failure(_ operation: String, _ path: String) -> IndexFormatError {
    failure(operation, path, code: errno)
  }

  static func failure(_ operation: String, _ path: String, code: Int32) -> IndexFormatError {
    .system(
      operation: operation, path: path, code: code,
      message: unsafe String(cString: strerror(code)))
  }

  /// Opens a regular file for reading.
  ///
  /// Never waits: opening a pipe for reading would otherwise block until another process opens it for
  /// writing.
  ///
  /// - Returns: The descriptor, to be closed by the caller, and the file's size; nil where the path leads to
  ///   something else than a regular file.
  static func openRegular(
    _ path: String
  ) throws(IndexFormatError) -> (file: Int32, byteCount: Int)? {
    try check(path, "open")
    let file = systemOpen(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
    guard file >= 0 else { throw failure("open", path) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0 else {
      let error = failure("inspect", path)
      close(file)
      throw error
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(file)
      return nil
    }
    return (file, Int(status.st_size))
  }

  /// Refuses a path that the system would see only the beginning of.
  static func check(_ path: String, _ operation: String) throws(IndexFormatError) {
    guard !path.utf8.contains(0) else {
      throw .system(
        operation: operation, path: path, code: EINVAL, message: "the path contains a NUL character")
    }
  }

  /// Reads from the file's start until `bytes` is full or the file ends; returns how many bytes were read.
  static func read(
    _ file: Int32, into bytes: UnsafeMutableRawBufferPointer, _ path: String
  ) throws(IndexFormatError) -> Int {
    var count = 0
    while count < bytes.count {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[count...])
      let got = unsafe pread(file, rest.baseAddress, min(rest.count, 1 << 30), off_t(count))
      if got < 0 {
        if errno == EINTR { continue }
        throw failure("read", path)
      }
      if got == 0 { break }
      count += got
    }
    return count
  }

  /// The file's first bytes, up to `count`.
  static func read(
    _ file: Int32, upTo count: Int, _ path: String
  ) throws(IndexFormatError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let result = unsafe bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(IndexFormatError) in unsafe try read(file, into: buffer, path) }
    }
    bytes.removeLast(count - (try result.get()))
    return bytes
  }

  /// Writes all of `bytes`.
  ///
  /// - Returns: The error, if there was one.
  static func write(
    _ bytes: UnsafeRawBufferPointer, to file: Int32, _ path: String
  ) -> IndexFormatError? {
    var written = 0
    while written < bytes.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
      let count = unsafe systemWrite(file, rest.baseAddress, min(rest.count, 1 << 30))
      if count < 0 {
        if errno == EINTR { continue }
        return failure("write", path)
      }
      // Nothing was written, without an error: stop, or this would go on for ever.
      if count == 0 { return failure("write", path, code: EIO) }
      written += count
    }
    return nil
  }

  /// The system's own limit of symbolic links, one after the other: 40 on Linux, 32 on Darwin.
  package static let mostLinks = 40

  /// Where the symbolic link at `path` leads, whether there is something or not; nil where there is no link.
  package static func linkTarget(of path: String) -> String? {
    var target = [UInt8](repeating: 0, count: 4096)
    let count = unsafe target.withUnsafeMutableBytes { bytes in
      // SAFETY: the array is not empty, so it has an address.
      unsafe readlink(path, bytes.baseAddress.unsafelyUnwrapped, bytes.count)
    }
    guard count >= 0 else { return nil }
    let text = String(decoding: target.prefix(count), as: UTF8.self)
    return text.hasPrefix("/") ? text : directory(of: path) + text
  }

  /// The path that `path` leads to when symbolic links in its last component are followed. It need not exist.
  package static func resolved(_ path: String) throws(IndexFormatError) -> String {
    var path = path
    for _ in 0..<mostLinks {
      guard let target = linkTarget(of: path) else { return path }
      path = target
    }
    throw failure("resolve", path, code: ELOOP)
  }

  /// The part of a path up to and including its last slash; empty where it has none.
  static func directory(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

  /// Creates a file with a new name in the directory of `path`.
  static func createTemporary(beside path: String) throws(IndexFormatError) -> (file: Int32, path: String) {
    var random = SystemRandomNumberGenerator()
    var attempts = 0
    while true {
      // Not made from the destination's name, which may already be as long as names can be.
      let name = directory(of: path) + ".vicinity-\(String(random.next(), radix: 36)).partial"
      let file = systemOpen(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
      if file >= 0 { return (file, name) }
      attempts += 1
      guard errno == EEXIST || errno == EINTR, attempts < 100 else { throw failure("create", name) }
    }
  }

  /// Makes a renaming in `directory` outlast a power failure, where the file system can.
  ///
  /// By then the whole file is in its place, so an error here is not reported.
  static func synchronize(directory: String) {
    let file = systemOpen(directory.isEmpty ? "." : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard file >= 0 else { return }
    _ = fsync(file)
    close(file)
  }

  // MARK: Whole files

  /// Writes to a temporary beside `path`, synchronises it and renames it into place.
  ///
  /// Symbolic links are followed, and a file that is replaced keeps its permissions.
  ///
  /// - Parameter writing: Writes to a file; `name` is for error messages. Returns the error, if there was
  ///   one.
  /// - Throws: ``IndexFormatError/system(operation:path:code:message:)``; what was at `path` is unchanged
  ///   then.
  static func writeWhole(
    to path: String, _ writing: (_ file: Int32, _ name: String) -> IndexFormatError?
  ) throws(IndexFormatError) {
    try check(path, "write")
    let destination = try resolved(path)
    // Renaming onto a device or a pipe would replace it by a file.
    var existing = stat()
    let exists = unsafe stat(destination, &existing) == 0
    guard !exists || existing.st_mode & S_IFMT == S_IFREG else {
      throw .system(
        operation: "replace", path: path, code: EINVAL, message: "not a regular file")
    }
    let (file, temporary) = try createTemporary(beside: destination)
    var error = writing(file, temporary)
    // A file that is replaced keeps its permissions; a new one gets those that the process gives.
    if error == nil, exists, fchmod(file, existing.st_mode & 0o7777) != 0 {
      error = failure("set the permissions of", temporary)
    }
    if error == nil, fsync(file) != 0 { error = failure("synchronise", temporary) }
    if close(file) != 0, error == nil { error = failure("close", temporary) }
    if error == nil, unsafe rename(temporary, destination) != 0 {
      error = failure("replace", path)
    }
    if let error {
      _ = unsafe unlink(temporary)
      throw error
    }
    synchronize(directory: directory(of: destination))
  }

  /// Writes `bytes`, whole or not at all.
  ///
  /// - Throws: ``IndexFormatError/system(operation:path:code:message:)``; what was at `path` is unchanged
  ///   then.
  package static func writeWhole(_ bytes: [UInt8], to path: String) throws(IndexFormatError) {
    try writeWhole(to: path) { file, name in
      unsafe bytes.withUnsafeBytes { unsafe write($0, to: file, name) }
    }
  }

  /// All bytes of a regular file.
  ///
  /// - Throws: ``IndexFormatError/system(operation:path:code:message:)``.
  package static func readWhole(_ path: String) throws(IndexFormatError) -> [UInt8] {
    guard let (file, byteCount) = try openRegular(path) else {
      throw .system(operation: "read", path: path, code: EINVAL, message: "not a regular file")
    }
    defer { close(file) }
    return try read(file, upTo: byteCount, path)
  }
}

// The enum's own `write` hides the system's.
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
  unsafe open(path, flags, mode)
}

private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(file, bytes, count)
}
