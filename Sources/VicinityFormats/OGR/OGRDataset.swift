internal import CGDAL
internal import VicinityText

/// A vector file opened through OGR, for reading only.
@safe final class OGRDataset {
  /// The drivers that may open a file: those for single local files of features. Drivers that read scripts, fetch data
  /// from elsewhere or guess at text are left out (CSV is read without OGR).
  static let drivers = [
    "GeoJSON", "GeoJSONSeq", "TopoJSON", "GPKG", "FlatGeobuf", "ESRI Shapefile", "LIBKML", "KML",
    "GPX",
  ]
  /// Registers GDAL's drivers, once per process.
  ///
  /// Must be called once only: in GDAL 3.6, one of two calls at the same time moves the list of WMS servers while the other
  /// reads it, and the process crashes.
  static let registered: Void = GDALAllRegister()

  let path: String
  /// The name of the driver that opened the file.
  let driver: String
  /// The file's bytes, for looking into it past OGR.
  let source: ByteSource
  let messages: GDALMessages
  private let handle: GDALDatasetH
  /// The file's unpacked bytes, where GDAL cannot unpack them itself.
  private let unpacked: UnpackedFile?

  /// Opens the file behind `source`; to be used between the begin and the end of `messages`.
  ///
  /// - Throws: `FormatError/unrecognizedFormat(path:reason:)` in GDAL's words.
  init(_ source: ByteSource, messages: GDALMessages) throws(FormatError) {
    _ = Self.registered
    path = source.path
    self.source = source
    self.messages = messages
    let name: String
    switch source.compression {
    case nil: (name, unpacked) = (source.pathForGDAL, nil)
    case .gzip: (name, unpacked) = ("/vsigzip/" + source.pathForGDAL, nil)
    case let compression?:
      let file = try UnpackedFile(source.path, compression)
      (name, unpacked) = (file.name, file)
    }
    var allowed: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    for driver in Self.drivers { unsafe allowed = unsafe CSLAddString(allowed, driver) }
    defer { unsafe CSLDestroy(allowed) }
    let flags = UInt32(GDAL_OF_VECTOR | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR)
    messages.clearFailure()
    let opened = unsafe name.withCString { name in
      unsafe allowed?.withMemoryRebound(to: UnsafePointer<CChar>?.self, capacity: 1) {
        unsafe GDALOpenEx(name, flags, $0, nil, nil)
      }
    }
    guard let opened = unsafe opened else {
      let reason = messages.failure ?? "no driver takes it for its own"
      throw .unrecognizedFormat(path: source.path, reason: reason.replacing(name, with: source.path))
    }
    unsafe handle = opened
    let driverHandle = unsafe GDALGetDatasetDriver(opened)
    let driverName = unsafe driverHandle.flatMap { unsafe GDALGetDriverShortName($0) }
    driver = unsafe driverName.map { unsafe String(cString: $0) } ?? ""
  }

  deinit { _ = unsafe GDALClose(handle) }

  /// The layer called `name`, or the first with geometry; and the names of the others with geometry.
  ///
  /// - Throws: `FormatError/missingLayer(path:layer:found:)`, `FormatError/noGeometry(path:layers:)`.
  func layer(_ name: String?) throws(FormatError) -> (layer: OGRLayer, others: [String]) {
    var names: [String] = []
    var geographic: [(String, OGRLayerH)] = unsafe []
    var chosen: (String, OGRLayerH)?
    for i in 0..<(unsafe GDALDatasetGetLayerCount(handle)) {
      guard let layer = unsafe GDALDatasetGetLayer(handle, i) else { continue }
      let layerName = unsafe OGR_L_GetName(layer).map { unsafe String(cString: $0) } ?? ""
      names.append(layerName)
      if let name, name == layerName { unsafe chosen = (layerName, layer) }
      if unsafe OGR_L_GetGeomType(layer) != wkbNone { unsafe geographic.append((layerName, layer)) }
    }
    if let name, unsafe chosen == nil {
      throw .missingLayer(path: path, layer: name, found: names)
    }
    guard let (layerName, layer) = unsafe chosen ?? geographic.first else {
      throw .noGeometry(path: path, layers: names)
    }
    let others = unsafe name == nil ? geographic.dropFirst().map(\.0) : []
    return unsafe (OGRLayer(self, layer, name: layerName), others)
  }
}
