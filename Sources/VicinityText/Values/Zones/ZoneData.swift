internal import VicinityCrossings

/// A change of a zone's offset.
struct ZoneTransition: Hashable, Sendable {
  /// Seconds since 1970-01-01, UTC.
  var time: Int64
  /// The offset from then on, seconds east of UTC.
  var offset: Int64
  /// Whether a rule for all later years made it.
  var isRule = false
}

/// The contents of a file of time zone data (TZif, RFC 8536): the transitions of a zone, those that its rule
/// makes included.
struct ZoneData {
  /// The offset until the first transition, seconds east of UTC.
  private(set) var firstOffset: Int64 = 0
  /// In the order of their times.
  private(set) var transitions: [ZoneTransition] = []

  /// The most transitions a file may state; zones have some two hundred.
  private static let mostTransitions = 1 << 14
  /// A rule is written out for so many years after the last transition: a whole cycle of the calendar and
  /// some.
  private static let ruleYears: Int64 = 410

  /// The contents of a file; `nil` where it is damaged.
  init?(_ bytes: [UInt8]) {
    var reader = Reader(bytes: bytes[...])
    guard let first = reader.header() else { return nil }
    if first.version == 0 {
      guard read(&reader, first, timeByteCount: 4) else { return nil }
      return
    }
    // The same again with 64 bits for a time, and a rule.
    guard reader.skip(first.byteCount(timeByteCount: 4)), let second = reader.header(),
      read(&reader, second, timeByteCount: 8)
    else { return nil }
    guard let rule = reader.line() else { return nil }
    if rule.isEmpty { return }
    guard let rule = ZoneRule(rule) else { return nil }
    append(rule)
  }

  private mutating func read(_ reader: inout Reader, _ header: Reader.Header, timeByteCount: Int) -> Bool {
    // Zones that count leap seconds are not those of POSIX time.
    guard header.times <= Self.mostTransitions, (1...256).contains(header.types), header.leaps == 0 else {
      return false
    }
    var times: [Int64] = []
    for _ in 0..<header.times {
      guard let time = reader.integer(timeByteCount), time.magnitude < 1 << 59 else { return false }
      if let last = times.last, time <= last { return false }
      times.append(time)
    }
    var kinds: [Int] = []
    for _ in 0..<header.times {
      guard let kind = reader.integer(1), case let index = Int(kind) & 0xFF, index < header.types else {
        return false
      }
      kinds.append(index)
    }
    var offsets: [Int64] = []
    for _ in 0..<header.types {
      guard let offset = reader.integer(4), offset.magnitude < 93_600, reader.skip(2) else { return false }
      offsets.append(offset)
    }
    guard reader.skip(header.rest(timeByteCount: timeByteCount)) else { return false }
    firstOffset = offsets[0]
    transitions = zip(times, kinds).map { ZoneTransition(time: $0, offset: offsets[$1]) }
    return true
  }

  /// Writes the transitions of `rule` out, from the last transition on.
  private mutating func append(_ rule: ZoneRule) {
    guard let summer = rule.summer else {
      // One offset for good; most often that of the last transition.
      if transitions.isEmpty { firstOffset = rule.offset }
      return
    }
    let last = transitions.last?.time
    // A rule without transitions before it begins with the era.
    let year = last.map { Timestamp.civil(day: min(max($0, -1 << 40), 1 << 40) / 86_400).year - 1 } ?? 1970
    if last == nil { firstOffset = rule.offset }
    var made: [ZoneTransition] = []
    for year in year...year + Self.ruleYears {
      made.append(
        ZoneTransition(
          time: rule.start(of: summer.from, year) - rule.offset, offset: summer.offset, isRule: true))
      made.append(
        ZoneTransition(
          time: rule.start(of: summer.to, year) - summer.offset, offset: rule.offset, isRule: true))
    }
    made.sort { $0.time < $1.time }
    for transition in made where transition.time > last ?? .min {
      if let previous = transitions.last, previous.time >= transition.time { continue }
      transitions.append(transition)
    }
  }

  /// Reads numbers, the most significant byte first.
  private struct Reader {
    struct Header {
      var version: UInt8
      var utcs: Int
      var standards: Int
      var leaps: Int
      var times: Int
      var types: Int
      var characters: Int

      /// What comes behind the transitions and their offsets, bytes.
      func rest(timeByteCount: Int) -> Int { characters + leaps * (timeByteCount + 4) + standards + utcs }

      /// The whole block without its header, bytes.
      func byteCount(timeByteCount: Int) -> Int {
        times * (timeByteCount + 1) + types * 6 + rest(timeByteCount: timeByteCount)
      }
    }

    var bytes: ArraySlice<UInt8>

    mutating func skip(_ count: Int) -> Bool {
      guard count >= 0, count <= bytes.count else { return false }
      bytes = bytes.dropFirst(count)
      return true
    }

    /// The next `count` bytes, 1 to 8, as a signed number.
    mutating func integer(_ count: Int) -> Int64? {
      guard bytes.count >= count else { return nil }
      var value: Int64 = 0
      for (i, byte) in bytes.prefix(count).enumerated() {
        value = i == 0 ? Int64(Int8(bitPattern: byte)) : value << 8 | Int64(byte)
      }
      bytes = bytes.dropFirst(count)
      return value
    }

