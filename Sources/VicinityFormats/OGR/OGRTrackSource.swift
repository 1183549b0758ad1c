internal import CGDAL
internal import VicinityCrossings
internal import VicinityGeodesy

/// The chunks of a layer of features: points with a field for the time, or lines with GeoJSON's `coordTimes`.
final class OGRTrackSource: TrackSource {
  /// The fields that are read.
  private struct Fields {
    var time: OGRLayer.Field?
    var device: OGRLayer.Field?
    var accuracy: OGRLayer.Field?
    var speed: OGRLayer.Field?
    var course: OGRLayer.Field?
    /// One time for each vertex of a line.
    var vertexTimes: OGRLayer.Field?
  }

  private static let featuresPerChunk = 1 << 14
  private static let vertexTimeNames = ["coordtimes", "times"]

  private let input: TrackInput
  private let messages: GDALMessages
  private let layer: OGRLayer
  private let converter: ShapeConverter
  private let fields: Fields
  private var times: TimeParser
  private var offset = 0
  private var isFinished = false
  private var warnings: [String] = []
  /// Chunks that end here or before were read by an earlier run.
  private var resumption = 0

  /// Opens the layer.
  ///
  /// - Throws: ``FormatError``, for example for a layer without times.
  init(_ source: ByteSource, _ input: TrackInput) throws {
    self.input = input
    let options = input.options
    let messages = GDALMessages()
    self.messages = messages
    messages.begin()
    defer { messages.end() }
    let dataset = try OGRDataset(source, messages: messages)
    let (layer, others) = try dataset.layer(options.layer)
    self.layer = layer
    converter = try layer.converter(strict: false)
    let resolver = layer.resolver
    func field(_ index: Int?) -> OGRLayer.Field? { index.map { layer.fields[$0] } }
    var fields = Fields()
    let time = try resolver.time(named: options.timeField)
    times = TimeParser(unit: time?.unit ?? .seconds, zone: options.zone)
    fields.time = field(time?.index)
    fields.device = field(try resolver.index(of: options.identifierField, orAny: FieldNames.device))
    fields.accuracy = field(try resolver.index(ofAny: FieldNames.accuracy))
    fields.speed = field(try resolver.index(ofAny: FieldNames.speed))
    fields.course = field(try resolver.index(ofAny: FieldNames.course))
    fields.vertexTimes = field(try resolver.index(ofAny: Self.vertexTimeNames))
    self.fields = fields
    if fields.time == nil, fields.vertexTimes == nil {
      throw FormatError.missingTime(
        layer.place, expected: ["time", "timestamp", "time_ms", "coordTimes"], found: layer.fields.map(\.name)
      )
    }
    layer.describe(rule: .number(isStated: true), others: others) { warnings.append($0) }
    if let device = fields.device {
      if options.identifierField == nil, ["id", "name"].contains(FieldNames.normalized(device.name)) {
        warnings.append("devices are taken from the field \"\(device.name)\"")
      }
    } else {
      warnings.append("no field for devices; all fixes are taken for those of \"\(input.fallbackDevice)\"")
    }
    layer.rewind()
  }

  var consumedByteCount: Int? { nil }

  func seek(to position: TrackPosition) { resumption = position.offset }

  func next() throws -> TrackChunk? {
    messages.begin()
    defer { messages.end() }
    while !isFinished {
      let start = offset
      var rows = TrackRows(maximumRejected: input.options.maximumDiagnostics)
      isFinished = try !layer.forNextFeatures(Self.featuresPerChunk) { feature in
        offset += 1
        read(feature, into: &rows)
      }
      warnings += messages.takeWarnings()
      if offset <= resumption { continue }
      var chunk = input.chunk(.rows(rows), start..<offset, firstNumber: 0)
      chunk.layer = layer.name
      chunk.warnings = warnings
      warnings = []
      return chunk
    }
    return nil
  }

  private func read(_ feature: borrowing OGRFeature, into rows: inout TrackRows) {
    let number = Int(feature.number)
    do throws(GeometryFault) {
      let device = try device(of: feature, in: &rows)
      let geometry = try unsafe feature.checkedGeometry()
      if unsafe ShapeConverter.isLine(geometry) {
        guard let field = fields.vertexTimes, feature.hasValue(field) else {
          throw GeometryFault("a line without times (\"coordTimes\")")
        }
        let vertices = try unsafe converter.vertices(ofLines: geometry)
        let times = try feature.times(in: field, by: &times)
        guard vertices.count == times.count else {
          throw GeometryFault("\(times.count) times for a line of \(vertices.count) vertices")
        }
        for (vertex, time) in zip(vertices, times) {
          rows.append(Fix(time: time, coordinate: vertex), device: device, number: number)
        }
      } else {
        rows.append(try fix(of: feature), device: device, number: number)
      }
    } catch {
      rows.reject(number, error.message)
    }
  }

  private func device(
    of feature: borrowing OGRFeature, in rows: inout TrackRows
  ) throws(GeometryFault) -> UInt32 {
    guard let field = fields.device else { return rows.number(of: input.fallbackDevice) }
    var result = RowValue<UInt32>.fault("")
    unsafe feature.withText(of: field) { result = unsafe rows.device($0) }
    switch result {
    case .fault(let fault): throw GeometryFault(fault)
    case .value(let device): return device
    }
  }

  private func fix(of feature: borrowing OGRFeature) throws(GeometryFault) -> Fix {
    guard let field = fields.time else { throw GeometryFault("the point has no time") }
    let coordinate = try feature.point(by: converter)
    var fix: Fix
    switch feature.time(in: field, by: &times) {
    case .fault(let fault): throw GeometryFault(fault)
    case .value(let time): fix = Fix(time: time, coordinate: coordinate)
    }
    fix.horizontalAccuracy = try number(fields.accuracy, of: feature) ?? 0
    fix.speed = try number(fields.speed, of: feature) ?? -1
    fix.course = try number(fields.course, of: feature) ?? -1
    guard fix.course <= 360 else { throw GeometryFault("course \(fix.course) is not within 0...360 degrees") }
    if fix.course == 360 { fix.course = 0 }
    return fix
  }

  private func number(
    _ field: OGRLayer.Field?, of feature: borrowing OGRFeature
  ) throws(GeometryFault) -> Double? {
    guard let field, let value = feature.number(in: field) else { return nil }
    guard value.isFinite else { throw GeometryFault("\(field.name) is not a finite number") }
    return value
  }
}
