#if Store
  internal import VicinityMonitor
  internal import CLibrary

  /// A name held by this process, until the value goes or the process ends, however it ends.
  ///
  /// The system's lock on a file of its own (`flock`): SQLite's locks on the store's file are given up by a
  /// process that closes any other descriptor of it, and do not keep two connections of one process apart.
  struct NameLock: ~Copyable {
    private let file: Int32

    /// Takes the lock.
    ///
    /// - Throws: `alreadyOpen`, or `unavailable`.
    init(name: String, path: String) throws(RecordStoreError) {
      let file = systemOpen(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
      guard file >= 0 else { throw Self.failure("open", path, errno) }
      var result: Int32
      repeat { result = flock(file, LOCK_EX | LOCK_NB) } while result != 0 && errno == EINTR
      guard result == 0 else {
        let code = errno
        close(file)
        throw code == EWOULDBLOCK ? .alreadyOpen(name: name) : Self.failure("lock", path, code)
      }
      self.file = file
    }

    deinit {
      // Closing alone would leave the lock to a process that another thread is just starting, until that has
      // begun.
      flock(file, LOCK_UN)
      close(file)
    }

    /// Checks that a store's path leads to one file, by one name: two names with two locks would let it be
    /// opened twice. Where the file is missing or empty, checks that no log has been left: SQLite would
    /// delete it, with the commits in it.
    ///
    /// - Throws: `unavailable`; `corrupted` for a log without its file.
    func checkStoreFile(_ path: String) throws(RecordStoreError) {
      var status = stat()
      guard unsafe lstat(path, &status) == 0 else {
        if errno == ENOENT { return try Self.checkNoLog(of: path) }
        throw Self.failure("inspect", path, errno)
      }
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw .unavailable(reason: "\(path) is not a regular file")
      }
      guard status.st_nlink == 1 else {
        throw .unavailable(reason: "\(path) has another name: a hard link")
      }
      // SQLite takes a file of one byte for an empty one (`unixFileSize`).
      if status.st_size <= 1 { try Self.checkNoLog(of: path) }
    }

    private static func checkNoLog(of path: String) throws(RecordStoreError) {
      let log = path + "-wal"
      var status = stat()
      guard unsafe lstat(log, &status) == 0, status.st_size > 0 else { return }
      throw .corrupted(place: log, reason: "the file that this log belongs to is missing or empty")
    }

    private static func failure(_ operation: String, _ path: String, _ code: Int32) -> RecordStoreError {
      .unavailable(reason: unsafe "cannot \(operation) \(path): \(String(cString: strerror(code)))")
    }
  }

  private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    unsafe open(path, flags, mode)
  }
#endif
