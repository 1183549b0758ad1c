internal import CVicinityKernels
internal import VicinityGeodesy

extension PolygonView {
  /// Whether a place lies outside the box of the region, by more than a centimetre; then the region cannot contain it.
  @inline(__always)
  func isOutsideBox(_ q: Vector3) -> Bool {
    let p = q - origin
    func bound(_ i: Int) -> Double {
      Double(
        Float(
          bitPattern: UInt32(littleEndian: load(PolygonLayout.Field.box + 4 * i, as: UInt32.self))))
    }
    let margin = 1e-2
    return p.x < bound(0) - margin || p.y < bound(1) - margin || p.z < bound(2) - margin
      || p.x > bound(3) + margin || p.y > bound(4) + margin || p.z > bound(5) + margin
  }

  /// The boundary distance of a position known to be outside: no side has to be told, so edges that share the
  /// nearest vertex need no comparison of angles, and a vertex no foot.
  ///
  /// - Returns: metres, never negative; infinite when it certainly exceeds `cutoff`.
  func outsideDistance(
    from position: Coordinate, ecef: ECEF, cutoff: Meters
  ) -> Meters {
    var search = OutsideSearch(view: self, position: position, ecef: ecef, cutoff: cutoff)
    search.run()
    return search.best
  }
}

/// One search for the distance to a boundary from outside the region.
@safe struct OutsideSearch {
  private let view: PolygonView
  private let layout: PolygonLayout
  private let position: Coordinate
  private let place: ECEF
  private let q: Vector3
  /// The position relative to the polygon's origin, and how far the rounding to `Float` may have moved it.
  private let local: SIMD3<Float>
  private let localError: Double

  /// The least distance found, metres.
  private(set) var best = Double.infinity
  /// The vertex last measured; another edge may end there too.
  private var vertex = Vector3(.infinity, 0, 0)
  /// No chord longer than this belongs to a geodesic that matters.
  private var chordLimit = Self.farthest
  private var boxLimit = Float(Self.farthest * Self.farthest)

  /// More than any chord, metres; its square is less than that of an absent box.
  private static let farthest = 1e9
  /// Beyond this, the nearest point of the chord and of the geodesic may be far enough apart to matter, metres.
  ///
  /// The azimuths of normal section and geodesic differ by at most e² (s/R)² / 12, and so do the slopes of chord and
  /// distance along the edge; the minimum is lower than the other's value by half the slope's square times s. At 900 km
  /// that is 0.06 mm.
  private static let sectionLimit: Meters = 900_000

  init(view: PolygonView, position: Coordinate, ecef: ECEF, cutoff: Meters) {
    self.view = view
    self.position = position
    place = ecef
    layout = view.layout
    q = Vector3(ecef)
    let relative = q - view.origin
    local = SIMD3(Float(relative.x), Float(relative.y), Float(relative.z))
    localError = relative.length * 0x1p-24
    if cutoff < 1e7 { limit(to: cutoff) }
  }

  mutating func run() {
    if layout.groupCount <= 1 {
      visit(group: 0)
    } else {
      descend(into: 0, level: layout.rootLevel)
    }
  }

  private mutating func limit(to distance: Meters) {
    chordLimit = min(Self.farthest, EdgeKernel.longestChord(of: distance + EdgeKernel.tie) + 1e-4)
    let limit = (chordLimit + localError) * (1 + 1e-6)
    boxLimit = Float(limit * limit).nextUp
  }

  /// Searches below a node, nearest child first; as deep as the tree has levels.
  private mutating func descend(into node: Int, level: Int) {
    let (offset, _) = layout.level(level)
    let childCount = level == 0 ? layout.groupCount : layout.level(level - 1).nodeCount
    var gaps = InlineArray<16, Float>(repeating: 0)
    var span = gaps.mutableSpan
    unsafe span.withUnsafeMutableBufferPointer { buffer in
      guard let gaps = buffer.baseAddress else { return }
      var least = unsafe vk_box_gaps(
        view.base + offset + node * PolygonLayout.nodeSize, local.x, local.y, local.z, gaps)
      while least <= boxLimit {
        let lane = Int(least.bitPattern & 15)
        let child = node * 16 + lane
        unsafe gaps[lane] = .greatestFiniteMagnitude
        // Lanes beyond the level's end are never followed, whatever their boxes say.
        if child < childCount {
          if level == 0 { visit(group: child) } else { descend(into: child, level: level - 1) }
        }
        least = unsafe vk_smallest16(gaps)
      }
    }
  }

