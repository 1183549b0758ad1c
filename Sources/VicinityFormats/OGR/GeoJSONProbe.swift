internal import VicinityText

/// Finds out whether the features of a GeoJSON file have integer ids of their own, which OGR does not tell.
///
/// Follows only brackets, strings and their depth, up to the end of the first feature. OGR has already found that the
/// file is JSON.
struct GeoJSONProbe {
  private var isInString = false
  private var isEscaped = false
  private var depth = 0
  private var text: [UInt8] = []
  /// The depth of the objects that are features, once known: 1 in a sequence or for a lone feature.
  private var featureDepth = 1
  private var isAfterKey = false
  private var key: [UInt8] = []
  private var value: [UInt8] = []
  /// The answer should the outermost object turn out to be a feature.
  private var loneAnswer = false
  private var answer: Bool?

  private static let longestText = 64

  /// Whether the first feature of the file has an `id` that is an integer.
  static func hasIntegerIdentifiers(_ source: ByteSource) throws(FormatError) -> Bool {
    let again = try ByteSource(source.path)
    if let compression = source.compression { try again.unpack(compression, after: []) }
    var probe = GeoJSONProbe()
    while probe.answer == nil {
      let bytes = try again.read(1 << 16)
      if bytes.isEmpty { break }
      for byte in bytes where probe.answer == nil { probe.take(byte) }
    }
    return probe.answer ?? false
  }

  private mutating func take(_ byte: UInt8) {
    if isInString {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInString = false
        if isAfterKey { endValue(isString: true) } else { key = text }
        return
      }
      if text.count < Self.longestText { text.append(byte) }
      return
    }
    switch byte {
    case UInt8(ascii: "\""):
      isInString = true
      text.removeAll(keepingCapacity: true)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      // A collection's features are objects in the array called "features" of the outermost object.
      if depth == 1, isAfterKey, key == Array("features".utf8), byte == UInt8(ascii: "[") {
        featureDepth = 3
        loneAnswer = false
      }
      depth += 1
      isAfterKey = false
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      if isAfterKey { endValue(isString: false) }
      if depth == featureDepth, byte == UInt8(ascii: "}") { answer = loneAnswer }
      depth -= 1
    case UInt8(ascii: ":"):
      isAfterKey = true
      value.removeAll(keepingCapacity: true)
    case UInt8(ascii: ","):
      if isAfterKey { endValue(isString: false) }
      isAfterKey = false
    default:
      if isAfterKey, byte > 0x20, value.count < Self.longestText { value.append(byte) }
    }
  }

  /// A member's value that is no object or array has ended.
  private mutating func endValue(isString: Bool) {
    isAfterKey = false
    guard depth == featureDepth, key == Array("id".utf8) else { return }
    let digits = value.first == UInt8(ascii: "-") ? value.dropFirst() : value[...]
    let isInteger = !isString && !digits.isEmpty && digits.allSatisfy { (48...57).contains($0) }
    // The outermost object's id may be a collection's: only a feature's own end settles that.
    if featureDepth == 3 {
      answer = isInteger
    } else {
      loneAnswer = isInteger
    }
  }
}
