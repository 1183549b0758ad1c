internal import CVicinityKernels
internal import VicinityGeodesy
internal import VicinityPolygon

/// One query to one tree: search, then exact distances, then the answer in order.
///
/// ``TreeSearch`` collects by bounds alone what may belong to the answer. Here distances are computed with a
/// certified error well below a micrometre, and wherever two of them are too close to order, the reference
/// decides.
struct TreeQuery {
  let tree: TreeView
  let position: Coordinate
  let ecef: ECEF

  init(_ tree: TreeView, at position: Coordinate) {
    self.tree = tree
    self.position = position
    ecef = ECEF(unchecked: position)
  }

  /// Appends the `count` nearest regions, or all, within the options' maximum distance.
  func run(
    count: Int?, _ options: QueryOptions, _ scratch: inout QueryScratch,
    appendingTo result: inout [Neighbor]
  ) {
    // A larger count than the tree has room for asks for everything.
    let wanted = count.map { min($0, tree.leafCount * TreeLayout.width) }
    scratch.distanceError = 0
    guard let wanted, keepsCircles(wanted, options) else {
      return search(wanted, options, &scratch, appendingTo: &result)
    }
    let first = result.count
    let isSearched = !runNearby(wanted, &scratch, appendingTo: &result)
    if isSearched {
      search(wanted, options, &scratch, appendingTo: &result)
    }
    guard result.count == first + wanted else { return scratch.recent.forget() }
    // A micrometre is more than any error of a circle's distance that is exact.
    scratch.recent.remember(
      tree, wanted, at: ecef, isSearched: isSearched, first: result[first].distance,
      last: result[result.count - 1].distance + scratch.distanceError + 1e-6)
  }

  /// Answers by a search of the tree.
  private func search(
    _ wanted: Int?, _ options: QueryOptions, _ scratch: inout QueryScratch,
    appendingTo result: inout [Neighbor]
  ) {
    if options.usesBruteForce {
      scanEveryRegion(&scratch)
    } else {
      let estimates =
        options.tolerance >= Self.leastTolerance && wanted.map { $0 <= Self.mostEstimates } ?? false
      var search = TreeSearch(
        tree, position: position, ecef: ecef, count: wanted, maximumDistance: options.maximumDistance,
        tolerance: options.tolerance, estimates: estimates)
      search.run(&scratch)
      if let wanted, search.estimates {
        if appendEstimates(wanted, of: search, within: options.maximumDistance, &scratch, to: &result) {
          return
        }
        search.measureInstead(&scratch)
      }
      if options.tolerance > 0 { search.measureEstimatedPolygons(&scratch) }
      gatherCircles(below: search.threshold.nextUp, &scratch)
      if scratch.candidateCount == 0,
        appendBatch(wanted ?? .max, within: options.maximumDistance, &scratch, to: &result)
      {
        return
      }
      measureBatch(&scratch)
    }
    let count = min(wanted ?? .max, scratch.candidateCount)
    sortCandidates(&scratch, count: count)
    for i in 0..<count {
      guard unsafe isWithin(options.maximumDistance, &scratch.candidates.base[i]) else { break }
      let candidate = unsafe scratch.candidates.base[i]
      result.append(
        Neighbor(
          ordinal: Int(candidate.record.ordinal), distance: candidate.distance,
          centerDistance: candidate.centerDistance))
    }
  }

  // MARK: Estimates

  /// The least tolerance with which estimates are tried, metres: below, most would not be good enough.
  private static let leastTolerance: Meters = 4
  /// The most regions that are estimated: as many as the search's list of the best has.
  private static let mostEstimates = 32

