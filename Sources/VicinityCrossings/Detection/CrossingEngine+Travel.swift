internal import CVicinityKernels
internal import VicinityGeodesy

extension CrossingEngine {
  /// The greatest length of the pieces that long paths are cut into, metres.
  private static let pieceLength: Meters = 2500

  /// Moves along the geodesic to the end of a leg.
  func travel(
    _ leg: Leg, _ state: inout DeviceState, _ neighborhood: inout Neighborhood,
    _ scratch: inout DetectorScratch
  ) {
    if let safeRadius = travelByNearbyCircles(leg, &state, &neighborhood, &scratch) {
      return state.setSafeRadius(
        safeRadius, at: leg.end, metersPerDegree: neighborhood.nearby.metersPerDegree)
    }
    let start = scratch.position(of: leg.start)
    let end = Position(leg.end)
    scratch.lastPosition = end
    if let safeRadius = clearance(at: end, after: leg.start, &state, &neighborhood, &scratch) {
      return state.setSafeRadius(safeRadius, at: leg.end, end.ecef)
    }
    let safeRadius: Meters
    let path = ShortPath(from: start.ecef, to: end.ecef)
    if path.length <= ShortPath.longest {
      let scale = path.length > 0 ? 1 / path.length : 0
      safeRadius = travel(
        path, from: start, to: end, at: 0, scale: scale, leg, &state, &neighborhood, &scratch)
    } else {
      safeRadius = travelFar(leg, start, end, &state, &neighborhood, &scratch)
    }
    state.setSafeRadius(safeRadius, at: leg.end, end.ecef)
  }

  /// The distance from the end of a path to the nearest boundary, metres, if the path certainly crosses none;
  /// nil where it may cross one.
  ///
  /// A path crosses no boundary when none lies within its length of its end.
  private func clearance(
    at end: Position, after start: Coordinate, _ state: inout DeviceState,
    _ neighborhood: inout Neighborhood, _ scratch: inout DetectorScratch
  ) -> Meters? {
    // An upper bound of the length, as in the quick test; far less than half a degree.
    let north = WGS84.longestDegree * (end.coordinate.latitude - start.latitude)
    let east = Double(state.metersPerDegree) * (end.coordinate.longitude - start.longitude)
    let length2 = north * north + east * east
    guard length2 < 2.5e7, 1.5 * length2 < Double(state.safeRadius2) else { return nil }
    let length = length2.squareRoot()
    guard var safeRadius = neighborhood.findCircles(within: length, of: end.ecef, into: &scratch.near),
      scratch.near.count == 0
    else { return nil }
    for i in 0..<neighborhood.polygonCount {
      let clear = neighborhood[polygon: i].clearance(at: end.ecef)
      guard clear > length else { return nil }
      safeRadius = min(safeRadius, clear)
    }
    return safeRadius
  }

  /// Moves along a long path in equal pieces, each the geodesic between two points of it, skipping pieces
  /// that certainly cross no boundary.
  ///
  /// - Returns: A lower bound of the distance from the end to the nearest boundary, metres.
  private func travelFar(
    _ leg: Leg, _ start: Position, _ end: Position, _ state: inout DeviceState,
    _ neighborhood: inout Neighborhood, _ scratch: inout DetectorScratch
  ) -> Meters {
    let line = GeodesicLine(unchecked: leg.start, leg.end)
    let n = max(1, Int((line.distance / Self.pieceLength).rounded(.up)))
    let step = line.distance / Double(n)
    let moved2 = state.moved2(to: leg.start)
    var clear =
      moved2 < Double(state.safeRadius2)
      ? Double(state.safeRadius2).squareRoot() - moved2.squareRoot() - 1e-3 : 0
    var position = start
    var k = 0
    while k < n {
      let rest = Double(n - k) * step
      if clear > rest { return clear - rest }
      // Boundary distance changes by no more than the distance moved.
      let passed = min(n - k - 1, Int(max(0, clear - 1e-3) / step))
      if passed > 0 {
        k += passed
        position = Position(line.point(at: Double(k) * step))
        clear = clearance(at: position, &state, &neighborhood, &scratch)
        if clear > step { continue }
      }
      let next = k + 1 == n ? end : Position(line.point(at: Double(k + 1) * step))
      let path = ShortPath(from: position.ecef, to: next.ecef)
      clear = travel(
        path, from: position, to: next, at: Double(k) / Double(n),
        scale: path.length > 0 ? 1 / (Double(n) * path.length) : 0, leg, &state, &neighborhood, &scratch)
      position = next
      k += 1
    }
    return clear
  }

