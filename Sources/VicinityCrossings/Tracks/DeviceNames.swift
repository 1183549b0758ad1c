internal import VicinityIndex

/// Dense numbers for the names of devices: the first name is 0, the next new one 1, and so on.
///
/// Names are bytes in UTF-8, kept one after the other: their length and at most 48 bytes more for each.
public struct DeviceNames: Sendable {
  private var seen = SeenIdentifiers()
  private var bytes: [UInt8] = []
  /// Where each name ends in `bytes`.
  private var ends: [Int] = []

  public init() {}

  /// How many names there are.
  public var count: Int { ends.count }

  /// The name with a number.
  ///
  /// - Precondition: `0 <= number < count`.
  public subscript(number: Int) -> String { String(decoding: utf8(of: number), as: UTF8.self) }

  /// The name with a number, as bytes of UTF-8.
  ///
  /// - Precondition: `0 <= number < count`.
  public func utf8(of number: Int) -> ArraySlice<UInt8> { bytes[Self.range(of: number, ends)] }

  /// The number of a name, which gets the next one when it is new.
  ///
  /// - Complexity: O(length), amortised
  @discardableResult
  public mutating func insert(_ name: String) -> Int {
    var name = name
    return name.withUTF8 { unsafe insert($0) }
  }

  /// The number of a name that is UTF-8 somewhere, with no `String` made.
  public mutating func insert(_ name: Span<UInt8>) -> Int {
    unsafe name.withUnsafeBufferPointer { unsafe insert($0) }
  }

  package mutating func insert(_ name: UnsafeBufferPointer<UInt8>) -> Int {
    let earlier = unsafe seen.insert(name) { unsafe Self.isSame(name, bytes, Self.range(of: $0, ends)) }
    if let earlier { return earlier }
    unsafe bytes.append(contentsOf: name)
    ends.append(bytes.count)
    return count - 1
  }

  /// The number of a name, if it has one.
  ///
  /// - Complexity: expected O(length)
  public func number(of name: String) -> Int? {
    var name = name
    return name.withUTF8 { unsafe number(of: $0) }
  }

  package func number(of name: UnsafeBufferPointer<UInt8>) -> Int? {
    unsafe seen.find(name) { unsafe Self.isSame(name, bytes, Self.range(of: $0, ends)) }
  }

  /// Each name's rank when all are sorted by their UTF-8 bytes: the order of events at one time.
  ///
  /// - Complexity: O(n log n) comparisons
  package func ranks() -> [Int] {
    let order = (0..<count).sorted { utf8(of: $0).lexicographicallyPrecedes(utf8(of: $1)) }
    var ranks = [Int](repeating: 0, count: count)
    for (rank, number) in order.enumerated() { ranks[number] = rank }
    return ranks
  }

  /// Adds the names of `other` in their order; the numbers that they have here.
  package mutating func merge(_ other: borrowing DeviceNames) -> [UInt32] {
    var numbers: [UInt32] = []
    numbers.reserveCapacity(other.count)
    for number in 0..<other.count {
      let name = other.utf8(of: number)
      numbers.append(UInt32(truncatingIfNeeded: insert(name.span)))
    }
    return numbers
  }

  private static func range(of number: Int, _ ends: [Int]) -> Range<Int> {
    (number == 0 ? 0 : ends[number - 1])..<ends[number]
  }

  @inline(__always)
  private static func isSame(
    _ name: UnsafeBufferPointer<UInt8>, _ bytes: [UInt8], _ range: Range<Int>
  ) -> Bool {
    guard name.count == range.count else { return false }
    for i in 0..<name.count where unsafe name[i] != bytes[range.lowerBound + i] { return false }
    return true
  }
}
