internal import VicinityText

/// What a file of SQLite, as a GeoPackage is one, may have beside it.
enum SQLiteFile {
  private static let magic = Array("SQLite format 3\0".utf8)

  /// Whether a file that begins with `head` is one of SQLite.
  static func isBegun(by head: [UInt8]) -> Bool { head.starts(with: magic) }

  /// Whether the file behind `source`, unpacked or not, is one of SQLite that is not packed.
  static func isThere(_ source: ByteSource) throws(FormatError) -> Bool {
    guard source.compression == nil else { return false }
    return try begins(source.path, with: magic)
  }

  /// Refuses a file that is not all there is: reading what has not been put into it yet would change it.
  static func checkIsAtRest(_ path: String) throws(FormatError) {
    let log = path + "-wal"
    // A log without pages is a header of 32 bytes.
    if let source = try? ByteSource(log), source.byteCount ?? 0 > 32 {
      throw .unreadable(
        path: path,
        reason: "changes to it are still in \(log): close the program that writes it, or run"
          + " sqlite3 \(path) 'PRAGMA wal_checkpoint(TRUNCATE)'")
    }
    let journal = path + "-journal"
    if (try? begins(journal, with: [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])) ?? false {
      throw .unreadable(
        path: path,
        reason:
          "a change to it was cut short, which \(journal) can undo: open the file once with the program that writes it"
      )
    }
  }

  private static func begins(_ path: String, with bytes: [UInt8]) throws(FormatError) -> Bool {
    let source = try ByteSource(path)
    var head: [UInt8] = []
    while head.count < bytes.count {
      let next = try source.read(bytes.count - head.count)
      if next.isEmpty { return false }
      head += next
    }
    return head == bytes
  }
}
