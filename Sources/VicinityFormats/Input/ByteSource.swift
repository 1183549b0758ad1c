internal import VicinityIndex
package import VicinityText

/// The bytes of a local file or of standard input, in order, unpacked if they are packed.
///
/// The file is read, not mapped: if another process cut a mapped file short, the reader would end with a
/// signal. Reading in chunks from the page cache is no slower than the parsers.
@safe package final class ByteSource: ByteStream {
  /// The path as the caller gave it; `-` for standard input.
  package let path: String
  /// The size of the file in bytes, as stored; `nil` for pipes.
  package private(set) var byteCount: Int?
  /// How many bytes of the file have been read, as stored.
  package private(set) var consumedByteCount = 0

  private let file: OpenFile
  private var inflater: (any Inflater)?
  /// How the file is packed; `nil` if its bytes are not unpacked on the way.
  package private(set) var compression: Compression?

  /// Opens the file at `path`.
  ///
  /// - Throws: ``FormatError/unreadable(path:reason:)``, ``FormatError/notLocal(path:)``.
  package init(_ path: String) throws(FormatError) {
    self.path = path
    if path == "-" {
      file = OpenFile(descriptor: 0, name: path)
      return
    }
    try Self.checkIsLocal(path)
    let status: FileStatus
    do throws(FileError) {
      file = try OpenFile(path, .reading)
      status = try file.status()
    } catch {
      throw FormatError(error)
    }
    switch status.kind {
    case .regular: (byteCount, isRegularFile) = (status.byteCount, true)
    case .directory: throw .unreadable(path: path, reason: "it is a directory")
    case .other: break
    }
  }

  /// Refuses a path that the system would cut at a zero byte, or that GDAL would read elsewhere than in a
  /// local file.
  ///
  /// - Throws: ``FormatError/unreadable(path:reason:)``, ``FormatError/notLocal(path:)``.
  static func checkIsLocal(_ path: String) throws(FormatError) {
    guard !path.utf8.contains(0) else {
      throw .unreadable(path: path, reason: "the path contains a zero byte")
    }
    guard !path.hasPrefix("/vsi"), !path.contains("://") else { throw .notLocal(path: path) }
  }

  /// Whether the bytes are unpacked on the way.
  var isPacked: Bool { inflater != nil }

  /// Whether the file can be read again from its start by name.
  package private(set) var isRegularFile = false

  /// The path for GDAL: never one that GDAL could take for a scheme or a prefix of its own.
  package var pathForGDAL: String { path.hasPrefix("/") ? path : "./" + path }

  /// Unpacks from now on; `head` holds all packed bytes that have been read so far.
  package func unpack(_ compression: Compression, after head: [UInt8]) throws(FormatError) {
    guard let inflater = compression.inflater(head: head) else {
      throw .unreadable(path: path, reason: "no memory to unpack it")
    }
    self.inflater = inflater
    self.compression = compression
  }

  /// Reads up to `buffer.count` bytes and returns how many; 0 at the end. Does not wait for a pipe to fill
  /// the buffer.
  ///
  /// - Throws: ``FormatError/unreadable(path:reason:)`` with the system's or the unpacking library's reason.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FormatError) -> Int {
    guard buffer.count > 0 else { return 0 }
    guard let inflater else { return try unsafe readStored(into: buffer) }
    do throws(InflateFault) {
      while true {
        let count = try unsafe inflater.inflate(into: buffer)
        if count > 0 || inflater.isAtEnd { return count }
        var stored = 0
        var failure: FormatError?
        unsafe inflater.refill { packed in
          do throws(FormatError) {
            stored = try unsafe readStored(into: packed)
          } catch {
            failure = error
          }
          return stored
        }
        if let failure { throw InflateFault.source(failure) }
      }
    } catch {
      switch error {
      case .source(let failure): throw failure
      case .damaged(let reason): throw .unreadable(path: path, reason: reason)
      }
    }
  }

  /// Reads `count` bytes; fewer at the end only.
  ///
  /// - Throws: ``FormatError/unreadable(path:reason:)`` with the system's or the unpacking library's reason.
  package func read(_ count: Int) throws(FormatError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    var failure: FormatError?
    unsafe bytes.withUnsafeMutableBytes { buffer in
      do throws(FormatError) {
        while filled < count {
          let read = try unsafe read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
          if read == 0 { break }
          filled += read
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    bytes.removeSubrange(filled...)
    return bytes
  }

  /// Moves to `offset`; returns false, without moving, for pipes and packed files.
  ///
  /// - Throws: ``FormatError/unreadable(path:reason:)`` for an offset beyond the end.
  package func seek(to offset: Int) throws(FormatError) -> Bool {
    guard isRegularFile, !isPacked, let byteCount else { return false }
    guard offset <= byteCount else {
      throw .unreadable(path: path, reason: "it ends before byte \(offset)")
    }
    try FormatError.reading { () throws(FileError) in try file.seek(to: offset) }
    consumedByteCount = offset
    return true
  }

  private func readStored(into buffer: UnsafeMutableRawBufferPointer) throws(FormatError) -> Int {
    let count = try FormatError.reading { () throws(FileError) in unsafe try file.read(into: buffer) }
    consumedByteCount += count
    return count
  }
}
