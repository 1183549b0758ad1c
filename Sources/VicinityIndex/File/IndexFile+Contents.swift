internal import VicinityGeodesy
internal import VicinityPolygon

extension IndexFile {
  /// Checks everything that answers depend on: records against positions, offsets against coordinates, boxes
  /// and largest radii against the regions below, the identifiers' table against the identifiers.
  ///
  /// - Complexity: O(bytes + n log n)
  static func checkContents(_ tree: PackedRTree) throws(IndexFormatError) {
    try checkIdentifiers(tree)
    var contents = TreeContents(tree)
    try contents.check()
  }

  private static func checkIdentifiers(_ tree: PackedRTree) throws(IndexFormatError) {
    let reader = tree.identifiers
    var previous = 0
    for ordinal in 0..<reader.count {
      let end = reader.end(of: ordinal)
      guard end >= previous, end <= reader.textLength else {
        throw .damaged(part: "identifier \(ordinal)", reason: "it does not end where it could")
      }
      previous = end
    }
    guard previous == reader.textLength else {
      throw .damaged(part: "identifiers", reason: "\(reader.textLength - previous) bytes too many")
    }
    try checkTable(reader)
  }

  /// An identifier's hash, and whose it is.
  private typealias Key = (hash: UInt64, ordinal: Int)

  /// Checks that the table holds every ordinal once, with no empty slot between the ordinal's first slot and
  /// its own; and that no two identifiers are equal, which would stand between the same two empty slots.
  private static func checkTable(_ reader: IdentifierTable.Reader) throws(IndexFormatError) {
    let slots = reader.slots
    guard slots > 0 else { return }
    guard let firstEmpty = (0..<slots).first(where: { reader.slot($0) == IdentifierTable.empty }) else {
      throw .damaged(part: "identifier table", reason: "it has no empty slot")
    }
    var seen = [Bool](repeating: false, count: reader.count)
    var entries = 0
    // What stands before this slot, back to the last empty one.
    var run: [Key] = []
    for i in 1...slots {
      let slot = (firstEmpty + i) & (slots - 1)
      let found = Int(reader.slot(slot))
      if found == Int(IdentifierTable.empty) {
        try checkUniqueness(&run, reader)
        run.removeAll(keepingCapacity: true)
        continue
      }
      guard found < reader.count, !seen[found] else {
        throw .damaged(part: "identifier table", reason: "\(found) in slot \(slot)")
      }
      seen[found] = true
      entries += 1
      let hash = unsafe XXHash64.hash(reader.bytes(of: found))
      let home = Int(truncatingIfNeeded: hash) & (slots - 1)
      guard (slot - home) & (slots - 1) <= run.count else {
        throw .damaged(
          part: "identifier table", reason: "region \(found) is not found where it is looked for")
      }
      run.append((hash, found))
    }
    guard entries == reader.count else {
      throw .damaged(
        part: "identifier table", reason: "\(entries) entries for \(reader.count) regions")
    }
  }

  /// Sorts by hash, then by bytes, so that no choice of identifiers makes it slow.
  private static func checkUniqueness(
    _ run: inout [Key], _ reader: IdentifierTable.Reader
  ) throws(IndexFormatError) {
    guard run.count > 1 else { return }
    run.sort { a, b in
      if a.hash != b.hash { return a.hash < b.hash }
      return unsafe reader.bytes(of: a.ordinal).lexicographicallyPrecedes(reader.bytes(of: b.ordinal))
    }
    for i in 1..<run.count where run[i - 1].hash == run[i].hash {
      let (a, b) = (run[i - 1].ordinal, run[i].ordinal)
      guard unsafe !reader.areEqual(reader.bytes(of: a), reader.bytes(of: b)) else {
        throw .damaged(part: "identifiers", reason: "regions \(min(a, b)) and \(max(a, b)) share one")
      }
    }
  }
}

/// The check of a tree's nodes and leaves against the regions in them.
private struct TreeContents {
  let tree: PackedRTree
  let view: TreeView
  var boxes: [Box]
  /// What is below each node, where that is circles around one centre in order.
  var runs: [CircleRun?]
  var regionCount = 0
  var seenPolygons: [Bool]

