internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex

extension PlanStrategy {
  /// Whether the distance from the plan's centre alone decides when to plan anew.
  var decidesByDistance: Bool {
    switch self {
    case .boundary, .boundaryAhead, .nearestByCenter, .constantRadius: true
    case .significantChange, .visits: false
    }
  }
}

/// What others do. Pins, priorities, errors and the sizes of regions mean nothing to them.
extension RegistrationPlanner {
  /// Chooses registrations by a strategy that promises nothing.
  mutating func chooseAsOthers(at center: Coordinate) throws(GeodesyError) -> PlanChoice {
    var choice = PlanChoice(center: center)
    let n = index.count
    if n <= options.slots {
      choice.chosen = try nearestByBoundary(n, to: center)
      return choice
    }
    switch options.strategy {
    case .boundary, .boundaryAhead: break
    case .constantRadius(let radius):
      choice.chosen = try nearestByBoundary(options.regionSlots, to: center)
      choice.radius = radius
    case .nearestByCenter:
      let found = try nearestByCenter(options.regionSlots + 1, to: center)
      choice.chosen = Array(found.prefix(options.regionSlots))
      choice.radius = min(found.last?.distanceToMiddle ?? 0, options.maximumRadius)
    case .significantChange, .visits:
      choice.chosen = try nearestByCenter(options.slots, to: center)
    }
    return choice
  }

  private mutating func nearestByBoundary(
    _ count: Int, to center: Coordinate
  ) throws(GeodesyError) -> [Neighbor] {
    do {
      try index.nearest(
        count, to: center, options: QueryOptions(), scratch: &bench.scratch, into: &bench.found)
    } catch {
      throw .invalidCoordinate(center)
    }
    return bench.found
  }

  private mutating func nearestByCenter(
    _ count: Int, to center: Coordinate
  ) throws(GeodesyError) -> [Neighbor] {
    do {
      try index.nearestByCenter(count, to: center, scratch: &bench.scratch, into: &bench.found)
    } catch {
      throw .invalidCoordinate(center)
    }
    return bench.found
  }

  /// Whether a visit begins with a fix.
  mutating func beginsVisit(_ fix: Fix, radius: Meters, time: Duration) -> Bool {
    guard var stay, PlannerMotion.distance(from: stay.anchor.coordinate, to: fix.coordinate) <= radius else {
      stay = Stay(anchor: fix)
      return false
    }
    let hasBegun = !stay.isVisit && fix.time.seconds(since: stay.anchor.time) >= time / .seconds(1)
    if hasBegun { stay.isVisit = true }
    self.stay = stay
    return hasBegun
  }
}
