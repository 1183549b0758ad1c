internal import VicinityGeodesy
internal import VicinityIndex

/// Looking around, and what is gathered for it.
extension CrossingEngine {
  /// How far no boundary lies from a place, metres; zero or less where that is not known.
  func clearance(
    at place: Place, _ state: inout DeviceState, _ neighborhood: inout Neighborhood,
    _ bench: inout Workbench
  ) -> Meters {
    if neighborhood.margin(at: place.ecef) < 0.3 * neighborhood.limit || neighborhood.limit <= 0 {
      while !gather(around: place, Double(state.margin), &state, &neighborhood) {}
    }
    var reach = neighborhood.findCircles(within: 0, of: place.ecef, into: &bench.near) ?? 0
    for k in 0..<bench.near.count {
      let circle = bench.near[k]
      let target = CircleTarget(center: circle.center, radius: circle.radius)
      reach = min(reach, abs(target.boundaryDistance(place.ecef)) - 1e-6)
    }
    for i in 0..<neighborhood.polygonCount {
      var clear = neighborhood[polygon: i].clearance(at: place.ecef)
      if clear < reach, clear < 0.5 * abs(neighborhood[polygon: i].distance) {
        neighborhood[polygon: i].move(to: place.coordinate, place.ecef)
        clear = abs(neighborhood[polygon: i].distance) - NearbyPolygon.error
      }
      reach = min(reach, clear)
    }
    return reach
  }

  /// Gathers a neighbourhood that holds a way; ahead of it, where the device is likely to go.
  func gather(
    for path: ShortPath, _ start: Place, _ end: Place, _ state: inout DeviceState,
    _ neighborhood: inout Neighborhood
  ) {
    let least = 2.5 * path.length + 20
    var isFitting = false
    while !isFitting {
      let limit = max(Double(state.margin), least)
      let place = Self.place(ahead: 0.6 * limit, of: path, start, end) ?? end
      isFitting = gather(around: place, limit, &state, &neighborhood) || limit <= least
    }
    if neighborhood.margin(at: path.middle) > path.length { return }
    // Near a pole what lies ahead in degrees does not lie ahead.
    _ = gather(around: end, max(Double(state.margin), least), &state, &neighborhood)
  }

  /// A place about so many metres farther on; nil where the way is too long or degrees are no guide.
  private static func place(
    ahead distance: Meters, of path: ShortPath, _ start: Place, _ end: Place
  ) -> Place? {
    guard path.length > 0, path.length < 0.25 * distance, distance < 50_000,
      abs(end.coordinate.latitude) < 80
    else { return nil }
    let factor = distance / path.length
    let turn = (end.coordinate.longitude - start.coordinate.longitude).remainder(dividingBy: 360)
    let coordinate = Coordinate(
      latitude: end.coordinate.latitude + factor * (end.coordinate.latitude - start.coordinate.latitude),
      longitude: end.coordinate.longitude + factor * turn)
    return coordinate.isValid ? Place(coordinate) : nil
  }

  /// Between two and four blocks of sixteen cost least in all: fewer are left too soon, more take longer to look at
  /// (nanoseconds a fix at 1M regions, a fix in 10 s, and a fix a second in dense places: from 8 to 20 circles 64 and 38,
  /// 12 to 28 60.5 and 35.5, 16 to 30 60 and 34.8, 18 to 32 60 and 34.7).
  private static let smallNeighborhood = 16
  private static let largeNeighborhood = 30

  /// A guess of how wide a neighbourhood to gather where nothing is known yet, metres.
  func guessedMargin(at place: Place, _ neighborhood: inout Neighborhood) -> Meters {
    neighborhood.estimatedLimit(
      index, at: place.ecef, for: (Self.smallNeighborhood + Self.largeNeighborhood) / 2)
  }

  /// Gathers the neighbourhood of a place and finds the regions that contain it, ascending.
  ///
  /// - Returns: Whether that could be done; where not, what is in `bench.containing` means nothing.
  func gather(
    at place: Place, _ state: inout DeviceState, _ neighborhood: inout Neighborhood, _ bench: inout Workbench
  ) -> Bool {
    guard Neighborhood.canFindContaining(index) else { return false }
    var isFitting = false
    while !isFitting {
      let limit = Double(state.margin)
      let isDone = neighborhood.gather(
        index, around: place.coordinate, place.ecef, limit: min(limit, Neighborhood.largestLimit),
        most: limit > 100 ? 256 : .max, containing: &bench.containing
      ) {
        let target = CircleTarget(center: $0.center, radius: $0.radius)
        return target.contains(place.coordinate, distance: target.boundaryDistance(place.ecef))
      }
      isFitting = learn(limit, &state, neighborhood)
      if isFitting, !isDone { return false }
    }
    bench.containing.sort()
    return true
  }

  /// Gathers the neighbourhood of a place, and learns how wide the next should be.
  ///
  /// - Returns: Whether it is no larger than is worth keeping.
  func gather(
    around place: Place, _ limit: Meters, _ state: inout DeviceState, _ neighborhood: inout Neighborhood
  ) -> Bool {
    let limit = min(limit, Neighborhood.largestLimit)
    neighborhood.gather(index, around: place.coordinate, place.ecef, limit: limit)
    return learn(limit, &state, neighborhood)
  }

  /// Learns how wide the next neighbourhood should be.
  ///
  /// - Returns: Whether the last is no larger than is worth keeping.
  private func learn(
    _ limit: Meters, _ state: inout DeviceState, _ neighborhood: borrowing Neighborhood
  ) -> Bool {
    // A polygon costs as much as a few circles.
    let size = neighborhood.count + 3 * neighborhood.polygonCount
    if size > Self.largeNeighborhood {
      let factor = max(0.1, min(0.7, Double(Self.largeNeighborhood) / Double(size)))
      state.margin = Float(max(Self.leastMargin, factor * limit))
    } else if size < Self.smallNeighborhood {
      // As many more as the next may hold lie in as much more area; never much farther than is known.
      let factor = min(4, (Double(Self.smallNeighborhood) / Double(size + 1)).squareRoot())
      state.margin = Float(min(Neighborhood.largestLimit, max(1.5, factor) * limit))
    }
    return size <= 2 * Self.largeNeighborhood || limit <= Self.leastMargin
  }

  /// No neighbourhood is made narrower because it holds too much, metres.
  private static let leastMargin: Meters = 10
}
