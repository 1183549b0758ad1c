internal import CGDAL
internal import VicinityGeodesy
internal import VicinityPolygon
internal import VicinityText

/// Converts OGR's geometries from one coordinate reference system to shapes on WGS84.
final class ShapeConverter {
  /// A geometry on WGS84.
  enum Shape {
    /// A point: a circle's centre, once it has a radius.
    case point(Coordinate)
    /// A polygon, what it was made of, and what was repaired, if anything.
    case polygon(Polygon, rings: FileRings, warning: String?)
  }

  /// How deeply collections may nest.
  private static let maximumNesting = 16

  private let projection: SourceProjection
  private let options: ReadingOptions
  private let messages: GDALMessages
  /// Converters for the systems that well-known text names by number, or why there is none.
  private var others: [Int32: Result<ShapeConverter, GeometryFault>] = [:]
  /// The most such systems in one file.
  private static let mostSystems = 64

  /// A converter for geometries in `crs`; longitude and latitude on WGS84 when that is nil.
  ///
  /// To be used between the begin and the end of `messages`.
  ///
  /// - Throws: ``GeometryFault`` when PROJ knows no way from `crs` to WGS84, or only a ballpark one, unless
  ///   that is allowed.
  init(
    crs: OGRSpatialReferenceH?, options: ReadingOptions, messages: GDALMessages
  ) throws(GeometryFault) {
    projection = try unsafe SourceProjection(
      crs, allowsBallpark: options.allowsBallparkTransformations, messages: messages)
    self.messages = messages
    self.options = options
  }

  /// By which of PROJ's operations coordinates have been brought to WGS84 so far, a sentence for each system.
  var notices: [String] {
    let all = others.sorted { $0.key < $1.key }.compactMap { try? $0.value.get() }
    return ([self] + all).compactMap(\.projection.notice)
  }

  /// Grows when ``notices`` has more to say.
  var noticeableCount: Int {
    others.values.reduce(projection.noticeableCount) { $0 + ((try? $1.get())?.noticeableCount ?? 0) }
  }

  /// The shape that well-known text in longitude, latitude order describes, or text that begins with the
  /// number of its system, as PostGIS writes it: `SRID=31256;POINT(1800 340600)`.
  func shape(ofWKT text: UnsafeBufferPointer<UInt8>) throws(GeometryFault) -> Shape {
    guard let (number, rest) = try unsafe Self.system(of: text) else {
      return try unsafe shape(ofPlainWKT: text)
    }
    return try unsafe converter(ofSystem: number).shape(ofPlainWKT: rest)
  }

  /// The number of the system that text begins with, and the text behind it; `nil` for text that names none.
  private static func system(
    of text: UnsafeBufferPointer<UInt8>
  ) throws(GeometryFault) -> (number: Int32, rest: UnsafeBufferPointer<UInt8>)? {
    let name = Array("srid=".utf8)
    guard text.count >= name.count,
      unsafe text.prefix(name.count).map({ $0 | 0x20 }).elementsEqual(name.map { $0 | 0x20 })
    else { return nil }
    guard let end = unsafe text.firstIndex(of: UInt8(ascii: ";")),
      let number = unsafe Int32(String(decoding: text[name.count..<end], as: UTF8.self)), number >= 0
    else {
      throw GeometryFault(
        "invalid WKT \(unsafe TextCheck.shown(text)): a number is expected behind SRID=, and a semicolon")
    }
    return (number, unsafe TextCheck.trimmed(UnsafeBufferPointer(rebasing: text[(end + 1)...])))
  }

  /// The converter for the system with a number of EPSG's; 0 and 4326 are longitude and latitude on WGS84.
  private func converter(ofSystem number: Int32) throws(GeometryFault) -> ShapeConverter {
    if number == 0 || number == 4326 { return self }
    if let other = others[number] { return try other.get() }
    guard others.count < Self.mostSystems else {
      throw GeometryFault(
        "SRID \(number): more than \(Self.mostSystems) coordinate reference systems in one file")
    }
    let other = makeConverter(ofSystem: number)
    others[number] = other
    return try other.get()
  }

