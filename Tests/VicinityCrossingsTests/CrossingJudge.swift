import VicinityGeodesy

@testable import VicinityCrossings

/// Whether crossings are those of the oracle, at its instants and places; what is wrong with them, if
/// anything.
///
/// Excursions no deeper than `shallow` may be missing. See ``CrossingJudge``.
func disagreement(
  _ crossings: [Crossing], _ oracle: [CrossingOracle.Event], _ fixes: [Fix],
  _ distances: [CrossingOracle.Distance], tolerance: Double = 1e-6, shallow: Double = 1e-3
) -> String? {
  CrossingJudge(fixes, distances, tolerance: tolerance, shallow: shallow).complaint(crossings, oracle)
}

/// Holds the crossings of a track without gaps to the oracle's.
///
/// A crossing is right when it is
/// - on the boundary, to the tolerance,
/// - on the way, to a micrometre,
/// - as far along the way as the oracle's, where the tolerance leaves a choice anywhere on the stretch around
///   the oracle's that is no farther than that from the boundary: long where the way grazes it, micrometres
///   where it does not,
/// - at the instant at which the device is there, to half a microsecond and a micrometre's time.
final class CrossingJudge {
  /// A part of a way.
  private struct Stretch {
    /// The number of the fix that ends the way.
    var leg: Int
    /// From and to, metres from the way's start.
    var from: Double
    var to: Double
  }

  private let fixes: [Fix]
  private let distances: [CrossingOracle.Distance]
  private let tolerance: Double
  private let shallow: Double
  private var ways: [Int: CrossingOracle.Way] = [:]

  /// How far from the way a place may be, and how far along it a place may be off, metres: what the formulas
  /// for ways of up to 3 km are off by (2.4e-7), twice, and rounding.
  static let wayTolerance = 1e-6
  /// Half a microsecond and rounding, seconds.
  static let timeTolerance = 0.51e-6

  init(_ fixes: [Fix], _ distances: [CrossingOracle.Distance], tolerance: Double, shallow: Double) {
    self.fixes = fixes
    self.distances = distances
    self.tolerance = tolerance
    self.shallow = shallow
  }

  /// What is wrong with crossings.
  func complaint(_ crossings: [Crossing], _ oracle: [CrossingOracle.Event]) -> String? {
    var found: [Int: [Crossing]] = [:]
    for crossing in crossings {
      guard distances.indices.contains(crossing.region) else { return "\(crossing): no such region" }
      guard crossing.kind != .dwell, !crossing.isInferred else { return "\(crossing): not a crossing" }
      let off = distances[crossing.region](crossing.coordinate)
      guard abs(off) <= tolerance else { return "\(crossing): \(off) m off the boundary" }
      found[crossing.region, default: []].append(crossing)
    }
    var expected: [Int: [CrossingOracle.Event]] = [:]
    for event in oracle { expected[event.region, default: []].append(event) }
    for region in Set(found.keys).union(expected.keys).sorted() {
      if let complaint = complaint(of: region, found[region] ?? [], expected[region] ?? []) {
        return "region \(region): \(complaint)"
      }
    }
    for (x, y) in zip(crossings, crossings.dropFirst()) where !isInOrder(x, y) {
      return "out of order: \(x), \(y)"
    }
    return nil
  }

  /// Goes through one region's crossings and the oracle's side by side.
  private func complaint(
    of region: Int, _ found: [Crossing], _ expected: [CrossingOracle.Event]
  ) -> String? {
    var (i, j) = (0, 0)
    while i < found.count || j < expected.count {
      var problem = "missing: \(j < expected.count ? "\(expected[j])" : "none")"
      if i < found.count {
        guard j < expected.count else { return "one too many: \(found[i])" }
        guard let mismatch = mismatch(found[i], expected[j]) else {
          i += 1
          j += 1
          continue
        }
        problem = mismatch
      }
      // What the oracle has in excess may be missing if it is an excursion, and shallow all along.
      guard j + 1 < expected.count, isShallow(expected[j], expected[j + 1]) else {
        return "\(problem); \(found.count) crossings, oracle \(expected.count)"
      }
      j += 2
    }
    return nil
  }

  // MARK: One crossing

  /// What tells a crossing from one of the oracle's.
  private func mismatch(_ crossing: Crossing, _ event: CrossingOracle.Event) -> String? {
    guard (crossing.kind == .enter) == event.isEntry else {
      return "another kind: \(crossing), oracle \(event)"
    }
    var problem = "another way: \(crossing), oracle \(event)"
    for stretch in stretches(around: event) where contains(stretch.leg, crossing.time) {
      let way = way(stretch.leg)
      let foot = way.foot(
        of: crossing.coordinate, near: event.leg == stretch.leg ? event.along : stretch.from)
      let late = delay(crossing.time, leg: stretch.leg, along: foot.along)
      let slack = Self.wayTolerance
      if !(foot.beside <= slack) {
        problem = "\(crossing): \(foot.beside) m off the way"
      } else if !(foot.along >= stretch.from - slack && foot.along <= stretch.to + slack) {
        problem = "\(crossing): \(foot.along - event.along) m along the way from \(event)"
      } else if !(abs(late.seconds) <= late.tolerance) {
        problem = "\(crossing): \(late.seconds) s after the device was there"
      } else {
        return nil
      }
    }
    return problem
  }

