/// Looks for a name that several points have: their answers cannot be told apart by it.
///
/// Only the first million points are looked at, as names take memory. Names are compared by hashes of 64
/// bits: of a million different ones, two have one hash once in some 40 million times.
struct RepeatedNames {
  private var seen: Set<UInt64> = []
  /// The last name, as long as all are whole numbers that rise: then none is there twice.
  private var last: Int64? = .min
  private var looked = 0
  /// The first name that an earlier point has too, and its row.
  private(set) var first: (name: String, row: Int)?

  private static let most = 1_000_000

  /// Takes the names of some of a batch's rows, which have been checked.
  mutating func add(_ names: NameColumn, _ range: Range<Int>, firstRow: Int) {
    guard first == nil, looked < Self.most else { return }
    let range = range.prefix(Self.most - looked)
    looked += range.count
    if let last, !names.isText, let greatest = Self.risingEnd(names, range, above: last) {
      self.last = greatest
      return
    }
    last = nil
    seen.reserveCapacity(seen.count + range.count)
    for i in range {
      var hasher = Hasher()
      if names.isText {
        unsafe hasher.combine(bytes: names.column.text(i))
      } else {
        hasher.combine(names.column.whole(i))
      }
      if !seen.insert(UInt64(bitPattern: Int64(hasher.finalize()))).inserted {
        first = (names.text(i), firstRow + i)
        seen = []
        return
      }
    }
  }

  /// The greatest of whole numbers, if each is greater than the one before; otherwise nil.
  private static func risingEnd(_ names: NameColumn, _ range: Range<Int>, above last: Int64) -> Int64? {
    var last = last
    for i in range {
      guard let number = Int64(exactly: names.column.whole(i)), number > last else { return nil }
      last = number
    }
    return last
  }

  /// What to tell people.
  func notes(_ column: String) -> [Note] {
    guard let first else { return [] }
    let text =
      "row \(first.row), column \(column.debugDescription): the identifier \(first.name.debugDescription) is that of an "
      + "earlier point too; where the index of a pandas frame names its points, .reset_index(drop=True) numbers them"
    return [Note(kind: .column, text: text)]
  }
}
