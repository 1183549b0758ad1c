internal import CVicinityKernels
package import VicinityGeodesy

extension PolygonView {
  /// Calls `body` with the ends of every piece of edge that may come within `radius` metres, in a straight
  /// line, of a position.
  ///
  /// A piece lies within the sagitta of its chord, which groups' bounds contain.
  ///
  /// - Complexity: O(log n + pieces found) for boundaries that do not double back on themselves.
  package func forEachPiece(near ecef: ECEF, radius: Meters, _ body: (ECEF, ECEF) -> Void) {
    guard pointCount > 0 else { return }
    let q = Vector3(ecef)
    let layout = layout
    let origin = origin
    withTraversal(from: ecef, limit: radius, findsAll: true) {
      $0.measure { candidates in
        let offset = offset(ofGroup: candidates.group)
        let first = Int(candidates.group) * PolygonLayout.groupWidth
        var lanes = candidates.lanes
        while lanes != 0 {
          let lane = lanes.trailingZeroBitCount
          lanes &= lanes - 1
          guard marks(of: first + lane, layout) & PolygonLayout.endsChainMark == 0 else { continue }
          let p1 = place(group: offset, lane: lane, origin: origin)
          let p2 = place(group: offset, lane: lane + 1, origin: origin)
          let e = p2 - p1
          let w = q - p1
          let ee = e.squaredLength
          let t = ee > 0 ? max(0, min(1, w.dot(e) / ee)) : 0
          let limit = radius + PolygonTree.sagitta(ee)
          guard (w - t * e).squaredLength <= limit * limit else { continue }
          body(ECEF(x: p1.x, y: p1.y, z: p1.z), ECEF(x: p2.x, y: p2.y, z: p2.z))
        }
        return .infinity
      }
    }
  }
}
