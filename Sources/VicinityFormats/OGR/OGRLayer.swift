internal import CGDAL
internal import VicinityCrossings
internal import VicinityPolygon
internal import VicinityText

/// A layer of a vector file: its fields and its features, one at a time.
@safe final class OGRLayer {
  enum List { case strings, integers, longIntegers, reals }

  struct Field {
    var index: Int32
    var name: String
    var isNumber: Bool
    /// Whether its values are floating-point numbers, or whole ones of 64 bits at most.
    var isReal = false
    var isInteger = false
    var isDateTime = false
    /// Of what its values are lists; nil where they are none.
    var list: List?
  }

  let dataset: OGRDataset
  let name: String
  let fields: [Field]
  private let handle: OGRLayerH
  private var lastFeature: Int64?
  /// How many features have been read since the beginning.
  private(set) var readCount = 0
  /// The sum of their numbers, modulo 2^64.
  private(set) var numberSum: Int64 = 0

  /// A layer of `dataset`, which it keeps open.
  init(_ dataset: OGRDataset, _ handle: OGRLayerH, name: String) {
    self.dataset = dataset
    unsafe self.handle = handle
    self.name = name
    var fields: [Field] = []
    if let definition = unsafe OGR_L_GetLayerDefn(handle) {
      for i in 0..<(unsafe OGR_FD_GetFieldCount(definition)) {
        guard let field = unsafe OGR_FD_GetFieldDefn(definition, i) else { continue }
        let type = unsafe OGR_Fld_GetType(field)
        fields.append(
          Field(
            index: i,
            name: unsafe OGR_Fld_GetNameRef(field).map { unsafe String(cString: $0) } ?? "",
            isNumber: type == OFTInteger || type == OFTInteger64 || type == OFTReal,
            isReal: type == OFTReal, isInteger: type == OFTInteger || type == OFTInteger64,
            isDateTime: type == OFTDateTime, list: Self.list(type)))
      }
    }
    self.fields = fields
  }

  private static func list(_ type: OGRFieldType) -> List? {
    switch type {
    case OFTStringList: .strings
    case OFTIntegerList: .integers
    case OFTInteger64List: .longIntegers
    case OFTRealList: .reals
    default: nil
    }
  }

  var place: Diagnostic.Place { Diagnostic.Place(path: dataset.path, layer: name) }

  /// The layer's coordinate reference system, which stays the layer's.
  var crs: OGRSpatialReferenceH? { unsafe OGR_L_GetSpatialRef(handle) }

  /// How many features there are, where that is known without reading them.
  var featureCount: Int? {
    let count = unsafe OGR_L_GetFeatureCount(handle, 0)
    return count >= 0 ? Int(count) : nil
  }

  /// Whether there are no features. A layer whose first feature cannot be read is not empty.
  var isEmpty: Bool {
    dataset.messages.clearFailure()
    unsafe OGR_L_ResetReading(handle)
    defer { unsafe OGR_L_ResetReading(handle) }
    guard let feature = unsafe OGR_L_GetNextFeature(handle) else { return dataset.messages.failure == nil }
    unsafe OGR_F_Destroy(feature)
    return false
  }

  var resolver: ColumnResolver { ColumnResolver(fields.map(\.name), at: place, isLayer: true) }

  /// The first of `candidates` for which any feature has a value; `nil` if no feature has one for any of
  /// them.
  ///
  /// Features are read until one has a value for the first candidate: mostly that is the first feature.
  ///
  /// - Throws: `CancellationError`.
  func firstField(of candidates: [Field]) throws -> Field? {
    unsafe OGR_L_ResetReading(handle)
    defer { unsafe OGR_L_ResetReading(handle) }
    // The candidates before this one have had no value so far.
    var best = candidates.count
    var count = 0
    while best > 0, let feature = unsafe OGR_L_GetNextFeature(handle) {
      defer { unsafe OGR_F_Destroy(feature) }
      if count % 64 == 0 { try Task.checkCancellation() }
      let current = unsafe OGRFeature(feature, ordinal: count, fault: nil)
      count += 1
      best = candidates[..<best].firstIndex { current.hasValue($0) } ?? best
    }
    if best < candidates.count { return candidates[best] }
    return count == 0 ? candidates.first : nil
  }

  /// Calls `body` with each feature, in the file's order.
  ///
  /// - Throws: what `body` throws, and `FormatError/library(_:message:)` where the file is damaged.
  func forEachFeature(_ body: (borrowing OGRFeature) throws -> Void) throws {
    rewind()
    _ = try forNextFeatures(.max, body)
  }

  /// Goes back to the first feature.
  func rewind() {
    unsafe OGR_L_ResetReading(handle)
    lastFeature = nil
    readCount = 0
    numberSum = 0
  }

