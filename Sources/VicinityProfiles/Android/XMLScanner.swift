/// A scanner for the part of XML that flat configuration files use: elements with attributes, text, comments,
/// processing instructions.
///
/// Text is returned unchanged: without document types there are no entities.
struct XMLScanner {
  enum Token {
    case text(ArraySlice<UInt8>)
    /// The start of an element, with the value of its attribute `name`. An empty element has no end token.
    case start(ArraySlice<UInt8>, name: ArraySlice<UInt8>?, isEmpty: Bool)
    case end(ArraySlice<UInt8>)
  }

  private let bytes: [UInt8]
  private var at = 0
  /// The beginning of the current token.
  private var start = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
  }

  /// The line of the current token, counted from 1.
  ///
  /// - Complexity: O(bytes); used once, for an error.
  var line: Int { bytes[..<start].reduce(1) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 } }

  func malformed(_ reason: String) -> PowerProfileError { .malformed(line: line, reason: reason) }
  func tooMany(_ what: String, _ limit: Int) -> PowerProfileError {
    .tooMany(line: line, what: what, limit: limit)
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
      || byte == UInt8(ascii: "\r")
  }

  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "-"),
      UInt8(ascii: "."), 0x80...0xFF:
      true
    default: false
    }
  }

  /// The next token; nil at the end.
  mutating func next() throws(PowerProfileError) -> Token? {
    while at < bytes.count {
      start = at
      guard bytes[at] == UInt8(ascii: "<") else { return .text(consume { $0 != UInt8(ascii: "<") }) }
      if skips("<!--") {
        try skipBehind("-->", "a comment without end")
      } else if skips("<?") {
        try skipBehind("?>", "an instruction without end")
      } else if skips("<!") {
        throw malformed("document types, entities and CDATA are not read")
      } else if skips("</") {
        let name = consume(Self.isName)
        skipSpace()
        guard !name.isEmpty, skips(">") else { throw malformed("a tag without end") }
        return .end(name)
      } else {
        at += 1
        return try element()
      }
    }
    start = bytes.count
    return nil
  }

  private mutating func element() throws(PowerProfileError) -> Token {
    let element = consume(Self.isName)
    guard !element.isEmpty else { throw malformed("a tag without a name") }
    var value: ArraySlice<UInt8>?
    while true {
      let before = at
      skipSpace()
      if skips("/>") { return .start(element, name: value, isEmpty: true) }
      if skips(">") { return .start(element, name: value, isEmpty: false) }
      let attribute = consume(Self.isName)
      guard at > before, !attribute.isEmpty else { throw malformed("a tag without end") }
      skipSpace()
      guard skips("=") else { throw malformed("an attribute without a value") }
      skipSpace()
      guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") || bytes[at] == UInt8(ascii: "'") else {
        throw malformed("an attribute without quotes")
      }
      let quote = bytes[at]
      at += 1
      let content = consume { $0 != quote && $0 != UInt8(ascii: "<") }
      guard at < bytes.count, bytes[at] == quote else { throw malformed("an attribute without end") }
      at += 1
      if attribute.elementsEqual("name".utf8) { value = content }
    }
  }

  /// Consumes the bytes from here on that satisfy a condition.
  private mutating func consume(_ condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let first = at
    while at < bytes.count, condition(bytes[at]) { at += 1 }
    return bytes[first..<at]
  }

  private mutating func skipSpace() { _ = consume(Self.isSpace) }

  /// Consumes a mark if it is here.
  private mutating func skips(_ mark: StaticString) -> Bool {
    let length = mark.utf8CodeUnitCount
    guard at + length <= bytes.count else { return false }
    let isHere = mark.withUTF8Buffer { mark in
      for index in 0..<length where unsafe bytes[at + index] != mark[index] { return false }
      return true
    }
    if isHere { at += length }
    return isHere
  }

  /// Consumes everything up to and including the next mark.
  private mutating func skipBehind(_ mark: StaticString, _ otherwise: String) throws(PowerProfileError) {
    while at < bytes.count {
      if skips(mark) { return }
      at += 1
    }
    throw malformed(otherwise)
  }
}
