internal import CLibrary
internal import CVicinity
internal import VicinityIndex
internal import VicinityText

/// Memory of a column.
@safe final class ArrowBuffer: @unchecked Sendable {
  // SAFETY: written by those who make it, each thread its own part, before anybody else sees it.
  let base: UnsafeMutableRawPointer
  let byteCount: Int

  init(byteCount: Int) {
    self.byteCount = byteCount
    // Consumers may read whole words.
    let room = (max(byteCount, 8) + 63) & ~63
    unsafe base = .allocate(byteCount: room, alignment: 64)
    unsafe (base + (room - 64)).initializeMemory(as: UInt8.self, repeating: 0, count: 64)
  }

  deinit { unsafe base.deallocate() }

  convenience init<T: BitwiseCopyable>(_ values: [T]) {
    self.init(byteCount: values.count * MemoryLayout<T>.stride)
    unsafe values.withUnsafeBytes { bytes in
      if let from = bytes.baseAddress { unsafe base.copyMemory(from: from, byteCount: bytes.count) }
    }
  }

  /// A bitmap of which rows are so.
  convenience init(bits: [Bool]) {
    var bytes = [UInt8](repeating: 0, count: (bits.count + 7) / 8)
    for (i, bit) in bits.enumerated() where bit { bytes[i >> 3] |= 1 << UInt8(i & 7) }
    self.init(bytes)
  }
}

/// The name and type of a column that is handed out.
struct OutputField: Sendable {
  var name: String
  /// As in the C Data Interface.
  var format: String
  var isNullable = false
  var children: [OutputField] = []

  /// The fields of a table, of these formats; a question mark behind a format stands for nulls.
  static func list(_ columns: TableColumns, _ formats: [String]) -> [OutputField] {
    zip(columns.names, formats).map { name, format in
      let isNullable = format.hasSuffix("?")
      return OutputField(
        name: name, format: isNullable ? String(format.dropLast()) : format, isNullable: isNullable)
    }
  }
}

/// An array that is handed out: the values of a column, or a batch.
struct ArrowNode: Sendable {
  var length: Int
  var nullCount = 0
  var buffers: [ArrowBuffer?]
  var children: [ArrowNode] = []

  /// Throws where there is more in one batch than offsets of 32 bits reach.
  static func checkOffsets(_ total: Int, _ what: String) throws(Failure) {
    guard total > Int(Int32.max) else { return }
    var failure = Failure.argument("\(what) in one batch of answers: ask about fewer rows at once")
    failure.kind = .memory
    throw failure
  }

  /// Strings.
  ///
  /// - Throws: ``Failure`` where they take more than 2 GB together.
  static func texts(_ values: [String?]) throws(Failure) -> ArrowNode {
    let total = values.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    try checkOffsets(total, "texts of \(total) bytes")
    var ends: [Int32] = [0]
    var bytes: [UInt8] = []
    bytes.reserveCapacity(total)
    for value in values {
      bytes += (value ?? "").utf8
      ends.append(Int32(truncatingIfNeeded: bytes.count))
    }
    return nullable(values.map { $0 != nil }, [ArrowBuffer(ends), ArrowBuffer(bytes)])
  }

  /// Binary, with offsets of 64 bits.
  static func binaries(_ values: [[UInt8]]) -> ArrowNode { binaries(values.map { [$0] }) }

  /// One value, of pieces.
  static func binary(_ pieces: [[UInt8]]) -> ArrowNode { binaries([pieces]) }

  private static func binaries(_ values: [[[UInt8]]]) -> ArrowNode {
    var ends: [Int64] = [0]
    for value in values { ends.append(ends[ends.count - 1] + Int64(value.reduce(0) { $0 + $1.count })) }
    let bytes = ArrowBuffer(byteCount: Int(ends[ends.count - 1]))
    var position = 0
    for piece in values.joined() {
      unsafe piece.withUnsafeBytes { from in
        if let start = from.baseAddress {
          unsafe (bytes.base + position).copyMemory(from: start, byteCount: from.count)
        }
      }
      position += piece.count
    }
    return ArrowNode(length: values.count, buffers: [nil, ArrowBuffer(ends), bytes])
  }

  static func values<T: BitwiseCopyable>(_ values: [T]) -> ArrowNode {
    ArrowNode(length: values.count, buffers: [nil, ArrowBuffer(values)])
  }

  static func values<T: BitwiseCopyable & ExpressibleByIntegerLiteral>(_ values: [T?]) -> ArrowNode {
    nullable(values.map { $0 != nil }, [ArrowBuffer(values.map { $0 ?? 0 })])
  }

  static func booleans(_ values: [Bool]) -> ArrowNode {
    ArrowNode(length: values.count, buffers: [nil, ArrowBuffer(bits: values)])
  }

  /// Lists of strings.
  ///
  /// - Throws: ``Failure`` where they have more than 2^31 strings, or 2 GB, together.
  static func lists(_ values: [[String]]) throws(Failure) -> ArrowNode {
    let total = values.reduce(0) { $0 + $1.count }
    try checkOffsets(total, "\(total) identifiers")
    var ends: [Int32] = [0]
    for value in values { ends.append(ends[ends.count - 1] + Int32(value.count)) }
    return ArrowNode(
      length: values.count, buffers: [nil, ArrowBuffer(ends)], children: [try .texts(Array(values.joined()))])
  }

