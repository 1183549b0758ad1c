internal import VicinityIndex

/// Dense numbers for names: the first name is 0, the next new one 1, and so on.
///
/// Names are bytes in UTF-8, kept one after the other: about their length and 24 bytes each.
public struct DeviceNames: Sendable {
  private var bytes: [UInt8] = []
  /// Where each name ends in `bytes`.
  private var ends: [Int] = []
  /// Numbers plus one by hash, open addressing; zero is free.
  private var table: [UInt32] = []

  public init() {}

  /// How many names there are.
  public var count: Int { ends.count }

  /// The number of a name, which gets the next one when it is new.
  ///
  /// - Complexity: O(length), amortised
  public mutating func number(of name: String) -> Int {
    var name = name
    return name.withUTF8 { unsafe number(of: UnsafeRawBufferPointer($0)) }
  }

  /// The number of a name that is UTF-8 somewhere, with no `String` made.
  public mutating func number(of name: Span<UInt8>) -> Int {
    unsafe name.withUnsafeBytes { unsafe number(of: $0) }
  }

  /// The name with a number, as bytes of UTF-8.
  ///
  /// - Precondition: `0 <= number < count`.
  public func utf8(of number: Int) -> ArraySlice<UInt8> {
    bytes[(number == 0 ? 0 : ends[number - 1])..<ends[number]]
  }

  /// The name with a number.
  ///
  /// - Precondition: `0 <= number < count`.
  public func name(of number: Int) -> String { String(decoding: utf8(of: number), as: UTF8.self) }

  /// Makes room for `count` names.
  public mutating func reserveCapacity(_ count: Int) {
    ends.reserveCapacity(count)
    if table.count * 2 < count * 3 { rebuild(slots: count * 3 / 2 + 1) }
  }

  private mutating func number(of name: UnsafeRawBufferPointer) -> Int {
    if table.count * 2 <= (count + 1) * 3 { rebuild(slots: max(16, 2 * (count + 1))) }
    var slot = unsafe slot(of: name)
    while table[slot] != 0 {
      let number = Int(table[slot] - 1)
      if unsafe utf8(of: number).elementsEqual(name) { return number }
      slot = (slot + 1) & (table.count - 1)
    }
    unsafe bytes.append(contentsOf: name)
    ends.append(bytes.count)
    table[slot] = UInt32(count)
    return count - 1
  }

  private func slot(of name: UnsafeRawBufferPointer) -> Int {
    Int(truncatingIfNeeded: unsafe XXHash64.hash(name)) & (table.count - 1)
  }

  /// Makes a table of at least `slots` slots, a power of two.
  private mutating func rebuild(slots: Int) {
    var size = 16
    while size < slots { size *= 2 }
    table = [UInt32](repeating: 0, count: size)
    for number in 0..<count {
      var slot = unsafe utf8(of: number).withUnsafeBytes { unsafe self.slot(of: $0) }
      while table[slot] != 0 { slot = (slot + 1) & (size - 1) }
      table[slot] = UInt32(number + 1)
    }
  }
}
