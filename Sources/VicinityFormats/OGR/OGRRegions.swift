internal import VicinityGeodesy
internal import VicinityIndex

/// Regions from a layer of features: points with a radius are circles, polygons are polygons.
enum OGRRegions {
  private static let featuresPerTick = 64

  static func read(_ source: ByteSource, options: RegionReader.Options) throws -> RegionReading {
    let messages = GDALMessages()
    messages.begin()
    defer { messages.end() }
    let dataset = try OGRDataset(source, messages: messages)
    let (layer, others) = try dataset.layer(options.layer)
    let rule = try IdentifierRule(layer, named: options.identifierField)
    let radiusField = try radiusField(layer, named: options.radiusField)
    var collector = RegionCollector(path: source.path, layer: layer.name, options: options)
    layer.describe(rule: rule, others: others) { collector.warn($0) }
    if options.identifierField == nil, case .field(let field) = rule {
      collector.assumedField = field.name
    }
    let converter = try layer.converter(strict: options.strict)
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
        shape = try feature.shape(by: converter)
      } catch {
        return collector.reject(number, error.message)
      }
      switch shape {
      case .polygon(let polygon, let warning):
        if let warning { collector.warn(number, warning) }
        try unsafe rule.withIdentifier(of: feature) {
          try unsafe collector.addPolygon($0, polygon, number: number)
        }
      case .point(let center):
        guard radiusField != nil || options.defaultRadius != nil else {
          throw FormatError.missingRadius(
            collector.place(number), expected: options.radiusField.map { [$0] } ?? FieldNames.radius
          )
        }
        var stated: Meters?
        if let radiusField { stated = feature.number(in: radiusField) }
        guard let radius = stated ?? options.defaultRadius else {
          return collector.reject(number, RadiusCheck.missing)
        }
        guard radius >= 0, radius.isFinite else {
          return collector.reject(number, RadiusCheck.fault(radius))
        }
        try unsafe rule.withIdentifier(of: feature) {
          try unsafe collector.addCircle($0, center: center, radius: radius, number: number)
        }
      }
    }
    for warning in messages.takeWarnings() { collector.warn(warning) }
    try ticker.finish(rows: rows)
    return try collector.finish()
  }

  private static func radiusField(
    _ layer: OGRLayer, named name: String?
  ) throws(FormatError) -> OGRLayer.Field? {
    if let name {
      guard let field = layer.field(name) else {
        throw .missingField(layer.place, expected: name, found: layer.fields.map(\.name))
      }
      return field
    }
    return FieldNames.radius.lazy.compactMap(layer.field).first
  }
}

/// Points from a layer of features.
enum OGRPoints {
  private static let featuresPerTick = 1024

  static func read(_ source: ByteSource, options: PointReader.Options) throws -> PointReading {
    let messages = GDALMessages()
    messages.begin()
    defer { messages.end() }
    let dataset = try OGRDataset(source, messages: messages)
    let (layer, others) = try dataset.layer(options.layer)
    let rule = try IdentifierRule(layer, named: options.identifierField)
    var collector = PointCollector(path: source.path, layer: layer.name, options: options)
    layer.describe(rule: rule, others: others) { collector.warn($0) }
    let converter = try layer.converter(strict: false)
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
      do throws(GeometryFault) {
        let place = try feature.point(by: converter)
        unsafe rule.withIdentifier(of: feature) { unsafe collector.add($0, place, number: number) }
      } catch {
        collector.reject(number, error.message)
      }
    }
    for warning in messages.takeWarnings() { collector.warn(warning) }
    try ticker.finish(rows: rows)
    return try collector.finish()
  }
}

extension OGRLayer {
  /// A converter of this layer's geometries.
  ///
  /// - Throws: ``FormatError/library(_:message:)`` in PROJ's words, where it knows no way to WGS84.
  func converter(strict: Bool) throws(FormatError) -> ShapeConverter {
    do throws(GeometryFault) {
      return try unsafe ShapeConverter(crs: crs, strict: strict, messages: dataset.messages)
    } catch {
      throw .library(place, message: error.message)
    }
  }

  /// Says what was assumed about the layer.
  func describe(rule: IdentifierRule, others: [String], _ warn: (String) -> Void) {
    if !others.isEmpty {
      let names = others.prefix(10).map { "\"\($0)\"" }.joined(separator: ", ")
      warn(
        "only this layer is read; there are also \(names)"
          + (others.count > 10 ? " and \(others.count - 10) more" : ""))
    }
    if case .number(isStated: false) = rule {
      warn("no field for identifiers; features are named by their number")
    }
    if unsafe crs == nil {
      warn(
        "no coordinate reference system; coordinates are taken as longitude and latitude on WGS84")
    }
  }
}

extension OGRFeature {
  /// The shape of the feature's geometry.
  func shape(by converter: ShapeConverter) throws(GeometryFault) -> ShapeConverter.Shape {
    if let fault { throw GeometryFault(fault) }
    guard let geometry = unsafe geometry else { throw GeometryFault("the feature has no geometry") }
    return try unsafe converter.shape(of: geometry)
  }

  /// The feature's geometry, which must be a point.
  func point(by converter: ShapeConverter) throws(GeometryFault) -> Coordinate {
    if let fault { throw GeometryFault(fault) }
    guard let geometry = unsafe geometry else { throw GeometryFault("the feature has no geometry") }
    return try unsafe converter.point(of: geometry)
  }
}