  /// Finds the crossings on a short path, and updates the state.
  ///
  /// - Parameters:
  ///   - fraction: The share of the leg before the path, 0...1.
  ///   - scale: The share of the leg that a metre of the path is.
  /// - Returns: A lower bound of the distance from the path's end to the nearest boundary, metres; zero or
  ///   less where none is known.
  private func travel(
    _ path: ShortPath, from start: Position, to end: Position, at fraction: Double, scale: Double, _ leg: Leg,
    _ state: inout DeviceState, _ neighborhood: inout Neighborhood, _ scratch: inout DetectorScratch
  ) -> Meters {
    // A boundary that the path crosses lies within half the path's length of its middle.
    let half = 0.5 * path.length
    let middle = path.middle
    var clear = neighborhood.findCircles(within: half, of: middle, into: &scratch.near)
    if clear == nil {
      gather(for: path, start, end, &state, &neighborhood)
      clear = neighborhood.findCircles(within: half, of: middle, into: &scratch.near)
    }
    var safeRadius = (clear ?? 0) - half
    var k = 0
    while k < scratch.near.count {
      let circle = scratch.near[k]
      k += 1
      safeRadius = min(
        safeRadius,
        cross(circle, path, from: start, to: end, at: fraction, scale: scale, leg, &state, &scratch))
    }
    if neighborhood.polygonCount > 0 {
      safeRadius = min(
        safeRadius,
        crossPolygons(
          path, from: start, to: end, at: fraction, scale: scale, leg, &state, &neighborhood, &scratch))
    }
    return safeRadius
  }

  /// Finds the crossings of a short path with one circle.
  ///
  /// - Returns: A lower bound of the distance from the path's end to the circle's boundary, metres.
  @inline(__always)
  func cross(
    _ circle: NearbyCircle, _ path: ShortPath, from start: Position, to end: Position, at fraction: Double,
    scale: Double, _ leg: Leg, _ state: inout DeviceState, _ scratch: inout DetectorScratch
  ) -> Meters {
    let target = CircleTarget(center: circle.center, radius: circle.radius)
    let (d1, d2) = target.boundaryDistances(start.ecef, end.ecef)
    let safeRadius = abs(d2) - 1e-6
    if abs(d1) + abs(d2) > path.length + 2e-6, (d1 < 0) == (d2 < 0) { return safeRadius }
    let startsInside = state.occupies(circle.ordinal)
    let endsInside = target.contains(end.coordinate, distance: d2)
    if startsInside != endsInside,
      let crossing = scratch.crossing(
        from: start.coordinate, to: end.coordinate, circle, leaving: startsInside)
    {
      cross(
        circle.ordinal, crossing, fraction + scale * crossing.s, leaving: startsInside, leg, &state, &scratch)
      return safeRadius
    }
    let roots = target.crossings(
      of: path, startsInside: startsInside, endsInside: endsInside, from: d1, to: d2)
    guard roots.count > 0 else { return safeRadius }
    var change = Change(circle.ordinal, isInside: startsInside)
    change.cross(path, start, roots.first, fraction + scale * roots.first, leg, self, &state, &scratch)
    if roots.count > 1 {
      change.cross(path, start, roots.second, fraction + scale * roots.second, leg, self, &state, &scratch)
    }
    change.finish(self, &state)
    return safeRadius
  }

  /// Moves a device over a circle's boundary.
  @inline(__always)
  func cross(
    _ ordinal: UInt32, _ crossing: vk_crossing, _ fraction: Double, leaving: Bool, _ leg: Leg,
    _ state: inout DeviceState, _ scratch: inout DetectorScratch
  ) {
    var change = Change(ordinal, isInside: leaving)
    change.cross(
      Coordinate(latitude: crossing.latitude, longitude: crossing.longitude), fraction, leg, self, &state,
      &scratch)
    change.finish(self, &state)
  }

