import VicinityIndex

/// Reads little-endian numbers from bytes that may be anything.
struct ByteReader {
  /// The bytes end too soon, or say what cannot be.
  struct Failure: Error {}

  private let bytes: ArraySlice<UInt8>
  private var offset: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    offset = bytes.startIndex
  }

  var remaining: Int { bytes.endIndex - offset }

  mutating func number<N: FixedWidthInteger & UnsignedInteger>() throws -> N {
    let size = N.bitWidth / 8
    guard remaining >= size else { throw Failure() }
    var value: N = 0
    for i in 0..<size { value |= N(bytes[offset + i]) << N(8 * i) }
    offset += size
    return value
  }

  /// A count of things of at least `size` bytes each that are still to come.
  mutating func count(each size: Int) throws -> Int {
    let value: UInt64 = try number()
    guard value <= UInt64(remaining / max(1, size)) else { throw Failure() }
    return Int(value)
  }

  mutating func bytes(_ count: Int) throws -> ArraySlice<UInt8> {
    guard count >= 0, count <= remaining else { throw Failure() }
    defer { offset += count }
    return bytes[offset..<offset + count]
  }

  /// A piece with its length in front.
  mutating func block() throws -> ArraySlice<UInt8> { try bytes(count(each: 1)) }
}

extension [UInt8] {
  /// Appends a number, little-endian.
  @inline(__always)
  mutating func append(number: some FixedWidthInteger) {
    unsafe Swift.withUnsafeBytes(of: number.littleEndian) { unsafe append(contentsOf: $0) }
  }

  /// Appends a piece with its length in front.
  mutating func append(block: some Collection<UInt8>) {
    append(number: UInt64(block.count))
    append(contentsOf: block)
  }

  /// XXH64 of all bytes.
  var checksum: UInt64 { unsafe withUnsafeBytes { unsafe XXHash64.hash($0) } }
}
