internal import CVicinityKernels
internal import VicinityGeodesy

extension PolygonView {
  /// The boundary distance of a position known to be outside: no side has to be told, so edges that share the
  /// nearest vertex need no comparison of angles, and a vertex no foot.
  ///
  /// - Returns: metres, never negative; any value between `cutoff` and the distance where that exceeds `cutoff`.
  @inline(__always)
  func outsideDistance(
    from position: Coordinate, ecef: ECEF, _ frame: SearchFrame, cutoff: Meters
  ) -> Meters {
    outsideDistance(from: position, ecef: ecef, frame, cutoff: cutoff) { $0.run() }
  }

  /// The same when the gaps of the root's boxes have been found by ``approach(_:_:)``; they are not kept.
  func outsideDistance(
    from position: Coordinate, ecef: ECEF, _ frame: SearchFrame, rootGaps: UnsafeMutablePointer<Float>,
    least: Float, cutoff: Meters
  ) -> Meters {
    outsideDistance(from: position, ecef: ecef, frame, cutoff: cutoff) {
      unsafe $0.run(rootGaps: rootGaps, least: least)
    }
  }

  @inline(__always)
  private func outsideDistance(
    from position: Coordinate, ecef: ECEF, _ frame: SearchFrame, cutoff: Meters,
    _ run: (inout BoundarySearch<OutsideMeasure>) -> Void
  ) -> Meters {
    guard cutoff >= 0 else { return 0 }
    // So much beyond the cutoff that single precision sees it.
    let limit = cutoff * (1 + 1e-6) + 1e-3
    var search = BoundarySearch(
      view: self, frame: frame,
      measure: OutsideMeasure(view: self, position: position, ecef: ecef, cutoff: limit))
    run(&search)
    return min(limit, search.measure.best)
  }

  /// A position's squared gaps to the boxes of the root, as `vk_box_gaps` has them, and the smallest of them; for a
  /// single group, to the box of the polygon.
  @inline(__always)
  func rootGaps(
    _ frame: SearchFrame, _ layout: PolygonLayout, _ gaps: UnsafeMutablePointer<Float>
  ) -> Float {
    guard layout.groupCount > 1 else {
      let gap = max(0, frame.gap)
      return gap * gap
    }
    let level = layout.rootLevel
    let childCount = level == 0 ? layout.groupCount : layout.nodeCount(level &- 1)
    // SAFETY: the root lies in the header.
    return unsafe withUnsafePointer(to: frame.boxes) { boxes in
      unsafe vk_box_gaps(
        base + PolygonLayout.rootOffset, boxes, Int32(truncatingIfNeeded: min(16, childCount)), gaps)
    }
  }

  /// Asks for the bytes of the root's child with the smallest gap.
  @inline(__always)
  func prefetchNearest(_ least: Float, _ layout: PolygonLayout) {
    let level = layout.rootLevel
    let lane = layout.groupCount > 1 ? Int(least.bitPattern & 15) : 0
    let offset =
      level == 0
      ? PolygonLayout.nodesOffset &+ lane &* PolygonLayout.groupSize
      : PolygonLayout.nodesOffset &+ lane &* PolygonLayout.nodeSize
    unsafe vk_prefetch(
      base + offset, Int32(level == 0 ? PolygonLayout.groupSize : PolygonLayout.nodeSize))
  }

  /// Asks for the bytes of the nearest grandchild, through the root's child with the smallest gap.
  func prefetchBelow(_ least: Float, _ frame: SearchFrame, _ layout: PolygonLayout) {
    let level = layout.rootLevel &- 1
    let node = Int(least.bitPattern & 15)
    let childCount = level == 0 ? layout.groupCount : layout.nodeCount(level &- 1)
    let present = min(16, childCount &- node &* 16)
    guard present > 0 else { return }
    var gaps = InlineArray<16, Float>(repeating: 0)
    var span = gaps.mutableSpan
    let lane = unsafe span.withUnsafeMutableBufferPointer { buffer in
      guard let gaps = buffer.baseAddress else { return 0 }
      // SAFETY: nodes of all levels lie in the layout that validation compared with the length.
      let nearest = unsafe withUnsafePointer(to: frame.boxes) { boxes in
        unsafe vk_box_gaps(
          base + (PolygonLayout.nodesOffset &+ node &* PolygonLayout.nodeSize), boxes,
          Int32(truncatingIfNeeded: present), gaps)
      }
      return Int(nearest.bitPattern & 15)
    }
    let child = node &* 16 &+ lane
    let offset =
      level == 0
      ? layout.groupsOffset &+ child &* PolygonLayout.groupSize
      : layout.nodeOffset(level &- 1) &+ child &* PolygonLayout.nodeSize
    unsafe vk_prefetch(
      base + offset, Int32(level == 0 ? PolygonLayout.groupSize : PolygonLayout.nodeSize))
  }
}

