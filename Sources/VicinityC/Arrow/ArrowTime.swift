internal import VicinityCrossings
internal import VicinityText

/// How times of a column become microseconds since 1970.
struct ArrowTime: Sendable {
  private enum Unit {
    case microseconds, nanoseconds
    /// Whole numbers of so many microseconds each.
    case coarser(Int64)
    /// Whole numbers of seconds since 1970.
    case seconds
    /// Numbers with a fraction, so many microseconds each.
    case fractional(Double)
    /// Whole numbers of nanoseconds.
    case wholeNanoseconds
    case days(TimeUnit)
  }

  /// Numbers of a greater magnitude are no seconds since 1970 but some other unit, as in files.
  private static let maximumSeconds = 1e11

  private let unit: Unit

  /// - Parameters:
  ///   - given: What numbers count; nil where the column's name says.
  ///   - takesNaive: Whether times that state no zone are taken for UTC: timestamps, and a spreadsheet's days.
  /// - Throws: ``Failure`` for a column that holds no times, or times that state no zone.
  init(_ field: ArrowField, _ given: TimeUnit?, takesNaive: Bool) throws(Failure) {
    let isNamed = Columns.timeInMilliseconds.contains(FieldNames.normalized(field.name))
    let counted = given ?? (isNamed ? .milliseconds : .seconds)
    switch field.type {
    case .timestamp(let perSecond, let zone):
      guard given == nil else {
        throw .schema(
          field.name,
          "its timestamps have a unit of their own; the option time-unit (in Python time_unit) is for numbers"
        )
      }
      guard takesNaive || !zone.isEmpty else {
        throw .schema(
          field.name,
          "its timestamps state no zone; give them one, or set the option naive-times (in Python naive_times) to utc"
        )
      }
      unit =
        perSecond == 1_000_000
        ? .microseconds : perSecond == 1_000_000_000 ? .nanoseconds : .coarser(1_000_000 / perSecond)
    case .int, .float, .decimal:
      let isWhole = if case .int = field.type { true } else { false }
      switch counted {
      case .seconds: unit = isWhole ? .seconds : .fractional(1_000_000)
      case .milliseconds: unit = isWhole ? .coarser(1000) : .fractional(1000)
      case .microseconds: unit = isWhole ? .coarser(1) : .fractional(1)
      case .nanoseconds: unit = isWhole ? .wholeNanoseconds : .fractional(1e-3)
      case .days, .days1904, .unixDays:
        guard takesNaive || !counted.isLocal else {
          throw .schema(
            field.name,
            "a spreadsheet's days state no zone; set the option naive-times (in Python naive_times) to utc where they are UTC"
          )
        }
        unit = .days(counted)
      }
    default:
      throw .schema(
        field.name,
        "timestamps or numbers (seconds since 1970) are expected, not \(field.type.words)"
          + Self.cure(of: field.type))
    }
  }

  /// How times are made of what a column has, if there is a way.
  private static func cure(of type: ArrowType) -> String {
    switch type {
    case _ where type.isText:
      "; pandas reads text as times by pd.to_datetime(column, utc=True) where it states a zone, and by "
        + "pd.to_datetime(column).dt.tz_localize(zone) where it does not; polars does by "
        + ".str.to_datetime(time_zone=\"UTC\"), and by .str.to_datetime(time_zone=zone)"
    case .other("tdD"), .other("tdm"):
      "; a fix needs the time of day, too; the midnights of dates are pd.to_datetime(column).dt.tz_localize(zone) in pandas, "
        + "and .cast(pl.Datetime).dt.replace_time_zone(zone) in polars"
    case .other("tDs"), .other("tDm"), .other("tDu"), .other("tDn"):
      "; add when they begin, a time with a zone"
    case .other("tts"), .other("ttm"), .other("ttu"), .other("ttn"): "; put the day before them, and a zone"
    default: ""
    }
  }

  /// Writes the times of a range's rows, rounded to the microsecond, halves up.
  ///
  /// - Throws: ``Failure`` for the first that does not fit.
  func copy(_ column: ArrowColumn, _ range: Range<Int>, to result: inout [Int64]) throws(Failure) {
    result.removeAll(keepingCapacity: true)
    switch unit {
    case .microseconds: for i in range { result.append(try Self.finite(column, i)) }
    case .nanoseconds:
      for i in range { result.append(Self.microseconds(ofNano: try Self.finite(column, i))) }
    case .wholeNanoseconds:
      for i in range {
        let whole = column.whole(i)
        guard let value = Int64(exactly: whole), value != .min else {
          throw column.fault(i, "the time \(whole) does not fit")
        }
        result.append(Self.microseconds(ofNano: value))
      }
    case .coarser(let factor):
      for i in range {
        let (value, overflow) = column.integer(i).multipliedReportingOverflow(by: factor)
        // The greatest number stands for all greater ones, and the least one for no time at all.
        guard !overflow, column.integer(i) != .max, column.integer(i) != .min else {
          throw column.fault(i, "the time \(column.wholeText(i)) does not fit")
        }
        result.append(value)
      }
    case .seconds:
      for i in range {
        let value = column.integer(i)
        guard value.magnitude <= UInt64(Self.maximumSeconds) else {
          throw Self.tooLarge(column, i, column.wholeText(i))
        }
        result.append(value * 1_000_000)
      }
    case .fractional(let microseconds):
      for i in range {
        let value = column.number(i)
        if microseconds == 1_000_000, value.magnitude > Self.maximumSeconds {
          throw Self.tooLarge(column, i, "\(value)")
        }
        // Milliseconds are not divided first, which would round them.
        guard let time = Int64(exactly: (value * microseconds).rounded()), time != .min else {
          throw column.fault(i, "the time \(value) does not fit")
        }
        result.append(time)
      }
    case .days(let unit):
      for i in range {
        let value = column.number(i)
        // To the millisecond, as in files.
        let milliseconds = ((value - unit.daysBefore1970) * 86_400_000).rounded()
        guard milliseconds.magnitude <= Self.maximumSeconds * 1000 else {
          throw column.fault(i, "the time \(value) is out of range for days")
        }
        result.append(Int64(milliseconds) * 1000)
      }
    }
  }

  /// A timestamp that is an instant: databases write infinity as the greatest number, its opposite as the
  /// least.
  private static func finite(_ column: ArrowColumn, _ i: Int) throws(Failure) -> Int64 {
    let value = column.long(i)
    guard value != .max, value != .min else {
      let words = value > 0 ? "infinity" : "-infinity"
      throw column.fault(
        i, "the time is \(words), which is no instant; leave such rows out or give them a time")
    }
    return value
  }

  /// Rounded to the nearest, halves up.
  private static func microseconds(ofNano nanoseconds: Int64) -> Int64 {
    let (quotient, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1000)
    return quotient + (rest >= 500 ? 1 : rest < -500 ? -1 : 0)
  }

  private static func tooLarge(_ column: ArrowColumn, _ i: Int, _ value: String) -> Failure {
    column.fault(
      i,
      "the time \(value) is too large for Unix seconds (a column of milliseconds is to be called \"time_ms\", or the option "
        + "time-unit, in Python time_unit, says what it counts)"
    )
  }
}