  private func makeConverter(ofSystem number: Int32) -> Result<ShapeConverter, GeometryFault> {
    guard let crs = unsafe OSRNewSpatialReference(nil) else {
      return .failure(GeometryFault("no memory for a coordinate reference system"))
    }
    defer { unsafe OSRDestroySpatialReference(crs) }
    messages.clearFailure()
    guard unsafe OSRImportFromEPSG(crs, number) == OGRERR_NONE else {
      return .failure(
        GeometryFault("SRID \(number) is not known: \(messages.failure ?? "no reason given")"))
    }
    return Result { () throws(GeometryFault) in
      try unsafe ShapeConverter(crs: crs, options: options, messages: messages)
    }
  }

  private func shape(ofPlainWKT text: UnsafeBufferPointer<UInt8>) throws(GeometryFault) -> Shape {
    // OGR wants a terminated string, and would end at a zero byte inside.
    guard unsafe !text.contains(0) else {
      throw GeometryFault("invalid WKT: it contains a zero byte")
    }
    guard unsafe TextCheck.isNestedAtMost(Self.maximumNesting, text) else {
      throw GeometryFault("invalid WKT: parentheses nested more than \(Self.maximumNesting) deep")
    }
    var bytes = unsafe text.map { CChar(bitPattern: $0) }
    bytes.append(0)
    var geometry: OGRGeometryH?
    messages.clearFailure()
    let code = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      var start = buffer.baseAddress
      return unsafe OGR_G_CreateFromWkt(&start, nil, &geometry)
    }
    guard code == OGRERR_NONE, let geometry = unsafe geometry else {
      guard unsafe !Self.isBinary(text) else {
        throw GeometryFault(
          "\(unsafe TextCheck.shown(text)) is well-known binary (WKB) in hexadecimal; well-known text (WKT) is expected"
        )
      }
      throw GeometryFault(
        "invalid WKT \(unsafe TextCheck.shown(text))"
          + (messages.failure.map { ": \($0)" } ?? ""))
    }
    defer { unsafe OGR_G_DestroyGeometry(geometry) }
    return try unsafe shape(of: geometry)
  }

  /// Whether text is well-known binary in hexadecimal: it begins with the order of bytes.
  private static func isBinary(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let start = unsafe String(decoding: text.prefix(2), as: UTF8.self)
    return unsafe ["00", "01"].contains(start) && text.count >= 10
      && text.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
  }

  /// The shape of `geometry`, which stays the caller's.
  ///
  /// - Throws: ``GeometryFault`` for empty geometry, lines, several points, and what cannot be projected.
  func shape(of geometry: OGRGeometryH) throws(GeometryFault) -> Shape {
    let found = try unsafe gather(geometry)
    guard found.points.isEmpty else {
      guard found.parts.isEmpty, found.planes.isEmpty else {
        throw GeometryFault("points and polygons in one geometry; a region is one point, or polygons")
      }
      return .point(try point(found))
    }
    let rings =
      projection.fullTurn == nil
      ? FileRings.planar(found.planes, self) : .coordinates(found.parts.compactMap(Self.part))
    let (polygon, warning) = try rings.polygon(strict: options.strict)
    let warnings = found.warnings + (warning.map { [$0] } ?? [])
    return .polygon(
      polygon, rings: rings, warning: warnings.isEmpty ? nil : warnings.joined(separator: "; "))
  }

  /// A polygon of the rings in the plane of this system, where their edges are straight: it is judged there,
  /// and repaired.
  ///
  /// - Throws: ``GeometryFault`` for rings that cannot be repaired or, when `strict`, that need repair, and
  ///   for what cannot be projected.
  func polygon(
    ofPlanes planes: [PlanarPart], strict: Bool
  ) throws(GeometryFault) -> (polygon: Polygon, warning: String?) {
    if try isAround(planes) {
      return try FileRings.coordinates(coordinates(ofPlanes: planes)).polygon(strict: strict)
    }
    func coordinate(_ point: SIMD2<Double>) throws(GeometryFault) -> Coordinate {
      try projection.coordinate(x: point.x, y: point.y)
    }
    func repaired(_ parts: [PlanarPart]) throws(PolygonError) -> [PlanarPart]? { try Polygon.repaired(parts) }
    let plane = try PlanePolygon(planes, at: coordinate, repair: strict ? nil : repaired)
    let isMirrored = try isMirrored(plane.parts)
    let parts = try coordinates(
      ofPlanes: isMirrored ? plane.parts.map { part in part.map { $0.reversed() } } : plane.parts)
    do throws(PolygonError) {
      // A needle's edges do not tell on which side it is, but the plane does, in any unit and at any scale.
      // The area there would not: it is none on the ellipsoid, and a small one may be most of the Earth.
      let polygon = try Polygon(wound: parts) { place in
        projection.roughPosition(of: place).map(plane.contains)
      }
      return (polygon, plane.fault.map { "repaired: \($0)" })
    } catch {
      throw GeometryFault("\(error)")
    }
  }

  /// Whether parts may lie at the same place on the Earth and not in the plane, because it shows some places
  /// twice.
  private func isAround(_ planes: [PlanarPart]) throws(GeometryFault) -> Bool {
    guard planes.count > 1 else { return false }
    for part in planes {
      // The plane's ends are those of its first axis, at which cylinders are cut.
      guard let exterior = part.first, let west = exterior.min(by: { $0.x < $1.x }),
        let east = exterior.max(by: { $0.x < $1.x })
      else { continue }
      for point in [west, east] where try projection.isBeyondEnds(point) { return true }
    }
    return false
  }

  private func isMirrored(_ planes: [PlanarPart]) throws(GeometryFault) -> Bool {
    for ring in planes.joined() {
      for (vertex, next) in zip(ring, ring.dropFirst()) {
        // Between two vertices where both are poles.
        for point in [vertex, 0.5 * (vertex + next)] {
          if let isMirrored = projection.isMirrored(at: point) { return isMirrored }
        }
      }
    }
    throw GeometryFault("nowhere along the polygon can north be told from south")
  }

  /// The rings of a plane on WGS84, with vertices added so that geodesics between them follow the plane's
  /// straight edges.
  func coordinates(ofPlanes planes: [PlanarPart]) throws(GeometryFault) -> [Polygon.Part] {
    var count = 0
    var parts: [Polygon.Part] = []
    for plane in planes {
      var rings: [[Coordinate]] = []
      for ring in plane {
        var densifier = Densifier(
          projection, maximumVertices: Densifier.maximumVertices - count,
          edgeTolerance: options.edgeTolerance)
        rings.append(try densifier.ring(ring.map { PlanarPoint(x: $0.x, y: $0.y) }))
        count += rings[rings.count - 1].count
      }
      if let part = Self.part(rings) { parts.append(part) }
    }
    return parts
  }

  /// The part of rings, the exterior first.
  private static func part(_ rings: [[Coordinate]]) -> Polygon.Part? {
    rings.first.map { Polygon.Part(exterior: $0, holes: Array(rings.dropFirst())) }
  }

  /// The coordinate of `geometry`, which stays the caller's and must be a point.
  func point(of geometry: OGRGeometryH) throws(GeometryFault) -> Coordinate {
    let type = unsafe OGR_GT_Flatten(OGR_G_GetGeometryType(geometry))
    guard type == wkbPoint || type == wkbMultiPoint || type == wkbGeometryCollection else {
      throw GeometryFault("\(unsafe Self.name(of: geometry)) is not a point")
    }
    return try point(unsafe gather(geometry))
  }

  /// The vertices of `geometry`, which stays the caller's and must be a line or lines, in order, and where
  /// among them lines begin.
  func vertices(
    ofLines geometry: OGRGeometryH
  ) throws(GeometryFault) -> (vertices: [Coordinate], starts: Set<Int>) {
    var coordinates: [Coordinate] = []
    var starts: Set<Int> = []
    func add(_ line: OGRGeometryH) throws(GeometryFault) {
      starts.insert(coordinates.count)
      for vertex in unsafe Self.vertices(of: line) {
        let coordinate = try projection.coordinate(x: vertex.x, y: vertex.y)
        if let fault = CoordinateLimits.fault(coordinate) { throw GeometryFault(fault) }
        coordinates.append(coordinate)
      }
    }
    switch unsafe OGR_GT_Flatten(OGR_G_GetGeometryType(geometry)) {
    case wkbLineString: try unsafe add(geometry)
    case wkbMultiLineString:
      for i in 0..<(unsafe OGR_G_GetGeometryCount(geometry)) {
        if let part = unsafe OGR_G_GetGeometryRef(geometry, i) { try unsafe add(part) }
      }
    default: throw GeometryFault("\(unsafe Self.name(of: geometry)) is not a line")
    }
    return (coordinates, starts)
  }

  /// Whether `geometry`, which stays the caller's, is a line or lines.
  static func isLine(_ geometry: OGRGeometryH) -> Bool {
    let type = unsafe OGR_GT_Flatten(OGR_G_GetGeometryType(geometry))
    return type == wkbLineString || type == wkbMultiLineString
  }

  private func point(_ found: Found) throws(GeometryFault) -> Coordinate {
    guard found.parts.isEmpty, found.planes.isEmpty else {
      throw GeometryFault("polygons where a point is expected")
    }
    guard found.points.count == 1 else {
      throw GeometryFault("\(found.points.count) points in one geometry where one is expected")
    }
    let coordinate = try projection.coordinate(x: found.points[0].x, y: found.points[0].y)
    if let fault = CoordinateLimits.fault(coordinate) { throw GeometryFault(fault) }
    return coordinate
  }

  /// The parts of a geometry.
  private struct Found {
    var points: [PlanarPoint] = []
    /// Polygons as rings of WGS84 coordinates, the exterior first; of systems of longitude and latitude.
    var parts: [[[Coordinate]]] = []
    /// The same in the plane of a projected system.
    var planes: [PlanarPart] = []
    var warnings: [String] = []
    var vertexCount = 0
  }

  /// The points and polygons of `geometry`, its curves made lines.
  private func gather(_ geometry: OGRGeometryH) throws(GeometryFault) -> Found {
    if unsafe OGR_G_IsEmpty(geometry) != 0 { throw GeometryFault("the geometry is empty") }
    var found = Found()
    if unsafe OGR_G_HasCurveGeometry(geometry, 1) != 0 {
      let step = unsafe projection.arcStep(of: geometry, within: options.edgeTolerance / 2)
      messages.clearFailure()
      guard let linear = unsafe OGR_G_GetLinearGeometry(geometry, step, nil) else {
        throw GeometryFault("curves cannot be made lines: \(messages.failure ?? "no reason given")")
      }
      defer { unsafe OGR_G_DestroyGeometry(linear) }
      try unsafe gather(linear, into: &found, depth: 0)
    } else {
      try unsafe gather(geometry, into: &found, depth: 0)
    }
    return found
  }

  private func gather(
    _ geometry: OGRGeometryH, into found: inout Found, depth: Int
  ) throws(GeometryFault) {
    guard depth < Self.maximumNesting else { throw GeometryFault("collections nested too deeply") }
    switch unsafe OGR_GT_Flatten(OGR_G_GetGeometryType(geometry)) {
    case wkbPoint:
      found.points.append(
        unsafe PlanarPoint(x: OGR_G_GetX(geometry, 0), y: OGR_G_GetY(geometry, 0)))
    case wkbPolygon, wkbTriangle:
      try unsafe gatherPolygon(geometry, into: &found)
    case wkbMultiPolygon, wkbGeometryCollection, wkbMultiPoint, wkbMultiSurface:
      for i in 0..<(unsafe OGR_G_GetGeometryCount(geometry)) {
        guard let part = unsafe OGR_G_GetGeometryRef(geometry, i),
          unsafe OGR_G_IsEmpty(part) == 0
        else { continue }
        try unsafe gather(part, into: &found, depth: depth + 1)
      }
    default:
      throw GeometryFault("\(unsafe Self.name(of: geometry)) is neither a point nor a polygon")
    }
  }

  private static func name(of geometry: OGRGeometryH) -> String {
    unsafe OGR_G_GetGeometryName(geometry).map { unsafe String(cString: $0) } ?? "this geometry"
  }

  private func gatherPolygon(
    _ polygon: OGRGeometryH, into found: inout Found
  ) throws(GeometryFault) {
    guard projection.fullTurn != nil else {
      return found.planes.append(try unsafe plane(of: polygon, found: &found.vertexCount))
    }
    var rings: [[Coordinate]] = []
    var takesShortWay = false
    let wideEdges: Densifier.WideEdges =
      switch options.wideEdges {
      case nil: .evident
      case .straight?: .straight
      case .shortest?: .shortest
      }
    for i in 0..<(unsafe OGR_G_GetGeometryCount(polygon)) {
      guard let ring = unsafe OGR_G_GetGeometryRef(polygon, i) else { continue }
      let vertices = unsafe Self.vertices(of: ring)
      if vertices.isEmpty, i > 0 { continue }
      var densifier = Densifier(
        projection, maximumVertices: Densifier.maximumVertices - found.vertexCount,
        edgeTolerance: options.edgeTolerance, wideEdges: wideEdges)
      let coordinates = try densifier.ring(vertices, inExterior: i == 0 ? nil : takesShortWay)
      if i == 0 { takesShortWay = densifier.takesShortWay }
      found.vertexCount += coordinates.count
      found.warnings += densifier.warnings
      rings.append(coordinates)
    }
    found.parts.append(rings)
  }

  /// The rings of a polygon as the file has them.
  private func plane(
    of polygon: OGRGeometryH, found count: inout Int
  ) throws(GeometryFault) -> PlanarPart {
    var rings: PlanarPart = []
    for i in 0..<(unsafe OGR_G_GetGeometryCount(polygon)) {
      guard let ring = unsafe OGR_G_GetGeometryRef(polygon, i) else { continue }
      let vertices = unsafe Self.vertices(of: ring)
      if vertices.isEmpty, i > 0 { continue }
      for vertex in vertices { try projection.check(x: vertex.x, y: vertex.y) }
      count += vertices.count
      guard count <= Densifier.maximumVertices else {
        throw GeometryFault("more than \(Densifier.maximumVertices) vertices")
      }
      rings.append(vertices.map { SIMD2($0.x, $0.y) })
    }
    return rings
  }

  private static func vertices(of ring: OGRGeometryH) -> [PlanarPoint] {
    let count = unsafe Int(OGR_G_GetPointCount(ring))
    guard count > 0 else { return [] }
    return unsafe [PlanarPoint](unsafeUninitializedCapacity: count) { buffer, initialized in
      // SAFETY: OGR writes `count` pairs at the stride of PlanarPoint, whose two members are its layout.
      guard let base = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
      let stride = Int32(MemoryLayout<PlanarPoint>.stride)
      initialized = unsafe Int(
        OGR_G_GetPoints(ring, base, stride, base + MemoryLayout<Double>.stride, stride, nil, 0))
    }
  }
}
