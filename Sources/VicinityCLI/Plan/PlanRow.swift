import VicinityMonitor

/// A plan of a device and the steps to it, to be written.
struct PlanRow {
  var device: String
  var plan: Plan
  var diff: PlanDiff
}

/// Plans as text.
protocol PlanFormatter {
  /// What comes before the first row.
  var header: String { get }
  /// What each row begins with, to be dropped from the first of all.
  var separator: String { get }
  /// What comes after the last.
  var footer: String { get }
  /// Appends a row.
  mutating func append(_ row: PlanRow, to text: inout [UInt8])
}
