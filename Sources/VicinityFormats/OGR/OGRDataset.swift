internal import CGDAL
internal import VicinityText

/// A vector file opened through OGR, for reading only.
@safe final class OGRDataset {
  /// The drivers that may open a file: those for single local files of features. Drivers that read scripts,
  /// fetch data from elsewhere or guess at text are left out (CSV is read without OGR).
  static let drivers = [
    "GeoJSON", "GeoJSONSeq", "TopoJSON", "GPKG", "FlatGeobuf", "ESRI Shapefile", "LIBKML", "KML",
    "GPX",
  ]
  /// Registers GDAL's drivers, once per process.
  ///
  /// Must be called once only: in GDAL 3.6, one of two calls at the same time moves the list of WMS servers
  /// while the other reads it, and the process crashes.
  static let registered: Void = GDALAllRegister()

  let path: String
  /// The name of the driver that opened the file.
  let driver: String
  /// The file's bytes, for looking into it past OGR.
  let source: ByteSource
  let messages: GDALMessages
  /// What GeoJSON and TopoJSON hold; `nil` for other formats.
  let contents: GeoJSONContents?
  /// GDAL's first failure while it opened the file all the same.
  let failure: String?
  private let handle: GDALDatasetH
  /// What GDAL reads instead of the file, where it cannot read the file itself.
  private let copy: MemoryFile?

  /// Opens the file behind `source`; to be used between the begin and the end of `messages`.
  ///
  /// - Throws: `FormatError/unrecognizedFormat(path:reason:)` in GDAL's words.
  convenience init(_ source: ByteSource, messages: GDALMessages) throws(FormatError) {
    switch source.compression {
    case nil: try self.init(source, name: source.pathForGDAL, copy: nil, contents: nil, messages: messages)
    case let compression?:
      let head = try Self.checkSize(source, compression)
      // GDAL does not recognize a GeoPackage that it unpacks itself.
      if compression == .gzip, !SQLiteFile.isBegun(by: head) {
        try self.init(
          source, name: "/vsigzip/" + source.pathForGDAL, copy: nil, contents: nil, messages: messages)
        return
      }
      let copy = try MemoryFile(source.path, compression)
      try self.init(source, name: copy.name, copy: copy, contents: nil, messages: messages)
    }
  }

  /// How many bytes of packed KML there may be: GDAL takes some fifteen times as much memory.
  static let mostKML = 64 << 20

  /// Refuses a packed file of KML that would take more memory than other packed files may.
  ///
  /// - Returns: The first bytes, unpacked.
  private static func checkSize(
    _ source: ByteSource, _ compression: Compression
  ) throws(FormatError) -> [UInt8] {
    let again = try ByteSource(source.path)
    try again.unpack(compression, after: [])
    let head = try again.read(1 << 16)
    var bytes = head
    guard String(decoding: bytes, as: UTF8.self).contains("<kml") else { return head }
    var count = 0
    while !bytes.isEmpty {
      count += bytes.count
      guard count <= mostKML else {
        throw .limitExceeded(
          .init(path: source.path), what: "too large to be unpacked in memory; unpack the file first",
          limit: mostKML)
      }
      bytes = try again.read(1 << 16)
    }
    return head
  }

  /// Whether the file behind `source` begins with an array of JSON, which is no GeoJSON.
  private static func isArray(_ source: ByteSource) -> Bool {
    guard let again = try? ByteSource(source.path) else { return false }
    if let compression = source.compression, (try? again.unpack(compression, after: [])) == nil {
      return false
    }
    let head = try? again.read(4096)
    return head?.first { $0 > 0x20 && ![0xEF, 0xBB, 0xBF].contains($0) } == UInt8(ascii: "[")
  }

  /// The same file of GeoJSON, opened so that GDAL does not see the features' own ids and numbers them
  /// from 0.
  ///
  /// - Parameter positions: Where the names of the ids end.
  convenience init(
    hidingIdentifiersOf other: OGRDataset, at positions: [Int]
  ) throws(FormatError) {
    let source = other.source
    let copy = try MemoryFile(source.path, source.compression) { bytes in
      for position in positions where position > 0 && position <= bytes.count {
        bytes[position - 1] = UInt8(ascii: "_")
      }
    }
    try self.init(
      source, name: copy.name, copy: copy, contents: other.contents, messages: other.messages)
  }

