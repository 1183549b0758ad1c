package import VicinityGeodesy

extension PolygonView {
  /// The nearest boundary point, with the signed distance; `nil` where there is no boundary.
  ///
  /// Depth-first over the box tree, nearest child first, with a stack of fixed size and no allocation. A box
  /// is passed over only when its chord exceeds the longest chord of a geodesic as long as the best
  /// found. The sign is the side of the nearest edge; where that is a vertex shared by several edges, of
  /// the one at the smallest angle to the position. Where packing found that an edge's direction does not tell the
  /// side (``DoubtfulEdges``), crossings are counted.
  package func nearestBoundaryPoint(to position: Coordinate, ecef: ECEF) -> BoundaryPoint? {
    guard pointCount > 0 else { return nil }
    var search = BoundarySearch(view: self, position: position, ecef: ecef)
    search.run()
    var result = search.result
    if search.isDoubtful {
      let distance = abs(result.signedDistance)
      result.signedDistance =
        isInside(position, Vector3(ecef), distance: distance) ? -distance : distance
    }
    return result
  }
}

/// One search for the nearest boundary point.
struct BoundarySearch {
  private let view: PolygonView
  private let layout: PolygonLayout
  private let position: Coordinate
  private let q: Vector3
  /// The position relative to the polygon's origin, and how far the rounding to `Float` may have moved it.
  private let local: SIMD3<Float>
  private let localError: Double

  private var best = EdgeFoot(distance: .infinity, side: 0, fraction: 0)
  private var bestPiece = -1
  /// Whether the best edge, or one as near, does not tell the side.
  private(set) var isDoubtful = false
  private var chordLimit = Double.infinity
  private var boxLimit = Float.greatestFiniteMagnitude

  init(view: PolygonView, position: Coordinate, ecef: ECEF) {
    self.view = view
    self.position = position
    layout = view.layout
    q = Vector3(ecef)
    let relative = q - view.origin
    local = SIMD3(Float(relative.x), Float(relative.y), Float(relative.z))
    localError = relative.length * 0x1p-24
  }

  var result: BoundaryPoint {
    BoundaryPoint(
      signedDistance: best.side > 0 ? -best.distance : best.distance, piece: bestPiece,
      fraction: best.fraction)
  }

