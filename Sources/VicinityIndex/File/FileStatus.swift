internal import CLibrary

/// What the system says of a file.
package struct FileStatus: Sendable {
  package enum Kind: Sendable { case regular, directory, other }

  /// Tells a file from others, whatever its names.
  package struct Identity: Hashable, Sendable {
    let device: UInt64
    let number: UInt64
  }

  package let kind: Kind
  package let identity: Identity
  /// Its size; of regular files alone.
  package let byteCount: Int
  /// How many names it has.
  package let linkCount: Int
  let permissions: mode_t

  init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      default: .other
      }
    identity = Identity(
      device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
    byteCount = Int(status.st_size)
    linkCount = Int(status.st_nlink)
    permissions = status.st_mode & 0o7777
  }

  /// The file at `path`.
  ///
  /// - Parameter followingLinks: Whether a symbolic link is what it leads to; else it is a file of its own.
  package init(of path: String, followingLinks: Bool = true) throws(FileError) {
    var status = stat()
    let result = unsafe followingLinks ? stat(path, &status) : lstat(path, &status)
    guard result == 0 else { throw FileError("inspect", path) }
    self.init(status)
  }
}
