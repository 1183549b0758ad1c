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
}

/// What a search has found of many circles around one centre.
///
/// They are ordered by their radii, the largest first, and by their ordinals where the distances are equal to
/// the last bit. So most of them need not be looked at: as many as are wanted come before them.
struct SameCenter {
  let record: RegionRecord
  private let wanted: Int
  /// A heap of the first that have been found, as many as are wanted; the last of them stands at its root.
  private var first: [LaneTop] = []
  /// The radius of the last of them, once there are as many as are wanted.
  private var leastRadius = -Double.infinity
  /// The largest ordinal among those that may be as far away as the last, in the last bit.
  private var largestOrdinal = UInt32.max
  /// Circles of this radius and smaller ones are too far away, metres.
  private var hopelessRadius = -Double.infinity

  init(_ record: RegionRecord, wanted: Int) {
    self.record = record
    self.wanted = wanted
  }

  /// Whether none of some circles can belong to the answer.
  ///
  /// All have the same distance to the centre, and subtraction rounds monotonically: of two circles the
  /// larger is not farther away. It is nearer for certain where the radii differ by more than an ulp of the
  /// distances, which are less than 2.1e7 m or about as large as the radii.
  @inline(__always)
  func excludes(_ top: LaneTop) -> Bool {
    top.radius <= hopelessRadius || top.radius < leastRadius - Self.rounding(leastRadius)
      || (top.radius <= leastRadius && top.ordinal > largestOrdinal)
  }

  private static func rounding(_ radius: Double) -> Double { 1e-8 + abs(radius) * 1e-15 }

  /// Adds the circles of a leaf.
  mutating func add(_ circles: borrowing [LaneTop]) {
    var hasChanged = false
    for i in circles.indices {
      let circle = circles[i]
      if first.count < wanted {
        first.append(circle)
        hasChanged = true
        guard first.count == wanted else { continue }
        for root in (0..<wanted / 2).reversed() { sift(first[root], from: root) }
      } else if wanted > 0, Self.precedes(circle, first[0]) {
        sift(circle, from: 0)
        hasChanged = true
      }
    }
    guard hasChanged, first.count == wanted, wanted > 0 else { return }
    leastRadius = first[0].radius
    let reach = leastRadius + Self.rounding(leastRadius)
    largestOrdinal = first.reduce(0) { $1.radius <= reach ? max($0, $1.ordinal) : $0 }
  }

  /// Notes that circles of this radius are too far away, metres.
  mutating func exclude(radius: Double) { hopelessRadius = max(hopelessRadius, radius) }

  private static func precedes(_ a: LaneTop, _ b: LaneTop) -> Bool {
    a.radius != b.radius ? a.radius > b.radius : a.ordinal < b.ordinal
  }

  private mutating func sift(_ circle: LaneTop, from root: Int) {
    unsafe first.withUnsafeMutableBufferPointer { heap in
      guard let base = heap.baseAddress else { return }
      unsafe siftDown(circle, from: root, in: base, count: heap.count, Self.precedes)
    }
  }
}

extension TreeView {
  /// Whether a child is a node below which all circles have one centre.
  @inline(__always)
  static func hasOneCenter(_ child: UInt32) -> Bool {
    child & TreeLayout.leafFlag == 0 && child & (TreeLayout.sameFlag | TreeLayout.centerFlag) != 0
  }

  /// The radii and ordinals of a leaf's circles.
  func circles(ofLeaf number: Int) -> [LaneTop] {
    (0..<TreeLayout.width).compactMap { lane in
      let record = record(number, lane)
      return record.ordinal < ordinalLimit ? LaneTop(radius: record.radius, ordinal: record.ordinal) : nil
    }
  }

  /// The centre of all of a leaf's circles; nil where they have several.
  func center(ofLeaf number: Int) -> Coordinate? {
    var center: Coordinate?
    for lane in 0..<TreeLayout.width {
      let record = record(number, lane)
      guard record.ordinal < ordinalLimit else { continue }
      guard center == nil || center == record.center else { return nil }
      center = record.center
    }
    return center
  }

  /// A record below a node; nil where damaged bytes lead to none.
  func firstRecord(below number: Int) -> RegionRecord? {
    var number = number
    for _ in 0..<Self.mostLevels {
      guard
        let child = (0..<TreeLayout.width).lazy.map({ self.child(number, $0) }).first(where: {
          $0 != TreeLayout.absent
        })
      else { return nil }
      number = Int(child & TreeLayout.childMask)
      guard child & TreeLayout.leafFlag != 0 else { continue }
      return (0..<TreeLayout.width).lazy.map { record(number, $0) }.first { $0.ordinal < ordinalLimit }
    }
    return nil
  }

  /// More levels than any tree has.
  static var mostLevels: Int { 64 }
}
