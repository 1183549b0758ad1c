import Foundation
import Testing

/// The page of the audit: each rule has a test, and each test that it names is there.
@Suite struct AuditPageTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The tests that a cell names: `Suite.test`, and `test` of the suite named before. A suite alone stands
  /// for all of its tests.
  static func tests(of cell: Substring) -> [(suite: Substring, test: Substring?)] {
    var suite: Substring = ""
    return cell.matches(of: /`([A-Z]\w*)?\.?([a-z]\w*)?`/).map { match in
      if let name = match.1 { suite = name }
      return (suite, match.2)
    }
  }

  /// The tests that a page's tables name and no source has.
  static func missing(from page: String, in sources: [String]) -> [String] {
    var missing: [String] = []
    for line in page.split(separator: "\n") where line.hasPrefix("| ") {
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
      guard let cell = cells.last, !cell.contains("---"), !cell.contains(" test ") else { continue }
      let tests = tests(of: cell)
      if tests.isEmpty { missing.append("a test of: \(line)") }
      for (suite, test) in tests {
        let source = sources.first { $0.contains("struct \(suite) ") }
        let isThere = test.map { source?.contains("func \($0)(") == true } ?? (source != nil)
        if !isThere { missing.append("\(suite).\(test ?? "")") }
      }
    }
    return missing
  }

  @Test func everyRuleHasItsTest() throws {
    let page = try String(
      contentsOf: Self.root.appending(
        path: "Sources/VicinitySimulation/VicinitySimulation.docc/Audit.md"), encoding: .utf8)
    let files = try #require(
      FileManager.default.enumerator(
        at: Self.root.appending(path: "Tests"), includingPropertiesForKeys: nil))
    let sources = try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
      .map { try String(contentsOf: $0, encoding: .utf8) }
    #expect(Self.missing(from: page, in: sources) == [])
  }

  @Test func theCheckCanFail() {
    let page = """
      | rule | a phone | test |
      | --- | --- | --- |
      | one | yes | `ATests.first`, `second` |
      | two | yes | `ATests`, `BTests.first` |
      | three | yes | |
      """
    #expect(
      Self.missing(from: page, in: ["struct ATests {\n func first() {}\n}"])
        == ["ATests.second", "BTests.first", "a test of: | three | yes | |"])
  }
}
