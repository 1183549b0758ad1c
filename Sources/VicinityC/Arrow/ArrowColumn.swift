internal import CVicinity
internal import VicinityIndex

/// One column of one batch. What the interface lets a reader check is checked before a value is read: lengths
/// and buffers when the column is made, offsets by ``check(_:)``.
@safe struct ArrowColumn: @unchecked Sendable {
  // SAFETY: the pointers are the batch's, which `keeper` keeps, and nothing is written.
  let name: String
  let type: ArrowType
  private let layout: ArrowLayout
  private let isDictionary: Bool
  /// How many rows.
  let count: Int
  /// The number of the first row in the stream.
  let firstRow: Int
  private let keeper: ArrowBatch
  /// Where the rows begin in the buffers.
  private let start: Int
  /// nil where no row is null.
  private let validity: UnsafeRawPointer?
  /// Values, offsets, views, or indices.
  private let data: UnsafeRawPointer?
  /// Characters.
  private let bytes: UnsafeRawPointer?
  /// The buffers that views refer to, and how long they are.
  private let viewed: UnsafeMutablePointer<UnsafeRawPointer?>?
  private let viewedSizes: UnsafeRawPointer?
  private let viewedCount: Int
  /// A dictionary's values.
  private let values: [ArrowColumn]

  /// - Parameters:
  ///   - rows: How many rows the batch has.
  ///   - from: Where they begin in the child.
  init(
    _ field: ArrowField, _ array: ArrowArray, rows: Int, from: Int, firstRow: Int, keeping keeper: ArrowBatch
  ) throws(Failure) {
    (name, type, count, self.firstRow, self.keeper) = (field.name, field.type, rows, firstRow, keeper)
    layout = field.type.layout
    isDictionary = if case .dictionary = field.type { true } else { false }
    let lengths: (count: Int, offset: Int)
    do throws(Failure) { lengths = try unsafe ArrowBatch.lengths(of: array, "its array") } catch {
      throw .data(nil, field.name, error.reason)
    }
    start = lengths.offset + from
    if case .other = field.type {
      throw .schema(field.name, "it is \(field.type.words), which cannot be read here")
    }
    let bufferCount = unsafe array.n_buffers
    let isViews = if case .views = field.type { true } else { false }
    guard bufferCount >= field.type.bufferCount, isViews || bufferCount == field.type.bufferCount,
      bufferCount <= 1 << 32
    else {
      throw .data(
        nil, field.name,
        "its array has \(bufferCount) buffers, a \(field.type.words) has \(field.type.bufferCount)")
    }
    guard let buffers = unsafe array.buffers else {
      throw .data(nil, field.name, "its array's buffers are NULL")
    }
    unsafe validity = unsafe array.null_count == 0 ? nil : buffers[0]
    if unsafe array.null_count > 0, unsafe validity == nil {
      throw .data(nil, field.name, "its array states nulls and has no bitmap of them")
    }
    unsafe data = buffers[1]
    if rows > 0, unsafe data == nil { throw .data(nil, field.name, "its values are NULL") }
    if let data = unsafe data, let width = Self.alignment(of: field.type),
      Int(bitPattern: data) & (width - 1) != 0
    {
      // Arrow recommends 8 bytes and demands none; what is less aligned than its own values is no array of
      // them.
      throw .data(nil, field.name, "its values are not aligned to \(width) bytes")
    }
    var bytes: UnsafeRawPointer?
    var viewed: UnsafeMutablePointer<UnsafeRawPointer?>?
    var sizes: UnsafeRawPointer?
    var viewedCount = 0
    switch field.type {
    case .text: unsafe bytes = buffers[2]
    case .views:
      viewedCount = Int(bufferCount) - 3
      unsafe viewed = buffers + 2
      unsafe sizes = buffers[Int(bufferCount) - 1]
      if viewedCount > 0, unsafe sizes == nil {
        throw .data(nil, field.name, "the sizes of its buffers are NULL")
      }
    default: break
    }
    unsafe (self.bytes, self.viewed, viewedSizes, self.viewedCount) = (bytes, viewed, sizes, viewedCount)
    if case .dictionary(_, let valueType) = field.type {
      guard let dictionary = unsafe array.dictionary else {
        throw .data(nil, field.name, "its dictionary is NULL")
      }
      let length = unsafe dictionary.pointee.length
      guard length >= 0, length <= ArrowBatch.longest else {
        throw .data(nil, field.name, "its dictionary states a length of \(length)")
      }
      let column = try unsafe ArrowColumn(
        ArrowField(name: field.name, type: valueType, metadata: [:]), dictionary.pointee, rows: Int(length),
        from: 0, firstRow: 0, keeping: keeper)
      try column.checkDictionary()
      values = [column]
    } else {
      values = []
    }
  }

