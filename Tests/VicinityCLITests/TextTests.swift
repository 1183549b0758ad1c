import Foundation
import Testing
import VicinityCrossings
import VicinityFormats
import VicinityRuns

@testable import VicinityCLI

/// What formatters appended, as text.
func text(_ body: (inout [UInt8]) -> Void) -> String {
  var bytes: [UInt8] = []
  body(&bytes)
  return String(decoding: bytes, as: UTF8.self)
}

@Suite struct TextTests {
  @Test(arguments: [
    ("plain", "plain"), ("", ""), ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""),
    ("two\nlines", "\"two\nlines\""), ("two\r\nlines", "\"two\r\nlines\""), (" padded", "\" padded\""),
    ("Zürich", "Zürich"), ("שלום, עולם", "\"שלום, עולם\""),
  ]) func csvFields(field: String, expected: String) {
    #expect(text { CSVText.append(field, to: &$0) } == expected)
  }

  @Test(arguments: [
    "plain", "quote \" backslash \\ slash /", "line\nbreak\r\ttab", "\u{0}\u{1B}\u{7F}", "שלום 東京 🏝️",
    "\u{2028}",
  ]) func jsonStringsReadBack(value: String) throws {
    let literal = text { JSONText.append(value, to: &$0) }
    let array = try JSONSerialization.jsonObject(with: Data("[\(literal)]".utf8)) as? [String]
    #expect(array == [value])
  }

  @Test(arguments: [0, -0.0, 1e-7, 1e300, .leastNonzeroMagnitude, -33.9, 151.2, 1e16])
  func jsonNumbersReadBack(value: Double) throws {
    let number = text { JSONText.append(exactly: value, to: &$0) }
    let array = try JSONSerialization.jsonObject(with: Data("[\(number)]".utf8)) as? [Double]
    #expect(array == [value])
  }

  @Test func jsonHasNoWordForNotANumber() {
    #expect(text { JSONText.append(exactly: .nan, to: &$0) } == "null")
    #expect(text { JSONText.append(.infinity, decimals: 3, to: &$0) } == "null")
    #expect(text { JSONText.append(nil, decimals: 3, to: &$0) } == "null")
  }

  @Test(arguments: [
    ("abc", 3), ("Zürich", 6), ("Zu\u{308}rich", 6), ("東京", 4), ("🏝️", 2), ("👨‍👩‍👧", 2), ("שלום", 4), ("", 0),
  ]) func displayWidth(value: String, cells: Int) {
    #expect(DisplayText.width(value) == cells)
  }

  @Test func truncationKeepsToTheCells() {
    #expect(DisplayText.truncated("abcdef", to: 6) == "abcdef")
    #expect(DisplayText.truncated("abcdef", to: 4) == "abc…")
    #expect(DisplayText.truncated("東京都", to: 4) == "東…")
    #expect(DisplayText.truncated("abc", to: 1) == "…")
  }

  @Test func sentencesAreWrappedBetweenWords() {
    #expect(DisplayText.wrapped("one two three", to: 7) == "one two\nthree")
    #expect(DisplayText.wrapped("one two three", to: 8) == "one two\nthree")
    #expect(DisplayText.wrapped("one two three", to: 13) == "one two three")
    // The ideographs take two cells each.
    #expect(DisplayText.wrapped("a 東京 b", to: 6) == "a 東京\nb")
    #expect(DisplayText.wrapped("ab incomprehensible cd", to: 5) == "ab\nincomprehensible\ncd")
    #expect(DisplayText.wrapped("", to: 5) == "")
  }

  @Test func controlCharactersAreShownNotSent() {
    #expect(VisibleText.of("a\u{1B}[31mb\nc\u{202E}d") == "a\\u{1b}[31mb\\nc\\u{202e}d")
  }

  @Test func errorsNameWhatThenWhere() {
    let place = ErrorText.split("a:b/stores.csv:12: no radius: x", path: "a:b/stores.csv")
    #expect(place == ("no radius: x", "a:b/stores.csv:12"))
    #expect(ErrorText.split("bad magic", path: "x.vicinity") == ("bad magic", "x.vicinity"))
    #expect(ErrorText.split("cannot read x: denied", path: "x") == ("cannot read x: denied", ""))
    #expect(
      ErrorText.message(CommandFailure("2 bad rows:\n  x:1: a\n  x:2: b", at: "x"))
        == "2 bad rows (x):\n  x:1: a\n  x:2: b")
  }

  @Test func progressLines() {
    #expect(ProgressMeter.line(label: "reading", done: 0, total: nil, seconds: 3) == "reading (3 s)")
    #expect(ProgressMeter.line(label: "searching", done: 1, total: 3, seconds: 12) == "searching 33 % (12 s)")
  }
}
