public import Foundation
public import VicinityCrossings
public import VicinityMonitor

extension Timestamp {
  /// A date, rounded to the microsecond; nil for a date that is NaN or does not fit (years -290307
  /// to 294246).
  public init?(_ date: Date) { self.init(seconds: date.timeIntervalSince1970) }
}

extension Date {
  /// An instant, rounded to what a date can hold: 0.12 µs in this century.
  public init(_ timestamp: Timestamp) { self.init(timeIntervalSince1970: timestamp.seconds) }
}

extension ProximityUUID {
  /// The same 128 bits.
  public init(_ uuid: UUID) {
    let bytes = unsafe withUnsafeBytes(of: uuid.uuid) { unsafe Array($0) }
    self.init(
      high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) },
      low: bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
  }
}

extension UUID {
  /// The same 128 bits.
  public init(_ uuid: ProximityUUID) {
    var (high, low) = (uuid.high.bigEndian, uuid.low.bigEndian)
    var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    // SAFETY: two numbers of eight bytes fill the sixteen bytes of the tuple.
    unsafe withUnsafeMutableBytes(of: &bytes) { bytes in
      unsafe withUnsafeBytes(of: &high) { unsafe bytes.copyMemory(from: $0) }
      unsafe withUnsafeBytes(of: &low) {
        unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[8...]).copyMemory(from: $0)
      }
    }
    self.init(uuid: bytes)
  }
}