  /// How values must be aligned to be read where they stand.
  private static func alignment(of type: ArrowType) -> Int? {
    switch type {
    case .int, .float, .timestamp, .dictionary: type.width
    case .decimal: min(type.width, 8)
    case .text(let isLarge, _): isLarge ? 8 : 4
    case .views: 4
    case .structure, .other: nil
    }
  }

  // MARK: Nulls

  @inline(__always)
  func isNull(_ i: Int) -> Bool {
    if let validity = unsafe validity, unsafe !Bits.isSet(validity, start + i) { return true }
    guard !values.isEmpty else { return false }
    let k = index(i)
    return k >= 0 && k < values[0].count && values[0].isNull(k)
  }

  private var hasNulls: Bool { unsafe validity != nil || values.first?.hasNulls == true }

  func checkNotNull(_ range: Range<Int>) throws(Failure) {
    guard hasNulls else { return }
    for i in range where isNull(i) { throw fault(i, "null") }
  }

  func fault(_ i: Int, _ reason: String) -> Failure { .data(firstRow + i, name, reason) }

  // MARK: Numbers

  @inline(__always)
  private func load<T: BitwiseCopyable>(_ i: Int, as type: T.Type) -> T {
    // SAFETY: the array states that it has `start + count` values, aligned, and `i` is below `count`.
    unsafe data.unsafelyUnwrapped.load(fromByteOffset: (start + i) * MemoryLayout<T>.stride, as: T.self)
  }

  /// A whole number of a column of integers, or a dictionary's index; those of unsigned columns beyond Int64
  /// are the greatest there is.
  @inline(__always)
  func integer(_ i: Int) -> Int64 {
    switch layout {
    case .int8: Int64(load(i, as: Int8.self))
    case .uint8: Int64(load(i, as: UInt8.self))
    case .int16: Int64(load(i, as: Int16.self))
    case .uint16: Int64(load(i, as: UInt16.self))
    case .int32: Int64(load(i, as: Int32.self))
    case .uint32: Int64(load(i, as: UInt32.self))
    case .int64: load(i, as: Int64.self)
    case .uint64: Int64(clamping: load(i, as: UInt64.self))
    case .int128, .float32, .float64, .offsets32, .offsets64, .views, .none: 0
    }
  }

  /// The whole number that a value is, or that a decimal has before it is divided.
  ///
  /// - Precondition: `type.isWhole` or a decimal, and ``check(_:)`` has passed for dictionaries.
  func whole(_ i: Int) -> Int128 {
    if isDictionary {
      let k = index(i)
      return k >= 0 && k < values[0].count ? values[0].whole(k) : 0
    }
    switch layout {
    case .uint64: return Int128(load(i, as: UInt64.self))
    case .int128:
      // SAFETY: as for ``load(_:as:)``; the values are aligned to 8 bytes.
      return unsafe data.unsafelyUnwrapped.loadUnaligned(fromByteOffset: (start + i) * 16, as: Int128.self)
    default: return Int128(integer(i))
    }
  }

  /// The digits of ``whole(_:)``.
  func wholeText(_ i: Int) -> String {
    let value = whole(i)
    // The narrow types write themselves much faster.
    return Int64(exactly: value).map { String($0) } ?? UInt64(exactly: value).map { String($0) }
      ?? String(value)
  }

