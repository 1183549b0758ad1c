internal import VicinityGeodesy
internal import VicinityIndex

/// What positions tell about the regions around: which were entered and left, and how near the next boundary is.
struct BoundaryEvidence: ~Copyable {
  /// The state that survives the process.
  struct Memory: Sendable {
    /// The ordinals of the regions that the phone was last decided to be in.
    var inside: Set<Int> = []
    /// Whether there has been a position. The regions that the phone was in at the first one are not reported.
    var hasDecided = false
  }

  /// A position decides by itself if it is beyond a boundary by this many times its accuracy.
  struct Margins: Hashable {
    var entry: Double
    var exit: Double
  }

  struct Change: Hashable {
    var region: Int
    var isInside: Bool
  }

  /// Positions up to this accuracy, metres, can confirm each other: those of Wi-Fi, which report 65 m. Positions of cells have
  /// the same error for minutes.
  private static let wifi: Meters = 70

  private let regions: RegionIndex
  private(set) var memory: Memory
  /// Regions on whose other side the last position was, but not by far enough.
  private var ambiguous: Set<Int> = []
  private var scratch = QueryScratch()
  private var neighbors: [Neighbor] = []
  /// The changes that the last position decided.
  private(set) var changes: [Change] = []
  /// The distance to the nearest boundary at the last position, metres.
  private(set) var clearance = Meters.infinity

  /// Whether another position could decide something.
  var isAmbiguous: Bool { !ambiguous.isEmpty }

  init(_ regions: RegionIndex, resuming memory: Memory = Memory()) {
    self.regions = regions
    self.memory = memory
  }

  /// Handles a position; what it decides is in ``changes``.
  ///
  /// - Complexity: that of the query for one region more than contain the position or are within the margins, and O(m log m) for m
  ///   regions that the phone was in.
  mutating func handle(_ position: Coordinate, accuracy: Meters, margins: Margins) throws(QueryError) {
    changes.removeAll(keepingCapacity: true)
    try findRegions(around: position, within: max(margins.entry, margins.exit) * accuracy)
    clearance = .infinity
    let before = ambiguous
    ambiguous.removeAll(keepingCapacity: true)
    var elsewhere = memory.inside
    for neighbor in neighbors {
      let distance = abs(neighbor.distance)
      clearance = min(clearance, distance)
      let isInside = neighbor.distance <= 0
      let wasInside = elsewhere.remove(neighbor.ordinal) != nil
      guard isInside != wasInside else { continue }
      let isConfirmed = accuracy <= Self.wifi && before.contains(neighbor.ordinal)
      let needed = (isInside ? margins.entry : margins.exit) * accuracy
      if distance >= needed || isConfirmed || !memory.hasDecided {
        decide(Change(region: neighbor.ordinal, isInside: isInside))
      } else {
        ambiguous.insert(neighbor.ordinal)
      }
    }
    // Regions farther away than all that were found, so beyond the margins.
    for region in elsewhere.sorted() { decide(Change(region: region, isInside: false)) }
    if !memory.hasDecided { changes.removeAll(keepingCapacity: true) }
    memory.hasDecided = true
  }

  private mutating func decide(_ change: Change) {
    if change.isInside { memory.inside.insert(change.region) } else { memory.inside.remove(change.region) }
    changes.append(change)
  }

  /// Finds all regions that contain a position or are within a distance of it, and the next one.
  private mutating func findRegions(around position: Coordinate, within distance: Meters) throws(QueryError) {
    var count = 8
    while true {
      try regions.nearest(count, to: position, scratch: &scratch, into: &neighbors)
      guard let last = neighbors.last, last.distance <= distance, neighbors.count == count else { return }
      count *= 2
    }
  }
}
