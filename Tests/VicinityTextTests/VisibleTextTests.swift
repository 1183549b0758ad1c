import Testing

@testable import VicinityText

/// No message lets a name from a file steer a terminal.
@Suite struct VisibleTextTests {
  static let hostile: [Unicode.Scalar] =
    (0..<0x20).map { Unicode.Scalar($0 as UInt8) } + (0x7F..<0xA0).map { Unicode.Scalar($0 as UInt8) }
    + [
      0x061C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068,
      0x2069,
    ]
    .compactMap { Unicode.Scalar($0 as UInt32) }

  private func isHarmless(_ text: String) -> Bool {
    !text.unicodeScalars.contains { Self.hostile.contains($0) }
  }

  @Test func messagesShowControlCharacters() {
    for scalar in Self.hostile {
      let name = "a\(Character(scalar))[2Jb"
      let place = Diagnostic.Place(path: name, line: 1, layer: name)
      let errors: [FormatError] = [
        .unreadable(path: name, reason: name), .notLocal(path: name),
        .unrecognizedFormat(path: name, reason: name),
        .empty(path: name), .missingColumn(place, expected: [name], found: [name]),
        .ambiguousColumn(place, names: [name]), .unknownColumn(place, name: name, known: [name]),
        .missingField(place, expected: name, found: [name]),
        .missingRadius(place, expected: [name], found: [name]),
        .missingTime(place, expected: [name], found: [name]),
        .missingDevice(place, candidates: [name], found: [name]),
        .missingLayer(path: name, layer: name, found: [name]), .noGeometry(path: name, layers: [name]),
        .invalidOption(name: "x", value: name, reason: name), .limitExceeded(place, what: "x", limit: 1),
        .library(place, message: name),
      ]
      for error in errors { #expect(isHarmless("\(error)"), "\(scalar.value) \(error)") }
      let rows = [Diagnostic(place: place, message: name)]
      for error in [
        FormatError.invalidRows(path: name, first: rows, count: 1),
        .invalidTrackRows(path: name, first: rows, count: 1),
      ] {
        #expect(
          "\(error)".split(separator: "\n", omittingEmptySubsequences: false).allSatisfy {
            isHarmless(String($0))
          })
      }
      for line in Diagnostic.lines(rows) { #expect(isHarmless(line)) }
      let bytes = Array(name.utf8)
      #expect(isHarmless(unsafe bytes.withUnsafeBufferPointer { unsafe TextCheck.shown($0) }))
      #expect(isHarmless(VisibleText.of(name)))
      #expect(isHarmless(VisibleText.ofIndentedLines(name)))
    }
  }

  @Test func linesThatGoOnStay() {
    #expect(
      VisibleText.ofIndentedLines("2 bad rows:\n  a:1: x\n  a:2: y") == "2 bad rows:\n  a:1: x\n  a:2: y")
    #expect(VisibleText.ofIndentedLines("a\nvicinity: done") == "a\\nvicinity: done")
    #expect(VisibleText.ofLines("a\n\u{1B}[31m\u{9B}b") == "a\n\\u{1b}[31m\\u{9b}b")
    #expect(VisibleText.of("ünïcödé 🙂 ok") == "ünïcödé 🙂 ok")
  }
}
