internal import CVicinity
internal import Synchronization

/// A stream of struct arrays that somebody else makes: nothing in it is trusted but the addresses.
@safe final class ArrowInput {
  private var stream: ArrowArrayStream
  private let loans = ArrowLoans()
  /// The columns.
  private(set) var fields: [ArrowField] = []
  /// How many rows have been handed over.
  private(set) var rowCount = 0

  /// The most columns and the deepest nesting that are looked at.
  private static let mostColumns = 100_000

  /// What `body` makes of a stream, which is taken over: the caller's is released from then on, whatever
  /// happens. When this returns, the stream and all its arrays have been released, on this thread, even if
  /// something still refers to a batch: nothing may read one any more.
  ///
  /// - Throws: ``Failure`` for a stream that is NULL, released or fails, and for one whose arrays are not
  ///   structs; what `body` throws.
  static func take<T>(
    _ given: UnsafeMutablePointer<ArrowArrayStream>?, _ body: (ArrowInput) throws -> T
  ) throws -> T {
    let input = try unsafe ArrowInput(taking: given)
    defer { input.close() }
    return try body(input)
  }

  private init(taking given: UnsafeMutablePointer<ArrowArrayStream>?) throws(Failure) {
    guard let given = unsafe given else {
      unsafe stream = ArrowArrayStream()
      throw .argument("the stream must not be NULL")
    }
    unsafe stream = given.pointee
    unsafe given.pointee.release = nil
    guard unsafe stream.release != nil else { throw .argument("the stream has been released") }
    guard let getSchema = unsafe stream.get_schema, unsafe stream.get_next != nil else {
      throw .argument("the stream has no functions")
    }
    var schema = unsafe ArrowSchema()
    let code = unsafe getSchema(&stream, &schema)
    guard code == 0 else { throw streamFailure(code) }
    guard let release = unsafe schema.release else { throw Failure.schema(nil, "the stream has no schema") }
    defer { unsafe release(&schema) }
    fields = try unsafe Self.columns(of: schema)
  }

  deinit { close() }

  private func close() {
    loans.giveBackAll()
    if let release = unsafe stream.release { unsafe release(&stream) }
  }

  private func streamFailure(_ code: Int32) -> Failure {
    var failure = Failure.argument("the stream failed with code \(code)")
    if let lastError = unsafe stream.get_last_error, let text = unsafe lastError(&stream) {
      failure.reason += unsafe ": \(String(cString: text))"
    }
    failure.kind = .stream
    return failure
  }

  /// The next batch; nil at the end.
  ///
  /// - Throws: ``Failure`` where the stream fails, or hands over an array that does not fit its schema.
  func next() throws(Failure) -> ArrowBatch? {
    loans.giveBackUnused()
    guard let getNext = unsafe stream.get_next else { return nil }
    var array = unsafe ArrowArray()
    let code = unsafe getNext(&stream, &array)
    guard code == 0 else { throw streamFailure(code) }
    guard unsafe array.release != nil else { return nil }
    let lengths: (count: Int, offset: Int)
    do throws(Failure) { lengths = try unsafe ArrowBatch.check(array, fields, firstRow: rowCount) } catch {
      if let release = unsafe array.release { unsafe release(&array) }
      throw error
    }
    let batch = unsafe ArrowBatch(array, of: loans, fields, lengths, firstRow: rowCount)
    rowCount += batch.count
    return batch
  }

  // MARK: Schema

  private static func columns(of schema: ArrowSchema) throws(Failure) -> [ArrowField] {
    let root = try unsafe field(schema)
    guard root.type == .structure else {
      throw .schema(
        nil, "the stream's arrays must be structs, one child a column; these are \(root.type.words)")
    }
    let count = unsafe schema.n_children
    guard count >= 0, count <= mostColumns else { throw .schema(nil, "\(count) columns") }
    guard count > 0 else { return [] }
    guard let children = unsafe schema.children else { throw .schema(nil, "the schema's children are NULL") }
    var fields: [ArrowField] = []
    for i in 0..<Int(count) {
      guard let child = unsafe children[i] else { throw .schema(nil, "child \(i) of the schema is NULL") }
      fields.append(try unsafe field(child.pointee))
    }
    return fields
  }

