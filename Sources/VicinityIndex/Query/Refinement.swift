internal import VicinityGeodesy

/// Turns the candidates of a search into the answer: distances certified to well below a micrometre,
/// order by the authority wherever two of them are too close to call.
struct Refinement {
  let position: Coordinate
  let place: ECEF

  /// Single precision in two parts places a centre to within 2⁻⁴⁸ of its offset from the leaf's
  /// origin, 2.5e-8 m across the Earth, and the subtraction from the query adds as much again.
  private static let inputError: Double = 5e-8

  /// The chord up to which the series' own error stays well within a micrometre, metres: at 700 km it is
  /// 4e-7. Farther, the fast inverse is better; nearer, it is cheaper.
  private static let longestSeriesChord: Double = 7e5

  private static var nearError: Double { ChordSeries.errorBound(chord: 1e5, inputError: inputError) }

  /// Finds the distances of all candidates that may be among the wanted.
  func evaluate(_ search: borrowing TreeSearch, _ scratch: inout QueryScratch) {
    let threshold = search.threshold
    let candidates = unsafe scratch.candidates
    var n = 0
    for i in 0..<scratch.candidateCount {
      let candidate = unsafe candidates[i]
      unsafe candidates[n] = candidate
      n += candidate.lower <= threshold ? 1 : 0
    }
    scratch.reserveFinalists(n)
    var i = 0
    while i + 4 <= n, unsafe evaluateFour(candidates + i, &scratch) { i += 4 }
    while i < n {
      let slot = unsafe candidates[i].slot
      let visit = unsafe scratch.visits[Int(slot >> 4)]
      let finalist = finalist(visit, Int(slot & 15))
      i += 1
      // A damaged file's records may be no regions.
      guard unsafe RegionRecord(finalist.record).ordinal < visit.ordinalLimit else { continue }
      scratch.append(finalist)
    }
  }

  /// Where a candidate's centre lies from the query, and its record.
  @inline(__always)
  private func offset(
    _ candidate: QueryScratch.Candidate, _ visits: UnsafeMutablePointer<QueryScratch.Visit>
  ) -> (x: Double, y: Double, z: Double, record: RegionRecord, isRegion: Bool) {
    let visit = unsafe visits[Int(candidate.slot >> 4)]
    let lane = Int(candidate.slot & 15)
    let row = unsafe visit.leaf.assumingMemoryBound(to: Float.self) + lane
    let record = unsafe RegionRecord(
      visit.leaf + TreeLayout.recordOffset + TreeLayout.recordSize * lane)
    let low = record.remainder
    return (
      visit.x - (Double(unsafe row[0]) + low.x), visit.y - (Double(unsafe row[16]) + low.y),
      visit.z - (Double(unsafe row[32]) + low.z), record, record.ordinal < visit.ordinalLimit
    )
  }

  /// Four candidates at once, where all are near: the series costs half as much in four lanes.
  ///
  /// - Returns: Whether all were near enough, and regions; nothing is done otherwise.
  @inline(__always)
  private func evaluateFour(
    _ candidates: UnsafeMutablePointer<QueryScratch.Candidate>, _ scratch: inout QueryScratch
  ) -> Bool {
    let a = unsafe offset(candidates[0], scratch.visits)
    let b = unsafe offset(candidates[1], scratch.visits)
    let c = unsafe offset(candidates[2], scratch.visits)
    let d = unsafe offset(candidates[3], scratch.visits)
    let dx = SIMD4(a.x, b.x, c.x, d.x)
    let dy = SIMD4(a.y, b.y, c.y, d.y)
    let dz = SIMD4(a.z, b.z, c.z, d.z)
    let chord2 = dx * dx + dy * dy + dz * dz
    guard chord2[0] <= 1e10, chord2[1] <= 1e10, chord2[2] <= 1e10, chord2[3] <= 1e10,
      a.isRegion, b.isRegion, c.isRegion, d.isRegion
    else { return false }
    let s12 = ChordSeries.distance(dx: dx, dy: dy, dz: dz, zSum: 2 * place.z - dz)
    let radius = SIMD4(a.record.radius, b.record.radius, c.record.radius, d.record.radius)
    let distance = s12 - radius
    let error = Self.nearError + (s12 + radius) * 1.2e-16
    let finalists = unsafe scratch.finalists + scratch.finalistCount
    unsafe finalists[0] = QueryScratch.Finalist(
      distance: distance[0], error: error[0], center: s12[0], record: a.record.base)
    unsafe finalists[1] = QueryScratch.Finalist(
      distance: distance[1], error: error[1], center: s12[1], record: b.record.base)
    unsafe finalists[2] = QueryScratch.Finalist(
      distance: distance[2], error: error[2], center: s12[2], record: c.record.base)
    unsafe finalists[3] = QueryScratch.Finalist(
      distance: distance[3], error: error[3], center: s12[3], record: d.record.base)
    scratch.finalistCount += 4
    return true
  }

