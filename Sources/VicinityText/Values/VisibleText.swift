/// Text from files and names of files, as it may stand in a message for people.
///
/// Control characters could steer a terminal, end a line that goes on, or turn the order of what follows.
/// They are written as escapes.
package enum VisibleText {
  /// `text` with control characters made visible: `\n`, `\r`, `\t` by their names, the others by their
  /// numbers.
  package static func of(_ text: String) -> String {
    escaped(text) { isControl($0) }
  }

  /// `lines`, of which each may stand on a terminal, with all control characters but their line feeds made
  /// visible.
  package static func ofLines(_ lines: String) -> String {
    escaped(lines) { $0 != "\n" && isControl($0) }
  }

  /// `message`, with all control characters made visible but the line feeds before lines that are indented by
  /// two spaces.
  package static func ofIndentedLines(_ message: String) -> String {
    guard message.utf8.contains(UInt8(ascii: "\n")) else { return of(message) }
    return message.split(separator: "\n  ", omittingEmptySubsequences: false).map { of(String($0)) }
      .joined(separator: "\n  ")
  }

  private static func escaped(_ text: String, _ needsEscape: (Unicode.Scalar) -> Bool) -> String {
    guard text.unicodeScalars.contains(where: needsEscape) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case _ where !needsEscape(scalar): result.unicodeScalars.append(scalar)
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default: result += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return result
  }

  /// Controls (C0, DEL, C1), what separates lines and paragraphs, and the marks, embeddings, overrides and
  /// isolates that reorder text.
  package static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