  private static func field(_ schema: ArrowSchema) throws(Failure) -> ArrowField {
    let name = unsafe schema.name.map { unsafe String(cString: $0) } ?? ""
    guard let format = unsafe schema.format.map({ unsafe String(cString: $0) }) else {
      throw .schema(name, "its format is NULL")
    }
    var type = ArrowType(format: format)
    if let dictionary = unsafe schema.dictionary {
      guard type.isInteger else { throw .schema(name, "a dictionary's indices are \(type.words)") }
      guard let format = unsafe dictionary.pointee.format.map({ unsafe String(cString: $0) }) else {
        throw .schema(name, "its dictionary's format is NULL")
      }
      let isNested = unsafe dictionary.pointee.dictionary != nil
      type = .dictionary(index: type, values: isNested ? .other(format) : ArrowType(format: format))
    }
    return ArrowField(name: name, type: type, metadata: try unsafe metadata(schema.metadata, of: name))
  }

  /// Metadata: how many pairs (int32), then for each the length of the key, the key, the length of the value,
  /// the value.
  private static func metadata(
    _ bytes: UnsafePointer<CChar>?, of name: String
  ) throws(Failure) -> [String: String] {
    guard let bytes = unsafe bytes else { return [:] }
    var position = unsafe UnsafeRawPointer(bytes)
    func length(_ limit: Int32) throws(Failure) -> Int {
      let value = unsafe position.loadUnaligned(as: Int32.self)
      guard value >= 0, value <= limit else { throw .schema(name, "its metadata state a length of \(value)") }
      unsafe position += 4
      return Int(value)
    }
    func text() throws(Failure) -> String {
      let count = try length(1 << 28)
      defer { unsafe position += count }
      return unsafe String(decoding: UnsafeRawBufferPointer(start: position, count: count), as: UTF8.self)
    }
    var result: [String: String] = [:]
    for _ in 0..<(try length(10_000)) {
      let key = try text()
      result[key] = try text()
    }
    return result
  }
}

/// The arrays that a stream has handed over, until they are given back to their maker. That is done by the
/// thread that reads the stream alone, and never later than the call that took the stream. A maker in Python
/// needs the interpreter's lock for it, and by the time that another thread comes to it the interpreter may
/// be ending: it ends such a thread, and with it the process.
private final class ArrowLoans: Sendable {
  /// An array, which is moved between threads but never read here.
  @safe private struct Loan: @unchecked Sendable {
    // SAFETY: the struct is copied under a lock, and released by one thread.
    var array: ArrowArray

    func giveBack() {
      var given = unsafe array
      if let release = unsafe given.release { unsafe release(&given) }
    }
  }

  private struct Loans {
    var held: [Int: Loan] = [:]
    var count = 0
    /// Those that no batch needs any more.
    var unused: [Int] = []
  }

  private let loans = Mutex(Loans())

  /// Keeps an array, and gives its number.
  func keep(_ array: ArrowArray) -> Int {
    let loan = unsafe Loan(array: array)
    return loans.withLock { loans in
      loans.count += 1
      loans.held[loans.count] = loan
      return loans.count
    }
  }

  /// Notes that an array is needed no more; to be called on any thread.
  func end(_ number: Int) { loans.withLock { $0.unused.append(number) } }

  /// Gives back what is needed no more; to be called by the reading thread.
  func giveBackUnused() {
    let unused = loans.withLock { loans in
      let unused = loans.unused.compactMap { loans.held.removeValue(forKey: $0) }
      loans.unused = []
      return unused
    }
    for loan in unused { loan.giveBack() }
  }

  /// Gives back all that there is; to be called by the reading thread.
  func giveBackAll() {
    let all = loans.withLock { loans in
      let all = loans.held.sorted { $0.key < $1.key }.map(\.value)
      (loans.held, loans.unused) = ([:], [])
      return all
    }
    for loan in all { loan.giveBack() }
  }
}

