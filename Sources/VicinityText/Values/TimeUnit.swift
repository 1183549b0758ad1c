/// What numbers that stand for times count.
public enum TimeUnit: String, CaseIterable, Hashable, Sendable {
  /// Seconds since 1970, UTC.
  case seconds
  /// Milliseconds since 1970, UTC.
  case milliseconds
  /// Microseconds since 1970, UTC.
  case microseconds
  /// Nanoseconds since 1970, UTC.
  case nanoseconds
  /// A spreadsheet's days: 1 is 31 December 1899, 25569 is 1 January 1970. They state no zone, as text
  /// without one does, so that ``ReadingOptions/zone`` is needed. Rounded to the millisecond, as spreadsheets
  /// show them.
  case days
  /// The days of spreadsheets that count from 1 January 1904, which is 0; otherwise like ``days``.
  case days1904 = "days-1904"
  /// Days since 1970, UTC, rounded to the millisecond.
  case unixDays = "unix-days"

  /// The unit of this name, or of its short form: `s`, `ms`, `us`, `ns`.
  public init?(name: String) {
    let short: [String: TimeUnit] = [
      "s": .seconds, "ms": .milliseconds, "us": .microseconds, "ns": .nanoseconds,
    ]
    guard let unit = TimeUnit(rawValue: name) ?? short[name] else { return nil }
    self = unit
  }

  /// Whether it counts days, and so cannot tell what the clock of UTC showed.
  package var isLocal: Bool { self == .days || self == .days1904 }

  /// How many digits behind the point make a microsecond; `nil` for days.
  package var decimals: Int? {
    switch self {
    case .seconds: 6
    case .milliseconds: 3
    case .microseconds, .nanoseconds: 0
    case .days, .days1904, .unixDays: nil
    }
  }

  /// Seconds in the unit.
  var seconds: Double {
    switch self {
    case .seconds: 1
    case .milliseconds: 1e-3
    case .microseconds: 1e-6
    case .nanoseconds: 1e-9
    case .days, .days1904, .unixDays: 86_400
    }
  }

  /// Days from the first day of the count to 1 January 1970.
  package var daysBefore1970: Double {
    switch self {
    case .days: 25_569
    case .days1904: 24_107
    default: 0
    }
  }
}
