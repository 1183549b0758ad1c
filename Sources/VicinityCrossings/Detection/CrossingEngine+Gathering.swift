internal import VicinityGeodesy

/// Neighbourhoods: the regions near a device, gathered from the index.
extension CrossingEngine {
  /// A lower bound of the distance from a position to the nearest boundary, metres; zero or less where none
  /// is known.
  func clearance(
    at position: Position, _ state: inout DeviceState, _ neighborhood: inout Neighborhood,
    _ scratch: inout DetectorScratch
  ) -> Meters {
    if neighborhood.margin(at: position.ecef) < 0.3 * neighborhood.limit || neighborhood.limit <= 0 {
      while !gather(around: position, Double(state.margin), &state, &neighborhood) {}
    }
    var safeRadius = neighborhood.findCircles(within: 0, of: position.ecef, into: &scratch.near) ?? 0
    for k in 0..<scratch.near.count {
      let circle = scratch.near[k]
      let target = CircleTarget(center: circle.center, radius: circle.radius)
      safeRadius = min(safeRadius, abs(target.boundaryDistance(position.ecef)) - 1e-6)
    }
    for i in 0..<neighborhood.polygonCount {
      var clear = neighborhood[polygon: i].clearance(at: position.ecef)
      if clear < safeRadius, clear < 0.5 * abs(neighborhood[polygon: i].distance) {
        neighborhood[polygon: i].move(to: position.coordinate, position.ecef)
        clear = abs(neighborhood[polygon: i].distance) - NearbyPolygon.error
      }
      safeRadius = min(safeRadius, clear)
    }
    return safeRadius
  }

  /// Gathers a neighbourhood that covers a path, centred ahead of it, where the device is likely to go.
  func gather(
    for path: ShortPath, _ start: Position, _ end: Position, _ state: inout DeviceState,
    _ neighborhood: inout Neighborhood
  ) {
    let least = 2.5 * path.length + 20
    var isFitting = false
    while !isFitting {
      let limit = max(Double(state.margin), least)
      let position = Self.position(ahead: 0.6 * limit, of: path, start, end) ?? end
      isFitting = gather(around: position, limit, least: least, &state, &neighborhood)
    }
    if neighborhood.margin(at: path.middle) > path.length { return }
    // Near a pole a position ahead in degrees does not lie ahead.
    _ = gather(around: end, max(Double(state.margin), least), least: .infinity, &state, &neighborhood)
  }

  /// A position about `distance` metres farther on; nil where the path is too long, or near a pole.
  private static func position(
    ahead distance: Meters, of path: ShortPath, _ start: Position, _ end: Position
  ) -> Position? {
    guard path.length > 0, path.length < 0.25 * distance, distance < 50_000,
      abs(end.coordinate.latitude) < 80
    else { return nil }
    let factor = distance / path.length
    let turn = (end.coordinate.longitude - start.coordinate.longitude).remainder(dividingBy: 360)
    let coordinate = Coordinate(
      latitude: end.coordinate.latitude + factor * (end.coordinate.latitude - start.coordinate.latitude),
      longitude: end.coordinate.longitude + factor * turn)
    return coordinate.isValid ? Position(coordinate) : nil
  }

  /// Between two and four blocks of sixteen cost least in all: the device leaves smaller neighbourhoods too
  /// soon, and larger ones take longer to search (nanoseconds a fix at 1M regions, a fix in 10 s, and a fix a
  /// second in dense positions: from 8 to 20 circles 64 and 38, 12 to 28 60.5 and 35.5, 16 to 30 60 and 34.8,
  /// 18 to 32 60 and 34.7).
  private static let smallNeighborhood = 16
  private static let largeNeighborhood = 30

  /// An estimate of the radius of the first neighbourhood to gather, metres.
  func estimatedMargin(at position: Position, _ neighborhood: inout Neighborhood) -> Meters {
    neighborhood.estimatedLimit(
      tree, at: position.ecef, for: (Self.smallNeighborhood + Self.largeNeighborhood) / 2)
  }

  /// Gathers the neighbourhood of a position and finds the regions that contain it, ascending.
  ///
  /// - Returns: Whether that could be done; where not, `scratch.containing` means nothing.
  func gather(
    at position: Position, _ state: inout DeviceState, _ neighborhood: inout Neighborhood,
    _ scratch: inout DetectorScratch
  ) -> Bool {
    guard regions.polygonCount == 0 else { return false }
    var isFitting = false
    while !isFitting {
      let limit = Double(state.margin)
      let isDone = neighborhood.gather(
        tree, around: position.coordinate, position.ecef, limit: min(limit, Neighborhood.largestLimit),
        most: Self.most(limit), containing: &scratch.containing
      ) {
        let target = CircleTarget(center: $0.center, radius: $0.radius)
        return target.contains(position.coordinate, distance: target.boundaryDistance(position.ecef))
      }
      isFitting = adaptMargin(limit, &state, neighborhood)
      if isFitting, !isDone { return false }
    }
    scratch.containing.sort()
    return true
  }

  /// Gathers the neighbourhood of a position, and adapts the radius of the next one.
  ///
  /// - Parameter least: Up to this radius, metres, the neighbourhood is kept however large it is.
  /// - Returns: Whether it is to be kept; where not, it is of no use.
  func gather(
    around position: Position, _ limit: Meters, least: Meters = 0, _ state: inout DeviceState,
    _ neighborhood: inout Neighborhood
  ) -> Bool {
    let isLeast = limit <= least
    let limit = min(limit, Neighborhood.largestLimit)
    neighborhood.gather(
      tree, around: position.coordinate, position.ecef, limit: limit, most: isLeast ? .max : Self.most(limit))
    return adaptMargin(limit, &state, neighborhood) || isLeast
  }

  /// Adapts the radius of the next neighbourhood to the size of the last.
  ///
  /// - Returns: Whether the last is small enough to keep.
  private func adaptMargin(
    _ limit: Meters, _ state: inout DeviceState, _ neighborhood: borrowing Neighborhood
  ) -> Bool {
    // A polygon costs as much as a few circles.
    let size = neighborhood.count + 3 * neighborhood.polygonCount
    if size > Self.largeNeighborhood {
      let factor = max(0.1, min(0.7, Double(Self.largeNeighborhood) / Double(size)))
      state.margin = Float(max(Self.leastMargin, factor * limit))
    } else if size < Self.smallNeighborhood {
      // The number of regions grows with the area; never much farther than is known.
      let factor = min(4, (Double(Self.smallNeighborhood) / Double(size + 1)).squareRoot())
      state.margin = Float(min(Neighborhood.largestLimit, max(1.5, factor) * limit))
    }
    return size <= 2 * Self.largeNeighborhood || limit <= Self.leastMargin
  }

  /// Gathering stops beyond this many circles, which are too many to keep, and a smaller radius is tried.
  /// Without it a radius that fits where a device was, but not where it is, makes buffers grow that never
  /// shrink again.
  private static func most(_ limit: Meters) -> Int { limit > 100 ? 256 : .max }

  /// The least radius of a neighbourhood that holds too many regions, metres.
  private static let leastMargin: Meters = 10
}
