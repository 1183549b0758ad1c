internal import CLibrary

/// What is done with files by their paths, with typed errors; and files that are written whole or not at all.
package enum FileSystem {
  /// Refuses a path that the system would see only the beginning of.
  static func check(_ path: String, _ operation: String) throws(FileError) {
    guard !path.utf8.contains(0) else {
      throw FileError(operation, path, code: EINVAL, message: "the path contains a NUL character")
    }
  }

  /// What is at `path`, symbolic links followed; nil where nothing is, or nothing that may be seen.
  package static func status(of path: String) -> FileStatus? { try? FileStatus(of: path) }

  package static func exists(_ path: String) -> Bool { status(of: path) != nil }

  // MARK: Paths

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
  package static func followingLinks(_ path: String) throws(FileError) -> String {
    var path = path
    for _ in 0..<mostLinks {
      guard let target = linkTarget(of: path) else { return path }
      path = target
    }
    throw .tooManyLinks(path)
  }

  /// The part of a path up to and including its last slash; empty where it has none.
  package static func directory(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

  // MARK: Names

  package static func rename(_ source: String, to destination: String) throws(FileError) {
    guard unsafe CLibrary.rename(source, destination) == 0 else { throw FileError("replace", destination) }
  }

  /// Removes a file, if it is there and may be removed.
  package static func remove(_ path: String) { _ = unsafe unlink(path) }

  /// Makes a renaming in `directory` outlast a power failure, where the file system can.
  ///
  /// By then the whole file is in its place, so an error here is not reported.
  package static func synchronize(directory: String) {
    try? OpenFile(directory.isEmpty ? "." : directory, .directory).synchronize()
  }

  // MARK: Whole files

  /// Creates a file with a new name in the directory of `destination`; errors name `path`.
  private static func createTemporary(
    beside destination: String, for path: String
  ) throws(FileError) -> OpenFile {
    var random = SystemRandomNumberGenerator()
    var attempts = 0
    while true {
      // Not made from the destination's name, which may already be as long as names can be.
      let name = directory(of: destination) + ".vicinity-\(String(random.next(), radix: 36)).partial"
      do throws(FileError) {
        return try OpenFile(name, .creating)
      } catch {
        attempts += 1
        guard error.exists || error.code == EINTR, attempts < 100 else {
          throw FileError("create", path, code: error.code)
        }
      }
    }
  }

  /// Writes to a temporary beside `path`, synchronises it and renames it into place.
  ///
  /// Symbolic links are followed, and a file that is replaced keeps its permissions.
  ///
  /// - Throws: What `writing` throws, or an error of the system, which names `path` and not the temporary;
  ///   what was at `path` is unchanged then.
  static func writeWhole(
    to path: String, _ writing: (borrowing OpenFile) throws(FileError) -> Void
  ) throws(FileError) {
    try check(path, "write")
    let destination = try followingLinks(path)
    // Renaming onto a device or a pipe would replace it by a file.
    let existing = status(of: destination)
    guard existing == nil || existing?.kind == .regular else { throw .notRegular("replace", path) }
    var file = try createTemporary(beside: destination, for: path)
    do throws(FileError) {
      try writing(file)
      // A file that is replaced keeps its permissions; a new one gets those that the process gives.
      if let existing { try file.setPermissions(existing.permissions) }
      try file.synchronize()
      try file.close()
      guard unsafe CLibrary.rename(file.path, destination) == 0 else { throw FileError("replace", path) }
    } catch {
      remove(file.path)
      guard error.path == file.path else { throw error }
      throw FileError(error.operation, path, code: error.code, message: error.message)
    }
    synchronize(directory: directory(of: destination))
  }

  /// Writes `bytes`, whole or not at all.
  ///
  /// - Throws: What the system refuses; what was at `path` is unchanged then.
  package static func writeWhole(_ bytes: [UInt8], to path: String) throws(FileError) {
    try writeWhole(to: path) { file throws(FileError) in try file.write(bytes) }
  }

  /// All bytes of a regular file.
  package static func readWhole(_ path: String) throws(FileError) -> [UInt8] {
    guard let file = try OpenFile.regular(path) else { throw .notRegular("read", path) }
    return try file.read(0..<file.status().byteCount)
  }
}
