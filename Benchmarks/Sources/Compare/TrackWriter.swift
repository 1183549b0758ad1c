import Foundation

/// Writes tracks as CSV to a file or pipe: `device,time,latitude,longitude`, time in ISO 8601, seven
/// decimals.
///
/// Made for a hundred million rows: digits go straight into a buffer.
struct TrackWriter {
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  /// The second that `time` spells.
  private var second = Int.min
  private var time: [UInt8] = []
  private static let capacity = 1 << 20

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    buffer.reserveCapacity(Self.capacity + 256)
    buffer += Array("device,time,latitude,longitude\n".utf8)
  }

  /// Writes a row; coordinates in 1e-7 degrees.
  mutating func write(device: Int, second: Int, latitude: Int, longitude: Int) throws {
    buffer.append(UInt8(ascii: "d"))
    append(device, digits: 6)
    buffer.append(UInt8(ascii: ","))
    if second != self.second { spell(second) }
    buffer += time
    append(degrees: latitude)
    buffer.append(UInt8(ascii: ","))
    append(degrees: longitude)
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= Self.capacity { try flush() }
  }

  /// Writes what is left.
  mutating func flush() throws {
    var done = 0
    while done < buffer.count {
      let count = unsafe buffer.withUnsafeBytes { bytes in
        // SAFETY: `done` is below the count.
        unsafe Foundation.write(descriptor, bytes.baseAddress.unsafelyUnwrapped + done, bytes.count - done)
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw Failure("cannot write tracks: errno \(errno)")
      }
      done += count
    }
    buffer.removeAll(keepingCapacity: true)
  }

  private mutating func append(_ value: Int, digits: Int) {
    var unit = 1
    for _ in 1..<digits { unit *= 10 }
    while unit > 0 {
      buffer.append(UInt8(48 + value / unit % 10))
      unit /= 10
    }
  }

  private mutating func append(degrees value: Int) {
    if value < 0 { buffer.append(UInt8(ascii: "-")) }
    let whole = abs(value) / 10_000_000
    append(whole, digits: whole >= 100 ? 3 : whole >= 10 ? 2 : 1)
    buffer.append(UInt8(ascii: "."))
    append(abs(value) % 10_000_000, digits: 7)
  }

  private mutating func spell(_ second: Int) {
    self.second = second
    var clock = time_t(second)
    var parts = tm()
    unsafe gmtime_r(&clock, &parts)
    time = unsafe Array(
      String(
        format: "%04d-%02d-%02dT%02d:%02d:%02dZ,", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
        parts.tm_hour, parts.tm_min, parts.tm_sec
      ).utf8)
  }
}
