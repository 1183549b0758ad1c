internal import VicinityIndex

/// What is wrong with a fleet's snapshot.
public enum FleetSnapshotError: Error, Hashable, Sendable {
  /// The system refused: its own message, and what was being done.
  case system(operation: String, path: String, code: Int32, message: String)
  /// The file does not begin as a snapshot does; the bytes it begins with.
  case badMagic([UInt8])
  /// The file is of a format version that this one cannot read.
  case unsupportedVersion(found: Int, supported: Int)
  /// The file ends too early.
  case truncated(expectedByteCount: Int, actualByteCount: Int)
  /// A part of the file contradicts itself or its checksum.
  case damaged(part: String, reason: String)
  /// The snapshot was made with other regions, none of which is among those given: the indexes' fingerprints.
  case otherIndex(found: UInt64, expected: UInt64)

  init(_ error: FileError) {
    self = .system(
      operation: error.operation, path: error.path, code: error.code, message: error.message)
  }
}

extension FleetSnapshotError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .system(let operation, let path, _, let message): "cannot \(operation) \(path): \(message)"
    case .badMagic: "not a fleet's snapshot"
    case .unsupportedVersion(let found, let supported):
      "snapshot format version \(found) (this program reads version \(supported))"
    case .truncated(let expected, let actual): "truncated snapshot: \(actual) bytes of \(expected)"
    case .damaged(let part, let reason): "damaged snapshot: \(part): \(reason)"
    case .otherIndex: "the snapshot was made with other regions"
    }
  }
}
