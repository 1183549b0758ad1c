import Testing

@testable import VicinityCLI

@Suite struct TextTableTests {
  private static let columns: [TextTable.Column] = [
    .init(title: "name", alignment: .left, isFlexible: true), .init(title: "metres", alignment: .right),
  ]

  private func table(_ rows: [[String]], style: TerminalStyle = .plain) -> String {
    var table = TextTable(columns: Self.columns, style: style)
    for row in rows { table.add(row) }
    return text { table.write(to: &$0) }
  }

  @Test func alignsByDisplayWidth() {
    #expect(
      table([["東京", "1.000"], ["Zürich", "-12345.500"]]) == """
        name        metres
        東京         1.000
        Zürich  -12345.500

        """)
  }

  @Test func cutsNamesOnATerminalOnly() {
    let rows = [["a very long name indeed", "1.000"]]
    #expect(table(rows).contains("a very long name indeed  "))
    #expect(
      table(rows, style: TerminalStyle(isTerminal: true, width: 20)) == """
        name          metres
        a very long…   1.000

        """)
  }

  @Test func boldHeaderWhereColorIsWanted() {
    let header = table([], style: TerminalStyle(isTerminal: true, usesColor: true))
    #expect(header == "\u{1B}[1mname  metres\u{1B}[0m\n")
  }

  @Test func rightToLeftNamesAreMarkedOnATerminal() {
    let mark = "\u{200E}"
    #expect(table([["שלום", "1"]], style: TerminalStyle(isTerminal: true)).contains("\(mark)שלום\(mark)  "))
    #expect(!table([["שלום", "1"]]).contains(mark))
  }

  @Test func piecesShareOneHeader() {
    var table = TextTable(columns: Self.columns, style: .plain)
    table.add(["first", "1"])
    let first = text { table.write(to: &$0) }
    table.add(["b", "2"])
    let second = text { table.write(to: &$0) }
    #expect(first + second == "name   metres\nfirst       1\nb           2\n")
  }
}
