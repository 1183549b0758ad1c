internal import CVicinityKernels
internal import VicinityGeodesy

/// A position as one polygon's boxes and groups see it.
@safe struct SearchFrame {
  /// The position less the polygon's origin, metres.
  let relative: Vector3
  fileprivate(set) var boxes: vk_frame

  @inline(__always)
  init(_ view: PolygonView, _ q: Vector3) {
    relative = q - view.origin
    var frame = vk_frame()
    // SAFETY: the header is longer than that.
    unsafe vk_frame_of(
      view.base + PolygonLayout.Field.box, Float(relative.x), Float(relative.y), Float(relative.z), &frame)
    boxes = frame
  }

  /// That of a way down.
  ///
  /// SAFETY: `descent` has been made.
  @unsafe @inline(__always)
  init(_ descent: UnsafePointer<vk_descent>) {
    relative = unsafe Vector3(descent.pointee.x, descent.pointee.y, descent.pointee.z)
    boxes = unsafe descent.pointee.frame
  }

  /// How far rounding may make the gap to a box too large, metres.
  @inline(__always)
  var boxError: Float { boxes.error }

  /// Whether the position lies outside the polygon's box by more than a centimetre and rounding; then a region that a
  /// circle bounds cannot contain it.
  @inline(__always)
  var isOutsideBox: Bool {
    max(boxes.out.0, boxes.out.1, boxes.out.2) > 1e-2 + boxError
  }

  /// The square of the gap beyond which boxes hold nothing with a chord up to `chord`, square metres.
  @inline(__always)
  func boxLimit(_ chord: Double) -> Float {
    vk_box_limit(boxError, chord)
  }

  /// The least distance to the box, metres.
  @inline(__always)
  var gap: Float {
    // SAFETY: it is only read.
    unsafe withUnsafePointer(to: boxes) { unsafe vk_frame_gap($0) }
  }
}

extension PolygonView {
  /// Asks for the first bytes of a group.
  @inline(__always)
  fileprivate func prefetch(group offset: Int) {
    unsafe vk_prefetch(base + offset, Int32(PolygonLayout.Group.remainders))
  }

  /// Asks for what steps leave of the ends of a group's edges; of those of the first and of the last, where they are many.
  @inline(__always)
  fileprivate func prefetch(remaindersOf lanes: UInt32, group offset: Int) {
    guard lanes != 0 else { return }
    let first = offset &+ PolygonLayout.Group.remainders
    unsafe vk_prefetch_ends(
      base + (first &+ 12 &* lanes.trailingZeroBitCount),
      Int32(truncatingIfNeeded: 12 &* (33 &- lanes.leadingZeroBitCount &- lanes.trailingZeroBitCount)))
  }
}

extension PolygonView {
  /// Squared distances to the first `count` boxes of the node at byte `offset`, as `vk_box_gaps` has them.
  ///
  /// - Parameters:
  ///   - offset: That of one of the layout's nodes.
  ///   - frame: Stays what it is: it is passed where it stands, and a copy would have to wait for its parts.
  ///   - gaps: Room for sixteen.
  /// - Returns: The smallest of them, and the smallest of the others.
  @inline(__always)
  func boxGaps(
    at offset: Int, _ frame: inout SearchFrame, count: Int, _ gaps: UnsafeMutablePointer<Float>
  ) -> (least: Float, next: Float) {
    var next: Float = 0
    // SAFETY: nodes of all levels lie in the layout that validation compared with the length.
    let least = unsafe vk_wide_box_gaps(
      base + offset, &frame.boxes, Int32(truncatingIfNeeded: count), gaps, &next)
    return (least, next)
  }
}

/// Edges of one group that may be nearest.
typealias EdgeCandidates = vk_candidates

/// What a search asks about the edges that single precision cannot decide between.
protocol EdgeMeasure {
  /// Measures the edges in `lanes` of a group that starts at byte `offset`, exactly.
  mutating func measure(_ candidates: EdgeCandidates, lanes: UInt32, at offset: Int)
  /// No boundary point with a chord longer than this matters, metres.
  var chordLimit: Double { get }
}

/// One search for the nearest edge: boxes and chords in single precision, with certified errors, and whatever
/// these leave open measured in double.
///
/// Depth-first over the box tree, nearest child first, without allocation. `limit` is a chord: of boundary points farther
/// off in a straight line none can be nearest over the surface. It shrinks with every group looked into; edges stay
/// candidates while their chords, less all errors, do not exceed it.
@safe struct BoundarySearch<Measure: EdgeMeasure> {
  private let view: PolygonView
  private let layout: PolygonLayout
  private var frame: SearchFrame
  private let groupsOffset: Int
  var measure: Measure

  /// No chord longer than this matters, metres.
  private var limit: Double
  private var boxLimit: Float = 0
  private var candidates = InlineArray<4, EdgeCandidates>(repeating: EdgeCandidates())
  private var candidateCount = 0

