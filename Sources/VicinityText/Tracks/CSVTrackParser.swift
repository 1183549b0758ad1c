internal import VicinityCrossings
internal import VicinityGeodesy

/// Fixes from a block of CSV records: `device,time,latitude,longitude[,accuracy,speed,course]`, in any order.
///
/// `fastRow` reads a plain row in one pass over its bytes. A row with quotes, blanks, exponents, unusual zones or any fault
/// is read again by `slowRow`, which alone decides what is wrong with it. Both give the same fixes to the last bit.
///
/// `CSVTrackParserTests` checks the two against each other, and against a slow reader on Foundation.
@safe struct CSVTrackParser: ~Copyable {
  private let columns: CSVTrackColumns
  private let block: ByteBlock
  /// Whether a line is a record even if a quote is open, as when following a stream.
  private let linesAreRecords: Bool
  private var times: TimeParser
  private var rows: TrackRows
  private let fields: UnsafeMutablePointer<CSVScanner.Field>

  // Invariant: base <= next <= end; the bytes up to the first line feed at or after end - 1 may be read, and
  // ByteBlock.padding more.
  private let base: UnsafeMutablePointer<UInt8>
  private let end: UnsafeMutablePointer<UInt8>
  private var next: UnsafeMutablePointer<UInt8>
  /// The line at `next`, counted from the block's first, from 0.
  private var line = 0

  /// The device of the row before, as bytes of the block.
  private var device: UnsafePointer<UInt8>
  private var deviceCount = -1
  private var deviceNumber: UInt32 = 0
  private let recent: RecentDevices

  /// The rows of `block`, which holds whole records.
  static func parse(
    _ block: ByteBlock, columns: CSVTrackColumns, options: ReadingOptions, known: DeviceNames? = nil,
    slowly: Bool = false
  ) -> TrackRows {
    var parser = CSVTrackParser(block, columns: columns, options: options, known: known)
    parser.run(slowly: slowly)
    return parser.finish()
  }

  private init(
    _ block: ByteBlock, columns: CSVTrackColumns, options: ReadingOptions, known: DeviceNames?
  ) {
    self.block = block
    self.columns = columns
    linesAreRecords = options.follows
    times = TimeParser(unit: columns.unit, zone: options.zone)
    rows = TrackRows(options, known: known)
    unsafe fields = .allocate(capacity: columns.names.count + 1)
    unsafe base = block.base
    unsafe end = block.base + block.count
    unsafe next = block.base
    unsafe device = UnsafePointer(block.base)
    recent = RecentDevices(byteCount: block.count)
    // A plain row is seldom shorter than this; the arrays grow where rows are.
    rows.reserve(block.count / 40 + 16)
  }

  deinit { unsafe fields.deallocate() }

  private consuming func finish() -> TrackRows {
    var rows = self.rows
    rows.lineCount = line
    rows.known = nil
    return rows
  }

  private mutating func run(slowly: Bool) {
    if let name = columns.device { deviceNumber = rows.number(of: name) }
    unsafe columns.roles.withUnsafeBufferPointer { roles in
      while unsafe next < end {
        if !slowly, unsafe fastRow(roles) { continue }
        slowRow()
      }
    }
  }

