import VicinityCalibration
import VicinityFormats

/// Values that measurements may have. Others are refused, because a fit to them would be called measured.
extension NamedRows {
  /// Per cent an hour: with more, the battery is empty before the hour is over.
  private static let greatestDrain = 100.0
  /// How far outside its range a row may be, seconds: clocks, and notes of a day out, are not exact.
  private static let slack = 600.0
  /// Rounding may put a full battery above 100 %, by less than this.
  private static let rounding = 0.5
  /// Lengths in hours have two decimals.
  private static let hoursRounding = 0.02

  /// The number in a column, which is not negative; nil for an empty cell.
  mutating func notNegative(_ name: String) throws -> Double? {
    guard let value = try number(name) else { return nil }
    guard value >= 0 else { throw fault("\(name) is \(text(name)), and cannot be negative") }
    return value
  }

  /// The fall of a level, per cent an hour; nil for an empty cell.
  mutating func drain(_ name: String) throws -> Double? {
    guard let value = try number(name) else { return nil }
    guard value >= 0 else {
      throw fault(
        """
        \(name) is \(text(name)), and cannot be negative: it is above 0 if the level falls. Leave out ranges \
        in which the phone was charged
        """)
    }
    guard value <= Self.greatestDrain else {
      throw fault("\(name) is \(text(name)): per cent an hour are expected, 0 to 100")
    }
    return value
  }

  /// A length of time in hours, of a range that lasts from a start to an end; nil for an empty cell.
  mutating func hours(_ name: String, from start: Double, to end: Double) throws -> Double? {
    guard let value = try notNegative(name) else { return nil }
    let most = (end - start) / 3600
    guard value <= most + Self.hoursRounding else {
      throw fault("\(name) is \(text(name)), and the range lasts only \((most * 100).rounded() / 100) hours")
    }
    return value
  }

  /// A battery's level, per cent; nil for an empty cell.
  mutating func level(_ name: String) throws -> Double? {
    guard let value = try number(name) else { return nil }
    guard value != -1, value != -100 else {
      throw fault(
        """
        \(name) is \(text(name)): while iOS does not know the level it gives -1, which is -100 per cent. \
        Leave such rows out
        """)
    }
    guard (0..<100 + Self.rounding).contains(value) else {
      throw fault("\(name) is \(text(name)): per cent are expected, 0 to 100")
    }
    return min(value, 100)
  }

  /// The time in a column; nil for an empty cell.
  mutating func time(_ name: String, of range: MeasuredRange) throws -> Double? {
    guard let time = try number(name) else { return nil }
    try check(time, of: range, text(name))
    return time
  }

  /// Checks that a time is within the range that the row is of: one in milliseconds is not.
  func check(_ time: Double, of range: MeasuredRange, _ text: String) throws {
    guard time >= range.start - Self.slack, time <= range.end + Self.slack else {
      throw fault(
        """
        the time \(text) is not within range \(range.identifier), from \(Int(range.start)) to \
        \(Int(range.end)): seconds since 1970 are expected
        """)
    }
  }
}
