internal import VicinityGeodesy
internal import VicinityIndex

/// Regions from delimited text: `id,latitude,longitude,radius`, or `id,wkt`.
enum CSVRegions {
  private static let rowsPerTick = 16384

  static func read(
    _ records: consuming CSVRecords, options: RegionReader.Options
  ) throws -> RegionReading {
    let path = records.source.path
    let byteCount = records.source.byteCount
    var table = try CSVTable(
      records, identifierField: options.identifierField, radiusField: options.radiusField)
    let columns = table.columns
    if columns.radius == nil, columns.wkt == nil, options.defaultRadius == nil {
      throw FormatError.missingRadius(
        .init(path: path, line: table.headerLine), expected: FieldNames.radius)
    }
    var collector = RegionCollector(path: path, layer: nil, options: options)
    if columns.identifier == nil, options.identifierField == nil {
      collector.warn("no identifier column; regions are named by their row's number, from 1")
    }
    let messages = GDALMessages()
    messages.begin()
    defer { messages.end() }
    var converter: ShapeConverter?
    if columns.wkt != nil {
      converter = try unsafe ShapeConverter(crs: nil, strict: options.strict, messages: messages)
    }
    var ticker = ProgressTicker(options.progress)
    var rows = 0
    var rowName: [UInt8] = []

    while try table.records.advance() {
      if table.records.isBlank { continue }
      if rows % rowsPerTick == 0 {
        let consumed = Double(table.records.consumedByteCount)
        try ticker.tick(rows: rows, fraction: byteCount.map { consumed / Double(max($0, 1)) })
      }
      rows += 1
      let line = Int64(table.records.line)
      if let fault = table.shapeFault {
        collector.reject(line, fault)
        continue
      }
      if columns.identifier == nil { rowName = Array(String(rows).utf8) }

      if let wkt = columns.wkt, let converter {
        let text = unsafe TextCheck.trimmed(table.records.field(wkt))
        if !text.isEmpty {
          let shape: ShapeConverter.Shape
          do throws(GeometryFault) {
            shape = try unsafe converter.shape(ofWKT: text)
          } catch {
            collector.reject(line, error.message)
            continue
          }
          switch shape {
          case .polygon(let polygon, let warning):
            if let warning { collector.warn(line, warning) }
            let name = unsafe rowIdentifier(&table, rowName)
            try unsafe name.withBytes { try unsafe collector.addPolygon($0, polygon, number: line) }
          case .point(let center):
            try addCircle(&table, &collector, rowName, center, options, line)
          }
          continue
        }
      }
      guard let latitude = columns.latitude, let longitude = columns.longitude else {
        collector.reject(line, "the geometry is empty")
        continue
      }
      switch table.coordinate(latitude, longitude) {
      case .fault(let fault): collector.reject(line, fault)
      case .value(let center): try addCircle(&table, &collector, rowName, center, options, line)
      }
    }
    try ticker.finish(rows: rows)
    return try collector.finish()
  }

  @inline(__always)
  private static func addCircle(
    _ table: inout CSVTable, _ collector: inout RegionCollector, _ rowName: [UInt8],
    _ center: Coordinate, _ options: RegionReader.Options, _ line: Int64
  ) throws {
    switch table.radius(table.columns.radius, fallback: options.defaultRadius) {
    case .fault(let fault): collector.reject(line, fault)
    case .value(let radius):
      let name = unsafe rowIdentifier(&table, rowName)
      try unsafe name.withBytes {
        try unsafe collector.addCircle($0, center: center, radius: radius, number: line)
      }
    }
  }

  /// The identifier of the current row: its field, or the row's number.
  @inline(__always)
  private static func rowIdentifier(
    _ table: inout CSVTable, _ rowName: [UInt8]
  ) -> RowIdentifier {
    if let column = table.columns.identifier {
      return unsafe .field(table.records.field(column))
    }
    return unsafe .number(rowName)
  }
}

/// The bytes of a row's identifier.
@unsafe enum RowIdentifier {
  case field(UnsafeBufferPointer<UInt8>)
  case number([UInt8])

  @inline(__always)
  func withBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
    switch unsafe self {
    case .field(let bytes): try unsafe body(bytes)
    case .number(let bytes): try unsafe bytes.withUnsafeBufferPointer { try unsafe body($0) }
    }
  }
}
