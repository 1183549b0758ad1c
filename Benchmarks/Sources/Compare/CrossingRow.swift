/// One line of the results about crossings.
struct CrossingRow: Encodable {
  /// How devices move: `crossings:places-1hz`, ...
  var scenario: String
  /// Regions in the index.
  var n: Int
  var contestant: String
  var fixes: Int
  /// Tracks one after the other, or devices in one stream.
  var devices: Int
  var repetitions: Int
  /// Building, seconds.
  var build: Cost?
  /// Thread-CPU nanoseconds a fix: the median over repetitions, and the least.
  var median: Double
  var minimum: Double
  /// The median repetition in units of a `geod_inverse` measured beside it.
  var perGeodesic: Double
  /// Entries and exits reported; `nil` where they were not counted.
  var entries: Int?
  var exits: Int?
  /// Crossings that leave the state at the fix as it was at the fix before: tests at fixes cannot see them.
  var unseen: Int?
  /// Changes of state at fixes that only this contestant or only ours reports.
  var differences: Int?

  /// Millions of fixes a second.
  var rate: Double { 1e3 / median }

  /// What is wrong with the row; `nil` when nothing is.
  var complaint: String? {
    guard let differences, differences > 0 else { return nil }
    return "\(contestant), \(scenario) \(n): \(differences) changes of state differ"
  }
}
