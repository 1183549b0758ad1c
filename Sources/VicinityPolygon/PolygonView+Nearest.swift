internal import CVicinityKernels
package import VicinityGeodesy

extension PolygonView {
  /// The nearest boundary point, with the signed distance; `nil` where there is no boundary.
  ///
  /// The sign is the side of the nearest edge. If the nearest point is a vertex shared by several edges, the
  /// edge at the smallest angle to the position decides. Where packing found that an edge's direction does
  /// not tell the side (``AmbiguousEdges``), crossings are counted.
  package func nearestBoundaryPoint(to position: Coordinate, ecef: ECEF) -> BoundaryPoint? {
    withTraversal(from: ecef) { nearestBoundaryPoint(to: position, ecef: ecef, $0) }
  }

  /// The nearest boundary point, by a traversal that has begun.
  func nearestBoundaryPoint(
    to position: Coordinate, ecef: ECEF, _ traversal: PolygonTraversal
  ) -> BoundaryPoint? {
    guard pointCount > 0 else { return nil }
    var nearest = NearestMeasure(view: self, position: position, ecef: ecef)
    traversal.measure {
      nearest.measure($0)
      return nearest.chordLimit
    }
    var result = nearest.result
    if nearest.isAmbiguous {
      let distance = abs(result.signedDistance)
      result.signedDistance =
        isInside(position, Vector3(ecef), distance: distance) ? -distance : distance
    }
    return result
  }
}

/// Measures edges and finds the side of the position.
struct NearestMeasure {
  private let view: PolygonView
  private let layout: PolygonLayout
  private let position: Coordinate
  private let q: Vector3

  private var best = EdgeFoot(distance: .infinity, side: 0, fraction: 0)
  private var bestPiece = -1
  /// Whether the direction of the best edge, or of one as near, does not tell the side.
  private(set) var isAmbiguous = false
  private(set) var chordLimit = Double.infinity

  init(view: PolygonView, position: Coordinate, ecef: ECEF) {
    self.view = view
    self.position = position
    layout = view.layout
    q = Vector3(ecef)
  }

  var result: BoundaryPoint {
    BoundaryPoint(
      signedDistance: best.side > 0 ? -best.distance : best.distance, piece: bestPiece,
      fraction: best.fraction)
  }

  mutating func measure(_ candidates: EdgeCandidates) {
    var lanes = candidates.lanes
    let offset = view.offset(ofGroup: candidates.group)
    let first = Int(candidates.group) * PolygonLayout.groupWidth
    let origin = view.origin
    while lanes != 0 {
      let lane = lanes.trailingZeroBitCount
      lanes &= lanes &- 1
      consider(
        piece: first + lane, from: view.place(group: offset, lane: lane, origin: origin),
        to: view.place(group: offset, lane: lane &+ 1, origin: origin))
    }
  }

  private mutating func consider(piece: Int, from p1: Vector3, to p2: Vector3) {
    let foot = EdgeKernel.foot(
      of: q, at: position, from: p1, to: p2, limit: best.distance + EdgeKernel.tie)
    guard let foot else { return }
    let least = min(foot.distance, best.distance)
    let isPieceAmbiguous = view.marks(of: piece, layout) & PolygonLayout.ambiguousMark != 0
    // Damaged coordinates may make a distance NaN; it then loses here.
    guard foot.distance <= best.distance + EdgeKernel.tie else { return }
    let isTied = foot.distance >= best.distance - EdgeKernel.tie
    isAmbiguous = isPieceAmbiguous || (isTied && isAmbiguous)
    if isTied, let bearings = bearings(foot, p1, p2) {
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
  }

  /// The bearings at the vertex that the best edge and a tied one share; `nil` when they share none.
  ///
  /// A foot just inside one edge and the end of its neighbour can be equally far to the last micrometre; the
  /// angle at the vertex between them still tells which is nearer.
  @inline(never)
  private func bearings(
    _ foot: EdgeFoot, _ p1: Vector3, _ p2: Vector3
  ) -> (held: EdgeKernel.Bearing, new: EdgeKernel.Bearing)? {
    guard bestPiece >= 0 else { return nil }
    let b1 = view.place(of: bestPiece, layout)
    let b2 = view.place(of: bestPiece + 1, layout)
    // Moving by r along an edge from the foot lengthens the distance d by about r² / 2d.
    let reach = 1e-6 + 16 * best.distance * EdgeKernel.tie
    let heldFoot = b1 + best.fraction * (b2 - b1)
    let newFoot = p1 + foot.fraction * (p2 - p1)
    // The ends nearer to the closest points first.
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
