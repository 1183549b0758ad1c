internal import VicinityPolygon
internal import VicinityText

extension ReadingOptions {
  /// - Throws: `FormatError/invalidOption(name:value:reason:)`
  func check() throws(FormatError) {
    if let defaultRadius, !(defaultRadius >= 0 && defaultRadius.isFinite) {
      throw .invalidOption(
        name: "defaultRadius", value: "\(defaultRadius)",
        reason: "a finite number of metres, 0 or more, is expected")
    }
    guard chunkByteCount > 0 else {
      throw .invalidOption(
        name: "chunkByteCount", value: "\(chunkByteCount)", reason: "a number above 0 is expected")
    }
    guard edgeTolerance >= Densifier.leastTolerance, edgeTolerance.isFinite else {
      throw .invalidOption(
        name: "edgeTolerance", value: "\(edgeTolerance)",
        reason: "a finite number of metres, \(Densifier.leastTolerance) or more, is expected")
    }
    if isSingleDevice, let identifierField {
      throw .invalidOption(
        name: "isSingleDevice", value: "true",
        reason: "all fixes are of one device, or the field \"\(identifierField)\" names devices: not both")
    }
    if follows, sorts {
      throw .invalidOption(name: "sorts", value: "true", reason: "a stream cannot be sorted")
    }
  }
}
