extension Report {
  private static let crossingHeads = [
    "contestant", "build ms", "M fixes/s", "median ns", "min ns", "/geod", "fixes", "devices", "entries",
    "exits",
    "unseen", "differences",
  ]

  /// A table for each scenario, sizes together.
  func crossingTables() -> String {
    var text = ""
    var done: Set<String> = []
    for row in crossings where done.insert("\(row.scenario) \(row.n)").inserted {
      text += "\n## \(row.scenario), \(row.n) regions\n\n"
      let group = crossings.filter { $0.scenario == row.scenario && $0.n == row.n }
      text += Self.table([Self.crossingHeads] + group.map(crossingCells))
    }
    return text
  }

  private func crossingCells(_ row: CrossingRow) -> [String] {
    [
      row.contestant, Self.cell(row.build.map { $0.cpu * 1e3 }), Self.short(row.rate),
      Self.short(row.median), Self.short(row.minimum), Self.short(row.perGeodesic),
      "\(row.fixes) x \(row.repetitions)", "\(row.devices)", Self.count(row.entries), Self.count(row.exits),
      Self.count(row.unseen), Self.count(row.differences),
    ]
  }

  /// The rows in the columns of ``csv()``; what does not apply is empty.
  func crossingLines() -> String {
    crossings.map { row in
      let fields: [String] = [
        row.scenario, "\(row.n)", row.contestant, "", "", "\(row.fixes)", "\(row.repetitions)",
        Self.field(row.build?.cpu), Self.field(row.build?.wall), "", Self.field(row.median),
        Self.field(row.minimum), "", "", Self.field(row.perGeodesic), "", "", "", "", "", "\(row.devices)",
        Self.count(row.entries), Self.count(row.exits), Self.count(row.unseen), Self.count(row.differences),
      ]
      return fields.joined(separator: ",") + "\n"
    }.joined()
  }

  private static func count(_ value: Int?) -> String { value.map { "\($0)" } ?? "" }
}
