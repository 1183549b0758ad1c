/// An instant of UTC, in microseconds since the beginning of 1970, leap seconds not counted (POSIX time).
///
/// An integer, so that "the same time" is a plain comparison and times survive any number of copies; a microsecond
/// is 0.3 mm of flight. Years -290307 to 294246 fit.
public struct Timestamp: Hashable, Sendable {
  /// Microseconds since 1970-01-01T00:00:00Z; negative before.
  public var microseconds: Int64

  /// The instant so many microseconds after the beginning of 1970.
  @inlinable
  public init(microseconds: Int64) { self.microseconds = microseconds }

  /// The instant so many milliseconds after the beginning of 1970; `nil` where it does not fit.
  @inlinable
  public init?(milliseconds: Int64) {
    let (value, overflow) = milliseconds.multipliedReportingOverflow(by: 1000)
    if overflow { return nil }
    self.init(microseconds: value)
  }

  /// The instant nearest to so many seconds after the beginning of 1970; `nil` for NaN and what does not fit.
  @inlinable
  public init?(seconds: Double) {
    guard let value = Int64(exactly: (seconds * 1e6).rounded()) else { return nil }
    self.init(microseconds: value)
  }

  /// Seconds since the beginning of 1970, rounded to a double: to 0.24 µs in this century.
  @inlinable
  public var seconds: Double { Double(microseconds) / 1e6 }

  /// The nearest whole millisecond; halves go up.
  @inlinable
  public var milliseconds: Int64 {
    // The division rounds down: floor(x + 1/2), without overflowing.
    let quotient = microseconds / 1000
    let remainder = microseconds % 1000
    return quotient + (remainder >= 500 ? 1 : remainder < -500 ? -1 : 0)
  }

  /// Seconds from another instant to this one, exact to half a unit of the result's last place.
  @inlinable
  public func seconds(since earlier: Timestamp) -> Double {
    let (difference, overflow) = microseconds.subtractingReportingOverflow(earlier.microseconds)
    return overflow ? (Double(microseconds) - Double(earlier.microseconds)) / 1e6 : Double(difference) / 1e6
  }
}

extension Timestamp: Comparable {
  @inlinable
  public static func < (a: Timestamp, b: Timestamp) -> Bool { a.microseconds < b.microseconds }
}

extension Timestamp: InstantProtocol {
  /// The instant a duration later, to the microsecond below; at the end of time where it does not fit.
  public func advanced(by duration: Duration) -> Timestamp {
    let (seconds, attoseconds) = duration.components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let (part, overflow2) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    let (sum, overflow3) = microseconds.addingReportingOverflow(part)
    if overflow || overflow2 || overflow3 {
      return Timestamp(microseconds: seconds < 0 ? .min : .max)
    }
    return Timestamp(microseconds: sum)
  }

  /// The time from this instant to another.
  public func duration(to other: Timestamp) -> Duration {
    .microseconds(other.microseconds) - .microseconds(microseconds)
  }
}
