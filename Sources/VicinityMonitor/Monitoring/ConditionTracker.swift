internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex

/// Which of many regions that come and go a device is in, by a crossing rule, found at its fixes.
///
/// Regions lie in generations, each an index with a detector of its own: what has been put in since the last fix makes a
/// new one, and a generation is merged into the one before once it is half as large, so that of n regions each has been
/// indexed O(log n) times. Where the device stands with regions moves along; nothing but the index is built anew.
struct ConditionTracker: ~Copyable {
  /// What has been found of a region at a fix.
  struct Finding: Hashable {
    var identifier: String
    var isInside: Bool
    var time: Timestamp
  }

  /// Regions with one index.
  private final class Generation {
    var detector: CrossingDetector
    /// Which of its regions have been taken out.
    var removed: Set<UInt32> = []
    /// Which of its regions' states are to be found out, ascending.
    var undetermined: [UInt32]

    init(_ detector: consuming CrossingDetector, undetermined: [UInt32]) {
      self.detector = detector
      self.undetermined = undetermined
    }

    var liveCount: Int { detector.index.count - removed.count }
  }

  /// Where a region is: in a generation, or among those to come.
  private struct Place {
    var generation: Generation?
    var ordinal: UInt32
  }

  /// A region that no fix has found yet.
  private struct Newcomer {
    var region: Region
    /// On which side of its boundary the device is known to have been last; nil when not.
    var isInside: Bool?
  }

  private let options: CrossingOptions
  /// Without regions: decides which fixes are taken.
  private var door: CrossingDetector
  private var generations: [Generation] = []
  private var places: [String: Place] = [:]
  private var newcomers: [Newcomer?] = []
  private var crossings: [Crossing] = []
  private var isClockSet = false

  /// No regions; of a device that has not been seen.
  ///
  /// - Precondition: `options.dwell` is nil.
  /// - Throws: ``CrossingOptionsError``.
  init(_ options: CrossingOptions, empty: RegionIndex) throws(CrossingOptionsError) {
    self.options = options
    door = try CrossingDetector(empty, options: options)
  }

  /// How many regions.
  var count: Int { places.count }

  /// Fixes taken and dropped.
  var counts: FixCounts { door.counts }

  /// When the device was last seen.
  var lastTime: Timestamp? { door.lastTime }

  /// Puts in a region, in place of one with the same identifier.
  ///
  /// - Parameter isInside: On which side of its boundary the device was last known to be, from which the rule goes on; nil
  ///   when that is to be found out afresh.
  mutating func insert(_ region: Region, isInside: Bool?) {
    remove(region.identifier)
    places[region.identifier] = Place(generation: nil, ordinal: UInt32(newcomers.count))
    newcomers.append(Newcomer(region: region, isInside: isInside))
  }

  /// Takes out a region. Nothing happens where there is none.
  mutating func remove(_ identifier: String) {
    guard let place = places.removeValue(forKey: identifier) else { return }
    if let generation = place.generation {
      generation.removed.insert(place.ordinal)
    } else {
      newcomers[Int(place.ordinal)] = nil
    }
  }

  /// Takes it from elsewhere on which side of a region's boundary the device is.
  mutating func report(_ identifier: String, isInside: Bool) {
    guard let place = places[identifier] else { return }
    guard let generation = place.generation else {
      newcomers[Int(place.ordinal)]?.isInside = isInside
      return
    }
    if !generation.detector.set(place.ordinal, isInside: isInside),
      !generation.undetermined.contains(place.ordinal)
    {
      // The rule will tell at the next fix.
      generation.undetermined.append(place.ordinal)
    }
  }

  /// Says that the clock has been set back: the next fix is the later one whatever its time, and what changes there has
  /// happened somewhere in between.
  mutating func setClock() { isClockSet = true }

  /// Moves the device to its next fix and appends what is found: every crossing on the way, and the states that were to be
  /// found out. What is found of one region is in the order of the instants; the order among regions means nothing.
  ///
  /// - Returns: Whether the fix was taken: not an exact repeat, nor of negative accuracy.
  /// - Throws: ``TrackError``; nothing has changed then.
  mutating func advance(to fix: Fix, into findings: inout [Finding]) throws(MonitorFixError) -> Bool {
    // First, so that nothing that has been found is lost where there is no memory for it.
    try merge()
    if isClockSet { retime(before: fix) }
    let before = door.counts.fixes
    do { _ = try door.advance(to: fix) } catch { throw .track(error) }
    guard door.counts.fixes > before else { return false }
    let generation = newcomers.isEmpty ? nil : try newGeneration(at: fix)
    if let generation { generations.append(generation) }
    for generation in generations {
      crossings.removeAll(keepingCapacity: true)
      do { try generation.detector.advance(to: fix, into: &crossings) } catch { throw .track(error) }
      for crossing in crossings where !generation.removed.contains(UInt32(crossing.region)) {
        findings.append(
          Finding(
            identifier: generation.detector.index.identifier(of: crossing.region),
            isInside: crossing.kind == .enter, time: crossing.time))
      }
    }
    determine(at: fix.time, into: &findings)
    return true
  }

  /// Appends the states that were to be found out and have been.
  private func determine(at time: Timestamp, into findings: inout [Finding]) {
    for generation in generations where !generation.undetermined.isEmpty {
      generation.undetermined.removeAll { ordinal in
        if generation.removed.contains(ordinal) { return true }
        guard let isInside = generation.detector.isInside(ordinal) else { return false }
        findings.append(
          Finding(
            identifier: generation.detector.index.identifier(of: Int(ordinal)), isInside: isInside,
            time: time))
        return true
      }
    }
  }

