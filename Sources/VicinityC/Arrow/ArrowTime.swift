internal import VicinityCrossings

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
  }

  /// Numbers of a greater magnitude are no seconds since 1970 but some other unit, as in files.
  private static let maximumSeconds = 1e11

  private let unit: Unit

  /// - Parameter takesNaive: Whether timestamps without a zone are taken for UTC.
  /// - Throws: ``Failure`` for a column that holds no times, or times that state no zone.
  init(_ field: ArrowField, takesNaive: Bool) throws(Failure) {
    let isMilliseconds = Columns.timeInMilliseconds.contains(FieldNames.normalized(field.name))
    switch field.type {
    case .timestamp(let perSecond, let zone):
      guard takesNaive || !zone.isEmpty else {
        throw .schema(
          field.name,
          "its timestamps state no zone; give them one, or set the option naive-times (in Python naive_times) to utc"
        )
      }
      unit =
        perSecond == 1_000_000
        ? .microseconds : perSecond == 1_000_000_000 ? .nanoseconds : .coarser(1_000_000 / perSecond)
    case .int: unit = isMilliseconds ? .coarser(1000) : .seconds
    case .float, .decimal: unit = .fractional(isMilliseconds ? 1000 : 1_000_000)
    default:
      throw .schema(
        field.name, "timestamps or numbers (seconds since 1970) are expected, not \(field.type.words)")
    }
  }

  /// Writes the times of a range's rows, rounded to the microsecond, halves up.
  ///
  /// - Throws: ``Failure`` for the first that does not fit.
  func copy(_ column: ArrowColumn, _ range: Range<Int>, to result: inout [Int64]) throws(Failure) {
    result.removeAll(keepingCapacity: true)
    switch unit {
    case .microseconds: for i in range { result.append(column.long(i)) }
    case .nanoseconds:
      for i in range {
        let (quotient, rest) = column.long(i).quotientAndRemainder(dividingBy: 1000)
        result.append(quotient + (rest >= 500 ? 1 : rest < -500 ? -1 : 0))
      }
    case .coarser(let factor):
      for i in range {
        let (value, overflow) = column.integer(i).multipliedReportingOverflow(by: factor)
        guard !overflow else { throw column.fault(i, "the time \(column.wholeText(i)) does not fit") }
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
        guard let time = Int64(exactly: (value * microseconds).rounded()) else {
          throw column.fault(i, "the time \(value) does not fit")
        }
        result.append(time)
      }
    }
  }

  private static func tooLarge(_ column: ArrowColumn, _ i: Int, _ value: String) -> Failure {
    column.fault(
      i,
      "the time \(value) is too large for Unix seconds (a column of milliseconds is to be called \"time_ms\")"
    )
  }
}
