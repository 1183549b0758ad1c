internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityPolygon

/// The working memory of a planner, kept from plan to plan.
struct PlannerScratch: ~Copyable {
  /// A region that always holds a slot.
  struct Pin {
    var ordinal: Int
    var shape: Region.Shape
    var isTooLarge: Bool
  }

  var query = QueryScratch()
  /// The result of the last query.
  var found: [Neighbor] = []
  /// Regions found that may be registered and are not pinned.
  var free: [Neighbor] = []
  /// Regions found that are too large to be registered.
  var watched: [Neighbor] = []
  var pinned: [Neighbor] = []

  /// Whether pins and priorities must be looked up.
  var needsChoices = true
  private(set) var pins: [Pin] = []
  private(set) var pinnedOrdinals: Set<Int> = []
  private(set) var precedence = Precedence()

  init() {}

  /// Looks up the regions that the options name. Names that no region has are ignored.
  mutating func lookUp(_ options: PlanOptions, in index: some SearchableRegions) {
    guard needsChoices else { return }
    needsChoices = false
    pins = []
    for identifier in options.allPins {
      guard let ordinal = index.ordinal(of: identifier), let region = index.knownRegion(at: ordinal) else {
        continue
      }
      pins.append(
        Pin(
          ordinal: ordinal, shape: region.shape,
          isTooLarge: (index.enclosingRadius(of: ordinal) ?? 0) > options.maximumRegionRadius))
    }
    pins.sort { $0.ordinal < $1.ordinal }
    pinnedOrdinals = Set(pins.map(\.ordinal))
    var priorities: [Int: Int] = [:]
    for (identifier, priority) in options.priorities where priority != 0 {
      if let ordinal = index.ordinal(of: identifier) { priorities[ordinal] = priority }
    }
    precedence = Precedence(priorities: priorities)
  }
}

/// Which regions keep a slot where there is no room for all: by priority, then by how near the boundary is,
/// then by age.
struct Precedence {
  /// Priorities by ordinal; 0 for all others.
  var priorities: [Int: Int] = [:]

  func isFirst(_ a: Neighbor, before b: Neighbor) -> Bool {
    if !priorities.isEmpty {
      let (first, second) = (priorities[a.ordinal] ?? 0, priorities[b.ordinal] ?? 0)
      if first != second { return first > second }
    }
    if abs(a.distance) != abs(b.distance) { return abs(a.distance) < abs(b.distance) }
    return a.ordinal < b.ordinal
  }
}

extension Neighbor {
  /// The order of queries: by distance, then by age.
  static func isNearer(_ a: Neighbor, _ b: Neighbor) -> Bool {
    a.distance != b.distance ? a.distance < b.distance : a.ordinal < b.ordinal
  }
}

extension Region.Shape {
  /// Signed boundary distance from a valid position, metres; for circles by the reference.
  func boundaryDistance(from position: Coordinate) throws(GeodesyError) -> Meters {
    switch self {
    case .circle(let center, let radius): Geodesic.uncheckedDistance(position, center) - radius
    case .polygon(let polygon): try polygon.signedBoundaryDistance(from: position)
    }
  }
}