  /// Answers by a search's estimates.
  ///
  /// - Returns: False, and nothing is appended, where distances have to be measured.
  private func appendEstimates(
    _ count: Int, of search: borrowing TreeSearch, within limit: Meters, _ scratch: inout QueryScratch,
    to result: inout [Neighbor]
  ) -> Bool {
    guard count > 0 else { return true }
    guard let error = search.estimateError(count, scratch).map({ Double($0) }) else { return false }
    let estimates = unsafe scratch.best.base + 4
    let neighbors = unsafe scratch.neighbors.base
    var (found, measured) = (0, 0)
    if scratch.candidateCount > 0 { orderEstimates(&scratch) }
    for rank in 0..<count {
      let estimate = unsafe estimates[rank]
      guard estimate < EstimateTag.nothing else { break }
      let neighbor: Neighbor
      if EstimateTag.isMeasured(estimate) {
        guard measured < scratch.candidateCount else { continue }
        let candidate = unsafe scratch.candidates.base[measured]
        measured += 1
        neighbor = Neighbor(
          ordinal: Int(candidate.record.ordinal), distance: candidate.distance,
          centerDistance: candidate.centerDistance)
      } else {
        // From the rows alone: at a million regions each record comes from memory.
        let leaf = unsafe scratch.visits.base[EstimateTag.visit(estimate)].leaf
        let lane = 4 * EstimateTag.lane(estimate)
        let ordinal = unsafe leaf.load(fromByteOffset: TreeLayout.leafOrdinals + lane, as: UInt32.self)
        // In a damaged file a lane may be no region's.
        guard ordinal < tree.ordinalLimit else { continue }
        let reach = unsafe leaf.load(fromByteOffset: TreeLayout.leafReach + lane, as: Float.self)
        let distance = Double(EstimateTag.value(estimate))
        neighbor = Neighbor(
          ordinal: Int(ordinal), distance: distance,
          centerDistance: max(0, distance + Double(reach) * (1 - Double(TreeLayout.slack))))
      }
      if neighbor.distance + error > limit {
        if neighbor.distance - error > limit { break }
        return false
      }
      unsafe neighbors[found] = neighbor
      found += 1
    }
    if measured > 0, measured < found {
      var answer = unsafe UnsafeMutableBufferPointer(start: neighbors, count: found)
      unsafe answer.sort { $0.distance < $1.distance }
    }
    unsafe result.append(contentsOf: UnsafeBufferPointer(start: neighbors, count: found))
    scratch.distanceError = error
    return true
  }

  /// Orders what is measured, and polygons by their estimates.
  private func orderEstimates(_ scratch: inout QueryScratch) {
    if scratch.candidateCount > 8, scratch.candidateCount <= Self.sortingCapacity { presort(&scratch) }
    unsafe Self.sort(
      UnsafeMutableBufferPointer(start: scratch.candidates.base, count: scratch.candidateCount))
  }

  // MARK: Brute force

  /// Makes every region a candidate, its distance the reference's: PROJ's for circles, that of every edge for
  /// polygons. All other paths are tested against this one, so the product keeps it, behind
  /// ``QueryOptions/usesBruteForce``.
  private func scanEveryRegion(_ scratch: inout QueryScratch) {
    scratch.reset()
    for n in 0..<tree.nodeCount {
      for lane in 0..<TreeLayout.width {
        let child = tree.child(n, lane)
        guard child != TreeLayout.absent, child & TreeLayout.leafFlag != 0 else { continue }
        let isPolygonal = child & TreeLayout.polygonFlag != 0
        for slot in 0..<TreeLayout.width {
          scan(
            tree.record(Int(child & TreeLayout.childMask), slot), isPolygonal: isPolygonal, &scratch)
        }
      }
    }
  }

  private func scan(_ record: RegionRecord, isPolygonal: Bool, _ scratch: inout QueryScratch) {
    guard record.ordinal < tree.ordinalLimit else { return }
    guard isPolygonal else {
      let s12 = Geodesic.uncheckedDistance(position, record.center)
      return scratch.append(
        QueryScratch.Candidate(
          distance: s12 - record.radius, error: 0, centerDistance: s12, record: record))
    }
    guard let polygon = tree.polygon(record.polygonSlot) else { return }
    scratch.append(
      QueryScratch.Candidate(
        distance: polygon.bruteForceSignedBoundaryDistance(from: position), error: 0,
        centerDistance: .nan, record: record))
  }

  // MARK: Distances

  /// Single precision in two parts places a centre to within 2⁻⁴⁸ of its offset from the leaf's
  /// origin, 2.5e-8 m across the Earth. The subtraction from the query adds as much again.
  private static let inputError: Double = 5e-8

  /// The longest chord at which the series' own error stays well within a micrometre, metres: at 700 km it is
  /// 4e-7. For longer chords the solver is better; for shorter ones the series is cheaper.
  private static let longestSeriesChord: Double = 7e5

  /// The longest chord for which ``vk_near_distances`` may be used, metres, and the error there: the series'
  /// error, and what its short form leaves out, w³ 5/7168 and the terms of second and third order in e'²:
  /// 6e-9 m in all at 100 km.
  private static let longestNearChord: Double = 1e5
  private static var nearError: Double {
    ChordSeries.errorBound(chord: longestNearChord, inputError: inputError) + 1e-8
  }

