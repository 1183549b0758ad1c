/// Values of RFC 8259 text.
package enum JSONText {
  /// Appends `value` as a string literal: quotes, backslashes and control characters escaped, everything
  /// else as UTF-8.
  package static func append(_ value: String, to text: inout [UInt8]) {
    var value = value
    // SAFETY: the bytes are only read, while they are there.
    value.withUTF8 { unsafe append($0.span, to: &text) }
  }

  /// Appends a value that is UTF-8 bytes.
  package static func append(_ value: Span<UInt8>, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    for i in value.indices {
      let byte = value[i]
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        text.append(UInt8(ascii: "\\"))
        text.append(byte)
      case UInt8(ascii: "\n"): text.append(contentsOf: "\\n".utf8)
      case UInt8(ascii: "\r"): text.append(contentsOf: "\\r".utf8)
      case UInt8(ascii: "\t"): text.append(contentsOf: "\\t".utf8)
      case 0..<0x20, 0x7F:
        text.append(contentsOf: "\\u00".utf8)
        text.append(hexadecimal(byte >> 4))
        text.append(hexadecimal(byte & 15))
      default: text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
  }

  /// Appends `value` with `decimals` digits; `null` where it is missing or not finite.
  package static func append(_ value: Double?, decimals: Int, to text: inout [UInt8]) {
    guard let value, value.isFinite else {
      text.append(contentsOf: "null".utf8)
      return
    }
    DecimalText.append(value, decimals: decimals, to: &text)
  }

  /// Appends the shortest text that reads back as `value`; `null` where it is not finite.
  package static func append(exactly value: Double, to text: inout [UInt8]) {
    // The description of a finite double is a JSON number ("48.2", "1e-07", "5e+22").
    text.append(contentsOf: value.isFinite ? (value == 0 ? "0.0" : value.description).utf8 : "null".utf8)
  }

  package static func literal(_ value: String) -> String {
    var text: [UInt8] = []
    append(value, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// `value` with `decimals` digits, or with as many as it takes to read it back; `null` if missing or not
  /// finite.
  package static func literal(_ value: Double?, decimals: Int? = nil) -> String {
    guard let value, value.isFinite else { return "null" }
    var text: [UInt8] = []
    if let decimals {
      append(value, decimals: decimals, to: &text)
    } else {
      append(exactly: value, to: &text)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// An object on one line, from names and values that are JSON already: `{"a": 1, "b": 2}`.
  package static func object(_ members: [(String, String)]) -> String {
    "{" + members.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
  }

  private static func hexadecimal(_ digit: UInt8) -> UInt8 {
    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
  }
}
