/// A device's stay in a region.
package struct Stay: Equatable, Sendable {
  package var device: UInt32
  package var region: UInt32
  /// How it began; `nil` where that is not known.
  package var beginning: StayBook.Beginning?
  /// Its end, or the device's last fix where it has none; microseconds.
  package var end: Int64
  /// Whether it goes on at the last fix.
  package var isOpen: Bool
  /// Whether a gap hides when it ended.
  package var isInferred: Bool

  /// Seconds from one time to the other, both rounded to milliseconds as they are written; `nil` where that
  /// is not known.
  package var duration: Double? {
    guard let beginning else { return nil }
    let (milliseconds, overflow) = Timestamp(microseconds: end).milliseconds.subtractingReportingOverflow(
      Timestamp(microseconds: beginning.time).milliseconds)
    return overflow ? nil : Double(milliseconds) / 1000
  }

  /// Which of its ends are not seen: `no`, `start`, `end` or `both`.
  package var openEnds: String { Self.ends(beginning?.isOpen ?? true, isOpen, "start", "end") }

  /// Which of its ends a gap hides: `no`, `enter`, `exit` or `both`.
  package var inferredEnds: String {
    Self.ends(beginning?.isInferred ?? false, isInferred, "enter", "exit")
  }

  private static func ends(_ first: Bool, _ second: Bool, _ firstName: String, _ secondName: String) -> String
  {
    first ? (second ? "both" : firstName) : second ? secondName : "no"
  }
}

/// Makes stays of the events of all devices, which come in their order: an entry and the exit that follows.
///
/// Stays are in the order of their ends; those without an end come last, in the order of their beginnings.
package struct StayBook {
  /// Who is where.
  package struct Key: Hashable {
    package var device: UInt32
    package var region: UInt32

    package init(device: UInt32, region: UInt32) { (self.device, self.region) = (device, region) }
  }

  /// How a stay began.
  package struct Beginning: Equatable, Sendable {
    /// Microseconds.
    package var time: Int64
    /// Whether the device was inside at its first fix, or at the first one that shows it: the time given.
    package var isOpen = false
    /// Whether a gap hides the instant.
    package var isInferred = false

    package init(time: Int64, isOpen: Bool = false, isInferred: Bool = false) {
      (self.time, self.isOpen, self.isInferred) = (time, isOpen, isInferred)
    }
  }

  /// The stays that have no end yet.
  package private(set) var open: [Key: Beginning]

  package init(open: [Key: Beginning] = [:]) { self.open = open }

  /// Takes the next event.
  ///
  /// - Returns: The stay that ends with it.
  package mutating func take(_ event: EventRecord) -> Stay? {
    let key = Key(device: event.device, region: event.region)
    let isInferred = event.gapStart != EventRecord.notInferred
    switch event.kind {
    case EventRecord.enter: open[key] = Beginning(time: event.microseconds, isInferred: isInferred)
    case EventRecord.initial: open[key] = Beginning(time: event.microseconds, isOpen: true)
    case EventRecord.exit:
      return Stay(
        device: key.device, region: key.region, beginning: open.removeValue(forKey: key),
        end: event.microseconds, isOpen: false, isInferred: isInferred)
    case EventRecord.removed:
      // It goes on for all that is known.
      return Stay(
        device: key.device, region: key.region, beginning: open.removeValue(forKey: key),
        end: isInferred ? event.gapStart : event.microseconds, isOpen: true, isInferred: false)
    default: break
    }
    return nil
  }

  /// The stays without an end: how long they have lasted at each device's last fix.
  package func openStays(devices: DeviceNames, lastTime: (Int) -> Timestamp?) -> [Stay] {
    let ranks = devices.ranks()
    return open.map { (time: Timestamp(microseconds: $1.time).milliseconds, key: $0, beginning: $1) }
      .sorted {
        ($0.time, ranks[Int($0.key.device)], $0.key.region) < (
          $1.time, ranks[Int($1.key.device)], $1.key.region
        )
      }
      .map { stay in
        Stay(
          device: stay.key.device, region: stay.key.region, beginning: stay.beginning,
          end: lastTime(Int(stay.key.device))?.microseconds ?? stay.beginning.time, isOpen: true,
          isInferred: false)
      }
  }
}