  /// How far a centre's stored point may be from the one that its coordinate gives, and from its box, metres:
  /// twice what queries allow for (``TreeQuery``), because another system's sine may differ in its last bit.
  private static let slack = 1e-7

  init(_ tree: PackedRTree) {
    self.tree = tree
    view = tree.view
    boxes = [Box](repeating: Box(), count: tree.layout.nodeCount)
    runs = [CircleRun?](repeating: nil, count: tree.layout.nodeCount)
    seenPolygons = [Bool](repeating: false, count: tree.layout.polygonCount)
  }

  /// From the last node to the first, so that children come before their parents.
  mutating func check() throws(IndexFormatError) {
    defer { withExtendedLifetime(tree) {} }
    var nextNode = view.nodeCount
    var nextLeaf = view.leafCount
    for i in (0..<view.nodeCount).reversed() {
      var isLast = true
      for lane in (0..<TreeLayout.width).reversed() {
        let child = view.child(i, lane)
        if child == TreeLayout.absent { continue }
        let parent = unsafe LaneBox(view.node(i), lane)
        let box: Box
        let run: CircleRun?
        if child & TreeLayout.leafFlag != 0 {
          nextLeaf -= 1
          run = child & TreeLayout.polygonFlag != 0 ? nil : CircleRun(view, leaf: nextLeaf)
          box = try checkLeaf(
            nextLeaf, isPolygonal: child & TreeLayout.polygonFlag != 0, origin: parent)
        } else {
          nextNode -= 1
          box = boxes[nextNode]
          run = runs[nextNode]
          // Searches leave out what is said to come after what they have found.
          guard child & TreeLayout.runFlag == 0 || run != nil else {
            throw .damaged(
              part: "node \(i)", reason: "child \(lane) is not circles around one centre in order")
          }
        }
        runs[i] = isLast ? run : CircleRun(run, before: runs[i])
        isLast = false
        guard parent.covers(box, slack: Self.slack) else {
          throw .damaged(part: "node \(i)", reason: "child \(lane) reaches beyond its box")
        }
        boxes[i].include(box)
      }
    }
    guard regionCount == tree.count else {
      throw .damaged(part: "leaves", reason: "\(regionCount) of \(tree.count) regions")
    }
  }

  private mutating func checkLeaf(
    _ number: Int, isPolygonal: Bool, origin: LaneBox
  ) throws(IndexFormatError) -> Box {
    var box = Box()
    for lane in 0..<TreeLayout.width {
      let leaf = unsafe view.leaf(number)
      let record = unsafe RegionRecord(
        leaf + TreeLayout.recordOffset + lane * TreeLayout.recordSize)
      func row(_ offset: Int) -> Float {
        unsafe leaf.load(fromByteOffset: offset + 4 * lane, as: Float.self)
      }
      let place = SIMD3(row(TreeLayout.leafX), row(TreeLayout.leafY), row(TreeLayout.leafZ))
      guard
        unsafe record.ordinal
          == leaf.load(fromByteOffset: TreeLayout.leafOrdinals + 4 * lane, as: UInt32.self)
      else {
        throw .damaged(part: "leaf \(number)", reason: "lane \(lane) has two ordinals")
      }
      if record.ordinal == TreeLayout.noOrdinal {
        guard place == SIMD3(repeating: TreeLayout.farAway), row(TreeLayout.leafReach) == 0 else {
          throw .damaged(part: "leaf \(number)", reason: "lane \(lane) is empty and not far away")
        }
        continue
      }
      let ordinal = Int(record.ordinal)
      // Each ordinal has one position. So no ordinal occurs twice, and all occur when the counts agree.
      guard ordinal < tree.count, tree.position(ofOrdinal: ordinal) == number * TreeLayout.width + lane
      else {
        throw .damaged(part: "leaf \(number)", reason: "lane \(lane) holds region \(ordinal)")
      }
      regionCount += 1
      try checkShape(of: record, ordinal, isPolygonal: isPolygonal)
      let exact = ECEF(unchecked: record.center)
      guard origin.places(exact, at: place, isPolygonal ? nil : record.remainder, slack: Self.slack),
        row(TreeLayout.leafReach) == Box.inflated(record.radius)
      else {
        throw .damaged(part: "region \(ordinal)", reason: "its place is not its centre's")
      }
      box.include(exact, radius: record.radius)
    }
    return box
  }