  private init(
    _ source: ByteSource, name: String, copy: MemoryFile?, contents: GeoJSONContents?, messages: GDALMessages
  ) throws(FormatError) {
    _ = Self.registered
    path = source.path
    self.source = source
    self.messages = messages
    self.copy = copy
    var allowed: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    for driver in Self.drivers { unsafe allowed = unsafe CSLAddString(allowed, driver) }
    defer { unsafe CSLDestroy(allowed) }
    var options: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    defer { unsafe CSLDestroy(options) }
    if try SQLiteFile.isThere(source) {
      try SQLiteFile.checkIsAtRest(source.path)
      // Otherwise SQLite makes files beside it, and puts a write-ahead log into it.
      unsafe options = CSLAddString(nil, "IMMUTABLE=YES")
    }
    let flags = UInt32(GDAL_OF_VECTOR | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR)
    messages.clearFailure()
    let opened = unsafe name.withCString { name in
      unsafe allowed?.withMemoryRebound(to: UnsafePointer<CChar>?.self, capacity: 1) { drivers in
        guard let options = unsafe options else { return unsafe GDALOpenEx(name, flags, drivers, nil, nil) }
        return unsafe options.withMemoryRebound(to: UnsafePointer<CChar>?.self, capacity: 1) {
          unsafe GDALOpenEx(name, flags, drivers, $0, nil)
        }
      }
    }
    guard let opened = unsafe opened else {
      if Self.isArray(source) {
        throw .unrecognizedFormat(
          path: source.path,
          reason:
            "an array of JSON is read where each of its objects is a line of its own (jq -c '.[]' makes such lines)"
        )
      }
      guard let reason = messages.failure, !reason.contains("not recognized as") else {
        let formats = InputKind.names(tracks: false).joined(separator: ", ")
        throw .unrecognizedFormat(
          path: source.path,
          reason: "it is none of \(formats) and GPX; the program ogr2ogr converts other vector files")
      }
      throw .unrecognizedFormat(path: source.path, reason: reason.replacing(name, with: source.path))
    }
    unsafe handle = opened
    failure = messages.failure
    let driverHandle = unsafe GDALGetDatasetDriver(opened)
    let driverName = unsafe driverHandle.flatMap { unsafe GDALGetDriverShortName($0) }
    let driver = unsafe driverName.map { unsafe String(cString: $0) } ?? ""
    self.driver = driver
    if contents == nil, driver.hasPrefix("GeoJSON") || driver == "TopoJSON" {
      do throws(FormatError) {
        self.contents = try GeoJSONContents(source)
      } catch {
        _ = unsafe GDALClose(opened)
        throw error
      }
    } else {
      self.contents = contents
    }
  }

  deinit { _ = unsafe GDALClose(handle) }

  /// What is read of a file.
  struct Choice {
    /// The layers, in the file's order; one, except of KML.
    var layers: [OGRLayer]
    /// What to say of the choice, if anything.
    var notice: String?
  }

