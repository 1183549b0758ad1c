internal import CVicinityKernels

/// The usual end of a query: up to 32 circles near by whose order their distances decide, sorted by a network and
/// written out in one go.
///
/// The network sorts single-precision keys that carry their circle's number in the low five mantissa bits. A key
/// is up to 32 ulp (4e-6 of the distance) off; so the order is only a guess, which every step through it proves.
/// Sorting twenty finalists by insertion took 19 % of a query's time (100k regions, near).
enum Report {
  /// The most circles that the network sorts.
  static let capacity = 32

  /// Appends the first `count` waiting circles in order.
  ///
  /// - Returns: Whether their order is certain and all lie within `limit`; nothing is appended otherwise.
  @inline(__always)
  static func append(
    _ count: Int, within limit: Double, _ refinement: Refinement, _ scratch: inout QueryScratch,
    to result: inout [Neighbor]
  ) -> Bool {
    let n = scratch.batchCount
    guard n > 0, n <= capacity else { return false }
    let keys = unsafe scratch.keys
    unsafe vk_fill32(keys, 3.4e38)
    let error = refinement.measureNear(&scratch)
    guard error < .infinity else { return false }
    unsafe n <= 16 ? vk_sort16_at(keys) : vk_sort32(keys)
    let columns = unsafe BatchColumns(scratch.batch)
    let neighbors = unsafe scratch.neighbors
    var last = -Double.infinity
    var isCertain = true
    for i in 0..<n {
      let k = Int(unsafe keys[i].bitPattern & 31)
      // A distance that is no number, of a file whose contents nobody has checked, drops out of the network's minima and
      // maxima and leaves a place to a key of nothing.
      guard k < n else { return false }
      let distance = unsafe columns.dy[k]
      isCertain = isCertain && distance - last > 2 * error
      last = distance
      unsafe neighbors[i] = Neighbor(
        ordinal: Int(RegionRecord(columns.record[k]).ordinal), distance: distance,
        centerDistance: columns.dx[k])
    }
    guard isCertain, last + error < limit else { return false }
    unsafe result.append(contentsOf: UnsafeBufferPointer(start: neighbors, count: min(count, n)))
    return true
  }
}