  /// Gathers all circles with a lower bound below `limit`. The last of them, up to 32, stay in the batch;
  /// where there are more, the others are measured and become candidates.
  func gatherCircles(below limit: Float, _ scratch: inout QueryScratch) {
    // SAFETY: the columns are arrays of 48 within one allocation that outlives the query.
    let columns = unsafe BatchColumns(scratch.circleBatch.base)
    var n = 0
    for v in 0..<scratch.visitCount {
      let visit = unsafe scratch.visits.base[v]
      var mask = unsafe visit.circles & vk_below16(scratch.visitBounds.base + 16 * v, limit)
      if n > Self.sortingCapacity - TreeLayout.width, mask != 0,
        n &+ mask.nonzeroBitCount > Self.sortingCapacity
      {
        scratch.circleBatchCount = n
        measureBatch(&scratch)
        n = 0
      }
      while mask != 0 {
        let lane = mask.trailingZeroBitCount
        mask &= mask &- 1
        let row = unsafe visit.leaf.assumingMemoryBound(to: Float.self) + lane
        let record = unsafe RegionRecord(
          visit.leaf + (TreeLayout.recordOffset + TreeLayout.recordSize &* lane))
        let low = record.remainder
        unsafe columns.dx[n] = visit.x - (Double(row[0]) + low.x)
        unsafe columns.dy[n] = visit.y - (Double(row[16]) + low.y)
        unsafe columns.dz[n] = visit.z - (Double(row[32]) + low.z)
        unsafe columns.radius[n] = record.radius
        unsafe columns.record[n] = record.base
        // In a damaged file a record may be no region's.
        n &+= record.ordinal < tree.ordinalLimit ? 1 : 0
      }
    }
    scratch.circleBatchCount = n
  }

  /// Makes candidates of the batch's circles: by the series where all are within its reach.
  private func measureBatch(_ scratch: inout QueryScratch) {
    let count = scratch.circleBatchCount
    scratch.circleBatchCount = 0
    guard count > 0 else { return }
    scratch.reserveCandidates(count)
    let batch = unsafe scratch.circleBatch.base
    let columns = unsafe BatchColumns(batch)
    let candidates = unsafe scratch.candidates.base + scratch.candidateCount
    scratch.candidateCount += count
    var longest2 = 0.0
    for i in 0..<count {
      let chord2 = columns.chord2(i)
      // Not a number in a damaged file.
      longest2 = chord2 <= longest2 ? longest2 : chord2
    }
    let error: Meters
    let n = Int32(truncatingIfNeeded: count)
    if longest2 <= Self.longestSeriesChord * Self.longestSeriesChord {
      var series = KernelConstants.chordSeries
      unsafe vk_series_distances(&series, batch, n, 2 * ecef.z)
      // The bound rises with the chord. Up to 100 km the one for 100 km serves for all and saves a root.
      error =
        longest2 <= Self.longestNearChord * Self.longestNearChord
        ? Self.nearError
        : ChordSeries.errorBound(chord: longest2.squareRoot(), inputError: Self.inputError)
    } else {
      var series = KernelConstants.geodesicSeries
      unsafe vk_far_distances(&series, batch, n, ecef.x, ecef.y, ecef.z)
      error = GeodesicSolver.errorBound(inputError: Self.inputError)
    }
    for i in 0..<count {
      let s12 = unsafe columns.centerDistance[i]
      unsafe candidates[i] =
        s12.isFinite ? candidate(columns, i, s12: s12, error: error) : unsolvedCandidate(columns, i)
    }
  }

  /// The candidate of a circle that no kernel measures.
  private func unsolvedCandidate(_ columns: BatchColumns, _ i: Int) -> QueryScratch.Candidate {
    let (dx, dy, dz) = unsafe (columns.dx[i], columns.dy[i], columns.dz[i])
    let s12 = GeodesicSolver.distance(
      from: ecef, to: ECEF(x: ecef.x - dx, y: ecef.y - dy, z: ecef.z - dz))
    // In a damaged file a record may hold anything.
    guard s12.isFinite else {
      let center = unsafe RegionRecord(columns.record[i]).center
      return candidate(columns, i, s12: Geodesic.uncheckedDistance(position, center), error: 0)
    }
    return candidate(columns, i, s12: s12, error: GeodesicSolver.errorBound(inputError: Self.inputError))
  }

