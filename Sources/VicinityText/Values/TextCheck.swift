package enum TextCheck {
  @inlinable @inline(__always)
  package static func isUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var all: UInt8 = 0
    for i in 0..<bytes.count { unsafe all |= bytes[i] }
    if all < 0x80 { return true }
    return unsafe String(validating: bytes, as: UTF8.self) != nil
  }

  /// `bytes` in quotes for a message: cut after 60 bytes, control characters escaped.
  package static func shown(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    let limit = 60
    let text = unsafe String(decoding: bytes.prefix(limit), as: UTF8.self)
    var result = "\""
    for scalar in text.unicodeScalars {
      if VisibleText.isControl(scalar) {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result + (bytes.count > limit ? "…\"" : "\"")
  }

  /// `bytes` without spaces and tabs at either end.
  @inlinable @inline(__always)
  package static func trimmed(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    var start = 0
    var end = bytes.count
    while start < end, unsafe bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
    while end > start, unsafe bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
    return unsafe UnsafeBufferPointer(rebasing: bytes[start..<end])
  }

  /// Whether no more than `limit` parentheses are open at once in `text`.
  ///
  /// OGR reads nested collections by recursion, so text that nests deeper than any geometry must not reach
  /// it.
  package static func isNestedAtMost(_ limit: Int, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var depth = 0
    for i in 0..<text.count {
      switch unsafe text[i] {
      case UInt8(ascii: "("):
        depth += 1
        if depth > limit { return false }
      case UInt8(ascii: ")"): depth -= 1
      default: break
      }
    }
    return true
  }
}
