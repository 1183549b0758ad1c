internal import VicinityGeodesy

/// The leaves around the last queries, kept so that a query near them need not search the tree.
///
/// Boundary distance changes by no more than the position moves. So the last region wanted is no farther than
/// it was for the query before, and the way from there; and every circle that is in none of the leaves is at
/// least ``limit`` less the way from the anchor away (the reliable region of S. Nutanong et al., *The
/// V*-Diagram*, VLDB 2008). Where the first is less than the second, the leaves hold the answer.
@safe struct RecentLeaves: ~Copyable {
  /// The most leaves that are kept: with more, a search of the tree is as fast.
  static let mostLeaves = 24
  /// The most regions that are wanted: among them and what lies about as far, an answer is sorted at once.
  static let mostWanted = 24

  /// A leaf, and the first of its lane's rows in the node above it.
  @safe struct Leaf {
    var leaf: UnsafeRawPointer
    var row: UnsafePointer<Float>
  }
  private(set) var leaves = Buffer<Leaf>(capacity: mostLeaves)
  private(set) var leafCount = 0
  /// Where they were gathered.
  private var anchor = ECEF(x: 0, y: 0, z: 0)
  /// Every circle that is in none of the leaves is at least this far from the anchor, metres.
  private var limit: Meters = 0
  /// By how much the next limit is to exceed the distance of the last region wanted, metres.
  private var margin: Meters = 0

  /// The tree of the last query (``TreeView/version``), and how many regions were wanted; zero where nothing
  /// is known.
  private var version: UInt64 = 0
  private var wanted = 0
  /// Where it was asked, and an upper bound of the distance of the last region wanted, metres.
  private var place = ECEF(x: 0, y: 0, z: 0)
  private var distance: Meters = 0
  /// How many queries are to be answered by the tree before leaves are gathered again.
  private var pause = 0
  /// After leaves that were of no use.
  private static let longestPause = 64

  /// How far the last region wanted is from a position at the most, metres; nil where the last query was
  /// another one, or too far away to help.
  @inline(__always)
  func reach(_ tree: TreeView, _ wanted: Int, at ecef: ECEF) -> Meters? {
    guard version == tree.version, self.wanted == wanted else { return nil }
    let chord2 = Self.chord2(from: place, to: ecef)
    return chord2 <= margin * margin ? distance + Self.longestWay(chord2) : nil
  }

  /// Whether the leaves hold every circle within `reach` of a position.
  @inline(__always)
  func cover(_ reach: Meters, of ecef: ECEF) -> Bool {
    leafCount > 0 && reach < limit - Self.longestWay(Self.chord2(from: anchor, to: ecef)) - 1e-6
  }

  /// Whether leaves are to be gathered; where not, a query of the tree goes by.
  mutating func wantsLeaves() -> Bool {
    guard pause > 0 else { return true }
    pause -= 1
    return false
  }

  /// The limit to gather leaves within, metres, for an answer within `reach`.
  func nextLimit(_ reach: Meters) -> Meters { reach + margin }

  /// Keeps what a search within `limit` of a position has visited.
  ///
  /// - Returns: Whether that is of use.
  mutating func keep(
    _ visits: borrowing Buffer<QueryScratch.LeafVisit>, _ count: Int, limit: Meters, at ecef: ECEF
  ) -> Bool {
    leafCount = 0
    guard count <= Self.mostLeaves else {
      margin *= 0.5
      pause = Self.longestPause
      return false
    }
    var circles = 0
    for i in 0..<count {
      let visit = unsafe visits.base[i]
      circles += visit.circles.nonzeroBitCount
      unsafe leaves.base[i] = Leaf(leaf: visit.leaf, row: visit.row)
    }
    // Two to three times as many circles as are wanted: with fewer the leaves are soon left, with more they
    // take longer to look through.
    if circles > 3 * wanted + 8 { margin *= 0.75 } else if circles < 2 * wanted + 4 { margin *= 1.4 }
    leafCount = count
    anchor = ecef
    self.limit = limit
    return true
  }

  /// Says that the leaves did not give an answer, though they should.
  mutating func fail() {
    leafCount = 0
    pause = Self.longestPause
  }

  /// Remembers an answer of all regions wanted.
  ///
  /// - Parameters:
  ///   - isSearched: Whether the tree gave it.
  ///   - first: The distance of the nearest region, metres.
  ///   - last: That of the last one wanted, metres, and no less than it.
  mutating func remember(
    _ tree: TreeView, _ wanted: Int, at ecef: ECEF, isSearched: Bool, first: Meters, last: Meters
  ) {
    if version != tree.version || self.wanted != wanted {
      (version, self.wanted, leafCount, pause, margin) = (tree.version, wanted, 0, 0, 0)
    }
    // Twice as many circles lie within 1.4 times the distance, where they are small and spread.
    if isSearched { margin = 0.4 * max(last, last - first) }
    place = ecef
    distance = last
  }

  /// Forgets everything.
  mutating func forget() {
    version = 0
    leafCount = 0
  }

  @inline(__always)
  private static func chord2(from p: ECEF, to q: ECEF) -> Double {
    let (dx, dy, dz) = (p.x - q.x, p.y - q.y, p.z - q.z)
    return dx * dx + dy * dy + dz * dz
  }

  /// An upper bound of the distance between two points of the ellipsoid, metres, from their squared chord.
  @inline(__always)
  private static func longestWay(_ chord2: Double) -> Meters {
    GeodesicBounds.fastUpperBound(chord: chord2.squareRoot()) + 1e-8
  }
}

extension TreeQuery {
  /// Whether leaves may be kept from one such query to the next.
  @inline(__always)
  func keepsLeaves(_ wanted: Int?, _ options: QueryOptions) -> Bool {
    guard let wanted, tree.version != 0, tree.polygonCount == 0 else { return false }
    return wanted > 0 && wanted <= RecentLeaves.mostWanted && options.maximumDistance == .infinity
      && !options.usesBruteForce
  }

  /// Answers a query for the nearest circles among the leaves around the last ones; exactly, whatever the
  /// tolerance.
  ///
  /// - Returns: False, and nothing is appended, where the tree has to be searched.
  func runNearby(_ wanted: Int, _ scratch: inout QueryScratch, appendingTo result: inout [Neighbor]) -> Bool {
    guard let reach = scratch.recent.reach(tree, wanted, at: ecef) else { return false }
    if !scratch.recent.cover(reach, of: ecef) {
      guard scratch.recent.wantsLeaves(), gatherLeaves(within: scratch.recent.nextLimit(reach), &scratch)
      else { return false }
    }
    var search = TreeSearch(
      tree, position: position, ecef: ecef, count: nil, maximumDistance: reach, tolerance: 0)
    guard search.visitRecent(&scratch, most: Self.sortingCapacity) else { return false }
    gatherCircles(below: search.threshold.nextUp, &scratch)
    guard scratch.circleBatchCount >= wanted, scratch.candidateCount == 0,
      appendBatch(wanted, within: .infinity, &scratch, to: &result)
    else {
      scratch.recent.fail()
      return false
    }
    return true
  }

  private func gatherLeaves(within limit: Meters, _ scratch: inout QueryScratch) -> Bool {
    var search = TreeSearch(
      tree, position: position, ecef: ecef, count: nil, maximumDistance: limit, tolerance: 0)
    search.run(&scratch, mostVisits: RecentLeaves.mostLeaves)
    return scratch.keepVisits(limit: limit, at: ecef)
  }
}
