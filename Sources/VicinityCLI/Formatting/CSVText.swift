/// Fields of RFC 4180 text.
enum CSVText {
  /// Appends `field`, quoted where it holds a comma, a quote, a line break, or a space at either end.
  static func append(_ field: String, to text: inout [UInt8]) {
    let bytes = field.utf8
    var isPlain = true
    for byte in bytes {
      switch byte {
      case UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r"): isPlain = false
      default: continue
      }
    }
    let space = UInt8(ascii: " ")
    if isPlain, bytes.first != space, bytes.last != space {
      text.append(contentsOf: bytes)
      return
    }
    text.append(UInt8(ascii: "\""))
    for byte in bytes {
      if byte == UInt8(ascii: "\"") { text.append(byte) }
      text.append(byte)
    }
    text.append(UInt8(ascii: "\""))
  }
}
