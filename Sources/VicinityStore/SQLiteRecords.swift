#if Store
  internal import Foundation
  public import VicinityMonitor

  /// Record stores in files, through SQLite: a monitor opened through this outlives its process.
  ///
  ///     let records = SQLiteRecords(folder: folder)
  ///     let store = try records.open("places")
  ///
  /// The store called `name` is the file ``path(of:)`` in the folder, beside it SQLite's write-ahead log
  /// while it is open and a lock file that stays. See <doc:Store> for what survives what, and
  /// <doc:StoreFile> for the format.
  public struct SQLiteRecords: RecordStoreOpener, Hashable {
    /// The folder that the files lie in. It is made with the first store where there is none.
    public let folder: String

    /// How many pages of 4 KiB the write-ahead log takes in before it goes into the file.
    ///
    /// 4000: fewer waits for the disk than SQLite's own 1000, and at most some 16 MB of log.
    private let checkpointInterval: Int

    /// The stores in a folder.
    public init(folder: String) { self.init(folder: folder, checkpointInterval: 4000) }

    package init(folder: String, checkpointInterval: Int) {
      self.folder = folder
      self.checkpointInterval = checkpointInterval
    }

    /// Where the store called `name` lies.
    ///
    /// In small letters, with the places of the capital ones after a hyphen (a digit of base 32 for five
    /// letters), so that names that differ in case only are two files also where the file system tells no
    /// case. With what SQLite adds (`-journal`) the longest name makes a file name of 254 bytes; file systems
    /// take 255.
    public func path(of name: String) -> String {
      var capitals: [UInt8] = []
      for (i, byte) in name.utf8.enumerated() where (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) {
        while capitals.count <= i / 5 { capitals.append(0) }
        capitals[i / 5] |= 1 << UInt8(i % 5)
      }
      let suffix = capitals.isEmpty ? "" : "-" + capitals.map { String($0, radix: 32) }.joined()
      return (folder.hasSuffix("/") ? folder : folder + "/") + name.lowercased() + suffix + ".vmon"
    }

    /// Opens the store called `name`, and makes it if there is none.
    ///
    /// - Parameter name: One to 200 ASCII letters and digits.
    /// - Throws: `RecordStoreError`: `invalidName`, `alreadyOpen` while an instance is open here or in
    ///   another process, `corrupted` for a file that is no store, `unsupportedVersion` for one of a later
    ///   version, `unavailable` with the system's words otherwise. Contents are checked by `load()` and the
    ///   first `commit(_:)`.
    public func open(_ name: String) throws(RecordStoreError) -> any RecordStore {
      try RecordStoreError.check(name: name)
      guard !folder.utf8.contains(0) else {
        throw .unavailable(reason: "the folder's path contains a NUL character")
      }
      do {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      } catch {
        throw .unavailable(reason: "cannot make the folder \(folder): \(error.localizedDescription)")
      }
      let path = path(of: name)
      let lock = try NameLock(name: name, path: path + ".lock")
      try lock.checkStoreFile(path)
      return try SQLiteRecordStore(path: path, lock: lock, checkpointInterval: checkpointInterval)
    }
  }
#else
  public import VicinityMonitor

  /// Record stores in files: not there, as the package is used without its trait `Store`. The compiler's
  /// message says how to have it.
  public struct SQLiteRecords: RecordStoreOpener {
    @available(
      *, unavailable,
      message:
        "SQLiteRecords needs the trait “Store” of the package vicinity, which this build has switched off"
    )
    public init(folder: String) {}

    public func open(_ name: String) throws(RecordStoreError) -> any RecordStore {
      throw .unavailable(reason: "the package vicinity was built without its trait “Store”")
    }
  }
#endif