  @inline(__always)
  private func finalist(_ visit: QueryScratch.Visit, _ lane: Int) -> QueryScratch.Finalist {
    let row = unsafe visit.leaf.assumingMemoryBound(to: Float.self) + lane
    let record = unsafe RegionRecord(
      visit.leaf + TreeLayout.recordOffset + TreeLayout.recordSize * lane)
    let low = record.remainder
    let dx = visit.x - (Double(unsafe row[0]) + low.x)
    let dy = visit.y - (Double(unsafe row[16]) + low.y)
    let dz = visit.z - (Double(unsafe row[32]) + low.z)
    let chord2 = dx * dx + dy * dy + dz * dz
    var s12: Double
    var error: Double
    if chord2 <= Self.longestSeriesChord * Self.longestSeriesChord {
      s12 = ChordSeries.distance(dx: dx, dy: dy, dz: dz, zSum: 2 * place.z - dz)
      // The bound rises with the chord; near by, that of 100 km serves for all and saves a root.
      error =
        chord2 <= 1e10
        ? Self.nearError
        : ChordSeries.errorBound(chord: chord2.squareRoot(), inputError: Self.inputError)
    } else {
      s12 = FastInverse.distance(
        from: place, to: ECEF(x: place.x - dx, y: place.y - dy, z: place.z - dz))
      error = FastInverse.errorBound(inputError: Self.inputError)
      if !s12.isFinite {
        s12 = Geodesic.uncheckedDistance(position, record.center)
        error = 0
      }
    }
    let radius = record.radius
    let distance = s12 - radius
    // Rounding of the difference: half an ulp of the larger.
    return unsafe QueryScratch.Finalist(
      distance: distance, error: error + (s12 + radius) * 1.2e-16, center: s12, record: record.base)
  }

  /// Sorts the finalists and settles every order that the errors leave open among the first `count`.
  func rank(_ scratch: inout QueryScratch, count: Int) {
    let finalists = unsafe UnsafeMutableBufferPointer(
      start: scratch.finalists, count: scratch.finalistCount)
    unsafe FinalistOrder.sort(finalists)
    var start = 0
    while start < min(count, finalists.count) {
      // A run: every next one may, by its error, come before one already in it.
      var end = start + 1
      var reach = unsafe finalists[start].distance + finalists[start].error
      while end < finalists.count,
        unsafe finalists[end].distance - finalists[end].error <= reach
      {
        reach = max(reach, unsafe finalists[end].distance + finalists[end].error)
        end += 1
      }
      if end - start > 1 {
        unsafe settle(UnsafeMutableBufferPointer(rebasing: finalists[start..<end]))
      }
      start = end
    }
  }

  /// Orders a run by the authority; by ordinals alone where all are the same circle.
  private func settle(_ run: UnsafeMutableBufferPointer<QueryScratch.Finalist>) {
    let first = unsafe RegionRecord(run[0].record)
    var areSame = unsafe !run[0].center.isNaN
    for i in 1..<run.count where areSame {
      let other = unsafe RegionRecord(run[i].record)
      areSame =
        unsafe !run[i].center.isNaN && other.center == first.center && other.radius == first.radius
    }
    for i in run.indices {
      if areSame {
        unsafe run[i].distance = run[0].distance
        unsafe run[i].center = run[0].center
      } else {
        unsafe askAuthority(&run[i])
      }
    }
    unsafe FinalistOrder.sort(run)
  }

  /// Replaces a circle's distance by the authority's.
  func askAuthority(_ finalist: inout QueryScratch.Finalist) {
    guard finalist.error > 0, !finalist.center.isNaN else { return }
    let record = unsafe RegionRecord(finalist.record)
    let s12 = Geodesic.uncheckedDistance(position, record.center)
    finalist.center = s12
    finalist.distance = s12 - record.radius
    finalist.error = 0
  }

  /// Whether a finalist lies within `limit`, by the authority where its error leaves that open.
  @inline(__always)
  func isWithin(_ limit: Double, _ finalist: inout QueryScratch.Finalist) -> Bool {
    if abs(finalist.distance - limit) <= finalist.error { askAuthority(&finalist) }
    return finalist.distance <= limit
  }
}

/// Sorting by distance, then ordinal, in place and without allocation.
enum FinalistOrder {
  typealias Finalist = QueryScratch.Finalist

  @inline(__always)
  private static func precedes(_ a: Finalist, _ b: Finalist) -> Bool {
    if a.distance != b.distance { return a.distance < b.distance }
    return unsafe RegionRecord(a.record).ordinal < RegionRecord(b.record).ordinal
  }

  /// Insertion sort for the usual twenty-odd, heapsort beyond.
  static func sort(_ items: UnsafeMutableBufferPointer<Finalist>) {
    guard items.count > 48 else {
      for i in 1..<max(1, items.count) {
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
    for root in (0..<items.count / 2).reversed() {
      unsafe siftDown(items, root, items.count)
    }
    for end in (1..<items.count).reversed() {
      unsafe items.swapAt(0, end)
      unsafe siftDown(items, 0, end)
    }
  }

  private static func siftDown(
    _ items: UnsafeMutableBufferPointer<Finalist>, _ root: Int, _ end: Int
  ) {
    let item = unsafe items[root]
    var hole = root
    while true {
      var child = 2 * hole + 1
      guard child < end else { break }
      if child + 1 < end, unsafe precedes(items[child], items[child + 1]) { child += 1 }
      guard unsafe precedes(item, items[child]) else { break }
      unsafe items[hole] = items[child]
      hole = child
    }
    unsafe items[hole] = item
  }
}
