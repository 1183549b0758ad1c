internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityPolygon

/// Reads well-known binary (OGC 06-103r4, 8.2), also with the heights, measures and systems that PostGIS
/// adds: points and polygons, alone or several. Whatever the bytes are, a geometry or an error.
@safe struct WKBReader {
  enum Shape {
    case point(Coordinate)
    /// Rings of longitude (x) and latitude (y), part by part, the exterior first.
    case polygon([[[PlanarPoint]]])
  }

  private let bytes: UnsafeRawBufferPointer
  private let byteCount: Int
  private var position = 0
  private var points: [PlanarPoint] = []
  private var parts: [[[PlanarPoint]]] = []

  private static let deepest = 16

  private init(_ bytes: UnsafeRawBufferPointer) { unsafe (self.bytes, byteCount) = (bytes, bytes.count) }

  /// - Throws: ``GeometryFault`` for bytes that are no geometry, for lines and several points, and for what
  ///   is empty.
  static func read(_ bytes: UnsafeRawBufferPointer) throws(GeometryFault) -> Shape {
    var reader = unsafe WKBReader(bytes)
    try reader.geometry(depth: 0)
    guard reader.position == reader.byteCount else {
      throw GeometryFault("\(reader.byteCount - reader.position) bytes behind the geometry")
    }
    if reader.points.isEmpty, reader.parts.isEmpty { throw GeometryFault("the geometry is empty") }
    guard !reader.points.isEmpty else { return .polygon(reader.parts) }
    guard reader.parts.isEmpty, reader.points.count == 1 else {
      throw GeometryFault(
        "one point, or polygons, are expected, not "
          + "\(DecimalText.count(reader.points.count, "point", "points")) and "
          + DecimalText.count(reader.parts.count, "polygon", "polygons")
      )
    }
    let place = Coordinate(latitude: reader.points[0].y, longitude: reader.points[0].x)
    if let fault = CoordinateLimits.fault(place) { throw GeometryFault(fault) }
    return .point(place)
  }

  /// The place of a point that is written as most programs write one: 21 bytes, little-endian, without
  /// anything besides. nil for all other bytes, and for what is no place on the Earth; ``read(_:)`` says then
  /// what they are.
  @inline(__always)
  static func plainPoint(_ bytes: UnsafeRawBufferPointer) -> Coordinate? {
    guard bytes.count == 21, unsafe bytes.load(as: UInt8.self) == 1,
      unsafe UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self)) == 1
    else { return nil }
    let x = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 5, as: UInt64.self))
    let y = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 13, as: UInt64.self))
    let place = Coordinate(latitude: Double(bitPattern: y), longitude: Double(bitPattern: x))
    return CoordinateLimits.contains(place) ? place : nil
  }

  private mutating func number<T: FixedWidthInteger & BitwiseCopyable>(
    _ type: T.Type, _ isLittle: Bool
  ) throws(GeometryFault) -> T {
    guard byteCount - position >= MemoryLayout<T>.size else {
      throw GeometryFault("the geometry ends too early")
    }
    defer { position += MemoryLayout<T>.size }
    let value = unsafe bytes.loadUnaligned(fromByteOffset: position, as: T.self)
    return isLittle ? T(littleEndian: value) : T(bigEndian: value)
  }

  private mutating func geometry(depth: Int) throws(GeometryFault) {
    guard depth < Self.deepest else { throw GeometryFault("collections nested too deeply") }
    let order = try number(UInt8.self, true)
    guard order <= 1 else { throw GeometryFault("a byte order of \(order); is this WKB?") }
    let isLittle = order == 1
    let code = try number(UInt32.self, isLittle)
    // PostGIS flags heights, measures and a system by the highest bits; ISO counts thousands.
    if code & 0x2000_0000 != 0 {
      let system = try number(UInt32.self, isLittle)
      guard system == 0 || system == 4326 else {
        throw GeometryFault("SRID \(system): longitude and latitude on WGS84 (4326) are expected")
      }
    }
    let thousands = (code & 0x0fff_ffff) / 1000
    guard thousands <= 3 else { throw GeometryFault("geometry type \(code)") }
    let extras =
      (code & 0x8000_0000 != 0 || thousands == 1 || thousands == 3 ? 1 : 0)
      + (code & 0x4000_0000 != 0 || thousands == 2 || thousands == 3 ? 1 : 0)
    switch (code & 0x0fff_ffff) % 1000 {
    case 1:
      let point = try point(isLittle, extras)
      // An empty point is one of NaN.
      if !point.x.isNaN || !point.y.isNaN { points.append(point) }
    case 3, 17: try polygon(isLittle, extras)
    case 4, 6, 7, 15, 16:
      let count = try number(UInt32.self, isLittle)
      guard Int(count) <= (byteCount - position) / 5 else {
        throw GeometryFault("the geometry ends too early")
      }
      for _ in 0..<count { try geometry(depth: depth + 1) }
    case 2, 5: throw GeometryFault("a line is neither a point nor a polygon")
    case let other: throw GeometryFault("geometry type \(other) is neither a point nor a polygon")
    }
  }

  private mutating func point(_ isLittle: Bool, _ extras: Int) throws(GeometryFault) -> PlanarPoint {
    let x = Double(bitPattern: try number(UInt64.self, isLittle))
    let y = Double(bitPattern: try number(UInt64.self, isLittle))
    for _ in 0..<extras { _ = try number(UInt64.self, isLittle) }
    return PlanarPoint(x: x, y: y)
  }

  private mutating func polygon(_ isLittle: Bool, _ extras: Int) throws(GeometryFault) {
    let ringCount = try number(UInt32.self, isLittle)
    guard Int(ringCount) <= (byteCount - position) / 4 else {
      throw GeometryFault("the geometry ends too early")
    }
    var rings: [[PlanarPoint]] = []
    for i in 0..<ringCount {
      let count = try number(UInt32.self, isLittle)
      guard Int(count) <= (byteCount - position) / (8 * (2 + extras)) else {
        throw GeometryFault("the geometry ends too early")
      }
      var ring: [PlanarPoint] = []
      ring.reserveCapacity(Int(count))
      for _ in 0..<count { ring.append(try point(isLittle, extras)) }
      if ring.isEmpty, i > 0 { continue }
      rings.append(ring)
    }
    if rings.first?.isEmpty == false { parts.append(rings) }
  }
}

