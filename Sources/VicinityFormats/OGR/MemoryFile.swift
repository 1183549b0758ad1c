internal import CGDAL
internal import VicinityText

/// The bytes of a file, unpacked, in memory, under a name by which GDAL can open them.
@safe final class MemoryFile {
  static let mostBytes = 1 << 30

  /// The name that GDAL knows the bytes by.
  let name: String

  /// Reads and unpacks the whole file at `path`.
  ///
  /// - Parameters:
  ///   - compression: How it is packed; `nil` for a file that is not.
  ///   - edit: Called once with all bytes, to change some.
  /// - Throws: `FormatError` for a damaged file, and for one of more than ``mostBytes``.
  init(
    _ path: String, _ compression: Compression?, edit: (inout MutableSpan<UInt8>) -> Void = { _ in }
  ) throws(FormatError) {
    let source = try ByteSource(path)
    if let compression { try source.unpack(compression, after: []) }
    var count = 0
    var capacity = 1 << 20
    guard var memory = unsafe VSIMalloc(capacity) else {
      throw .unreadable(path: path, reason: "no memory to unpack it")
    }
    var failure: FormatError?
    do throws(FormatError) {
      while true {
        if count == capacity {
          guard capacity < Self.mostBytes else {
            throw .limitExceeded(
              .init(path: path),
              what: compression == nil
                ? "too large for features whose ids are not all whole numbers of their own; make them text"
                : "too large to be unpacked in memory; unpack the file first",
              limit: Self.mostBytes)
          }
          guard let larger = unsafe VSIRealloc(memory, capacity * 2) else {
            throw .unreadable(path: path, reason: "no memory to unpack it")
          }
          unsafe memory = larger
          capacity *= 2
        }
        // SAFETY: `memory` has `capacity` bytes, of which `count` are written.
        let read = try unsafe source.read(
          into: UnsafeMutableRawBufferPointer(start: memory + count, count: capacity - count))
        if read == 0 { break }
        count += read
      }
    } catch {
      failure = error
    }
    if let failure {
      unsafe VSIFree(memory)
      throw failure
    }
    // SAFETY: `count` bytes are written.
    var bytes = unsafe MutableSpan(
      _unsafeStart: memory.assumingMemoryBound(to: UInt8.self), count: count)
    edit(&bytes)
    // The address tells files apart that are open at once.
    let parts = path.split(separator: "/")
    let stem = Compression.withoutEnding(String(parts.last ?? "file"))
    name = "/vsimem/vicinity-\(UInt(bitPattern: memory))/\(stem)"
    let file = unsafe VSIFileFromMemBuffer(
      name, memory.assumingMemoryBound(to: GByte.self), vsi_l_offset(count), 1)
    guard let file = unsafe file else {
      unsafe VSIFree(memory)
      throw .unreadable(path: path, reason: "no memory to unpack it")
    }
    _ = unsafe VSIFCloseL(file)
  }

  deinit { _ = unsafe VSIUnlink(name) }
}
