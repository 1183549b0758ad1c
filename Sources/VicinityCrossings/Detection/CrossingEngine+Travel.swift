internal import CVicinityKernels
internal import VicinityGeodesy
internal import VicinityIndex

extension CrossingEngine {
  /// How long the pieces are that long ways are cut into, at most, metres.
  private static let pieceLength: Meters = 2500

  /// Goes along the geodesic to the end of a leg.
  func travel(
    _ leg: Leg, _ state: inout DeviceState, _ neighborhood: inout Neighborhood, _ bench: inout Workbench
  ) {
    if let reach = travelByNearbyCircles(leg, &state, &neighborhood, &bench) {
      return state.setSafeRadius(
        reach, at: leg.end, metersPerDegree: neighborhood.nearby.metersPerDegree)
    }
    let start = bench.place(of: leg.start)
    let end = Place(leg.end)
    bench.place = end
    if let reach = clearance(at: end, after: leg.start, &state, &neighborhood, &bench) {
      return state.setSafeRadius(reach, at: leg.end, end.ecef)
    }
    let reach: Meters
    let path = ShortPath(from: start.ecef, to: end.ecef)
    if path.length <= ShortPath.longest {
      let scale = path.length > 0 ? 1 / path.length : 0
      reach = pass(
        path, from: start, to: end, at: 0, scale: scale, leg, &state, &neighborhood, &bench)
    } else {
      reach = travelFar(leg, start, end, &state, &neighborhood, &bench)
    }
    state.setSafeRadius(reach, at: leg.end, end.ecef)
  }

  /// How far no boundary lies from the end of a way on which nothing happens; nil where something may, or most likely
  /// will.
  ///
  /// Nothing is met on a way when nothing lies within its length of its end.
  private func clearance(
    at end: Place, after start: Coordinate, _ state: inout DeviceState,
    _ neighborhood: inout Neighborhood, _ bench: inout Workbench
  ) -> Meters? {
    // An upper bound of the length, as in the quick test; far less than half a degree.
    let north = WGS84.longestDegree * (end.coordinate.latitude - start.latitude)
    let east = Double(state.metersPerDegree) * (end.coordinate.longitude - start.longitude)
    let length2 = north * north + east * east
    guard length2 < 2.5e7, 1.5 * length2 < Double(state.safeRadius2) else { return nil }
    let length = length2.squareRoot()
    guard var reach = neighborhood.findCircles(within: length, of: end.ecef, into: &bench.near),
      bench.near.count == 0
    else { return nil }
    for i in 0..<neighborhood.polygonCount {
      let clear = neighborhood[polygon: i].clearance(at: end.ecef)
      guard clear > length else { return nil }
      reach = min(reach, clear)
    }
    return reach
  }

  /// Goes a long way in equal pieces, each the geodesic between two points of it, passing over those that nothing can
  /// happen on.
  ///
  /// - Returns: How far no boundary lies from the end, metres.
  private func travelFar(
    _ leg: Leg, _ start: Place, _ end: Place, _ state: inout DeviceState,
    _ neighborhood: inout Neighborhood, _ bench: inout Workbench
  ) -> Meters {
    let line = GeodesicLine(unchecked: leg.start, leg.end)
    let n = max(1, Int((line.distance / Self.pieceLength).rounded(.up)))
    let step = line.distance / Double(n)
    let moved2 = state.moved2(to: leg.start)
    var clear =
      moved2 < Double(state.safeRadius2)
      ? Double(state.safeRadius2).squareRoot() - moved2.squareRoot() - 1e-3 : 0
    var place = start
    var k = 0
    while k < n {
      let rest = Double(n - k) * step
      if clear > rest { return clear - rest }
      // Boundary distance changes by no more than the way.
      let passed = min(n - k - 1, Int(max(0, clear - 1e-3) / step))
      if passed > 0 {
        k += passed
        place = Place(line.point(at: Double(k) * step))
        clear = clearance(at: place, &state, &neighborhood, &bench)
        if clear > step { continue }
      }
      let next = k + 1 == n ? end : Place(line.point(at: Double(k + 1) * step))
      let path = ShortPath(from: place.ecef, to: next.ecef)
      clear = pass(
        path, from: place, to: next, at: Double(k) / Double(n),
        scale: path.length > 0 ? 1 / (Double(n) * path.length) : 0, leg, &state, &neighborhood, &bench)
      place = next
      k += 1
    }
    return clear
  }