extension WKBReader {
  /// What was made of a polygon's rings.
  struct Made {
    var polygon: Polygon
    /// What was repaired, if anything.
    var repair: String?
    /// How edges across more than half a turn were taken.
    var assumptions: [String]
  }

  /// A polygon of rings.
  ///
  /// As files' readers do: rings that collapse are left out, and those that cross are repaired.
  ///
  /// - Parameters:
  ///   - isStrict: Whether rings that need a repair are refused.
  ///   - repair: nil where nothing can repair.
  /// - Throws: ``GeometryFault`` for rings that make no polygon.
  static func polygon(
    _ parts: [[[PlanarPoint]]], areEdgesPlanar: Bool, isStrict: Bool, by repair: PolygonRepair?
  ) throws(GeometryFault) -> Made {
    var result: [Polygon.Part] = []
    var assumptions: [String] = []
    var count = 0
    for rings in parts {
      var coordinates: [[Coordinate]] = []
      var takesShortWay: Bool?
      for ring in rings {
        if areEdgesPlanar {
          var densifier = Densifier(LongitudeLatitude(), maximumVertices: Densifier.maximumVertices - count)
          coordinates.append(try densifier.ring(ring, inExterior: takesShortWay))
          takesShortWay = takesShortWay ?? densifier.takesShortWay
          assumptions += densifier.warnings
        } else {
          for point in ring {
            let place = Coordinate(latitude: point.y, longitude: point.x)
            if let fault = CoordinateLimits.fault(place) { throw GeometryFault(fault) }
          }
          coordinates.append(ring.map { Coordinate(latitude: $0.y, longitude: $0.x) })
        }
        count += coordinates[coordinates.count - 1].count
      }
      result.append(Polygon.Part(exterior: coordinates[0], holes: Array(coordinates.dropFirst())))
    }
    let meaning: RingMeaning = areEdgesPlanar ? .planar : .geodesic
    do throws(PolygonError) {
      if isStrict {
        return Made(polygon: try Polygon(parts: result, meaning: meaning), assumptions: assumptions)
      }
      let (polygon, fault) = try Polygon.repairing(parts: result, meaning: meaning) {
        parts throws(PolygonError) in try repair?.repaired(parts)
      }
      return Made(polygon: polygon, repair: fault.map { "repaired: \($0)" }, assumptions: assumptions)
    } catch .invalid(let fault, let place, let near) {
      let cure = isStrict ? "" : "; repair it first, as shapely.make_valid does"
      throw GeometryFault("\(PolygonError.invalid(fault, place, near: near))\(cure)")
    } catch { throw GeometryFault("\(error)") }
  }
}
