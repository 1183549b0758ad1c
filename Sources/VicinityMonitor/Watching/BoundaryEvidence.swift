internal import VicinityGeodesy
internal import VicinityIndex

/// What positions tell about the regions around: which were entered and left, and how near the next boundary
/// is.
///
/// A position that lies beyond a boundary by a multiple of its accuracy decides at once; of positions nearer
/// than that, two in a row decide, and so do two where the first one contradicts what the device itself has
/// just reported: a woken app's first position may be a kilometre off. At the first position of all that is
/// not of cells, the sign of the boundary distance decides.
///
/// A position of cells, worse than ``Assumptions/coarseAccuracy``, may be a kilometre off and lie in a region
/// all the same: it decides only what is farther from the boundary than its accuracy.
///
/// What has been decided is not taken back as easily: until the device has moved away from where it was then,
/// and for every exit of a device that stands or rests, a position, or at rest the mean, must be beyond the
/// boundary by `Assumptions.proof` times a position's accuracy: where errors persist for hours, no mean is
/// better than a position. Errors that wander across a boundary so make one entry, and not one each time.
struct BoundaryEvidence: ~Copyable {
  /// A position decides by itself if it is beyond a boundary by this many times its accuracy.
  struct Margins: Hashable {
    var entry: Double
    var exit: Double
  }

  struct Change: Hashable {
    /// The region's ordinal.
    var region: Int
    var isInside: Bool
    /// Whether the device was known to be on the other side before; not where this is the first that is known
    /// of the region.
    var isCrossing = true
  }

  /// The ordinals of the regions that the device was last decided to be in.
  private(set) var inside: Set<Int> = []
  /// Whether there has been a position that was not of cells, of this process or any of an earlier one.
  private(set) var hasBegun = false
  /// Whether regions may be new of which the device is taken to be outside though no position has said so.
  private var hasNewRegions = false
  /// Regions inserted since, whose state no position has told.
  private var undetermined: Set<Int> = []
  /// Regions on whose other side the last position was, but not by far enough.
  private var ambiguous: Set<Int> = []
  /// Regions on whose other side the last position was, whatever its accuracy.
  private(set) var disagreeing: Set<Int> = []
  /// Regions whose state the device has reported since the last position.
  private var reported: Set<Int> = []
  /// Where the device was when something was decided about a region, as long as it has not moved away from
  /// there.
  private var decidedHere: [Int: Coordinate] = [:]
  /// How far beyond its boundary a region's exit is decided, metres, besides the margin; none for most
  /// regions.
  private var hysteresis: [Int: Meters] = [:]
  /// The same for the regions with ordinals below a count, where nothing else is said of them.
  private var usualHysteresis: (count: Int, meters: Meters) = (0, 0)
  private var scratch = QueryScratch()
  private var neighbors: [Neighbor] = []
  /// The changes that the last position decided, and the states that it determined.
  private(set) var changes: [Change] = []
  /// The distance to the nearest boundary at the last position, metres.
  private(set) var clearance = Meters.infinity

  /// Whether the last position contradicts what the device had reported since the one before.
  private(set) var contradictsReport = false

  /// Whether another position could decide something.
  var isAmbiguous: Bool { !ambiguous.isEmpty }

  // MARK: Regions

  /// Goes on from an earlier process, whose last positions have decided about all regions that were there.
  mutating func resume() { hasBegun = true }

  /// Says that the device is taken to be outside of regions of which no position has told it.
  mutating func expectNewRegions() { hasNewRegions = true }

  /// Says that a region has been inserted into the index.
  ///
  /// - Parameter isInside: Whether the device was last known to be in it; nil when that is to be found out.
  mutating func insert(_ ordinal: Int, isInside: Bool?) {
    switch isInside {
    case nil: undetermined.insert(ordinal)
    case true?: inside.insert(ordinal)
    case false?: break
    }
  }

  /// Says how far beyond its boundary an exit from a region is decided, metres.
  mutating func setHysteresis(_ meters: Meters, of ordinal: Int) {
    hysteresis[ordinal] = nil
    if meters != hysteresis(of: ordinal) { hysteresis[ordinal] = meters }
  }

  /// Says the same of all regions with ordinals below a count, of which nothing else has been said.
  mutating func setUsualHysteresis(_ meters: Meters, ofFirst count: Int) { usualHysteresis = (count, meters) }

  private func hysteresis(of ordinal: Int) -> Meters {
    hysteresis[ordinal] ?? (ordinal < usualHysteresis.count ? usualHysteresis.meters : 0)
  }

  /// Gives regions the ordinals that they have in another index, and forgets those that are not in it, and
  /// all hysteresis.
  mutating func renumber(_ ordinal: (Int) -> Int?) {
    func renumbered(_ ordinals: Set<Int>) -> Set<Int> { Set(ordinals.compactMap(ordinal)) }
    inside = renumbered(inside)
    undetermined = renumbered(undetermined)
    ambiguous = renumbered(ambiguous)
    disagreeing = renumbered(disagreeing)
    reported = renumbered(reported)
    var here: [Int: Coordinate] = [:]
    for (old, place) in decidedHere { if let new = ordinal(old) { here[new] = place } }
    decidedHere = here
    hysteresis = [:]
    usualHysteresis = (0, 0)
    hasNewRegions = true
  }

  /// Says that a region has been removed from the index.
  mutating func remove(_ ordinal: Int) {
    inside.remove(ordinal)
    reported.remove(ordinal)
    undetermined.remove(ordinal)
    ambiguous.remove(ordinal)
    disagreeing.remove(ordinal)
    decidedHere[ordinal] = nil
    hysteresis[ordinal] = nil
  }

