import VicinityCrossings
import VicinityFormats
import VicinityGeodesy
import VicinityIndex

/// How much a run has read and dropped, and where.
struct EventTotals: Equatable {
  var fixes = 0
  var repeats = 0
  var invalidFixes = 0
  var conflicts = 0
  var skipped = 0
  var warnings = 0
  /// Steps from one fix to the next of its device, and how many of them take longer than the longest gap.
  var steps = 0
  var gaps = 0
  /// Where the fixes lie.
  var extent = CoordinateExtent()

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
  var dropped: Int { repeats + invalidFixes + conflicts + skipped }
}

extension EventTotals {
  init(_ summary: TrackSummary) {
    self.init(
      fixes: summary.fixes, repeats: summary.repeats, invalidFixes: summary.invalidFixes,
      conflicts: summary.conflicts, skipped: summary.skipped.count, warnings: summary.warnings.count)
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

/// The least and greatest latitude and longitude of positions, as they are written.
struct CoordinateExtent: Equatable {
  var south = Double.infinity
  var west = Double.infinity
  var north = -Double.infinity
  var east = -Double.infinity

  var isEmpty: Bool { !(south <= north) }

  @inline(__always)
  mutating func add(_ coordinate: Coordinate) {
    south = min(south, coordinate.latitude)
    north = max(north, coordinate.latitude)
    west = min(west, coordinate.longitude)
    east = max(east, coordinate.longitude)
  }

  mutating func add(_ other: CoordinateExtent) {
    south = min(south, other.south)
    north = max(north, other.north)
    west = min(west, other.west)
    east = max(east, other.east)
  }
}
