extension Timestamp {
  /// Earlier than any other instant.
  package static let distantPast = Timestamp(microseconds: .min)

  /// Later than any other instant.
  package static let distantFuture = Timestamp(microseconds: .max)

  /// The instant some seconds later, rounded to a microsecond; ``distantFuture`` when it does not fit.
  @inlinable
  package func advanced(bySeconds seconds: Double) -> Timestamp {
    guard let step = Int64(exactly: (seconds * 1e6).rounded()) else {
      return Timestamp(microseconds: .max)
    }
    let (sum, overflow) = microseconds.addingReportingOverflow(step)
    return Timestamp(microseconds: overflow ? .max : sum)
  }
}
