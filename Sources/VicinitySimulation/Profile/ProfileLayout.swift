/// Lays compact JSON out for reading: an object of plain values, and any list, on a line of its own.
enum ProfileLayout {
  /// The layout of valid compact JSON.
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

  /// Whether what opens here goes over several lines: an object with an object in it, a list of texts, or an object of
  /// texts alone that is long; everything within something on one line stays there.
  private static func spreads(_ json: [UInt8], from start: Int, within isSpread: Bool) -> Bool {
    guard isSpread else { return false }
    var depth = 0
    var isQuoted = false
    var index = start
    var hasObject = false
    while index < json.count {
      let byte = json[index]
      if isQuoted {
        if byte == UInt8(ascii: "\\") {
          index += 1
        } else if byte == UInt8(ascii: "\"") {
          isQuoted = false
        }
      } else if byte == UInt8(ascii: "\"") {
        isQuoted = true
      } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
        if byte == UInt8(ascii: "{"), index > start { hasObject = true }
        depth += 1
      } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
        depth -= 1
        if depth == 0 { break }
      }
      index += 1
    }
    guard !hasObject else { return true }
    // Lists and objects of texts: notes and sources.
    let isList = json[start] == UInt8(ascii: "[")
    let firstByte = start + 1 < json.count ? json[start + 1] : 0
    if isList { return firstByte == UInt8(ascii: "\"") }
    return index - start > 1000 || !containsNumber(json[start..<min(index, json.count)])
  }

  private static func containsNumber(_ object: ArraySlice<UInt8>) -> Bool {
    var isQuoted = false
    var isEscaped = false
    for byte in object {
      if isEscaped {
        isEscaped = false
      } else if isQuoted {
        isEscaped = byte == UInt8(ascii: "\\")
        if byte == UInt8(ascii: "\"") { isQuoted = false }
      } else if byte == UInt8(ascii: "\"") {
        isQuoted = true
      } else if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
        return true
      }
    }
    return false
  }
}
