internal import VicinityCrossings
internal import VicinityFormats
internal import VicinityIndex

/// Makes stays of the events of all devices, which come in their order: an entry and the exit that follows.
///
/// Rows are in the order of their ends; stays without an end come last, in the order of their beginnings.
package struct VisitBook {
  /// Who is where.
  package struct Key: Hashable {
    var device: UInt32
    var region: UInt32
  }

  /// How a stay began.
  package struct Beginning: Equatable {
    /// Microseconds.
    var time: Int64
    /// Whether the device was inside at its first fix, which is the time given.
    var isOpen = false
    /// Whether a gap hides the instant.
    var isInferred = false
  }

  /// The stays that have no end yet.
  var open: [Key: Beginning] = [:]

  static let header = Array("device,region,enter,exit,duration,open,inferred\n".utf8)

  /// Takes the next event; appends the row of a stay that ends with it.
  mutating func take(_ event: EventRecord, _ text: inout VisitText) throws {
    let key = Key(device: event.device, region: event.region)
    let isInferred = event.gapStart != EventRecord.notInferred
    switch event.kind {
    case EventRecord.enter: open[key] = Beginning(time: event.microseconds, isInferred: isInferred)
    case EventRecord.initial: open[key] = Beginning(time: event.microseconds, isOpen: true)
    case EventRecord.exit:
      try text.append(
        key, open.removeValue(forKey: key), until: event.microseconds, isOpen: false, isInferred: isInferred)
    default: return
    }
  }

  /// Appends the stays without an end: how long they have lasted at each device's last fix.
  func appendOpen(devices: DeviceNames, lastTime: (Int) -> Timestamp?, _ text: inout VisitText) throws {
    let ranks = devices.ranks()
    let stays = open.map { (time: Timestamp(microseconds: $1.time).milliseconds, key: $0, beginning: $1) }
      .sorted {
        ($0.time, ranks[Int($0.key.device)], $0.key.region) < (
          $1.time, ranks[Int($1.key.device)], $1.key.region
        )
      }
    for stay in stays {
      let last = lastTime(Int(stay.key.device))?.microseconds ?? stay.beginning.time
      try text.append(stay.key, stay.beginning, until: last, isOpen: true, isInferred: false)
    }
  }
}

/// Writes stays as CSV.
struct VisitText {
  let index: RegionIndex
  let devices: DeviceNames
  private let writer: ByteWriter?
  private var times = TimeText()

  /// - Parameter writer: `nil` where stays are not asked for.
  init(_ index: RegionIndex, devices: DeviceNames, to writer: ByteWriter?) {
    self.index = index
    self.devices = devices
    self.writer = writer
    writer?.buffer += VisitBook.header
  }

  mutating func append(
    _ key: VisitBook.Key, _ beginning: VisitBook.Beginning?, until end: Int64, isOpen: Bool, isInferred: Bool
  ) throws {
    guard let writer else { return }
    let comma = UInt8(ascii: ",")
    CSVText.append(devices.utf8(of: Int(key.device)).span, to: &writer.buffer)
    writer.buffer.append(comma)
    CSVText.append(index.identifier(of: Int(key.region)), to: &writer.buffer)
    writer.buffer.append(comma)
    let exit = Timestamp(microseconds: end)
    if let beginning { times.append(Timestamp(microseconds: beginning.time), to: &writer.buffer) }
    writer.buffer.append(comma)
    times.append(exit, to: &writer.buffer)
    writer.buffer.append(comma)
    if let beginning {
      let (duration, overflow) = exit.milliseconds.subtractingReportingOverflow(
        Timestamp(microseconds: beginning.time).milliseconds)
      if !overflow { DecimalText.append(Double(duration) / 1000, decimals: 3, to: &writer.buffer) }
    }
    writer.buffer.append(comma)
    writer.buffer += Self.ends(beginning?.isOpen ?? true, isOpen, "start", "end").utf8
    writer.buffer.append(comma)
    writer.buffer += Self.ends(beginning?.isInferred ?? false, isInferred, "enter", "exit").utf8
    writer.buffer.append(UInt8(ascii: "\n"))
    try writer.flushIfFull()
  }

  private static func ends(_ first: Bool, _ second: Bool, _ firstName: String, _ secondName: String) -> String
  {
    first ? (second ? "both" : firstName) : second ? secondName : "no"
  }
}