/// One struct array of a stream, its lengths checked. It can be read until the ``ArrowInput`` that it is of
/// has ended.
@safe final class ArrowBatch: @unchecked Sendable {
  // SAFETY: the array is only read, by any thread; it is released by its loans, when nobody refers to the
  // batch any more, or the call has done its work.
  private let array: ArrowArray
  private let loans: ArrowLoans
  private let loan: Int
  private let fields: [ArrowField]
  /// How many rows.
  let count: Int
  /// The number of its first row in the stream.
  let firstRow: Int
  /// Where the struct's rows begin in its children.
  private let start: Int

  /// The longest array that is believed, rows: no machine holds more.
  static let longest = 1 << 46

  /// - Parameter lengths: What ``check(_:_:firstRow:)`` has found.
  fileprivate init(
    _ given: ArrowArray, of loans: ArrowLoans, _ fields: [ArrowField], _ lengths: (count: Int, offset: Int),
    firstRow: Int
  ) {
    unsafe array = given
    self.loans = loans
    loan = unsafe loans.keep(given)
    self.fields = fields
    self.firstRow = firstRow
    (count, start) = lengths
  }

  /// Checks a struct array by itself; its columns are checked when they are asked for.
  ///
  /// - Returns: How many rows it has, and where they begin in its children.
  static func check(
    _ array: ArrowArray, _ fields: [ArrowField], firstRow: Int
  ) throws(Failure) -> (count: Int, offset: Int) {
    let (count, start) = try unsafe lengths(of: array, "the stream's array")
    guard unsafe array.n_children == fields.count else {
      throw .data(nil, nil, "an array has \(unsafe array.n_children) children, its schema \(fields.count)")
    }
    guard unsafe fields.isEmpty || array.children != nil else {
      throw .data(nil, nil, "an array's children are NULL")
    }
    // Children shorter than the struct are found before anything that is as long as it claims is read.
    for (i, field) in fields.enumerated() {
      guard let child = unsafe array.children[i] else { throw .data(nil, field.name, "its array is NULL") }
      guard unsafe child.pointee.length >= start + count else {
        throw .data(
          nil, field.name,
          "its array has \(unsafe child.pointee.length) values where \(start + count) are needed")
      }
    }
    // A struct's row may be null as a whole.
    if unsafe array.n_buffers >= 1, unsafe array.null_count != 0, let buffers = unsafe array.buffers,
      let validity = unsafe buffers[0]
    {
      for i in 0..<count where unsafe !Bits.isSet(validity, start + i) {
        throw .data(firstRow + i, nil, "the row is null")
      }
    }
    return (count, start)
  }

  deinit { loans.end(loan) }

  /// The length and offset of an array, checked.
  static func lengths(of array: ArrowArray, _ what: String) throws(Failure) -> (count: Int, offset: Int) {
    let (length, offset, nulls) = unsafe (array.length, array.offset, array.null_count)
    guard length >= 0, length <= longest, offset >= 0, offset <= longest else {
      throw .data(nil, nil, "\(what) states a length of \(length) and an offset of \(offset)")
    }
    guard nulls >= -1, nulls <= length else {
      throw .data(nil, nil, "\(what) states \(nulls) nulls in \(length) rows")
    }
    return (Int(length), Int(offset))
  }

  /// A column's values.
  ///
  /// - Throws: ``Failure`` for lengths or buffers that do not fit.
  func column(_ i: Int) throws(Failure) -> ArrowColumn {
    let field = fields[i]
    guard let child = unsafe array.children?[i] else {
      throw .data(nil, field.name, "its array is NULL")
    }
    return try unsafe ArrowColumn(
      field, child.pointee, rows: count, from: start, firstRow: firstRow, keeping: self)
  }
}

enum Bits {
  @inline(__always)
  static func isSet(_ bitmap: UnsafeRawPointer, _ i: Int) -> Bool {
    let byte = unsafe bitmap.load(fromByteOffset: i >> 3, as: UInt8.self)
    return byte >> UInt8(truncatingIfNeeded: i & 7) & 1 != 0
  }
}