  /// Eight edges at once by their chords; those that may be nearest, exactly.
  private mutating func visit(group: Int) {
    // SAFETY: columns are padded by at least one point, and start at multiples of 64 bytes.
    let x = unsafe (view.base + layout.xOffset + 64 * group).assumingMemoryBound(to: Double.self)
    let y = unsafe (view.base + layout.yOffset + 64 * group).assumingMemoryBound(to: Double.self)
    let z = unsafe (view.base + layout.zOffset + 64 * group).assumingMemoryBound(to: Double.self)
    let marks = view.load(layout.marksOffset + 8 * group, as: UInt64.self)
    let edges = min(8, layout.pointCount - 1 - 8 * group)
    var lanes = InlineArray<16, Double>(repeating: 0)
    var span = lanes.mutableSpan
    unsafe span.withUnsafeMutableBufferPointer { buffer in
      guard let fraction = buffer.baseAddress else { return }
      let squared = unsafe fraction + 8
      let longest = unsafe vk_edge_chords(x, y, z, q.x, q.y, q.z, fraction, squared)
      // The surface arc lies within the sagitta of its chord.
      let sagitta = 1.001 * longest / (8 * WGS84.minimumCurvatureRadius) + 1e-3
      // An absent edge counts as one already measured.
      var open = (UInt32(1) << UInt32(max(0, edges))) - 1
      var ends = UInt64(littleEndian: marks) & 0x0101_0101_0101_0101
      while ends != 0 {
        open &= ~(1 << UInt32(ends.trailingZeroBitCount / 8))
        ends &= ends - 1
      }
      while true {
        let limit = chordLimit + sagitta
        var least = limit * limit
        var lane = -1
        var rest = open
        while rest != 0 {
          let i = rest.trailingZeroBitCount
          rest &= rest - 1
          if unsafe squared[i] < least {
            least = unsafe squared[i]
            lane = i
          }
        }
        guard lane >= 0 else { return }
        open &= ~(1 << UInt32(lane))
        unsafe consider(
          fraction: fraction[lane], from: Vector3(x[lane], y[lane], z[lane]),
          to: Vector3(x[lane + 1], y[lane + 1], z[lane + 1]))
      }
    }
  }

  /// Measures one edge, whose chord is nearest at `t`.
  @inline(__always)
  private mutating func consider(fraction t: Double, from p1: Vector3, to p2: Vector3) {
    var distance: Meters
    if t <= 0 || t >= 1 {
      // The edge leads away from the vertex: its slope is that of the chord, and farther the same way.
      let end = t <= 0 ? p1 : p2
      guard (end - vertex).squaredLength > 1e-12 else { return }
      vertex = end
      distance = length(to: end)
    } else {
      distance = length(to: EdgeKernel.refined(t, of: q, from: p1, to: p2))
    }
    if !(distance < Self.sectionLimit) {
      // As far as that, only what may be nearer is worth PROJ's time. A vertex measured is no excuse for its
      // other edge.
      vertex = Vector3(.infinity, 0, 0)
      guard let foot = EdgeKernel.foot(of: q, at: position, from: p1, to: p2, limit: best) else { return }
      distance = foot.distance
    }
    guard distance < best else { return }
    best = distance
    limit(to: distance)
  }

  /// The geodesic distance to a point of the surface; infinite where only the authority knows.
  @inline(__always)
  private func length(to p: Vector3) -> Meters {
    let (distance, error) = Geodesic.certifiedDistance(from: place, to: ECEF(x: p.x, y: p.y, z: p.z))
    return error < .infinity ? distance : .infinity
  }
}
