/// Finds where rings cross, overlap or touch, and which ring lies in which, by one sweep over the plane.
///
/// The line passes over the vertices from left to right and keeps the edges that it meets in order (Shamos
/// and Hoey 1976, doi:10.1109/SFCS.1976.16). Two edges that cross are neighbours just before their crossing,
/// and stay neighbours until one of them ends: a vertex could only come between them by lying above the upper
/// and below the lower edge, which is nowhere beyond the crossing. So a crossing is noticed, at the latest,
/// when one of the two ends on the wrong side of the other. Hence the sweep only compares each vertex with
/// the neighbours of its edges. For straight edges every comparison is the exact sign of
/// ``RobustOrientation``, so there is no tolerance and the verdict is exact.
///
/// Nothing in this needs straight edges: it is enough that each has one point at every x between its ends,
/// and that two of them cross once at most. Geodesics over longitude are like that;
/// ``SweepStatus/Segment/side(_:)`` compares points with them.
///
/// Touching is allowed, in a vertex and between different rings. There the pairs of edges that meet must not
/// cross, which their order around the point tells.
///
/// - Complexity: O(n log n) time, O(n) memory; no recursion.
struct PlanarSweep {
  /// A vertex, at the line's stop there.
  private struct Event {
    var x: Double
    var y: Double
    var vertex: Int32
    /// Whether one of the vertex's edges lies to the left and one to the right.
    var isPassed: Bool
    /// Whether the edge to the right leads on along the ring.
    var isForward: Bool
  }

  /// An edge to the right of the line's stop.
  private struct Departure {
    var segment: SweepStatus.Segment
    /// The vertex that the edge belongs to; ``none`` for an edge that merely passes the point.
    var visit: Int32
  }

  private static let none: Int32 = -1

  private let rings: PlanarRings
  private var status: SweepStatus
  /// The nodes whose segments end in a vertex: none, one or two.
  private var arrivals: [SIMD2<Int32>]

  /// The ring that each ring lies in directly, or ``none``.
  private var container: [Int32]
  private var isCounterclockwise: [Bool]
  private var isSeen: [Bool]
  private var leastVertex: [Int32]
  /// Sets of rings of one part that touch, directly or through others: each ring's parent in a forest.
  private var touching: [Int32]
  /// Where touching rings first closed a cycle.
  private var cycle: PlanarFault?

  // Kept between stops, to be allocated once.
  private var departures: [Departure] = []
  private var block: [Int32] = []
  private var stack: [Int32] = []
  private var visitors: [Int32] = []

  /// How many vertices a sweep takes: they have 32-bit numbers.
  static let maximumCount = Int(Int32.max)

  /// The first fault found; `nil` for valid polygons.
  ///
  /// A crossing, an overlap or a touch comes first, from the left; then rings in rings, by their number; then
  /// an inside cut in two.
  ///
  /// - Precondition: finite coordinates, of at most ``maximumCount`` vertices and as many rings.
  static func fault(of parts: [PlanarPart], edges: PlanarEdges = .straight) -> PlanarFault? {
    let rings = PlanarRings(parts)
    for (i, ring) in rings.rings.enumerated() where ring.vertices.count < 3 {
      return rings.fault(
        .collapsedRing, ring: i, at: ring.vertices.isEmpty ? SIMD2() : rings.points[ring.vertices.lowerBound])
    }
    var sweep = Self(rings, edges)
    return sweep.run() ?? sweep.nestingFault() ?? sweep.cycle
  }

  private init(_ rings: PlanarRings, _ edges: PlanarEdges) {
    self.rings = rings
    status = SweepStatus(edges: edges)
    let count = rings.rings.count
    arrivals = Array(repeating: SIMD2(repeating: Self.none), count: rings.points.count)
    container = Array(repeating: Self.none, count: count)
    isCounterclockwise = Array(repeating: false, count: count)
    isSeen = isCounterclockwise
    leastVertex = container
    touching = Array(0..<Int32(count))
  }

  /// The vertices, left to right.
  private func events() -> [Event] {
    var events: [Event] = []
    events.reserveCapacity(rings.points.count)
    for ring in rings.rings {
      var point = rings.points[ring.vertices.lowerBound]
      var wasForward = PlanarRings.isBefore(rings.points[ring.vertices.upperBound - 1], point)
      for vertex in ring.vertices {
        let after = rings.points[
          vertex + 1 == ring.vertices.upperBound ? ring.vertices.lowerBound : vertex + 1]
        let isForward = PlanarRings.isBefore(point, after)
        events.append(
          Event(
            x: point.x, y: point.y, vertex: Int32(vertex), isPassed: wasForward == isForward,
            isForward: isForward))
        point = after
        wasForward = isForward
      }
    }
    // The standard sort merges runs that are in order already, as the vertices along a smooth ring mostly
    // are.
    events.sort { $0.x < $1.x || ($0.x == $1.x && $0.y < $1.y) }
    return events
  }

