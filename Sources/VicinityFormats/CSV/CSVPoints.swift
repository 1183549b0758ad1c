internal import VicinityGeodesy

/// Points from delimited text: `id,latitude,longitude`.
enum CSVPoints {
  private static let rowsPerTick = 16384

  static func read(
    _ records: consuming CSVRecords, options: PointReader.Options
  ) throws -> PointReading {
    let path = records.source.path
    let byteCount = records.source.byteCount
    var table = try CSVTable(
      records, identifierField: options.identifierField, radiusField: nil)
    let columns = table.columns
    guard let latitude = columns.latitude, let longitude = columns.longitude else {
      throw FormatError.missingColumn(
        .init(path: path, line: table.headerLine),
        expected: columns.latitude == nil ? FieldNames.latitude : FieldNames.longitude,
        found: table.names)
    }
    var collector = PointCollector(path: path, layer: nil, options: options)
    if columns.identifier == nil, options.identifierField == nil {
      collector.warn("no identifier column; points are named by their row's number, from 1")
    }
    var ticker = ProgressTicker(options.progress)
    var rows = 0

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
      switch table.coordinate(latitude, longitude) {
      case .fault(let fault): collector.reject(line, fault)
      case .value(let coordinate):
        if let column = columns.identifier {
          let bytes = unsafe table.records.field(column)
          unsafe collector.add(bytes, coordinate, number: line)
        } else {
          collector.add(String(rows), coordinate)
        }
      }
    }
    try ticker.finish(rows: rows)
    return try collector.finish()
  }
}
