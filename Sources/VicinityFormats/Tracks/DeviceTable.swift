/// The devices of a run: their identifiers, numbered in the order of their first fix.
///
/// Numbers do not depend on the number of threads.
///
/// - Complexity: the identifier's bytes and at most 48 more for each device.
public struct DeviceTable: Sendable {
  private var seen = SeenIdentifiers()
  private var bytes: [UInt8] = []
  /// Where each identifier ends in `bytes`.
  private var ends: [Int] = []

  /// A table without devices.
  package init() {}

  /// How many devices there are; they are numbered from 0.
  public var count: Int { ends.count }

  /// The identifier of a device.
  ///
  /// - Precondition: `0 <= device < count`.
  public subscript(device: Int) -> String {
    String(decoding: bytes[range(of: device)], as: UTF8.self)
  }

  /// The number of the device called `identifier`, which is added if it is not there.
  ///
  /// - Complexity: expected O(bytes)
  @discardableResult
  package mutating func insert(_ identifier: String) -> Int {
    var text = identifier
    return text.withUTF8 { unsafe insert($0) }
  }

  /// The number of the device whose identifier has these bytes, which must be UTF-8.
  mutating func insert(_ identifier: UnsafeBufferPointer<UInt8>) -> Int {
    let number = ends.count
    let earlier = unsafe seen.insert(identifier) { device in
      let start = device == 0 ? 0 : ends[device - 1]
      return unsafe Self.isSame(identifier, bytes, start..<ends[device])
    }
    if let earlier { return earlier }
    unsafe bytes.append(contentsOf: identifier)
    ends.append(bytes.count)
    return number
  }

  /// The number of the device called `identifier`, if it is there.
  ///
  /// - Complexity: expected O(bytes)
  public func number(of identifier: String) -> Int? {
    var text = identifier
    return text.withUTF8 { unsafe number(of: $0) }
  }

  /// The number of the device whose identifier has these bytes, if it is there.
  func number(of identifier: UnsafeBufferPointer<UInt8>) -> Int? {
    unsafe seen.find(identifier) { device in
      unsafe Self.isSame(identifier, bytes, (device == 0 ? 0 : ends[device - 1])..<ends[device])
    }
  }

  @inline(__always)
  private static func isSame(
    _ identifier: UnsafeBufferPointer<UInt8>, _ bytes: [UInt8], _ range: Range<Int>
  ) -> Bool {
    guard identifier.count == range.count else { return false }
    for i in 0..<identifier.count where unsafe identifier[i] != bytes[range.lowerBound + i] { return false }
    return true
  }

  /// Calls `body` with the UTF-8 bytes of a device's identifier.
  ///
  /// - Precondition: `0 <= device < count`.
  package func withBytes<R>(of device: Int, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
    try body(bytes.span.extracting(range(of: device)))
  }

  /// Each device's rank when all are sorted by the UTF-8 bytes of their identifiers: the order of events at one time.
  ///
  /// - Complexity: O(n log n) comparisons
  package func ranks() -> [Int] {
    var order = Array(0..<count)
    order.sort { bytes[range(of: $0)].lexicographicallyPrecedes(bytes[range(of: $1)]) }
    var ranks = [Int](repeating: 0, count: count)
    for (rank, device) in order.enumerated() { ranks[device] = rank }
    return ranks
  }

  private func range(of device: Int) -> Range<Int> {
    precondition(device >= 0 && device < ends.count, "no such device")
    return (device == 0 ? 0 : ends[device - 1])..<ends[device]
  }

  /// The numbers that the devices of `other` have in this table; new ones are added in their order.
  mutating func merge(_ other: borrowing DeviceTable) -> [UInt32] {
    var numbers: [UInt32] = []
    numbers.reserveCapacity(other.count)
    unsafe other.bytes.withUnsafeBufferPointer { bytes in
      for device in 0..<other.count {
        let identifier = unsafe UnsafeBufferPointer(rebasing: bytes[other.range(of: device)])
        numbers.append(UInt32(truncatingIfNeeded: unsafe insert(identifier)))
      }
    }
    return numbers
  }
}