  @inline(__always)
  private func candidate(
    _ columns: BatchColumns, _ i: Int, s12: Meters, error: Meters
  ) -> QueryScratch.Candidate {
    let radius = unsafe columns.radius[i]
    // Rounding of the difference: half an ulp of the larger.
    return unsafe QueryScratch.Candidate(
      distance: s12 - radius, error: error + (s12 + radius) * 1.2e-16, centerDistance: s12,
      record: RegionRecord(columns.record[i]))
  }

  /// Replaces a circle's distance by the reference's.
  private func askReference(_ candidate: inout QueryScratch.Candidate) {
    guard candidate.error > 0, !candidate.centerDistance.isNaN else { return }
    let s12 = Geodesic.uncheckedDistance(position, candidate.record.center)
    candidate.centerDistance = s12
    candidate.distance = s12 - candidate.record.radius
    candidate.error = 0
  }

  /// Whether a candidate lies within `limit`, by the reference where its error leaves that open.
  @inline(__always)
  private func isWithin(_ limit: Double, _ candidate: inout QueryScratch.Candidate) -> Bool {
    if abs(candidate.distance - limit) <= candidate.error { askReference(&candidate) }
    return candidate.distance <= limit
  }

  // MARK: Order

  /// The most regions that the network sorts.
  static let sortingCapacity = 32

  /// Sorts single-precision keys, each of which carries its slot in its low five mantissa bits, and calls
  /// `body` with the slots in the order of their keys.
  ///
  /// The lost bits put a key up to 32 ulp (4e-6 of the distance) off, so the order is a guess that the caller
  /// has to prove. Sorting twenty candidates by insertion took 19 % of a query's time (100k regions, near).
  ///
  /// - Parameter keys: `count` keys, and 3.4e38 in the rest of the first 32.
  /// - Returns: False where a distance is not a number, as in a file whose contents nobody has checked: it
  ///   drops out of the network's minima and maxima, and a key without a slot takes its place.
  @inline(__always)
  private static func forEachSlot(
    sorting keys: UnsafeMutablePointer<Float>, count: Int, _ body: (_ rank: Int, _ slot: Int) -> Void
  ) -> Bool {
    unsafe count <= 16 ? vk_sort16_at(keys) : vk_sort32(keys)
    for rank in 0..<count {
      let slot = Int(unsafe keys[rank].bitPattern & 31)
      guard slot < count else { return false }
      body(rank, slot)
    }
    return true
  }

  /// The usual end of a query: up to 32 circles near by whose order follows from their distances alone.
  /// Measures the batch, sorts it and appends the first `count` in one go.
  ///
  /// - Returns: Whether the order is certain and all lie within `limit`; otherwise nothing is appended.
  @inline(__always)
  func appendBatch(
    _ count: Int, within limit: Double, _ scratch: inout QueryScratch, to result: inout [Neighbor]
  ) -> Bool {
    let n = scratch.circleBatchCount
    guard n > 0, n <= Self.sortingCapacity else { return false }
    let keys = unsafe scratch.keys.base
    unsafe vk_fill32(keys, 3.4e38)
    var series = KernelConstants.chordSeries
    let largestRadius = unsafe vk_near_distances(
      &series, scratch.circleBatch.base, Int32(truncatingIfNeeded: n), 2 * ecef.z, keys)
    // Infinite when one of the circles is not near. Rounding of the difference: half an ulp of the larger.
    let error = Self.nearError + (Self.longestNearChord + largestRadius) * 1.2e-16
    guard error < .infinity else { return false }
    let columns = unsafe BatchColumns(scratch.circleBatch.base)
    let neighbors = unsafe scratch.neighbors.base
    var last = -Double.infinity
    var isCertain = true
    let isComplete = unsafe Self.forEachSlot(sorting: keys, count: n) { rank, slot in
      let distance = unsafe columns.distance[slot]
      isCertain = isCertain && distance - last > 2 * error
      last = distance
      unsafe neighbors[rank] = Neighbor(
        ordinal: Int(RegionRecord(columns.record[slot]).ordinal), distance: distance,
        centerDistance: columns.centerDistance[slot])
    }
    guard isComplete, isCertain, last + error < limit else { return false }
    unsafe result.append(contentsOf: UnsafeBufferPointer(start: neighbors, count: min(count, n)))
    return true
  }

