internal import CVicinityKernels
internal import VicinityGeodesy

extension PolygonView {
  /// The boundary distance of a position known to be outside: no side has to be told, so edges that share the
  /// nearest vertex need no comparison of angles, and a vertex no foot.
  ///
  /// - Returns: metres, never negative; any value between `cutoff` and the distance where that exceeds `cutoff`.
  func outsideDistance(
    from position: Coordinate, ecef: ECEF, _ frame: SearchFrame, cutoff: Meters
  ) -> Meters {
    unsafe withUnsafeTemporaryAllocation(of: vk_feet.self, capacity: 1) { buffer in
      // SAFETY: the buffer has room for one, so it has an address.
      let feet = unsafe Feet(buffer.baseAddress.unsafelyUnwrapped)
      feet.begin(0)
      searchOutside(from: position, ecef: ecef, frame, cutoff: cutoff, feet, owner: 0) { $0.run() }
      feet.measure(from: ecef)
      return feet.distance(0, cutoff: cutoff)
    }
  }

  /// Collects the edges that may be nearest to a position known to be outside.
  @inline(__always)
  func searchOutside(
    from position: Coordinate, ecef: ECEF, _ frame: SearchFrame, cutoff: Meters, _ feet: Feet, owner: Int,
    _ run: (inout BoundarySearch<OutsideMeasure>) -> Void
  ) {
    guard cutoff >= 0 else { return }
    var search = BoundarySearch(
      view: self, frame: frame,
      measure: OutsideMeasure(
        view: self, position: position, ecef: ecef, cutoff: Feet.limit(cutoff), feet, owner: owner))
    run(&search)
    feet.take(search.measure.best, owner)
  }

  /// Collects near edges that may be nearest to a position known to be outside.
  @inline(__always)
  func collect(
    _ candidates: EdgeCandidates, from place: ECEF, _ feet: Feet, owner: Int
  ) {
    let layout = layout
    let group = Int(candidates.group)
    // Beyond the last edge there are copies of its end.
    let edges = min(
      PolygonLayout.groupWidth, layout.pointCount &- 1 &- group &* PolygonLayout.groupWidth)
    OutsideMeasure.collect(
      candidates, lanes: candidates.lanes & ((1 &<< UInt32(truncatingIfNeeded: edges)) &- 1),
      at: layout.groupsOffset &+ group &* PolygonLayout.groupSize, of: self, from: place, feet, owner: owner)
  }
}

/// Measures far edges from outside the region, and collects near ones.
struct OutsideMeasure: EdgeMeasure {
  private let view: PolygonView
  private let position: Coordinate
  private let place: ECEF

  /// The least distance found, metres.
  private(set) var best = Double.infinity
  /// The vertex last measured; another edge may end there too.
  private var vertex = Vector3(.infinity, 0, 0)
  private(set) var chordLimit: Double
  private let feet: Feet
  private let owner: Int

  /// Beyond this, the nearest point of the chord and of the geodesic may be far enough apart to matter, metres.
  ///
  /// The azimuths of normal section and geodesic differ by at most e² (s/R)² / 12, and so do the slopes of chord and
  /// distance along the edge; the minimum is lower than the other's value by half the slope's square times s. At 900 km
  /// that is 0.06 mm.
  private static let sectionLimit: Meters = 900_000

  @inline(__always)
  init(
    view: PolygonView, position: Coordinate, ecef: ECEF, cutoff: Meters, _ feet: Feet, owner: Int
  ) {
    self.view = view
    self.position = position
    place = ecef
    chordLimit = cutoff < 1e7 ? Self.limit(cutoff) : .infinity
    self.feet = feet
    self.owner = owner
  }

  @inline(__always)
  private static func limit(_ distance: Meters) -> Double {
    EdgeKernel.longestChord(of: distance + EdgeKernel.tie) + 1e-4
  }

  @inline(__always)
  mutating func measure(_ candidates: EdgeCandidates, lanes: UInt32, at offset: Int) {
    var lanes = lanes
    let starts = candidates.ends & 0xFFFF
    let stops = candidates.ends >> 16
    guard Self.isNear(candidates) else {
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
      return
    }
    Self.collect(candidates, lanes: lanes, at: offset, of: view, from: place, feet, owner: owner)
  }

  /// Whether edges are so near that they are measured together (``Feet``).
  @inline(__always)
  static func isNear(_ candidates: EdgeCandidates) -> Bool {
    candidates.lower < VK_NEAR_EDGES
  }

  /// Collects near edges.
  @inline(__always)
  static func collect(
    _ candidates: EdgeCandidates, lanes: UInt32, at offset: Int, of view: PolygonView, from place: ECEF,
    _ feet: Feet, owner: Int
  ) {
    feet.add(lanes, candidates.ends, of: view, at: offset, owner, of: place)
  }

  /// Beyond this, ends are not told from the rest of their edges by ``leadsAway(from:to:)``, metres.
  private static let vertexLimit: Meters = 3_000_000

  /// Whether all of an edge is farther away than its end `p1`, and more so the farther along.
  ///
  /// Distance along an edge is convex to 9000 km, so it is enough that it grows at the end. Its slope there is the cosine
  /// of the angle between the edge and the geodesic from the position. That of the chords is less where it is positive:
  /// the position's chord rises above the horizon there, and the edge's dips below. Only the azimuths of normal section and
  /// geodesic may differ to the other side, by e² (s/R)² / 12, to 3500 km 1.7e-4.
  @inline(__always)
  private func leadsAway(from p1: Vector3, to p2: Vector3) -> Bool {
    let e = p2 - p1
    let w = p1 - Vector3(place)
    let slope = w.dot(e)
    return slope > 0 && slope * slope > 1e-6 * w.squaredLength * e.squaredLength
  }

  /// Measures an end of edges that lead away from it: their slopes are those of the chords, and farther the same way.
  @inline(__always)
  private mutating func consider(vertex: Vector3) {
    guard (vertex - self.vertex).squaredLength > 1e-12 else { return }
    self.vertex = vertex
    take(length(to: vertex))
  }

  /// Measures one edge so far away that chords do not tell its nearest point.
  @inline(never)
  private mutating func considerFar(from p1: Vector3, to p2: Vector3) {
    let q = Vector3(place)
    let e = p2 - p1
    let ee = e.squaredLength
    let t = ee > 0 ? max(0, min(1, (q - p1).dot(e) / ee)) : 0
    let distance = length(to: EdgeKernel.refined(t, of: q, from: p1, to: p2))
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

  /// The geodesic distance to a point of the surface; infinite where only the authority knows.
  @inline(__always)
  private func length(to p: Vector3) -> Meters {
    let (dx, dy, dz) = (p.x - place.x, p.y - place.y, p.z - place.z)
    // To 0.1 mm at most, ten times better than promised.
    if dx * dx + dy * dy + dz * dz <= ChordSeries.maximumChord * ChordSeries.maximumChord {
      return ChordSeries.distance(dx: dx, dy: dy, dz: dz, zSum: p.z + place.z)
    }
    let distance = FastInverse.distance(from: place, to: ECEF(x: p.x, y: p.y, z: p.z))
    return distance.isNaN ? .infinity : distance
  }
}
