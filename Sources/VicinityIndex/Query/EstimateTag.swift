/// Whose an estimate is, in its eight low mantissa bits: the visit of its leaf and the lane there.
enum EstimateTag {
  /// What stands where there is no estimate.
  static let nothing: Float = 3e38
  /// The tag of regions that are candidates already: polygons, and circles around a centre that has many;
  /// visits have smaller ones.
  static let measured: UInt32 = 15 << 4
  /// The most by which the tag changes an estimate, as a share of it: 255 units of 2⁻²³, and rounding.
  static let error: Float = 3.1e-5

  static func visit(_ estimate: Float) -> Int { Int(estimate.bitPattern >> 4 & 15) }
  static func lane(_ estimate: Float) -> Int { Int(estimate.bitPattern & 15) }
  static func isMeasured(_ estimate: Float) -> Bool { estimate.bitPattern & 0xf0 == measured }
  /// The estimate without its tag: the middle of those that it may have been.
  static func value(_ estimate: Float) -> Float { Float(bitPattern: estimate.bitPattern & ~255 | 128) }
}