  /// Reads the row at `next` and passes over it; false, with nothing changed, where it is not plain.
  @inline(__always)
  private mutating func fastRow(_ roles: UnsafeBufferPointer<CSVTrackColumns.Role>) -> Bool {
    // SAFETY: every loop ends at a line feed, of which there is one at or after `end - 1`; fixed distances are
    // below the padding.
    let delimiter = columns.delimiter
    var p = unsafe UnsafePointer(next)
    var fix = Fix(
      time: Timestamp(microseconds: 0), coordinate: Coordinate(latitude: .nan, longitude: .nan))
    var newDevice: UnsafePointer<UInt8>?
    var newDeviceCount = 0
    let last = roles.count - 1
    for column in 0...last {
      switch unsafe roles[column] {
      case .other:
        while unsafe p.pointee != delimiter, unsafe p.pointee != CSVScanner.lineFeed {
          if unsafe p.pointee == CSVScanner.quote { return false }
          unsafe p += 1
        }
      case .device:
        if unsafe isSameDevice(p, isLast: column == last) {
          unsafe p += deviceCount
        } else {
          let start = unsafe p
          while unsafe p.pointee != delimiter, unsafe p.pointee != CSVScanner.lineFeed {
            if unsafe p.pointee == CSVScanner.quote { return false }
            unsafe p += 1
          }
          var count = unsafe p - start
          if column == last, count > 0, unsafe start[count - 1] == CSVScanner.carriageReturn { count -= 1 }
          unsafe newDevice = start
          newDeviceCount = count
        }
      case .time:
        guard let time = unsafe fastTime(&p) else { return false }
        fix.time = Timestamp(microseconds: time)
      case .latitude:
        guard let number = unsafe NumberScanner.plainNumber(&p) else { return false }
        fix.coordinate.latitude = number
      case .longitude:
        guard let number = unsafe NumberScanner.plainNumber(&p) else { return false }
        fix.coordinate.longitude = number
      case .accuracy:
        if unsafe Self.isFieldEnd(p, delimiter) { break }
        guard let number = unsafe NumberScanner.plainNumber(&p) else { return false }
        fix.horizontalAccuracy = number
      case .speed:
        if unsafe Self.isFieldEnd(p, delimiter) { break }
        guard let number = unsafe NumberScanner.plainNumber(&p) else { return false }
        fix.speed = number
      case .course:
        if unsafe Self.isFieldEnd(p, delimiter) { break }
        guard let number = unsafe NumberScanner.plainNumber(&p), number < 360 else { return false }
        fix.course = number
      }
      if column < last {
        guard unsafe p.pointee == delimiter else { return false }
      } else if unsafe p.pointee != CSVScanner.lineFeed {
        guard unsafe p.pointee == CSVScanner.carriageReturn, unsafe p[1] == CSVScanner.lineFeed else {
          return false
        }
        unsafe p += 1
      }
      unsafe p += 1
    }
    guard CoordinateLimits.contains(fix.coordinate) else { return false }
    if let start = unsafe newDevice {
      guard let number = unsafe number(of: start, count: newDeviceCount) else { return false }
      unsafe device = start
      deviceCount = newDeviceCount
      deviceNumber = number
    }
    rows.append(fix, device: deviceNumber, number: line)
    // A last line that ends with the block has its line feed beyond it.
    unsafe next = unsafe min(base + (p - UnsafePointer(base)), end)
    line += 1
    return true
  }

  /// The number of the device at `start`; `nil` where it cannot be one.
  @inline(__always)
  private mutating func number(of start: UnsafePointer<UInt8>, count: Int) -> UInt32? {
    guard count > 0 else { return nil }
    let first = unsafe UnsafePointer(base)
    let offset = unsafe start - first
    if let number = unsafe recent.number(first, offset, count) { return number }
    guard case .value(let number) = unsafe rows.device(UnsafeBufferPointer(start: start, count: count)) else {
      return nil
    }
    unsafe recent.insert(first, offset, count, number: number)
    return number
  }

  /// Whether the field at `p` is the device of the row before.
  @inline(__always)
  private func isSameDevice(_ p: UnsafePointer<UInt8>, isLast: Bool) -> Bool {
    guard deviceCount > 0, unsafe deviceCount <= UnsafePointer(end) - p else { return false }
    // SAFETY: both fields lie within the block, and words may reach into its padding.
    guard unsafe RecentDevices.isSame(p, device, deviceCount) else { return false }
    let after = unsafe p[deviceCount]
    if !isLast { return after == columns.delimiter }
    return unsafe after == CSVScanner.lineFeed
      || after == CSVScanner.carriageReturn && p[deviceCount + 1] == CSVScanner.lineFeed
  }

  /// The time at `p`, which is moved behind it; `nil` for one that is not plain.
  @inline(__always)
  private mutating func fastTime(_ p: inout UnsafePointer<UInt8>) -> Int64? {
    if unsafe p[4] == UInt8(ascii: "-") { return unsafe times.common(p, end: &p) }
    guard times.unit == .seconds else { return nil }
    var seconds: Int64 = 0
    var q = unsafe p
    while true {
      let digit = unsafe q.pointee &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      seconds = seconds &* 10 &+ Int64(digit)
      unsafe q += 1
    }
    // Ten digits: no overflow, and below the largest time.
    guard unsafe (1...10).contains(q - p) else { return nil }
    var microseconds: Int64 = 0
    if unsafe q.pointee == UInt8(ascii: ".") {
      unsafe q += 1
      var scale: Int64 = 100_000
      while scale > 0 {
        let digit = unsafe q.pointee &- UInt8(ascii: "0")
        guard digit < 10 else { break }
        microseconds &+= Int64(digit) &* scale
        scale /= 10
        unsafe q += 1
      }
    }
    unsafe p = q
    return seconds &* 1_000_000 &+ microseconds
  }

