import VicinityGeodesy
import VicinityIndex
import VicinityPlanner
import VicinityPolygon

/// A planner that looks at every region with PROJ, in the plainest way there is.
struct PlanOracle {
  let regions: [Region]
  var options: PlanOptions

  struct Answer {
    var chosen: [Int] = []
    var certificate = Double.infinity
    var reason: Plan.Saturation.Reason?
    var leftOut: Set<Int> = []
    var radius = Double.infinity
    /// Whether a distance is within its own error of what decides.
    var isClose = false
  }

  static func distance(_ region: Region, _ place: Coordinate) -> Double {
    switch region.shape {
    case .circle(let center, let radius): Geodesic.uncheckedDistance(place, center) - radius
    case .polygon(let polygon): polygon.blob.withView { $0.bruteForceSignedBoundaryDistance(from: place) }
    }
  }

  private func isTooLarge(_ region: Region) -> Bool {
    switch region.shape {
    case .circle(_, let radius): radius > options.maximumRegionRadius
    case .polygon(let polygon): polygon.boundingRadius > options.maximumRegionRadius
    }
  }

  /// What a plan at a place has to be.
  func answer(at place: Coordinate, error: Double) -> Answer {
    var answer = Answer()
    let distances = regions.map { Self.distance($0, place) }
    let slots = max(0, options.capacity - options.reserved)
    let tooLarge = Set(regions.indices.filter { isTooLarge(regions[$0]) })
    let small = regions.indices.filter { !tooLarge.contains($0) }
    if tooLarge.isEmpty, regions.count <= slots {
      answer.chosen = small.sorted { (distances[$0], $0) < (distances[$1], $1) }
      return answer
    }
    let room = max(0, slots - (options.swapPolicy == .spareSlot ? 2 : 1))
    let pins = small.filter { options.pinned.contains(regions[$0].identifier) }
    let others = small.filter { !options.pinned.contains(regions[$0].identifier) }
      .sorted { (distances[$0], $0) < (distances[$1], $1) }
    let needed = others.filter { distances[$0] <= error }
    func rank(_ i: Int) -> (Int, Double, Int) {
      (-(options.priorities[regions[i].identifier] ?? 0), abs(distances[i]), i)
    }
    if pins.count + needed.count > room {
      answer.chosen = Array(
        (pins.sorted { rank($0) < rank($1) } + needed.sorted { rank($0) < rank($1) }).prefix(room))
    } else {
      answer.chosen = pins + others.prefix(room - pins.count)
    }
    let chosen = Set(answer.chosen)
    for i in small where !chosen.contains(i) {
      answer.certificate = min(answer.certificate, max(0, distances[i]))
    }
    for i in tooLarge { answer.certificate = min(answer.certificate, abs(distances[i])) }
    let margin =
      options.overshoot + options.maximumSpeed * (options.latency / .seconds(1)) + options.sentinelError
    answer.radius = min(answer.certificate - margin, options.maximumRadius)
    let inside = small.count { distances[$0] <= 0 }
    var reach = error
    if slots == 0 {
      answer.reason = .noSlots
    } else if pins.count > room {
      answer.reason = .tooManyPinned
    } else if answer.certificate - 1e-6 <= error || answer.certificate < 1e-3 {
      answer.reason = inside > room ? .tooManyOccupied : .errorTooLarge
    } else if answer.radius < options.minimumReliableRadius || answer.radius < 1e-3 {
      answer.reason = .radiusTooSmall
    }
    if answer.reason == .noSlots || answer.reason == .radiusTooSmall {
      reach = max(reach, options.minimumReliableRadius + margin)
    }
    answer.isClose = distances.contains {
      abs($0) < 1e-6 || abs($0 - error) < 1e-6 || abs($0 - reach) < 1e-6
    }
    if answer.reason != nil {
      answer.leftOut = Set(small.filter { distances[$0] <= reach && !chosen.contains($0) })
      answer.leftOut.formUnion(pins.filter { !chosen.contains($0) })
    }
    return answer
  }
}
