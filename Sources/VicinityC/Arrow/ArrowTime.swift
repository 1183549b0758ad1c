internal import VicinityCrossings

/// How times of a column become microseconds since 1970.
struct ArrowTime: Sendable {
  private let type: ArrowType

  /// - Parameter takesNaive: Whether timestamps without a zone are taken for UTC.
  /// - Throws: ``Failure`` for a column that holds no times, or times that state no zone.
  init(_ field: ArrowField, takesNaive: Bool) throws(Failure) {
    type = field.type
    switch field.type {
    case .timestamp(_, let zone):
      guard takesNaive || !zone.isEmpty else {
        throw .schema(
          field.name, "its timestamps state no zone; give them one, or set the option naive-times to utc")
      }
    case .int, .float: return
    default:
      throw .schema(
        field.name, "timestamps or numbers (seconds since 1970) are expected, not \(field.type.words)")
    }
  }

  /// The time in a row, rounded to the microsecond, halves up.
  ///
  /// - Throws: ``Failure`` for one that does not fit.
  @inline(__always)
  func microseconds(_ column: ArrowColumn, _ i: Int) throws(Failure) -> Int64 {
    if case .timestamp(let perSecond, _) = type {
      let value = column.integer(i)
      if perSecond == 1_000_000 { return value }
      if perSecond == 1_000_000_000 {
        let (quotient, rest) = value.quotientAndRemainder(dividingBy: 1000)
        return quotient + (rest >= 500 ? 1 : rest < -500 ? -1 : 0)
      }
      let (result, overflow) = value.multipliedReportingOverflow(by: 1_000_000 / perSecond)
      guard !overflow else { throw column.fault(i, "the time \(value) does not fit") }
      return result
    }
    if case .int = type {
      let (result, overflow) = column.integer(i).multipliedReportingOverflow(by: 1_000_000)
      guard !overflow else { throw column.fault(i, "the time \(column.integer(i)) s does not fit") }
      return result
    }
    let value = column.number(i)
    guard let time = Timestamp(seconds: value) else {
      throw column.fault(i, "the time \(value) s does not fit")
    }
    return time.microseconds
  }
}
