import Testing

@testable import VicinityIndex

/// Identifiers that are looked for while their table grows.
@Suite struct SeenIdentifiersTests {
  /// Inserts a text, and says which equal one came before.
  private func insert(_ text: String, into seen: inout SeenIdentifiers, _ known: [String]) -> Int? {
    let bytes = Array(text.utf8)
    return unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe seen.insert(bytes) { known[$0] == text }
    }
  }

  @Test("What was seen before the table grew is found afterwards, by its ordinal")
  func findsWhatCameBefore() {
    var seen = SeenIdentifiers()
    var known: [String] = []
    for number in 0..<20_000 {
      let text = "region-\(number)"
      #expect(insert(text, into: &seen, known) == nil)
      known.append(text)
      let earlier = number * 7919 % (number + 1)
      #expect(insert(known[earlier], into: &seen, known) == earlier)
    }
    for number in 0..<20_000 { #expect(insert(known[number], into: &seen, known) == number) }
  }
}
