/// An error in an index file, or in reading or writing it.
public enum IndexFormatError: Error, Hashable, Sendable {
  /// A system call failed; `message` is the system's.
  case system(operation: String, path: String, code: Int32, message: String)
  /// The file does not begin as an index does; the bytes it begins with.
  case badMagic([UInt8])
  /// The file is of a format version that this one cannot read.
  case unsupportedVersion(found: Int, supported: Int)
  /// The file ends too early.
  case truncated(expectedByteCount: Int, actualByteCount: Int)
  /// A part of the file contradicts itself or its checksum.
  case damaged(part: String, reason: String)

  init(_ error: FileError) {
    self = .system(
      operation: error.operation, path: error.path, code: error.code, message: error.message)
  }
}

extension IndexFormatError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .system(let operation, let path, _, let message): "cannot \(operation) \(path): \(message)"
    case .badMagic: "not a .vicinity index"
    case .unsupportedVersion(let found, let supported):
      "index format version \(found) (this program reads version \(supported)): make the index again from its regions"
    case .truncated(let expected, let actual):
      "truncated index: \(actual) bytes of \(expected)"
    case .damaged(let part, let reason): "damaged index: \(part): \(reason)"
    }
  }
}
