/// Days, parted in two, so that each is judged by a profile that was fitted on the other part.
///
/// Days of one outing alternate in the order of their dates; a day that several outings share goes where the first of them in
/// the alphabet puts it. Nothing of a judged day, of any phone, is in the fit.
struct Folds: Sendable {
  private var folds: [String: Int] = [:]

  init(_ ranges: [MeasuredRange]) {
    var outings: [String: Set<String>] = [:]
    for range in ranges { outings[range.outing, default: []].insert(range.day) }
    for (_, days) in outings.sorted(by: { $0.key < $1.key }) {
      var next = 0
      for day in days.sorted() {
        next = folds[day] ?? next
        folds[day] = next
        next = 1 - next
      }
    }
  }

  /// Which part a range belongs to: 0 or 1.
  func fold(of range: MeasuredRange) -> Int { folds[range.day] ?? 0 }

  /// The days of a part, in order.
  func days(_ fold: Int) -> [String] { folds.filter { $0.value == fold }.keys.sorted() }
}
