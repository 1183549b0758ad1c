/// All regions of an index, none, or some.
///
///     options.notifyOnExit = false
///     options.notifyOnEntry = .only(hospitals)
///
/// Whether a region is chosen costs one test of a bit; the bits take an eighth of a byte for each ordinal up
/// to the last one named.
public struct RegionChoice: Hashable, Sendable {
  /// Whether regions are chosen unless their bit is set, or only if it is.
  let isInverted: Bool
  /// A bit for each ordinal; the last word is not zero.
  let words: [UInt64]

  init(isInverted: Bool, words: [UInt64]) {
    self.isInverted = isInverted
    self.words = Array(words.prefix((words.lastIndex { $0 != 0 } ?? -1) + 1))
  }

  private init(_ ordinals: some Sequence<Int>, isInverted: Bool) {
    var words: [UInt64] = []
    // No index has more regions than 32 bits can number: others can be left out.
    for ordinal in ordinals where ordinal >= 0 && ordinal <= Int(UInt32.max) {
      while words.count <= ordinal / 64 {
        words.append(contentsOf: repeatElement(0, count: ordinal / 64 + 1 - words.count))
      }
      words[ordinal / 64] |= 1 << UInt64(ordinal % 64)
    }
    self.init(isInverted: isInverted, words: words)
  }

  /// Every region.
  public static let all = RegionChoice(isInverted: true, words: [])
  /// No region.
  public static let none = RegionChoice(isInverted: false, words: [])

  /// The regions with these ordinals; ones that no region has choose none.
  public static func only(_ ordinals: some Sequence<Int>) -> RegionChoice {
    RegionChoice(ordinals, isInverted: false)
  }

  /// All regions but the ones with these ordinals.
  public static func allExcept(_ ordinals: some Sequence<Int>) -> RegionChoice {
    RegionChoice(ordinals, isInverted: true)
  }

  /// The ordinals whose bits are set, ascending.
  var named: [Int] {
    words.indices.flatMap { word in
      (0..<64).filter { words[word] >> UInt64($0) & 1 != 0 }.map { 64 * word + $0 }
    }
  }

  /// Whether the region with an ordinal is chosen.
  ///
  /// - Complexity: O(1)
  public func contains(_ ordinal: Int) -> Bool {
    guard ordinal >= 0, ordinal / 64 < words.count else { return isInverted }
    return (words[ordinal / 64] >> UInt64(ordinal % 64) & 1 != 0) != isInverted
  }
}

extension RegionChoice: ExpressibleByBooleanLiteral {
  /// All regions, or none.
  public init(booleanLiteral value: Bool) { self = value ? .all : .none }
}
