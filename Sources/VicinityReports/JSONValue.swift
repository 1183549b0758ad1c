internal import VicinityCrossings
internal import VicinityGeodesy

/// A value of JSON (RFC 8259). The members of objects are sorted by name, so the same value gives the same
/// bytes.
///
/// `JSONObject` writes objects whose members keep their order and whose numbers have fixed decimals.
package enum JSONValue {
  case null
  case bool(Bool)
  /// Written as the shortest text that reads back as the number; `null` where it is not finite.
  case number(Double)
  case integer(Int)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// A number rounded to some decimals, so that reports carry no meaningless digits; null where it is not
  /// finite.
  package static func rounded(_ value: Double, _ decimals: Int) -> JSONValue {
    let rounded = value.rounded(decimals: decimals)
    return rounded == 0 ? .number(0) : .number(rounded)
  }

  package static func optional(_ value: Double?, _ decimals: Int) -> JSONValue {
    value.map { .rounded($0, decimals) } ?? .null
  }

  /// Latitude and longitude, degrees, to a decimetre.
  static func coordinate(_ position: Coordinate) -> [JSONValue] {
    [.rounded(position.latitude, 6), .rounded(position.longitude, 6)]
  }

  /// The text, UTF-8.
  package var bytes: [UInt8] {
    var text: [UInt8] = []
    append(to: &text)
    return text
  }

  private func append(to text: inout [UInt8]) {
    switch self {
    case .null: text += "null".utf8
    case .bool(let value): text += (value ? "true" : "false").utf8
    case .number(let value): text += (value.isFinite ? value.shortestText : "null").utf8
    case .integer(let value): DecimalText.append(value, to: &text)
    case .string(let value): JSONText.append(value, to: &text)
    case .array(let values):
      text.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        value.append(to: &text)
      }
      text.append(UInt8(ascii: "]"))
    case .object(let members):
      text.append(UInt8(ascii: "{"))
      for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        JSONText.append(member.key, to: &text)
        text.append(UInt8(ascii: ":"))
        member.value.append(to: &text)
      }
      text.append(UInt8(ascii: "}"))
    }
  }
}

extension Double {
  /// The number rounded to some decimals; itself where it has no digits there.
  func rounded(decimals: Int) -> Double {
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let scaled = self * scale
    return scaled.magnitude < 0x1p53 ? scaled.rounded() / scale : self
  }
}
