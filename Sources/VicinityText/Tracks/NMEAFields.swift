internal import VicinityGeodesy

/// The contents of NMEA 0183 fields.
enum NMEAFields {
  /// Microseconds since midnight of `hhmmss` or `hhmmss.sss`; `nil` for anything else.
  static func timeOfDay(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
    guard text.count >= 6, let hour = unsafe pair(text, 0), let minute = unsafe pair(text, 2),
      let second = unsafe pair(text, 4), hour < 24, minute < 60, second < 61
    else { return nil }
    var microseconds = Int64((hour * 60 + minute) * 60 + second) * 1_000_000
    guard text.count > 6 else { return microseconds }
    guard unsafe text[6] == UInt8(ascii: ".") else { return nil }
    guard text.count > 7 else { return microseconds }
    guard
      let fraction = unsafe NumberScanner.fixedPoint(UnsafeBufferPointer(rebasing: text[6...]), decimals: 6)
    else {
      return nil
    }
    microseconds += fraction
    return microseconds
  }

  /// The day since 1970-01-01 of `ddmmyy`: years 80 to 99 are those of the last century.
  static func date(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
    guard text.count == 6, let day = unsafe pair(text, 0), let month = unsafe pair(text, 2),
      let year = unsafe pair(text, 4)
    else { return nil }
    return TimeParser.day(year: Int64(year < 80 ? 2000 + year : 1900 + year), month: month, day: day)
  }

  /// The day since 1970-01-01 of day, month and four digits of year.
  static func date(
    _ day: UnsafeBufferPointer<UInt8>, _ month: UnsafeBufferPointer<UInt8>, _ year: UnsafeBufferPointer<UInt8>
  ) -> Int64? {
    guard (1...2).contains(day.count), (1...2).contains(month.count), year.count == 4,
      let day = unsafe NumberScanner.fixedPoint(day, decimals: 0),
      let month = unsafe NumberScanner.fixedPoint(month, decimals: 0),
      let century = unsafe pair(year, 0), let rest = unsafe pair(year, 2)
    else { return nil }
    return TimeParser.day(year: Int64(century * 100 + rest), month: Int(month), day: Int(day))
  }

  /// Degrees from `ddmm.mmm` and a letter for the hemisphere; `nil` for anything else.
  static func angle(
    _ text: UnsafeBufferPointer<UInt8>, _ hemisphere: UnsafeBufferPointer<UInt8>, positive: UInt8,
    negative: UInt8
  ) -> Degrees? {
    guard hemisphere.count == 1, let letter = unsafe hemisphere.first,
      letter == positive || letter == negative
    else { return nil }
    let point = unsafe text.firstIndex(of: UInt8(ascii: ".")) ?? text.endIndex
    guard point >= 3, point <= 5 else { return nil }
    var degrees = 0
    for i in 0..<(point - 2) {
      let digit = unsafe text[i] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      degrees = degrees * 10 + Int(digit)
    }
    let first = unsafe text[point - 2]
    guard first >= UInt8(ascii: "0"), first < UInt8(ascii: "6") else { return nil }
    let minutes = unsafe NumberScanner.number(UnsafeBufferPointer(rebasing: text[(point - 2)...]))
    guard minutes >= 0, minutes < 60 else { return nil }
    let value = Double(degrees) + minutes / 60
    return letter == negative ? -value : value
  }

  /// The number in a field: `nil` where it is empty or no number.
  static func number(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    let value = unsafe NumberScanner.number(text)
    return value.isFinite ? value : nil
  }

  private static func pair(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int? {
    let tens = unsafe text[index] &- UInt8(ascii: "0")
    let ones = unsafe text[index + 1] &- UInt8(ascii: "0")
    return tens < 10 && ones < 10 ? Int(tens) * 10 + Int(ones) : nil
  }
}