  private func crossPolygons(
    _ path: ShortPath, from start: Position, to end: Position, at fraction: Double, scale: Double, _ leg: Leg,
    _ state: inout DeviceState, _ neighborhood: inout Neighborhood, _ scratch: inout DetectorScratch
  ) -> Meters {
    var safeRadius = Double.infinity
    // More than any error of boundary distances, metres.
    let slack = path.length + 1e-2
    for i in 0..<neighborhood.polygonCount {
      let known = neighborhood[polygon: i]
      let clear = known.clearance(at: end.ecef)
      if clear > 0, known.clearance(at: start.ecef) > 0 {
        safeRadius = min(safeRadius, clear)
        continue
      }
      neighborhood[polygon: i].move(to: end.coordinate, end.ecef)
      let polygon = neighborhood[polygon: i]
      let d2 = polygon.distance
      safeRadius = min(safeRadius, abs(d2) - NearbyPolygon.error)
      if abs(d2) > slack { continue }
      let startsInside = state.occupies(polygon.ordinal)
      if startsInside == (d2 <= 0) {
        let d1 =
          known.anchor == start.ecef
          ? known.distance : known.boundaryDistance(from: start.coordinate, start.ecef)
        if abs(d1) + abs(d2) > slack { continue }
      }
      scratch.polygon.find(polygon, path, startsInside: startsInside, endsInside: d2 <= 0)
      var change = Change(polygon.ordinal, isInside: startsInside)
      for k in 0..<scratch.polygon.changes.count {
        let s = scratch.polygon.changes[k]
        change.cross(path, start, s, fraction + scale * s, leg, self, &state, &scratch)
      }
      change.finish(self, &state)
    }
    return safeRadius
  }
}

/// The changes of one region's state on a short path, in order.
private struct Change {
  private let region: UInt32
  private let wasInside: Bool
  private var isInside: Bool
  /// The end of the delay of a stay that began on the path.
  private var due: Int64?

  init(_ region: UInt32, isInside: Bool) {
    self.region = region
    wasInside = isInside
    self.isInside = isInside
  }

  /// Moves the device over the boundary `s` metres along a path.
  mutating func cross(
    _ path: ShortPath, _ start: Position, _ s: Meters, _ fraction: Double, _ leg: CrossingEngine.Leg,
    _ engine: borrowing CrossingEngine, _ state: inout DeviceState, _ scratch: inout DetectorScratch
  ) {
    cross(path.point(at: s).surfaceCoordinate(near: start), fraction, leg, engine, &state, &scratch)
  }

  /// Moves the device over the boundary.
  @inline(__always)
  mutating func cross(
    _ coordinate: Coordinate, _ fraction: Double, _ leg: CrossingEngine.Leg,
    _ engine: borrowing CrossingEngine,
    _ state: inout DeviceState, _ scratch: inout DetectorScratch
  ) {
    let time = leg.time(at: fraction)
    if isInside, engine.delay != nil {
      // The stay that ends here may have lasted for the delay.
      let due = self.due ?? state.due(at: state.lowerBound(of: region))
      if due <= time {
        let instant = min(leg.fraction(at: due), fraction)
        scratch.add(
          instant, region, .dwell, CrossingEngine.coordinate(leg, at: instant), time: due)
      }
    }
    scratch.add(fraction, region, isInside ? .exit : .enter, coordinate, time: time)
    isInside.toggle()
    due = isInside ? engine.due(after: time) : .max
  }

  /// Writes the region's new state into the device's.
  func finish(_ engine: borrowing CrossingEngine, _ state: inout DeviceState) {
    if isInside, !wasInside {
      state.insert(region, due: due)
    } else if wasInside, !isInside {
      state.remove(at: state.lowerBound(of: region), hasDues: engine.delay != nil)
    } else if isInside, let due {
      state.setDue(due, at: state.lowerBound(of: region))
    }
  }
}