    mutating func header() -> Header? {
      guard bytes.starts(with: "TZif".utf8), skip(4), let version = bytes.first, skip(16) else { return nil }
      var counts: [Int] = []
      for _ in 0..<6 {
        guard let count = integer(4), count >= 0, count <= 1 << 20 else { return nil }
        counts.append(Int(count))
      }
      return Header(
        version: version, utcs: counts[0], standards: counts[1], leaps: counts[2], times: counts[3],
        types: counts[4], characters: counts[5])
    }

    /// The text between two line feeds.
    mutating func line() -> [UInt8]? {
      guard bytes.first == UInt8(ascii: "\n"), let end = bytes.dropFirst().firstIndex(of: UInt8(ascii: "\n"))
      else {
        return nil
      }
      return Array(bytes[(bytes.startIndex + 1)..<end])
    }
  }
}

/// The rule of a zone for all years to come, as POSIX writes it: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct ZoneRule {
  /// A day of each year, and a time of that day.
  struct Day: Equatable {
    enum Kind: Equatable {
      /// 1...365, 29 February never counted.
      case julian(Int)
      /// 0...365, 29 February counted.
      case zeroBased(Int)
      /// The `week`th `weekday` (0 is Sunday) of `month`; the fifth is the last.
      case weekday(month: Int, week: Int, weekday: Int)
    }
    var kind: Kind
    /// Seconds from midnight; may be negative, or more than a day.
    var time: Int64 = 7200
  }

  /// The offset of standard time, seconds east of UTC.
  let offset: Int64
  /// When summer time begins and ends, by the clock until then, and its offset.
  let summer: (from: Day, to: Day, offset: Int64)?

  /// Of offsets, by RFC 8536, 3.3; times of a change may be up to a week away from their day.
  private static let offsetHours = 0...24

  init?(_ text: [UInt8]) {
    var parser = Parser(rest: text[...])
    guard parser.name(), let west = parser.time(hours: Self.offsetHours) else { return nil }
    offset = -west
    if parser.rest.isEmpty {
      summer = nil
      return
    }
    guard parser.name() else { return nil }
    var summerOffset = -west + 3600
    if parser.rest.first != UInt8(ascii: ",") {
      guard let west = parser.time(hours: Self.offsetHours) else { return nil }
      summerOffset = -west
    }
    guard parser.take(","), let from = parser.day(), parser.take(","), let to = parser.day(),
      parser.rest.isEmpty
    else {
      return nil
    }
    summer = (from, to, summerOffset)
  }

  /// When `day` of `year` begins, and its time, in seconds since 1970-01-01 by the clock until then.
  func start(of day: Day, _ year: Int64) -> Int64 {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let first = Timestamp.day(year: year, month: 1, day: 1)
    let number: Int64
    switch day.kind {
    case .julian(let day): number = first + Int64(day) - 1 + (isLeap && day >= 60 ? 1 : 0)
    case .zeroBased(let day): number = first + Int64(day)
    case .weekday(let month, let week, let weekday):
      let start = Timestamp.day(year: year, month: month, day: 1)
      let next =
        month == 12
        ? Timestamp.day(year: year + 1, month: 1, day: 1)
        : Timestamp.day(year: year, month: month + 1, day: 1)
      // 1970-01-01 was a Thursday.
      let firstWeekday = ((start + 4) % 7 + 7) % 7
      var found = start + (Int64(weekday) - firstWeekday + 7) % 7 + Int64(week - 1) * 7
      while found >= next { found -= 7 }
      number = found
    }
    return number * 86_400 + day.time
  }

  private struct Parser {
    var rest: ArraySlice<UInt8>

    mutating func take(_ character: Character) -> Bool {
      guard let byte = character.asciiValue, rest.first == byte else { return false }
      rest = rest.dropFirst()
      return true
    }

    /// Letters, or anything between angle brackets.
    mutating func name() -> Bool {
      if take("<") {
        guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
        rest = rest[(end + 1)...]
        return true
      }
      let letters = rest.prefix { $0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z") }
      rest = rest.dropFirst(letters.count)
      return letters.count >= 3
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int? {
      let digits = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }
      guard (1...3).contains(digits.count) else { return nil }
      rest = rest.dropFirst(digits.count)
      let value = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
      return range.contains(value) ? value : nil
    }

    /// `[±]hh[:mm[:ss]]`, seconds.
    mutating func time(hours range: ClosedRange<Int>) -> Int64? {
      let isNegative = take("-")
      if !isNegative { _ = take("+") }
      guard let hours = number(range) else { return nil }
      var seconds = hours * 3600
      for unit in [60, 1] where take(":") {
        guard let value = number(0...59) else { return nil }
        seconds += value * unit
      }
      return Int64(isNegative ? -seconds : seconds)
    }

    mutating func day() -> Day? {
      var day: Day
      if take("M") {
        guard let month = number(1...12), take("."), let week = number(1...5), take("."),
          let weekday = number(0...6)
        else { return nil }
        day = Day(kind: .weekday(month: month, week: week, weekday: weekday))
      } else if take("J") {
        guard let number = number(1...365) else { return nil }
        day = Day(kind: .julian(number))
      } else {
        guard let number = number(0...365) else { return nil }
        day = Day(kind: .zeroBased(number))
      }
      if take("/") {
        guard let time = time(hours: 0...167) else { return nil }
        day.time = time
      }
      return day
    }
  }
}