/// Measures edges from outside the region.
struct OutsideMeasure: EdgeMeasure {
  private let view: PolygonView
  private let position: Coordinate
  private let place: ECEF

  /// The least distance found, metres.
  private(set) var best = Double.infinity
  /// The vertex last measured; another edge may end there too.
  private var vertex = Vector3(.infinity, 0, 0)
  private(set) var chordLimit: Double

  /// Beyond this, the nearest point of the chord and of the geodesic may be far enough apart to matter, metres.
  ///
  /// The azimuths of normal section and geodesic differ by at most e² (s/R)² / 12, and so do the slopes of chord and
  /// distance along the edge; the minimum is lower than the other's value by half the slope's square times s. At 900 km
  /// that is 0.06 mm.
  private static let sectionLimit: Meters = 900_000

  @inline(__always)
  init(view: PolygonView, position: Coordinate, ecef: ECEF, cutoff: Meters) {
    self.view = view
    self.position = position
    place = ecef
    chordLimit = cutoff < 1e7 ? Self.limit(cutoff) : .infinity
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
    let origin = view.origin
    guard candidates.lowerBound < 0.9 * Float(Self.sectionLimit) else {
      while lanes != 0 {
        let lane = lanes.trailingZeroBitCount
        lanes &= lanes &- 1
        considerFar(
          from: view.place(group: offset, lane: lane, origin: origin),
          to: view.place(group: offset, lane: lane &+ 1, origin: origin))
      }
      return
    }
    // An edge's start is measured already where it is the end of a candidate before it.
    lanes &= ~((lanes & stops) &<< 1 & starts)
    while lanes != 0 {
      let lane = lanes.trailingZeroBitCount
      let bit = lanes & (~lanes &+ 1)
      lanes ^= bit
      // Single precision tells an end from the rest of its edge to within what makes no difference: the foot is then
      // a millionth of the distance from it at most.
      if starts & bit != 0 {
        consider(vertex: view.place(group: offset, lane: lane, origin: origin))
      } else if stops & bit != 0 {
        consider(vertex: view.place(group: offset, lane: lane &+ 1, origin: origin))
      } else {
        consider(
          from: view.place(group: offset, lane: lane, origin: origin),
          to: view.place(group: offset, lane: lane &+ 1, origin: origin))
      }
    }
  }

  /// Measures an end of edges that lead away from it: their slopes are those of the chords, and farther the same way.
  @inline(__always)
  private mutating func consider(vertex: Vector3) {
    guard (vertex - self.vertex).squaredLength > 1e-12 else { return }
    self.vertex = vertex
    take(length(to: vertex))
  }

  /// Measures one edge.
  @inline(__always)
  private mutating func consider(from p1: Vector3, to p2: Vector3) {
    let q = Vector3(place)
    let e = p2 - p1
    let ee = e.squaredLength
    let t = ee > 0 ? max(0, min(1, (q - p1).dot(e) / ee)) : 0
    take(length(to: EdgeKernel.refined(t, of: q, from: p1, to: p2)))
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
    if dx * dx + dy * dy + dz * dz <= ChordSeries.submicronChord * ChordSeries.submicronChord {
      return ChordSeries.distance(dx: dx, dy: dy, dz: dz, zSum: p.z + place.z)
    }
    let distance = FastInverse.distance(from: place, to: ECEF(x: p.x, y: p.y, z: p.z))
    return distance.isNaN ? .infinity : distance
  }
}
