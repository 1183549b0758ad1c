import CGDAL

@testable import VicinityFormats

/// Writes small vector files through OGR, for the readers to read.
enum OGRWriter {
  struct Failure: Error { var what: String }

  struct Feature {
    var identifier: String
    var wkt: String?
    var radius: Double?
  }

  /// Writes `features` as one layer, with the fields `idField` and `radius`, in EPSG `epsg`, whose
  /// coordinates the texts are in, easting or longitude first.
  static func write(
    _ features: [Feature], to path: String, driver: String, epsg: Int32? = 4326,
    layer: String = "regions",
    idField: String = "id", layerOptions: [String] = [], adding: Bool = false
  ) throws {
    _ = OGRDataset.registered
    let dataset: GDALDatasetH?
    if adding {
      unsafe dataset = GDALOpenEx(path, UInt32(GDAL_OF_VECTOR | GDAL_OF_UPDATE), nil, nil, nil)
    } else {
      guard let handle = unsafe GDALGetDriverByName(driver) else {
        throw Failure(what: "no driver \(driver)")
      }
      unsafe dataset = GDALCreate(handle, path, 0, 0, 0, GDT_Unknown, nil)
    }
    guard let dataset = unsafe dataset else { throw Failure(what: "cannot create \(path)") }
    defer { _ = unsafe GDALClose(dataset) }
    var crs: OGRSpatialReferenceH?
    if let epsg {
      unsafe crs = OSRNewSpatialReference(nil)
      _ = unsafe OSRImportFromEPSG(crs, epsg)
      unsafe OSRSetAxisMappingStrategy(crs, OAMS_TRADITIONAL_GIS_ORDER)
    }
    defer { if let crs = unsafe crs { unsafe OSRDestroySpatialReference(crs) } }
    var options: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    for option in layerOptions { unsafe options = CSLAddString(options, option) }
    defer { unsafe CSLDestroy(options) }
    guard
      let target = unsafe GDALDatasetCreateLayer(dataset, layer, crs, wkbUnknown, options)
    else { throw Failure(what: "cannot create a layer") }
    for (name, type) in [(idField, OFTString), ("radius", OFTReal)] {
      guard let field = unsafe OGR_Fld_Create(name, type) else { continue }
      _ = unsafe OGR_L_CreateField(target, field, 1)
      unsafe OGR_Fld_Destroy(field)
    }
    let definition = unsafe OGR_L_GetLayerDefn(target)
    for feature in features {
      guard let made = unsafe OGR_F_Create(definition) else { throw Failure(what: "no feature") }
      defer { unsafe OGR_F_Destroy(made) }
      let idIndex = unsafe OGR_F_GetFieldIndex(made, idField)
      if idIndex >= 0 { unsafe OGR_F_SetFieldString(made, idIndex, feature.identifier) }
      let radiusIndex = unsafe OGR_F_GetFieldIndex(made, "radius")
      if let radius = feature.radius, radiusIndex >= 0 {
        unsafe OGR_F_SetFieldDouble(made, radiusIndex, radius)
      }
      if let wkt = feature.wkt {
        var bytes = Array(wkt.utf8CString)
        var geometry: OGRGeometryH?
        let code = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
          var start = buffer.baseAddress
          return unsafe OGR_G_CreateFromWkt(&start, nil, &geometry)
        }
        guard code == OGRERR_NONE else { throw Failure(what: "bad WKT \(wkt)") }
        _ = unsafe OGR_F_SetGeometryDirectly(made, geometry)
      }
      guard unsafe OGR_L_CreateFeature(target, made) == OGRERR_NONE else {
        throw Failure(what: "cannot write \(feature.identifier)")
      }
    }
  }

  /// Runs a statement of SQL on a GeoPackage.
  static func run(_ sql: String, on path: String) throws {
    guard let dataset = unsafe GDALOpenEx(path, UInt32(GDAL_OF_VECTOR | GDAL_OF_UPDATE), nil, nil, nil) else {
      throw Failure(what: "cannot open \(path)")
    }
    defer { _ = unsafe GDALClose(dataset) }
    if let result = unsafe GDALDatasetExecuteSQL(dataset, sql, nil, nil) {
      unsafe GDALDatasetReleaseResultSet(dataset, result)
    }
  }

  /// A position brought from one EPSG system to another, easting or longitude first.
  static func transform(_ x: Double, _ y: Double, from: Int32, to: Int32) throws -> (
    x: Double, y: Double
  ) {
    let source = unsafe OSRNewSpatialReference(nil)
    let target = unsafe OSRNewSpatialReference(nil)
    defer {
      unsafe OSRDestroySpatialReference(source)
      unsafe OSRDestroySpatialReference(target)
    }
    _ = unsafe OSRImportFromEPSG(source, from)
    _ = unsafe OSRImportFromEPSG(target, to)
    unsafe OSRSetAxisMappingStrategy(source, OAMS_TRADITIONAL_GIS_ORDER)
    unsafe OSRSetAxisMappingStrategy(target, OAMS_TRADITIONAL_GIS_ORDER)
    guard let transformation = unsafe OCTNewCoordinateTransformation(source, target) else {
      throw Failure(what: "no way from EPSG:\(from) to EPSG:\(to)")
    }
    defer { unsafe OCTDestroyCoordinateTransformation(transformation) }
    var result = (x: x, y: y)
    guard unsafe OCTTransform(transformation, 1, &result.x, &result.y, nil) != 0 else {
      throw Failure(what: "\(x), \(y) cannot be transformed")
    }
    return result
  }
}
