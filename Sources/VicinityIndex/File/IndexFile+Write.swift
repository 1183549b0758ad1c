#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

extension IndexFile {
  /// Writes a tree to a temporary beside `path`, synchronises it and renames it into place.
  static func write(_ tree: PackedRTree, to path: String) throws(IndexFormatError) {
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
    var error = writeBytes(of: tree, to: file, temporary)
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

  private static func writeBytes(
    of tree: PackedRTree, to file: Int32, _ path: String
  ) -> IndexFormatError? {
    defer { withExtendedLifetime(tree) {} }
    let base = unsafe UnsafeRawPointer(tree.storage.base)
    let rest = unsafe UnsafeRawBufferPointer(
      start: base + IndexLayout.headerSize, count: tree.layout.fileSize - IndexLayout.headerSize)
    // A file's own checksums are kept: new ones would vouch for damage that nobody has looked for.
    let header =
      tree.isMapped
      ? unsafe [UInt8](UnsafeRawBufferPointer(start: base, count: IndexLayout.headerSize))
      : IndexHeader.sealed(tree)
    return unsafe header.withUnsafeBytes { header in
      unsafe FileSystem.write(header, to: file, path) ?? FileSystem.write(rest, to: file, path)
    }
  }
}