  private mutating func run() -> PlanarFault? {
    let events = events()
    var i = 0
    while i < events.count {
      let event = events[i]
      var end = i + 1
      while end < events.count && events[end].x == event.x && events[end].y == event.y { end += 1 }
      if end == i + 1 && event.isPassed && pass(event) {
        i = end
        continue
      }
      if let fault = stop(at: SIMD2(event.x, event.y), events[i..<end]) { return fault }
      i = end
    }
    return nil
  }

  // MARK: Stops

  /// Follows a ring past a vertex that nothing else touches.
  ///
  /// - Returns: false, having changed nothing, when a neighbour meets the vertex or lies on the wrong side of
  ///   it.
  private mutating func pass(_ event: Event) -> Bool {
    let vertex = Int(event.vertex)
    let target = event.isForward ? rings.next(vertex) : rings.previous(vertex)
    let node = arrivals[vertex].x
    guard
      status.advance(
        node, from: SIMD2(event.x, event.y), to: rings.points[target], target: Int32(target))
    else { return false }
    addArrival(node, at: target)
    return true
  }

  private mutating func addArrival(_ node: Int32, at vertex: Int) {
    if arrivals[vertex].x == Self.none { arrivals[vertex].x = node } else { arrivals[vertex].y = node }
  }

  private mutating func stop(at point: SIMD2<Double>, _ events: ArraySlice<Event>) -> PlanarFault? {
    // The edges through the point follow each other in the status.
    var arriving = 0
    var seed = Self.none
    for event in events {
      let nodes = arrivals[Int(event.vertex)]
      if nodes.x != Self.none {
        seed = nodes.x
        arriving += nodes.y == Self.none ? 1 : 2
      }
    }
    var below = Self.none
    var above = Self.none
    if seed == Self.none { (seed, below, above) = status.search(point) }
    block.removeAll(keepingCapacity: true)
    if seed != Self.none {
      if let fault = collectBlock(around: seed, point, &below, &above) { return fault }
    }
    var passing = Self.none
    var ended = 0
    for node in block {
      if status[node].end == point {
        ended += 1
      } else if passing == Self.none {
        passing = node
      } else {
        return crossing(passing, node, near: point)
      }
    }
    // An edge between two that end here, but not through the point: it has crossed one of them, or its
    // neighbour.
    if ended != arriving { return anyCrossing(near: point, ring: status[seed].ring) }

    collectDepartures(events, passing: passing)
    if let fault = overlap(at: point) ?? crossing(at: point, passing: passing)
      ?? touch(at: point, events, passing)
    {
      return fault
    }
    depart(passing: passing, below: below, above: above)
    enterRings()
    return nil
  }

  /// Collects the nodes through `point`, lowest first, and finds the neighbours of all of them.
  private mutating func collectBlock(
    around seed: Int32, _ point: SIMD2<Double>, _ below: inout Int32, _ above: inout Int32
  ) -> PlanarFault? {
    var lowest = seed
    below = status.below(lowest)
    while below != Self.none {
      let side = status[below].end == point ? 0 : status.side(of: below, point)
      if side < 0 { return crossing(below, lowest, near: point) }
      if side > 0 { break }
      lowest = below
      below = status.below(lowest)
    }
    var node = lowest
    var isPastSeed = false
    while true {
      block.append(node)
      if node == seed { isPastSeed = true }
      above = status.above(node)
      guard above != Self.none else { return nil }
      if isPastSeed {
        let side = status[above].end == point ? 0 : status.side(of: above, point)
        if side > 0 { return crossing(node, above, near: point) }
        if side < 0 { return nil }
      }
      node = above
    }
  }

