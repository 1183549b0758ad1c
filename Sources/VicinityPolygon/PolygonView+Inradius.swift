internal import CMath
package import VicinityGeodesy

extension PolygonView {
  /// The most points whose depth is computed.
  private static let effort = 4000

  /// The radius of the largest circle in the region, metres: from 1 % too small to exact, or at least
  /// `enough`.
  ///
  /// The square around the bounding circle, on the azimuthal equidistant map from its centre, is cut into
  /// smaller squares; those that may hold the deepest point are cut first (V. Agafonkin's *polylabel*, 2016).
  /// Because the curvature is positive, two points are nowhere farther apart on the ellipsoid than on that
  /// map (Rauch's comparison theorem), and depth changes by no more than the distance moved. So no point of a
  /// square is deeper than its middle by more than half a diagonal.
  ///
  /// After 4000 points the deepest so far is taken; for islets far apart the result may be too small.
  ///
  /// - Complexity: at most 4000 boundary distances; a few dozen for shapes that are not much longer than
  ///   wide.
  package func inradius(enough: Meters = .infinity) -> Meters {
    guard pointCount > 0 else { return min(enough, -Self.wholeEarthDistance) }
    let center = boundingCenter
    func square(_ x: Meters, _ y: Meters, _ half: Meters) -> InradiusSquare {
      let distance = (x * x + y * y).squareRoot()
      let place = Geodesic.uncheckedDirect(
        center, azimuth: InradiusSquare.azimuth(x, y), distance: distance
      ).coordinate
      let depth = -signedBoundaryDistance(from: place, ecef: ECEF(unchecked: place))
      return InradiusSquare(x: x, y: y, half: half, depth: depth)
    }
    var queue = InradiusQueue()
    let whole = square(0, 0, min(boundingRadius, 20_004_000))
    var best = max(0, whole.depth)
    queue.push(whole)
    var count = 1
    while let next = queue.pop() {
      // No square left is deeper by 1 %, or by a millimetre.
      if next.most <= best * 1.01 + 1e-3 || best >= enough || count >= Self.effort { break }
      let half = 0.5 * next.half
      for (x, y) in [(-half, -half), (-half, half), (half, -half), (half, half)] {
        let part = square(next.x + x, next.y + y, half)
        best = max(best, part.depth)
        if part.most > best { queue.push(part) }
      }
      count += 4
    }
    return min(enough, best)
  }
}

/// A square of the map, and the depth of its middle.
private struct InradiusSquare {
  var x: Meters
  var y: Meters
  var half: Meters
  /// Negative outside, metres.
  var depth: Meters

  /// The greatest depth that any of its points may have, metres.
  var most: Meters { depth + half * 2.0.squareRoot() }

  /// Degrees clockwise from north.
  static func azimuth(_ east: Meters, _ north: Meters) -> Degrees {
    atan2(east, north) * (180 / .pi)
  }
}

/// A binary heap with the square that may be deepest on top.
private struct InradiusQueue {
  private var heap: [InradiusSquare] = []

  mutating func push(_ square: InradiusSquare) {
    heap.append(square)
    var i = heap.count - 1
    while i > 0, heap[(i - 1) / 2].most < heap[i].most {
      heap.swapAt(i, (i - 1) / 2)
      i = (i - 1) / 2
    }
  }

  mutating func pop() -> InradiusSquare? {
    guard let top = heap.first else { return nil }
    let last = heap.removeLast()
    guard !heap.isEmpty else { return top }
    heap[0] = last
    var i = 0
    while true {
      var next = i
      for child in [2 * i + 1, 2 * i + 2] where child < heap.count && heap[child].most > heap[next].most {
        next = child
      }
      if next == i { return top }
      heap.swapAt(i, next)
      i = next
    }
  }
}
