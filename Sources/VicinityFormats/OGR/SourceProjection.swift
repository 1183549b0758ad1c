internal import CGDAL
internal import CMath
internal import VicinityGeodesy
internal import VicinityPolygon

/// The projection from a file's coordinate reference system to longitude and latitude on WGS84.
@safe final class SourceProjection: PlanarProjection {
  /// Whether the file's coordinates are longitude and latitude on WGS84 already.
  var isIdentity: Bool { operation == nil }
  /// A full turn in the file's units when they are angles; `nil` for projected systems.
  let fullTurn: Double?

  /// What messages call the system.
  private let name: String
  private let operation: CoordinateOperation?
  /// For each of the file's two coordinates: which axis of the system it is, and whether it counts the other
  /// way.
  private let axes: [(index: Int, isReversed: Bool)]
  /// Metres per unit of the file's coordinates, roughly.
  private let metersPerUnit: Double
  /// The largest easting or northing, longitude or latitude, in the file's units, that is tried.
  private let limit: (x: Double, y: Double)

  /// The most that an easting or northing may be, metres: ten times around the Earth. Systems of zones put
  /// their number before the easting, which takes less than two; projections spend time without end on
  /// numbers that are no place at all.
  static let mostMeters: Meters = 10 * 2 * .pi * WGS84.a

  /// A projection from `crs`; from longitude and latitude on WGS84 if that is nil.
  ///
  /// To be used between the begin and the end of `messages`.
  ///
  /// - Throws: ``GeometryFault`` for a system that PROJ cannot bring to WGS84, or only by a ballpark
  ///   transformation unless that is allowed.
  init(
    _ crs: OGRSpatialReferenceH?, allowsBallpark: Bool = false, messages: GDALMessages
  ) throws(GeometryFault) {
    guard let crs = unsafe crs else {
      fullTurn = 360
      metersPerUnit = 111_195
      name = "WGS84"
      operation = nil
      axes = []
      limit = (.infinity, .infinity)
      return
    }
    guard let source = unsafe OSRClone(crs), let target = unsafe OSRNewSpatialReference(nil) else {
      throw GeometryFault("no memory for a coordinate reference system")
    }
    defer {
      unsafe OSRDestroySpatialReference(source)
      unsafe OSRDestroySpatialReference(target)
    }
    name = unsafe Self.name(of: source)
    // Heights are not read.
    if unsafe OSRIsCompound(source) != 0 { _ = unsafe OSRStripVertical(source) }
    _ = unsafe OSRDemoteTo2D(source, nil)
    unsafe OSRSetAxisMappingStrategy(source, OAMS_TRADITIONAL_GIS_ORDER)
    unsafe OSRSetAxisMappingStrategy(target, OAMS_TRADITIONAL_GIS_ORDER)
    let isGeographic = unsafe OSRIsGeographic(source) != 0
    if isGeographic {
      let unit = unsafe OSRGetAngularUnits(source, nil)
      let radians = unit > 0 ? unit : .pi / 180
      fullTurn = 2 * .pi / radians
      metersPerUnit = radians * WGS84.a
      let degree = .pi / 180 / radians
      limit = (CoordinateLimits.longitude * degree, 90.000001 * degree)
    } else {
      fullTurn = nil
      metersPerUnit = unsafe OSRGetLinearUnits(source, nil)
      let most = Self.mostMeters / (metersPerUnit > 0 ? metersPerUnit : 1)
      limit = (most, most)
    }
    let isProjected = unsafe OSRIsProjected(source) != 0
    guard isGeographic || isProjected else {
      throw GeometryFault(
        "\(name) has neither longitudes and latitudes nor eastings and northings; \(Self.remedy)")
    }
    messages.clearFailure()
    guard unsafe OSRSetWellKnownGeogCS(target, "WGS84") == OGRERR_NONE else {
      throw GeometryFault("WGS84 is not known: \(messages.failure ?? "no reason given")")
    }
    if isGeographic, unsafe OSRIsSame(source, target) != 0 {
      operation = nil
      axes = []
      return
    }
    var count: Int32 = 0
    let mapping = unsafe OSRGetDataAxisToSRSAxisMapping(source, &count)
    guard let mapping = unsafe mapping, count >= 2 else {
      throw GeometryFault("\(name) has no order of axes")
    }
    axes = (0..<2).map { i in
      let axis = unsafe Int(mapping[i])
      return (abs(axis) - 1, axis < 0)
    }
    guard axes[0].index + axes[1].index == 1 else { throw GeometryFault("\(name) has axes of its own order") }
    var wkt: UnsafeMutablePointer<CChar>?
    defer { unsafe VSIFree(wkt) }
    let code = unsafe "FORMAT=WKT2_2019".withCString { option in
      var options: [UnsafePointer<CChar>?] = unsafe [option, nil]
      return unsafe OSRExportToWktEx(source, &wkt, &options)
    }
    guard code == OGRERR_NONE, let wkt = unsafe wkt else {
      throw GeometryFault("\(name) cannot be described to PROJ: \(messages.failure ?? "no reason given")")
    }
    operation = try unsafe CoordinateOperation(wkt: wkt, name: name, allowsBallpark: allowsBallpark)
  }

  /// How to state the system of a file that states none which is understood.
  static let remedy = "ogr2ogr -a_srs EPSG:NUMBER makes a copy that states its system"