  /// Finds what happens on a short way and updates the state.
  ///
  /// - Parameters:
  ///   - fraction: How much of the leg lies before it.
  ///   - scale: How much of the leg a metre of it is.
  /// - Returns: How far no boundary lies from its end, metres; zero or less where that is not known.
  private func pass(
    _ path: ShortPath, from start: Place, to end: Place, at fraction: Double, scale: Double, _ leg: Leg,
    _ state: inout DeviceState, _ neighborhood: inout Neighborhood, _ bench: inout Workbench
  ) -> Meters {
    // Whatever is touched on the way has its boundary within half the way's length of the middle.
    let half = 0.5 * path.length
    let middle = path.middle
    var clear = neighborhood.findCircles(within: half, of: middle, into: &bench.near)
    if clear == nil {
      gather(for: path, start, end, &state, &neighborhood)
      clear = neighborhood.findCircles(within: half, of: middle, into: &bench.near)
    }
    var reach = (clear ?? 0) - half
    var k = 0
    while k < bench.near.count {
      let circle = bench.near[k]
      k += 1
      reach = min(
        reach,
        meet(circle, path, from: start, to: end, at: fraction, scale: scale, leg, &state, &bench))
    }
    if neighborhood.polygonCount > 0 {
      reach = min(
        reach,
        passPolygons(
          path, from: start, to: end, at: fraction, scale: scale, leg, &state, &neighborhood, &bench))
    }
    return reach
  }

  /// Finds what happens between a short way and one circle.
  ///
  /// - Returns: How far the circle's boundary is from the end of the way, at least, metres.
  @inline(__always)
  func meet(
    _ circle: NearbyCircle, _ path: ShortPath, from start: Place, to end: Place, at fraction: Double,
    scale: Double, _ leg: Leg, _ state: inout DeviceState, _ bench: inout Workbench
  ) -> Meters {
    let target = CircleTarget(center: circle.center, radius: circle.radius)
    let (d1, d2) = target.boundaryDistances(start.ecef, end.ecef)
    let reach = abs(d2) - 1e-6
    if abs(d1) + abs(d2) > path.length + 2e-6, (d1 < 0) == (d2 < 0) { return reach }
    let startsInside = state.occupies(circle.ordinal)
    let endsInside = target.contains(end.coordinate, distance: d2)
    if startsInside != endsInside,
      let crossing = bench.crossing(from: start.coordinate, to: end.coordinate, circle, leaving: startsInside)
    {
      pass(
        circle.ordinal, crossing, fraction + scale * crossing.s, leaving: startsInside, leg, &state, &bench)
      return reach
    }
    let roots = target.crossings(
      of: path, startsInside: startsInside, endsInside: endsInside, from: d1, to: d2)
    guard roots.count > 0 else { return reach }
    var change = Change(circle.ordinal, isInside: startsInside)
    change.pass(path, start, roots.first, fraction + scale * roots.first, leg, self, &state, &bench)
    if roots.count > 1 {
      change.pass(path, start, roots.second, fraction + scale * roots.second, leg, self, &state, &bench)
    }
    change.finish(self, &state)
    return reach
  }

  /// Takes a device over a circle's boundary.
  @inline(__always)
  func pass(
    _ ordinal: UInt32, _ crossing: vk_crossing, _ fraction: Double, leaving: Bool, _ leg: Leg,
    _ state: inout DeviceState, _ bench: inout Workbench
  ) {
    var change = Change(ordinal, isInside: leaving)
    change.pass(
      Coordinate(latitude: crossing.latitude, longitude: crossing.longitude), fraction, leg, self, &state,
      &bench)
    change.finish(self, &state)
  }