  /// Sorts the candidates by distance, then ordinal, and asks the reference wherever the errors leave the
  /// order open among the first `count`.
  private func sortCandidates(_ scratch: inout QueryScratch, count: Int) {
    if scratch.candidateCount > Self.fewestSelected, count < scratch.candidateCount / 4 {
      selectCandidates(&scratch, count: count)
    }
    if scratch.candidateCount > 8, scratch.candidateCount <= Self.sortingCapacity {
      presort(&scratch)
    }
    let candidates = unsafe UnsafeMutableBufferPointer(
      start: scratch.candidates.base, count: scratch.candidateCount)
    unsafe Self.sort(candidates)
    var largestError: Meters = 0
    for i in candidates.indices { largestError = unsafe max(largestError, candidates[i].error) }
    var start = 0
    while start < min(count, candidates.count) {
      // A run: what may, by its error, come before one that is already in it, and all that lies between.
      // Errors differ, so one that may can stand behind others that cannot.
      var end = start + 1
      var reach = unsafe candidates[start].distance + candidates[start].error
      var next = end
      while next < candidates.count, unsafe candidates[next].distance - largestError <= reach {
        if unsafe candidates[next].distance - candidates[next].error <= reach {
          for i in end...next { unsafe reach = max(reach, candidates[i].distance + candidates[i].error) }
          end = next + 1
        }
        next += 1
      }
      if end - start > 1 {
        unsafe orderByReference(UnsafeMutableBufferPointer(rebasing: candidates[start..<end]))
      }
      start = end
    }
  }

  /// From this many candidates on, those that cannot be among the first are dropped before the others are
  /// sorted.
  private static let fewestSelected = 128

  /// Drops candidates that cannot be among the first `count`: where many regions are about as far away, their
  /// order does not matter. Many of the same circle are ordered by their ordinals alone.
  ///
  /// - Complexity: O(candidates), on average
  private func selectCandidates(_ scratch: inout QueryScratch, count: Int) {
    guard count > 0 else {
      scratch.candidateCount = 0
      return
    }
    let base = unsafe scratch.candidates.base
    let all = scratch.candidateCount
    unsafe Self.select(base, all, nth: count - 1)
    let first = unsafe base[0]
    // From one leaf to another the same circle's distance differs by rounding; ordinals have to decide.
    for i in 1..<all where unsafe Self.areSame(first, base[i]) {
      unsafe base[i].takeDistance(of: first)
    }
    unsafe Self.select(base, all, nth: count - 1)
    var reach = -Double.infinity
    var areSame = true
    for i in 0..<count {
      unsafe reach = max(reach, base[i].distance + base[i].error)
      areSame = unsafe areSame && Self.areSame(first, base[i])
    }
    var kept = count
    for i in count..<all {
      let candidate = unsafe base[i]
      guard candidate.distance - candidate.error <= reach, !(areSame && Self.areSame(first, candidate)) else {
        continue
      }
      unsafe base[kept] = candidate
      kept += 1
    }
    scratch.candidateCount = kept
  }

  /// Whether two candidates are the same circle, so that they are equally far away.
  @inline(__always)
  private static func areSame(_ a: QueryScratch.Candidate, _ b: QueryScratch.Candidate) -> Bool {
    !a.centerDistance.isNaN && !b.centerDistance.isNaN && a.record.radius == b.record.radius
      && a.record.center == b.record.center
  }

  /// Moves the candidates that come before the `nth` in front of it.
  ///
  /// Quickselect with the median of three pseudo-random picks, as
  /// ``MedianOrder/select(_:from:to:nth:axis:)``.
  private static func select(
    _ items: UnsafeMutablePointer<QueryScratch.Candidate>, _ count: Int, nth: Int
  ) {
    var (low, high) = (0, count - 1)
    var state = UInt64(truncatingIfNeeded: count)
    while high > low {
      let span = UInt64(high - low)
      func pick() -> QueryScratch.Candidate {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return unsafe items[low + Int((state >> 32) % span)]
      }
      var (a, b, c) = (pick(), pick(), pick())
      if precedes(b, a) { swap(&a, &b) }
      if precedes(c, b) { swap(&b, &c) }
      if precedes(b, a) { swap(&a, &b) }
      let pivot = b
      var (i, j) = (low - 1, high + 1)
      while true {
        repeat { i += 1 } while unsafe precedes(items[i], pivot)
        repeat { j -= 1 } while unsafe precedes(pivot, items[j])
        if i >= j { break }
        let item = unsafe items[i]
        unsafe items[i] = items[j]
        unsafe items[j] = item
      }
      if nth <= j { high = j } else { low = j + 1 }
    }
  }

