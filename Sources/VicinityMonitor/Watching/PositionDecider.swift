package import VicinityCrossings
internal import VicinityGeodesy
package import VicinityIndex

/// Decides from positions alone which regions of an index a device has entered and left, by the monitor's
/// rule (``FixTracker``).
///
/// For apps that choose positions by themselves and are to be compared with the monitor on equal terms.
package struct PositionDecider: ~Copyable {
  package struct Decision: Hashable, Sendable {
    /// The region's ordinal.
    package var region: Int
    package var isInside: Bool
    /// The time of the fix that decided; of a region that was passed between two fixes, when the boundary was
    /// crossed.
    package var time: Timestamp
  }

  private let index: MonitoredIndex
  private var tracker: FixTracker
  private var finder = PassFinder()
  /// What the last fix has decided, in order of time; at the same time exits come first.
  package private(set) var decisions: [Decision] = []

  /// The ordinals of the regions that the device is in.
  package var inside: Set<Int> { tracker.evidence.inside }

  /// - Parameters:
  ///   - opened: When the app began to watch.
  ///   - known: The regions that an earlier process has decided the device to be in, and the time of its last
  ///     fix.
  package init(
    _ regions: RegionIndex, opened: Timestamp, resuming known: (inside: [Int], time: Timestamp)? = nil
  ) {
    index = .packed(regions)
    tracker = FixTracker(
      opened: opened, lastTime: known?.time, maximumSpeed: PlanOptions().maximumSpeed)
    for ordinal in known?.inside ?? [] where ordinal < regions.count {
      tracker.insert(ordinal, isInside: true)
    }
  }

  /// Handles a fix; what it decides is in ``decisions``. The first states that are known of regions are not:
  /// those that the device is in were entered before.
  ///
  /// - Throws: ``TrackError`` for a fix that cannot follow the last one; nothing has changed then.
  package mutating func handle(_ fix: Fix, now: Timestamp) throws(TrackError) {
    decisions.removeAll(keepingCapacity: true)
    guard try tracker.handle(fix, now: now, in: index) == .accepted else { return }
    for pass in tracker.passes(in: index, &finder) {
      decisions.append(Decision(region: pass.region, isInside: true, time: pass.entry))
      decisions.append(Decision(region: pass.region, isInside: false, time: pass.exit))
    }
    for change in tracker.evidence.changes where change.isCrossing {
      decisions.append(Decision(region: change.region, isInside: change.isInside, time: fix.time))
    }
    decisions.sort { ($0.time, $0.isInside ? 1 : 0, $0.region) < ($1.time, $1.isInside ? 1 : 0, $1.region) }
  }
}
