/// Breaks compact JSON into lines: objects of plain values, and lists, stay on one line each.
enum ProfileLayout {
  /// Lays out valid compact JSON.
  ///
  /// - Complexity: O(bytes x depth of the objects)
  static func lines(of json: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(json.count * 2)
    /// For each open object, whether it is spread over lines.
    var isSpread: [Bool] = []
    var index = 0
    var isQuoted = false
    while index < json.count {
      let byte = json[index]
      if isQuoted {
        text.append(byte)
        if byte == UInt8(ascii: "\\"), index + 1 < json.count {
          index += 1
          text.append(json[index])
        } else if byte == UInt8(ascii: "\"") {
          isQuoted = false
        }
      } else {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
          let spreads = spreads(json, from: index, within: isSpread.last ?? true)
          isSpread.append(spreads)
          text.append(byte)
          if spreads { breakLine(isSpread, &text) }
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          if isSpread.popLast() == true { breakLine(isSpread, &text) }
          text.append(byte)
        case UInt8(ascii: ","):
          text.append(byte)
          if isSpread.last == true {
            breakLine(isSpread, &text)
          } else {
            text.append(UInt8(ascii: " "))
          }
        case UInt8(ascii: ":"):
          text.append(byte)
          text.append(UInt8(ascii: " "))
        default:
          isQuoted = byte == UInt8(ascii: "\"")
          text.append(byte)
        }
      }
      index += 1
    }
    text.append(UInt8(ascii: "\n"))
    return text
  }

  private static func breakLine(_ isSpread: [Bool], _ text: inout [UInt8]) {
    text.append(UInt8(ascii: "\n"))
    for open in isSpread where open { text += [UInt8(ascii: " "), UInt8(ascii: " ")] }
  }

  /// Whether the object or list that starts here is spread over several lines. Objects that contain an object
  /// are, as are lists of texts (notes) and objects of texts only (sources) or longer than 1000 bytes.
  /// Nothing within a single line is.
  private static func spreads(_ json: [UInt8], from start: Int, within isSpread: Bool) -> Bool {
    guard isSpread else { return false }
    var (depth, index) = (0, start)
    var (isQuoted, hasObject, hasDigit) = (false, false, false)
    scan: while index < json.count {
      switch json[index] {
      case UInt8(ascii: "\\") where isQuoted: index += 1
      case UInt8(ascii: "\""): isQuoted.toggle()
      case _ where isQuoted: break
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if json[index] == UInt8(ascii: "{"), index > start { hasObject = true }
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 { break scan }
      case UInt8(ascii: "0")...UInt8(ascii: "9"): hasDigit = true
      default: break
      }
      index += 1
    }
    if hasObject { return true }
    if json[start] == UInt8(ascii: "[") {
      return start + 1 < json.count && json[start + 1] == UInt8(ascii: "\"")
    }
    return index - start > 1000 || !hasDigit
  }
}
