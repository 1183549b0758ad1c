internal import CVicinityKernels
package import VicinityGeodesy

/// What a device asks where it is seen for the first time.
extension Neighborhood {
  /// Whether a gathering can tell which regions contain its place: where all are circles.
  package static func tellsContaining(_ index: RegionIndex) -> Bool { index.tree.layout.polygonCount == 0 }

  /// ``gather(_:around:_:limit:)``, and the ordinals of the regions that contain the place, in no particular order.
  ///
  /// - Parameters:
  ///   - most: Gathering stops beyond so many circles; the neighbourhood is of no use then, and its limit zero.
  ///   - isInside: Whether a circle contains the place, as the authority has it; asked where bounds leave it
  ///     open.
  /// - Precondition: ``tellsContaining(_:)``.
  /// - Returns: Whether they could be told; where not, what is in `containing` means nothing.
  package mutating func gather(
    _ index: RegionIndex, around coordinate: Coordinate, _ place: ECEF, limit: Meters, most: Int,
    containing: inout [UInt32], isInside: (NearbyCircle) -> Bool
  ) -> Bool {
    collectsEnclosing = true
    gather(index, around: coordinate, place, limit: limit, most: most)
    collectsEnclosing = false
    guard self.limit > 0, isNear else { return false }
    containing.removeAll(keepingCapacity: true)
    for ordinal in enclosing where ordinal < ordinalLimit { containing.append(ordinal) }
    for i in 0..<circleCount {
      let block = unsafe blocks + 64 * (i / 16) + i % 16
      let (x, y, z, radius) = unsafe (block[0], block[16], block[32], block[48])
      let chord = (x * x + y * y + z * z).squareRoot()
      // A geodesic of up to 400 km is within 1.7e-4 of its chord; the rest is for roundings (``look(at:within:into:)``).
      let doubt = 2e-4 * (chord + radius) + 4 * laneError
      if chord - radius > doubt { continue }
      let record = unsafe RegionRecord(records[i])
      guard record.ordinal < ordinalLimit else { continue }
      let circle = NearbyCircle(ordinal: record.ordinal, center: record.center, radius: record.radius)
      if chord - radius < -doubt || isInside(circle) { containing.append(record.ordinal) }
    }
    return true
  }

  /// How far around a place about as many boundaries lie as asked for, metres: a guess, from one leaf near by.
  ///
  /// - Complexity: O(log n)
  package func guessedLimit(_ index: RegionIndex, at place: ECEF, for count: Int) -> Meters {
    index.tree.withView { tree in
      guard tree.nodeCount > 0 else { return Self.largestLimit }
      var number = 0
      while true {
        let node = unsafe tree.node(number)
        var bounds = InlineArray<16, Float>(repeating: 0)
        let smallest = unsafe bounds.withUnsafeFloats {
          unsafe vk_node_bounds(node, Float(place.x), Float(place.y), Float(place.z), 3, $0)
        }
        let lane = Int(smallest.bitPattern & 15)
        let child = tree.child(number, lane)
        if child & TreeLayout.leafFlag == 0 {
          guard child < tree.nodeCount, child > number else { return Self.largestLimit }
          number = Int(child)
          continue
        }
        let row = unsafe node.assumingMemoryBound(to: Float.self) + lane
        // Sixteen circles in a box. The faces of a box around a piece of a plane are its projections along the axes, which
        // are as many times smaller as the normal has components: weighted with these they add up to the piece.
        let (x, y, z, reach) = unsafe (row[48], row[64], row[80], row[96])
        let scale = 4 / (place.x * place.x + place.y * place.y + place.z * place.z).squareRoot()
        let faces = SIMD3(Double(y * z), Double(z * x), Double(x * y))
        let normal = SIMD3(abs(place.x), abs(place.y), abs(place.z))
        let area = scale * (faces * normal).sum() + 1
        let radius = Double(reach) / 3
        // Boundaries within a limit of a place are those of the circles within limit + radius of it, at most.
        let wide2 = Double(count) / 16 * area / .pi
        let limit = (radius * radius + wide2).squareRoot() - radius
        // Not a number where bytes are damaged.
        return limit >= 10 ? min(limit, Self.largestLimit) : 10
      }
    }
  }
}
