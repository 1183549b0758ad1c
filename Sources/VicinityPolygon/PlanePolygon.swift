package import VicinityGeodesy

/// A polygon in a plane in which its edges are straight, such as that of a projected system: judged there,
/// and repaired if need be.
package struct PlanePolygon {
  /// Closed rings, each with the inside to its left: exteriors counterclockwise, holes clockwise.
  package let parts: [PlanarPart]
  /// The first fault that was repaired; `nil` when there was none.
  package let fault: PolygonError?

  /// - Parameters:
  ///   - given: rings of finite coordinates, closed or not, wound either way; the exterior first.
  ///   - coordinate: where a point of the plane lies, to tell the place of a fault.
  ///   - repair: makes parts of closed rings valid, `nil` where it cannot; without it faults are refused.
  /// - Throws: ``GeometryFault`` that says what ``PolygonError`` was not repaired, or why `coordinate`
  ///   failed.
  /// - Complexity: O(n log n), and that of `repair`.
  package init(
    _ given: [PlanarPart], at coordinate: (SIMD2<Double>) throws(GeometryFault) -> Coordinate,
    repair: ((_ parts: [PlanarPart]) throws(PolygonError) -> [PlanarPart]?)?
  ) throws(GeometryFault) {
    var dropped: PolygonError?
    var sound: [PlanarPart] = []
    for (i, part) in given.enumerated() {
      var rings: PlanarPart = []
      for (k, ring) in part.enumerated() {
        let closed = Self.closed(ring)
        // Two vertices and the first again, or fewer.
        let distinct = closed.count > 16 ? closed.count : Set(closed).count
        if distinct >= 3 {
          rings.append(closed)
          continue
        }
        let reason = PolygonError.tooFewVertices(distinct: distinct, .init(part: i, ring: k))
        guard repair != nil else { throw GeometryFault("\(reason)") }
        dropped = dropped ?? reason
        // A part without its exterior has no inside.
        if k == 0 { break }
      }
      if !rings.isEmpty { sound.append(rings) }
    }
    guard !sound.isEmpty else { throw GeometryFault("\(dropped ?? .empty)") }
    let count = sound.joined().reduce(0) { $0 + $1.count }
    guard count <= PlanarSweep.maximumCount else {
      throw GeometryFault("\(PolygonError.tooManyEdges(count: count, maximum: PlanarSweep.maximumCount))")
    }
    guard let found = PlanarSweep.fault(of: sound) else {
      parts = Self.wound(sound)
      fault = dropped
      return
    }
    let invalid = PolygonError.invalid(
      found.reason, .init(part: found.part, ring: found.ring), near: try coordinate(found.point))
    let valid: [PlanarPart]?
    do throws(PolygonError) { valid = try repair?(sound) } catch { throw GeometryFault("\(error)") }
    guard let valid, !valid.isEmpty else { throw GeometryFault("\(invalid)") }
    parts = Self.wound(valid)
    fault = dropped ?? invalid
  }

  /// Whether a point that is on no ring lies in a part, and in none of its holes.
  ///
  /// - Complexity: O(n)
  package func contains(_ point: SIMD2<Double>) -> Bool {
    var isInside = false
    for ring in parts.joined() {
      for (a, b) in zip(ring, ring.dropFirst()) where (a.y > point.y) != (b.y > point.y) {
        // To the right of the point.
        if (RobustOrientation.sign(a, b, point) > 0) == (b.y > a.y) { isInside.toggle() }
      }
    }
    return isInside
  }

  /// The ring without repeated vertices, the first at the end again.
  private static func closed(_ ring: [SIMD2<Double>]) -> [SIMD2<Double>] {
    var result: [SIMD2<Double>] = []
    result.reserveCapacity(ring.count + 1)
    for point in ring where result.last != point { result.append(point) }
    if let first = result.first, result.count > 1, result.last != first { result.append(first) }
    return result
  }

  private static func wound(_ parts: [PlanarPart]) -> [PlanarPart] {
    parts.map { part in
      part.enumerated().map { k, ring in
        isCounterclockwise(ring) == (k == 0) ? ring : ring.reversed()
      }
    }
  }

  /// Exact for closed rings that do not cross themselves: at the least vertex a ring turns as it is wound.
  private static func isCounterclockwise(_ ring: [SIMD2<Double>]) -> Bool {
    let count = ring.count - 1
    guard count > 2, var least = ring.indices.first else { return true }
    for i in 1..<count where PlanarRings.isBefore(ring[i], ring[least]) { least = i }
    return RobustOrientation.sign(ring[least == 0 ? count - 1 : least - 1], ring[least], ring[least + 1]) > 0
  }
}
