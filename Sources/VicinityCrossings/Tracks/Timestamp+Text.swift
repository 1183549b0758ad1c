extension Timestamp: CustomStringConvertible {
  /// ISO 8601 in UTC, rounded to the millisecond: `2019-03-14T15:09:26.535Z`. Years beyond 0...9999 get a sign.
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
    let total = milliseconds
    let day = total >= 0 ? total / 86_400_000 : -((86_399_999 - total) / 86_400_000)
    let inDay = Int(total - day * 86_400_000)
    let (year, month, date) = Timestamp.civil(day: day)
    if year < 0 {
      bytes.append(UInt8(ascii: "-"))
    } else if year > 9999 {
      bytes.append(UInt8(ascii: "+"))
    }
    Timestamp.append(Int(year.magnitude), digits: year.magnitude > 9999 ? 6 : 4, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    Timestamp.append(month, digits: 2, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    Timestamp.append(date, digits: 2, to: &bytes)
    bytes.append(UInt8(ascii: "T"))
    Timestamp.append(inDay / 3_600_000, digits: 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    Timestamp.append(inDay / 60_000 % 60, digits: 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    Timestamp.append(inDay / 1000 % 60, digits: 2, to: &bytes)
    bytes.append(UInt8(ascii: "."))
    Timestamp.append(inDay % 1000, digits: 3, to: &bytes)
    bytes.append(UInt8(ascii: "Z"))
  }

  private static func append(_ value: Int, digits: Int, to bytes: inout [UInt8]) {
    var divisor = 1
    for _ in 1..<digits { divisor *= 10 }
    var rest = value
    while divisor > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / divisor % 10))
      rest %= divisor
      divisor /= 10
    }
  }
}

extension Timestamp {
  /// The proleptic Gregorian date of a day counted from 1970-01-01.
  ///
  /// Years begin in March here, so that the leap day is the last of its year and months' lengths follow one line
  /// (days before month m: (153 m + 2) / 5); 400 years are 146 097 days. E. G. Richards, *Calendars*, in
  /// *Explanatory Supplement to the Astronomical Almanac*, 3rd edition, 2012, section 15.11.
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
