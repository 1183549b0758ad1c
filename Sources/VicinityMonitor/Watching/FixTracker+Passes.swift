internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex

extension FixTracker {
  /// The regions that the device has passed on its way to the last fix, if it went straight: entered and left
  /// unseen, and not before the system would have told the entry.
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
      if !isDecided { passes.append(pass) }
    }
    return passes
  }
}
