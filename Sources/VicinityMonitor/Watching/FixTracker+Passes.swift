internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex

extension FixTracker {
  /// The regions that the device has passed on its way to the last fix, if it went straight: entered and left
  /// unseen, and not before the system would have told the entry.
  ///
  /// A way that begins or ends at a position of cells passes only what it leads into by half of the error
  /// that the way has there: then it is likelier than not that the device was inside.
  func passes(in index: MonitoredIndex, _ finder: inout PassFinder) -> [PassFinder.Pass] {
    guard let way else { return [] }
    let found: [PassFinder.Pass]
    switch index {
    case .packed(let index): found = finder.passes(from: way.start, to: way.end, in: index)
    case .updatable(let index): found = finder.passes(from: way.start, to: way.end, in: index)
    }
    var passes: [PassFinder.Pass] = []
    for pass in found where pass.exit.seconds(since: pass.entry) >= Assumptions.systemWait {
      // What the device was decided to be in, or is in now, is no pass.
      let isDecided =
        evidence.inside.contains(pass.region) || evidence.changes.contains { $0.region == pass.region }
      if !isDecided, isSure(pass, of: way) { passes.append(pass) }
    }
    return passes
  }

  private func isSure(_ pass: PassFinder.Pass, of way: (start: Fix, end: Fix)) -> Bool {
    let errors = (way.start.horizontalAccuracy, way.end.horizontalAccuracy)
    guard max(errors.0, errors.1) > Assumptions.coarseAccuracy else { return true }
    let whole = way.end.time.seconds(since: way.start.time)
    let middle = pass.entry.advanced(by: .seconds(pass.exit.seconds(since: pass.entry) / 2))
    let share = whole > 0 ? middle.seconds(since: way.start.time) / whole : 0
    return pass.depth >= (errors.0 * (1 - share) + errors.1 * share) / 2
  }
}
