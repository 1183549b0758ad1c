import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPlanner
import VicinityPolygon

/// Room for the answers to a batch of queries, reused from repetition to repetition.
struct Answers {
  let k: Int
  /// `k` ordinals a query; `UInt32.max` where there are fewer.
  var ids: [UInt32]
  /// `k` distances a query, in the contestant's own unit.
  var distances: [Double]
  /// CPU nanoseconds of the thread, for each batch.
  var batchNanoseconds: [Double]
  /// Queries a batch: enough that reading the clock (some hundred nanoseconds) does not show.
  static let batch = 50

  init(queries: Int, k: Int) {
    self.k = k
    ids = Array(repeating: .max, count: queries * k)
    distances = Array(repeating: .infinity, count: queries * k)
    batchNanoseconds = Array(repeating: 0, count: (queries + Self.batch - 1) / Self.batch)
  }

  /// Takes down one answer, without the checks of forty subscripts: peers write to bare memory.
  @inline(__always)
  mutating func write(_ neighbors: ArraySlice<Neighbor>, at query: Int) {
    let count = min(k, neighbors.count)
    unsafe ids.withUnsafeMutableBufferPointer { ids in
      unsafe distances.withUnsafeMutableBufferPointer { distances in
        precondition((query + 1) * k <= ids.count && ids.count == distances.count)
        guard let ids = ids.baseAddress, let distances = distances.baseAddress else { return }
        let first = neighbors.startIndex
        for slot in 0..<count {
          unsafe ids[query * k + slot] = UInt32(truncatingIfNeeded: neighbors[first + slot].ordinal)
          unsafe distances[query * k + slot] = neighbors[first + slot].distance
        }
      }
    }
  }

  /// Takes down one set.
  @inline(__always)
  mutating func write(_ ordinals: [UInt32], at query: Int) {
    unsafe ids.withUnsafeMutableBufferPointer { ids in
      unsafe ordinals.withUnsafeBufferPointer { ordinals in
        precondition((query + 1) * k <= ids.count && ordinals.count == k)
        guard let ids = ids.baseAddress, let ordinals = ordinals.baseAddress else { return }
        unsafe (ids + query * k).update(from: ordinals, count: k)
      }
    }
  }

  /// The ordinals of one answer, in ascending order of ordinals.
  func set(_ query: Int) -> [UInt32] { ids[query * k..<(query + 1) * k].sorted() }
}

/// One way to answer a query, ours or a peer's.
protocol Contestant {
  var name: String { get }
  /// Whether it promises the nearest by signed geodesic distance to the boundary.
  var isExact: Bool { get }
  /// Whether it reports distances, rather than a set alone.
  var reportsDistances: Bool { get }
  /// Building, seconds; `nil` when it shares another's index.
  var buildCost: Cost? { get }
  /// What it keeps, bytes, its points included and identifiers left out.
  var bytes: Double? { get }

  /// Answers the first `count` of `queries`.
  mutating func run(_ queries: Queries, count: Int, into answers: inout Answers) throws
}

extension Contestant {
  var reportsDistances: Bool { true }
  var buildCost: Cost? { nil }
  var bytes: Double? { nil }
}
