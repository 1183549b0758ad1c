/// The members of an object of JSON (RFC 8259) that stands in one line, one after another.
///
/// Objects and arrays within are passed over: only their strings and brackets are looked at. Neither
/// recursion nor memory depend on the input.
@safe struct JSONMembers {
  /// What stands after a member's name.
  enum Value: Equatable {
    /// Text or a number, without quotes.
    case text(Range<Int>, hasEscapes: Bool)
    case null
    /// `true`, `false`, an object or an array.
    case other
  }

  struct Member {
    var name: Range<Int>
    var nameHasEscapes: Bool
    var value: Value
  }

  /// Why text is no object of JSON.
  struct Fault: Error, Equatable {
    var message: String
    init(_ message: String) { self.message = message }
  }

  /// How deep objects and arrays may nest.
  static let maximumDepth = 64

  private let bytes: UnsafeBufferPointer<UInt8>
  private let count: Int
  private var next: Int
  private var isFirst = true

  /// The members of the object in `bytes`, which begin with its brace.
  init(_ bytes: UnsafeBufferPointer<UInt8>) throws(Fault) {
    unsafe self.bytes = bytes
    count = bytes.count
    next = 0
    skipBlanks()
    guard take("{") else { throw Fault("no object of JSON: no \"{\" where it should begin") }
  }

  /// The next member; `nil` behind the last.
  mutating func member() throws(Fault) -> Member? {
    skipBlanks()
    if take("}") {
      skipBlanks()
      guard next == count else { throw Fault("something else follows the object of JSON") }
      return nil
    }
    if !isFirst {
      guard take(",") else { throw Fault("no comma between members of the object of JSON, or no end") }
      skipBlanks()
    }
    isFirst = false
    guard take("\"") else { throw Fault("a member without a name in quotes in the object of JSON") }
    let (name, nameHasEscapes) = try string()
    skipBlanks()
    guard take(":") else { throw Fault("no colon behind a member's name in the object of JSON") }
    skipBlanks()
    return Member(name: name, nameHasEscapes: nameHasEscapes, value: try value())
  }

  private mutating func value() throws(Fault) -> Value {
    guard let first = peek else { throw Fault("the object of JSON ends too early") }
    switch first {
    case UInt8(ascii: "\""):
      next += 1
      let (range, hasEscapes) = try string()
      return .text(range, hasEscapes: hasEscapes)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      try skipNested()
      return .other
    default:
      let start = next
      while let byte = peek, byte > 0x20, byte != UInt8(ascii: ","), byte != UInt8(ascii: "}"),
        byte != UInt8(ascii: "]")
      {
        next += 1
      }
      let word = unsafe UnsafeBufferPointer(rebasing: bytes[start..<next])
      // Numbers, the most frequent, are told first.
      if unsafe Self.isNumber(word) { return .text(start..<next, hasEscapes: false) }
      if unsafe word.elementsEqual("null".utf8) { return .null }
      if unsafe word.elementsEqual("true".utf8) || word.elementsEqual("false".utf8) { return .other }
      // They are no coordinates, but some programs write them.
      if unsafe word.elementsEqual("NaN".utf8) || word.elementsEqual("Infinity".utf8)
        || word.elementsEqual("-Infinity".utf8)
      {
        return .text(start..<next, hasEscapes: false)
      }
      throw Fault("\(unsafe TextCheck.shown(word)) is no value of JSON")
    }
  }

