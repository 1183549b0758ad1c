package import VicinityGeodesy

/// A polygon read in place from its packed bytes: no copy, no allocation, no pointers among the bytes.
///
/// The bytes must have passed ``validate(_:)`` (or come from ``PolygonBlob``) and must stay where they are
/// while the view is used.
@safe @usableFromInline
package struct PolygonView {
  @usableFromInline let base: UnsafeRawPointer

  /// A view of validated bytes.
  ///
  /// SAFETY: `base` is aligned to 64 bytes and is the first of bytes that passed ``validate(_:)``, alive and
  /// unchanged while the view is.
  @unsafe
  @inlinable @inline(__always)
  package init(base: UnsafeRawPointer) {
    unsafe self.base = unsafe base
  }

  @inline(__always)
  func load<T: BitwiseCopyable>(_ offset: Int, as type: T.Type) -> T {
    // SAFETY: every caller's offset lies in the layout that validation compared with the length.
    unsafe base.loadUnaligned(fromByteOffset: offset, as: T.self)
  }

  @inline(__always)
  func double(_ offset: Int) -> Double {
    Double(bitPattern: UInt64(littleEndian: load(offset, as: UInt64.self)))
  }

  /// How many points the densified chains have together.
  package var pointCount: Int {
    Int(UInt32(littleEndian: load(PolygonLayout.Field.pointCount, as: UInt32.self)))
  }

  /// How many bytes the polygon takes: a multiple of 64.
  package var byteCount: Int { layout.byteCount }

  /// How many chains the boundary consists of.
  package var chainCount: Int {
    Int(UInt32(littleEndian: load(PolygonLayout.Field.chainCount, as: UInt32.self)))
  }

  /// How many vertices the chains have together, the repeated closing ones included.
  package var vertexCount: Int {
    Int(UInt32(littleEndian: load(PolygonLayout.Field.vertexCount, as: UInt32.self)))
  }

  /// How many geodesic edges the boundary has.
  package var edgeCount: Int { vertexCount - chainCount }

  /// The centre of a circle around the region.
  package var boundingCenter: Coordinate {
    Coordinate(
      latitude: double(PolygonLayout.Field.centerLatitude),
      longitude: double(PolygonLayout.Field.centerLongitude))
  }

  /// The geodesic radius of that circle, metres, rounded up; see ``Polygon/boundingRadius``.
  package var boundingRadius: Meters { double(PolygonLayout.Field.radius) }

  @inline(__always)
  var layout: PolygonLayout { PolygonLayout(pointCount: pointCount) }

  @inline(__always)
  var flags: UInt32 { UInt32(littleEndian: load(PolygonLayout.Field.flags, as: UInt32.self)) }

  @inline(__always)
  var origin: Vector3 {
    Vector3(
      double(PolygonLayout.Field.originX), double(PolygonLayout.Field.originY),
      double(PolygonLayout.Field.originZ))
  }

  @inline(__always)
  func float(_ offset: Int) -> Float {
    Float(bitPattern: UInt32(littleEndian: load(offset, as: UInt32.self)))
  }

  /// The place of one of the seventeen points of a group that starts at byte `group`.
  @inline(__always)
  func place(group: Int, lane: Int, origin: Vector3) -> Vector3 {
    typealias Group = PolygonLayout.Group
    let step = Double(float(group + Group.step))
    func component(_ axis: Int, _ origin: Double) -> Double {
      let steps = Int16(
        littleEndian: load(group + Group.rows + axis * Group.rowSize + 2 * lane, as: Int16.self))
      let remainder = Int32(
        littleEndian: load(group + Group.remainders + 12 * lane + 4 * axis, as: Int32.self))
      return (Double(steps) * step + Double(remainder) * PolygonLayout.remainderUnit)
        + Double(float(group + Group.center + 4 * axis)) + origin
    }
    return Vector3(component(0, origin.x), component(1, origin.y), component(2, origin.z))
  }

  @inline(__always)
  func center(group: Int, origin: Vector3) -> Vector3 {
    let first = group + PolygonLayout.Group.center
    return origin + Vector3(Double(float(first)), Double(float(first + 4)), Double(float(first + 8)))
  }

  func place(of point: Int, _ layout: PolygonLayout) -> Vector3 {
    let (group, lane) = layout.slot(of: point)
    return place(
      group: layout.groupsOffset + group * PolygonLayout.groupSize, lane: lane, origin: origin)
  }

  /// Whether one of the first sixteen points of a group that starts at byte `group` ends a chain.
  @inline(__always)
  func endsChain(group: Int, lane: Int) -> Bool {
    UInt16(littleEndian: load(group + PolygonLayout.Group.absent, as: UInt16.self)) >> UInt16(lane) & 1 != 0
  }

  func marks(of point: Int, _ layout: PolygonLayout) -> UInt8 {
    let (group, lane) = layout.slot(of: point)
    // The last point of all ends a chain, and a chain ends at a vertex.
    guard lane < PolygonLayout.groupWidth else {
      return PolygonLayout.endsChainMark | PolygonLayout.vertexMark
    }
    let offset = layout.groupsOffset + group * PolygonLayout.groupSize
    return load(offset + PolygonLayout.Group.marks + lane, as: UInt8.self)
      | (endsChain(group: offset, lane: lane) ? PolygonLayout.endsChainMark : 0)
  }

  func coordinate(of point: Int, _ layout: PolygonLayout) -> Coordinate {
    let offset = layout.coordinatesOffset + 16 * point
    return Coordinate(latitude: double(offset), longitude: double(offset + 8))
  }

  /// The boundary as oriented chains of vertices, the interior on the left; closed ones repeat their first
  /// vertex at the end.
  ///
  /// - Complexity: O(n)
  package var chains: [[Coordinate]] {
    let layout = layout
    var result: [[Coordinate]] = []
    result.reserveCapacity(min(chainCount, layout.pointCount))
    var chain: [Coordinate] = []
    for i in 0..<layout.pointCount {
      let marks = marks(of: i, layout)
      if marks & PolygonLayout.vertexMark != 0 { chain.append(coordinate(of: i, layout)) }
      if marks & PolygonLayout.endsChainMark != 0 {
        result.append(chain)
        chain = []
      }
    }
    return result
  }
}