  /// Lists the edges to the right of the stop, lowest first.
  private mutating func collectDepartures(_ events: ArraySlice<Event>, passing: Int32) {
    departures.removeAll(keepingCapacity: true)
    for event in events {
      let vertex = Int(event.vertex)
      let start = rings.points[vertex]
      let ring = rings.ringOfVertex[vertex]
      func add(_ target: Int, isForward: Bool) {
        let end = rings.points[target]
        departures.append(
          Departure(
            segment: SweepStatus.Segment(
              start: start, end: end, target: Int32(target), ring: ring, isForward: isForward,
              bend: status.edges == .geodesic ? SweepStatus.Segment.bend(start, end) : 0),
            visit: event.vertex))
      }
      if event.isForward { add(rings.next(vertex), isForward: true) }
      if event.isForward != event.isPassed { add(rings.previous(vertex), isForward: false) }
    }
    if passing != Self.none { departures.append(Departure(segment: status[passing], visit: Self.none)) }
    guard departures.count > 1 else { return }
    let point = rings.points[Int(events[events.startIndex].vertex)]
    if departures.count == 2 {
      if departures[0].segment.turn(to: departures[1].segment, at: point) < 0 {
        departures.swapAt(0, 1)
      }
    } else {
      departures.sort { $0.segment.turn(to: $1.segment, at: point) > 0 }
    }
  }

  /// The fault of edges that leave the stop in the same direction.
  private func overlap(at point: SIMD2<Double>) -> PlanarFault? {
    guard departures.count > 1 else { return nil }
    for i in 1..<departures.count {
      let lower = departures[i - 1].segment
      let upper = departures[i].segment
      guard lower.turn(to: upper, at: point) == 0 else { continue }
      return overlap(lower.ring, upper.ring, at: point)
    }
    return nil
  }

  private func overlap(_ a: Int32, _ b: Int32, at point: SIMD2<Double>) -> PlanarFault {
    let ring = Int(max(a, b))
    if a == b { return rings.fault(.ringOverlapsItself, ring: ring, at: point) }
    let isDuplicate = rings.areEqual(Int(a), Int(b))
    return rings.fault(isDuplicate ? .duplicateRings : .ringsOverlap, ring: ring, at: point)
  }

  /// The fault of pairs of edges that cross in the stop.
  ///
  /// Around the point, each pair's two edges must enclose other pairs whole.
  private mutating func crossing(at point: SIMD2<Double>, passing: Int32) -> PlanarFault? {
    guard departures.count + block.count > 2 else { return nil }
    stack.removeAll(keepingCapacity: true)
    func ring(_ visit: Int32) -> Int32 {
      visit == Self.none ? status[passing].ring : rings.ringOfVertex[Int(visit)]
    }
    func take(_ visit: Int32, _ stack: inout [Int32]) {
      if stack.last == visit { stack.removeLast() } else { stack.append(visit) }
    }
    for departure in departures { take(departure.visit, &stack) }
    for node in block.reversed() { take(node == passing ? Self.none : status[node].target, &stack) }
    guard stack.count > 1 else { return nil }
    let a = ring(stack[0])
    let b = ring(stack[1])
    return rings.fault(a == b ? .ringCrossesItself : .ringsCross, ring: Int(max(a, b)), at: point)
  }

  /// Notes which rings touch in the stop; the fault is that of a ring that is there twice.
  private mutating func touch(
    at point: SIMD2<Double>, _ events: ArraySlice<Event>, _ passing: Int32
  ) -> PlanarFault? {
    guard events.count > 1 || passing != Self.none else { return nil }
    visitors.removeAll(keepingCapacity: true)
    for event in events { visitors.append(rings.ringOfVertex[Int(event.vertex)]) }
    if passing != Self.none { visitors.append(status[passing].ring) }
    visitors.sort()
    for i in 1..<visitors.count {
      let a = visitors[i - 1]
      let b = visitors[i]
      if a == b { return rings.fault(.ringTouchesItself, ring: Int(a), at: point) }
      // Rings are numbered part by part. Each touches the others of its part in the same point.
      guard rings.rings[Int(a)].part == rings.rings[Int(b)].part else { continue }
      let first = representative(a)
      let second = representative(b)
      if first == second, cycle == nil {
        cycle = rings.fault(.disconnectedInterior, ring: Int(b), at: point)
      }
      touching[Int(second)] = first
    }
    return nil
  }

  /// The representative of a ring's set, with the way there halved.
  private mutating func representative(_ ring: Int32) -> Int32 {
    var ring = ring
    while touching[Int(ring)] != ring {
      touching[Int(ring)] = touching[Int(touching[Int(ring)])]
      ring = touching[Int(ring)]
    }
    return ring
  }

