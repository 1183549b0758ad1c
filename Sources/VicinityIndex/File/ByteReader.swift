/// Reads little-endian numbers, one after the other, from bytes that may be anything.
package struct ByteReader {
  /// The bytes end too soon, or hold a value that cannot be.
  package struct Failure: Error {
    @inlinable package init() {}
  }

  @usableFromInline let bytes: ArraySlice<UInt8>
  @usableFromInline var offset: Int

  package init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    offset = bytes.startIndex
  }

  @inlinable package var remaining: Int { bytes.endIndex - offset }

  @inlinable
  package mutating func number<N: FixedWidthInteger & BitwiseCopyable>(
    as type: N.Type = N.self
  ) throws(Failure) -> N {
    let piece = try self.bytes(MemoryLayout<N>.size)
    // SAFETY: the piece has as many bytes as the number.
    return N(littleEndian: unsafe piece.withUnsafeBytes { unsafe $0.loadUnaligned(as: N.self) })
  }

  @inlinable package mutating func double() throws(Failure) -> Double { Double(bitPattern: try number()) }

  /// A count of items of at least `size` bytes each that are still to come.
  package mutating func count(each size: Int) throws(Failure) -> Int {
    let value: UInt64 = try number()
    guard value <= UInt64(remaining / max(1, size)) else { throw Failure() }
    return Int(value)
  }

  @inlinable
  package mutating func bytes(_ count: Int) throws(Failure) -> ArraySlice<UInt8> {
    guard count >= 0, count <= remaining else { throw Failure() }
    defer { offset += count }
    return bytes[offset..<offset + count]
  }

  /// Bytes with their count in front.
  package mutating func block() throws(Failure) -> ArraySlice<UInt8> { try bytes(count(each: 1)) }

  /// Goes on to a multiple of eight bytes from the start.
  package mutating func skipPadding() throws(Failure) { _ = try bytes((bytes.startIndex - offset) & 7) }
}

extension [UInt8] {
  /// Appends a number, little-endian.
  @inlinable @inline(__always)
  package mutating func append(number: some FixedWidthInteger) {
    unsafe Swift.withUnsafeBytes(of: number.littleEndian) { unsafe append(contentsOf: $0) }
  }

  @inlinable @inline(__always)
  package mutating func append(number: Double) { append(number: number.bitPattern) }

  /// Appends bytes with their count in front.
  package mutating func append(block: some Collection<UInt8>) {
    append(number: UInt64(block.count))
    append(contentsOf: block)
  }

  /// Appends zeros up to a multiple of eight bytes.
  package mutating func pad() { append(contentsOf: repeatElement(0, count: -count & 7)) }

  /// XXH64 of all bytes.
  package var checksum: UInt64 { self[...].checksum }
}

extension ArraySlice<UInt8> {
  /// XXH64 of all bytes.
  package var checksum: UInt64 { unsafe withUnsafeBytes { unsafe XXHash64.hash($0) } }
}
