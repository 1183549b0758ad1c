internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityPolygon
internal import VicinityText

/// Regions or points from a layer of features: polygons, circles around points with a radius, or the points themselves.
enum OGRFeatures {
  private static let featuresPerTick = 64

  /// Reads all features.
  ///
  /// - Throws: `FormatError`; `CancellationError`.
  static func read(
    _ source: ByteSource, takesRegions: Bool, options: ReadingOptions, sink: PointSink? = nil
  ) throws -> FeatureCollector {
    let messages = GDALMessages()
    messages.begin()
    defer { messages.end() }
    let dataset = try OGRDataset(source, messages: messages)
    let (layer, others) = try dataset.layer(options.layer)
    let rule = try IdentifierRule(
      layer, named: options.identifierField, orAny: takesRegions ? FieldNames.identifier : FieldNames.point)
    let radiusField =
      takesRegions ? try layer.resolver.index(of: options.radiusField, orAny: FieldNames.radius) : nil
    var collector = FeatureCollector(
      path: source.path, layer: layer.name, takesRegions: takesRegions, options: options, sink: sink)
    layer.describe(rule: rule, others: others) { collector.warn($0) }
    if options.identifierField == nil, case .field(let field) = rule {
      collector.assumedField = field.name
    }
    if case .field(let field) = rule {
      let index = layer.fields.firstIndex { $0.index == field.index }
      collector.note(
        layer.resolver.notice(
          "identifiers", index, named: options.identifierField, vague: FieldNames.vagueIdentifier))
    }
    collector.note(layer.resolver.notice("radii", radiusField, named: options.radiusField))
    collector.note(layer.noticeOfPlaces(options))
    let converter = try layer.converter(options)
    let featureCount = layer.featureCount
    var ticker = ProgressTicker(options.progress)
    var rows = 0

    try layer.forEachFeature { feature in
      if rows % featuresPerTick == 0 {
        try ticker.tick(
          rows: rows, fraction: featureCount.map { Double(rows) / Double(max($0, 1)) })
      }
      rows += 1
      let number = feature.number
      let shape: ShapeConverter.Shape
      do throws(GeometryFault) {
        let geometry = try unsafe feature.checkedGeometry()
        shape =
          try unsafe takesRegions
          ? converter.shape(of: geometry) : .point(converter.point(of: geometry))
      } catch {
        return collector.reject(number, error.message)
      }
      switch shape {
      case .polygon(let polygon, let parts, let warning):
        if let warning { collector.warn(number, warning) }
        try unsafe rule.withIdentifier(of: feature) {
          try unsafe collector.add($0, polygon, parts: parts, number: number)
        }
      case .point(let center):
        var radius: Meters = 0
        if takesRegions {
          guard radiusField != nil || options.defaultRadius != nil else {
            throw FormatError.missingRadius(
              collector.place(number), expected: options.radiusField.map { [$0] } ?? FieldNames.radius)
          }
          let stated = radiusField.flatMap { feature.number(in: layer.fields[$0]) }
          switch RowValue.radius(stated, fallback: options.defaultRadius) {
          case .fault(let fault): return collector.reject(number, fault)
          case .value(let value): radius = value
          }
        }
        try unsafe rule.withIdentifier(of: feature) {
          try unsafe collector.add($0, center, radius: radius, number: number)
        }
      }
    }
    for warning in messages.takeWarnings() { collector.warn(warning) }
    try ticker.finish(rows: rows)
    return collector
  }
}

extension OGRLayer {
  /// A converter of this layer's geometries.
  ///
  /// - Throws: `FormatError/library(_:message:)` in PROJ's words, where it cannot project to WGS84.
  func converter(_ options: ReadingOptions) throws(FormatError) -> ShapeConverter {
    do throws(GeometryFault) {
      return try unsafe ShapeConverter(
        crs: crs, strict: options.strict, edgeTolerance: options.edgeTolerance, messages: dataset.messages)
    } catch {
      throw .library(place, message: error.message)
    }
  }

  /// What to tell people who name columns for latitudes or longitudes, which features have not.
  func noticeOfPlaces(_ options: ReadingOptions) -> String? {
    options.latitudeField == nil && options.longitudeField == nil
      ? nil : "latitudes and longitudes are those of the features' geometry"
  }

  /// Passes what was assumed about the layer to `warn`.
  func describe(rule: IdentifierRule, others: [String], _ warn: (String) -> Void) {
    if !others.isEmpty {
      let names = others.prefix(10).map { "\"\($0)\"" }.joined(separator: ", ")
      warn(
        "only this layer is read; there are also \(names)"
          + (others.count > 10 ? " and \(others.count - 10) more" : ""))
    }
    if case .number(isStated: false) = rule {
      warn(resolver.unnamed("features", by: "their number"))
    }
    if unsafe crs == nil {
      warn(
        "no coordinate reference system; coordinates are taken as longitude and latitude on WGS84")
    }
  }
}
