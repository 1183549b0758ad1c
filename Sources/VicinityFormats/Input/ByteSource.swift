internal import CGDAL

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The bytes of a local file or of standard input, in order; gzip is unpacked on the way.
///
/// Read, not mapped: a file that another process cuts short while it is mapped ends the reader with a
/// signal, and reading in chunks from the page cache is no slower than the parser behind it.
@safe final class ByteSource {
  /// The path as the caller gave it; `-` for standard input.
  let path: String
  /// The size of the file in bytes; `nil` for pipes and for packed files.
  private(set) var byteCount: Int?

  private var descriptor: Int32 = -1
  private var ownsDescriptor = false
  private var packed: UnsafeMutablePointer<VSILFILE>?
  private let messages = GDALMessages()

  /// Opens the file at `path`.
  ///
  /// - Throws: ``FormatError/unreadable(path:reason:)``, ``FormatError/notLocal(path:)``.
  init(_ path: String) throws(FormatError) {
    self.path = path
    if path == "-" {
      descriptor = 0
      return
    }
    guard !path.utf8.contains(0) else {
      throw .unreadable(path: path, reason: "the path contains a zero byte")
    }
    guard !path.hasPrefix("/vsi"), !path.contains("://") else { throw .notLocal(path: path) }
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unreadable(path: path, reason: Self.reason(errno)) }
    ownsDescriptor = true
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw .unreadable(path: path, reason: Self.reason(errno))
    }
    if status.st_mode & S_IFMT == S_IFDIR {
      throw .unreadable(path: path, reason: "it is a directory")
    }
    if status.st_mode & S_IFMT == S_IFREG {
      byteCount = Int(status.st_size)
      isRegularFile = true
    }
  }

  deinit {
    if let packed = unsafe packed {
      messages.begin()
      _ = unsafe VSIFCloseL(packed)
      messages.end()
    }
    if ownsDescriptor { _ = close(descriptor) }
  }

  /// Whether the bytes are unpacked on the way.
  var isPacked: Bool { unsafe packed != nil }

  /// Whether the file can be read again from its start by name.
  private(set) var isRegularFile = false

  /// The path for GDAL: never one that GDAL could take for a scheme or a prefix of its own.
  var pathForGDAL: String { path.hasPrefix("/") ? path : "./" + path }

  /// Goes on reading through gzip, from the start.
  func unpack() throws(FormatError) {
    guard isRegularFile else {
      throw .unreadable(path: path, reason: "packed with gzip, which can be read from files only")
    }
    let name = "/vsigzip/" + pathForGDAL
    messages.begin()
    let handle = unsafe VSIFOpenL(name, "rb")
    messages.end()
    guard let handle = unsafe handle else {
      throw .unreadable(path: path, reason: messages.failure ?? "not a gzip file")
    }
    unsafe packed = handle
    byteCount = nil
  }

  /// Reads up to `buffer.count` bytes; 0 at the end.
  ///
  /// - Throws: ``FormatError/unreadable(path:reason:)`` with the system's or zlib's reason.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FormatError) -> Int {
    guard let base = buffer.baseAddress, buffer.count > 0 else { return 0 }
    if let packed = unsafe packed {
      messages.begin()
      let count = unsafe VSIFReadL(base, 1, buffer.count, packed)
      messages.end()
      if let failure = messages.failure { throw .unreadable(path: path, reason: failure) }
      return count
    }
    while true {
      #if canImport(Darwin)
        let count = unsafe Darwin.read(descriptor, base, buffer.count)
      #elseif canImport(Musl)
        let count = unsafe Musl.read(descriptor, base, buffer.count)
      #else
        let count = unsafe Glibc.read(descriptor, base, buffer.count)
      #endif
      if count >= 0 { return count }
      if errno != EINTR { throw .unreadable(path: path, reason: Self.reason(errno)) }
    }
  }

  private static func reason(_ code: Int32) -> String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text)
  }
}
