internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityPolygon
internal import VicinityText

/// Regions or points from lines of JSON, with the members that CSV has as columns.
struct JSONFeatures: ~Copyable {
  private static let rowsPerTick = 16384

  private let options: ReadingOptions
  private let names: JSONNames
  /// Whether the number of the line's object is the identifier.
  private let isNumbered: Bool
  private let path: String
  private var reader: BlockReader
  private var collector: FeatureCollector
  private var converter: ShapeConverter?
  private var rows = 0

  /// Reads all objects.
  ///
  /// - Throws: `FormatError`; `CancellationError`.
  static func read(
    _ blocks: consuming BlockReader, takesRegions: Bool, options: ReadingOptions, sink: PointSink? = nil
  ) throws -> FeatureCollector {
    var features = try JSONFeatures(blocks, takesRegions, options, sink)
    try features.readLines()
    return features.collector
  }

  private init(
    _ blocks: consuming BlockReader, _ takesRegions: Bool, _ options: ReadingOptions, _ sink: PointSink?
  ) throws {
    var reader = blocks
    path = reader.source.path
    let header = try JSONHeader(&reader, options)
    let resolver = header.resolver
    let known = takesRegions ? FieldNames.identifier : FieldNames.point
    let wantsNumber = FieldNames.isNumber(options.identifierField, among: header.names)
    let identifier = wantsNumber ? nil : try resolver.index(of: options.identifierField, orAny: known)
    var collector = FeatureCollector(
      path: path, layer: nil, takesRegions: takesRegions, options: options, sink: sink)
    let hasShape = try takesRegions && resolver.index(ofAny: FieldNames.wkt) != nil
    let coordinates = try header.coordinates(options, areRequired: !hasShape)
    var names = coordinates.names
    if takesRegions {
      names.add(.wkt, FieldNames.wkt)
      let radius = try resolver.index(of: options.radiusField, orAny: FieldNames.radius)
      names.add(.radius, options.radiusField.map { [$0] } ?? FieldNames.radius)
      collector.note(resolver.notice("radii", radius, named: options.radiusField, others: FieldNames.radius))
      if let warning = resolver.radiusWarning(radius, options) { collector.warn(warning) }
      if !hasShape, radius == nil, options.defaultRadius == nil {
        throw FormatError.missingRadius(header.place, expected: FieldNames.radius, found: header.names)
      }
    }
    isNumbered = identifier == nil
    if let identifier {
      names.add(.identifier, [header.names[identifier]])
      collector.note(
        resolver.notice(
          "identifiers", identifier, named: options.identifierField, vague: FieldNames.vagueIdentifier,
          others: FieldNames.rivals(ofIdentifier: resolver.names[identifier])))
    } else if options.identifierField == nil {
      let things = takesRegions ? "regions" : "points"
      collector.warn(resolver.unnamed(things, by: "their object's number, from 1", kind: "member"))
    }
    for notice in coordinates.notices { collector.note(notice) }
    self.names = names
    self.collector = collector
    self.options = options
    self.reader = reader
  }

  private mutating func readLines() throws {
    let messages = GDALMessages()
    messages.begin()
    defer { messages.end() }
    var ticker = ProgressTicker(options.progress)
    var line = 1
    var row = JSONRow()
    while let block = try unsafe reader.next(cut: { unsafe CSVScanner.wholeLines($0, from: $1) }) {
      if block.isOverlong {
        collector.reject(Int64(line), RowFault(reader.overlongMessage))
        line += 1
      }
      try unsafe CSVScanner.forEachLine(block.bytes) { text in
        let object = unsafe JSONLines.object(in: text)
        if !object.isEmpty {
          if rows % Self.rowsPerTick == 0 { try ticker.tick(rows: rows, fraction: fraction) }
          rows += 1
          if let fault = unsafe row.read(object, names) {
            collector.reject(Int64(line), RowFault(fault))
          } else {
            try add(&row, Int64(line), messages)
          }
        }
        line += 1
      }
    }
    for notice in converter?.notices ?? [] { collector.note(notice) }
    try ticker.finish(rows: rows)
  }

  private var fraction: Double? {
    reader.source.byteCount.map { Double(reader.source.consumedByteCount) / Double(max($0, 1)) }
  }

  /// Adds the object, or notes what is wrong with it.
  private mutating func add(_ row: inout JSONRow, _ line: Int64, _ messages: GDALMessages) throws {
    do {
      if row.has(.wkt) {
        let text = try unsafe row.trimmed(.wkt).get()
        if !text.isEmpty { return try unsafe addShape(text, &row, line, messages) }
      }
      try addPoint(row.coordinate().get(), &row, line)
    } catch let fault as RowFault {
      do {
        try unsafe withIdentifier(&row) { unsafe $1.reject(line, of: $0, fault) }
      } catch is RowFault {
        collector.reject(line, fault)
      }
    }
  }

  private mutating func addShape(
    _ text: UnsafeBufferPointer<UInt8>, _ row: inout JSONRow, _ line: Int64, _ messages: GDALMessages
  ) throws {
    let shape: ShapeConverter.Shape
    do throws(GeometryFault) {
      if converter == nil {
        converter = try unsafe ShapeConverter(crs: nil, options: options, messages: messages)
      }
      guard let converter else { return }
      shape = try unsafe converter.shape(ofWKT: text)
    } catch { throw RowFault(error) }
    switch shape {
    case .point(let center): try addPoint(center, &row, line)
    case .polygon(let polygon, let rings, let warning):
      if let warning { collector.warn(line, warning) }
      try unsafe withIdentifier(&row) { identifier, collector in
        try unsafe collector.add(identifier, polygon, rings: rings, number: line)
      }
    }
  }

  private mutating func addPoint(_ center: Coordinate, _ row: inout JSONRow, _ line: Int64) throws {
    var radius: Meters = 0
    if collector.takesRegions {
      radius = try RowValue.radius(row.number(.radius).get(), fallback: options.defaultRadius).get()
    }
    try unsafe withIdentifier(&row) { identifier, collector in
      try unsafe collector.add(identifier, center, radius: radius, number: line)
    }
  }

  /// Calls `body` with the object's identifier, or its number.
  private mutating func withIdentifier(
    _ row: inout JSONRow, _ body: (UnsafeBufferPointer<UInt8>, inout FeatureCollector) throws -> Void
  ) throws {
    if isNumbered {
      return try unsafe Array(String(rows).utf8).withUnsafeBufferPointer { try unsafe body($0, &collector) }
    }
    try unsafe body(row.text(.identifier).get(), &collector)
  }
}
