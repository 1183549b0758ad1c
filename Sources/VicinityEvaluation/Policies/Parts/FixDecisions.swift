internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinitySimulation

/// Decides from fixes which regions the phone entered and left.
///
/// Decides by the share of a fix's accuracy disc that lies in the region (`CrossingRule.overlap(enter:exit:)`). Only this rule
/// takes the accuracy of a tier into account, so that coarse fixes decide little instead of wrongly.
///
/// An app saves ``memory()`` whenever ``hasNews`` is true, so that a later process can report what changed in between.
struct FixDecisions: ~Copyable {
  /// The state that survives the process.
  struct Memory: Sendable {
    /// The regions that the phone was last decided to be in.
    var occupied: [Int]
    var position: Coordinate
    var time: Timestamp
  }

  private var detector: CrossingDetector?
  private let problem: String?
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

  init(_ regions: RegionIndex, resuming memory: Memory? = nil) {
    self.regions = regions
    // A phone at rest delivers no fix for hours: that is no gap.
    let options = CrossingOptions(maximumGap: .seconds(864_000), rule: .overlap())
    do {
      if let memory {
        detector = try CrossingDetector(
          regions, options: options, occupied: memory.occupied, at: memory.position, time: memory.time)
        last = memory.time
        lastPosition = memory.position
        savedCount = memory.occupied.count
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
    return Memory(occupied: detector?.occupied ?? [], position: lastPosition, time: last)
  }

  /// Handles a fix and passes on what it decides. Fixes not after the last one are ignored.
  mutating func handle(
    _ fix: Fix, on phone: any StudiedPhone, _ decide: (_ region: String, _ isInside: Bool, Timestamp) -> Void
  ) {
    guard fix.time > last, fix.horizontalAccuracy >= 0 else { return }
    last = fix.time
    lastPosition = fix.coordinate
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

  mutating func report(_ fix: Fix, on phone: any StudiedPhone) {
    handle(fix, on: phone) { region, isInside, time in
      phone.report(entry: isInside, region: region, at: time)
    }
  }
}
