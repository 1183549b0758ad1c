internal import CVicinityKernels
internal import VicinityGeodesy

/// A position's way down to one polygon's edges as far as boxes tell it: through the root, and through the node below
/// the nearest of the root's boxes.
///
/// Each step asks for the bytes that the next one reads. So the steps of several polygons are made in turns, and none
/// waits for memory: a polygon's bytes come from far away, and one part of them has to be read before it is known which
/// is read next.
@safe struct PolygonDescent {
  let layout: PolygonLayout
  private(set) var frame: SearchFrame
  /// The smallest of the root's gaps, as `vk_box_gaps` has them; for a single group, that to the box of the polygon.
  private(set) var least: Float
  /// The smallest gap below the root's nearest box; more than any where that is a group.
  private(set) var leastBelow: Float = 1e37
  /// The smallest of the root's other gaps, and of those below its nearest box.
  private var next: Float = 1e37
  private var nextBelow: Float = 1e37

  /// Whether the group in the nearest of the boxes has been looked at.
  private(set) var hasLooked = false
  /// Whether no other group can hold the nearest boundary point.
  private(set) var isSettled = false
  /// Those edges of the group looked at that may be nearest.
  private(set) var candidates = EdgeCandidates()
  /// The same of the group beside it, where that has been looked at, and the gap to it.
  private(set) var second = EdgeCandidates()
  private(set) var secondGap: Float = -1
  /// No longer chord than this leads to the nearest boundary point, metres.
  private(set) var limit = Double.infinity

  /// How many gaps a descent needs room for: the root's, and those below the nearest of them.
  static let gapCount = 32

  /// The first step: the root's boxes.
  ///
  /// - Parameter gaps: Room for ``gapCount``.
  @inline(__always)
  init(_ view: PolygonView, _ q: Vector3, _ gaps: UnsafeMutablePointer<Float>) {
    layout = view.layout
    frame = SearchFrame(view, q)
    guard layout.groupCount > 1 else {
      let gap = max(0, frame.gap)
      least = gap * gap
      view.prefetch(group: PolygonLayout.nodesOffset, PolygonLayout.Group.remainders)
      return
    }
    let level = layout.rootLevel
    let childCount = level == 0 ? layout.groupCount : layout.nodeCount(level &- 1)
    (least, next) = unsafe view.boxGaps(
      at: PolygonLayout.rootOffset, &frame, count: min(16, childCount), gaps)
    if level == 0 {
      view.prefetchGroups(at: PolygonLayout.nodesOffset, least, next)
    } else {
      view.prefetch(
        node: PolygonLayout.nodesOffset &+ Int(least.bitPattern & 15) &* PolygonLayout.nodeSize)
    }
  }

  /// The second step: the boxes below the nearest of the root's, where there are any.
  @inline(__always)
  mutating func proceed(_ view: PolygonView, _ gaps: UnsafeMutablePointer<Float>) {
    let level = layout.rootLevel &- 1
    guard level >= 0 else { return }
    let node = Int(least.bitPattern & 15)
    let childCount = level == 0 ? layout.groupCount : layout.nodeCount(level &- 1)
    let present = min(16, childCount &- node &* 16)
    guard present > 0 else { return }
    (leastBelow, nextBelow) = unsafe view.boxGaps(
      at: PolygonLayout.nodesOffset &+ node &* PolygonLayout.nodeSize, &frame, count: present, gaps + 16)
    if level == 0 {
      view.prefetchGroups(
        at: layout.groupsOffset &+ node &* 16 &* PolygonLayout.groupSize, leastBelow, nextBelow)
    } else {
      let child = node &* 16 &+ Int(leastBelow.bitPattern & 15)
      view.prefetch(node: layout.nodeOffset(level &- 1) &+ child &* PolygonLayout.nodeSize)
    }
  }