/// The boundary point nearest to a position.
package struct BoundaryPoint: Hashable, Sendable {
  /// Signed boundary distance, metres: negative inside.
  package var signedDistance: Meters
  /// The piece of edge that bears it: between densified points `piece` and `piece + 1`.
  package var piece: Int
  /// Where along that piece it lies, 0...1.
  package var fraction: Double
}

extension PolygonView {
  /// The signed distance where there is no boundary: minus half a meridian, the greatest geodesic distance
  /// on WGS84 (PROJ: pole to pole).
  package static let wholeEarthDistance: Meters = -20_003_931.458625447

  /// Signed geodesic distance from `position` to the boundary, metres: negative inside.
  ///
  /// Within 0.1 mm of the reference (``bruteForceSignedBoundaryDistance(from:)``). Beyond `cutoff` outside
  /// the region any value above `cutoff` and not above the true distance may be returned.
  ///
  /// - Precondition: `position` is valid and `ecef` its place.
  /// - Complexity: O(log n) boxes for boundaries that do not double back on themselves; O(n) at worst.
  package func signedBoundaryDistance(
    from position: Coordinate, ecef: ECEF, cutoff: Meters = .infinity
  ) -> Meters {
    if (Vector3(ecef) - origin).length - boundingRadius > Double(FarBoundary.nearest) {
      let limit = ClosestPointBatch.limit(cutoff)
      var boundary = FarBoundary(self, from: position, ecef, cutoff: limit)
      if boundary.measure() { return min(boundary.best, limit) }
    }
    return withTraversal(from: ecef, limit: OutsideMeasure.chordLimit(cutoff: cutoff)) {
      $0.isOutside
        ? outsideDistance(from: position, ecef: ecef, $0, cutoff: cutoff)
        : insideDistance(from: position, ecef: ecef, $0)
    }
  }

  /// The signed boundary distance of a position that may lie inside, metres.
  package func insideDistance(
    from position: Coordinate, ecef: ECEF, _ traversal: PolygonTraversal
  ) -> Meters {
    nearestBoundaryPoint(to: position, ecef: ecef, traversal)?.signedDistance ?? Self.wholeEarthDistance
  }

  /// Whether `position` lies in the region or on its boundary.
  package func contains(_ position: Coordinate, ecef: ECEF) -> Bool {
    signedBoundaryDistance(from: position, ecef: ecef, cutoff: 0) <= 0
  }

  /// The coordinate of a boundary point found by ``nearestBoundaryPoint(to:ecef:)``.
  package func coordinate(of point: BoundaryPoint) -> Coordinate {
    let layout = layout
    guard point.piece >= 0, point.piece + 1 < layout.pointCount else { return boundingCenter }
    if point.fraction <= 0 { return coordinate(of: point.piece, layout) }
    if point.fraction >= 1 { return coordinate(of: point.piece + 1, layout) }
    let p1 = place(of: point.piece, layout)
    let p2 = place(of: point.piece + 1, layout)
    return EdgeKernel.Surface(lifting: p1 + point.fraction * (p2 - p1)).coordinate
  }
}
