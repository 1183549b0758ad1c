internal import VicinityCrossings

/// How times of a column become microseconds since 1970.
struct ArrowTime: Sendable {
  private enum Unit {
    case microseconds, nanoseconds
    /// Whole numbers of so many microseconds each.
    case coarser(Int64)
    /// Seconds as floating-point numbers.
    case fractional
  }

  private let unit: Unit

  /// - Parameter takesNaive: Whether timestamps without a zone are taken for UTC.
  /// - Throws: ``Failure`` for a column that holds no times, or times that state no zone.
  init(_ field: ArrowField, takesNaive: Bool) throws(Failure) {
    switch field.type {
    case .timestamp(let perSecond, let zone):
      guard takesNaive || !zone.isEmpty else {
        throw .schema(
          field.name, "its timestamps state no zone; give them one, or set the option naive-times to utc")
      }
      unit =
        perSecond == 1_000_000
        ? .microseconds : perSecond == 1_000_000_000 ? .nanoseconds : .coarser(1_000_000 / perSecond)
    case .int: unit = .coarser(1_000_000)
    case .float: unit = .fractional
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
        guard !overflow else { throw column.fault(i, "the time \(column.integer(i)) does not fit") }
        result.append(value)
      }
    case .fractional:
      for i in range {
        let value = column.number(i)
        guard let time = Timestamp(seconds: value) else {
          throw column.fault(i, "the time \(value) s does not fit")
        }
        result.append(time.microseconds)
      }
    }
  }
}