  mutating func run() {
    if layout.groupCount == 1 { return visit(group: 0) }
    // One root, and at most 15 entries more than are taken for each of six levels and the groups.
    unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 112) { stack in
      var count = 1
      unsafe stack[0] = Self.entry(bound: 0, level: layout.rootLevel + 1, index: 0)
      while count > 0 {
        count -= 1
        let entry = unsafe stack[count]
        if Float(bitPattern: UInt32(truncatingIfNeeded: entry >> 32)) > boxLimit { continue }
        let level = Int(entry >> 28 & 15)
        let index = Int(entry & 0xFFF_FFFF)
        if level == 0 {
          visit(group: index)
        } else {
          unsafe push(childrenOf: index, level: level - 1, onto: stack, &count)
        }
      }
    }
  }

  @inline(__always)
  private static func entry(bound: Float, level: Int, index: Int) -> UInt64 {
    // Bounds are not negative, so their bits order as they do.
    UInt64(bound.bitPattern) << 32 | UInt64(level) << 28 | UInt64(index)
  }

  /// Pushes the children of a node that may hold something nearer, the nearest last.
  @inline(__always)
  private func push(
    childrenOf node: Int, level: Int, onto stack: UnsafeMutableBufferPointer<UInt64>,
    _ count: inout Int
  ) {
    let (offset, _) = layout.level(level)
    let childCount = level == 0 ? layout.groupCount : layout.level(level - 1).nodeCount
    let start = offset + node * PolygonLayout.nodeSize
    var sum = SIMD16<Float>()
    for axis in 0..<3 {
      let low = view.load(start + 64 * axis, as: SIMD16<Float>.self)
      let high = view.load(start + 192 + 64 * axis, as: SIMD16<Float>.self)
      let p = SIMD16<Float>(repeating: local[axis])
      // At most one of the two is positive. Masks, because `pointwiseMax` goes lane by lane.
      var gap = low - p
      let above = p - high
      gap.replace(with: above, where: above .> gap)
      gap.replace(with: 0, where: gap .< 0)
      sum += gap * gap
    }
    // Lanes beyond the level's end are never followed, whatever their boxes say.
    let lanes = min(16, childCount - node * 16)
    let first = count
    var lane = 0
    while lane < lanes {
      let bound = sum[lane]
      if bound <= boxLimit {
        let entry = Self.entry(bound: bound, level: level, index: node * 16 + lane)
        var slot = count
        while slot > first, unsafe stack[slot - 1] < entry {
          unsafe stack[slot] = unsafe stack[slot - 1]
          slot -= 1
        }
        unsafe stack[slot] = entry
        count += 1
      }
      lane += 1
    }
  }

  /// Eight edges at once by their chords; those that may be nearest, exactly.
  private mutating func visit(group: Int) {
    let offset = layout.xOffset + 64 * group
    let column = layout.columnSize
    let x1 = view.load(offset, as: SIMD8<Double>.self)
    let y1 = view.load(offset + column, as: SIMD8<Double>.self)
    let z1 = view.load(offset + 2 * column, as: SIMD8<Double>.self)
    let ex = view.load(offset + 8, as: SIMD8<Double>.self) - x1
    let ey = view.load(offset + column + 8, as: SIMD8<Double>.self) - y1
    let ez = view.load(offset + 2 * column + 8, as: SIMD8<Double>.self) - z1
    let wx = q.x - x1
    let wy = q.y - y1
    let wz = q.z - z1
    let ee = ex * ex + ey * ey + ez * ez
    var t = (wx * ex + wy * ey + wz * ez) / ee
    t.replace(with: 0, where: t .< 0)
    t.replace(with: 1, where: t .> 1)
    let dx = wx - t * ex
    let dy = wy - t * ey
    let dz = wz - t * ez
    var squared = dx * dx + dy * dy + dz * dz
    let marks = view.load(layout.marksOffset + 8 * group, as: SIMD8<UInt8>.self)
    let ends = SIMD8<UInt64>(truncatingIfNeeded: marks & PolygonLayout.endsChainMark)
    squared.replace(with: .infinity, where: ends .!= 0)
    // The surface arc lies within the sagitta of its chord.
    let sagitta = 1.001 * ee.max() / (8 * WGS84.minimumCurvatureRadius) + 1e-3
    let edges = min(8, layout.pointCount - 1 - 8 * group)
    while true {
      var lane = -1
      var least = (chordLimit + sagitta) * (chordLimit + sagitta)
      var i = 0
      while i < edges {
        let d = squared[i]
        if d < least {
          least = d
          lane = i
        }
        i += 1
      }
      guard lane >= 0 else { return }
      squared[lane] = .infinity
      let p1 = Vector3(x1[lane], y1[lane], z1[lane])
      consider(
        piece: 8 * group + lane, from: p1,
        to: Vector3(p1.x + ex[lane], p1.y + ey[lane], p1.z + ez[lane]))
    }
  }

  private mutating func consider(piece: Int, from p1: Vector3, to p2: Vector3) {
    let foot = EdgeKernel.foot(
      of: q, at: position, from: p1, to: p2, limit: best.distance + EdgeKernel.tie)
    guard let foot else { return }
    let least = min(foot.distance, best.distance)
    let isPieceDoubtful = view.marks(of: piece, layout) & PolygonLayout.doubtfulMark != 0
    // Damaged coordinates may make a distance NaN; it then loses here.
    guard foot.distance <= best.distance + EdgeKernel.tie else { return }
    let isTied = foot.distance >= best.distance - EdgeKernel.tie
    isDoubtful = isPieceDoubtful || (isTied && isDoubtful)
    if isTied, let bearings = bearings(foot, piece, p1, p2) {
      if bearings.new.angle < bearings.held.angle {
        best = foot
        bestPiece = piece
        best.side = bearings.new.side
      } else {
        best.side = bearings.held.side
      }
    } else if foot.distance < best.distance {
      best = foot
      bestPiece = piece
    }
    best.distance = least
    chordLimit = EdgeKernel.longestChord(of: least + EdgeKernel.tie) + 1e-4
    let limit = (chordLimit + localError) * (1 + 1e-6)
    boxLimit = min(.greatestFiniteMagnitude, Float(limit * limit).nextUp)
  }

  /// The bearings at the vertex that the best edge and a tied one share; `nil` when they share none.
  ///
  /// A foot just inside one edge and the end of its neighbour can be equally far to the last micrometre; the
  /// angle at the vertex between them still tells which is nearer.
  @inline(never)
  private func bearings(
    _ foot: EdgeFoot, _ piece: Int, _ p1: Vector3, _ p2: Vector3
  ) -> (held: EdgeKernel.Bearing, new: EdgeKernel.Bearing)? {
    guard bestPiece >= 0 else { return nil }
    let b1 = view.place(of: bestPiece, layout)
    let b2 = view.place(of: bestPiece + 1, layout)
    // Moving by r along an edge from the foot lengthens the way by about r² / 2d.
    let reach = 1e-6 + 16 * best.distance * EdgeKernel.tie
    let heldFoot = b1 + best.fraction * (b2 - b1)
    let newFoot = p1 + foot.fraction * (p2 - p1)
    // The ends nearer to the feet first.
    for choice in 0..<4 {
      let heldStart = (best.fraction < 0.5) == (choice & 1 == 0)
      let newStart = (foot.fraction < 0.5) == (choice & 2 == 0)
      let held = heldStart ? b1 : b2
      let new = newStart ? p1 : p2
      if (held - new).squaredLength < 1e-12, (held - heldFoot).squaredLength < reach,
        (new - newFoot).squaredLength < reach
      {
        let vertex = EdgeKernel.Vertex(held, to: q, at: position)
        return (
          vertex.bearing(from: b1, to: b2, isStart: heldStart),
          vertex.bearing(from: p1, to: p2, isStart: newStart)
        )
      }
    }
    return nil
  }
}