  /// The layer called `name`; without a name, the layers that have features.
  ///
  /// Layers without features are passed over. If several have some, the caller must choose: their features
  /// have different fields. But the layers of KML are folders, which people make to keep places in order, and
  /// all are read; and of GPX the waypoints are, where there are some.
  ///
  /// - Throws: `FormatError/missingLayer(path:layer:found:)`, `FormatError/noGeometry(path:layers:)`,
  ///   `FormatError/severalLayers(path:layers:)`.
  func layers(_ name: String?) throws(FormatError) -> Choice {
    var names: [String] = []
    var candidates: [OGRLayer] = []
    for i in 0..<(unsafe GDALDatasetGetLayerCount(handle)) {
      guard let handle = unsafe GDALDatasetGetLayer(handle, i) else { continue }
      let layerName = unsafe OGR_L_GetName(handle).map { unsafe String(cString: $0) } ?? ""
      names.append(layerName)
      if let name {
        guard name == layerName else { continue }
        try checkIsBounded(layerName)
        let layer = unsafe OGRLayer(self, handle, name: layerName)
        return Choice(layers: [layer], notice: layer.isEmpty ? "the layer is empty" : nil)
      }
      if unsafe OGR_L_GetGeomType(handle) != wkbNone {
        try checkIsBounded(layerName)
        unsafe candidates.append(OGRLayer(self, handle, name: layerName))
      }
    }
    if let name { throw .missingLayer(path: path, layer: name, found: names) }
    guard let first = candidates.first else { throw .noGeometry(path: path, layers: names) }
    guard candidates.count > 1 else { return Choice(layers: [first]) }
    let full = candidates.filter { !$0.isEmpty }
    guard let chosen = full.first else { return Choice(layers: [first], notice: "all layers are empty") }
    if full.count == 1 || driver.hasSuffix("KML") { return Choice(layers: full) }
    if driver == "GPX", chosen.name == "waypoints" {
      let others = full.dropFirst().map { "\"\($0.name)\"" }.joined(separator: ", ")
      return Choice(layers: [chosen], notice: "only this layer is read; there are also \(others)")
    }
    throw .severalLayers(path: path, layers: full.map(\.name))
  }

  /// Refuses a view of a GeoPackage whose reading is not bounded by the size of the file.
  ///
  /// What remains goes through one table once; to each of its rows a view may join rows by their number, of
  /// which there is at most one. The text is looked at first, since views of views can be so many that SQLite
  /// does not end to make its plan.
  private func checkIsBounded(_ layer: String) throws(FormatError) {
    guard driver == "GPKG" else { return }
    let name = layer.replacing("'", with: "''")
    let isView = "type = 'view' AND lower(name) = lower('\(name)')"
    guard value("SELECT COUNT(*) FROM sqlite_master WHERE \(isView)") ?? 1 > 0 else { return }
    let nested = value(
      """
      SELECT COUNT(*) FROM (SELECT sql FROM sqlite_master WHERE \(isView)) AS made
      WHERE made.sql LIKE '%WITH%' OR EXISTS (
        SELECT 1 FROM sqlite_master
        WHERE type = 'view' AND lower(name) <> lower('\(name)') AND instr(lower(made.sql), lower(name)) > 0)
      """)
    let quoted = layer.replacing("\"", with: "\"\"")
    guard nested == 0, let plan = column("detail", of: "EXPLAIN QUERY PLAN SELECT * FROM \"\(quoted)\""),
      plan.count(where: { $0.hasPrefix("SCAN ") }) <= 1,
      plan.allSatisfy({ step in
        step.hasPrefix("SCAN ") && !step.contains("VIRTUAL TABLE") || step.hasPrefix("USE TEMP B-TREE FOR ")
          || step.hasPrefix("SEARCH ") && step.contains(" USING INTEGER PRIMARY KEY (rowid=?)")
      })
    else {
      throw .library(
        Diagnostic.Place(path: path, layer: layer),
        message:
          "a view of other views, made by WITH, or with more than one way through a table may never end; make a table of it"
      )
    }
  }

  /// The texts of the field `name` in the rows of what `sql` asks a GeoPackage for; `nil` where it cannot be
  /// asked.
  private func column(_ name: String, of sql: String) -> [String]? {
    guard let result = unsafe GDALDatasetExecuteSQL(handle, sql, nil, nil) else { return nil }
    defer { unsafe GDALDatasetReleaseResultSet(handle, result) }
    let field = unsafe OGR_FD_GetFieldIndex(OGR_L_GetLayerDefn(result), name)
    guard field >= 0 else { return nil }
    var texts: [String] = []
    while let feature = unsafe OGR_L_GetNextFeature(result) {
      defer { unsafe OGR_F_Destroy(feature) }
      guard let text = unsafe OGR_F_GetFieldAsString(feature, field) else { return nil }
      unsafe texts.append(String(cString: text))
    }
    return texts
  }

