/// Text as a terminal shows it, in columns of one character cell.
///
/// The width of a character is an approximation of Unicode's East Asian Width (UAX #11): wide and emoji
/// characters take two cells, marks and format characters none, everything else one.
enum DisplayText {
  /// The cells that `text` takes.
  static func width(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.reduce(0) { $0 + width(of: $1) }
  }

  /// `text` cut to at most `limit` cells, its end replaced by an ellipsis.
  static func truncated(_ text: String, to limit: Int) -> String {
    guard limit >= 1, width(text) > limit else { return text }
    var result = ""
    var room = limit - 1
    for character in text {
      room -= width(of: character)
      if room < 0 { break }
      result.append(character)
    }
    return result + "…"
  }

  /// The words of `text` on lines of at most `limit` cells; a longer word has a line of its own.
  static func wrapped(_ text: String, to limit: Int) -> String {
    var lines: [String] = []
    var room = 0
    for word in text.split(separator: " ") {
      let cells = width(String(word))
      if cells < room {
        lines[lines.count - 1] += " " + word
        room -= cells + 1
      } else {
        lines.append(String(word))
        room = limit - cells
      }
    }
    return lines.joined(separator: "\n")
  }

  /// Whether `text` holds characters written from right to left (Hebrew to Arabic Extended, their
  /// presentation forms, and the right-to-left scripts of the supplementary plane).
  static func isRightToLeft(_ text: String) -> Bool {
    text.unicodeScalars.contains {
      switch $0.value {
      case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
      default: false
      }
    }
  }

  private static func width(of character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    if first.properties.isEmojiPresentation { return 2 }
    // U+FE0F asks for the emoji form of what precedes it.
    if character.unicodeScalars.count > 1, character.unicodeScalars.contains("\u{FE0F}") { return 2 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: return isWide(first.value) ? 2 : 1
    }
  }

  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF,
      0x1B000...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