  private mutating func checkShape(
    of record: RegionRecord, _ ordinal: Int, isPolygonal: Bool
  ) throws(IndexFormatError) {
    guard record.center.isValid, record.radius >= 0, record.radius.isFinite else {
      throw .damaged(part: "region \(ordinal)", reason: "its centre or radius is out of range")
    }
    guard record.isPolygon == isPolygonal else {
      throw .damaged(part: "region \(ordinal)", reason: "it is of another kind than its leaf")
    }
    guard isPolygonal else { return }
    let slot = record.polygonSlot
    guard let polygon = view.polygon(slot), !seenPolygons[slot] else {
      throw .damaged(part: "region \(ordinal)", reason: "its polygon is number \(slot)")
    }
    seenPolygons[slot] = true
    guard polygon.boundingCenter == record.center, polygon.boundingRadius == record.radius else {
      throw .damaged(part: "region \(ordinal)", reason: "its circle is not its polygon's")
    }
    do throws(PolygonBlobError) {
      try polygon.checkContents()
    } catch {
      throw .damaged(part: "polygon \(slot)", reason: "\(error)")
    }
  }
}

extension LaneBox {
  /// Whether `box` lies inside and has the same largest radius (upper bounds rely on this being no larger
  /// than the radii below), and no number is beyond the Earth. NaN covers nothing.
  fileprivate func covers(_ box: Box, slack: Double) -> Bool {
    let own = self.box
    // Every box covers an empty one, whose ends are the wrong way round.
    return all(own.low - slack .<= box.low) && all(own.high + slack .>= box.high)
      && largestRadius == Box.inflated(box.largestRadius)
      && all(half .<= 3e7) && all(center .<= 3e7) && all(center .>= -3e7)
  }

  /// Whether an offset from the centre, with what rounding left over of it where that is stated, leads to
  /// `exact`.
  fileprivate func places(
    _ exact: ECEF, at offset: SIMD3<Float>, _ remainder: (x: Double, y: Double, z: Double)?,
    slack: Double
  ) -> Bool {
    // No point is farther from another than the Earth is wide. The rounding of an infinite offset would
    // excuse any error.
    guard all(offset .<= 3e7), all(offset .>= -3e7) else { return false }
    var place = SIMD3<Double>(center) + SIMD3<Double>(offset)
    var tolerance = SIMD3<Double>(repeating: slack)
    // Half an ulp of single precision is at most this part of the number.
    let rounding =
      SIMD3<Double>(Double(abs(offset.x)), Double(abs(offset.y)), Double(abs(offset.z))) * 0x1p-24
    if let remainder {
      let rest = SIMD3(remainder.x, remainder.y, remainder.z)
      // Bounds in single precision use the offset alone, so the remainder must be no more than a rounding
      // error.
      let most = 1.001 * rounding + slack
      guard all(rest .<= most), all(rest .>= -most) else { return false }
      place += rest
    } else {
      tolerance += rounding
    }
    let error = place - SIMD3(exact.x, exact.y, exact.z)
    return all(error .<= tolerance) && all(error .>= -tolerance)
  }
}

/// Circles around one centre, the largest first, and those of one radius in the order of ordinals.
private struct CircleRun {
  var center: Coordinate
  var first: LaneTop
  var last: LaneTop

  /// What a leaf holds; nil where that is no run.
  init?(_ view: TreeView, leaf: Int) {
    let record = view.record(leaf, 0)
    (center, first, last) = (record.center, record.top, record.top)
    for lane in 1..<TreeLayout.width {
      let record = view.record(leaf, lane)
      if record.ordinal == TreeLayout.noOrdinal { continue }
      guard record.center == center, LaneTop.precedes(last, record.top) else { return nil }
      last = record.top
    }
  }

  /// Two runs, one behind the other; nil where they do not make one.
  init?(_ a: CircleRun?, before b: CircleRun?) {
    guard let a, let b, a.center == b.center, LaneTop.precedes(a.last, b.first) else { return nil }
    (center, first, last) = (a.center, a.first, b.last)
  }
}
