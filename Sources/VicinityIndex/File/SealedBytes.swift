/// Files of a magic number, a version, what wrote them, a content, and the checksum of all that.
package struct SealedBytes: Sendable {
  private let magic: [UInt8]
  private let version: UInt32
  private let writer: String?

  /// - Parameters:
  ///   - magic: The first bytes, eight letters.
  ///   - writer: What writes these files, where several things write files of the same magic number; only
  ///     that reads them.
  package init(_ magic: String, version: UInt32, writer: String? = nil) {
    self.magic = Array(magic.utf8)
    self.version = version
    self.writer = writer
  }

  package enum Fault: Error, Hashable {
    case damaged
    case otherVersion(UInt32)
    /// Something else wrote it, and only that goes on from it.
    case otherWriter(String)
  }

  /// The bytes of a file with the content that `append` adds.
  package func seal(_ append: (inout [UInt8]) -> Void) -> [UInt8] {
    var bytes = magic
    bytes.append(number: version)
    if let writer { bytes.append(block: Array(writer.utf8)) }
    append(&bytes)
    bytes.append(number: bytes.checksum)
    return bytes
  }

  /// Reads the content of a file, all of it.
  package func open<Content>(
    _ bytes: [UInt8], _ read: (inout ByteReader) throws -> Content
  ) throws(Fault) -> Content {
    do {
      var end = ByteReader(bytes.suffix(8))
      guard bytes.count >= magic.count + 12, bytes.starts(with: magic),
        try end.number() == bytes.dropLast(8).checksum
      else { throw Fault.damaged }
      var reader = ByteReader(bytes[magic.count..<bytes.count - 8])
      let found: UInt32 = try reader.number()
      guard found == version else { throw Fault.otherVersion(found) }
      if let writer {
        let other = String(decoding: try reader.block(), as: UTF8.self)
        guard other == writer else { throw Fault.otherWriter(other) }
      }
      let content = try read(&reader)
      guard reader.remaining == 0 else { throw Fault.damaged }
      return content
    } catch let fault as Fault {
      throw fault
    } catch {
      throw .damaged
    }
  }
}
