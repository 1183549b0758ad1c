internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinitySimulation

/// Decides from fixes which regions were entered and left.
///
/// By the share of a fix's disc that lies in the region (`CrossingRule.overlap(enter:exit:)`): the only rule
/// that weighs what a tier's fixes know, so that a coarse one decides little rather than wrongly.
///
/// An app saves ``memory`` whenever ``hasNews`` says so: a later process then reports what has changed meanwhile.
struct FixDecisions: ~Copyable {
  /// What a later process needs to know.
  struct Memory: Sendable {
    /// The regions that the phone was decided to be in.
    var occupied: [Int]
    var place: Coordinate
    var time: Timestamp
  }

  private var detector: CrossingDetector?
  private let problem: String?
  private let regions: RegionIndex
  private var crossings: [Crossing] = []
  private var last = Timestamp(microseconds: .min)
  private var lastPlace = Coordinate(latitude: 0, longitude: 0)
  private var savedCount: Int?
  private var zone = QuietZone()
  /// Whether fixes in the zone are passed over; the results are the same.
  var usesZone = true
  /// How many have been.
  private(set) var sparedCount = 0
  /// Whether ``memory`` has changed since it was last taken.
  private(set) var hasNews = false

  init(_ regions: RegionIndex, resuming memory: Memory? = nil) {
    self.regions = regions
    // A still phone says nothing for hours, which is no gap in what is known.
    let options = CrossingOptions(maximumGap: .seconds(864_000), rule: .overlap())
    do {
      if let memory {
        detector = try CrossingDetector(
          regions, options: options, occupied: memory.occupied, at: memory.place, time: memory.time)
        last = memory.time
        lastPlace = memory.place
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

  /// What a later process needs to know; nil before the first fix.
  mutating func memory() -> Memory? {
    hasNews = false
    guard savedCount != nil else { return nil }
    return Memory(occupied: detector?.occupied ?? [], place: lastPlace, time: last)
  }

  /// Takes a fix, and says what it decides; older ones than the last are known already.
  mutating func take(
    _ fix: Fix, on phone: SimulatedPhone, _ decide: (_ region: String, _ isInside: Bool, Timestamp) -> Void
  ) {
    guard fix.time > last, fix.horizontalAccuracy >= 0 else { return }
    last = fix.time
    lastPlace = fix.coordinate
    if usesZone, zone.contains(fix) {
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
    if usesZone, zone.isDue(), detector?.isSettled == true {
      zone.settle(at: fix, occupied: detector?.occupied ?? [], regions)
    }
    for crossing in crossings where crossing.kind != .dwell {
      decide(regions.identifier(of: crossing.region), crossing.kind == .enter, crossing.time)
    }
  }

  /// Takes a fix, and reports what it decides.
  mutating func report(_ fix: Fix, on phone: SimulatedPhone) {
    take(fix, on: phone) { region, isInside, time in
      phone.report(entry: isInside, region: region, at: time)
    }
  }
}
