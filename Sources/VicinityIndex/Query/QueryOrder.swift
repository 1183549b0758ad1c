internal import VicinityGeodesy

/// The order in which a batch of points is asked about: near ones one after the other, so that a query finds
/// in the cache what the one before it has read, or needs no search at all (``RecentCircles``). No answer
/// depends on it.
struct QueryOrder: Sendable {
  /// The points in the order in which they are asked about.
  let places: [Coordinate]
  /// Where among them each point is; empty where it is where it was.
  private let ranks: [Int32]
  /// The point of each place, likewise.
  private let numbers: [Int32]

  /// Fewer points than this stay as they are.
  private static let fewest = 1024
  /// Steps of latitude and of longitude: 305 m, and up to 611 m.
  private static let steps = 65536.0
  /// How far to the right of a place on the curve its cell of 0.7 by 1.4 degrees is.
  private static let cellShift: UInt64 = 48

  /// Orders points along a Z-order curve (G. M. Morton, *A computer oriented geodetic data base*, 1966).
  /// Points of which most follow one of their own cell of 0.7 by 1.4 degrees stay as they are: tracks, and
  /// what somebody has sorted already.
  ///
  /// - Complexity: O(points)
  init(_ points: [Coordinate]) {
    // A place on the curve in the upper half, the point's number in the lower one.
    var keys =
      points.count < Self.fewest
      ? [] : points.indices.map { Self.placeOnCurve(points[$0]) << 32 | UInt64(truncatingIfNeeded: $0) }
    var jumps = 0
    for i in keys.indices.dropFirst()
    where keys[i] >> Self.cellShift != keys[i - 1] >> Self.cellShift { jumps += 1 }
    guard jumps > points.count / 2 else {
      (places, ranks, numbers) = (points, [], [])
      return
    }
    Self.sort(&keys)
    var ranks = [Int32](repeating: 0, count: points.count)
    let numbers = keys.map { Int32(truncatingIfNeeded: $0) }
    for (rank, i) in numbers.enumerated() { ranks[Int(i)] = Int32(truncatingIfNeeded: rank) }
    places = numbers.map { points[Int($0)] }
    (self.ranks, self.numbers) = (ranks, numbers)
  }

  /// Where a point is among ``places``.
  @inline(__always)
  func place(of i: Int) -> Int { ranks.isEmpty ? i : Int(ranks[i]) }

  /// Which point is at a place.
  @inline(__always)
  func point(at place: Int) -> Int { numbers.isEmpty ? place : Int(numbers[place]) }

  /// A point's place on the curve, of 2³².
  private static func placeOnCurve(_ point: Coordinate) -> UInt64 {
    let row = (point.latitude + 90) * (steps / 180)
    // Any whole turn may be in a longitude.
    let turns = (point.longitude + 180) * (1 / 360.0)
    let column = (turns - turns.rounded(.down)) * steps
    return spread(UInt64(min(max(row, 0), steps - 1))) << 1 | spread(UInt64(min(max(column, 0), steps - 1)))
  }

  /// The sixteen bits of a number with a zero between any two.
  private static func spread(_ x: UInt64) -> UInt64 {
    var x = x
    x = (x | x << 8) & 0x00ff_00ff
    x = (x | x << 4) & 0x0f0f_0f0f
    x = (x | x << 2) & 0x3333_3333
    return (x | x << 1) & 0x5555_5555
  }

  /// Sorts keys by their upper halves: a radix sort by eleven bits a pass, which keeps the order of equal
  /// ones.
  private static func sort(_ keys: inout [UInt64]) {
    var other = keys
    for shift: UInt64 in [32, 43, 54] {
      var starts = [Int](repeating: 0, count: 2048)
      for key in keys { starts[Int(key >> shift & 2047)] += 1 }
      var sum = 0
      for digit in starts.indices {
        (starts[digit], sum) = (sum, sum + starts[digit])
      }
      for key in keys {
        let digit = Int(key >> shift & 2047)
        other[starts[digit]] = key
        starts[digit] += 1
      }
      swap(&keys, &other)
    }
  }
}