  /// Sets whether the device is in a region, as the device itself reports it.
  mutating func report(_ ordinal: Int, isInside: Bool) {
    undetermined.remove(ordinal)
    ambiguous.remove(ordinal)
    decidedHere[ordinal] = nil
    reported.insert(ordinal)
    if isInside { inside.insert(ordinal) } else { inside.remove(ordinal) }
  }

  // MARK: Positions

  /// Handles a position; what it decides is in ``changes``.
  ///
  /// - Parameters:
  ///   - accuracy: How accurate the position is, metres; a mean may be better than its positions.
  ///   - usualAccuracy: How accurate positions are at present, metres; nil where that is `accuracy`.
  ///   - isStill: Whether the device has not moved to this position, as far as can be told.
  ///   - isHeld: Whether it is too soon to decide about a region, whatever the position.
  /// - Complexity: that of the query for one region more than contain the position or are within the margins,
  ///   and O(m log m) for m regions that the device was in or whose state is not known.
  mutating func handle(
    _ position: Coordinate, accuracy: Meters, usualAccuracy: Meters? = nil, margins: Margins,
    isStill: Bool = false, isHeld: (Int) -> Bool = { _ in false }, in regions: some SearchableRegions
  ) throws(QueryError) {
    changes.removeAll(keepingCapacity: true)
    if !isStill, !decidedHere.isEmpty {
      let distance = Assumptions.proof * max(accuracy, Assumptions.leastAccuracy)
      decidedHere = decidedHere.filter { Geodesic.uncheckedDistance($0.value, position) < distance }
    }
    let widest =
      hysteresis.isEmpty
      ? usualHysteresis.meters : hysteresis.values.reduce(usualHysteresis.meters) { max($0, $1) }
    let proof = Assumptions.proof * max(accuracy, usualAccuracy ?? 0)
    let needsProof = isStill || !decidedHere.isEmpty
    let isCoarse = accuracy > Assumptions.coarseAccuracy
    let farthest = max(
      max(margins.entry, margins.exit) * accuracy, needsProof ? proof : 0,
      isCoarse ? accuracy : 0)
    try findRegions(around: position, within: farthest + widest, in: regions)
    clearance = .infinity
    contradictsReport = false
    let before = ambiguous
    ambiguous.removeAll(keepingCapacity: true)
    disagreeing.removeAll(keepingCapacity: true)
    var elsewhere = inside
    var unknown = undetermined
    let isKnown = hasBegun && !hasNewRegions
    for neighbor in neighbors {
      let ordinal = neighbor.ordinal
      let distance = abs(neighbor.distance)
      clearance = min(clearance, distance)
      let isInside = neighbor.distance <= 0
      let wasInside = elsewhere.remove(ordinal) != nil
      let isUnknown = unknown.remove(ordinal) != nil
      guard isInside != wasInside || isUnknown else { continue }
      if hasBegun, !isUnknown, isHeld(ordinal) {
        disagreeing.insert(ordinal)
        continue
      }
      let isReversal = !isUnknown && (decidedHere[ordinal] != nil || isStill && !isInside)
      let isConfirmed =
        !isReversal && accuracy <= Assumptions.coarseAccuracy && (before.contains(ordinal) || isUnknown)
      let share = isCoarse ? 1 : isInside ? margins.entry : margins.exit
      let margin = isReversal ? proof : share * accuracy
      let needed = margin + (isInside ? 0 : hysteresis(of: ordinal))
      let isFarEnough = isInside || isUnknown || distance >= hysteresis(of: ordinal)
      let isFirst = !hasBegun && !isCoarse
      if distance >= needed && !reported.contains(ordinal) || isConfirmed && isFarEnough || isFirst {
        decide(ordinal, isInside: isInside, isCrossing: isKnown && !isUnknown, at: position)
        continue
      }
      disagreeing.insert(ordinal)
      // Of what needs a proof, the next position alone tells nothing.
      if !isReversal || reported.contains(ordinal) {
        ambiguous.insert(ordinal)
        contradictsReport = contradictsReport || reported.contains(ordinal)
      }
    }
    // Regions farther away than all that were found, so beyond the margins.
    for region in elsewhere.union(unknown).sorted() {
      if hasBegun, inside.contains(region), isHeld(region) {
        disagreeing.insert(region)
      } else if reported.contains(region) {
        ambiguous.insert(region)
        contradictsReport = true
      } else {
        let isCrossing = isKnown && !undetermined.contains(region)
        decide(region, isInside: false, isCrossing: isCrossing, at: position)
      }
    }
    reported.removeAll(keepingCapacity: true)
    guard !isCoarse else { return }
    hasBegun = true
    hasNewRegions = false
  }

  private mutating func decide(
    _ region: Int, isInside: Bool, isCrossing: Bool, at position: Coordinate
  ) {
    decidedHere[region] = position
    undetermined.remove(region)
    if isInside { inside.insert(region) } else { inside.remove(region) }
    changes.append(Change(region: region, isInside: isInside, isCrossing: isCrossing))
  }

  /// Finds all regions that contain a position or are within a distance of it, and the next one.
  private mutating func findRegions(
    around position: Coordinate, within distance: Meters, in regions: some SearchableRegions
  ) throws(QueryError) {
    var count = 8
    while true {
      try regions.nearest(count, to: position, scratch: &scratch, into: &neighbors)
      guard let last = neighbors.last, last.distance <= distance, neighbors.count == count else { return }
      count *= 2
    }
  }
}
