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
    var rows = TrackRows(options, known: known)
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
      RowValue { () throws(RowFault) in
        if let fault = unsafe row.read(object, names.names) { throw RowFault(message: fault) }
        let fix = try fix()
        guard let fallback else { return (fix, try unsafe rows.device(row.text(.identifier).get()).get()) }
        // The first object names no device: a later one that does is of another device than this file's.
        guard !row.has(.identifier) else {
          throw RowFault(message: "\(row.name(.identifier)) is there, which the first object lacks")
        }
        return (fix, fallback)
      }
    }

    private mutating func fix() throws(RowFault) -> Fix {
      let text = try unsafe row.trimmed(.time).get()
      times.unit = row.isInMilliseconds ? .milliseconds : .seconds
      var fix = Fix(time: try unsafe times.parse(text).get(), coordinate: try row.coordinate().get())
      for (role, path) in [
        (JSONRole.accuracy, \Fix.horizontalAccuracy), (.speed, \.speed), (.course, \.course),
      ] where row.has(role) {
        guard let number = try row.number(role).get() else { continue }
        guard number.isFinite else {
          throw RowFault(message: "\(row.name(role)) \(number) is not finite")
        }
        fix[keyPath: path] = number
      }
      guard fix.course <= 360 else {
        throw RowFault(message: "\(row.name(.course)) \(fix.course) is not within 0...360 degrees")
      }
      if fix.course == 360 { fix.course = 0 }
      return fix
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