  @inline(__always)
  init(view: PolygonView, frame: SearchFrame, measure: Measure) {
    self.view = view
    self.frame = frame
    self.measure = measure
    layout = view.layout
    groupsOffset = layout.groupsOffset
    limit = .infinity
    tighten(to: min(ChordGaps.farthest, measure.chordLimit))
  }

  mutating func run() {
    guard layout.groupCount > 0, Double(frame.gap) <= limit else { return }
    if layout.groupCount == 1 {
      visit(0)
    } else {
      descend(into: 0, at: PolygonLayout.rootOffset, level: layout.rootLevel)
    }
    flush()
  }

  /// ``run()`` where the way down has been made.
  mutating func run(_ descent: UnsafePointer<vk_descent>) {
    guard unsafe descent.pointee.is_settled != 0 else { return run() }
    limit = unsafe min(limit, descent.pointee.limit)
    for i in 0..<Int(unsafe descent.pointee.found_count) {
      let found = unsafe vk_found(descent)[i]
      guard Double(found.lower) <= limit else { continue }
      if candidateCount == candidates.count { flush() }
      candidates[candidateCount] = found
      candidateCount &+= 1
    }
    flush()
  }

  @inline(__always)
  private mutating func tighten(to chord: Double) {
    guard chord < limit else { return }
    limit = chord
    boxLimit = frame.boxLimit(chord)
  }

  /// Searches below the node at byte `offset`, nearest child first; as deep as the tree has levels.
  private mutating func descend(into node: Int, at offset: Int, level: Int) {
    let childCount = level == 0 ? layout.groupCount : layout.nodeCount(level &- 1)
    let present = min(16, childCount &- node &* 16)
    var gaps = InlineArray<16, Float>(repeating: 0)
    var span = gaps.mutableSpan
    unsafe span.withUnsafeMutableBufferPointer { buffer in
      guard let gaps = buffer.baseAddress else { return }
      let nearest = unsafe view.boxGaps(at: offset, &frame, count: present, gaps)
      unsafe follow(gaps, least: nearest.least, of: node, level: level)
    }
  }

  /// Searches below a node whose boxes' gaps are known.
  @inline(__always)
  private mutating func follow(
    _ gaps: UnsafeMutablePointer<Float>, least: Float, of node: Int, level: Int
  ) {
    let childCount = level == 0 ? layout.groupCount : layout.nodeCount(level &- 1)
    var least = least
    // A NaN ends the loop.
    while least <= boxLimit {
      let child = node &* 16 &+ Int(least.bitPattern & 15)
      least = unsafe vk_take16(gaps, least)
      // Lanes beyond the level's end are never followed, whatever their boxes say.
      if child < childCount {
        if level == 0 {
          if least <= boxLimit {
            // Perhaps the next one.
            let next = node &* 16 &+ Int(least.bitPattern & 15)
            view.prefetch(group: groupsOffset &+ next &* PolygonLayout.groupSize)
          }
          visit(child)
        } else {
          let start = layout.nodeOffset(level &- 1)
          descend(into: child, at: start &+ child &* PolygonLayout.nodeSize, level: level &- 1)
        }
      }
    }
  }

  /// Sixteen edges at once by their chords.
  @inline(__always)
  private mutating func visit(_ group: Int) {
    let offset = groupsOffset &+ group &* PolygonLayout.groupSize
    let chords = ChordGaps(view, frame, at: offset, limit: limit)
    guard Double(chords.lowerBound) <= limit else { return }
    tighten(to: chords.limit)
    guard chords.lanes != 0 else { return }
    // What the search in single precision leaves for the exact measure is wanted soon.
    view.prefetch(remaindersOf: chords.lanes, group: offset)
    candidates[candidateCount] = EdgeCandidates(
      group: Int32(truncatingIfNeeded: group), lower: chords.lowerBound, lanes: chords.lanes,
      ends: chords.ends)
    candidateCount &+= 1
    if candidateCount == candidates.count || limit > ChordGaps.comparableChord { flush() }
  }

  /// Measures the candidates collected.
  private mutating func flush() {
    var i = 0
    while i < candidateCount {
      let found = candidates[i]
      i &+= 1
      guard Double(found.lower) <= limit else { continue }
      let group = Int(found.group)
      // Beyond the last edge there are copies of its end.
      let edges = min(
        PolygonLayout.groupWidth, layout.pointCount &- 1 &- group &* PolygonLayout.groupWidth)
      measure.measure(
        found, lanes: found.lanes & ((1 &<< UInt32(truncatingIfNeeded: edges)) &- 1),
        at: groupsOffset &+ group &* PolygonLayout.groupSize)
      tighten(to: measure.chordLimit)
    }
    candidateCount = 0
  }
}
