internal import VicinityGeodesy

/// Joins oriented rings into the chains of a region's boundary, leaving out seams.
///
/// A polygon clipped at the antimeridian has an edge on either side of it, traversed in opposite directions;
/// so has a ring that runs along the antimeridian to a pole and back. No boundary lies there. The two sides'
/// vertices need not agree: overlapping intervals of latitude cancel.
enum SeamCancellation {
  /// How close vertices must be to longitude ±180, and ends of seam edges to each other, to count as
  /// equal: 0.1 mm, in degrees.
  static let tolerance: Degrees = 1e-9

  static func isOnAntimeridian(_ c: Coordinate) -> Bool {
    abs(abs(c.longitude) - 180) <= tolerance || abs(c.latitude) == 90
  }

  private static func isSeamCandidate(_ a: Coordinate, _ b: Coordinate) -> Bool {
    isOnAntimeridian(a) && isOnAntimeridian(b)
      && !(abs(a.latitude) == 90 && abs(b.latitude) == 90)
  }

  /// The chains: closed ones repeat their first vertex; the interior lies on the left.
  ///
  /// - Parameter rings: oriented, closing vertex not repeated.
  /// - Returns: no chain at all where everything cancels: the region is the whole Earth then.
  /// - Complexity: O(n), and O(m log m) in the number of edges on the antimeridian.
  static func chains(of rings: [[Coordinate]]) -> [[Coordinate]] {
    var intervals: [(from: Degrees, to: Degrees)] = []
    for ring in rings {
      var previous = ring[ring.count - 1]
      for vertex in ring {
        if isSeamCandidate(previous, vertex) {
          intervals.append((previous.latitude, vertex.latitude))
        }
        previous = vertex
      }
    }
    let seams = Seams(intervals)
    guard seams.hasOverlap else { return rings.map { $0 + [$0[0]] } }
    var chains: [[Coordinate]] = []
    for ring in rings {
      let count = ring.count
      let cuts = (0..<count).filter { isSeamCandidate(ring[$0], ring[($0 + 1) % count]) }
      guard let first = cuts.first else {
        chains.append(ring + [ring[0]])
        continue
      }
      // Start behind a seam edge, so that no chain is cut by the array's ends.
      var chain = [seams.snapped(ring[(first + 1) % count])]
      for k in 1...count {
        let i = (first + k) % count
        let next = ring[(i + 1) % count]
        if isSeamCandidate(ring[i], next) {
          if chain.count > 1 {
            chain[chain.count - 1] = seams.snapped(chain[chain.count - 1])
            chains.append(chain)
          }
          chain = [seams.snapped(next)]
        } else {
          chain.append(next)
        }
      }
    }
    return stitched(chains + seams.remaining)
  }

  /// Joins chains end to start where they meet.
  private static func stitched(_ chains: [[Coordinate]]) -> [[Coordinate]] {
    var starting: [Coordinate: [Int]] = [:]
    for (i, chain) in chains.enumerated().reversed() { starting[chain[0], default: []].append(i) }
    var isUsed = [Bool](repeating: false, count: chains.count)
    var result: [[Coordinate]] = []
    // A chain that starts where none ends comes first, so that open chains are joined from their start.
    let ends = Set(chains.map { $0[$0.count - 1] })
    let order =
      chains.indices.filter { !ends.contains(chains[$0][0]) }
      + chains.indices.filter { ends.contains(chains[$0][0]) }
    for start in order where !isUsed[start] {
      isUsed[start] = true
      var joined = chains[start]
      while joined[0] != joined[joined.count - 1] {
        let end = joined[joined.count - 1]
        while let last = starting[end]?.last, isUsed[last] { starting[end]?.removeLast() }
        guard let next = starting[end]?.popLast() else { break }
        isUsed[next] = true
        joined.append(contentsOf: chains[next].dropFirst())
      }
      result.append(joined)
    }
    return result
  }
}

/// The antimeridian's edges as intervals of latitude, and what remains after opposite ones have cancelled.
private struct Seams {
  /// Whether anything cancels.
  private(set) var hasOverlap = false
  /// What stays boundary, as chains of two vertices.
  private(set) var remaining: [[Coordinate]] = []
  /// The ends of all intervals, ascending; equal ends count once.
  private var ends: [Degrees] = []

  init(_ intervals: [(from: Degrees, to: Degrees)]) {
    guard intervals.count > 1 else { return }
    for end in intervals.flatMap({ [$0.from, $0.to] }).sorted() {
      // A pole stays exactly a pole.
      if let last = ends.last, end - last <= SeamCancellation.tolerance {
        if end == 90 { ends[ends.count - 1] = 90 }
      } else {
        ends.append(end)
      }
    }
    // Differences of the numbers of northward and southward intervals over each elementary interval.
    var north = [Int](repeating: 0, count: ends.count + 1)
    var south = north
    for interval in intervals {
      let from = index(of: interval.from)
      let to = index(of: interval.to)
      if from < to {
        north[from] += 1
        north[to] -= 1
      } else if to < from {
        south[to] += 1
        south[from] -= 1
      }
    }
    var northCount = 0
    var southCount = 0
    var run: (sign: Int, start: Int) = (0, 0)
    for i in ends.indices {
      northCount += north[i]
      southCount += south[i]
      if northCount > 0 && southCount > 0 { hasOverlap = true }
      let sign = (northCount - southCount).signum()
      if sign != run.sign {
        append(run, end: i)
        run = (sign, i)
      }
    }
  }

  private mutating func append(_ run: (sign: Int, start: Int), end: Int) {
    guard run.sign != 0 else { return }
    let low = Self.coordinate(ends[run.start])
    let high = Self.coordinate(ends[end])
    remaining.append(run.sign > 0 ? [low, high] : [high, low])
  }

  private static func coordinate(_ latitude: Degrees) -> Coordinate {
    Coordinate(latitude: latitude, longitude: -180)
  }

  /// The number of the cluster nearest to `latitude`.
  private func index(of latitude: Degrees) -> Int {
    var low = 0
    var high = ends.count
    while low < high {
      let middle = (low + high) / 2
      if ends[middle] < latitude { low = middle + 1 } else { high = middle }
    }
    if low == ends.count { return low - 1 }
    if low > 0, latitude - ends[low - 1] < ends[low] - latitude { return low - 1 }
    return low
  }

  /// A vertex of the antimeridian moved to its cluster's latitude.
  func snapped(_ c: Coordinate) -> Coordinate {
    Self.coordinate(ends[index(of: c.latitude)])
  }
}