  /// Puts the departing edges in the place of those that the stop has been reached by.
  private mutating func depart(passing: Int32, below: Int32, above: Int32) {
    let kept = min(block.count, departures.count)
    for i in kept..<max(kept, block.count) { status.remove(block[i]) }
    var last = kept > 0 ? block[kept - 1] : below
    for i in departures.indices {
      let departure = departures[i]
      let target = Int(departure.segment.target)
      if i < kept {
        status[block[i]] = departure.segment
      } else {
        last = status.insert(departure.segment, below: last, above: above)
        block.append(last)
      }
      if departure.visit != Self.none {
        addArrival(block[i], at: target)
      } else if arrivals[target].x == passing {
        arrivals[target].x = block[i]
      } else {
        arrivals[target].y = block[i]
      }
    }
  }

  /// Finds the containers of the rings that begin at the stop.
  private mutating func enterRings() {
    for i in departures.indices {
      let segment = departures[i].segment
      let ring = Int(segment.ring)
      guard !isSeen[ring] else { continue }
      // The lower of the two edges at the ring's least vertex.
      isSeen[ring] = true
      isCounterclockwise[ring] = segment.isForward
      leastVertex[ring] = departures[i].visit
      let below = status.below(block[i])
      guard below != Self.none else { continue }
      let other = status[below]
      let isInside = other.isForward == isCounterclockwise[Int(other.ring)]
      container[ring] = isInside ? other.ring : container[Int(other.ring)]
    }
  }

  // MARK: Faults

  /// The fault of two edges of which one is known to be on the wrong side of the other.
  private func crossing(_ lower: Int32, _ upper: Int32, near point: SIMD2<Double>) -> PlanarFault {
    let a = status[lower]
    let b = status[upper]
    guard a.meets(b) else { return anyCrossing(near: point, ring: a.ring) }
    return crossing(a, b)
  }

  private func crossing(_ a: SweepStatus.Segment, _ b: SweepStatus.Segment) -> PlanarFault {
    if let order = a.order(over: b), order.start == 0 && order.end == 0 {
      return overlap(a.ring, b.ring, at: PlanarRings.isBefore(a.start, b.start) ? b.start : a.start)
    }
    return rings.fault(
      a.ring == b.ring ? .ringCrossesItself : .ringsCross, ring: Int(max(a.ring, b.ring)),
      at: a.crossing(with: b))
  }

  /// A crossing of neighbours, when the order of the status has been found to be broken.
  ///
  /// Two edges that have crossed are neighbours in the status still.
  private func anyCrossing(near point: SIMD2<Double>, ring: Int32) -> PlanarFault {
    var node = status.lowest
    while node != Self.none {
      let above = status.above(node)
      if above != Self.none, status[node].meets(status[above]),
        !Self.shareEnd(status[node], status[above])
      {
        return crossing(status[node], status[above])
      }
      node = above
    }
    return rings.fault(.ringCrossesItself, ring: Int(ring), at: point)
  }

  private static func shareEnd(_ a: SweepStatus.Segment, _ b: SweepStatus.Segment) -> Bool {
    a.start == b.start || a.end == b.end
  }

  /// The fault of rings that lie in rings in which they must not.
  private func nestingFault() -> PlanarFault? {
    // An exterior's number, by part.
    var exteriors: [Int: Int32] = [:]
    for (i, ring) in rings.rings.enumerated() where ring.ring == 0 { exteriors[ring.part] = Int32(i) }
    func fault(_ reason: PolygonFault, _ ring: Int) -> PlanarFault {
      rings.fault(reason, ring: ring, at: rings.points[Int(leastVertex[ring])])
    }
    for (i, ring) in rings.rings.enumerated() {
      let direct = container[i]
      if ring.ring == 0 {
        if direct != Self.none && rings.rings[Int(direct)].ring == 0 { return fault(.nestedExteriors, i) }
        continue
      }
      let exterior = exteriors[ring.part]
      if direct == exterior { continue }
      // What lies between the hole and its exterior, from within.
      var outer = direct
      var isInHole = false
      var other: Int?
      while outer != Self.none && outer != exterior {
        let around = rings.rings[Int(outer)]
        if around.ring > 0 && around.part == ring.part { isInHole = true }
        if around.ring == 0 { other = Int(outer) }
        outer = container[Int(outer)]
      }
      if outer == Self.none { return fault(.holeOutsideExterior, i) }
      return isInHole ? fault(.nestedHoles, i) : fault(.nestedExteriors, other ?? i)
    }
    return nil
  }
}
