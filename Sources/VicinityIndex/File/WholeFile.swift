#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Files written whole or not at all, and read whole.
package enum WholeFile {
  /// Writes to a temporary beside `path`, synchronises it and renames it into place.
  ///
  /// Symbolic links are followed, and a file that is replaced keeps its permissions.
  ///
  /// - Parameter writing: Writes to a file, named for error messages, and says what went wrong, if anything did.
  /// - Throws: ``IndexFormatError/system(operation:path:code:message:)``; what was at `path` is unchanged then.
  static func write(
    to path: String, _ writing: (_ file: Int32, _ name: String) -> IndexFormatError?
  ) throws(IndexFormatError) {
    try FileSystem.check(path, "write")
    let destination = try FileSystem.resolved(path)
    // Renaming onto a device or a pipe would put a file in its place.
    var existing = stat()
    let exists = unsafe stat(destination, &existing) == 0
    guard !exists || existing.st_mode & S_IFMT == S_IFREG else {
      throw .system(
        operation: "replace", path: path, code: EINVAL, message: "not a regular file")
    }
    let (file, temporary) = try FileSystem.createTemporary(beside: destination)
    var error = writing(file, temporary)
    // A file that is replaced keeps its permissions; a new one gets those that the process gives.
    if error == nil, exists, fchmod(file, existing.st_mode & 0o7777) != 0 {
      error = FileSystem.failure("set the permissions of", temporary)
    }
    if error == nil, fsync(file) != 0 { error = FileSystem.failure("synchronise", temporary) }
    if close(file) != 0, error == nil { error = FileSystem.failure("close", temporary) }
    if error == nil, unsafe rename(temporary, destination) != 0 {
      error = FileSystem.failure("replace", path)
    }
    if let error {
      _ = unsafe unlink(temporary)
      throw error
    }
    FileSystem.synchronize(directory: FileSystem.directory(of: destination))
  }

  /// Writes `bytes`, whole or not at all.
  ///
  /// - Throws: ``IndexFormatError/system(operation:path:code:message:)``; what was at `path` is unchanged then.
  package static func write(_ bytes: [UInt8], to path: String) throws(IndexFormatError) {
    try write(to: path) { file, name in
      unsafe bytes.withUnsafeBytes { unsafe FileSystem.write($0, to: file, name) }
    }
  }

  /// All bytes of a regular file.
  ///
  /// - Throws: ``IndexFormatError/system(operation:path:code:message:)``.
  package static func read(_ path: String) throws(IndexFormatError) -> [UInt8] {
    guard let (file, byteCount) = try FileSystem.openRegular(path) else {
      throw .system(operation: "read", path: path, code: EINVAL, message: "not a regular file")
    }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: byteCount)
    var failure: IndexFormatError?
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      do throws(IndexFormatError) {
        return unsafe try FileSystem.read(file, into: buffer, path)
      } catch {
        failure = error
        return 0
      }
    }
    if let failure { throw failure }
    bytes.removeLast(byteCount - count)
    return bytes
  }
}
