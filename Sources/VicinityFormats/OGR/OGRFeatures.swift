internal import CGDAL
internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityPolygon
internal import VicinityText

/// Regions or points from a layer of features: polygons, circles around points with a radius, or the points
/// themselves.
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
    let identifiers = takesRegions ? FieldNames.identifier : FieldNames.point
    let input = try OGRInput(source, messages: messages, options: options, identifiers: identifiers)
    var collector = FeatureCollector(
      path: source.path, layer: input.layers[0].layer.name, takesRegions: takesRegions, options: options,
      sink: sink)
    collector.note(input.notice)
    if input.layers[0].layer.dataset.driver == "ESRI Shapefile" {
      collector.encodingRemedy =
        "a file beside it that ends in .cpg instead of .shp says the encoding, such as ISO-8859-1"
    }
    var ticker = ProgressTicker(options.progress)
    var rows = 0
    for (layer, rule) in input.layers {
      collector.layer = layer.name
      try read(layer, rule, takesRegions, options, into: &collector, &ticker, &rows)
    }
    for warning in messages.takeWarnings() { collector.warn(RowFault(warning)) }
    try ticker.finish(rows: rows)
    return collector
  }

  private static func reject(
    _ feature: borrowing OGRFeature, _ rule: IdentifierRule, _ fault: RowFault,
    in collector: inout FeatureCollector
  ) {
    let number = feature.number
    unsafe rule.withIdentifier(of: feature) { unsafe collector.reject(number, of: $0, fault) }
  }

  /// Reads the features of one layer.
  private static func read(
    _ layer: OGRLayer, _ rule: IdentifierRule, _ takesRegions: Bool, _ options: ReadingOptions,
    into collector: inout FeatureCollector, _ ticker: inout ProgressTicker, _ rows: inout Int
  ) throws {
    let radiusField =
      takesRegions ? try layer.resolver.index(of: options.radiusField, orAny: FieldNames.radius) : nil
    let (converter, isAssumed) = try layer.converter(options)
    layer.describe(rule, isAssumed: isAssumed) { collector.warn($0) }
    collector.assumedField = options.identifierField == nil ? rule.field?.name : nil
    if let field = rule.field {
      let index = layer.fields.firstIndex { $0.index == field.index }
      collector.note(
        layer.resolver.notice(
          "identifiers", index, named: options.identifierField, vague: FieldNames.vagueIdentifier))
    }
    collector.note(
      layer.resolver.notice("radii", radiusField, named: options.radiusField, others: FieldNames.radius))
    if takesRegions, let warning = layer.resolver.radiusWarning(radiusField, options) {
      collector.warn(warning)
    }
    collector.note(layer.noticeOfPlaces(options))
    let featureCount = layer.featureCount
    var missingRadius: FormatError?
    var hasPolygons = false

    try layer.forEachFeature { feature in
      if rows % featuresPerTick == 0 {
        try ticker.tick(
          rows: rows, fraction: featureCount.map { Double(rows) / Double(max($0, 1)) })
      }
      rows += 1
      let number = feature.number
      if let fault = rule.fault(of: feature) { return collector.reject(number, RowFault(fault)) }
      let shape: ShapeConverter.Shape
      do throws(GeometryFault) {
        let geometry = try unsafe feature.checkedGeometry()
        shape =
          try unsafe takesRegions
          ? converter.shape(of: geometry) : .point(converter.point(of: geometry))
      } catch {
        return reject(feature, rule, RowFault(error), in: &collector)
      }
      switch shape {
      case .polygon(let polygon, let rings, let warning):
        if let warning { collector.warn(number, warning) }
        hasPolygons = true
        try unsafe rule.withIdentifier(of: feature) {
          try unsafe collector.add($0, polygon, rings: rings, number: number)
        }
      case .point(let center):
        var radius: Meters = 0
        if takesRegions {
          guard radiusField != nil || options.defaultRadius != nil else {
            let error = FormatError.missingRadius(
              collector.place(number), expected: options.radiusField.map { [$0] } ?? FieldNames.radius,
              found: layer.fields.map(\.name))
            // Among polygons it is a bad row; where there are only such points, the file's want.
            guard options.skipInvalid else { throw error }
            missingRadius = missingRadius ?? error
            return reject(feature, rule, "a point without a radius", in: &collector)
          }
          let stated = radiusField.flatMap { feature.number(in: layer.fields[$0]) }
          switch RowValue.radius(stated, fallback: options.defaultRadius) {
          case .fault(let fault): return reject(feature, rule, fault, in: &collector)
          case .value(let value): radius = value
          }
        }
        try unsafe rule.withIdentifier(of: feature) {
          try unsafe collector.add($0, center, radius: radius, number: number)
        }
      }
    }
    if let missingRadius, !hasPolygons { throw missingRadius }
    for message in layer.missing { collector.reject(message) }
    if let warning = layer.countWarning { collector.warn(RowFault(warning)) }
    if let fault = rule.fault(of: layer) { throw FormatError.library(layer.place, message: fault) }
    for notice in converter.notices { collector.note(notice) }
  }
}