  /// Places the last fix before the next one, with a gap in between.
  private mutating func retime(before fix: Fix) {
    isClockSet = false
    guard door.lastTime != nil else { return }
    let time = timeBefore(fix)
    door.retime(to: time)
    for generation in generations { generation.detector.retime(to: time) }
  }

  /// So long before a fix that there is a gap.
  private func timeBefore(_ fix: Fix) -> Int64 {
    let gap = options.maximumGap.microseconds
    let (time, overflow) = fix.time.microseconds.subtractingReportingOverflow(
      gap > .max - 1_000_000 ? gap : gap + 1_000_000)
    return overflow ? .min : time
  }

  // MARK: Generations

  private static let fewestForThreads = 20_000

  private func index(_ regions: some Sequence<Region>, count: Int) throws(MonitorFixError) -> RegionIndex {
    do {
      return try RegionIndex(RegionSet(regions), threads: count < Self.fewestForThreads ? 1 : nil)
    } catch {
      throw .region(error)
    }
  }

  private func detector(
    _ index: RegionIndex, _ standings: DetectorState?
  ) throws(MonitorFixError) -> CrossingDetector {
    do {
      guard let standings else { return try CrossingDetector(index, options: options) }
      return try CrossingDetector(index, options: options, continuing: standings)
    } catch {
      throw .options(error)
    }
  }

  /// A generation of the newcomers; where something is known of them, from before it, with the device at the fix.
  private mutating func newGeneration(at fix: Fix) throws(MonitorFixError) -> Generation? {
    let arrivals = newcomers.compactMap { $0 }
    guard !arrivals.isEmpty else {
      newcomers.removeAll()
      return nil
    }
    let index = try index(arrivals.lazy.map(\.region), count: arrivals.count)
    var standings: DetectorState?
    var undetermined: [UInt32] = []
    if arrivals.contains(where: { $0.isInside != nil }) {
      standings = DetectorState(time: timeBefore(fix), coordinate: fix.coordinate)
    }
    for (i, arrival) in arrivals.enumerated() {
      if let isInside = arrival.isInside {
        if isInside { standings?.regions.append((UInt32(i), RuleState(isInside: true))) }
      } else {
        standings?.regions.append((UInt32(i), .open))
        undetermined.append(UInt32(i))
      }
    }
    let generation = Generation(try detector(index, standings), undetermined: undetermined)
    newcomers.removeAll()
    for i in arrivals.indices {
      places[arrivals[i].region.identifier] = Place(generation: generation, ordinal: UInt32(i))
    }
    return generation
  }

  /// Merges generations that have become too many, and leaves out what has been taken out of them.
  private mutating func merge() throws(MonitorFixError) {
    generations.removeAll { $0.liveCount == 0 }
    while generations.count >= 2 {
      let last = generations.count - 1
      guard generations[last - 1].liveCount < 2 * generations[last].liveCount else { break }
      let merged = try merged([generations[last - 1], generations[last]])
      generations.removeLast(2)
      generations.append(merged)
    }
    for i in generations.indices where 2 * generations[i].liveCount < generations[i].detector.index.count {
      generations[i] = try merged([generations[i]])
    }
  }

  /// One generation of several, without what has been taken out of them. All have been moved to the same fix.
  private mutating func merged(_ old: [Generation]) throws(MonitorFixError) -> Generation {
    var regions: [Region] = []
    var undetermined: [UInt32] = []
    var standings: DetectorState?
    for generation in old {
      let detector = generation.detector.index
      var renumbered: [UInt32] = []
      renumbered.reserveCapacity(detector.count)
      for ordinal in 0..<detector.count {
        renumbered.append(UInt32(regions.count))
        if !generation.removed.contains(UInt32(ordinal)) { regions.append(detector.region(at: ordinal)) }
      }
      for ordinal in generation.undetermined where !generation.removed.contains(ordinal) {
        undetermined.append(renumbered[Int(ordinal)])
      }
      guard let part = generation.detector.standings else { continue }
      if standings == nil {
        standings = part
        standings?.regions = []
      }
      // Where one has been begun and another has not, what the other does not know is open.
      if part.isBegun { standings?.isBegun = true }
      for (ordinal, standing) in part.regions where !generation.removed.contains(ordinal) {
        standings?.regions.append((renumbered[Int(ordinal)], standing))
      }
      if !part.isBegun, old.contains(where: { $0.detector.standings?.isBegun ?? false }) {
        for ordinal in 0..<detector.count where !generation.removed.contains(UInt32(ordinal)) {
          standings?.regions.append((renumbered[ordinal], .open))
        }
      }
    }
    let index = try index(regions, count: regions.count)
    let generation = Generation(try detector(index, standings), undetermined: undetermined)
    for (i, region) in regions.enumerated() {
      places[region.identifier] = Place(generation: generation, ordinal: UInt32(i))
    }
    return generation
  }
}

/// Why a monitor has not taken a fix.
enum MonitorFixError: Error {
  /// The fix cannot follow those before it.
  case track(TrackError)
  /// No index can be made of the regions.
  case region(RegionError)
  /// No detector can be made.
  case options(CrossingOptionsError)
}