  /// How much later than the device is at a place on a way, and how much that may be.
  private func delay(_ time: Timestamp, leg: Int, along: Double) -> (seconds: Double, tolerance: Double) {
    let (start, length) = (fixes[leg - 1].time, way(leg).length)
    let duration = fixes[leg].time.seconds(since: start)
    let seconds = time.seconds(since: start)
    // At rest the device is there all the time.
    if length == 0 { return (min(seconds, max(0, seconds - duration)), Self.timeTolerance) }
    return (
      seconds - along / length * duration, Self.timeTolerance + Self.wayTolerance / length * duration
    )
  }

  /// Whether a time is one of a way's, to a microsecond.
  private func contains(_ leg: Int, _ time: Timestamp) -> Bool {
    time.microseconds >= fixes[leg - 1].time.microseconds - 1
      && time.microseconds <= fixes[leg].time.microseconds + 1
  }

  /// The track around a crossing of the oracle's as far as it stays within the tolerance of the boundary.
  private func stretches(around event: CrossingOracle.Event) -> [Stretch] {
    let distance = distances[event.region]
    let way = way(event.leg)
    var result = [
      Stretch(
        leg: event.leg, from: end(way, distance, event.along, towards: 0),
        to: end(way, distance, event.along, towards: way.length))
    ]
    // Over the fixes before and after, where the boundary is there.
    while let first = result.first, first.from == 0, first.leg > 1 {
      let before = self.way(first.leg - 1)
      guard abs(distance(before.place(before.length))) <= tolerance else { break }
      let from = end(before, distance, before.length, towards: 0)
      result.insert(Stretch(leg: first.leg - 1, from: from, to: before.length), at: 0)
    }
    while let last = result.last, last.to == self.way(last.leg).length, last.leg < fixes.count - 1 {
      let after = self.way(last.leg + 1)
      guard abs(distance(after.place(0))) <= tolerance else { break }
      result.append(
        Stretch(leg: last.leg + 1, from: 0, to: end(after, distance, 0, towards: after.length)))
    }
    return result
  }

  /// How far along a way the boundary stays within the tolerance.
  private func end(
    _ way: CrossingOracle.Way, _ distance: CrossingOracle.Distance, _ start: Double, towards end: Double
  ) -> Double {
    let (room, sign) = (abs(end - start), end < start ? -1.0 : 1.0)
    func isNear(_ s: Double) -> Bool { abs(distance(way.place(start + sign * s))) <= tolerance }
    var (near, step) = (0.0, 0.5 * tolerance)
    while near < room {
      var far = min(near + step, room)
      if isNear(far) {
        near = far
        step *= 1.5
        continue
      }
      while far - near > 1e-8 {
        let middle = 0.5 * (near + far)
        if isNear(middle) { near = middle } else { far = middle }
      }
      return start + sign * near
    }
    return end
  }

  private func way(_ leg: Int) -> CrossingOracle.Way {
    if let way = ways[leg] { return way }
    let way = CrossingOracle.Way(fixes[leg - 1].coordinate, fixes[leg].coordinate)
    ways[leg] = way
    return way
  }

  // MARK: Two crossings

  /// Whether the track between two crossings of the oracle's stays near the boundary: proved, since from one
  /// place to another the boundary distance changes by no more than the way.
  private func isShallow(_ first: CrossingOracle.Event, _ second: CrossingOracle.Event) -> Bool {
    let distance = distances[first.region]
    return (first.leg...second.leg).allSatisfy { leg in
      let way = way(leg)
      func isShallow(_ s1: Double, _ d1: Double, _ s2: Double, _ d2: Double) -> Bool {
        guard d1 <= shallow, d2 <= shallow else { return false }
        if d1 + d2 + (s2 - s1) <= 2 * shallow { return true }
        // As near as rounding lets one look.
        guard s2 - s1 > 1e-7 else { return true }
        let middle = 0.5 * (s1 + s2)
        let d = abs(distance(way.place(middle)))
        return isShallow(s1, d1, middle, d) && isShallow(middle, d, s2, d2)
      }
      let from = leg == first.leg ? first.along : 0
      let to = leg == second.leg ? second.along : way.length
      return isShallow(from, abs(distance(way.place(from))), to, abs(distance(way.place(to))))
    }
  }

  /// By time. At the same time by place on the way, unless that is the time of a fix.
  private func isInOrder(_ first: Crossing, _ second: Crossing) -> Bool {
    guard first.time == second.time else { return first.time < second.time }
    guard let leg = fixes.indices.dropFirst().first(where: { fixes[$0].time >= first.time }),
      fixes[leg].time > first.time
    else { return true }
    let way = way(leg)
    let start = fixes[leg - 1].time
    let guess = way.length * first.time.seconds(since: start) / fixes[leg].time.seconds(since: start)
    let (a, b) = (way.foot(of: first.coordinate, near: guess), way.foot(of: second.coordinate, near: guess))
    return b.along - a.along > -Self.wayTolerance
  }
}
