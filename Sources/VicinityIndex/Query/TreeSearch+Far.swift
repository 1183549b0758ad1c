internal import CVicinityKernels
internal import VicinityGeodesy
internal import VicinityPolygon

/// How a search bounds what is thousands of kilometres away.
///
/// There a chord leaves open up to three thousandths of the distance: tens of kilometres, in which all the
/// regions of a country may lie. The distance to one point of a box, and the box's size, leave open as much
/// as the box is wide. So boxes are bounded by their middles, and circles are measured at once.
extension TreeSearch {
  /// Boxes farther than this are bounded by their middles, metres. Chords leave open 9 km here
  /// (`vk_chord_bounds`), and beyond 8770 km everything.
  private static let far: Float = 6e6
  /// The most by which the bound of a box by its chord may be low, as a share of it (`vk_image_bound`).
  private static let chordSlack: Float = 0.0035

  /// Raises the lower bounds of a node's children that are far away, and not much larger than what their
  /// chords leave open.
  ///
  /// Let C be the point of the ellipsoid in the direction of a box's middle. No region's centre is farther
  /// from it than half the box's diagonal and the way from the middle to C together; and no distance to a
  /// centre is less than the distance to C less that.
  ///
  /// - Returns: The smallest bound.
  @inline(never)
  func raiseByMiddles(
    _ node: UnsafeRawPointer, _ bounds: UnsafeMutablePointer<Float>, _ smallest: Float
  ) -> Float {
    guard smallest > Self.far else { return smallest }
    let halves = unsafe node.assumingMemoryBound(to: Float.self) + 48
    var least = Float.greatestFiniteMagnitude
    for lane in 0..<TreeLayout.width {
      let (x, y, z) = unsafe (halves[lane], halves[16 + lane], halves[32 + lane])
      let slack = unsafe Self.chordSlack * bounds[lane]
      // Most boxes are too large.
      if x * x + y * y + z * z < slack * slack,
        let raised = unsafe boundByMiddle(LaneBox(node, lane), bounds[lane], Double(slack))
      {
        // The lane stands in the low bits.
        let bits = raised.bitPattern & ~15 | UInt32(truncatingIfNeeded: lane)
        unsafe bounds[lane] = max(bounds[lane], Float(bitPattern: bits))
      }
      least = unsafe min(least, bounds[lane])
    }
    return least
  }

  /// A lower bound of the boundary distance to anything in a box; nil where it would be of no use.
  ///
  /// - Parameters:
  ///   - bound: That by its chord.
  ///   - slack: By how much it may be low, metres.
  private func boundByMiddle(_ box: LaneBox, _ bound: Float, _ slack: Meters) -> Float? {
    // Where all within the limit are wanted, only boxes that may lie beyond it are of interest.
    guard bound < prune, count != nil || Double(bound) + slack >= Double(prune) else { return nil }
    let (middle, half) = (SIMD3<Double>(box.center), SIMD3<Double>(box.half))
    let ellipsoidal = middle / SIMD3(WGS84.a, WGS84.a, WGS84.b)
    let scale = 1 / (ellipsoidal * ellipsoidal).sum().squareRoot()
    // A millimetre covers all roundings of double precision.
    let reach =
      (half * half).sum().squareRoot() + abs(scale - 1) * (middle * middle).sum().squareRoot() + 1e-3
    guard reach < slack else { return nil }
    let point = middle * scale
    let distance = GeodesicSolver.distance(from: ecef, to: ECEF(x: point.x, y: point.y, z: point.z))
    let raised =
      (distance - GeodesicBounds.upperBound(chord: reach)) * (1 - Double(TreeLayout.slack))
      - Double(box.largestRadius)
    return raised.isFinite && abs(raised) < Double(TreeLayout.farAway) ? Float(raised).nextDown : nil
  }

  /// Whether upper bounds of some of a leaf's circles say nothing, so that these have to be measured.
  @inline(__always)
  func areFar(_ upper: UnsafePointer<Float>, _ mask: UInt32, extent: Float) -> Bool {
    unsafe extent > Self.far && count != nil && mask & ~vk_below16(upper, 1e29) != 0
  }

  /// Makes candidates of a leaf's far circles.
  @inline(never)
  mutating func measureFar(_ leaf: UnsafeRawPointer, _ mask: UInt32, _ scratch: inout QueryScratch) {
    var uppers = SIMD16<Float>()
    var found: UInt32 = 0
    var mask = mask
    while mask != 0 {
      let lane = mask.trailingZeroBitCount
      mask &= mask - 1
      let record = unsafe RegionRecord(leaf + TreeLayout.recordOffset + TreeLayout.recordSize * lane)
      let center = GeodesicSolver.distance(from: ecef, to: ECEF(unchecked: record.center))
      let distance = center - record.radius
      // Rounding of the difference: half an ulp of the larger.
      let error = GeodesicSolver.errorBound + (center + record.radius) * 1.2e-16
      // In a damaged file a lane may be no region's, and a record may hold anything.
      guard record.ordinal < tree.ordinalLimit, distance.isFinite,
        Float(distance - error).nextDown < prune
      else { continue }
      scratch.append(
        QueryScratch.Candidate(distance: distance, error: error, centerDistance: center, record: record))
      largestHalf = max(largestHalf, Float(error).nextUp)
      uppers[lane] = Self.roundedUp(upper: distance + error)
      found |= 1 << UInt32(lane)
    }
    if found != 0 { unsafe uppers.withUnsafeFloats { unsafe offer($0, 0, found, &scratch) } }
  }
}
