/// Bytes in order, from wherever they come.
///
/// `ByteSource` of VicinityFormats has those of a local file or of standard input.
package protocol ByteStream: AnyObject {
  /// What errors call it: a path, or `-` for standard input.
  var path: String { get }
  /// How many bytes there are, as stored; `nil` where nobody knows.
  var byteCount: Int? { get }
  /// How many bytes have been read, as stored.
  var consumedByteCount: Int { get }
  /// Whether it can be read again from its start by name.
  var isRegularFile: Bool { get }

  /// Reads up to `buffer.count` bytes and returns how many; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FormatError) -> Int
  /// Moves to `offset`, as stored; returns false, without moving, where that cannot be done.
  func seek(to offset: Int) throws(FormatError) -> Bool
  /// Unpacks from now on; `head` holds all packed bytes that have been read so far.
  func unpack(_ compression: Compression, after head: [UInt8]) throws(FormatError)
}
