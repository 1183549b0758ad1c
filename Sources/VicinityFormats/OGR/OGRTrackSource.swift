internal import CGDAL
internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityPolygon
internal import VicinityText

/// The chunks of layers of features: points with a field for the time, or lines with GeoJSON's `coordTimes`.
final class OGRTrackSource: TrackSource {
  private struct Fields {
    var time: OGRLayer.Field?
    var hasDevices = false
    var accuracy: OGRLayer.Field?
    var speed: OGRLayer.Field?
    var course: OGRLayer.Field?
  }

  /// A field with one time for each vertex of a line, and how they are read.
  private struct VertexTimes {
    var field: OGRLayer.Field
    var parser: TimeParser
  }

  /// A layer that is read, and how.
  private struct Part {
    var layer: OGRLayer
    var converter: ShapeConverter
    var fields: Fields
    /// Where devices come from.
    var rule: IdentifierRule
    var times: TimeParser
    /// The first of these that has a value on a line holds the times of its vertices.
    var vertexTimes: [VertexTimes]
    var remarks = TrackRemarks()
  }

  private static let featuresPerChunk = 1 << 14
  private static let vertexTimeNames = ["coordtimes", "times"]

  private let input: TrackInput
  private let messages: GDALMessages
  private var parts: [Part] = []
  /// The part that is read now.
  private var current = 0
  /// How many features have been read, of all layers.
  private var offset = 0
  /// Whether a line has been read: the next one begins behind a break.
  private var hasLine = false
  /// How much of what there is to say of coordinate operations has been said of the current part.
  private var noticedCount = 0
  /// Chunks that end here or before were read by an earlier run.
  private var resumption = 0

  /// - Throws: `FormatError`, for example for a layer without times.
  init(_ source: ByteSource, _ input: TrackInput) throws {
    self.input = input
    let messages = GDALMessages()
    self.messages = messages
    messages.begin()
    defer { messages.end() }
    let opened = try OGRInput(
      source, messages: messages, options: input.options, identifiers: FieldNames.device)
    for (layer, rule) in opened.layers { parts.append(try Self.part(layer, rule, input)) }
    if let notice = opened.notice { parts[0].remarks.notes.append(notice) }
  }

  private static func part(_ layer: OGRLayer, _ rule: IdentifierRule, _ input: TrackInput) throws -> Part {
    let options = input.options
    let (converter, isAssumed) = try layer.converter(options)
    let resolver = layer.resolver
    func field(_ index: Int?) -> OGRLayer.Field? { index.map { layer.fields[$0] } }
    var fields = Fields()
    let time = try resolver.time(options)
    fields.time = field(time?.index)
    let deviceField = options.isSingleDevice ? nil : rule.field
    fields.hasDevices = deviceField != nil
    let accuracy = try resolver.index(of: FieldNames.accuracy, named: options.accuracyField)
    fields.accuracy = field(accuracy)
    fields.speed = field(try resolver.index(of: FieldNames.speed))
    fields.course = field(try resolver.index(of: FieldNames.course))
    // A field that is named holds the times of points and of those lines that have it.
    var vertexTimes: [VertexTimes] = []
    if options.timeField != nil, let time {
      let parser = TimeParser(unit: time.unit, zone: options.zone)
      vertexTimes.append(VertexTimes(field: layer.fields[time.index], parser: parser))
    }
    if let index = try resolver.index(ofAny: Self.vertexTimeNames) {
      let parser = TimeParser(unit: options.timeUnit ?? .seconds, zone: options.zone)
      vertexTimes.append(VertexTimes(field: layer.fields[index], parser: parser))
    }
    if fields.time == nil, vertexTimes.isEmpty {
      throw FormatError.missingTime(
        layer.place, expected: ["time", "timestamp", "time_ms", "coordTimes"], found: layer.fields.map(\.name)
      )
    }
    var remarks = TrackRemarks()
    layer.describe(nil, isAssumed: isAssumed) { remarks.warnings.append($0.message) }
    let explained = vertexTimes.map { times in
      layer.fields.firstIndex { $0.index == times.field.index }
    }
    if let device = layer.fields.firstIndex(where: { $0.index == deviceField?.index }) {
      if let notice = resolver.deviceNotice(device, options) { remarks.addDevices(notice, options) }
      if let notice = resolver.tripNotice(device, options) { remarks.notes.append(notice) }
    } else {
      try resolver.checkIsOneDevice(explained: [time?.index, accuracy] + explained, options)
      remarks.addOnlyDevice(input.fallbackDevice, options, lacks: "field")
    }
    if let notice = resolver.notice("accuracies", accuracy, named: options.accuracyField) {
      remarks.notes.append(notice)
    }
    if accuracy == nil,
      let notice = FieldNames.unread(
        FieldNames.accuracy, "accuracies", in: "metres", among: resolver.names)
    {
      remarks.warnings.append(notice)
    }
    if let notice = resolver.notice(
      "times", time?.index, named: options.timeField, others: FieldNames.time + FieldNames.timeInMilliseconds)
    {
      remarks.notes.append(notice)
    }
    if let notice = layer.noticeOfPlaces(options) { remarks.notes.append(notice) }
    layer.rewind()
    return Part(
      layer: layer, converter: converter, fields: fields, rule: rule,
      times: TimeParser(unit: time?.unit ?? .seconds, zone: options.zone),
      vertexTimes: vertexTimes, remarks: remarks)
  }