  static func batch(_ length: Int, _ columns: [ArrowNode]) -> ArrowNode {
    ArrowNode(length: length, buffers: [nil], children: columns)
  }

  private static func nullable(_ isThere: [Bool], _ buffers: [ArrowBuffer]) -> ArrowNode {
    let nulls = isThere.count { !$0 }
    return ArrowNode(
      length: isThere.count, nullCount: nulls,
      buffers: [nulls == 0 ? nil : ArrowBuffer(bits: isThere)] + buffers)
  }
}

/// What one exported array or schema keeps in memory until it is released.
@safe private final class Exported {
  let buffers: UnsafeMutablePointer<UnsafeRawPointer?>
  let bufferCount: Int
  let owned: [ArrowBuffer?]
  let arrays: UnsafeMutablePointer<UnsafeMutablePointer<ArrowArray>?>
  let schemas: UnsafeMutablePointer<UnsafeMutablePointer<ArrowSchema>?>
  let childCount: Int
  var texts: [UnsafeMutablePointer<CChar>]

  init(buffers owned: [ArrowBuffer?], childCount: Int) {
    self.owned = owned
    self.childCount = childCount
    bufferCount = owned.count
    unsafe texts = []
    unsafe buffers = .allocate(capacity: max(1, owned.count))
    for (i, buffer) in owned.enumerated() {
      unsafe buffers[i] = buffer.map { unsafe UnsafeRawPointer($0.base) }
    }
    unsafe arrays = .allocate(capacity: max(1, childCount))
    unsafe schemas = .allocate(capacity: max(1, childCount))
    unsafe arrays.initialize(repeating: nil, count: max(1, childCount))
    unsafe schemas.initialize(repeating: nil, count: max(1, childCount))
  }

  deinit {
    unsafe buffers.deallocate()
    for i in 0..<childCount {
      if let child = unsafe arrays[i] {
        if let release = unsafe child.pointee.release { unsafe release(child) }
        unsafe child.deallocate()
      }
      if let child = unsafe schemas[i] {
        if let release = unsafe child.pointee.release { unsafe release(child) }
        unsafe child.deallocate()
      }
    }
    unsafe arrays.deallocate()
    unsafe schemas.deallocate()
    for i in unsafe texts.indices { unsafe texts[i].deallocate() }
  }

  func text(_ value: String) -> UnsafePointer<CChar> {
    let bytes = Array(value.utf8CString)
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    for (i, byte) in bytes.enumerated() { unsafe copy[i] = byte }
    unsafe texts.append(copy)
    return unsafe UnsafePointer(copy)
  }
}

enum ArrowExport {
  /// Writes an array, to be released by whoever gets it.
  static func write(_ node: ArrowNode, to array: UnsafeMutablePointer<ArrowArray>) {
    let exported = Exported(buffers: node.buffers, childCount: node.children.count)
    for (i, child) in node.children.enumerated() {
      let place = UnsafeMutablePointer<ArrowArray>.allocate(capacity: 1)
      unsafe place.initialize(to: ArrowArray())
      unsafe write(child, to: place)
      unsafe exported.arrays[i] = place
    }
    var result = unsafe ArrowArray()
    unsafe result.length = Int64(node.length)
    unsafe result.null_count = Int64(node.nullCount)
    unsafe result.n_buffers = Int64(node.buffers.count)
    unsafe result.n_children = Int64(node.children.count)
    unsafe result.buffers = exported.buffers
    unsafe result.children = node.children.isEmpty ? nil : exported.arrays
    unsafe result.private_data = Unmanaged.passRetained(exported).toOpaque()
    unsafe result.release = { array in
      guard let array = unsafe array, let held = unsafe array.pointee.private_data else { return }
      unsafe array.pointee.release = nil
      unsafe array.pointee.private_data = nil
      unsafe Unmanaged<Exported>.fromOpaque(held).release()
    }
    unsafe array.pointee = result
  }

  /// Writes a schema, to be released by whoever gets it.
  static func write(_ field: OutputField, to schema: UnsafeMutablePointer<ArrowSchema>) {
    let exported = Exported(buffers: [], childCount: field.children.count)
    for (i, child) in field.children.enumerated() {
      let place = UnsafeMutablePointer<ArrowSchema>.allocate(capacity: 1)
      unsafe place.initialize(to: ArrowSchema())
      unsafe write(child, to: place)
      unsafe exported.schemas[i] = place
    }
    var result = unsafe ArrowSchema()
    unsafe result.format = exported.text(field.format)
    unsafe result.name = exported.text(field.name)
    unsafe result.flags = field.isNullable ? Int64(ARROW_FLAG_NULLABLE) : 0
    unsafe result.n_children = Int64(field.children.count)
    unsafe result.children = field.children.isEmpty ? nil : exported.schemas
    unsafe result.private_data = Unmanaged.passRetained(exported).toOpaque()
    unsafe result.release = { schema in
      guard let schema = unsafe schema, let held = unsafe schema.pointee.private_data else { return }
      unsafe schema.pointee.release = nil
      unsafe schema.pointee.private_data = nil
      unsafe Unmanaged<Exported>.fromOpaque(held).release()
    }
    unsafe schema.pointee = result
  }