  /// The third step: the chords of the group in the nearest box. No step of a search waits longer for the one before, so
  /// it is made with all polygons, too, before any search goes on.
  ///
  /// Trees of more than two levels are left to the search, and what is so far away that chords do not tell distances.
  @inline(__always)
  mutating func look(_ view: PolygonView) {
    var group = 0
    if layout.groupCount > 1 {
      group = Int(least.bitPattern & 15)
      if layout.groupCount > 16 {
        // No gap at all: damaged bytes.
        guard leastBelow < 1e36 else { return }
        group = group &* 16 &+ Int(leastBelow.bitPattern & 15)
      }
    }
    // Lanes beyond the level's end are never followed, whatever their boxes say.
    guard layout.groupCount <= 256, group < layout.groupCount else { return }
    let offset = layout.groupsOffset &+ group &* PolygonLayout.groupSize
    let chords = ChordGaps(view, frame, at: offset, limit: ChordGaps.farthest)
    limit = chords.limit
    guard limit < ChordGaps.farthest else { return }
    view.prefetch(remaindersOf: chords.lanes, group: offset)
    candidates = EdgeCandidates(
      group: Int32(truncatingIfNeeded: group), lowerBound: chords.lowerBound, lanes: chords.lanes,
      ends: chords.ends)
    hasLooked = true
    isSettled = min(next, nextBelow) > frame.boxLimit(limit) && OutsideMeasure.isNear(candidates)
  }

  /// The fourth step, for those that are not settled: the chords of the group in the next of the boxes beside the nearest.
  @inline(__always)
  mutating func lookBeside(_ view: PolygonView, _ gaps: UnsafeMutablePointer<Float>) {
    guard hasLooked, !isSettled, OutsideMeasure.isNear(candidates), layout.groupCount > 1 else { return }
    let isDeep = layout.groupCount > 16
    let siblings = unsafe isDeep ? gaps + 16 : gaps
    let gap = isDeep ? nextBelow : next
    let group = (isDeep ? 16 &* Int(least.bitPattern & 15) : 0) &+ Int(gap.bitPattern & 15)
    guard gap <= frame.boxLimit(limit), group < layout.groupCount else { return }
    let offset = layout.groupsOffset &+ group &* PolygonLayout.groupSize
    let chords = ChordGaps(view, frame, at: offset, limit: limit)
    view.prefetch(remaindersOf: chords.lanes, group: offset)
    limit = chords.limit
    second = EdgeCandidates(
      group: Int32(truncatingIfNeeded: group), lowerBound: chords.lowerBound, lanes: chords.lanes,
      ends: chords.ends)
    secondGap = gap
    // Where the search goes on, after all the other polygons' turns.
    let boxLimit = frame.boxLimit(limit)
    let isAbove = isDeep && next <= boxLimit
    if isAbove {
      view.prefetch(node: PolygonLayout.nodesOffset &+ Int(next.bitPattern & 15) &* PolygonLayout.nodeSize)
    }
    var others = unsafe vk_below16(siblings, boxLimit.nextUp)
    others &= ~(1 &<< (gap.bitPattern & 15) | 1 &<< ((isDeep ? leastBelow : least).bitPattern & 15))
    isSettled = others == 0 && !isAbove
    while others != 0 {
      let other = group & ~15 &+ others.trailingZeroBitCount
      others &= others &- 1
      view.prefetch(
        group: layout.groupsOffset &+ other &* PolygonLayout.groupSize, PolygonLayout.Group.remainders)
    }
  }
}

extension PolygonView {
  /// Asks for the groups with the smallest and the second smallest of sixteen gaps, the first at byte `offset`.
  ///
  /// A search looks into one or two groups; of their rest it asks for what it needs when that is known.
  @inline(__always)
  fileprivate func prefetchGroups(at offset: Int, _ least: Float, _ second: Float) {
    prefetch(
      group: offset &+ Int(least.bitPattern & 15) &* PolygonLayout.groupSize, PolygonLayout.Group.remainders)
    prefetch(
      group: offset &+ Int(second.bitPattern & 15) &* PolygonLayout.groupSize, PolygonLayout.Group.remainders)
  }

  /// Asks for the first bytes of a group.
  @inline(__always)
  func prefetch(group offset: Int, _ count: Int) {
    unsafe vk_prefetch(base + offset, Int32(truncatingIfNeeded: count))
  }

  /// Asks for what steps leave of the ends of a group's edges; of those of the first and of the last, where they are many.
  @inline(__always)
  func prefetch(remaindersOf lanes: UInt32, group offset: Int) {
    guard lanes != 0 else { return }
    let first = offset &+ PolygonLayout.Group.remainders
    unsafe vk_prefetch_ends(
      base + (first &+ 12 &* lanes.trailingZeroBitCount),
      Int32(truncatingIfNeeded: 12 &* (33 &- lanes.leadingZeroBitCount &- lanes.trailingZeroBitCount)))
  }

  /// Asks for a node.
  @inline(__always)
  func prefetch(node offset: Int) {
    unsafe vk_prefetch(base + offset, Int32(PolygonLayout.nodeSize))
  }
}
