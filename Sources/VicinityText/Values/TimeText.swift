package import VicinityCrossings

/// Writes instants as ISO 8601 in UTC, to the millisecond, as `Timestamp` describes itself.
///
/// Keeps the text of the last date, as consecutive times are mostly of one day.
package struct TimeText: Sendable {
  private var day = Int64.max
  /// `YYYY-MM-DDT` of `day`.
  private var date: [UInt8] = []

  package init() {}

  /// Appends `time`.
  ///
  /// - Complexity: O(1)
  package mutating func append(_ time: Timestamp, to text: inout [UInt8]) {
    let total = time.milliseconds
    // Rounded down.
    let day = total >= 0 ? total / 86_400_000 : -((86_399_999 - total) / 86_400_000)
    if day != self.day { setDay(day, of: time) }
    let inDay = UInt32(truncatingIfNeeded: total - day * 86_400_000)
    text.append(contentsOf: date)
    let (minutes, milliseconds) = inDay.quotientAndRemainder(dividingBy: 60_000)
    // Thirteen bytes: 00:00:00.000Z.
    var clock = SIMD16<UInt8>(repeating: UInt8(ascii: ":"))
    func put(_ value: UInt32, at index: Int) {
      clock[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10)
      clock[index + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10)
    }
    put(minutes / 60, at: 0)
    put(minutes % 60, at: 3)
    put(milliseconds / 1000, at: 6)
    clock[9] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: milliseconds / 100 % 10)
    put(milliseconds % 100, at: 10)
    (clock[8], clock[12]) = (UInt8(ascii: "."), UInt8(ascii: "Z"))
    // SAFETY: the bytes are only read, while they are there.
    unsafe withUnsafeBytes(of: clock) { unsafe text.append(contentsOf: $0.prefix(13)) }
  }

  /// The instant that `text` states as a track's row would: ISO 8601 with a zone, or seconds since 1970; nil
  /// for other text.
  package static func parsed(_ text: String) -> Timestamp? {
    var parser = TimeParser()
    var text = text
    guard case .value(let time) = text.withUTF8({ unsafe parser.parse($0) }) else { return nil }
    return time
  }

  private mutating func setDay(_ day: Int64, of time: Timestamp) {
    var whole: [UInt8] = []
    time.append(to: &whole)
    // The text after the T always has 13 bytes.
    date = Array(whole.dropLast(13))
    self.day = day
  }
}
