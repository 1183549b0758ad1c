internal import VicinityGeodesy
internal import VicinityIndex

/// What positions say of the regions about: which were entered and left, and how near the next boundary is.
struct BoundaryEvidence: ~Copyable {
  /// What a later process needs to know.
  struct Memory: Sendable {
    /// The regions that the phone was decided to be in, by ordinal.
    var inside: Set<Int> = []
    /// Whether there has been a position: what the phone was in then is no news.
    var isSettled = false
  }

  /// How many times its accuracy a position must be beyond a boundary to decide by itself.
  struct Margins: Hashable {
    var entry: Double
    var exit: Double
  }

  /// A region entered or left.
  struct Change: Hashable {
    var region: Int
    var isInside: Bool
  }

  /// Positions up to this accuracy, metres, confirm each other: Wi-Fi's, which say 65 m. Those of cells are wrong in the same
  /// way for minutes.
  private static let wifi: Meters = 70

  private let regions: RegionIndex
  private(set) var memory: Memory
  /// Regions that the last position took to be on the other side, but not by far enough.
  private var doubtful: Set<Int> = []
  private var scratch = QueryScratch()
  private var neighbors: [Neighbor] = []
  /// What the last position decided.
  private(set) var changes: [Change] = []
  /// The distance to the nearest boundary at the last position, metres.
  private(set) var clearance = Meters.infinity

  /// Whether another position would decide something.
  var isDoubtful: Bool { !doubtful.isEmpty }

  init(_ regions: RegionIndex, resuming memory: Memory = Memory()) {
    self.regions = regions
    self.memory = memory
  }

  /// Takes a position and its accuracy; what it decides is in ``changes``.
  ///
  /// - Complexity: that of the query for one region more than contain the position or are within the margins, and O(m log m) for m
  ///   regions that the phone was in.
  mutating func take(_ place: Coordinate, accuracy: Meters, margins: Margins) throws(QueryError) {
    changes.removeAll(keepingCapacity: true)
    try look(from: place, beyond: max(margins.entry, margins.exit) * accuracy)
    clearance = .infinity
    let before = doubtful
    doubtful.removeAll(keepingCapacity: true)
    var elsewhere = memory.inside
    for neighbor in neighbors {
      let distance = abs(neighbor.distance)
      clearance = min(clearance, distance)
      let isInside = neighbor.distance <= 0
      let wasInside = elsewhere.remove(neighbor.ordinal) != nil
      guard isInside != wasInside else { continue }
      let isConfirmed = accuracy <= Self.wifi && before.contains(neighbor.ordinal)
      let needed = (isInside ? margins.entry : margins.exit) * accuracy
      if distance >= needed || isConfirmed || !memory.isSettled {
        decide(Change(region: neighbor.ordinal, isInside: isInside))
      } else {
        doubtful.insert(neighbor.ordinal)
      }
    }
    // Farther than all that was looked at, and so than the margins.
    for region in elsewhere.sorted() { decide(Change(region: region, isInside: false)) }
    if !memory.isSettled { changes.removeAll(keepingCapacity: true) }
    memory.isSettled = true
  }

  private mutating func decide(_ change: Change) {
    if change.isInside { memory.inside.insert(change.region) } else { memory.inside.remove(change.region) }
    changes.append(change)
  }

  /// Finds all regions that contain a position or are within a distance, and the next.
  private mutating func look(from place: Coordinate, beyond distance: Meters) throws(QueryError) {
    var count = 8
    while true {
      try regions.nearest(count, to: place, scratch: &scratch, into: &neighbors)
      guard let last = neighbors.last, last.distance <= distance, neighbors.count == count else { return }
      count *= 2
    }
  }
}