  /// Calls `body` with the next features, up to `count`; false when there are no more.
  ///
  /// - Throws: what `body` throws, and `FormatError/library(_:message:)` where the file is damaged.
  func forNextFeatures(_ count: Int, _ body: (borrowing OGRFeature) throws -> Void) throws -> Bool {
    let messages = dataset.messages
    var left = count
    while left > 0 {
      messages.clearFailure()
      guard let feature = unsafe OGR_L_GetNextFeature(handle) else {
        try checkEnd()
        return false
      }
      defer { unsafe OGR_F_Destroy(feature) }
      let current = unsafe OGRFeature(feature, ordinal: readCount, fault: messages.failure)
      lastFeature = current.number
      readCount += 1
      numberSum &+= current.number
      left -= 1
      messages.clearFailure()
      try body(current)
    }
    return true
  }

  /// Whether the features ended because there are no more.
  private func checkEnd() throws(FormatError) {
    if let failure = dataset.messages.failure {
      var place = self.place
      place.feature = lastFeature
      throw FormatError.library(
        place, message: (lastFeature == nil ? "" : "after this feature: ") + failure)
    }
    // OGR says nothing of a FlatGeobuf file that ends within its spatial index, nor of features of GeoJSON
    // that it passes over.
    guard dataset.driver == "FlatGeobuf" || dataset.driver.hasPrefix("GeoJSON"),
      let stated = dataset.contents?.featureCount ?? featureCount, stated != readCount
    else { return }
    throw FormatError.library(
      place,
      message: "GDAL reads \(readCount) of the file's \(DecimalText.count(stated, "feature", "features"))"
        + (dataset.failure.map { ": \($0)" } ?? ""))
  }

  /// What to say of features of JSON that GDAL passes over; to be asked for at the end.
  var missing: [String] {
    var messages: [String] = []
    if let stray = dataset.contents?.strayCount, stray > 0 {
      messages.append(
        "\(stray) of the file's features \(stray == 1 ? "is no object" : "are no objects") of JSON")
    }
    if dataset.driver == "TopoJSON" {
      for object in dataset.contents?.topology ?? [] where object.isCollection && object.name == name {
        if object.collections > 0 {
          messages.append(
            "\(object.collections) of the \(object.count) geometries cannot be read: collections within a collection"
          )
        }
        let others = object.count - object.collections - readCount
        if others > 0 {
          messages.append("\(others) of the \(object.count) geometries have no shape and are not read")
        }
      }
    }
    return messages
  }

  /// What to say where the file counts other features than were read, as one does from which some were
  /// deleted; to be asked for at the end.
  var countWarning: String? {
    guard dataset.contents == nil, let stated = featureCount, stated != readCount else { return nil }
    return "the file counts \(DecimalText.count(stated, "feature", "features")) here, and "
      + "\(DecimalText.count(readCount, "was", "were")) read"
  }
}

/// A feature being read; it holds during the call it is handed to.
@safe struct OGRFeature: ~Copyable {
  /// The feature's number (FID).
  let number: Int64
  /// How many features of the layer came before.
  let ordinal: Int
  /// OGR's message if reading the feature failed.
  private let fault: String?
  let handle: OGRFeatureH

  init(_ handle: OGRFeatureH, ordinal: Int, fault: String?) {
    unsafe self.handle = handle
    self.ordinal = ordinal
    self.fault = fault
    number = unsafe OGR_F_GetFID(handle)
  }

  /// The feature's geometry, which stays the feature's.
  ///
  /// - Throws: ``GeometryFault`` where there is none, or OGR could not read the feature.
  func checkedGeometry() throws(GeometryFault) -> OGRGeometryH {
    if let fault { throw GeometryFault(fault) }
    guard let geometry = unsafe OGR_F_GetGeometryRef(handle) else {
      throw GeometryFault("the feature has no geometry")
    }
    return unsafe geometry
  }

  /// Whether the feature has a value for `field` that is not empty.
  func hasValue(_ field: OGRLayer.Field) -> Bool {
    guard unsafe OGR_F_IsFieldSetAndNotNull(handle, field.index) != 0 else { return false }
    return unsafe withText(of: field) { !$0.isEmpty }
  }

  /// The text of `field`; empty when it has no value.
  func withText<R>(
    of field: OGRLayer.Field, _ body: (UnsafeBufferPointer<UInt8>) throws -> R
  ) rethrows -> R {
    guard unsafe OGR_F_IsFieldSetAndNotNull(handle, field.index) != 0,
      let text = unsafe OGR_F_GetFieldAsString(handle, field.index)
    else {
      return try unsafe body(UnsafeBufferPointer(start: nil, count: 0))
    }
    // SAFETY: OGR's text is terminated and holds until the next call on this feature.
    var count = 0
    while unsafe text[count] != 0 { count += 1 }
    return try unsafe text.withMemoryRebound(to: UInt8.self, capacity: count) {
      try unsafe body(UnsafeBufferPointer(start: $0, count: count))
    }
  }

  /// The number in `field`; `nil` without a value, NaN for what is no number.
  func number(in field: OGRLayer.Field) -> Double? {
    guard unsafe OGR_F_IsFieldSetAndNotNull(handle, field.index) != 0 else { return nil }
    if field.isNumber { return unsafe OGR_F_GetFieldAsDouble(handle, field.index) }
    return unsafe withText(of: field) { text in
      let trimmed = unsafe TextCheck.trimmed(text)
      return unsafe trimmed.isEmpty ? nil : NumberScanner.number(trimmed)
    }
  }
}