  var consumedByteCount: Int? { nil }
  var unfinishedByteCount: Int { 0 }

  func seek(to position: TrackPosition) { resumption = position.offset }

  func next() throws -> TrackChunk? {
    messages.begin()
    defer { messages.end() }
    while current < parts.count {
      let start = offset
      var rows = TrackRows(input.options)
      let isFinished = try !parts[current].layer.forNextFeatures(Self.featuresPerChunk) { feature in
        offset += 1
        read(feature, &parts[current], into: &rows)
      }
      let layer = parts[current].layer
      var remarks = parts[current].remarks.take()
      if isFinished {
        for message in layer.missing { rows.reject(0, RowFault(message)) }
        if let warning = layer.countWarning { remarks.warnings.append(warning) }
      }
      remarks.warnings += messages.takeWarnings()
      let converter = parts[current].converter
      if converter.noticeableCount > noticedCount {
        noticedCount = converter.noticeableCount
        remarks.notes += converter.notices
      }
      if isFinished {
        current += 1
        noticedCount = 0
      }
      // An earlier run has read this, and told what there was to tell.
      if resumption > 0, offset <= resumption { continue }
      var chunk = input.chunk(rows, start..<offset, firstNumber: 0)
      chunk.layer = layer.name
      chunk.remarks = remarks
      return chunk
    }
    return nil
  }

  private func read(_ feature: borrowing OGRFeature, _ part: inout Part, into rows: inout TrackRows) {
    let number = Int(feature.number)
    do throws(RowFault) {
      let device = try device(of: feature, part, in: &rows)
      let geometry = try unsafe RowFault.rethrowing { () throws(GeometryFault) in
        try unsafe feature.checkedGeometry()
      }
      if unsafe ShapeConverter.isLine(geometry) {
        guard let place = part.vertexTimes.firstIndex(where: { feature.hasValue($0.field) }) else {
          throw RowFault(
            part.layer.dataset.driver.hasSuffix("KML")
              ? "a line without times: those of a gx:Track are not read; write the track as GPX or CSV"
              : "a line without times (\"\(part.vertexTimes.first?.field.name ?? "coordTimes")\")")
        }
        let (vertices, starts) = try RowFault.rethrowing { () throws(GeometryFault) in
          try unsafe part.converter.vertices(ofLines: geometry)
        }
        let field = part.vertexTimes[place].field
        let times = try feature.times(in: field, by: &part.vertexTimes[place].parser)
        guard vertices.count == times.count else {
          throw RowFault(
            "\(DecimalText.count(times.count, "time", "times")) for a line of "
              + DecimalText.count(vertices.count, "vertex", "vertices"))
        }
        // Between lines nothing is known of the device.
        for i in vertices.indices {
          let fix = Fix(time: times[i], coordinate: vertices[i])
          if starts.contains(i), hasLine || i > 0 {
            rows.appendAfterBreak(fix, device: device, number: number)
          } else {
            rows.append(fix, device: device, number: number)
          }
        }
        hasLine = true
      } else if let fix = try fix(of: feature, &part, &rows) {
        rows.append(fix, device: device, number: number)
      } else {
        rows.dropPosition()
      }
    } catch {
      rows.reject(number, error)
    }
  }

  private func device(
    of feature: borrowing OGRFeature, _ part: Part, in rows: inout TrackRows
  ) throws(RowFault) -> UInt32 {
    guard part.fields.hasDevices else { return rows.number(of: input.fallbackDevice) }
    if let fault = part.rule.fault(of: feature) { throw RowFault(fault) }
    var result = RowValue<UInt32>.fault("")
    unsafe part.rule.withIdentifier(of: feature) { result = unsafe rows.device($0) }
    return try result.get()
  }

  /// The fix of a point; `nil` where the device has no position.
  private func fix(
    of feature: borrowing OGRFeature, _ part: inout Part, _ rows: inout TrackRows
  ) throws(RowFault) -> Fix? {
    let fields = part.fields
    guard let field = fields.time else { throw RowFault("the point has no time") }
    let geometry = try unsafe RowFault.rethrowing { () throws(GeometryFault) in
      try unsafe feature.checkedGeometry()
    }
    let coordinate: Coordinate
    do throws(GeometryFault) {
      coordinate = try unsafe part.converter.point(of: geometry)
    } catch {
      let stated = unsafe Coordinate(latitude: OGR_G_GetY(geometry, 0), longitude: OGR_G_GetX(geometry, 0))
      guard unsafe OGR_GT_Flatten(OGR_G_GetGeometryType(geometry)) == wkbPoint,
        OptionalMeasurement.isNoPosition(stated)
      else { throw RowFault(error) }
      return nil
    }
    var fix = Fix(time: try feature.time(in: field, by: &part.times).get(), coordinate: coordinate)
    if let field = fields.accuracy {
      fix.horizontalAccuracy = try accuracy(of: feature, in: field).get() ?? 0
    }
    rows.set(
      speed: optional(fields.speed, of: feature), course: optional(fields.course, of: feature), of: &fix)
    return fix
  }

