/// An instant of UTC, in microseconds since the beginning of 1970, leap seconds not counted (POSIX time).
///
/// An integer, so that "the same time" is a plain comparison and times survive any number of copies; a
/// microsecond is 0.3 mm of flight. Years -290307 to 294246 fit.
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

extension Timestamp: CustomStringConvertible {
  /// ISO 8601 in UTC, rounded to the millisecond: `2019-03-14T15:09:26.535Z`. Years beyond 0...9999 get a
  /// sign.
  public var description: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(24)
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends ``description`` as ASCII.
  ///
  /// - Complexity: O(1), no allocation beyond the array's own.
  package func append(to bytes: inout [UInt8]) {
    func append(_ value: Int, digits: Int, then separator: Unicode.Scalar) {
      var divisor = 1
      for _ in 1..<digits { divisor *= 10 }
      while divisor > 0 {
        bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / divisor % 10))
        divisor /= 10
      }
      bytes.append(UInt8(ascii: separator))
    }
    let total = milliseconds
    let day = total >= 0 ? total / 86_400_000 : -((86_399_999 - total) / 86_400_000)
    let inDay = Int(total - day * 86_400_000)
    let (year, month, date) = Timestamp.civil(day: day)
    if year < 0 || year > 9999 { bytes.append(UInt8(ascii: year < 0 ? "-" : "+")) }
    append(Int(year.magnitude), digits: year.magnitude > 9999 ? 6 : 4, then: "-")
    append(month, digits: 2, then: "-")
    append(date, digits: 2, then: "T")
    append(inDay / 3_600_000, digits: 2, then: ":")
    append(inDay / 60_000 % 60, digits: 2, then: ":")
    append(inDay / 1000 % 60, digits: 2, then: ".")
    append(inDay % 1000, digits: 3, then: "Z")
  }
}

extension Timestamp {
  /// The proleptic Gregorian date of a day counted from 1970-01-01.
  ///
  /// Years begin in March here, so that the leap day is the last of its year and months' lengths follow one
  /// line (days before month m: (153 m + 2) / 5); 400 years are 146 097 days. E. G. Richards, *Calendars*,
  /// in *Explanatory Supplement to the Astronomical Almanac*, 3rd edition, 2012, section 15.11.
  package static func civil(day: Int64) -> (year: Int64, month: Int, day: Int) {
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let fromMarch = (5 * dayOfYear + 2) / 153
    let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), Int(month),
      Int(dayOfYear - (153 * fromMarch + 2) / 5 + 1)
    )
  }

  /// The day counted from 1970-01-01 of a proleptic Gregorian date; nothing is checked.
  package static func day(year: Int64, month: Int, day: Int) -> Int64 {
    let fromMarch = Int64(month > 2 ? month - 3 : month + 9)
    let shifted = year - (month <= 2 ? 1 : 0)
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * fromMarch + 2) / 5 + Int64(day) - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
