package import VicinityGeodesy

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

extension PolygonView {
  /// How many places are asked for their depth, at most.
  private static let effort = 4000

  /// The radius of the largest circle in the region, metres: from 1 % too small to exact, or at least `enough`.
  ///
  /// The square around the bounding circle, on the map that keeps directions and distances from its centre, is cut into
  /// smaller ones, those first that may hold the deepest place (V. Agafonkin's *polylabel*, 2016). Nowhere on an ellipsoid
  /// are two places farther apart than on that map, the curvature being positive (Rauch's comparison theorem), and depth
  /// changes by no more than the way: so no place of a square is deeper than its middle by more than half a diagonal.
  ///
  /// After 4000 places the deepest so far has to do; a scattering of islets far apart may come out smaller than it is.
  ///
  /// - Complexity: at most 4000 boundary distances; a few dozen for shapes that are not much longer than wide.
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

/// A square of the map, and how deep its middle lies.
private struct InradiusSquare {
  var x: Meters
  var y: Meters
  var half: Meters
  /// Negative outside, metres.
  var depth: Meters

  /// How deep any place of it may lie.
  var most: Meters { depth + half * 2.0.squareRoot() }

  /// Degrees clockwise from north.
  static func azimuth(_ east: Meters, _ north: Meters) -> Degrees {
    atan2(east, north) * (180 / .pi)
  }
}

/// A binary heap, the square that may be deepest on top.
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
