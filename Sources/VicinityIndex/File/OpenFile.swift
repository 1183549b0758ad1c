internal import CLibrary

/// A file, directory or device that is open until the value goes.
package struct OpenFile: ~Copyable {
  package enum Access {
    /// For reading. Opening a pipe waits until another process opens it for writing.
    case reading
    /// For reading, without waiting.
    case readingAtOnce
    /// For writing; made or emptied.
    case writing
    /// For writing behind what is there; made where there is nothing.
    case appending
    /// For writing and reading, under a name that nothing has yet.
    case creating
    /// To be locked; made where there is none.
    case locking
    /// To be locked by this user alone; not where a symbolic link leads.
    case lockingPrivately
    /// A directory.
    case directory

    fileprivate var flags: Int32 {
      switch self {
      case .reading: O_RDONLY
      case .readingAtOnce: O_RDONLY | O_NONBLOCK
      case .writing: O_WRONLY | O_CREAT | O_TRUNC
      case .appending: O_WRONLY | O_CREAT
      case .creating: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
      case .locking: O_RDWR | O_CREAT
      case .lockingPrivately: O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK
      case .directory: O_RDONLY | O_DIRECTORY
      }
    }
  }

  package let path: String
  private(set) var descriptor: Int32
  /// Whether it was opened here, and is closed here.
  private let isOwned: Bool
  private var isLocked = false

  package init(_ path: String, _ access: Access) throws(FileError) {
    try FileSystem.check(path, "open")
    let mode: mode_t = if case .lockingPrivately = access { 0o600 } else { 0o666 }
    let descriptor = unsafe open(path, access.flags | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw FileError("open", path) }
    self.descriptor = descriptor
    self.path = path
    isOwned = true
  }

  /// What the process has open already; it stays open.
  ///
  /// - Parameter name: What it is called in errors.
  package init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    path = name
    isOwned = false
  }

  deinit {
    guard isOwned, descriptor >= 0 else { return }
    // Closing alone would leave the lock to a process that another thread is just starting, until that has
    // begun.
    if isLocked { flock(descriptor, LOCK_UN) }
    _ = CLibrary.close(descriptor)
  }

  /// A regular file, for reading; nil where the path leads to something else. Never waits.
  package static func regular(_ path: String) throws(FileError) -> OpenFile? {
    let file = try OpenFile(path, .readingAtOnce)
    guard try file.status().kind == .regular else { return nil }
    return file
  }

  package func status() throws(FileError) -> FileStatus {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw FileError("inspect", path) }
    return FileStatus(status)
  }

  // MARK: Reading

  /// Reads what there is, up to a buffer's size: 0 bytes at the end.
  package func read(into bytes: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    while true {
      let count = unsafe CLibrary.read(descriptor, bytes.baseAddress, bytes.count)
      if count >= 0 { return count }
      if errno != EINTR { throw FileError("read", path) }
    }
  }

  /// Moves to where the next bytes are read, bytes from the start.
  package func seek(to offset: Int) throws(FileError) {
    guard lseek(descriptor, off_t(offset), SEEK_SET) == off_t(offset) else { throw FileError("read", path) }
  }

  /// Reads from a place in the file until the buffer is full or the file ends; how many bytes were read.
  package func read(into bytes: UnsafeMutableRawBufferPointer, at start: Int) throws(FileError) -> Int {
    var count = 0
    while count < bytes.count {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[count...])
      let got = unsafe pread(descriptor, rest.baseAddress, min(rest.count, 1 << 30), off_t(start + count))
      if got < 0 {
        if errno == EINTR { continue }
        throw FileError("read", path)
      }
      if got == 0 { break }
      count += got
    }
    return count
  }

  /// The bytes in a range of the file; fewer where it ends before.
  package func read(_ range: Range<Int>) throws(FileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    let count = unsafe try bytes.withUnsafeMutableBufferPointer { buffer throws(FileError) in
      unsafe try read(into: UnsafeMutableRawBufferPointer(buffer), at: range.lowerBound)
    }
    bytes.removeLast(range.count - count)
    return bytes
  }

  // MARK: Writing

  package func write(_ bytes: [UInt8]) throws(FileError) {
    unsafe try bytes.withUnsafeBufferPointer { buffer throws(FileError) in
      unsafe try write(UnsafeRawBufferPointer(buffer))
    }
  }

  /// Writes all of `bytes`.
  func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    var written = 0
    while written < bytes.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
      let count = unsafe CLibrary.write(descriptor, rest.baseAddress, min(rest.count, 1 << 30))
      if count < 0 {
        if errno == EINTR { continue }
        throw FileError("write", path)
      }
      // Nothing was written, without an error: stop, or this would go on for ever.
      if count == 0 { throw FileError("write", path, code: EIO) }
      written += count
    }
  }

  /// Cuts the file to so many bytes, and goes on writing there.
  package func truncate(to byteCount: Int) throws(FileError) {
    guard ftruncate(descriptor, off_t(byteCount)) == 0 else { throw FileError("cut", path) }
    guard lseek(descriptor, off_t(byteCount), SEEK_SET) == off_t(byteCount) else {
      throw FileError("write", path)
    }
  }

  /// Flushes to the disk. What cannot be flushed (pipes, devices, some file systems) is no error.
  package func synchronize() throws(FileError) {
    guard fsync(descriptor) != 0 else { return }
    let error = FileError("synchronise", path)
    guard error.code == EINVAL || error.code == ENOTSUP || error.code == EROFS else { throw error }
  }

  func setPermissions(_ permissions: mode_t) throws(FileError) {
    guard fchmod(descriptor, permissions) == 0 else { throw FileError("set the permissions of", path) }
  }

  /// Closes a file that was opened here; some file systems only now say that it could not be written.
  package mutating func close() throws(FileError) {
    guard isOwned, descriptor >= 0 else { return }
    defer { descriptor = -1 }
    guard CLibrary.close(descriptor) == 0 else { throw FileError("close", path) }
  }

  // MARK: Locking

  /// Takes the system's lock (`flock`), which binds those who ask for it, until the value goes or the process
  /// ends, however it ends. It is on the file itself, whatever its name.
  ///
  /// - Returns: Whether it was taken: another process, or another value in this one, may have it.
  package mutating func lock() throws(FileError) -> Bool {
    var result: Int32
    repeat { result = flock(descriptor, LOCK_EX | LOCK_NB) } while result != 0 && errno == EINTR
    isLocked = result == 0
    guard isLocked || errno == EWOULDBLOCK else { throw FileError("lock", path) }
    return isLocked
  }
}
