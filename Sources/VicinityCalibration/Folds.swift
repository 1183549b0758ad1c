/// Days, each of which is judged by profiles that were fitted on all the others.
///
/// A range counts to the day that it ended on, as a night does to the day that it leads to: so no two nights share a day.
/// Nothing of a judged day, of any phone, is in the fit.
struct Folds: Sendable {
  /// In order.
  let days: [String]

  init(_ ranges: [MeasuredRange]) { days = Set(ranges.map(\.day)).sorted() }

  /// Whether a range may be fitted when a day is judged.
  func isFitted(_ range: MeasuredRange, judging day: String) -> Bool { range.day != day }
}
