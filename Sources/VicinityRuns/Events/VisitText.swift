internal import VicinityCrossings
internal import VicinityFormats
internal import VicinityIndex

/// Writes stays as CSV.
struct VisitText {
  private static let header = Array("\(TableColumns.stays.header)\n".utf8)

  /// A region's identifier.
  private let region: (Int) -> String
  var devices: DeviceNames
  private let writer: ByteWriter?
  private var times = TimeText()

  /// - Parameters:
  ///   - writer: `nil` where stays are not asked for.
  ///   - isContinued: Whether there are stays in the output already.
  init(
    devices: DeviceNames, to writer: ByteWriter?, isContinued: Bool = false,
    region: @escaping (Int) -> String
  ) {
    self.region = region
    self.devices = devices
    self.writer = writer
    if !isContinued { writer?.buffer += Self.header }
  }

  mutating func append(_ stay: Stay) throws {
    guard let writer else { return }
    let comma = UInt8(ascii: ",")
    CSVText.append(devices.utf8(of: Int(stay.device)).span, to: &writer.buffer)
    writer.buffer.append(comma)
    CSVText.append(region(Int(stay.region)), to: &writer.buffer)
    writer.buffer.append(comma)
    if let beginning = stay.beginning {
      times.append(Timestamp(microseconds: beginning.time), to: &writer.buffer)
    }
    writer.buffer.append(comma)
    times.append(Timestamp(microseconds: stay.end), to: &writer.buffer)
    writer.buffer.append(comma)
    if let duration = stay.duration {
      DecimalText.append(duration, decimals: TableColumns.durationDecimals, to: &writer.buffer)
    }
    writer.buffer.append(comma)
    writer.buffer += stay.openEnds.utf8
    writer.buffer.append(comma)
    writer.buffer += stay.inferredEnds.utf8
    writer.buffer.append(UInt8(ascii: "\n"))
    try writer.flushIfFull()
  }
}
