package import VicinityCrossings
package import VicinityFormats
internal import VicinityGeodesy
internal import VicinityIndex

/// Writes events as text, which is made on all threads.
package struct EventWriter {
  private let writer: ByteWriter
  /// A region's identifier.
  private let region: @Sendable (Int) -> String
  private let format: EventFormatter.Format
  private let threads: Int
  /// Events whose text is still to be made, and their devices.
  private var held: [EventRecord] = []
  private var devices = DeviceNames()
  private var isFirst: Bool

  /// The most events held: some megabytes, enough for any number of threads to share.
  private static let mostHeld = 1 << 15
  /// How many events a thread makes text of at once.
  private static let chunkSize = 1 << 11

  /// - Parameter isContinued: Whether there are events in the output already.
  package init(
    _ format: EventFormatter.Format, to writer: ByteWriter, threads: Int = 1, isContinued: Bool = false,
    region: @escaping @Sendable (Int) -> String
  ) {
    self.writer = writer
    self.region = region
    self.format = format
    self.threads = threads
    isFirst = !isContinued
    if isFirst { writer.buffer += EventFormatter(format).header }
  }

  package mutating func write(_ event: EventRecord, devices: DeviceNames) throws {
    if held.isEmpty { self.devices = devices }
    held.append(event)
    if held.count == Self.mostHeld { try writeHeld() }
  }

  private mutating func writeHeld() throws {
    let (events, format, region, devices) = (held, format, region, devices)
    held.removeAll(keepingCapacity: true)
    let chunks = (events.count + Self.chunkSize - 1) / Self.chunkSize
    let texts = Parallel.map(chunks, threads: threads) { chunk in
      let start = chunk * Self.chunkSize
      return Self.text(of: events[start..<min(events.count, start + Self.chunkSize)], format, region, devices)
    }
    for text in texts {
      writer.buffer += text.dropFirst(isFirst ? EventFormatter(format).separatorByteCount : 0)
      isFirst = false
      try writer.flushIfFull()
    }
  }

  private static func text(
    of events: ArraySlice<EventRecord>, _ format: EventFormatter.Format,
    _ identifier: (Int) -> String, _ devices: DeviceNames
  ) -> [UInt8] {
    var formatter = EventFormatter(format)
    var text: [UInt8] = []
    for event in events {
      var region = identifier(Int(event.region))
      var kind = EventRecord.kinds[Int(event.kind)]
      let device = devices.utf8(of: Int(event.device))
      // SAFETY: the bytes are only read, while they are there.
      region.withUTF8 { region in
        kind.withUTF8 { kind in
          unsafe formatter.append(
            device: device.span, time: Timestamp(microseconds: event.microseconds), region: region.span,
            kind: kind.span, coordinate: Coordinate(latitude: event.latitude, longitude: event.longitude),
            inferredSince: event.gapStart == EventRecord.notInferred
              ? nil : Timestamp(microseconds: event.gapStart), to: &text)
        }
      }
    }
    return text
  }

  /// Hands over all that has been written.
  package mutating func flush() throws {
    try writeHeld()
    try writer.flush()
  }

  /// Writes what comes after the last event.
  package mutating func end() throws {
    try writeHeld()
    writer.buffer += EventFormatter(format).footer
  }
}
