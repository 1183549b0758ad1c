internal import VicinityIndex

/// A whole number of up to 64 bits beside its sign: what the identifiers of regions may be.
struct WholeNumber {
  private var isNegative: Bool
  private var magnitude: UInt64

  /// The whole number that a text is, in the one way to write it: no two texts are one number.
  init?(_ text: UnsafeRawBufferPointer) {
    isNegative = unsafe text.first == UInt8(ascii: "-")
    let start = isNegative ? 1 : 0
    let digits = text.count - start
    guard (1...20).contains(digits) else { return nil }
    if unsafe text[start] == UInt8(ascii: "0"), isNegative || digits > 1 { return nil }
    magnitude = 0
    for i in start..<start + digits {
      let digit = unsafe text[i] &- UInt8(ascii: "0")
      let (tens, isTooMuch) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, isMore) = tens.addingReportingOverflow(UInt64(digit))
      guard digit < 10, !isTooMuch, !isMore else { return nil }
      magnitude = sum
    }
  }

  /// The number as 64 bits; nil where it does not fit.
  func bits(areSigned: Bool) -> Int64? {
    guard areSigned else { return isNegative ? nil : Int64(bitPattern: magnitude) }
    if isNegative { return magnitude <= 1 << 63 ? Int64(bitPattern: 0 &- magnitude) : nil }
    return Int64(exactly: magnitude)
  }

  // MARK: Of regions

  /// What stands for an identifier that is no whole number. It is a number as well: only an identifier that
  /// has it is looked at again.
  private static let none = Int64.min

  private static func bits(_ index: RegionIndex, _ ordinal: Int, _ areSigned: Bool) -> Int64 {
    unsafe WholeNumber(index.identifierBytes(of: ordinal))?.bits(areSigned: areSigned) ?? none
  }

  /// The numbers of all regions, by ordinal, eight bytes each.
  static func all(of index: RegionIndex, areSigned: Bool, threads: Int) -> ArrowBuffer? {
    ParallelColumns.values(index.count, threads: threads) { bits(index, $0, areSigned) }.buffers[1]
  }

  /// A column of the numbers of regions.
  ///
  /// - Parameters:
  ///   - numbers: Those of all regions; nil where each is to be read from its identifier.
  ///   - ordinal: The region of a row.
  /// - Throws: ``Failure`` for the first that is none, or does not fit.
  static func column(
    _ count: Int, of index: RegionIndex, areSigned: Bool, threads: Int, numbers: ArrowBuffer?,
    _ ordinal: @Sendable (Int) -> Int
  ) throws(Failure) -> ArrowNode {
    let node =
      if let numbers {
        ParallelColumns.values(count, threads: threads) { row in
          unsafe numbers.base.load(fromByteOffset: 8 * ordinal(row), as: Int64.self)
        }
      } else {
        ParallelColumns.values(count, threads: threads) { row in bits(index, ordinal(row), areSigned) }
      }
    guard let values = node.buffers[1] else { return node }
    // SAFETY: the buffer has `count` values.
    let base = unsafe values.base.assumingMemoryBound(to: Int64.self)
    for row in 0..<count where unsafe base[row] == none {
      let text = unsafe index.identifierBytes(of: ordinal(row))
      let number = unsafe WholeNumber(text)
      if number?.bits(areSigned: areSigned) != nil { continue }
      let limits =
        number == nil ? "" : areSigned ? " of int64; region-numbers=unsigned gives uint64" : " of uint64"
      let quoted = unsafe String(decoding: text, as: UTF8.self).debugDescription
      throw .argument("option region-numbers: the identifier \(quoted) is no whole number\(limits)")
    }
    return node
  }
}
