internal import VicinityGeodesy

/// The side of a position by counting crossings, where the direction of the boundary's edges may mislead
/// (``AmbiguousEdges``).
///
/// A spike that is narrower than the distance between split edges and the straight line crosses itself:
/// between two crossings the interior lies on the right. Counting does not depend on directions.
extension PolygonView {
  /// The point to which crossings are counted: the antipode of the bounding centre, which lies outside; where
  /// no circle bounds the region, a point in the South Pacific far from every coast.
  var reference: Vector3 {
    isUnbounded
      ? Vector3(unchecked: Self.openReference) : -1 * Vector3(unchecked: boundingCenter)
  }

  static let openReference = Coordinate(latitude: -48.8767, longitude: -123.3933)

  var isUnbounded: Bool { flags & PolygonLayout.unboundedFlag != 0 }

  /// Whether the reference lies in the region.
  var holdsReference: Bool {
    flags & PolygonLayout.holdsReferenceFlag != 0
  }

  /// Whether a position `distance` metres from the boundary lies inside, whatever the boundary's directions.
  ///
  /// - Complexity: O(n), one product for sixteen edges and a few for those near the path; O(n) solutions by
  ///   the reference within ``parityMargin`` of the boundary.
  @inline(never)
  func isInside(_ position: Coordinate, _ q: Vector3, distance: Meters) -> Bool {
    if !isUnbounded, (q - Vector3(unchecked: boundingCenter)).length > boundingRadius { return false }
    if distance < Self.parityMargin { return bruteForceContains(position) }
    return isDivided(fromReference: q) != holdsReference
  }

  /// Positions nearer to the boundary than this are decided by the reference, metres.
  ///
  /// Counting treats edges as plane sections through the Earth's centre. Between points 16 km apart these lie
  /// within 1.7 cm of the geodesic (sagitta 5.03 m, times the angle between the geocentric and the geodetic
  /// normal, at most 0.1925°), so positions farther off are on the same side of both.
  static let parityMargin: Meters = 0.1

  /// Whether an odd number of edges crosses the central section from `q` to the reference.
  ///
  /// - Parameter excluded: an edge that is not counted.
  func isDivided(fromReference q: Vector3, excluding excluded: Int = -1) -> Bool {
    let layout = layout
    var end = reference
    var n = q.cross(end)
    if n.length < 1e-9 * q.length * end.length, q.dot(end) < 0 {
      // From within millimetres of the antipode any path serves.
      n = q.cross(abs(q.z) < 0.7 * q.length ? Vector3(0, 0, 1) : Vector3(1, 0, 0))
      end = q
    }
    // Along the path from q, as seen from the centre: 0 <= the angle < the angle to the end.
    let ahead = n.cross(q)
    let before = end == q ? ahead : end.cross(n)
    var isOdd = false
    let origin = origin
    let largest = max(abs(n.x), abs(n.y), abs(n.z))
    for group in 0..<layout.groupCount {
      let offset = layout.groupsOffset + group * PolygonLayout.groupSize
      // Groups that lie wholly on one side.
      let size = Double(float(offset + PolygonLayout.Group.size)) * (1 + 1e-6) + 1e-6
      if abs(n.dot(center(group: offset, origin: origin))) > largest * size { continue }
      let first = group * PolygonLayout.groupWidth
      let edges = min(PolygonLayout.groupWidth, layout.pointCount - 1 - first)
      var p1 = place(group: offset, lane: 0, origin: origin)
      var d1 = n.dot(p1)
      for lane in 0..<max(0, edges) {
        let p2 = place(group: offset, lane: lane + 1, origin: origin)
        let d2 = n.dot(p2)
        defer { (p1, d1) = (p2, d2) }
        guard (d1 < 0) != (d2 < 0), first + lane != excluded,
          !endsChain(group: offset, lane: lane)
        else { continue }
        let x = abs(d2) * p1 + abs(d1) * p2
        if ahead.dot(x) > 0, before.dot(x) > 0 { isOdd.toggle() }
      }
    }
    return isOdd
  }
}
