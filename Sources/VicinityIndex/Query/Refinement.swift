internal import CVicinityKernels
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

  /// The chord up to which ``vk_near_distances`` may be used, metres, and the error there: the series', and what its
  /// short form leaves out, w³ 5/7168 and the terms of second and third order in e'²: 6e-9 m in all at 100 km.
  private static let longestNearChord: Double = 1e5
  private static var nearError: Double {
    ChordSeries.errorBound(chord: longestNearChord, inputError: inputError) + 1e-8
  }

  static let series = vk_series(
    reciprocalA2: WGS84.reciprocalA2, reciprocalB2: WGS84.reciprocalB2, a2: WGS84.a2,
    gradientSlope: ChordSeries.gradientSlope, t1: ChordSeries.t1, t2: ChordSeries.t2,
    r10: ChordSeries.r10, r01: ChordSeries.r01)

  /// Gathers all circles that may be among the wanted. The last up to 32 wait in the batch; the others, where there are
  /// more, have become finalists.
  func gather(_ search: borrowing TreeSearch, _ scratch: inout QueryScratch) {
    let limit = search.threshold.nextUp
    let batch = unsafe scratch.batch
    // SAFETY: the columns are arrays of 48 within one allocation that outlives the query.
    let columns = unsafe BatchColumns(batch)
    var n = 0
    for v in 0..<scratch.visitCount {
      let visit = unsafe scratch.visits[v]
      var mask = unsafe visit.mask & vk_below16(scratch.lowers + 16 * v, limit)
      if n > 32 - TreeLayout.width, mask != 0, n &+ mask.nonzeroBitCount > 32 {
        scratch.batchCount = n
        measure(&scratch)
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
        unsafe columns.visit[n] = UInt32(truncatingIfNeeded: v)
        // A damaged file's records may be no regions.
        n &+= record.ordinal < visit.ordinalLimit ? 1 : 0
      }
    }
    scratch.batchCount = n
  }

  /// Distances of all waiting circles: the boundary's and their keys, and an error that holds for each of them.
  ///
  /// - Returns: The error, metres; infinity when one of them is not near, and nothing can be said of any.
  @inline(__always)
  func measureNear(_ scratch: inout QueryScratch) -> Double {
    var series = Self.series
    let largestRadius = unsafe vk_near_distances(
      &series, Int32(truncatingIfNeeded: scratch.batchCount), scratch.batch, 2 * place.z, scratch.keys)
    // Rounding of the difference: half an ulp of the larger.
    return Self.nearError + (Self.longestNearChord + largestRadius) * 1.2e-16
  }

  /// Turns the waiting circles into finalists.
  func measure(_ scratch: inout QueryScratch) {
    let count = scratch.batchCount
    scratch.batchCount = 0
    guard count > 0 else { return }
    scratch.reserveFinalists(count)
    let columns = unsafe BatchColumns(scratch.batch)
    let finalists = unsafe scratch.finalists + scratch.finalistCount
    for i in 0..<count {
      unsafe finalists[i] = finalist(
        RegionRecord(columns.record[i]), scratch.visits[Int(columns.visit[i])])
    }
    scratch.finalistCount += count
  }

  private func finalist(
    _ record: RegionRecord, _ visit: QueryScratch.Visit
  ) -> QueryScratch.Finalist {
    let lane =
      unsafe (record.base - visit.leaf - TreeLayout.recordOffset) / TreeLayout.recordSize
    let row = unsafe visit.leaf.assumingMemoryBound(to: Float.self) + lane
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
        chord2 <= Self.longestNearChord * Self.longestNearChord
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

  /// Puts up to 32 finalists nearly in order, by single-precision keys that carry their places, as ``Report`` does: what is
  /// left costs an insertion sort no more than proving it.
  private func presort(_ scratch: inout QueryScratch) {
    let n = scratch.finalistCount
    let keys = unsafe scratch.keys
    unsafe vk_fill32(keys, 3.4e38)
    for i in 0..<n {
      let bits = unsafe Float(scratch.finalists[i].distance).bitPattern
      unsafe keys[i] = Float(bitPattern: bits & ~31 | UInt32(truncatingIfNeeded: i))
    }
    unsafe vk_sort32(keys)
    scratch.reserveFinalists(n)
    let sorted = unsafe scratch.finalists + n
    for i in 0..<n {
      let k = Int(unsafe keys[i].bitPattern & 31)
      // Distances that are no numbers drop out of the network, and a key of nothing takes their place.
      guard k < n else { return }
      unsafe sorted[i] = scratch.finalists[k]
    }
    unsafe scratch.finalists.update(from: sorted, count: n)
  }

  /// Sorts the finalists and settles every order that the errors leave open among the first `count`.
  func rank(_ scratch: inout QueryScratch, count: Int) {
    if scratch.finalistCount > 8, scratch.finalistCount <= Report.capacity { presort(&scratch) }
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

/// The columns of a batch, as pointers.
@safe struct BatchColumns {
  let dx: UnsafeMutablePointer<Double>
  let dy: UnsafeMutablePointer<Double>
  let dz: UnsafeMutablePointer<Double>
  let radius: UnsafeMutablePointer<Double>
  let record: UnsafeMutablePointer<UnsafeRawPointer>
  let visit: UnsafeMutablePointer<UInt32>

  @inline(__always)
  init(_ batch: UnsafeMutablePointer<vk_batch>) {
    let base = UnsafeMutableRawPointer(batch)
    unsafe dx = base.assumingMemoryBound(to: Double.self)
    unsafe dy = dx + 48
    unsafe dz = dy + 48
    unsafe radius = dz + 48
    unsafe record = UnsafeMutableRawPointer(radius + 48).assumingMemoryBound(to: UnsafeRawPointer.self)
    unsafe visit = UnsafeMutableRawPointer(record + 48).assumingMemoryBound(to: UInt32.self)
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
