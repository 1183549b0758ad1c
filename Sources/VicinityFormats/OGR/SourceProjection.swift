internal import CGDAL
internal import CMath
internal import VicinityGeodesy
internal import VicinityPolygon

/// The projection from a file's coordinate reference system to longitude and latitude on WGS84.
@safe final class SourceProjection: PlanarProjection {
  /// Whether the file's coordinates are longitude and latitude on WGS84 already.
  let isIdentity: Bool
  /// A full turn in the file's units when they are angles; `nil` for projected systems.
  let fullTurn: Double?

  private let transformation: OGRCoordinateTransformationH?
  /// Metres per unit of the file's coordinates, roughly.
  private let metersPerUnit: Double
  private let messages: GDALMessages

  /// A projection from `crs`; from longitude and latitude on WGS84 if that is nil.
  ///
  /// To be used between the begin and the end of `messages`.
  init(_ crs: OGRSpatialReferenceH?, messages: GDALMessages) throws(GeometryFault) {
    self.messages = messages
    guard let crs = unsafe crs else {
      isIdentity = true
      fullTurn = 360
      metersPerUnit = 111_195
      unsafe transformation = nil
      return
    }
    guard let source = unsafe OSRClone(crs), let target = unsafe OSRNewSpatialReference(nil) else {
      throw GeometryFault("no memory for a coordinate reference system")
    }
    defer {
      unsafe OSRDestroySpatialReference(source)
      unsafe OSRDestroySpatialReference(target)
    }
    unsafe OSRSetAxisMappingStrategy(source, OAMS_TRADITIONAL_GIS_ORDER)
    unsafe OSRSetAxisMappingStrategy(target, OAMS_TRADITIONAL_GIS_ORDER)
    let isGeographic = unsafe OSRIsGeographic(source) != 0
    if isGeographic {
      let radians = unsafe OSRGetAngularUnits(source, nil)
      fullTurn = radians > 0 ? 2 * .pi / radians : 360
      metersPerUnit = (radians > 0 ? radians : .pi / 180) * WGS84.a
    } else {
      fullTurn = nil
      metersPerUnit = unsafe OSRGetLinearUnits(source, nil)
    }
    messages.clearFailure()
    guard unsafe OSRSetWellKnownGeogCS(target, "WGS84") == OGRERR_NONE else {
      throw GeometryFault("WGS84 is not known: \(messages.failure ?? "no reason given")")
    }
    let isSame = unsafe isGeographic && OSRIsSame(source, target) != 0
    let made = unsafe isSame ? nil : OCTNewCoordinateTransformation(source, target)
    isIdentity = isSame
    unsafe transformation = made
    if !isSame, unsafe made == nil {
      throw GeometryFault(
        "no way from the file's coordinate reference system to WGS84: "
          + (messages.failure ?? "no reason given"))
    }
  }

  deinit {
    if let transformation = unsafe transformation {
      unsafe OCTDestroyCoordinateTransformation(transformation)
    }
  }

  /// Projects a position in the file to WGS84.
  ///
  /// - Throws: ``GeometryFault`` for a position that is not finite or that PROJ cannot bring to WGS84.
  func coordinate(x: Double, y: Double) throws(GeometryFault) -> Coordinate {
    let coordinate = try LongitudeLatitude().coordinate(x: x, y: y)
    guard let transformation = unsafe transformation else { return coordinate }
    var lon = x
    var lat = y
    var success: Int32 = 0
    messages.clearFailure()
    _ = unsafe OCTTransformEx(transformation, 1, &lon, &lat, nil, &success)
    guard success != 0, lon.isFinite, lat.isFinite else {
      throw GeometryFault(
        "coordinate \(x), \(y) cannot be brought to WGS84"
          + (messages.failure.map { ": \($0)" } ?? ""))
    }
    return Coordinate(latitude: lat, longitude: lon)
  }

  /// The angle of an arc's pieces, degrees, at which they stay within `tolerance` of arcs about as large as
  /// `geometry`: the sagitta of a step of angle θ is r (1 - cos(θ / 2)).
  func arcStep(of geometry: OGRGeometryH, within tolerance: Meters) -> Double {
    var envelope = OGREnvelope()
    unsafe OGR_G_GetEnvelope(geometry, &envelope)
    let r = max(envelope.MaxX - envelope.MinX, envelope.MaxY - envelope.MinY) * metersPerUnit
    guard r.isFinite, r > tolerance else { return 4 }
    let step = 2 * acos(1 - tolerance / r) * 180 / .pi
    return min(max(step, 0.02 * min(1, (tolerance / 0.05).squareRoot())), 4)
  }
}
