internal import VicinityCrossings
internal import VicinityGeodesy

extension CSVTrackParser {
  /// Reads the record at `next`, whatever it is, and passes over it.
  @inline(never)
  mutating func slowRow() {
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
    if let fault = record.fault { return rows.reject(line, CSVTable.describe(fault)) }
    guard record.fieldCount == columns.names.count else {
      return rows.reject(line, "\(record.fieldCount) fields where the header has \(columns.names.count)")
    }
    switch fix() {
    case .fault(let fault): rows.reject(line, fault)
    case .value(let fix):
      switch deviceOfRecord() {
      case .fault(let fault): rows.reject(line, fault)
      case .value(let number): rows.append(fix, device: number, number: line)
      }
    }
  }

  private func field(_ column: Int) -> UnsafeBufferPointer<UInt8> {
    // SAFETY: the record has as many fields as there are columns, and they lie within the block.
    let field = unsafe fields[column]
    return unsafe UnsafeBufferPointer(start: base + field.start, count: field.end - field.start)
  }

  private mutating func deviceOfRecord() -> RowValue<UInt32> {
    guard let column = columns.column(.device) else { return .value(deviceNumber) }
    guard unsafe fields[column].hasEscapedQuotes else { return unsafe rows.device(field(column)) }
    var bytes: [UInt8] = []
    var isSecondQuote = false
    let text = unsafe field(column)
    for i in 0..<text.count {
      let byte = unsafe text[i]
      isSecondQuote = byte == CSVScanner.quote && !isSecondQuote
      if byte != CSVScanner.quote || isSecondQuote { bytes.append(byte) }
    }
    return unsafe bytes.withUnsafeBufferPointer { unsafe rows.device($0) }
  }

  private mutating func fix() -> RowValue<Fix> {
    guard let timeColumn = columns.column(.time), let latitude = columns.column(.latitude),
      let longitude = columns.column(.longitude)
    else { return .fault("no time or no place") }
    let time: Timestamp
    switch unsafe times.parse(TextCheck.trimmed(field(timeColumn))) {
    case .fault(let fault): return .fault(fault)
    case .value(let value): time = value
    }
    let coordinate = Coordinate(latitude: number(latitude) ?? .nan, longitude: number(longitude) ?? .nan)
    if let fault = CoordinateLimits.fault(coordinate) {
      if coordinate.latitude.isNaN { return .fault(notANumber(latitude)) }
      if coordinate.longitude.isNaN { return .fault(notANumber(longitude)) }
      return .fault(fault)
    }
    var fix = Fix(time: time, coordinate: coordinate)
    if let column = columns.column(.accuracy), let value = number(column) {
      guard value.isFinite else { return .fault(notFinite(column, value)) }
      fix.horizontalAccuracy = value
    }
    if let column = columns.column(.speed), let value = number(column) {
      guard value.isFinite else { return .fault(notFinite(column, value)) }
      fix.speed = value
    }
    if let column = columns.column(.course), let value = number(column) {
      guard value.isFinite else { return .fault(notFinite(column, value)) }
      guard value <= 360 else {
        return .fault("\(columns.names[column]) \(value) is not within 0...360 degrees")
      }
      fix.course = value == 360 ? 0 : value
    }
    return .value(fix)
  }

  /// The number in a column: `nil` where the field is empty, NaN where it holds something else.
  private func number(_ column: Int) -> Double? {
    let text = unsafe TextCheck.trimmed(field(column))
    return unsafe text.isEmpty ? nil : DecimalParser.parse(text)
  }

  private func notFinite(_ column: Int, _ value: Double) -> String {
    value.isNaN ? notANumber(column) : "\(columns.names[column]) \(value) is not finite"
  }

  private func notANumber(_ column: Int) -> String {
    "\(columns.names[column]) \(unsafe TextCheck.shown(field(column))) is not a number"
  }
}
