package import VicinityCrossings

/// Reads instants from text: ISO 8601 with a zone, or numbers of a ``TimeUnit``. Makes no `String` and uses
/// no locale.
///
/// ISO 8601: `2019-03-14T15:09:26.535Z`. `T` may be a small letter or a space, seconds may be left out, their
/// fraction may have any number of digits after a point or a comma; the zone is `Z`, `UTC`, or `+01:00`,
/// `+0100`, `+01`, one space may come before it. A second 60 is the first of the next minute, as POSIX time
/// counts. The proleptic Gregorian calendar, years 0000 to 9999. The date may have slashes, as GDAL writes it
/// into Shapefiles: `2019/03/14 15:09:26+00`.
///
/// Numbers: a sign, digits, a fraction, an exponent. Beyond ±10^11 seconds (the year 5138) a number is taken
/// for milliseconds given as seconds by mistake, and refused, unless the unit is another.
///
/// Fractions are rounded to the nearest microsecond, halves away from 1970-01-01 for numbers and up
/// otherwise.
///
/// Checked against a slow parser on Foundation's calendar in `TimeParserTests`.
package struct TimeParser: Sendable {
  /// The unit of times given as numbers.
  package var unit = TimeUnit.seconds
  /// The zone of times that state none; `nil` where that is a fault.
  package var zone: LocalZone? { didSet { steadyDay = 0..<0 } }

  // The last date and its start: fixes of one day come together.
  private var date: UInt64 = 0
  private var dateRest: UInt16 = 0
  private var dateStart: Int64 = 0
  // The last day of the zone on which no clock was changed, and its offset, seconds.
  private var steadyDay: Range<Int64> = 0..<0
  private var steadyOffset: Int64 = 0

  package init(unit: TimeUnit = .seconds, zone: LocalZone? = nil) {
    self.unit = unit
    self.zone = zone
  }

  /// The largest magnitude of a time in seconds.
  static let maximumSeconds = 1e11
  private static let microsecondsPerDay: Int64 = 86_400_000_000

  /// The instant that `text` spells, or what is wrong with it.
  package mutating func parse(_ text: UnsafeBufferPointer<UInt8>) -> RowValue<Timestamp> {
    if text.isEmpty { return .fault("the time is missing") }
    if text.count > 4, unsafe Self.separatesDate(text[4]) {
      return unsafe parseISO(text)
    }
    return unsafe parseNumber(text)
  }

  // MARK: - Numbers

  private mutating func parseNumber(_ text: UnsafeBufferPointer<UInt8>) -> RowValue<Timestamp> {
    // Whole numbers with a plain fraction are exact; others go through a double.
    if let decimals = unit.decimals, let exact = unsafe NumberScanner.fixedPoint(text, decimals: decimals) {
      switch unit {
      case .nanoseconds:
        // To the nearest microsecond, halves away from 1970.
        let (quotient, rest) = exact.quotientAndRemainder(dividingBy: 1000)
        return .value(Timestamp(microseconds: quotient + (rest >= 500 ? 1 : rest <= -500 ? -1 : 0)))
      case .seconds where exact.magnitude > UInt64(Self.maximumSeconds * 1e6):
        return unsafe .fault(Self.tooLarge(text))
      default: return .value(Timestamp(microseconds: exact))
      }
    }
    let number = unsafe NumberScanner.number(text)
    if number.isNaN {
      return .fault(
        "the time \(unsafe TextCheck.shown(text)) cannot be read: a time such as 2023-11-14T22:13:20Z is expected, or a number of \(unit.rawValue)"
      )
    }
    if unit == .seconds, number.magnitude > Self.maximumSeconds { return unsafe .fault(Self.tooLarge(text)) }
    if unit.decimals == nil { return unsafe parseDays(number, text) }
    let time = Timestamp(seconds: number * unit.seconds)
    return time.map { .value($0) } ?? .fault("the time \(unsafe TextCheck.shown(text)) is out of range")
  }

  private mutating func parseDays(_ number: Double, _ text: UnsafeBufferPointer<UInt8>) -> RowValue<Timestamp>
  {
    let milliseconds = ((number - unit.daysBefore1970) * 86_400_000).rounded()
    guard milliseconds.magnitude <= Self.maximumSeconds * 1000 else {
      return .fault("the time \(unsafe TextCheck.shown(text)) is out of range for days")
    }
    let microseconds = Int64(milliseconds) * 1000
    guard unit.isLocal else { return .value(Timestamp(microseconds: microseconds)) }
    guard let zone else {
      return .fault(
        RowFault(
          "the time \(unsafe TextCheck.shown(text)), a spreadsheet's days, has no zone", cure: .utcOffset))
    }
    guard let instant = onlyInstant(ofLocal: microseconds, in: zone) else {
      return .fault("the time \(unsafe TextCheck.shown(text)): \(zone.repeatedFault)")
    }
    return .value(Timestamp(microseconds: instant))
  }

  /// The instant at which clocks of the zone show `local`, both in microseconds since 1970-01-01; nil where
  /// they show it twice.
  private mutating func onlyInstant(ofLocal local: Int64, in zone: LocalZone) -> Int64? {
    let seconds = local / 1_000_000 - (local % 1_000_000 < 0 ? 1 : 0)
    if !steadyDay.contains(seconds) {
      guard let found = zone.steadyDay(around: seconds) else {
        guard !zone.isRepeated(local: seconds) else { return nil }
        return zone.instant(ofLocal: seconds) &* 1_000_000 &+ (local &- seconds &* 1_000_000)
      }
      (steadyDay, steadyOffset) = found
    }
    return local &- steadyOffset &* 1_000_000
  }

  @inline(never)
  private static func tooLarge(_ text: UnsafeBufferPointer<UInt8>) -> RowFault {
    RowFault(
      "the time \(unsafe TextCheck.shown(text)) is too large for Unix seconds"
        + " (a column of milliseconds is to be called \"time_ms\", or the time unit stated)", cure: .timeUnit)
  }

  // MARK: - ISO 8601

  /// A time of a common shape at `start`, `YYYY-MM-DDThh:mm:ss[.ffffff]` and `Z` or `±hh:mm`, and where it
  /// ends; `nil` for any other text.
  ///
  /// Nothing at or beyond `start + 32` is read.
  @inline(__always)
  mutating func common(
    _ start: UnsafePointer<UInt8>, end: inout UnsafePointer<UInt8>
  ) -> Int64? {
    // SAFETY: the caller has 32 readable bytes: 19 of date and time, 7 of fraction, 6 of zone.
    let raw = unsafe UnsafeRawPointer(start)
    let head = unsafe raw.loadUnaligned(as: UInt64.self)
    let rest = unsafe raw.loadUnaligned(fromByteOffset: 8, as: UInt16.self)
    if head != date || rest != dateRest {
      guard unsafe setDate(start, head, rest) else { return nil }
    }
    let separator = unsafe start[10]
    guard separator == UInt8(ascii: "T") || separator == UInt8(ascii: " "),
      unsafe start[13] == UInt8(ascii: ":"), unsafe start[16] == UInt8(ascii: ":")
    else { return nil }
    guard let hour = unsafe Self.pair(start + 11, below: 24),
      let minute = unsafe Self.pair(start + 14, below: 60),
      let second = unsafe Self.pair(start + 17, below: 60)
    else { return nil }
    var microseconds = ((hour &* 60 &+ minute) &* 60 &+ second) &* 1_000_000
    var p = unsafe start + 19
    if unsafe p.pointee == UInt8(ascii: ".") {
      unsafe p += 1
      var scale: Int64 = 100_000
      var count = 0
      while count < 6 {
        let digit = unsafe p.pointee &- UInt8(ascii: "0")
        guard digit < 10 else { break }
        microseconds &+= Int64(digit) &* scale
        scale /= 10
        count += 1
        unsafe p += 1
      }
      // More than six digits and a point without digits are rare: the slow path reads them.
      guard count > 0 else { return nil }
    }
    let zone = unsafe p.pointee
    if zone == UInt8(ascii: "Z") {
      unsafe end = p + 1
      return dateStart &+ microseconds
    }
    guard zone == UInt8(ascii: "+") || zone == UInt8(ascii: "-"),
      let hours = unsafe Self.pair(p + 1, below: 24),
      unsafe p[3] == UInt8(ascii: ":"), let minutes = unsafe Self.pair(p + 4, below: 60)
    else { return nil }
    unsafe end = p + 6
    let offset = (hours &* 60 &+ minutes) &* 60_000_000
    return dateStart &+ microseconds &+ (zone == UInt8(ascii: "-") ? offset : -offset)
  }

  @inline(never)
  private mutating func setDate(_ start: UnsafePointer<UInt8>, _ head: UInt64, _ rest: UInt16) -> Bool {
    guard let day = unsafe Self.day(UnsafeBufferPointer(start: start, count: 10)) else { return false }
    date = head
    dateRest = rest
    dateStart = day * Self.microsecondsPerDay
    return true
  }

  @inline(__always)
  private static func pair(_ p: UnsafePointer<UInt8>, below limit: Int64) -> Int64? {
    let tens = unsafe p[0] &- UInt8(ascii: "0")
    let ones = unsafe p[1] &- UInt8(ascii: "0")
    guard tens < 10, ones < 10 else { return nil }
    let value = Int64(tens) &* 10 &+ Int64(ones)
    return value < limit ? value : nil
  }

  private static func separatesDate(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "-") || byte == UInt8(ascii: "/")
  }

  /// The day since 1970-01-01 of ten bytes that spell `YYYY-MM-DD` or `YYYY/MM/DD`; `nil` for anything else.
  private static func day(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
    guard text.count >= 10, let base = text.baseAddress, unsafe separatesDate(text[4]),
      unsafe text[7] == text[4], let century = unsafe pair(base, below: 100),
      let year = unsafe pair(base + 2, below: 100), let month = unsafe pair(base + 5, below: 13),
      let day = unsafe pair(base + 8, below: 32)
    else { return nil }
    return self.day(year: century * 100 + year, month: Int(month), day: Int(day))
  }

  /// The day since 1970-01-01; `nil` for anything else.
  package static func day(year: Int64, month: Int, day: Int) -> Int64? {
    guard (1...12).contains(month), day >= 1 else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let length = month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    return day <= length ? Timestamp.day(year: year, month: month, day: day) : nil
  }

  private mutating func parseISO(_ text: UnsafeBufferPointer<UInt8>) -> RowValue<Timestamp> {
    guard let base = text.baseAddress, text.count >= 16, let day = unsafe Self.day(text),
      [UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: " ")].contains(unsafe text[10]),
      let hour = unsafe Self.pair(base + 11, below: 24), unsafe text[13] == UInt8(ascii: ":"),
      let minute = unsafe Self.pair(base + 14, below: 60)
    else { return unsafe .fault(Self.unreadable(text)) }
    var microseconds = (hour * 60 + minute) * 60_000_000
    var i = 16
    if i < text.count, unsafe text[i] == UInt8(ascii: ":") {
      guard i + 3 <= text.count, let second = unsafe Self.pair(base + i + 1, below: 61) else {
        return unsafe .fault(Self.unreadable(text))
      }
      microseconds += second * 1_000_000
      i += 3
      if i < text.count, unsafe text[i] == UInt8(ascii: ".") || text[i] == UInt8(ascii: ",") {
        i += 1
        let first = i
        var scale: Int64 = 100_000
        while i < text.count, case let digit = unsafe text[i] &- UInt8(ascii: "0"), digit < 10 {
          if i - first < 6 {
            microseconds += Int64(digit) * scale
            scale /= 10
          } else if i - first == 6, digit >= 5 {
            microseconds += 1
          }
          i += 1
        }
        if i == first { return unsafe .fault(Self.unreadable(text)) }
      }
    }
    microseconds += day * Self.microsecondsPerDay
    if i == text.count {
      guard let zone else {
        return .fault(
          RowFault(
            "the time \(unsafe TextCheck.shown(text)) has no zone (Z, or an offset such as +01:00)",
            cure: .utcOffset))
      }
      guard let instant = onlyInstant(ofLocal: microseconds, in: zone) else {
        return .fault("the time \(unsafe TextCheck.shown(text)): \(zone.repeatedFault)")
      }
      return .value(Timestamp(microseconds: instant))
    }
    if unsafe text[i] == UInt8(ascii: " ") { i += 1 }
    switch unsafe ZoneText.offset(UnsafeBufferPointer(rebasing: text[i...])) {
    case .none: return unsafe .fault(Self.unreadable(text))
    case .utc: break
    case .offset(let seconds): microseconds -= Int64(seconds) * 1_000_000
    }
    return .value(Timestamp(microseconds: microseconds))
  }

  @inline(never)
  private static func unreadable(_ text: UnsafeBufferPointer<UInt8>) -> RowFault {
    "the time \(unsafe TextCheck.shown(text)) cannot be read: a time such as 2023-11-14T22:13:20Z is expected"
  }
}