  /// A whole number's own bytes, of the width of its type.
  func wholeBytes(_ i: Int) -> UnsafeRawBufferPointer {
    if isDictionary {
      let k = index(i)
      guard k >= 0, k < values[0].count else { return unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
      return unsafe values[0].wholeBytes(k)
    }
    // SAFETY: as for ``load(_:as:)``.
    return unsafe UnsafeRawBufferPointer(
      start: data.unsafelyUnwrapped + (start + i) * type.width, count: type.width)
  }

  /// A decimal as the nearest number.
  private func decimal(_ i: Int, scale: Int) -> Double {
    let value = whole(i)
    // A quotient of two numbers that are exact is rounded once.
    if value.magnitude < 1 << 53, (0...22).contains(scale) {
      var divisor = 1.0
      for _ in 0..<scale { divisor *= 10 }
      return Double(Int64(truncatingIfNeeded: value)) / divisor
    }
    return Double("\(value)e\(-scale)") ?? .nan
  }

  /// A number of a column whose values are 64 bits wide.
  @inline(__always)
  func long(_ i: Int) -> Int64 { load(i, as: Int64.self) }

  private func index(_ i: Int) -> Int { isDictionary ? Int(clamping: integer(i)) : -1 }

  /// Copies a range's numbers; of nulls whatever stands there.
  ///
  /// - Precondition: `type.isNumber`, and ``check(_:)`` has passed for dictionaries.
  func copy(_ range: Range<Int>, to result: UnsafeMutablePointer<Double>) {
    func convert<T: BitwiseCopyable>(_ type: T.Type, _ number: (T) -> Double) {
      for (k, i) in range.enumerated() { unsafe result[k] = number(load(i, as: T.self)) }
    }
    if isDictionary {
      for (k, i) in range.enumerated() {
        let position = index(i)
        guard position >= 0, position < values[0].count else {
          unsafe result[k] = .nan
          continue
        }
        unsafe values[0].copy(position..<position + 1, to: result + k)
      }
      return
    }
    if case .decimal(_, _, let scale) = type {
      for (k, i) in range.enumerated() { unsafe result[k] = decimal(i, scale: scale) }
      return
    }
    switch layout {
    case .float64:
      guard !range.isEmpty else { return }
      unsafe UnsafeMutableRawPointer(result).copyMemory(
        from: data.unsafelyUnwrapped + (start + range.lowerBound) * 8, byteCount: range.count * 8)
    case .float32: convert(Float.self) { Double($0) }
    case .uint64: convert(UInt64.self) { Double($0) }
    default: for (k, i) in range.enumerated() { unsafe result[k] = Double(integer(i)) }
    }
  }

  func number(_ i: Int) -> Double {
    var value = 0.0
    unsafe copy(i..<i + 1, to: &value)
    return value
  }

  // MARK: Bytes

  /// Throws unless the values of a range can be read: offsets, views and dictionary indices.
  func check(_ range: Range<Int>) throws(Failure) {
    guard !range.isEmpty else { return }
    switch type {
    case .text(let isLarge, _):
      if areInOrder(range) { return }
      var last: Int64 = 0
      for i in range.lowerBound...range.upperBound {
        let offset = isLarge ? load(i, as: Int64.self) : Int64(load(i, as: Int32.self))
        guard offset >= last else {
          throw fault(max(range.lowerBound, i - 1), "its offset is \(offset), and the one before \(last)")
        }
        last = offset
      }
      guard last <= Int64(ArrowBatch.longest) else {
        throw fault(range.upperBound - 1, "its offset is \(last)")
      }
      if last > 0, unsafe bytes == nil { throw fault(range.lowerBound, "its characters are NULL") }
    case .views:
      for i in range where !isNull(i) {
        guard unsafe view(i) != nil else { throw fault(i, "its view leads out of the column's buffers") }
      }
    case .dictionary:
      for i in range where unsafe !(validity.map { unsafe !Bits.isSet($0, start + i) } ?? false) {
        let k = index(i)
        guard k >= 0, k < values[0].count else {
          throw fault(i, "its index is \(k), and the dictionary has \(values[0].count) values")
        }
      }
    default: return
    }
  }

  /// Whether the offsets of a range of strings are such that nothing needs a closer look: one pass without
  /// branches.
  private func areInOrder(_ range: Range<Int>) -> Bool {
    func inOrder<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type) -> Bool {
      guard load(range.lowerBound, as: T.self) >= 0, unsafe bytes != nil else { return false }
      var falls: T = 0
      for i in range {
        // Its sign says that an offset is negative, or smaller than the one before.
        let next = load(i + 1, as: T.self)
        falls |= next | (next &- load(i, as: T.self))
      }
      return falls >= 0 && Int64(load(range.upperBound, as: T.self)) <= Int64(ArrowBatch.longest)
    }
    return layout == .offsets32 ? inOrder(Int32.self) : layout == .offsets64 && inOrder(Int64.self)
  }

  /// Throws unless all values of this column, a dictionary's, can be read.
  private func checkDictionary() throws(Failure) {
    do throws(Failure) {
      try check(0..<count)
    } catch {
      throw .data(nil, name, "its dictionary: " + error.reason)
    }
  }