extension OGRLayer {
  /// A converter of this layer's geometries, and whether they are taken for WGS84 for want of a system.
  ///
  /// - Throws: `FormatError/library(_:message:)` for a system that nobody knows, or that PROJ cannot project
  ///   to WGS84; `FormatError/ballparkOnly(_:message:)`.
  func converter(_ options: ReadingOptions) throws(FormatError) -> (ShapeConverter, isAssumed: Bool) {
    func make(_ crs: OGRSpatialReferenceH?) throws(FormatError) -> ShapeConverter {
      do throws(GeometryFault) {
        return try unsafe ShapeConverter(crs: crs, options: options, messages: dataset.messages)
      } catch {
        throw error.decision == .ballpark
          ? .ballparkOnly(place, message: error.message) : .library(place, message: error.message)
      }
    }
    switch try dataset.statedSystem(place) {
    case .wgs84: return (try make(nil), false)
    case .assumed: return (try make(nil), true)
    case .named(let name):
      guard let crs = unsafe OSRNewSpatialReference(nil) else {
        throw .library(place, message: "no memory for a coordinate reference system")
      }
      defer { unsafe OSRDestroySpatialReference(crs) }
      dataset.messages.clearFailure()
      guard unsafe OGRDataset.set(crs, to: name) else {
        throw .library(
          place,
          message: "the coordinate reference system \"\(name)\" is not known"
            + (dataset.messages.failure.map { ": \($0)" } ?? ""))
      }
      return (try unsafe make(crs), false)
    case .byGDAL:
      let crs = unsafe crs
      if unsafe crs == nil || OSRGetName(crs) == nil {
        if let reason = dataset.missingSystem(of: self) {
          throw .library(place, message: "the layer's coordinate reference system is not known: \(reason)")
        }
        return (try make(nil), true)
      }
      if let name = unsafe OSRGetName(crs), unsafe String(cString: name) == "Undefined geographic SRS" {
        return (try make(nil), true)
      }
      return (try unsafe make(crs), false)
    }
  }

  /// What to tell people who name columns for latitudes or longitudes, which features have not.
  func noticeOfPlaces(_ options: ReadingOptions) -> String? {
    options.latitudeField == nil && options.longitudeField == nil
      ? nil : "latitudes and longitudes are those of the features' geometry"
  }

  /// Passes what was assumed about the layer to `warn`.
  ///
  /// - Parameters:
  ///   - rule: Where identifiers come from; `nil` where nothing is said of that.
  ///   - isAssumed: Whether nothing states the coordinate reference system.
  func describe(_ rule: IdentifierRule?, isAssumed: Bool, _ warn: (RowFault) -> Void) {
    if let rule, !rule.isStated {
      warn(resolver.unnamed("features", by: "their number", empty: rule.emptyFields))
    }
    if isAssumed {
      warn(
        "no coordinate reference system; coordinates are taken as longitude and latitude on WGS84")
    }
  }
}
