internal import VicinityGeodesy

/// What comes first of the circles below a child of a node, where they all have one centre: a radius that
/// none of them exceeds, and an ordinal that none is below.
package struct LaneTop {
  /// Metres.
  package var radius: Double
  package var ordinal: UInt32

  /// Of no regions.
  static let none = LaneTop(radius: -.infinity, ordinal: .max)

  mutating func include(_ other: LaneTop) {
    radius = max(radius, other.radius)
    ordinal = min(ordinal, other.ordinal)
  }

  /// The order of circles around one centre: the largest first, and those of one radius by their ordinals.
  static func precedes(_ a: LaneTop, _ b: LaneTop) -> Bool {
    a.radius != b.radius ? a.radius > b.radius : a.ordinal < b.ordinal
  }
}

/// What a search has found of many circles around one centre.
///
/// All have the same distance to the centre. The reference tells it once; with it every circle's own distance
/// is known to the last bit, and no circle needs to be looked at that comes after as many as are wanted.
struct SameCenter {
  let center: Coordinate
  /// From the query to the centre, by the reference, metres.
  let distance: Meters
  private let wanted: Int
  private struct Rank {
    /// Metres.
    var distance: Meters
    var ordinal: UInt32

    static func precedes(_ a: Rank, _ b: Rank) -> Bool {
      a.distance != b.distance ? a.distance < b.distance : a.ordinal < b.ordinal
    }
  }
  /// A heap of the first that have been found, as many as are wanted; the last of them stands at its root.
  private var first: [Rank] = []
  /// The last of them, once there are as many as are wanted.
  private var last = Rank(distance: .infinity, ordinal: .max)
  /// The circles of so many leaves have been looked at.
  private(set) var leafCount = 0

  init(_ center: Coordinate, from position: Coordinate, wanted: Int) {
    self.center = center
    distance = Geodesic.uncheckedDistance(position, center)
    self.wanted = wanted
  }

  /// Whether a circle of this radius is too far away, and with it all smaller ones: subtraction rounds
  /// monotonically.
  @inline(__always)
  func excludes(radius: Meters, from prune: Float) -> Bool {
    distance - radius > last.distance || Float(distance - radius).nextDown >= prune
  }

  /// Whether none of some circles can belong to the answer.
  @inline(__always)
  func excludes(_ top: LaneTop, from prune: Float) -> Bool {
    excludes(radius: top.radius, from: prune)
      || (distance - top.radius == last.distance && top.ordinal > last.ordinal)
  }

  mutating func countLeaf() { leafCount += 1 }

  /// Adds a circle that is not excluded.
  mutating func add(_ circle: LaneTop) {
    let rank = Rank(distance: distance - circle.radius, ordinal: circle.ordinal)
    if first.count < wanted {
      first.append(rank)
      guard first.count == wanted else { return }
      for root in (0..<wanted / 2).reversed() { sift(first[root], from: root) }
    } else {
      sift(rank, from: 0)
    }
    last = first[0]
  }

  private mutating func sift(_ rank: Rank, from root: Int) {
    unsafe first.withUnsafeMutableBufferPointer { heap in
      guard let base = heap.baseAddress else { return }
      unsafe siftDown(rank, from: root, in: base, count: heap.count, Rank.precedes)
    }
  }
}

extension TreeView {
  /// Whether a child is a node below which all circles have one centre.
  @inline(__always)
  static func hasOneCenter(_ child: UInt32) -> Bool {
    child & TreeLayout.leafFlag == 0 && child & (TreeLayout.runFlag | TreeLayout.centerFlag) != 0
  }

  /// The first or the last record below a node; nil where damaged bytes lead to none.
  func record(below number: Int, isLast: Bool = false) -> RegionRecord? {
    var number = number
    for _ in 0..<Self.mostLevels {
      guard let next = someLane(isLast, where: { child(number, $0) != TreeLayout.absent }) else { return nil }
      let below = child(number, next)
      number = Int(below & TreeLayout.childMask)
      guard below & TreeLayout.leafFlag != 0 else { continue }
      let found = someLane(isLast) { record(number, $0).ordinal < ordinalLimit }
      return found.map { record(number, $0) }
    }
    return nil
  }

  private func someLane(_ isLast: Bool, where isOne: (Int) -> Bool) -> Int? {
    let lanes = 0..<TreeLayout.width
    return isLast ? lanes.last(where: isOne) : lanes.first(where: isOne)
  }

  /// More levels than any tree has.
  static var mostLevels: Int { 64 }
}

extension RegionRecord {
  var top: LaneTop { LaneTop(radius: radius, ordinal: ordinal) }
}
