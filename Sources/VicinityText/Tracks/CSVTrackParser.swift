internal import VicinityCrossings
internal import VicinityGeodesy

/// Fixes from a block of CSV records: `device,time,latitude,longitude[,accuracy,speed,course]`, in any order.
///
/// `fastRow` reads a plain row in one pass over its bytes. A row with quotes, blanks, exponents, unusual
/// zones or any fault is read again by `slowRow`, which alone decides what is wrong with it. Both give the
/// same fixes to the last bit.
///
/// `CSVTrackParserTests` checks the two against each other, and against a slow reader on Foundation.
@safe struct CSVTrackParser: ~Copyable {
  private let columns: CSVTrackColumns
  private let shape: CSVScanner.Shape
  private let block: ByteBlock
  /// Whether a line is a record even if a quote is open, as when following a stream.
  private let linesAreRecords: Bool
  private var times: TimeParser
  private var rows: TrackRows
  private let fields: UnsafeMutablePointer<CSVScanner.Field>

  // Invariant: base <= next <= end + 1; the bytes up to the first line end at or after end - 1 may be read,
  // and ByteBlock.padding more.
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
    shape = columns.shape
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
    // SAFETY: every loop ends at a line end, of which there is one at or after `end - 1`; fixed distances are
    // below the padding.
    let delimiter = columns.delimiter
    var p = unsafe UnsafePointer(next)
    var fix = Fix(
      time: Timestamp(microseconds: 0), coordinate: Coordinate(latitude: .nan, longitude: .nan))
    var newDevice: UnsafePointer<UInt8>?
    var newDeviceCount = 0
    var badCourses = 0
    let last = roles.count - 1
    for column in 0...last {
      switch unsafe roles[column] {
      case .other:
        while unsafe p.pointee != delimiter, unsafe !CSVScanner.endsLine(p.pointee) {
          if unsafe p.pointee == CSVScanner.quote { return false }
          unsafe p += 1
        }
      case .device:
        if unsafe isSameDevice(p, isLast: column == last) {
          unsafe p += deviceCount
        } else {
          let start = unsafe p
          while unsafe p.pointee != delimiter, unsafe !CSVScanner.endsLine(p.pointee) {
            if unsafe p.pointee == CSVScanner.quote { return false }
            unsafe p += 1
          }
          unsafe newDevice = start
          newDeviceCount = unsafe p - start
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
        if number >= 0 { fix.speed = number }
      case .course:
        if unsafe Self.isFieldEnd(p, delimiter) { break }
        guard let number = unsafe NumberScanner.plainNumber(&p) else { return false }
        switch OptionalMeasurement.course(number) {
        case .known(let value): fix.course = value
        case .unknown: break
        case .outOfRange: badCourses = 1
        }
      }
      if column < last {
        guard unsafe p.pointee == delimiter else { return false }
      } else if unsafe p.pointee != CSVScanner.lineFeed {
        guard unsafe p.pointee == CSVScanner.carriageReturn else { return false }
        if unsafe p[1] == CSVScanner.lineFeed { unsafe p += 1 }
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
    rows.remarks.badCourses += badCourses
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
    return CSVScanner.endsLine(after)
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
    unsafe p.pointee == delimiter || CSVScanner.endsLine(p.pointee)
  }

  // MARK: - Any row

  /// Reads the record at `next`, whatever it holds, and moves past it.
  @inline(never)
  private mutating func slowRow() {
    let start = unsafe next - base
    var limit = unsafe end - base
    if linesAreRecords {
      let stop = limit
      limit = start
      while limit < stop, unsafe !CSVScanner.endsLine(base[limit]) { limit += 1 }
      let isReturn = unsafe limit < stop && base[limit] == CSVScanner.carriageReturn
      limit = min(limit + 1, stop)
      if isReturn, limit < stop, unsafe base[limit] == CSVScanner.lineFeed { limit += 1 }
    }
    // SAFETY: `fields` has room for one field more than there are columns.
    guard
      let record = unsafe CSVScanner.record(
        base, from: start, to: limit, isAtEnd: true, shape: shape, fields: fields,
        maximumFields: columns.names.count + 1)
    else {
      unsafe next = end
      return
    }
    unsafe next = base + record.end
    // A quote that is not closed takes the line feed too.
    defer { line += linesAreRecords ? 1 : record.lineCount }
    if record.isBlank { return }
    if let fault = record.fault { return rows.reject(line, RowFault(fault.rawValue)) }
    guard record.fieldCount == columns.names.count else {
      return rows.reject(line, "\(record.fieldCount) fields where the header has \(columns.names.count)")
    }
    do throws(RowFault) {
      guard let fix = try fix() else { return rows.dropPosition() }
      rows.append(fix, device: try deviceOfRecord(), number: line)
    } catch {
      rows.reject(line, error)
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

  /// The record's fix; `nil` where the device has no position.
  private mutating func fix() throws(RowFault) -> Fix? {
    guard let timeColumn = columns.column(.time), let latitude = columns.column(.latitude),
      let longitude = columns.column(.longitude)
    else { throw RowFault("no time or no place") }
    let time = try unsafe times.parse(TextCheck.trimmed(field(timeColumn))).get()
    let names = (columns.names[latitude], columns.names[longitude])
    guard
      let coordinate = try unsafe RowValue<Coordinate?>.position(
        field(latitude), field(longitude), names: names
      ).get()
    else { return nil }
    var fix = Fix(time: time, coordinate: coordinate)
    if let value = try accuracy() { fix.horizontalAccuracy = value }
    rows.set(speed: optional(.speed), course: optional(.course), of: &fix)
    return fix
  }

  /// The accuracy; nil where there is none.
  private func accuracy() throws(RowFault) -> Double? {
    guard let column = columns.column(.accuracy) else { return nil }
    return try unsafe RowValue.accuracy(field(column), columns.names[column]).get()
  }

  /// The number in the column of a role; nil where there is none, infinite where something else is there.
  private func optional(_ role: CSVTrackColumns.Role) -> Double? {
    columns.column(role).flatMap { unsafe NumberScanner.optional(TextCheck.trimmed(field($0))) }
  }
}
