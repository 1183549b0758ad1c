import Testing
import VicinityCrossings

@testable import VicinityFormats

@Suite("Rows read by the names of their columns")
struct NamedRowsTests {
  private func rows(_ text: String, required: [String] = []) throws -> [[String]] {
    let directory = try TemporaryDirectory()
    let path = try directory.write(text, to: "table.csv")
    var rows = try NamedRows(path: path, required: required)
    var list: [[String]] = []
    while try rows.next() { list.append([rows.text("a"), rows.text("b")]) }
    return list
  }

  @Test("Columns come in any order; blank lines are none, quotes are taken off")
  func order() throws {
    #expect(try rows("b,A\n1,2\n\n\"x,y\",\"say \"\"hi\"\"\"\r\n") == [["2", "1"], ["say \"hi\"", "x,y"]])
    #expect(try rows("a;c\n1;2\n") == [["1", ""]])
  }

  @Test("Columns that mean nothing are errors where the others are named")
  func unknownColumns() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("a,Bee,c\n1,2,3\n", to: "table.csv")
    let error = #expect(throws: FormatError.self) {
      _ = try NamedRows(path: path, required: ["a"], optional: ["b", "c"]).line
    }
    #expect(
      error?.description == "\(path):1: the column \"bee\" means nothing here; there are \"a\", \"b\", \"c\"")
    _ = try NamedRows(path: path, required: ["a"], optional: ["bee", "c"]).line
  }

  @Test("What is wrong is said with its line")
  func faults() throws {
    func message(_ text: String, required: [String] = [], _ read: (inout NamedRows) throws -> Void) throws
      -> String
    {
      let directory = try TemporaryDirectory()
      let path = try directory.write(text, to: "table.csv")
      do {
        var rows = try NamedRows(path: path, required: required)
        while try rows.next() { try read(&rows) }
        return ""
      } catch {
        return "\(error)"
      }
    }
    #expect(try message("a\n1\n", required: ["b"]) { _ in }.contains("b"))
    #expect(try message("a,a\n1,2\n") { _ in }.contains("a"))
    #expect(try message("") { _ in }.contains("empty"))
    #expect(
      try message("a,b\n1,2\n1,2,3\n") { _ in }.contains("table.csv:3: 3 fields where the header has 2"))
    #expect(
      try message("a\n1\nx\n") { rows in _ = try rows.number("a") }.contains(
        "table.csv:3: a \"x\" is not a number"))
    #expect(
      try message("time\n2020-01-01\n") { rows in _ = try rows.time("time") }.contains(
        "table.csv:2"))
  }

  @Test("Numbers and times; an empty cell is no number")
  func values() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("time,x\n1.5,-2e3\n2020-01-01T00:00:00Z,\n", to: "table.csv")
    var rows = try NamedRows(path: path, required: ["time", "x"])
    #expect(try rows.next())
    #expect(try rows.time("time") == Timestamp(microseconds: 1_500_000))
    #expect(try rows.number("x") == -2000)
    #expect(try rows.next())
    #expect(try rows.number("x") == nil)
    #expect(rows.line == 3)
    #expect(try !rows.next())
  }
}
