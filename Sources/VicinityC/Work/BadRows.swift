internal import Synchronization

/// What becomes of the rows of a stream that cannot be read, or may not follow those before them: an error,
/// or they are left out and listed.
final class BadRows: Sendable {
  /// Whether they are left out.
  let areSkipped: Bool
  private let found = Mutex<(first: [Failure], count: Int)>(([], 0))

  /// So many are listed one by one: what is listed takes memory, and nobody reads more.
  private static let mostListed = 1_000_000
  /// So many rows are tried at once. All but a bad row are tried again: it need not be the first, as columns
  /// are read one after the other.
  private static let rowsAtOnce = 256

  init(areSkipped: Bool) { self.areSkipped = areSkipped }

  /// - Throws: ``Failure`` for another value of the option on-bad-rows than error and skip.
  init(_ options: inout Options) throws(Failure) { areSkipped = try Self.areSkipped(&options) }

  /// Whether the option on-bad-rows says that bad rows are left out.
  static func areSkipped(_ options: inout Options) throws(Failure) -> Bool {
    switch options.text("on-bad-rows") ?? "error" {
    case "error": return false
    case "skip": return true
    case let other:
      throw .argument("option on-bad-rows: error or skip is expected, not \(other.debugDescription)")
    }
  }

  var count: Int { found.withLock(\.count) }

  /// Lists a bad row; throws it where none is skipped, and what is wrong with no single row.
  func add(_ failure: Failure) throws(Failure) {
    guard areSkipped, failure.kind == .data, failure.row != nil else { throw failure }
    found.withLock { found in
      found.count += 1
      if found.first.count < Self.mostListed { found.first.append(failure) }
    }
  }

  /// The stretches of a range without bad rows, which are listed; all of it, not tried, where none is
  /// skipped.
  ///
  /// - Parameters:
  ///   - firstRow: The number in the stream of the row that ranges count as 0.
  ///   - check: Throws for a bad row of a range.
  func goodRanges(
    of range: Range<Int>, firstRow: Int, _ check: (Range<Int>) throws(Failure) -> Void
  ) throws(Failure) -> [Range<Int>] {
    guard areSkipped else { return [range] }
    var good: [Range<Int>] = []
    func keep(_ range: Range<Int>) {
      if range.isEmpty { return }
      if let last = good.last, last.upperBound == range.lowerBound {
        good[good.count - 1] = last.lowerBound..<range.upperBound
      } else {
        good.append(range)
      }
    }
    for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.rowsAtOnce) {
      // The last is tried next.
      var pieces = [start..<min(range.upperBound, start + Self.rowsAtOnce)]
      while let piece = pieces.popLast() {
        if piece.isEmpty { continue }
        do throws(Failure) {
          try check(piece)
          keep(piece)
        } catch {
          guard let bad = error.row.map({ $0 - firstRow }), piece.contains(bad) else { throw error }
          try add(error)
          pieces.append(bad + 1..<piece.upperBound)
          pieces.append(piece.lowerBound..<bad)
        }
      }
    }
    return good
  }

  /// Throws the first bad row where all rows of an input are bad, which no skipping mends.
  func checkAnyLeft(of count: Int) throws(Failure) {
    guard count > 0, self.count >= count, var first = sorted.first else { return }
    first.reason += count == 1 ? "; it is the only row" : "; each of the \(count) rows is bad"
    throw first
  }

  /// What people are told of `count` rows.
  func notes(of count: Int) -> [Note] {
    guard let first = sorted.first else { return [] }
    let number = self.count
    return [
      Note(
        kind: .rejects,
        text:
          "\(number) of \(count) rows \(number == 1 ? "is" : "are") left out as bad\(number == 1 ? "" : ", the first") ("
          + first.message + "); rejects lists \(number == 1 ? "it" : "them")")
    ]
  }

  private var sorted: [Failure] { found.withLock(\.first).sorted { ($0.row ?? 0) < ($1.row ?? 0) } }

  /// The columns row, column and reason, in the order of rows; what more there are stands in a last row
  /// without number.
  ///
  /// - Throws: ``Failure`` where the reasons take more than 2 GB.
  func table() throws(Failure) -> ResultTable {
    let (rows, count) = (sorted, count)
    let more = count - rows.count
    let last: [Failure] = more > 0 ? [.argument("and \(more) more")] : []
    let all = rows + last
    return ResultTable(
      .other,
      [
        OutputField(name: "row", format: "l", isNullable: true),
        OutputField(name: "column", format: "u", isNullable: true), OutputField(name: "reason", format: "u"),
      ],
      [
        .batch(
          all.count,
          [
            .values(all.map { $0.row.map(Int64.init) }), try .texts(all.map(\.column)),
            try .texts(all.map(\.reason)),
          ])
      ])
  }
}
