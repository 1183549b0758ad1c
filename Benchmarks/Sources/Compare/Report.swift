import Foundation

/// The tables: Markdown for readers, CSV and JSON for programs.
struct Report {
  var machine: Machine
  var parameters: [(String, String)]
  var rows: [Row]
  var crossings: [CrossingRow]
  var plans: [PlanRow]
  var measurements: [Measurement]
  var targets: [Target]

  /// A number that is not the time of a query: a build, a file opened, an update.
  struct Measurement: Encodable {
    var name: String
    var value: Double
    var unit: String
  }

  var complaints: [String] { rows.compactMap(\.complaint) + crossings.compactMap(\.complaint) }

  func markdown() -> String {
    var text = "# Vicinity against its peers\n\n"
    text += "Times are CPU time of one thread; `ratio` is the row's median over nanoflann-plain's in the\n"
    text +=
      "same scenario of the same run; `/geod` over one `geod_inverse` measured beside each repetition.\n"
    text +=
      "`sets`: queries whose 20 are exactly the 20 nearest by boundary distance; `recall`: the share of\n"
    text += "each exact 20 that was found. Build is CPU time; bytes leave identifiers out.\n\n"
    text += Self.table([["", ""]] + (machine.facts + parameters).map { [$0.0, $0.1] })
    if !targets.isEmpty {
      text += "\n## Targets\n\n"
      text += Self.table(
        [["target", "measured", "limit", "met"]]
          + targets.map {
            [
              $0.text, Self.short($0.measured) + $0.unit,
              ($0.isUpperLimit ? "<= " : ">= ") + Self.short($0.limit) + $0.unit,
              $0.isMet ? "yes" : "**no**",
            ]
          })
    }
    for group in groups() {
      text += "\n## \(group[0].scenario), \(group[0].n) regions, \(group[0].k) nearest\n\n"
      text += Self.table([Self.heads] + group.map(cells))
    }
    text += crossingTables()
    text += planTables()
    if !measurements.isEmpty {
      text += "\n## Building, opening, bulk, updates, events\n\n"
      text += Self.table(
        [["", "value", "unit"]] + measurements.map { [$0.name, Self.short($0.value), $0.unit] })
    }
    if !complaints.isEmpty {
      text += "\n## Wrong answers\n\n" + complaints.map { "- \($0)\n" }.joined()
    }
    return text
  }

  func csv() -> String {
    var text =
      "scenario,n,contestant,exact,k,queries,repetitions,build_cpu_s,build_wall_s,bytes_per_region,"
      + "median_ns,min_ns,p50_ns,p90_ns,per_geodesic,checksum,exact_sets,recall,judged,largest_error_m,"
      + "devices,entries,exits,unseen,differences\n"
    for row in rows {
      let fields: [String] = [
        row.scenario, "\(row.n)", row.contestant, "\(row.isExact)", "\(row.k)", "\(row.queries)",
        "\(row.repetitions)", Self.field(row.build?.cpu), Self.field(row.build?.wall),
        Self.field(row.bytesPerRegion), Self.field(row.median), Self.field(row.minimum),
        Self.field(row.p50), Self.field(row.p90), Self.field(row.perGeodesic),
        Self.field(row.checksum), Self.field(row.exactSets), Self.field(row.recall),
        "\(row.judged)", Self.field(row.largestError), "", "", "", "", "",
      ]
      text += fields.joined(separator: ",") + "\n"
    }
    text += crossingLines()
    return text
  }

  func json() throws -> Data {
    struct Document: Encodable {
      var machine: [String: String]
      var parameters: [String: String]
      var targets: [Target]
      var rows: [Row]
      var crossings: [CrossingRow]
      var plans: [PlanRow]
      var measurements: [Measurement]
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try encoder.encode(
      Document(
        machine: Dictionary(machine.facts, uniquingKeysWith: { $1 }),
        parameters: Dictionary(parameters, uniquingKeysWith: { $1 }), targets: targets, rows: rows,
        crossings: crossings, plans: plans, measurements: measurements))
  }

  /// Rows of one scenario and size together, fastest first.
  private func groups() -> [[Row]] {
    var order: [String] = []
    var groups: [String: [Row]] = [:]
    for row in rows {
      let key = "\(row.scenario) \(row.n)"
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(row)
    }
    return order.compactMap { groups[$0]?.sorted { $0.median < $1.median } }
  }

  private static let heads = [
    "contestant", "exact", "build ms", "B/region", "median us", "min us", "p50 us", "p90 us", "ratio",
    "/geod", "queries", "sets", "recall", "max error m", "checksum",
  ]

  private func cells(_ row: Row) -> [String] {
    let base = rows.first {
      $0.scenario == row.scenario && $0.n == row.n && $0.contestant == "nanoflann-plain"
    }
    return [
      row.contestant, row.isExact ? "yes" : "", Self.cell(row.build.map { $0.cpu * 1e3 }),
      Self.cell(row.bytesPerRegion), Self.short(row.median / 1e3), Self.short(row.minimum / 1e3),
      Self.short(row.p50 / 1e3), Self.short(row.p90 / 1e3),
      Self.cell(base.map { row.median / $0.median }), Self.short(row.perGeodesic),
      "\(row.queries) x \(row.repetitions)",
      row.exactSets.map { String(format: "%.3f", $0) } ?? "",
      row.recall.map { String(format: "%.4f", $0) } ?? "",
      row.largestError.map { String(format: "%.1e", $0) } ?? "",
      row.checksum.map { String(format: "%.9g", $0) } ?? "",
    ]
  }

  static func table(_ lines: [[String]]) -> String {
    guard let head = lines.first else { return "" }
    func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |\n" }
    return line(head) + line(head.map { _ in "---" }) + lines.dropFirst().map(line).joined()
  }

  static func cell(_ value: Double?) -> String { value.map(short) ?? "" }

  static func field(_ value: Double?) -> String { value.map { "\($0)" } ?? "" }

  /// Three significant digits, in full.
  static func short(_ value: Double) -> String {
    guard value.isFinite, value != 0 else { return "\(value)" }
    let digits = max(0, 2 - Int(log10(abs(value)).rounded(.down)))
    return String(format: "%.\(min(digits, 9))f", value)
  }
}