  // MARK: Streams

  /// What a stream hands out.
  private class Source {
    /// Writes the schema; an error code where there is none.
    func write(to schema: UnsafeMutablePointer<ArrowSchema>) -> Int32 { Int32(EINVAL) }
    /// Writes the next batch; an empty array at the end.
    func write(to array: UnsafeMutablePointer<ArrowArray>) { unsafe array.pointee = ArrowArray() }
  }

  /// The batches of a table.
  private final class Reading: Source {
    let table: ResultTable
    var next = 0
    init(_ table: ResultTable) { self.table = table }

    override func write(to schema: UnsafeMutablePointer<ArrowSchema>) -> Int32 {
      unsafe ArrowExport.write(OutputField(name: "", format: "+s", children: table.fields), to: schema)
      return 0
    }

    override func write(to array: UnsafeMutablePointer<ArrowArray>) {
      guard next < table.batches.count else { return unsafe super.write(to: array) }
      unsafe ArrowExport.write(table.batches[next], to: array)
      next += 1
    }
  }

  /// A single batch on its way to be read as a stream. The schema is handed out once.
  @safe private final class Single: Source {
    var schema: ArrowSchema
    var array: ArrowArray
    init(_ schema: ArrowSchema, _ array: ArrowArray) { unsafe (self.schema, self.array) = (schema, array) }

    override func write(to place: UnsafeMutablePointer<ArrowSchema>) -> Int32 {
      guard unsafe schema.release != nil else { return Int32(EINVAL) }
      unsafe place.pointee = schema
      unsafe schema.release = nil
      return 0
    }

    override func write(to place: UnsafeMutablePointer<ArrowArray>) {
      unsafe place.pointee = array
      unsafe array = ArrowArray()
    }

    deinit {
      if let release = unsafe schema.release { unsafe release(&schema) }
      if let release = unsafe array.release { unsafe release(&array) }
    }
  }

  /// Writes a stream of a table's batches, to be released by whoever gets it.
  static func write(_ table: ResultTable, to stream: UnsafeMutablePointer<ArrowArrayStream>) {
    unsafe write(Reading(table), to: stream)
  }

  /// Writes a stream of one batch, taking both structs over.
  static func write(
    _ schema: UnsafeMutablePointer<ArrowSchema>, _ array: UnsafeMutablePointer<ArrowArray>,
    to stream: UnsafeMutablePointer<ArrowArrayStream>
  ) {
    let single = unsafe Single(schema.pointee, array.pointee)
    unsafe schema.pointee.release = nil
    unsafe array.pointee.release = nil
    unsafe write(single, to: stream)
  }

  private static func write(_ source: Source, to stream: UnsafeMutablePointer<ArrowArrayStream>) {
    var result = unsafe ArrowArrayStream()
    unsafe result.private_data = Unmanaged.passRetained(source).toOpaque()
    unsafe result.get_schema = { stream, schema in
      guard let held = unsafe stream?.pointee.private_data, let schema = unsafe schema else {
        return Int32(EINVAL)
      }
      return unsafe Unmanaged<Source>.fromOpaque(held).takeUnretainedValue().write(to: schema)
    }
    unsafe result.get_next = { stream, array in
      guard let held = unsafe stream?.pointee.private_data, let array = unsafe array else {
        return Int32(EINVAL)
      }
      unsafe Unmanaged<Source>.fromOpaque(held).takeUnretainedValue().write(to: array)
      return 0
    }
    unsafe result.get_last_error = { _ in nil }
    unsafe result.release = { stream in
      guard let stream = unsafe stream, let held = unsafe stream.pointee.private_data else { return }
      unsafe stream.pointee.release = nil
      unsafe stream.pointee.private_data = nil
      unsafe Unmanaged<Source>.fromOpaque(held).release()
    }
    unsafe stream.pointee = result
  }
}

/// Rows that a function has answered with, in batches.
final class ResultTable: Sendable {
  /// What the rows are, for their text.
  enum Kind: Sendable {
    case neighbors, events, stays
    case plans([PlanRecord])
    case other
  }

  let kind: Kind
  let fields: [OutputField]
  let batches: [ArrowNode]
  let notes: [Note]
  /// The most by which distances differ from the true ones, metres.
  let distanceError: Double
  /// The rows of the input that were left out.
  let bad: BadRows

  init(
    _ kind: Kind, _ fields: [OutputField], _ batches: [ArrowNode], notes: [Note] = [],
    distanceError: Double = 0, bad: BadRows = BadRows(areSkipped: false)
  ) {
    (self.kind, self.fields, self.batches, self.notes) = (kind, fields, batches, notes)
    self.bad = bad
    self.distanceError = distanceError
  }

  var rowCount: Int { batches.reduce(0) { $0 + $1.length } }
}