  /// Whether `word` begins as numbers do and has their characters only; whether it is one, its reader finds
  /// out.
  @inline(__always)
  private static func isNumber(_ word: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = unsafe word.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first) else {
      return false
    }
    for i in 1..<word.count {
      switch unsafe word[i] {
      case 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "e"),
        UInt8(ascii: "E"):
        continue
      default: return false
      }
    }
    return true
  }

  /// The range of a string whose opening quote has been passed.
  private mutating func string() throws(Fault) -> (Range<Int>, hasEscapes: Bool) {
    let start = next
    var hasEscapes = false
    while let byte = peek {
      next += 1
      if byte == UInt8(ascii: "\"") { return (start..<(next - 1), hasEscapes) }
      if byte == UInt8(ascii: "\\") {
        hasEscapes = true
        // Whatever it is, it does not end the string.
        if next < count { next += 1 }
      }
    }
    throw Fault("a string without an end in the object of JSON")
  }

  private mutating func skipNested() throws(Fault) {
    // A bit for each open bracket: 1 for an object.
    var kinds: UInt64 = 0
    var depth = 0
    while let byte = peek {
      next += 1
      switch byte {
      case UInt8(ascii: "\""): _ = try string()
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard depth < Self.maximumDepth else {
          throw Fault("objects and arrays of JSON nested more than \(Self.maximumDepth) deep")
        }
        kinds = kinds << 1 | (byte == UInt8(ascii: "{") ? 1 : 0)
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard kinds & 1 == (byte == UInt8(ascii: "}") ? 1 : 0) else {
          throw Fault("brackets that do not match in the object of JSON")
        }
        kinds >>= 1
        depth -= 1
        if depth == 0 { return }
      default: break
      }
    }
    throw Fault("the object of JSON ends too early")
  }

  private var peek: UInt8? { next < count ? unsafe bytes[next] : nil }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard peek == UInt8(truncatingIfNeeded: character.value) else { return false }
    next += 1
    return true
  }

  private mutating func skipBlanks() {
    while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0D { next += 1 }
  }

  // MARK: - Escapes

  /// Replaces the escapes of a string by what they stand for, in place; how many bytes are left, or `nil` for
  /// an escape that is none.
  static func unescape(_ text: UnsafeMutableBufferPointer<UInt8>) -> Int? {
    // SAFETY: what is written is never longer than what has been read.
    var read = 0
    var write = 0
    while read < text.count {
      let byte = unsafe text[read]
      read += 1
      guard byte == UInt8(ascii: "\\") else {
        unsafe text[write] = byte
        write += 1
        continue
      }
      guard read < text.count else { return nil }
      let letter = unsafe text[read]
      read += 1
      switch letter {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unsafe text[write] = letter
      case UInt8(ascii: "b"): unsafe text[write] = 0x08
      case UInt8(ascii: "f"): unsafe text[write] = 0x0C
      case UInt8(ascii: "n"): unsafe text[write] = 0x0A
      case UInt8(ascii: "r"): unsafe text[write] = 0x0D
      case UInt8(ascii: "t"): unsafe text[write] = 0x09
      case UInt8(ascii: "u"):
        guard let scalar = unsafe scalar(text, &read) else { return nil }
        for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
          unsafe text[write] = unit
          write += 1
        }
        continue
      default: return nil
      }
      write += 1
    }
    return write
  }

  /// The character of `\uXXXX`, or of two of these that are one character, of which `\u` has been read.
  private static func scalar(_ text: UnsafeMutableBufferPointer<UInt8>, _ read: inout Int) -> Unicode.Scalar?
  {
    guard let first = unsafe unit(text, &read) else { return nil }
    guard first & 0xFC00 == 0xD800 else { return Unicode.Scalar(first) }
    guard read + 2 <= text.count, unsafe text[read] == UInt8(ascii: "\\"),
      unsafe text[read + 1] == UInt8(ascii: "u")
    else { return nil }
    read += 2
    guard let second = unsafe unit(text, &read), second & 0xFC00 == 0xDC00 else { return nil }
    return Unicode.Scalar(0x10000 + ((first & 0x3FF) << 10 | (second & 0x3FF)))
  }

  private static func unit(_ text: UnsafeMutableBufferPointer<UInt8>, _ read: inout Int) -> UInt32? {
    guard read + 4 <= text.count else { return nil }
    var value: UInt32 = 0
    for _ in 0..<4 {
      let byte = unsafe text[read]
      let digit: UInt8
      switch byte {
      case 0x30...0x39: digit = byte - 0x30
      case 0x41...0x46: digit = byte - 0x41 + 10
      case 0x61...0x66: digit = byte - 0x61 + 10
      default: return nil
      }
      value = value << 4 | UInt32(digit)
      read += 1
    }
    return value
  }
}

/// The escapes of JSON's strings.
package enum JSONEscapes {
  /// Replaces the escapes in `text`, a string without its quotes; leaves it as it is where they are damaged.
  package static func undo(in text: inout [UInt8]) {
    var copy = text
    let count = unsafe copy.withUnsafeMutableBufferPointer { unsafe JSONMembers.unescape($0) }
    if let count { text = Array(copy.prefix(count)) }
  }
}
