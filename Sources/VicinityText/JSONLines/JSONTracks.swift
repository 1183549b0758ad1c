internal import VicinityCrossings
internal import VicinityGeodesy

/// What the members of a track's objects mean.
struct JSONTrackNames: Sendable {
  var names: JSONNames
  /// The device of all objects, if no member names it.
  var device: String?
}

/// Fixes from a block of lines of JSON: `device`, `time`, `latitude`, `longitude`, `accuracy`, `speed`,
/// `course`.
enum JSONTrackParser {
  static func parse(
    _ block: ByteBlock, names: JSONTrackNames, options: ReadingOptions, known: DeviceNames?
  ) -> TrackRows {
    var rows = TrackRows(options, known: known)
    let fallback = names.device.map { rows.number(of: $0) }
    var parser = Parser(names: names, options, fallback: fallback)
    rows.reserve(block.count / 96 + 16)
    unsafe CSVScanner.forEachLine(block.bytes) { line in
      let object = unsafe JSONLines.object(in: line)
      if !object.isEmpty {
        switch unsafe parser.fix(object, &rows) {
        case .fault(let fault): rows.reject(rows.lineCount, fault)
        case .value(nil): rows.dropPosition()
        case .value(let fix?): rows.append(fix.fix, device: fix.device, number: rows.lineCount)
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
    /// Whether all objects are of one device, whatever they say.
    private let isSingleDevice: Bool
    private let unit: TimeUnit?
    private var row = JSONRow()
    private var times: TimeParser

    init(names: JSONTrackNames, _ options: ReadingOptions, fallback: UInt32?) {
      self.names = names
      self.fallback = fallback
      isSingleDevice = options.isSingleDevice
      unit = options.timeUnit
      times = TimeParser(zone: options.zone)
    }

    mutating func fix(
      _ object: UnsafeBufferPointer<UInt8>, _ rows: inout TrackRows
    ) -> RowValue<(fix: Fix, device: UInt32)?> {
      RowValue { () throws(RowFault) in
        if let fault = unsafe row.read(object, names.names) { throw RowFault(fault) }
        guard let fix = try fix(&rows) else { return nil }
        guard let fallback else { return (fix, try unsafe rows.device(row.text(.identifier).get()).get()) }
        // The first object names no device: a later one that does is of another device than this file's.
        guard isSingleDevice || !row.has(.identifier) else {
          throw RowFault("\(row.name(.identifier)) is there, which the first object lacks")
        }
        return (fix, fallback)
      }
    }

    /// The object's fix; `nil` where the device has no position.
    private mutating func fix(_ rows: inout TrackRows) throws(RowFault) -> Fix? {
      let text = try unsafe row.trimmed(.time).get()
      times.unit = unit ?? (row.isInMilliseconds ? .milliseconds : .seconds)
      let time = try unsafe times.parse(text).get()
      guard let coordinate = try row.position().get() else { return nil }
      var fix = Fix(time: time, coordinate: coordinate)
      if let accuracy = try row.accuracy().get() { fix.horizontalAccuracy = accuracy }
      rows.set(speed: row.optional(.speed), course: row.optional(.course), of: &fix)
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
    guard let time = try resolver.time(options) else {
      throw FormatError.missingColumn(
        header.place, expected: FieldNames.time + FieldNames.timeInMilliseconds, found: header.names)
    }
    if options.timeField != nil {
      names.add(.time, [header.names[time.index]], milliseconds: time.unit == .milliseconds)
    } else {
      names.add(.time, FieldNames.time)
      names.add(.time, FieldNames.timeInMilliseconds, milliseconds: true, after: FieldNames.time.count)
    }
    if let notice = resolver.notice(
      "times", time.index, named: options.timeField, others: FieldNames.time + FieldNames.timeInMilliseconds)
    {
      remarks.notes.append(notice)
    }
    var explained = [time.index]
    for (role, quantity, chosen) in [
      (JSONRole.accuracy, FieldNames.accuracy, options.accuracyField), (.speed, FieldNames.speed, nil),
      (.course, FieldNames.course, nil),
    ] {
      let isThere = chosen.map { name in
        header.names.contains { FieldNames.normalized($0) == FieldNames.normalized(name) }
      }
      guard isThere ?? true else {
        // It is optional: the first object need not have it.
        names.add(role, [chosen ?? ""])
        continue
      }
      let index = try resolver.index(of: quantity, named: chosen)
      if let index { explained.append(index) }
      // Later objects may have what the first one lacks.
      let first = index.map { FieldNames.normalized(header.names[$0]) }
      names.add(
        role, (first.map { [$0] } ?? []) + (chosen == nil ? quantity.spellings.filter { $0 != first } : []))
      if let notice = resolver.notice("accuracies", index, named: chosen) { remarks.notes.append(notice) }
    }
    if options.accuracyField == nil,
      let notice = FieldNames.unread(
        FieldNames.accuracy, "accuracies", in: "metres", among: resolver.names)
    {
      remarks.warnings.append(notice)
    }
    let device = try resolver.device(options)
    if let device {
      names.add(.identifier, [header.names[device]])
      if let notice = resolver.deviceNotice(device, options) { remarks.addDevices(notice, options) }
      if let notice = resolver.tripNotice(device, options) { remarks.notes.append(notice) }
    } else {
      try resolver.checkIsOneDevice(explained: explained, options)
      names.add(.identifier, FieldNames.device)
      remarks.addOnlyDevice(input.fallbackDevice, options, lacks: "member")
    }
    self.names = JSONTrackNames(names: names, device: device == nil ? input.fallbackDevice : nil)
    self.input = input
    self.reader = reader
  }

  var consumedByteCount: Int? { reader.source.consumedByteCount }
  var unfinishedByteCount: Int { reader.unfinishedByteCount }

  func seek(to position: TrackPosition) throws {
    guard position.offset > 0 else { return }
    try reader.seek(to: position.offset)
    firstNumber = position.line
    remarks = TrackRemarks()
  }

  func next() throws -> TrackChunk? {
    let start = reader.offset
    guard let block = try unsafe reader.next(cut: { unsafe CSVScanner.wholeLines($0, from: $1) }) else {
      return nil
    }
    let content =
      block.isOverlong ? input.overlongLine(reader.overlongMessage) : .jsonLines(block, names)
    var chunk = input.chunk(content, start..<reader.offset, firstNumber: firstNumber)
    chunk.remarks = remarks.take()
    firstNumber = nil
    return chunk
  }
}
