import VicinityCrossings

/// An aligned table for people: distances in metres, right aligned, to the last decimal asked for.
struct NearestTable {
  /// Digits after the point of both distances.
  let decimals: Int
  /// Whether the first column names the query; not needed for one position.
  let showsQuery: Bool
  private var table: TextTable

  init(decimals: Int, showsQuery: Bool, style: TerminalStyle) {
    self.decimals = decimals
    self.showsQuery = showsQuery
    var columns: [TextTable.Column] = [
      .init(title: "rank", alignment: .right),
      .init(title: "region", alignment: .left, isFlexible: true),
      .init(title: "boundary (m)", alignment: .right),
      .init(title: "centre (m)", alignment: .right),
    ]
    if showsQuery { columns.insert(.init(title: "query", alignment: .left, isFlexible: true), at: 0) }
    table = TextTable(columns: columns, style: style)
  }

  /// Adds one query's neighbours.
  mutating func add(_ result: NearestResult) {
    for row in result.rows {
      var cells = [
        String(row.rank), row.region,
        DecimalText.string(row.boundaryDistance, decimals: decimals),
        row.centerDistance.map { DecimalText.string($0, decimals: decimals) } ?? "-",
      ]
      if showsQuery { cells.insert(result.query, at: 0) }
      table.add(cells)
    }
  }

  /// Appends what has been added since the last call, aligned.
  mutating func write(to text: inout [UInt8]) { table.write(to: &text) }
}
