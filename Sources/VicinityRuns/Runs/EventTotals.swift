package import VicinityCrossings
package import VicinityFormats
internal import VicinityIndex

/// How much a run has read and dropped, and where.
package struct EventTotals: Equatable {
  package var fixes = 0
  package var repeats = 0
  package var invalidFixes = 0
  package var conflicts = 0
  package var skipped = 0
  package var warnings = 0
  /// Steps from one fix to the next of its device, and how many of them take longer than the longest gap.
  package var steps = 0
  package var gaps = 0
  /// Where the fixes lie.
  package var extent = CoordinateExtent()

  private static var counts: [WritableKeyPath<EventTotals, Int>] {
    [\.fixes, \.repeats, \.invalidFixes, \.conflicts, \.skipped, \.warnings, \.steps, \.gaps]
  }

  static func + (a: EventTotals, b: EventTotals) -> EventTotals {
    var sum = a
    for count in counts { sum[keyPath: count] += b[keyPath: count] }
    sum.extent.add(b.extent)
    return sum
  }

  /// Rows that did not count.
  package var dropped: Int { repeats + invalidFixes + conflicts + skipped }
}

extension EventTotals {
  package init(_ summary: TrackSummary, _ tally: FleetTally = FleetTally()) {
    self.init(
      fixes: summary.fixes, repeats: summary.repeats, invalidFixes: summary.invalidFixes,
      conflicts: summary.conflicts, skipped: summary.skipped.count, warnings: summary.warnings.count,
      steps: tally.steps.steps, gaps: tally.steps.gaps, extent: tally.extent)
  }

  func append(to bytes: inout [UInt8]) {
    for count in Self.counts { bytes.append(number: UInt64(self[keyPath: count])) }
    for edge in [extent.south, extent.west, extent.north, extent.east] { bytes.append(number: edge) }
  }

  init(_ reader: inout ByteReader) throws {
    self.init()
    for count in Self.counts {
      guard let number = Int(exactly: try reader.number() as UInt64) else { throw ByteReader.Failure() }
      self[keyPath: count] = number
    }
    extent.south = try reader.double()
    extent.west = try reader.double()
    extent.north = try reader.double()
    extent.east = try reader.double()
  }
}
