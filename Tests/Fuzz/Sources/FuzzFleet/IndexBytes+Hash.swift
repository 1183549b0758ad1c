@testable internal import VicinityIndex

extension IndexBytes {
  /// The XXH64 of some bytes.
  static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.withUnsafeBytes { XXHash64.hash($0) }
  }
}
