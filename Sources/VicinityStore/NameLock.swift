#if Store
  internal import VicinityIndex
  internal import VicinityMonitor

  /// A name held by this process, until the value goes or the process ends, however it ends.
  ///
  /// The system's lock on a file of its own (`flock`): SQLite's locks on the store's file are given up by a
  /// process that closes any other descriptor of it, and do not keep two connections of one process apart.
  struct NameLock: ~Copyable {
    private let file: OpenFile

    /// Takes the lock.
    ///
    /// - Throws: `alreadyOpen`, or `unavailable`.
    init(name: String, path: String) throws(RecordStoreError) {
      do {
        var file = try OpenFile(path, .lockingPrivately)
        guard try file.lock() else { throw RecordStoreError.alreadyOpen(name: name) }
        self.file = file
      } catch {
        throw error as? RecordStoreError ?? .unavailable(reason: "\(error)")
      }
    }

    /// Checks that a store's path leads to one file, by one name: two names with two locks would let it be
    /// opened twice. Where the file is missing or empty, checks that no log has been left: SQLite would
    /// delete it, with the commits in it.
    ///
    /// - Throws: `unavailable`; `corrupted` for a log without its file.
    func checkStoreFile(_ path: String) throws(RecordStoreError) {
      let status: FileStatus
      do throws(FileError) {
        status = try FileStatus(of: path, followingLinks: false)
      } catch {
        if error.isMissing { return try Self.checkNoLog(of: path) }
        throw .unavailable(reason: "\(error)")
      }
      guard status.kind == .regular else {
        throw .unavailable(reason: "\(path) is not a regular file")
      }
      guard status.linkCount == 1 else {
        throw .unavailable(reason: "\(path) has another name: a hard link")
      }
      // SQLite takes a file of one byte for an empty one (`unixFileSize`).
      if status.byteCount <= 1 { try Self.checkNoLog(of: path) }
    }

    private static func checkNoLog(of path: String) throws(RecordStoreError) {
      let log = path + "-wal"
      guard let status = try? FileStatus(of: log, followingLinks: false), status.byteCount > 0 else { return }
      throw .corrupted(place: log, reason: "the file that this log belongs to is missing or empty")
    }
  }
#endif
