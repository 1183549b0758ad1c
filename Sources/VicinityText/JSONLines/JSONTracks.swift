internal import VicinityCrossings
internal import VicinityGeodesy

/// What the members of a track's objects mean.
struct JSONTrackNames: Sendable {
  var names: JSONNames
  /// The device of all objects, if no member names it.
  var device: String?
}

/// Fixes from a block of lines of JSON: `device`, `time`, `latitude`, `longitude`, `accuracy`, `speed`, `course`.
enum JSONTrackParser {
  static func parse(
    _ block: ByteBlock, names: JSONTrackNames, options: ReadingOptions, known: DeviceNames?
  ) -> TrackRows {
    var rows = TrackRows(maximumRejected: options.maximumRejected, known: known)
    let fallback = names.device.map { rows.number(of: $0) }
    var parser = Parser(names: names, zone: options.zone, fallback: fallback)
    rows.reserve(block.count / 96 + 16)
    unsafe CSVScanner.forEachLine(block.bytes) { line in
      let object = unsafe JSONLines.object(in: line)
      if !object.isEmpty {
        switch unsafe parser.fix(object, &rows) {
        case .fault(let fault): rows.reject(rows.lineCount, fault)
        case .value(let fix): rows.append(fix.fix, device: fix.device, number: rows.lineCount)
        }
      }
      rows.lineCount += 1
    }
    rows.known = nil
    return rows
  }

  private struct Parser {
    let names: JSONTrackNames
    let fallback: UInt32?
    private var row = JSONRow()
    private var times: TimeParser

    init(names: JSONTrackNames, zone: LocalZone?, fallback: UInt32?) {
      self.names = names
      self.fallback = fallback
      times = TimeParser(zone: zone)
    }

    mutating func fix(
      _ object: UnsafeBufferPointer<UInt8>, _ rows: inout TrackRows
    ) -> RowValue<(fix: Fix, device: UInt32)> {
      if let fault = unsafe row.read(object, names.names) { return .fault(fault) }
      let fix: Fix
      switch self.fix() {
      case .fault(let fault): return .fault(fault)
      case .value(let value): fix = value
      }
      if let fallback {
        // The first object names no device: a later one that does is of another device than this file's.
        guard !row.has(.identifier) else {
          return .fault("\(row.name(.identifier)) is there, which the first object lacks")
        }
        return .value((fix, fallback))
      }
      switch unsafe row.text(.identifier) {
      case .fault(let fault): return .fault(fault)
      case .value(let text):
        switch unsafe rows.device(text) {
        case .fault(let fault): return .fault(fault)
        case .value(let device): return .value((fix, device))
        }
      }
    }

    private mutating func fix() -> RowValue<Fix> {
      var fix = Fix(time: Timestamp(microseconds: 0), coordinate: Coordinate(latitude: .nan, longitude: .nan))
      switch unsafe row.trimmed(.time) {
      case .fault(let fault): return .fault(fault)
      case .value(let text):
        times.unit = row.isInMilliseconds ? .milliseconds : .seconds
        switch unsafe times.parse(text) {
        case .fault(let fault): return .fault(fault)
        case .value(let time): fix.time = time
        }
      }
      switch row.coordinate() {
      case .fault(let fault): return .fault(fault)
      case .value(let coordinate): fix.coordinate = coordinate
      }
      for (role, path) in [
        (JSONRole.accuracy, \Fix.horizontalAccuracy), (.speed, \.speed), (.course, \.course),
      ] where row.has(role) {
        switch row.number(role) {
        case .fault(let fault): return .fault(fault)
        case .value(nil): break
        case .value(let number?):
          guard number.isFinite else { return .fault("\(row.name(role)) \(number) is not finite") }
          fix[keyPath: path] = number
        }
      }
      guard fix.course <= 360 else {
        return .fault("\(row.name(.course)) \(fix.course) is not within 0...360 degrees")
      }
      if fix.course == 360 { fix.course = 0 }
      return .value(fix)
    }
  }
}

/// The chunks of a file of lines of JSON: blocks of whole lines.
final class JSONTrackSource: TrackSource {
  private var reader: BlockReader
  private let input: TrackInput
  private let names: JSONTrackNames
  private var firstNumber: Int? = 1
  private var remarks = TrackRemarks()

  /// Looks at the first object.
  ///
  /// - Throws: ``FormatError`` where it lacks what is needed.
  init(_ blocks: consuming BlockReader, _ input: TrackInput) throws {
    var reader = blocks
    let options = input.options
    let header = try JSONHeader(&reader, options)
    let resolver = header.resolver
    let coordinates = try header.coordinates(options)
    var names = coordinates.names
    remarks.notes = coordinates.notices
    guard let time = try resolver.time(named: options.timeField) else {
      throw FormatError.missingColumn(
        header.place, expected: FieldNames.time + FieldNames.timeInMilliseconds, found: header.names)
    }
    if options.timeField != nil {
      names.add(.time, [header.names[time.index]], milliseconds: time.unit == .milliseconds)
    } else {
      names.add(.time, FieldNames.time)
      names.add(.time, FieldNames.timeInMilliseconds, milliseconds: true, after: FieldNames.time.count)
    }
    if let notice = resolver.notice("times", time.index, named: options.timeField) {
      remarks.notes.append(notice)
    }
    let device = try resolver.index(of: options.identifierField, orAny: FieldNames.device)
    if let device {
      names.add(.identifier, [header.names[device]])
      if let notice = resolver.notice(
        "devices", device, named: options.identifierField, vague: FieldNames.vagueDevice)
      {
        remarks.addDevices(notice, options)
      }
    } else {
      try resolver.checkIsOneDevice(explained: [time.index], options)
      names.add(.identifier, FieldNames.device)
      remarks.warnings.append(
        "no member for devices; all fixes are taken for those of \"\(input.fallbackDevice)\"")
    }
    names.add(.accuracy, FieldNames.accuracy)
    names.add(.speed, FieldNames.speed)
    names.add(.course, FieldNames.course)
    self.names = JSONTrackNames(names: names, device: device == nil ? input.fallbackDevice : nil)
    self.input = input
    self.reader = reader
  }

  var consumedByteCount: Int? { reader.source.consumedByteCount }

  func seek(to position: TrackPosition) throws {
    guard position.offset > 0 else { return }
    try reader.seek(to: position.offset)
    firstNumber = position.line
    remarks = TrackRemarks()
  }

  func next() throws -> TrackChunk? {
    let start = reader.offset
    guard let block = try unsafe reader.next(line: 1, cut: { unsafe CSVScanner.wholeLines($0) }) else {
      return nil
    }
    var chunk = input.chunk(.jsonLines(block, names), start..<reader.offset, firstNumber: firstNumber)
    chunk.remarks = remarks.take()
    firstNumber = nil
    return chunk
  }
}
