package import VicinityGeodesy
package import VicinityIndex

/// An event in a form of fixed size, so that millions can be sorted and kept in files.
package struct EventRecord: Equatable, Sendable {
  /// The time, rounded to the millisecond: what the output shows and is sorted by first.
  package var milliseconds: Int64
  /// The instant, microseconds.
  package var microseconds: Int64
  /// The device's number in the run.
  package var device: UInt32
  package var region: UInt32
  package var latitude: Double
  package var longitude: Double
  /// The beginning of the gap an inferred event lies in, microseconds; `notInferred` for others.
  package var gapStart: Int64
  /// ``enter`` and the others.
  package var kind: UInt32

  package static let notInferred = Int64.min
  package static let enter: UInt32 = 0
  package static let exit: UInt32 = 1
  package static let dwell: UInt32 = 2
  /// Not an event: the device is inside at its first fix, or at the first one that shows it.
  package static let initial: UInt32 = 3
  /// Not an event: the device was inside, and the region is no longer there.
  package static let removed: UInt32 = 4
  /// The kinds as they are written.
  package static let kinds = [
    Crossing.Kind.enter.rawValue, Crossing.Kind.exit.rawValue, Crossing.Kind.dwell.rawValue, "initial",
    "removed",
  ]
  /// Whether this says what a device is or was in, and not what it did.
  package var isState: Bool { kind == Self.initial || kind == Self.removed }

  package init(_ crossing: Crossing, device: Int) {
    milliseconds = crossing.time.milliseconds
    microseconds = crossing.time.microseconds
    self.device = UInt32(truncatingIfNeeded: device)
    region = UInt32(truncatingIfNeeded: crossing.region)
    latitude = crossing.coordinate.latitude
    longitude = crossing.coordinate.longitude
    gapStart = crossing.inferred?.lowerBound.microseconds ?? Self.notInferred
    kind =
      switch crossing.kind {
      case .enter: Self.enter
      case .exit: Self.exit
      case .dwell: Self.dwell
      }
  }

  /// A device that is inside a region at the first fix that shows it.
  package init(beginning: Crossing, device: Int) {
    self.init(beginning, device: device)
    kind = Self.initial
  }

  /// A device that was inside a region that is no longer there.
  ///
  /// - Parameters:
  ///   - seen: When the device was last seen, and where.
  ///   - time: When the region was last there.
  package init(
    removed region: UInt32, seen: Timestamp, at coordinate: Coordinate, time: Timestamp, device: Int
  ) {
    self.init(
      Crossing(region: Int(region), kind: .exit, time: time, coordinate: coordinate), device: device)
    kind = Self.removed
    if seen < time { gapStart = seen.microseconds }
  }

  /// The order of events: time to the millisecond, device by its identifier's bytes, region, true instant.
  /// Equal events keep the order in which they were found.
  @inlinable
  package static func precedes(_ a: EventRecord, _ b: EventRecord, _ ranks: Span<Int>) -> Bool {
    if a.milliseconds != b.milliseconds { return a.milliseconds < b.milliseconds }
    if a.device != b.device { return ranks[Int(a.device)] < ranks[Int(b.device)] }
    if a.region != b.region { return a.region < b.region }
    return a.microseconds < b.microseconds
  }

  /// Puts events in their order, which does not depend on the number of threads.
  package static func sort(_ events: inout [EventRecord], _ ranks: [Int], threads: Int) {
    let allRanks = ranks[...]
    Parallel.sort(&events, threads: threads) { precedes($0, $1, allRanks.span) }
  }
}

// MARK: In files

extension EventRecord {
  /// Bytes of a record in a file, little-endian.
  package static let size = 52

  package func append(to bytes: inout [UInt8]) {
    bytes.append(number: milliseconds)
    bytes.append(number: microseconds)
    bytes.append(number: device)
    bytes.append(number: region)
    bytes.append(number: latitude)
    bytes.append(number: longitude)
    bytes.append(number: gapStart)
    bytes.append(number: kind)
  }

  /// A record from its bytes.
  package init(_ reader: inout ByteReader) throws {
    milliseconds = try reader.number()
    microseconds = try reader.number()
    device = try reader.number()
    region = try reader.number()
    latitude = try reader.double()
    longitude = try reader.double()
    gapStart = try reader.number()
    kind = try reader.number()
    guard kind < Self.kinds.count else { throw ByteReader.Failure() }
  }
}
