#if canImport(CGEOS)
  internal import CGEOS
  internal import VicinityPolygon

  /// Repairs invalid planar polygons, by GEOS.
  ///
  /// One context for one operation: GEOS's reentrant interface keeps all its state there. Freed with the
  /// value.
  @safe
  struct GEOSContext: ~Copyable {
    private static let messageCapacity = 512

    private let handle: GEOSContextHandle_t
    /// Where GEOS's last error message is kept, NUL-terminated.
    private let message: UnsafeMutablePointer<CChar>

    init() throws(PolygonError) {
      guard let handle = unsafe GEOS_init_r() else {
        throw .repairFailed(reason: "GEOS could not be initialised")
      }
      let message = UnsafeMutablePointer<CChar>.allocate(capacity: Self.messageCapacity)
      unsafe message.initialize(repeating: 0, count: Self.messageCapacity)
      unsafe GEOSContext_setErrorMessageHandler_r(
        handle,
        { text, target in
          // SAFETY: `target` is the buffer of `messageCapacity` bytes given along with this function.
          guard let text = unsafe text, let target = unsafe target else { return }
          let buffer = unsafe target.assumingMemoryBound(to: CChar.self)
          var i = 0
          while i < GEOSContext.messageCapacity - 1, unsafe text[i] != 0 {
            unsafe buffer[i] = unsafe text[i]
            i += 1
          }
          unsafe buffer[i] = 0
        }, message)
      unsafe self.handle = unsafe handle
      unsafe self.message = unsafe message
    }

    deinit {
      unsafe GEOS_finish_r(handle)
      unsafe message.deallocate()
    }

    private func failure() -> PolygonError {
      let text = unsafe String(cString: message)
      return .repairFailed(reason: text.isEmpty ? "GEOS failed without a message" : text)
    }

    /// The most places in which rings may cross: GEOS takes some 0.1 ms for each.
    static let mostCrossings = 20_000

    /// The polygon made valid: bow ties become two parts, overlaps are joined, collapsed rings dropped, and
    /// of each part is left what its exterior encloses and no hole does.
    ///
    /// Each ring is made valid alone, by GEOS's structure method: unlike the linework method it joins pieces
    /// of equal winding instead of cutting the overlap out. Holes are taken away here, because for GEOS one
    /// outside its exterior adds to the polygon.
    borrowing func repaired(_ parts: [PlanarPart]) throws(PolygonError) -> [PlanarPart] {
      guard !RingCrossings.exceed(Self.mostCrossings, parts) else {
        throw .repairFailed(reason: "its rings cross in more than \(Self.mostCrossings) places")
      }
      var sound: [OpaquePointer?] = unsafe []
      defer { unsafe destroy(sound) }
      for part in parts {
        guard let exterior = part.first else { continue }
        let shape = try unsafe valid([exterior])
        if part.count > 1 {
          defer { unsafe GEOSGeom_destroy_r(handle, shape) }
          let holes = try unsafe valid(Array(part.dropFirst()))
          defer { unsafe GEOSGeom_destroy_r(handle, holes) }
          guard let rest = unsafe GEOSDifference_r(handle, shape, holes) else { throw failure() }
          unsafe sound.append(rest)
        } else {
          unsafe sound.append(shape)
        }
      }
      let whole = try unsafe union(of: &sound)
      defer { unsafe GEOSGeom_destroy_r(handle, whole) }
      var result: [PlanarPart] = []
      unsafe try collect(whole, into: &result)
      return result
    }

    /// What `rings` enclose together, each made valid alone; the caller destroys it.
    private borrowing func valid(_ rings: [[SIMD2<Double>]]) throws(PolygonError) -> OpaquePointer {
      guard let parameters = unsafe GEOSMakeValidParams_create_r(handle) else { throw failure() }
      defer { unsafe GEOSMakeValidParams_destroy_r(handle, parameters) }
      _ = unsafe GEOSMakeValidParams_setMethod_r(handle, parameters, GEOS_MAKE_VALID_STRUCTURE)
      _ = unsafe GEOSMakeValidParams_setKeepCollapsed_r(handle, parameters, 0)
      var shapes: [OpaquePointer?] = unsafe []
      defer { unsafe destroy(shapes) }
      for ring in rings {
        let polygon = try unsafe geometry([[ring]])
        defer { unsafe GEOSGeom_destroy_r(handle, polygon) }
        guard let shape = unsafe GEOSMakeValidWithParams_r(handle, polygon, parameters) else {
          throw failure()
        }
        unsafe shapes.append(shape)
      }
      return try unsafe union(of: &shapes)
    }

    /// The union of `shapes`, which it takes over; the caller destroys it.
    private borrowing func union(of shapes: inout [OpaquePointer?]) throws(PolygonError) -> OpaquePointer {
      if unsafe shapes.count == 1, let shape = unsafe shapes.removeLast() { return unsafe shape }
      let count = unsafe UInt32(shapes.count)
      let type = Int32(GEOS_GEOMETRYCOLLECTION.rawValue)
      // GEOS owns the shapes from here on, whether it succeeds or not.
      let all = unsafe GEOSGeom_createCollection_r(handle, type, &shapes, count)
      unsafe shapes.removeAll()
      guard let all = unsafe all else { throw failure() }
      defer { unsafe GEOSGeom_destroy_r(handle, all) }
      guard let result = unsafe GEOSUnaryUnion_r(handle, all) else { throw failure() }
      return unsafe result
    }

    // MARK: To and from GEOS

    /// - Returns: a multipolygon that the caller destroys.
    private borrowing func geometry(_ parts: [PlanarPart]) throws(PolygonError) -> OpaquePointer {
      var polygons: [OpaquePointer?] = unsafe []
      for part in parts {
        var rings: [OpaquePointer?] = unsafe []
        for ring in part {
          guard let made = unsafe self.ring(ring) else {
            unsafe destroy(rings)
            unsafe destroy(polygons)
            throw failure()
          }
          unsafe rings.append(made)
        }
        var holes = unsafe Array(rings.dropFirst())
        // GEOS owns the rings from here on, whether it succeeds or not.
        let polygon = unsafe GEOSGeom_createPolygon_r(
          handle, rings.first ?? nil, &holes, UInt32(holes.count))
        guard let polygon = unsafe polygon else {
          unsafe destroy(polygons)
          throw failure()
        }
        unsafe polygons.append(polygon)
      }
      let type = Int32(GEOS_MULTIPOLYGON.rawValue)
      guard
        let all = unsafe GEOSGeom_createCollection_r(
          handle, type, &polygons, UInt32(polygons.count))
      else { throw failure() }
      return unsafe all
    }

    private borrowing func destroy(_ geometries: [OpaquePointer?]) {
      var i = 0
      while unsafe i < geometries.count {
        unsafe GEOSGeom_destroy_r(handle, geometries[i])
        i += 1
      }
    }

    private borrowing func ring(_ ring: [SIMD2<Double>]) -> OpaquePointer? {
      let sequence = unsafe ring.withUnsafeBytes { bytes in
        // SAFETY: SIMD2<Double> is two doubles without padding, the layout GEOS asks for.
        unsafe GEOSCoordSeq_copyFromBuffer_r(
          handle, bytes.bindMemory(to: Double.self).baseAddress, UInt32(ring.count), 0, 0)
      }
      guard let sequence = unsafe sequence else { return nil }
      return unsafe GEOSGeom_createLinearRing_r(handle, sequence)
    }

    /// The polygons within a geometry; points and lines have no inside and are left out.
    private borrowing func collect(
      _ geometry: OpaquePointer, into parts: inout [PlanarPart]
    ) throws(PolygonError) {
      let type = unsafe GEOSGeomTypeId_r(handle, geometry)
      if type == Int32(GEOS_POLYGON.rawValue) {
        guard unsafe GEOSisEmpty_r(handle, geometry) == 0 else { return }
        var part: PlanarPart = []
        guard let exterior = unsafe GEOSGetExteriorRing_r(handle, geometry) else { throw failure() }
        part.append(unsafe try points(exterior))
        for i in 0..<max(0, unsafe GEOSGetNumInteriorRings_r(handle, geometry)) {
          guard let hole = unsafe GEOSGetInteriorRingN_r(handle, geometry, i) else { throw failure() }
          part.append(unsafe try points(hole))
        }
        parts.append(part)
      } else if type >= Int32(GEOS_MULTIPOINT.rawValue) {
        for i in 0..<max(0, unsafe GEOSGetNumGeometries_r(handle, geometry)) {
          guard let member = unsafe GEOSGetGeometryN_r(handle, geometry, i) else { throw failure() }
          unsafe try collect(member, into: &parts)
        }
      }
    }

    private borrowing func points(_ ring: OpaquePointer) throws(PolygonError) -> [SIMD2<Double>] {
      var count: UInt32 = 0
      guard let sequence = unsafe GEOSGeom_getCoordSeq_r(handle, ring),
        unsafe GEOSCoordSeq_getSize_r(handle, sequence, &count) == 1
      else { throw failure() }
      var result = [SIMD2<Double>](repeating: SIMD2(), count: Int(count))
      let copied = unsafe result.withUnsafeMutableBytes { bytes in
        // SAFETY: room for `count` pairs of doubles.
        unsafe GEOSCoordSeq_copyToBuffer_r(
          handle, sequence, bytes.bindMemory(to: Double.self).baseAddress, 0, 0)
      }
      guard copied == 1 else { throw failure() }
      return result
    }
  }
#endif
