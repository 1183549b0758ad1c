internal import VicinityIndex

extension IndexBytes {
  /// The XXH64 of some bytes.
  public static func hash(_ bytes: ArraySlice<UInt8>, seed: UInt64 = 0) -> UInt64 {
    unsafe bytes.withUnsafeBytes { unsafe XXHash64.hash($0, seed: seed) }
  }
}
