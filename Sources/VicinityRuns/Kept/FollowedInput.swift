internal import VicinityFormats
internal import VicinityIndex

/// How far a run that follows a stream has come: where it has read its files to, and what it has written.
struct FollowedInput: Equatable {
  /// The files that are read, in their order; none for standard input, which begins anew with each run.
  var files: [Part] = []
  var position = TrackPosition(file: 0, offset: 0, line: 1)
  /// The files that are written behind what is there.
  var outputs: [Part] = []

  /// A file, and how much of it the run has read or written.
  struct Part: Equatable {
    var path: String
    /// Bytes, as stored.
    var byteCount: Int
    /// Of up to ``sampleSize`` bytes: the first ones of what is read, which only grows, or the last ones of
    /// what was written.
    var checksum: UInt64
  }

  private static let sampleSize = 4096

  /// A file that is read, as it is now; nil where it cannot be.
  static func input(_ path: String) -> Part? {
    guard let file = try? OpenFile.regular(path), let size = try? file.status().byteCount else { return nil }
    return part(path, file, 0..<min(sampleSize, size), size)
  }

  /// Whether a file still begins as it did.
  static func begins(_ part: Part) -> Bool {
    guard let file = try? OpenFile.regular(part.path), let size = try? file.status().byteCount,
      size >= part.byteCount
    else { return false }
    return Self.part(part.path, file, 0..<min(sampleSize, part.byteCount), part.byteCount) == part
  }

  /// A file of which so many bytes are written; nil where they are not there.
  static func output(_ path: String, _ byteCount: Int) -> Part? {
    guard let file = try? OpenFile.regular(path), let size = try? file.status().byteCount, size >= byteCount
    else { return nil }
    return part(path, file, max(0, byteCount - sampleSize)..<byteCount, byteCount)
  }

  private static func part(
    _ path: String, _ file: borrowing OpenFile, _ range: Range<Int>, _ byteCount: Int
  ) -> Part? {
    guard let bytes = try? file.read(range), bytes.count == range.count else { return nil }
    return Part(path: path, byteCount: byteCount, checksum: bytes.checksum)
  }

  // MARK: In files

  func append(to bytes: inout [UInt8]) {
    for number in [position.file, position.offset, position.line] { bytes.append(number: UInt64(number)) }
    for parts in [files, outputs] {
      bytes.append(number: UInt64(parts.count))
      for part in parts {
        bytes.append(block: Array(part.path.utf8))
        bytes.append(number: UInt64(part.byteCount))
        bytes.append(number: part.checksum)
      }
    }
  }

  init(_ reader: inout ByteReader) throws {
    func count() throws -> Int {
      guard let number = Int(exactly: try reader.number() as UInt64) else { throw ByteReader.Failure() }
      return number
    }
    position = TrackPosition(file: try count(), offset: try count(), line: try count())
    func parts() throws -> [Part] {
      try (0..<(try reader.count(each: 24))).map { _ in
        let path = String(decoding: try reader.block(), as: UTF8.self)
        return Part(path: path, byteCount: try count(), checksum: try reader.number())
      }
    }
    (files, outputs) = (try parts(), try parts())
    guard position.file <= files.count else { throw ByteReader.Failure() }
  }

  init() {}
}