  private func accuracy(of feature: borrowing OGRFeature, in field: OGRLayer.Field) -> RowValue<Double?> {
    if field.isNumber, let value = feature.number(in: field), value.isFinite { return .value(value) }
    return unsafe feature.withText(of: field) { unsafe RowValue<Double?>.accuracy($0, field.name) }
  }

  /// The number in `field`; nil where there is none, infinite where something else is there.
  private func optional(_ field: OGRLayer.Field?, of feature: borrowing OGRFeature) -> Double? {
    guard let field else { return nil }
    if field.isNumber { return feature.number(in: field) }
    return unsafe feature.withText(of: field) { unsafe NumberScanner.optional(TextCheck.trimmed($0)) }
  }
}

extension OGRFeature {
  /// The time in `field`, or what is wrong with it.
  ///
  /// OGR keeps the seconds of a time in single precision, so times are exact to the millisecond.
  func time(in field: OGRLayer.Field, by times: inout TimeParser) -> RowValue<Timestamp> {
    guard hasValue(field) else { return .fault("the time is missing") }
    guard field.isDateTime else {
      return unsafe withText(of: field) { unsafe times.parse(TextCheck.trimmed($0)) }
    }
    var (year, month, day, hour, minute, zone): (Int32, Int32, Int32, Int32, Int32, Int32) = (
      0, 0, 0, 0, 0, 0
    )
    var second: Float = 0
    let isRead = unsafe OGR_F_GetFieldAsDateTimeEx(
      handle, field.index, &year, &month, &day, &hour, &minute, &second, &zone)
    guard isRead != 0, (0..<24).contains(hour), (0..<60).contains(minute), second >= 0, second < 61,
      let date = TimeParser.day(year: Int64(year), month: Int(month), day: Int(day))
    else { return .fault("the time is no date and time of day") }
    let local = (date * 1440 + Int64(hour) * 60 + Int64(minute)) * 60
    // 100 is UTC; a unit more or less is a quarter of an hour; below 2, nobody knows.
    let start: Int64
    if zone > 1 {
      start = local - Int64(zone - 100) * 900
    } else if let assumed = times.zone {
      guard !assumed.isRepeated(local: local) else { return .fault("the time: \(assumed.repeatedFault)") }
      start = assumed.instant(ofLocal: local)
    } else {
      return .fault(RowFault("the time has no zone", cure: .utcOffset))
    }
    let milliseconds = start * 1000 + Int64((Double(second) * 1000).rounded())
    guard let time = Timestamp(milliseconds: milliseconds) else { return .fault("the time is out of range") }
    return .value(time)
  }

  /// The times that a list, or the text of a JSON array of any depth, holds in order.
  ///
  /// - Throws: `RowFault` for one that is no time.
  func times(in field: OGRLayer.Field, by times: inout TimeParser) throws(RowFault) -> [Timestamp] {
    var result: [Timestamp] = []
    for text in field.list == nil ? array(in: field) : list(in: field) {
      let time = unsafe text.withUnsafeBufferPointer { unsafe times.parse(TextCheck.trimmed($0)) }
      result.append(try time.get())
    }
    return result
  }

  private func list(in field: OGRLayer.Field) -> [[UInt8]] {
    var count: Int32 = 0
    switch field.list {
    case .integers:
      let numbers = unsafe OGR_F_GetFieldAsIntegerList(handle, field.index, &count)
      return unsafe UnsafeBufferPointer(start: numbers, count: Int(count)).map { Array("\($0)".utf8) }
    case .longIntegers:
      let numbers = unsafe OGR_F_GetFieldAsInteger64List(handle, field.index, &count)
      return unsafe UnsafeBufferPointer(start: numbers, count: Int(count)).map { Array("\($0)".utf8) }
    case .reals:
      let numbers = unsafe OGR_F_GetFieldAsDoubleList(handle, field.index, &count)
      return unsafe UnsafeBufferPointer(start: numbers, count: Int(count)).map { Array("\($0)".utf8) }
    case .strings, nil: break
    }
    let list = unsafe OGR_F_GetFieldAsStringList(handle, field.index)
    return unsafe (0..<CSLCount(list)).compactMap { i in
      unsafe CSLGetField(list, i).map { unsafe Array(String(cString: $0).utf8) }
    }
  }

  /// The strings and numbers of a JSON array, without its brackets and quotes.
  private func array(in field: OGRLayer.Field) -> [[UInt8]] {
    let (quote, others) = (UInt8(ascii: "\""), Set("[], \n\t".utf8))
    return unsafe withText(of: field) { text in
      var isQuoted = false
      return unsafe text.split { byte in
        if byte == quote { isQuoted.toggle() }
        return byte == quote || !isQuoted && others.contains(byte)
      }.map { unsafe Array($0) }
    }
  }
}