  /// The system's name and number, such as `the coordinate reference system "NAD27" (EPSG:4267)`.
  private static func name(of crs: OGRSpatialReferenceH) -> String {
    func text(_ pointer: UnsafePointer<CChar>?) -> String? {
      unsafe pointer.map { unsafe String(cString: $0) }
    }
    var result = "the coordinate reference system \"\(unsafe text(OSRGetName(crs)) ?? "")\""
    if let authority = unsafe text(OSRGetAuthorityName(crs, nil)),
      let code = unsafe text(OSRGetAuthorityCode(crs, nil))
    {
      result += " (\(authority):\(code))"
    }
    return result
  }

  /// Projects a position in the file to WGS84.
  ///
  /// - Throws: ``GeometryFault`` for a position that is not finite, or that PROJ cannot bring to WGS84, or
  ///   only by a ballpark transformation unless that is allowed.
  func coordinate(x: Double, y: Double) throws(GeometryFault) -> Coordinate {
    let coordinate = try LongitudeLatitude().coordinate(x: x, y: y)
    guard let operation else { return coordinate }
    try check(x: x, y: y)
    var values = (x, y)
    if axes[0].isReversed { values.0 = -x }
    if axes[1].isReversed { values.1 = -y }
    let place: Coordinate?
    do throws(CoordinateOperation.OutOfAreas) {
      place =
        try axes[0].index == 0
        ? operation.coordinate(values.0, values.1) : operation.coordinate(values.1, values.0)
    } catch {
      throw CoordinateOperation.ballparkOnly("coordinate \(x), \(y) in \(name)")
    }
    guard let place, abs(place.latitude) <= 90.000001 else {
      throw GeometryFault(
        "coordinate \(x), \(y) cannot be brought to WGS84" + (operation.failure.map { ": \($0)" } ?? ""))
    }
    return place
  }

  /// Refuses a position that is not finite or far from any place.
  ///
  /// - Throws: ``GeometryFault``
  func check(x: Double, y: Double) throws(GeometryFault) {
    _ = try LongitudeLatitude().coordinate(x: x, y: y)
    guard operation == nil || abs(x) <= limit.x && abs(y) <= limit.y else {
      throw GeometryFault("coordinate \(x), \(y) is no place in \(name)")
    }
  }

  /// Whether the plane shows the Earth as seen from within, as with a first axis to the south and a second to
  /// the east; `nil` where that cannot be told from what is around `point`: at a pole that is drawn as a
  /// line, or at the plane's end.
  func isMirrored(at point: SIMD2<Double>) -> Bool? {
    let step = 1 / metersPerUnit
    func place(_ x: Double, _ y: Double) throws -> SIMD3<Double> {
      let place = try ECEF(coordinate(x: point.x + x, y: point.y + y))
      return SIMD3(place.x, place.y, place.z)
    }
    guard let center = try? place(0, 0), let right = try? place(step, 0) - center,
      let up = try? place(0, step) - center
    else { return nil }
    let normal = SIMD3(
      right.y * up.z - right.z * up.y, right.z * up.x - right.x * up.z, right.x * up.y - right.y * up.x)
    // Of the square metre, more than rounding by nanometres makes.
    let share = (normal * center).sum() / WGS84.a
    return abs(share) > 1e-6 ? share < 0 : nil
  }

  /// Whether a position of a projected system is also drawn at another place, by a whole turn away, where it
  /// belongs: a cylinder goes on beyond its ends.
  func isBeyondEnds(_ point: SIMD2<Double>) throws(GeometryFault) -> Bool {
    guard let operation else { return false }
    let coordinate = try coordinate(x: point.x, y: point.y)
    guard let (first, second) = operation.position(of: coordinate) else { return false }
    let difference = position(first, second) - point
    return max(abs(difference.x), abs(difference.y)) * metersPerUnit > Self.leastTurn
  }

  /// Metres: a turn is longer, and shifts between datums come back to within less.
  private static let leastTurn: Meters = 10_000

  /// A position in the order and directions of the file's coordinates.
  ///
  /// - Parameter first: The system's first axis.
  private func position(_ first: Double, _ second: Double) -> SIMD2<Double> {
    var values = axes[0].index == 0 ? SIMD2(first, second) : SIMD2(second, first)
    if axes[0].isReversed { values.x = -values.x }
    if axes[1].isReversed { values.y = -values.y }
    return values
  }

  /// Where in the plane a projected system draws a place, roughly; `nil` where it does not draw it, or not so
  /// that the way back leads to within 10 km of it: far from their zone projections give any numbers.
  func roughPosition(of place: Coordinate) -> SIMD2<Double>? {
    guard let operation, let (first, second) = operation.position(of: place),
      let back = operation.roughCoordinate(first, second), abs(back.latitude) <= 90,
      Geodesic.uncheckedDistance(back, place) < Self.leastTurn
    else { return nil }
    return position(first, second)
  }

  /// How many operations ``notice`` says something of, so that a reader in steps knows when there is more to
  /// say.
  var noticeableCount: Int { operation?.steps.count { $0.accuracy != 0 } ?? 0 }

  /// By which operations positions have been brought to WGS84, and how accurately; `nil` where that is exact:
  /// by the formulas of a projection alone.
  var notice: String? {
    guard let operation, noticeableCount > 0 else { return nil }
    let mostShown = 4
    var texts = operation.steps.prefix(mostShown).map(\.description)
    if operation.steps.count > mostShown { texts.append("and \(operation.steps.count - mostShown) more") }
    var text = "coordinates in \(name) are brought to WGS84 by " + texts.joined(separator: "; by ")
    if operation.steps.count > 1 {
      let accuracies = operation.steps.compactMap(\.accuracy)
      if accuracies.count == operation.steps.count, let worst = accuracies.max() {
        text += "; \(worst) m at worst"
      }
    }
    return text
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
