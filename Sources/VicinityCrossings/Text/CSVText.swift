/// Fields of RFC 4180 text.
package enum CSVText {
  /// Appends `field`, quoted where it holds a comma, a quote, a line break, or a space at either end.
  package static func append(_ field: String, to text: inout [UInt8]) {
    var field = field
    // SAFETY: the bytes are only read, while they are there.
    field.withUTF8 { unsafe append($0.span, to: &text) }
  }

  /// Appends a field that is UTF-8 bytes.
  package static func append(_ bytes: Span<UInt8>, to text: inout [UInt8]) {
    var isPlain = true
    for i in bytes.indices {
      switch bytes[i] {
      case UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r"): isPlain = false
      default: continue
      }
    }
    let space = UInt8(ascii: " ")
    if isPlain, bytes.isEmpty || bytes[0] != space && bytes[bytes.count - 1] != space {
      // SAFETY: the bytes are only read, while they are there.
      unsafe bytes.withUnsafeBufferPointer { unsafe text.append(contentsOf: $0) }
      return
    }
    text.append(UInt8(ascii: "\""))
    for i in bytes.indices {
      if bytes[i] == UInt8(ascii: "\"") { text.append(bytes[i]) }
      text.append(bytes[i])
    }
    text.append(UInt8(ascii: "\""))
  }
}
