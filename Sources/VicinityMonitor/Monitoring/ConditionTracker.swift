internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex

/// Tracks which regions of a changing set contain the device, by a crossing rule, at its fixes.
///
/// Regions lie in generations. Each generation is an index with a detector of its own: the regions inserted since the last
/// fix make a new one. Once a generation is half as large as the one before, the two are merged, so that of n regions each
/// is indexed O(log n) times. The states of regions move along; only the index is built anew.
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
    /// Ordinals of regions that have been removed.
    var removed: Set<UInt32> = []
    /// Ordinals of regions whose states no fix has told yet, ascending.
    var undetermined: [UInt32]

    init(_ detector: consuming CrossingDetector, undetermined: [UInt32]) {
      self.detector = detector
      self.undetermined = undetermined
    }

    var liveCount: Int { detector.index.count - removed.count }
  }

  /// Where a region is: its ordinal in a generation; without one, its position among the newcomers.
  private struct Location {
    var generation: Generation?
    var ordinal: UInt32
  }

  /// A region inserted since the last fix.
  private struct Newcomer {
    var region: Region
    /// On which side of its boundary the device is known to have been last; nil when that is not known.
    var isInside: Bool?
  }

  private let options: CrossingOptions
  private var fixValidator = FixValidator()
  private var generations: [Generation] = []
  private var locations: [String: Location] = [:]
  private var newcomers: [Newcomer?] = []
  private var crossings: [Crossing] = []
  private var isClockSet = false

  /// A tracker without regions, of a device that has not been seen.
  ///
  /// - Precondition: `options.dwell` is nil.
  /// - Throws: ``CrossingOptionsError``.
  init(_ options: CrossingOptions) throws(CrossingOptionsError) {
    self.options = try options.validated()
  }

  /// Fixes accepted and dropped.
  var counts: FixCounts { fixValidator.counts }

  /// Inserts a region, in place of one with the same identifier.
  ///
  /// - Parameter isInside: On which side of its boundary the device was last known to be, from which the rule goes on; nil
  ///   when that is to be found out.
  mutating func insert(_ region: Region, isInside: Bool?) {
    remove(region.identifier)
    locations[region.identifier] = Location(generation: nil, ordinal: UInt32(newcomers.count))
    newcomers.append(Newcomer(region: region, isInside: isInside))
  }

  /// Removes a region. Nothing happens where there is none.
  mutating func remove(_ identifier: String) {
    guard let location = locations.removeValue(forKey: identifier) else { return }
    if let generation = location.generation {
      generation.removed.insert(location.ordinal)
    } else {
      newcomers[Int(location.ordinal)] = nil
    }
  }

  /// Sets on which side of a region's boundary the device is, as the device itself reports it.
  mutating func report(_ identifier: String, isInside: Bool) {
    guard let location = locations[identifier] else { return }
    guard let generation = location.generation else {
      newcomers[Int(location.ordinal)]?.isInside = isInside
      return
    }
    if !generation.detector.set(location.ordinal, isInside: isInside),
      !generation.undetermined.contains(location.ordinal)
    {
      // The rule will tell at the next fix.
      generation.undetermined.append(location.ordinal)
    }
  }

  /// Says that the clock has been set back: the next fix counts as later whatever its time, after a gap.
  mutating func setClock() { isClockSet = true }

  /// Moves the device to its next fix, and appends every crossing on the way and every state that has become known.
  ///
  /// The findings of one region are in the order of time; the order among regions means nothing.
  ///
  /// - Returns: Whether the fix was accepted, which an exact repeat and a fix of negative accuracy are not.
  /// - Throws: ``MonitorError/fix(_:)`` for a fix that cannot follow the last one, which changes nothing; other errors where
  ///   there is no memory.
  mutating func advance(to fix: Fix, into findings: inout [Finding]) throws(MonitorError) -> Bool {
    // First, so that no finding is lost where there is no memory for merging.
    try merge()
    if isClockSet { setLastTime(before: fix) }
    do {
      guard try fixValidator.accept(fix) else { return false }
    } catch {
      throw .fix(error)
    }
    if let generation = try newGeneration(at: fix) { generations.append(generation) }
    for generation in generations {
      crossings.removeAll(keepingCapacity: true)
      generation.detector.advance(toValidated: fix, into: &crossings)
      for crossing in crossings where !generation.removed.contains(UInt32(crossing.region)) {
        findings.append(
          Finding(
            identifier: generation.detector.index.identifier(of: crossing.region),
            isInside: crossing.kind == .enter, time: crossing.time))
      }
      guard !generation.undetermined.isEmpty else { continue }
      generation.undetermined.removeAll { ordinal in
        if generation.removed.contains(ordinal) { return true }
        guard let isInside = generation.detector.isInside(ordinal) else { return false }
        findings.append(
          Finding(
            identifier: generation.detector.index.identifier(of: Int(ordinal)), isInside: isInside,
            time: fix.time))
        return true
      }
    }
    return true
  }

  /// Places the last fix before the next one, with a gap in between.
  private mutating func setLastTime(before fix: Fix) {
    isClockSet = false
    guard fixValidator.lastTime != nil else { return }
    let time = timeBefore(fix)
    fixValidator.lastTime = Timestamp(microseconds: time)
    for generation in generations { generation.detector.setLastTime(time) }
  }

  /// A time so long before a fix that there is a gap, microseconds.
  private func timeBefore(_ fix: Fix) -> Int64 {
    let gap = options.maximumGap.microseconds
    let (time, overflow) = fix.time.microseconds.subtractingReportingOverflow(
      gap > .max - 1_000_000 ? gap : gap + 1_000_000)
    return overflow ? .min : time
  }

  // MARK: Generations

  /// Building an index of fewer regions than this is not worth a second thread.
  private static let fewestForThreads = 20_000

  private func generation(
    _ regions: [Region], _ state: DetectorState?, undetermined: [UInt32]
  ) throws(MonitorError) -> Generation {
    let index: RegionIndex
    do {
      index = try RegionIndex(
        RegionSet(regions), threads: regions.count < Self.fewestForThreads ? 1 : nil)
    } catch {
      throw .condition(identifier: "", error)
    }
    do {
      let detector =
        if let state {
          try CrossingDetector(index, options: options, continuing: state)
        } else {
          try CrossingDetector(index, options: options)
        }
      return Generation(detector, undetermined: undetermined)
    } catch {
      throw .crossingOptions(error)
    }
  }

  private mutating func locate(_ regions: [Region], in generation: Generation) {
    for (i, region) in regions.enumerated() {
      locations[region.identifier] = Location(generation: generation, ordinal: UInt32(i))
    }
  }

  /// A generation of the newcomers. Where something is known of them, it begins before the fix, with the device where the
  /// fix is.
  private mutating func newGeneration(at fix: Fix) throws(MonitorError) -> Generation? {
    guard !newcomers.isEmpty else { return nil }
    let arrivals = newcomers.compactMap { $0 }
    guard !arrivals.isEmpty else {
      newcomers.removeAll()
      return nil
    }
    let regions = arrivals.map(\.region)
    var state: DetectorState?
    var undetermined: [UInt32] = []
    if arrivals.contains(where: { $0.isInside != nil }) {
      state = DetectorState(time: timeBefore(fix), coordinate: fix.coordinate)
    }
    for (i, arrival) in arrivals.enumerated() {
      if let isInside = arrival.isInside {
        if isInside { state?.regions.append((UInt32(i), RuleState(isInside: true))) }
      } else {
        state?.regions.append((UInt32(i), .open))
        undetermined.append(UInt32(i))
      }
    }
    let generation = try generation(regions, state, undetermined: undetermined)
    newcomers.removeAll()
    locate(regions, in: generation)
    return generation
  }

  /// Merges generations that have become too many, and leaves out regions that have been removed.
  private mutating func merge() throws(MonitorError) {
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

  /// One generation of several, without removed regions. All have been moved to the same fix.
  private mutating func merged(_ old: [Generation]) throws(MonitorError) -> Generation {
    var regions: [Region] = []
    var undetermined: [UInt32] = []
    var state: DetectorState?
    for generation in old {
      let index = generation.detector.index
      var renumbered: [UInt32] = []
      renumbered.reserveCapacity(index.count)
      for ordinal in 0..<index.count {
        renumbered.append(UInt32(regions.count))
        if !generation.removed.contains(UInt32(ordinal)) { regions.append(index.region(at: ordinal)) }
      }
      for ordinal in generation.undetermined where !generation.removed.contains(ordinal) {
        undetermined.append(renumbered[Int(ordinal)])
      }
      guard let part = generation.detector.detectorState else { continue }
      if state == nil {
        state = part
        state?.regions = []
      }
      // Where one track has begun and another has not, the states of the other's regions are open.
      if part.isBegun { state?.isBegun = true }
      for (ordinal, region) in part.regions where !generation.removed.contains(ordinal) {
        state?.regions.append((renumbered[Int(ordinal)], region))
      }
      if !part.isBegun, old.contains(where: { $0.detector.detectorState?.isBegun ?? false }) {
        for ordinal in 0..<index.count where !generation.removed.contains(UInt32(ordinal)) {
          state?.regions.append((renumbered[ordinal], .open))
        }
      }
    }
    let generation = try generation(regions, state, undetermined: undetermined)
    locate(regions, in: generation)
    return generation
  }
}
