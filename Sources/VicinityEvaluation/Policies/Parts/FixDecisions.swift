internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityMonitor
internal import VicinitySimulation

/// Decides from fixes which regions the phone entered and left, by a ``DecisionRule``.
///
/// An app saves ``memory()`` whenever ``hasNews`` is true, so that a later process can report what changed in
/// between.
struct FixDecisions: ~Copyable {
  /// The state that survives the process.
  struct Memory: Sendable {
    /// The regions that the phone was last decided to be in.
    var occupied: [Int]
    var position: Coordinate
    var time: Timestamp
  }

  private let rule: DecisionRule
  /// Decides by the overlap of discs.
  private var detector: CrossingDetector?
  private let problem: String?
  /// Decides by the monitor's rule; nil before the first fix.
  private var decider: PositionDecider?
  private let resumed: Memory?
  private let regions: RegionIndex
  private var crossings: [Crossing] = []
  private var last = Timestamp(microseconds: .min)
  private var lastPosition = Coordinate(latitude: 0, longitude: 0)
  private var savedCount: Int?
  private var safeRegion = SafeRegion()
  /// Whether fixes in the safe region are skipped; the results are the same.
  var usesSafeRegion = true
  /// How many fixes were skipped.
  private(set) var sparedCount = 0
  /// Whether ``memory`` has changed since it was last taken.
  private(set) var hasNews = false

  init(_ regions: RegionIndex, by rule: DecisionRule = .own, resuming memory: Memory? = nil) {
    self.regions = regions
    self.rule = rule
    resumed = memory
    if let memory {
      last = memory.time
      lastPosition = memory.position
      savedCount = memory.occupied.count
    }
    guard rule == .own else {
      problem = nil
      return
    }
    // A phone at rest delivers no fix for hours: that is no gap.
    let options = CrossingOptions(maximumGap: .seconds(864_000), rule: .overlap())
    do {
      if let memory {
        detector = try CrossingDetector(
          regions, options: options, occupied: memory.occupied, at: memory.position, time: memory.time)
      } else {
        detector = try CrossingDetector(regions, options: options)
      }
      problem = nil
    } catch {
      detector = nil
      problem = "\(error)"
    }
  }

  /// The state for a later process; nil before the first fix.
  mutating func memory() -> Memory? {
    hasNews = false
    guard savedCount != nil else { return nil }
    let occupied = rule == .own ? detector?.occupied ?? [] : decider?.inside.sorted() ?? []
    return Memory(occupied: occupied, position: lastPosition, time: last)
  }

  /// Handles a fix and passes on what it decides. Fixes not after the last one are ignored.
  mutating func handle(
    _ fix: Fix, on phone: any StudiedPhone, _ decide: (_ region: String, _ isInside: Bool, Timestamp) -> Void
  ) {
    guard fix.time > last, fix.horizontalAccuracy >= 0 else { return }
    last = fix.time
    lastPosition = fix.coordinate
    if rule == .monitor { return handleAsMonitor(fix, on: phone, decide) }
    if usesSafeRegion, safeRegion.contains(fix) {
      sparedCount += 1
      return
    }
    crossings.removeAll(keepingCapacity: true)
    if let problem { phone.lose("no decisions: \(problem)") }
    do { try detector?.advance(to: fix, into: &crossings) } catch { phone.lose("a fix: \(error)") }
    let count = detector?.occupiedCount ?? 0
    if !crossings.isEmpty || count != savedCount {
      hasNews = true
      savedCount = count
    }
    if usesSafeRegion, safeRegion.isDue(), detector?.isSettled == true {
      safeRegion.set(at: fix, occupied: detector?.occupied ?? [], regions)
    }
    for crossing in crossings where crossing.kind != .dwell {
      decide(regions.identifier(of: crossing.region), crossing.kind == .enter, crossing.time)
    }
  }

  private mutating func handleAsMonitor(
    _ fix: Fix, on phone: any StudiedPhone, _ decide: (_ region: String, _ isInside: Bool, Timestamp) -> Void
  ) {
    var decider =
      self.decider.take()
      ?? PositionDecider(
        regions, opened: phone.now, resuming: resumed.map { (inside: $0.occupied, time: $0.time) })
    do { try decider.handle(fix, now: phone.now) } catch { phone.lose("a fix: \(error)") }
    let count = decider.inside.count
    if !decider.decisions.isEmpty || count != savedCount {
      hasNews = true
      savedCount = count
    }
    for decision in decider.decisions {
      decide(regions.identifier(of: decision.region), decision.isInside, decision.time)
    }
    self.decider = consume decider
  }

  mutating func report(_ fix: Fix, on phone: any StudiedPhone) {
    handle(fix, on: phone) { region, isInside, time in
      phone.report(entry: isInside, region: region, at: time)
    }
  }
}