  @inline(__always)
  private static func isFieldEnd(_ p: UnsafePointer<UInt8>, _ delimiter: UInt8) -> Bool {
    unsafe p.pointee == delimiter || p.pointee == CSVScanner.lineFeed
      || p.pointee == CSVScanner.carriageReturn
  }

  // MARK: - Any row

  /// Reads the record at `next`, whatever it holds, and moves past it.
  @inline(never)
  private mutating func slowRow() {
    let start = unsafe next - base
    var limit = unsafe end - base
    if linesAreRecords {
      let first = start
      let stop = limit
      limit = first
      while limit < stop, unsafe base[limit] != CSVScanner.lineFeed { limit += 1 }
      limit = min(limit + 1, stop)
    }
    // SAFETY: `fields` has room for one field more than there are columns.
    guard
      let record = unsafe CSVScanner.record(
        base, from: start, to: limit, isAtEnd: true, delimiter: columns.delimiter, fields: fields,
        maximumFields: columns.names.count + 1)
    else {
      unsafe next = end
      return
    }
    unsafe next = base + record.end
    // A quote that is not closed takes the line feed too.
    defer { line += linesAreRecords ? 1 : record.lineCount }
    if record.isBlank { return }
    if let fault = record.fault { return rows.reject(line, fault.rawValue) }
    guard record.fieldCount == columns.names.count else {
      return rows.reject(line, "\(record.fieldCount) fields where the header has \(columns.names.count)")
    }
    do throws(RowFault) {
      let fix = try fix()
      rows.append(fix, device: try deviceOfRecord(), number: line)
    } catch {
      rows.reject(line, error.message)
    }
  }

  private func field(_ column: Int) -> UnsafeBufferPointer<UInt8> {
    // SAFETY: the record has as many fields as there are columns, and they lie within the block.
    let field = unsafe fields[column]
    return unsafe UnsafeBufferPointer(start: base + field.start, count: field.end - field.start)
  }

  private mutating func deviceOfRecord() throws(RowFault) -> UInt32 {
    guard let column = columns.column(.device) else { return deviceNumber }
    // SAFETY: the field lies within the block, and nothing else refers to its bytes.
    unsafe fields[column] = CSVScanner.unescaped(fields[column], in: base)
    return try unsafe rows.device(field(column)).get()
  }

  private mutating func fix() throws(RowFault) -> Fix {
    guard let timeColumn = columns.column(.time), let latitude = columns.column(.latitude),
      let longitude = columns.column(.longitude)
    else { throw RowFault(message: "no time or no place") }
    let time = try unsafe times.parse(TextCheck.trimmed(field(timeColumn))).get()
    let names = (columns.names[latitude], columns.names[longitude])
    var fix = Fix(
      time: time,
      coordinate: try unsafe RowValue.coordinate(field(latitude), field(longitude), names: names).get())
    if let value = try number(.accuracy) { fix.horizontalAccuracy = value }
    if let value = try number(.speed) { fix.speed = value }
    if let value = try number(.course) {
      guard value <= 360 else {
        let name = columns.names[columns.column(.course) ?? 0]
        throw RowFault(message: "\(name) \(value) is not within 0...360 degrees")
      }
      fix.course = value == 360 ? 0 : value
    }
    return fix
  }

  /// The number in the column of a role; nil where there is none, or an empty field.
  private func number(_ role: CSVTrackColumns.Role) throws(RowFault) -> Double? {
    guard let column = columns.column(role) else { return nil }
    let text = unsafe TextCheck.trimmed(field(column))
    if text.isEmpty { return nil }
    let value = unsafe NumberScanner.number(text)
    guard value.isFinite else {
      throw RowFault(
        message: value.isNaN
          ? unsafe RowValue<Fix>.notANumber(field(column), columns.names[column])
          : "\(columns.names[column]) \(value) is not finite")
    }
    return value
  }
}
