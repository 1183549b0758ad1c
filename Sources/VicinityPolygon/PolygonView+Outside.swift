internal import CVicinityKernels
package import VicinityGeodesy

extension PolygonView {
  /// The boundary distance of a position known to be outside. The side is known, so edges that share the
  /// nearest vertex need no comparison of angles, and vertices are measured as points.
  ///
  /// - Returns: metres, never negative; any value between `cutoff` and the distance where that exceeds
  ///   `cutoff`.
  func outsideDistance(
    from position: Coordinate, ecef: ECEF, _ traversal: PolygonTraversal, cutoff: Meters
  ) -> Meters {
    unsafe withUnsafeTemporaryAllocation(of: vk_closest_point_batch.self, capacity: 1) { buffer in
      // SAFETY: the buffer has room for one, so it has an address.
      let batch = unsafe ClosestPointBatch(buffer.baseAddress.unsafelyUnwrapped)
      batch.begin(0)
      collect(from: position, ecef: ecef, traversal, cutoff: cutoff, batch, owner: 0)
      batch.measure(from: ecef)
      return batch.distance(0, cutoff: cutoff)
    }
  }

  /// Collects the edges that may be nearest to a position known to be outside, and measures far ones.
  @inline(__always)
  package func collect(
    from position: Coordinate, ecef: ECEF, _ traversal: PolygonTraversal, cutoff: Meters,
    _ batch: ClosestPointBatch, owner: Int
  ) {
    guard cutoff >= 0 else { return }
    guard traversal.isNear else {
      return collectFar(from: position, ecef: ecef, traversal, cutoff: cutoff, batch, owner: owner)
    }
    traversal.limit(to: cutoff)
    traversal.measure {
      batch.add($0, of: self, owner, from: ecef)
      return .infinity
    }
  }

  /// ``collect(from:ecef:_:cutoff:_:owner:)`` where some of the edges may be far.
  @inline(never)
  private func collectFar(
    from position: Coordinate, ecef: ECEF, _ traversal: PolygonTraversal, cutoff: Meters,
    _ batch: ClosestPointBatch, owner: Int
  ) {
    var outside = OutsideMeasure(
      view: self, position: position, ecef: ecef, cutoff: cutoff, batch, owner: owner)
    traversal.limit(to: outside.chordLimit)
    traversal.measure {
      outside.measure($0)
      return outside.chordLimit
    }
    batch.offer(outside.best, owner)
  }
}

/// Measures far edges from outside the region, and collects near ones in a batch.
struct OutsideMeasure {
  private let view: PolygonView
  private let position: Coordinate
  private let place: ECEF

  /// The least distance found, metres.
  private(set) var best = Double.infinity
  /// The vertex last measured; another edge may end there too.
  private var vertex = Vector3(.infinity, 0, 0)
  private(set) var chordLimit: Double
  private let batch: ClosestPointBatch
  private let owner: Int

  /// Beyond this, the nearest point of the chord and of the geodesic may be far enough apart to matter,
  /// metres.
  ///
  /// The azimuths of normal section and geodesic differ by at most e² (s/R)² / 12, and so do the slopes of
  /// chord and distance along the edge; the minimum is lower than the other's value by half the slope's
  /// square times s. At 900 km that is 0.06 mm.
  private static let sectionLimit: Meters = 900_000

  @inline(__always)
  init(
    view: PolygonView, position: Coordinate, ecef: ECEF, cutoff: Meters, _ batch: ClosestPointBatch,
    owner: Int
  ) {
    self.view = view
    self.position = position
    place = ecef
    chordLimit = Self.chordLimit(cutoff: cutoff)
    self.batch = batch
    self.owner = owner
  }

  /// The longest chord that matters where distances beyond a cutoff do not, metres.
  @inline(__always)
  static func chordLimit(cutoff: Meters) -> Double {
    cutoff < 1e7 ? limit(ClosestPointBatch.limit(cutoff)) : .infinity
  }

  @inline(__always)
  private static func limit(_ distance: Meters) -> Double {
    EdgeKernel.longestChord(of: distance + EdgeKernel.tie) + 1e-4
  }