  private func passPolygons(
    _ path: ShortPath, from start: Place, to end: Place, at fraction: Double, scale: Double, _ leg: Leg,
    _ state: inout DeviceState, _ neighborhood: inout Neighborhood, _ bench: inout Workbench
  ) -> Meters {
    var reach = Double.infinity
    // More than any error of boundary distances, metres.
    let slack = path.length + 1e-2
    for i in 0..<neighborhood.polygonCount {
      let known = neighborhood[polygon: i]
      let clear = known.clearance(at: end.ecef)
      if clear > 0, known.clearance(at: start.ecef) > 0 {
        reach = min(reach, clear)
        continue
      }
      neighborhood[polygon: i].move(to: end.coordinate, end.ecef)
      let polygon = neighborhood[polygon: i]
      let d2 = polygon.distance
      reach = min(reach, abs(d2) - NearbyPolygon.error)
      if abs(d2) > slack { continue }
      let startsInside = state.occupies(polygon.ordinal)
      if startsInside == (d2 <= 0) {
        let d1 =
          known.anchor == start.ecef
          ? known.distance : known.boundaryDistance(from: start.coordinate, start.ecef)
        if abs(d1) + abs(d2) > slack { continue }
      }
      bench.polygon.find(polygon, path, startsInside: startsInside, endsInside: d2 <= 0)
      var change = Change(polygon.ordinal, isInside: startsInside)
      for k in 0..<bench.polygon.changes.count {
        let s = bench.polygon.changes[k]
        change.pass(path, start, s, fraction + scale * s, leg, self, &state, &bench)
      }
      change.finish(self, &state)
    }
    return reach
  }
}

/// The changes of one region's state on a short way, in order.
private struct Change {
  private let region: UInt32
  private let wasInside: Bool
  private var isInside: Bool
  /// The end of the delay of a stay that began on the way.
  private var due: Int64?

  init(_ region: UInt32, isInside: Bool) {
    self.region = region
    wasInside = isInside
    self.isInside = isInside
  }

  /// Takes the device over the boundary `s` metres along a way.
  mutating func pass(
    _ path: ShortPath, _ start: Place, _ s: Meters, _ fraction: Double, _ leg: CrossingEngine.Leg,
    _ engine: borrowing CrossingEngine, _ state: inout DeviceState, _ bench: inout Workbench
  ) {
    pass(path.place(at: s).surfaceCoordinate(near: start), fraction, leg, engine, &state, &bench)
  }

  /// Takes the device over the boundary.
  @inline(__always)
  mutating func pass(
    _ coordinate: Coordinate, _ fraction: Double, _ leg: CrossingEngine.Leg,
    _ engine: borrowing CrossingEngine,
    _ state: inout DeviceState, _ bench: inout Workbench
  ) {
    let time = leg.time(at: fraction)
    if isInside, engine.delay != nil {
      // The stay that ends here may have lasted for the delay.
      let due = self.due ?? state.due(at: state.place(of: region))
      if due <= time {
        let instant = min(leg.fraction(at: due), fraction)
        bench.add(
          instant, region, .dwell, CrossingEngine.coordinate(leg, at: instant), time: due)
      }
    }
    bench.add(fraction, region, isInside ? .exit : .enter, coordinate, time: time)
    isInside.toggle()
    due = isInside ? engine.due(after: time) : .max
  }

  /// Writes what has become of the region into the state.
  func finish(_ engine: borrowing CrossingEngine, _ state: inout DeviceState) {
    if isInside, !wasInside {
      state.insert(region, due: due)
    } else if wasInside, !isInside {
      state.remove(at: state.place(of: region), hasDues: engine.delay != nil)
    } else if isInside, let due {
      state.setDue(due, at: state.place(of: region))
    }
  }
}