  /// The one value that `sql` asks a GeoPackage for; `nil` where there is none.
  func value(_ sql: String) -> Int? {
    guard let result = unsafe GDALDatasetExecuteSQL(handle, sql, nil, nil) else { return nil }
    defer { unsafe GDALDatasetReleaseResultSet(handle, result) }
    guard let feature = unsafe OGR_L_GetNextFeature(result) else { return nil }
    defer { unsafe OGR_F_Destroy(feature) }
    guard unsafe OGR_F_IsFieldSetAndNotNull(feature, 0) != 0 else { return nil }
    return unsafe Int(OGR_F_GetFieldAsInteger64(feature, 0))
  }

  /// Why a layer has no coordinate reference system although the file means one; `nil` where it means none.
  func missingSystem(of layer: OGRLayer) -> String? {
    switch driver {
    case "GPKG":
      let table = layer.name.replacing("'", with: "''")
      let number = value("SELECT srs_id FROM gpkg_geometry_columns WHERE table_name = '\(table)'")
      // Undefined, geographic; and undefined of any kind, as later versions of the standard have it.
      guard let number, number != 0, number != 99_999 else { return nil }
      return
        "its number is \(number), of which the file does not say what it is; \(SourceProjection.remedy)"
    case "ESRI Shapefile":
      for ending in ["prj", "PRJ"] {
        guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")),
          let file = try? ByteSource(String(path[..<dot]) + "." + ending),
          let bytes = try? file.read(1 << 16), bytes.contains(where: { $0 > 0x20 })
        else { continue }
        return "\(file.path) does not describe one: "
          + bytes.prefix(80).reduce(into: "") { text, byte in
            text += byte >= 0x20 && byte < 0x7F ? String(UnicodeScalar(byte)) : " "
          }
      }
      return nil
    default: return failure
    }
  }
}

extension OGRDataset {
  /// The system that GeoJSON states, which GDAL replaces by WGS84 where it does not know it.
  enum StatedSystem {
    /// GDAL's is right: another format.
    case byGDAL
    case wgs84
    /// WGS84, for want of anything else.
    case assumed
    /// As text that GDAL understands.
    case named(String)
  }

  /// - Throws: `FormatError/library(_:message:)` for something that is no name of a system.
  func statedSystem(_ place: Diagnostic.Place) throws(FormatError) -> StatedSystem {
    switch contents?.system {
    case nil: return .byGDAL
    case GeoJSONContents.System.none?: return driver == "TopoJSON" ? .assumed : .wgs84
    case .null?: return .assumed
    case .named(let name)?: return .named(name)
    case .other(let what)?:
      throw .library(
        place,
        message:
          "the file states its coordinate reference system (\"crs\") by \(what); only names are read, such as"
          + " {\"type\":\"name\",\"properties\":{\"name\":\"urn:ogc:def:crs:EPSG::3857\"}}")
    case .several?:
      throw .library(
        place,
        message:
          "some features state a coordinate reference system (\"crs\") that is not the file's; all must have the same"
      )
    }
  }

  /// Makes `crs` the system called `name`; false for a name that GDAL does not know, or would look for in a
  /// file or a network.
  static func set(_ crs: OGRSpatialReferenceH, to name: String) -> Bool {
    let lower = name.lowercased()
    guard name.utf8.count < 1 << 15, !name.utf8.contains(0) else { return false }
    let authorities = [
      "urn:", "x-ogc:", "epsg:", "ogc:", "ignf:", "esri:", "http://www.opengis.net/", "http://opengis.net/",
      "https://www.opengis.net/", "https://opengis.net/",
    ]
    if name.contains("[") || authorities.contains(where: { lower.hasPrefix($0) }), !lower.hasPrefix("esri::")
    {
      return unsafe OSRSetFromUserInput(crs, name) == OGRERR_NONE
    }
    return unsafe OSRSetWellKnownGeogCS(crs, name) == OGRERR_NONE
  }
}
