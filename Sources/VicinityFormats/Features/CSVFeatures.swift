internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityPolygon
internal import VicinityText

/// Regions or points from delimited text: `id,latitude,longitude,radius`, or `id,wkt`;
/// `id,latitude,longitude`.
struct CSVFeatures: ~Copyable {
  private struct Columns {
    var identifier: Int?
    var latitude: Int?
    var longitude: Int?
    var radius: Int?
    var wkt: Int?
  }

  private static let rowsPerTick = 16384

  private let options: ReadingOptions
  private let columns: Columns
  private var records: CSVRecords
  private var collector: FeatureCollector
  private var rows = 0
  /// The row's number as text, where no column holds the identifier.
  private let rowName = ByteBlock(capacity: 20)

  /// Reads all rows.
  ///
  /// - Throws: `FormatError`; `CancellationError`.
  static func read(
    _ blocks: consuming BlockReader, takesRegions: Bool, options: ReadingOptions, sink: PointSink? = nil
  ) throws -> FeatureCollector {
    var features = try CSVFeatures(CSVRecords(blocks), takesRegions, options, sink)
    try features.readRows()
    return features.collector
  }

  private init(
    _ records: consuming CSVRecords, _ takesRegions: Bool, _ options: ReadingOptions, _ sink: PointSink?
  ) throws {
    let header = records.header
    let resolver = ColumnResolver(header.names, at: header.place)
    var columns = Columns()
    let isOptional = options.fieldsAreOptional
    columns.latitude = try resolver.index(
      of: options.latitudeField, orAny: FieldNames.latitude, isOptional: isOptional)
    columns.longitude = try resolver.index(
      of: options.longitudeField, orAny: FieldNames.longitude, isOptional: isOptional)
    if takesRegions {
      columns.wkt = try resolver.index(
        ofAny: FieldNames.wkt + (columns.latitude == nil ? FieldNames.geometryText : []))
      columns.radius = try resolver.index(of: options.radiusField, orAny: FieldNames.radius)
    }
    if !FieldNames.isNumber(options.identifierField, among: header.names) {
      columns.identifier = try resolver.index(
        of: options.identifierField, orAny: takesRegions ? FieldNames.identifier : FieldNames.point)
    }
    if columns.wkt == nil {
      _ = try resolver.required(options.latitudeField, FieldNames.latitude, isOptional: isOptional)
      _ = try resolver.required(options.longitudeField, FieldNames.longitude, isOptional: isOptional)
      if takesRegions, columns.radius == nil, options.defaultRadius == nil {
        throw FormatError.missingRadius(header.place, expected: FieldNames.radius, found: header.names)
      }
    }
    self.columns = columns
    self.options = options
    collector = FeatureCollector(
      path: header.place.path, layer: nil, takesRegions: takesRegions, options: options, sink: sink)
    if columns.identifier == nil, options.identifierField == nil {
      let things = takesRegions ? "regions" : "points"
      collector.warn(resolver.unnamed(things, by: "their row's number, from 1"))
    }
    collector.note(
      resolver.notice(
        "identifiers", columns.identifier, named: options.identifierField, vague: FieldNames.vagueIdentifier,
        others: columns.identifier.map { FieldNames.rivals(ofIdentifier: resolver.names[$0]) } ?? []))
    for (things, column, chosen, others) in [
      ("latitudes", columns.latitude, options.latitudeField, FieldNames.latitude),
      ("longitudes", columns.longitude, options.longitudeField, FieldNames.longitude),
      ("radii", columns.radius, options.radiusField, FieldNames.radius),
    ] {
      collector.note(resolver.notice(things, column, named: chosen, others: others))
    }
    if takesRegions, let warning = resolver.radiusWarning(columns.radius, options) { collector.warn(warning) }
    self.records = records
  }

  private mutating func readRows() throws {
    let messages = GDALMessages()
    messages.begin()
    defer { messages.end() }
    var converter: ShapeConverter?
    if columns.wkt != nil {
      converter = try unsafe ShapeConverter(crs: nil, options: options, messages: messages)
    }
    var ticker = ProgressTicker(options.progress)
    while try records.advance() {
      if rows % Self.rowsPerTick == 0 { try ticker.tick(rows: rows, fraction: records.fraction) }
      rows += 1
      let line = Int64(records.line)
      if let fault = records.shapeFault {
        collector.reject(line, RowFault(fault))
        continue
      }
      if let wkt = columns.wkt, let converter {
        let text = unsafe TextCheck.trimmed(records.field(wkt))
        if !text.isEmpty {
          let shape: ShapeConverter.Shape
          do throws(GeometryFault) {
            shape = try unsafe converter.shape(ofWKT: text)
          } catch {
            unsafe collector.reject(line, of: identifier(), RowFault(error))
            continue
          }
          try add(shape, line)
          continue
        }
      }
      guard let latitude = columns.latitude, let longitude = columns.longitude else {
        unsafe collector.reject(line, of: identifier(), "the geometry is empty")
        continue
      }
      let (lat, lon) = unsafe (records.field(latitude), records.field(longitude))
      let coordinate = unsafe RowValue.coordinate(
        lat, lon, names: (records.header.names[latitude], records.header.names[longitude]))
      switch coordinate {
      case .fault(let fault): unsafe collector.reject(line, of: identifier(), fault)
      case .value(let center): try addPoint(center, line)
      }
    }
    for notice in converter?.notices ?? [] { collector.note(notice) }
    try ticker.finish(rows: rows)
  }

  private mutating func add(_ shape: ShapeConverter.Shape, _ line: Int64) throws {
    switch shape {
    case .polygon(let polygon, let rings, let warning):
      if let warning { collector.warn(line, warning) }
      try unsafe collector.add(identifier(), polygon, rings: rings, number: line)
    case .point(let center): try addPoint(center, line)
    }
  }

  @inline(__always)
  private mutating func addPoint(_ center: Coordinate, _ line: Int64) throws {
    guard collector.takesRegions else {
      return try unsafe collector.add(identifier(), center, radius: 0, number: line)
    }
    switch radius() {
    case .fault(let fault): unsafe collector.reject(line, of: identifier(), fault)
    case .value(let radius): try unsafe collector.add(identifier(), center, radius: radius, number: line)
    }
  }

  /// The radius of the current row; the default one where the column or the field is empty.
  @inline(__always)
  private mutating func radius() -> RowValue<Meters> {
    var stated: Meters?
    if let column = columns.radius {
      let text = unsafe TextCheck.trimmed(records.field(column))
      if !text.isEmpty {
        let number = unsafe NumberScanner.number(text)
        if number.isNaN {
          return unsafe .fault(
            RowValue<Meters>.notANumber(records.field(column), records.header.names[column]))
        }
        stated = number
      }
    }
    return .radius(stated, fallback: options.defaultRadius)
  }

  /// The identifier of the current row: its field, or the row's number. Valid until the next row.
  @inline(__always)
  private mutating func identifier() -> UnsafeBufferPointer<UInt8> {
    if let column = columns.identifier { return unsafe records.field(column) }
    let digits = String(rows).utf8
    for (i, digit) in digits.enumerated() { unsafe rowName.base[i] = digit }
    rowName.setCount(digits.count)
    return unsafe rowName.bytes
  }
}
