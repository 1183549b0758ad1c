import VicinityCrossings
import VicinityFormats
import VicinityGeodesy
import VicinityIndex

/// Writes events as text.
struct EventWriter {
  private let writer: ByteWriter
  private let index: RegionIndex
  private var formatter: EventFormatter
  private var isFirst = true

  init(_ format: EventFormatter.Format, _ index: RegionIndex, to writer: ByteWriter) {
    self.writer = writer
    self.index = index
    formatter = EventFormatter(format)
    writer.buffer += formatter.header
  }

  mutating func write(_ event: EventRecord, devices: DeviceNames) throws {
    let start = writer.buffer.count
    let region = index.identifier(of: Int(event.region))
    let kind = EventRecord.kinds[Int(event.kind)]
    let device = devices.utf8(of: Int(event.device))
    formatter.append(
      device: device.span, time: Timestamp(microseconds: event.microseconds),
      region: region.utf8Span.span, kind: kind.utf8Span.span,
      coordinate: Coordinate(latitude: event.latitude, longitude: event.longitude),
      inferredSince: event.gapStart == EventRecord.notInferred
        ? nil : Timestamp(microseconds: event.gapStart), to: &writer.buffer)
    if isFirst, formatter.separatorByteCount > 0 {
      writer.buffer.removeSubrange(start..<start + formatter.separatorByteCount)
    }
    isFirst = false
    try writer.flushIfFull()
  }

  func flush() throws { try writer.flush() }

  /// Writes what comes after the last event.
  func end() { writer.buffer += formatter.footer }
}