  /// Puts up to 32 candidates nearly in order, so that the insertion sort has little left to do.
  private func presort(_ scratch: inout QueryScratch) {
    let n = scratch.candidateCount
    let keys = unsafe scratch.keys.base
    unsafe vk_fill32(keys, 3.4e38)
    for i in 0..<n {
      // An infinite key with a slot in its low bits would not be a number.
      let bits = unsafe Float(max(-3e38, scratch.candidates.base[i].distance)).bitPattern
      unsafe keys[i] = Float(bitPattern: bits & ~31 | UInt32(truncatingIfNeeded: i))
    }
    scratch.reserveCandidates(n)
    let candidates = unsafe scratch.candidates.base
    let sorted = unsafe candidates + n
    let isComplete = unsafe Self.forEachSlot(sorting: keys, count: n) { rank, slot in
      unsafe sorted[rank] = candidates[slot]
    }
    if isComplete { unsafe candidates.update(from: sorted, count: n) }
  }

  /// Orders a run by the reference; by ordinals alone where all are the same circle.
  private func orderByReference(_ run: UnsafeMutableBufferPointer<QueryScratch.Candidate>) {
    let first = unsafe run[0]
    let areSame = unsafe run.dropFirst().allSatisfy { Self.areSame(first, $0) }
    for i in run.indices {
      if areSame {
        unsafe run[i].takeDistance(of: first)
      } else {
        unsafe askReference(&run[i])
      }
    }
    unsafe Self.sort(run)
  }

  @inline(__always)
  private static func precedes(_ a: QueryScratch.Candidate, _ b: QueryScratch.Candidate) -> Bool {
    if a.distance != b.distance { return a.distance < b.distance }
    return a.record.ordinal < b.record.ordinal
  }

  /// Sorts in place without allocating: by insertion for the usual twenty-odd, by a heap beyond.
  private static func sort(_ items: UnsafeMutableBufferPointer<QueryScratch.Candidate>) {
    let count = items.count
    guard count > 48, let heap = items.baseAddress else {
      for i in 1..<max(1, count) {
        let item = unsafe items[i]
        var j = i
        while j > 0, unsafe precedes(item, items[j - 1]) {
          unsafe items[j] = items[j - 1]
          j -= 1
        }
        unsafe items[j] = item
      }
      return
    }
    for root in (0..<count / 2).reversed() {
      unsafe siftDown(heap[root], from: root, in: heap, count: count, precedes)
    }
    for end in (1..<count).reversed() {
      let item = unsafe heap[end]
      unsafe heap[end] = heap[0]
      unsafe siftDown(item, from: 0, in: heap, count: end, precedes)
    }
  }
}

/// The columns of a batch of circles, as pointers.
@safe struct BatchColumns {
  /// Where the centres are: the query's position minus the centre, metres.
  let dx: UnsafeMutablePointer<Double>
  let dy: UnsafeMutablePointer<Double>
  let dz: UnsafeMutablePointer<Double>
  let radius: UnsafeMutablePointer<Double>
  /// What the kernels measure, metres.
  let centerDistance: UnsafeMutablePointer<Double>
  let distance: UnsafeMutablePointer<Double>
  let record: UnsafeMutablePointer<UnsafeRawPointer>

  @inline(__always)
  init(_ batch: UnsafeMutablePointer<vk_batch>) {
    let base = UnsafeMutableRawPointer(batch)
    unsafe dx = base.assumingMemoryBound(to: Double.self)
    unsafe dy = dx + 48
    unsafe dz = dy + 48
    unsafe radius = dz + 48
    unsafe centerDistance = radius + 48
    unsafe distance = centerDistance + 48
    unsafe record = UnsafeMutableRawPointer(distance + 48).assumingMemoryBound(to: UnsafeRawPointer.self)
  }

  /// The square of a centre's distance in a straight line, square metres.
  @inline(__always)
  func chord2(_ i: Int) -> Double {
    unsafe dx[i] * dx[i] + dy[i] * dy[i] + dz[i] * dz[i]
  }
}
