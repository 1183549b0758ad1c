internal import VicinityText

/// What is done with the pieces of JSON text that a ``JSONWalker`` comes to.
protocol JSONVisitor {
  /// An object or array begins, below the key or in the array where the visitor is; false passes over it.
  mutating func begin(isArray: Bool) -> Bool
  /// The object or array that was begun last ends.
  mutating func end()
  /// A member's name, `position` the number of bytes before its closing quote.
  mutating func key(_ name: [UInt8], position: Int)
  /// Text without its quotes, a number, `true`, `false` or `null`.
  mutating func value(_ text: [UInt8], isText: Bool)
}

/// Walks over JSON text of any size in one pass: a document, or several one after another.
///
/// The text is taken to be JSON, which GDAL finds out. Memory depends on the depth of what is not passed over
/// and on the longest name or value kept, ``mostBytes``.
struct JSONWalker {
  /// Longer names and values are cut here.
  private static let mostBytes = 1 << 16
  /// Below this many objects and arrays everything is passed over.
  private static let mostDepth = 256

  /// For each object or array that is open: whether it is an object, whose strings may be names.
  private var isObject: [Bool] = []
  private var expectsKey = false
  /// How many objects and arrays are open within the one that is passed over; 0 outside.
  private var skipped = 0
  private var isInString = false
  private var isEscaped = false
  private var hasEscapes = false
  private var text: [UInt8] = []
  private var position = 0

  /// Takes the next bytes of the text.
  mutating func take(_ bytes: [UInt8], _ visitor: inout some JSONVisitor) {
    for byte in bytes {
      take(byte, &visitor)
      position += 1
    }
  }

  /// Ends a number or word that ends with the text.
  mutating func finish(_ visitor: inout some JSONVisitor) { endWord(&visitor) }

  @inline(__always)
  private mutating func take(_ byte: UInt8, _ visitor: inout some JSONVisitor) {
    if isInString {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
        hasEscapes = true
      } else if byte == UInt8(ascii: "\"") {
        isInString = false
        if skipped == 0 { endString(&visitor) }
        return
      }
      if skipped == 0, text.count < Self.mostBytes { text.append(byte) }
      return
    }
    switch byte {
    case UInt8(ascii: "\""):
      isInString = true
      hasEscapes = false
      text.removeAll(keepingCapacity: true)
    case UInt8(ascii: "{"), UInt8(ascii: "["): begin(isArray: byte == UInt8(ascii: "["), &visitor)
    case UInt8(ascii: "}"), UInt8(ascii: "]"): end(&visitor)
    default:
      if skipped > 0 { return }
      switch byte {
      case UInt8(ascii: ":"): expectsKey = false
      case UInt8(ascii: ","):
        endWord(&visitor)
        expectsKey = isObject.last ?? false
      case 0...0x20: endWord(&visitor)
      default: if text.count < Self.mostBytes { text.append(byte) }
      }
    }
  }

  private mutating func begin(isArray: Bool, _ visitor: inout some JSONVisitor) {
    endWord(&visitor)
    guard skipped == 0, isObject.count < Self.mostDepth, visitor.begin(isArray: isArray) else {
      skipped += 1
      return
    }
    isObject.append(!isArray)
    expectsKey = !isArray
  }

  private mutating func end(_ visitor: inout some JSONVisitor) {
    guard skipped == 0 else {
      skipped -= 1
      return
    }
    endWord(&visitor)
    guard isObject.popLast() != nil else { return }
    expectsKey = false
    visitor.end()
  }

  private mutating func endString(_ visitor: inout some JSONVisitor) {
    if hasEscapes { JSONEscapes.undo(in: &text) }
    if expectsKey {
      visitor.key(text, position: position)
    } else {
      visitor.value(text, isText: true)
    }
    text.removeAll(keepingCapacity: true)
  }

  private mutating func endWord(_ visitor: inout some JSONVisitor) {
    guard skipped == 0, !text.isEmpty else { return }
    visitor.value(text, isText: false)
    text.removeAll(keepingCapacity: true)
  }
}