  @inline(__always)
  mutating func measure(_ candidates: EdgeCandidates) {
    if candidates.lower < VK_NEAR_EDGES {
      batch.add(candidates, of: view, owner, from: place)
    } else {
      measureFar(candidates)
    }
  }

  @inline(never)
  private mutating func measureFar(_ candidates: EdgeCandidates) {
    var lanes = candidates.lanes
    let starts = candidates.ends & 0xFFFF
    let stops = candidates.ends >> 16
    let offset = view.offset(ofGroup: candidates.group)
    let origin = view.origin
    let isNear = candidates.lower < Float(Self.vertexLimit)
    while lanes != 0 {
      let lane = lanes.trailingZeroBitCount
      let bit = lanes & (~lanes &+ 1)
      lanes ^= bit
      let p1 = view.place(group: offset, lane: lane, origin: origin)
      let p2 = view.place(group: offset, lane: lane &+ 1, origin: origin)
      if isNear, starts & bit != 0, leadsAway(from: p1, to: p2) {
        consider(vertex: p1)
      } else if isNear, stops & bit != 0, leadsAway(from: p2, to: p1) {
        consider(vertex: p2)
      } else {
        considerFar(from: p1, to: p2)
      }
    }
  }

  /// Beyond this, ``leadsAway(from:to:)`` does not hold, metres.
  private static let vertexLimit: Meters = 3_000_000

  /// Whether all of an edge is farther away than its end `p1`, and more so the farther along.
  ///
  /// Distance along an edge is convex to 9000 km, so it is enough that it grows at the end. Its slope there
  /// is the cosine of the angle between the edge and the geodesic from the position. That of the chords is
  /// less where it is positive: the position's chord rises above the horizon there, and the edge's dips
  /// below. Only the azimuths of normal section and geodesic may differ to the other side, by e² (s/R)² / 12,
  /// to 3500 km 1.7e-4.
  @inline(__always)
  private func leadsAway(from p1: Vector3, to p2: Vector3) -> Bool {
    let e = p2 - p1
    let w = p1 - Vector3(place)
    let slope = w.dot(e)
    return slope > 0 && slope * slope > 1e-6 * w.squaredLength * e.squaredLength
  }

  /// Measures an end of edges that lead away from it, once for all edges that share it.
  @inline(__always)
  private mutating func consider(vertex: Vector3) {
    guard (vertex - self.vertex).squaredLength > 1e-12 else { return }
    self.vertex = vertex
    take(length(to: vertex))
  }

  /// Measures one edge so far away that chords do not tell its nearest point.
  private mutating func considerFar(from p1: Vector3, to p2: Vector3) {
    let q = Vector3(place)
    let (surface, t) = EdgeKernel.closestPoint(to: q, from: p1, to: p2)
    let distance = length(to: surface.point)
    if distance < Self.sectionLimit { return take(distance) }
    // To 3000 km the nearest point is 2.3 cm nearer at most.
    if distance < 3_000_000, distance - 0.05 > best { return }
    if distance < 0.99 * EdgeKernel.convexLimit,
      let near = EdgeKernel.farDistance(from: place, from: p1, to: p2, near: t)
    {
      return take(near)
    }
    if let foot = EdgeKernel.foot(of: q, at: position, from: p1, to: p2, limit: best) { take(foot.distance) }
  }

  @inline(__always)
  private mutating func take(_ distance: Meters) {
    guard distance < best else { return }
    best = distance
    chordLimit = Self.limit(distance)
  }

  /// The geodesic distance to a point of the surface, metres; infinite near the antipode, where only the
  /// reference is exact.
  @inline(__always)
  private func length(to p: Vector3) -> Meters {
    let (dx, dy, dz) = (p.x - place.x, p.y - place.y, p.z - place.z)
    // To 0.1 mm at most, ten times better than promised.
    if dx * dx + dy * dy + dz * dz <= ChordSeries.maximumChord * ChordSeries.maximumChord {
      return ChordSeries.distance(dx: dx, dy: dy, dz: dz, zSum: p.z + place.z)
    }
    let distance = GeodesicSolver.nearDistance(from: place, to: ECEF(x: p.x, y: p.y, z: p.z))
    return distance.isNaN ? .infinity : distance
  }
}
