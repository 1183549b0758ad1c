internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityMonitor
internal import VicinitySimulation

/// Decides from fixes which regions were entered and left.
///
/// By the share of a fix's disc that lies in the region (``/VicinityMonitor/CrossingRule/overlap(enter:exit:)``): the only rule
/// that weighs what a tier's fixes know, so that a coarse one decides little rather than wrongly.
struct FixDecisions: ~Copyable {
  private var detector: CrossingDetector?
  private let problem: String?
  private let regions: RegionIndex
  private var crossings: [Crossing] = []
  private var last = Timestamp(microseconds: .min)

  init(_ regions: RegionIndex) {
    self.regions = regions
    // A still phone says nothing for hours, which is no gap in what is known.
    let options = CrossingOptions(maximumGap: .seconds(864_000), rule: .overlap())
    do {
      detector = try CrossingDetector(regions, options: options)
      problem = nil
    } catch {
      detector = nil
      problem = "\(error)"
    }
  }

  /// Takes a fix, and says what it decides; older ones than the last are known already.
  mutating func take(
    _ fix: Fix, on phone: SimulatedPhone, _ decide: (_ region: String, _ isInside: Bool, Timestamp) -> Void
  ) {
    guard fix.time > last, fix.horizontalAccuracy >= 0 else { return }
    last = fix.time
    crossings.removeAll(keepingCapacity: true)
    if let problem { phone.lose("no decisions: \(problem)") }
    do { try detector?.advance(to: fix, into: &crossings) } catch { phone.lose("a fix: \(error)") }
    for crossing in crossings where crossing.kind != .dwell {
      decide(regions.identifier(of: crossing.region), crossing.kind == .enter, crossing.time)
    }
  }
}