  /// The bytes of a string or binary value. Empty for nulls, and for what ``check(_:)`` would refuse.
  @inline(__always)
  func text(_ i: Int) -> UnsafeRawBufferPointer {
    if isDictionary {
      let k = index(i)
      guard k >= 0, k < values[0].count else { return unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
      return unsafe values[0].text(k)
    }
    let (from, to): (Int, Int)
    switch layout {
    case .offsets32: (from, to) = (Int(load(i, as: Int32.self)), Int(load(i + 1, as: Int32.self)))
    case .offsets64: (from, to) = (Int(load(i, as: Int64.self)), Int(load(i + 1, as: Int64.self)))
    case .views: return unsafe view(i) ?? UnsafeRawBufferPointer(start: nil, count: 0)
    default: return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    }
    guard let bytes = unsafe bytes, to > from, from >= 0 else {
      return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return unsafe UnsafeRawBufferPointer(start: bytes + from, count: to - from)
  }

  /// A view: its length (int32), then up to 12 bytes themselves, or 4 bytes of them, the number of a buffer
  /// and where in it (int32); nil for one that leads out of the buffers.
  private func view(_ i: Int) -> UnsafeRawBufferPointer? {
    guard let data = unsafe data else { return nil }
    let place = unsafe data + (start + i) * 16
    let length = unsafe Int(place.load(as: Int32.self))
    if length >= 0, length <= 12 { return unsafe UnsafeRawBufferPointer(start: place + 4, count: length) }
    let number = unsafe Int(place.load(fromByteOffset: 8, as: Int32.self))
    let offset = unsafe Int(place.load(fromByteOffset: 12, as: Int32.self))
    guard length > 0, number >= 0, number < viewedCount, offset >= 0, let sizes = unsafe viewedSizes,
      let buffer = unsafe viewed?[number],
      unsafe Int64(offset + length) <= sizes.loadUnaligned(fromByteOffset: number * 8, as: Int64.self)
    else { return nil }
    return unsafe UnsafeRawBufferPointer(start: buffer + offset, count: length)
  }

  /// The first row behind `i` that has other bytes, or another number; `end` where none has before it.
  func endOfRun(_ i: Int, before end: Int) -> Int {
    var k = i + 1
    guard layout == .offsets32, let bytes = unsafe bytes else {
      while k < end, isSame(i, k) { k += 1 }
      return k
    }
    let from = Int(load(i, as: Int32.self))
    let count = Int(load(k, as: Int32.self)) - from
    let own = unsafe bytes + from
    var next = from + count
    while k < end {
      let after = Int(load(k + 1, as: Int32.self))
      guard after - next == count, unsafe Self.areEqual(own, bytes + next, count) else { break }
      next = after
      k += 1
    }
    return k
  }

  @inline(__always)
  func isSame(_ i: Int, _ k: Int) -> Bool {
    switch layout {
    case .int8, .uint8: return load(i, as: UInt8.self) == load(k, as: UInt8.self)
    case .int16, .uint16: return load(i, as: UInt16.self) == load(k, as: UInt16.self)
    case .int32, .uint32: return load(i, as: UInt32.self) == load(k, as: UInt32.self)
    case .int64, .uint64: return load(i, as: UInt64.self) == load(k, as: UInt64.self)
    case .int128: return whole(i) == whole(k)
    case .float32, .float64, .offsets32, .offsets64, .views, .none: break
    }
    let (a, b) = unsafe (text(i), text(k))
    guard a.count == b.count else { return false }
    guard let x = a.baseAddress, let y = b.baseAddress else { return true }
    return unsafe Self.areEqual(x, y, a.count)
  }

  @inline(__always)
  private static func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ count: Int) -> Bool {
    guard count >= 8 else {
      var i = 0
      while i < count {
        if unsafe a.load(fromByteOffset: i, as: UInt8.self) != b.load(fromByteOffset: i, as: UInt8.self) {
          return false
        }
        i += 1
      }
      return true
    }
    // Eight bytes at a time; the last eight may overlap those before.
    var i = 0
    while i < count {
      let place = min(i, count - 8)
      if unsafe a.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        != b.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      {
        return false
      }
      i += 8
    }
    return true
  }
}

enum UTF8Check {
  static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var i = 0
    while i + 8 <= bytes.count {
      if unsafe bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self) & 0x8080_8080_8080_8080 != 0 { break }
      i += 8
    }
    while i < bytes.count, unsafe bytes[i] < 0x80 { i += 1 }
    if i == bytes.count { return true }
    return unsafe String(validating: bytes[i...], as: UTF8.self) != nil
  }
}
