import VicinityFormats

/// Rows of text laid out in columns, two spaces apart, under one header.
///
/// Widths only grow: a table written in pieces has its header once and stays aligned as long as later
/// pieces are no wider.
struct TextTable {
  enum Alignment { case left, right }

  struct Column {
    var title: String
    var alignment: Alignment
    /// Whether the column may be cut when the line is longer than the terminal.
    var isFlexible = false
  }

  let columns: [Column]
  let style: TerminalStyle
  private var widths: [Int]
  private var rows: [[String]] = []
  private var headerIsWritten = false

  init(columns: [Column], style: TerminalStyle) {
    self.columns = columns
    self.style = style
    widths = columns.map { DisplayText.width($0.title) }
  }

  /// Adds a row with one cell per column; control characters are made visible.
  mutating func add(_ cells: [String]) {
    let cells = cells.map(VisibleText.of)
    for (column, cell) in cells.enumerated() where column < widths.count {
      widths[column] = max(widths[column], DisplayText.width(cell))
    }
    rows.append(cells)
  }

  /// Appends the rows added since the last call, the header before the first.
  mutating func write(to text: inout [UInt8]) {
    let widths = fittedWidths()
    if !headerIsWritten {
      headerIsWritten = true
      let (on, off) = style.usesColor ? ("\u{1B}[1m", "\u{1B}[0m") : ("", "")
      text.append(contentsOf: on.utf8)
      writeLine(columns.map(\.title), widths: widths, to: &text)
      text.removeLast()
      text.append(contentsOf: "\(off)\n".utf8)
    }
    for row in rows { writeLine(row, widths: widths, to: &text) }
    rows.removeAll(keepingCapacity: true)
  }

  /// The widths with flexible columns shortened, widest first, until a line fits the terminal.
  private func fittedWidths() -> [Int] {
    guard let limit = style.width else { return widths }
    var widths = widths
    var excess = widths.reduce(2 * (widths.count - 1), +) - limit
    let flexible = columns.indices.filter { columns[$0].isFlexible }
    while excess > 0 {
      guard let widest = flexible.max(by: { widths[$0] < widths[$1] }), widths[widest] > 8 else { break }
      let next = flexible.filter { $0 != widest }.map { widths[$0] }.max() ?? 8
      let cut = max(1, min(excess, widths[widest] - max(next, 8)))
      widths[widest] -= cut
      excess -= cut
    }
    return widths
  }

  private func writeLine(_ cells: [String], widths: [Int], to text: inout [UInt8]) {
    var line = ""
    for (position, column) in columns.enumerated() where position < cells.count {
      let cell = DisplayText.truncated(cells[position], to: widths[position])
      let padding = String(repeating: " ", count: max(0, widths[position] - DisplayText.width(cell)))
      if position > 0 { line += "  " }
      if column.alignment == .right { line += padding }
      // A left-to-right mark after a right-to-left name keeps the next column in its place.
      let mark = style.isTerminal && DisplayText.isRightToLeft(cell) ? "\u{200E}" : ""
      line += mark + cell + mark
      if column.alignment == .left, position < columns.count - 1 { line += padding }
    }
    text.append(contentsOf: line.utf8)
    text.append(UInt8(ascii: "\n"))
  }
}
