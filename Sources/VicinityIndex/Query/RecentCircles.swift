internal import CVicinityKernels
internal import VicinityGeodesy
internal import VicinityPolygon

/// The circles around the last queries (``GatheredCircles``), so that a query near them need not search the
/// tree.
///
/// Boundary distance changes by no more than the position moves. So the last region wanted is no farther than
/// it was for the query before, and the way from there; where every circle that is not listed is farther, the
/// list holds the answer.
@safe struct RecentCircles: ~Copyable {
  /// The most regions that are wanted: among them and what lies about as far, an answer is sorted at once.
  static let mostWanted = 24
  /// The most circles that are listed: with more, a search of the tree is as fast.
  private static let mostListed = 96

  private(set) var circles = GatheredCircles()
  /// By how much the next limit is to exceed the distance of the last region wanted, metres.
  private var margin: Meters = 0

  /// The tree of the last query (``TreeView/version``), and how many regions were wanted; zero where nothing
  /// is known.
  private var version: UInt64 = 0
  private var wanted = 0
  /// Where it was asked, and an upper bound of the distance of the last region wanted, metres.
  private var place = ECEF(x: 0, y: 0, z: 0)
  private var distance: Meters = 0
  /// How many queries are to be answered by the tree before circles are gathered again.
  private var pause = 0
  /// After a list that was of no use.
  private static let longestPause = 64

  /// How far the last region wanted is from a position at the most, metres; nil where the last query was
  /// another one, or too far away to help.
  @inline(__always)
  func reach(_ tree: TreeView, _ wanted: Int, at ecef: ECEF) -> Meters? {
    guard version == tree.version, self.wanted == wanted else { return nil }
    let chord2 = Self.chord2(from: place, to: ecef)
    return chord2 <= margin * margin ? distance + Self.longestWay(chord2) : nil
  }

  /// Whether the list holds, or can be made to hold, every circle within `reach` of a position.
  mutating func cover(_ reach: Meters, of ecef: ECEF, in tree: TreeView) -> Bool {
    if circles.margin(at: ecef) > reach { return true }
    // A query of the tree goes by.
    guard pause == 0 else {
      pause -= 1
      return false
    }
    guard circles.gather(tree, .nearest, within: reach + margin, of: ecef, most: Self.mostListed) else {
      margin /= 2
      pause = Self.longestPause
      return false
    }
    margin = circles.nextMargin(margin, wanted: wanted)
    return true
  }

  /// Puts the listed circles that may lie within `reach` of a position into the columns of a batch.
  ///
  /// - Returns: How many these are; nil where there are more than `most`.
  func take(within reach: Meters, of ecef: ECEF, _ columns: BatchColumns, most: Int) -> Int? {
    let x = Float(ecef.x - circles.anchor.x)
    let y = Float(ecef.y - circles.anchor.y)
    let z = Float(ecef.z - circles.anchor.z)
    // Each axis is rounded three times: the point, the lane and their difference.
    let epsilon = circles.laneError + 4e-7 * (abs(x) + abs(y) + abs(z))
    let threshold = Float(reach).nextUp
    var bounds = SIMD16<Float>()
    var n = 0
    for start in stride(from: 0, to: circles.count, by: 16) {
      var mask = unsafe bounds.withUnsafeFloats {
        unsafe vk_near_bounds(circles.blocks.base + 4 * start, x, y, z, epsilon, threshold, $0)
      }
      // Absent lanes are too far away, unless damaged bytes make an error infinite.
      mask &= circles.count - start < 16 ? 1 << UInt32(circles.count - start) - 1 : 0xffff
      guard n + mask.nonzeroBitCount <= most else { return nil }
      while mask != 0 {
        let i = start + mask.trailingZeroBitCount
        mask &= mask - 1
        let center = unsafe circles.centers.base[i]
        let record = unsafe circles.records.base[i]
        unsafe columns.dx[n] = (ecef.x - Double(center.origin.x)) - center.x
        unsafe columns.dy[n] = (ecef.y - Double(center.origin.y)) - center.y
        unsafe columns.dz[n] = (ecef.z - Double(center.origin.z)) - center.z
        unsafe columns.radius[n] = record.radius
        unsafe columns.record[n] = record.base
        n += 1
      }
    }
    return n
  }

  /// Says that the list did not give an answer, though it should.
  mutating func fail() {
    circles.forget()
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
      circles.forget()
      (version, self.wanted, pause, margin) = (tree.version, wanted, 0, 0)
    }
    // Twice as many circles lie within 1.4 times the distance, where they are small and spread.
    if isSearched { margin = 0.4 * max(last, last - first) }
    place = ecef
    distance = last
  }

  /// Forgets everything.
  mutating func forget() {
    version = 0
    circles.forget()
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
  /// Whether circles may be kept from one such query to the next.
  @inline(__always)
  func keepsCircles(_ wanted: Int?, _ options: QueryOptions) -> Bool {
    guard let wanted, tree.version != 0, tree.polygonCount == 0 else { return false }
    return wanted > 0 && wanted <= RecentCircles.mostWanted && options.maximumDistance == .infinity
      && !options.usesBruteForce
  }

  /// Answers a query for the nearest circles among those around the last ones; exactly, whatever the
  /// tolerance.
  ///
  /// - Returns: False, and nothing is appended, where the tree has to be searched.
  func runNearby(_ wanted: Int, _ scratch: inout QueryScratch, appendingTo result: inout [Neighbor]) -> Bool {
    guard let reach = scratch.recent.reach(tree, wanted, at: ecef),
      scratch.recent.cover(reach, of: ecef, in: tree)
    else { return false }
    // SAFETY: the columns are arrays of 48 within one allocation that outlives the query.
    let columns = unsafe BatchColumns(scratch.circleBatch.base)
    guard let found = scratch.recent.take(within: reach, of: ecef, columns, most: Self.sortingCapacity)
    else { return false }
    scratch.circleBatchCount = found
    guard found >= wanted, appendBatch(wanted, within: .infinity, &scratch, to: &result) else {
      scratch.recent.fail()
      return false
    }
    return true
  }
}
