/// Finds what decoders of JSON pass over, or do not give the place of.
struct JSONScan {
  /// An open object or list.
  private struct Level {
    let isObject: Bool
    var keys: Set<[UInt8]> = []
    /// The last key of an object.
    var key: [UInt8] = []
    /// The element of a list.
    var index = 0
    /// Whether the next text of an object is a key.
    var expectsKey: Bool

    init(isObject: Bool) { (self.isObject, expectsKey) = (isObject, isObject) }
  }

  private var levels: [Level] = []

  /// The first key that an object has twice, of which a decoder takes one, or number that is too large for
  /// any type; nil without such.
  ///
  /// - Parameter json: A text that a decoder takes for JSON. Of another one the answer says nothing.
  /// - Complexity: O(bytes)
  static func fault(in json: [UInt8]) -> (path: String, reason: String)? {
    var scan = JSONScan()
    var index = 0
    while index < json.count {
      let start = index
      index += 1
      switch json[start] {
      case UInt8(ascii: "\""):
        while index < json.count, json[index] != UInt8(ascii: "\"") {
          index += json[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        let isRepeated = scan.take(Array(json[(start + 1)..<min(index, json.count)]))
        index += 1
        if isRepeated { return (scan.path, "there twice") }
      case UInt8(ascii: "{"): scan.levels.append(Level(isObject: true))
      case UInt8(ascii: "["): scan.levels.append(Level(isObject: false))
      case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = scan.levels.popLast()
      case UInt8(ascii: ","): scan.goOn()
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        while index < json.count, isOfNumber(json[index]) { index += 1 }
        let text = String(decoding: json[start..<index], as: UTF8.self)
        if let number = Double(text), number.isInfinite { return (scan.path, "\(text) is too large") }
      default: break
      }
    }
    return nil
  }

  private static func isOfNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"),
      UInt8(ascii: "+"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  /// The place of the last key or element.
  private var path: String {
    var path = ""
    for level in levels {
      if level.isObject {
        path += (path.isEmpty ? "" : ".") + String(decoding: level.key, as: UTF8.self)
      } else {
        path += "[\(level.index)]"
      }
    }
    return path
  }

  /// Takes a text: a key or a value.
  ///
  /// - Returns: Whether it is a key that the object has already.
  private mutating func take(_ text: [UInt8]) -> Bool {
    guard let last = levels.indices.last, levels[last].expectsKey else { return false }
    levels[last].expectsKey = false
    levels[last].key = text
    return !levels[last].keys.insert(text).inserted
  }

  /// Goes on to the next key or element.
  private mutating func goOn() {
    guard let last = levels.indices.last else { return }
    if levels[last].isObject { levels[last].expectsKey = true } else { levels[last].index += 1 }
  }
}
