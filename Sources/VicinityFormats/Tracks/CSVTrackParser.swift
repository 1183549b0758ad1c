internal import VicinityCrossings
internal import VicinityGeodesy

/// Fixes from a block of CSV records: `device,time,latitude,longitude[,accuracy,speed,course]`, in any order.
///
/// A plain row is read in one pass over its bytes; a row with anything out of the ordinary (quotes, blanks, exponents,
/// zones written oddly, faults of any kind) is read again by ``slowRow()``, which alone decides what is wrong with it. Both
/// give the same fixes to the last bit.
///
/// Checked against each other, and against a slow reader on Foundation, in `CSVTrackParserTests`.
@safe struct CSVTrackParser: ~Copyable {
  let columns: CSVTrackColumns
  let block: ByteBlock
  /// Whether a line is a record whatever its quotes, as when following a stream.
  let linesAreRecords: Bool
  var times: TimeParser
  var rows: TrackRows
  let fields: UnsafeMutablePointer<CSVScanner.Field>

  // Invariant: base <= next <= end; the bytes up to the first line feed at or after end - 1 may be read, and
  // ByteBlock.padding more.
  let base: UnsafeMutablePointer<UInt8>
  let end: UnsafeMutablePointer<UInt8>
  var next: UnsafeMutablePointer<UInt8>
  /// The line at `next`, counted from the block's first, from 0.
  var line = 0

  /// The device of the row before, as bytes of the block.
  private var device: UnsafePointer<UInt8>
  private var deviceCount = -1
  private(set) var deviceNumber: UInt32 = 0
  private let recent: RecentDevices

  /// The rows of `block`, which holds whole records.
  static func parse(
    _ block: ByteBlock, columns: CSVTrackColumns, options: TrackReader.Options, known: DeviceTable? = nil,
    slowly: Bool = false
  ) -> TrackRows {
    var parser = CSVTrackParser(block, columns: columns, options: options, known: known)
    parser.run(slowly: slowly)
    return parser.finish()
  }

  private init(
    _ block: ByteBlock, columns: CSVTrackColumns, options: TrackReader.Options, known: DeviceTable?
  ) {
    self.block = block
    self.columns = columns
    linesAreRecords = options.follows
    times = TimeParser(unit: columns.unit, zone: options.zone)
    rows = TrackRows(maximumRejected: options.maximumDiagnostics, known: known)
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
        guard let number = unsafe Self.fastNumber(&p) else { return false }
        fix.coordinate.latitude = number
      case .longitude:
        guard let number = unsafe Self.fastNumber(&p) else { return false }
        fix.coordinate.longitude = number
      case .accuracy:
        if unsafe Self.isFieldEnd(p, delimiter) { break }
        guard let number = unsafe Self.fastNumber(&p) else { return false }
        fix.horizontalAccuracy = number
      case .speed:
        if unsafe Self.isFieldEnd(p, delimiter) { break }
        guard let number = unsafe Self.fastNumber(&p) else { return false }
        fix.speed = number
      case .course:
        if unsafe Self.isFieldEnd(p, delimiter) { break }
        guard let number = unsafe Self.fastNumber(&p), number < 360 else { return false }
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

  /// The number at `p`, which is moved behind it; `nil` for one that is not plain.
  ///
  /// Up to 2^53 over a power of ten up to 10^17, both exact: the division rounds once (see ``DecimalParser``).
  @inline(__always)
  private static func fastNumber(_ p: inout UnsafePointer<UInt8>) -> Double? {
    var q = unsafe p
    let isNegative = unsafe q.pointee == UInt8(ascii: "-")
    if isNegative { unsafe q += 1 }
    let start = unsafe q
    var significand: UInt64 = 0
    while true {
      let digit = unsafe q.pointee &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      significand = significand &* 10 &+ UInt64(digit)
      unsafe q += 1
    }
    var digits = unsafe q - start
    var decimals = 0
    if unsafe q.pointee == UInt8(ascii: ".") {
      unsafe q += 1
      let fraction = unsafe q
      while true {
        let digit = unsafe q.pointee &- UInt8(ascii: "0")
        guard digit < 10 else { break }
        significand = significand &* 10 &+ UInt64(digit)
        unsafe q += 1
      }
      unsafe decimals = q - fraction
      digits += decimals
    }
    guard (1...17).contains(digits), significand <= 1 << 53 else { return nil }
    unsafe p = q
    let magnitude = Double(significand) / DecimalParser.powersOfTen[decimals]
    return isNegative ? -magnitude : magnitude
  }
}
