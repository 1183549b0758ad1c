internal import VicinityCrossings
internal import VicinityMonitor
internal import VicinitySimulation

/// A run's timeline as intervals.
struct RunSeries {
  private(set) var states: [(start: Timestamp, end: Timestamp, state: AppState)] = []
  /// The stays of regions in the system's slots, ordered by their start.
  private(set) var registrations: [(start: Timestamp, end: Timestamp, region: MonitoredRegion)] = []

  init(_ result: SimulationResult) {
    var state = AppState.notRunning
    var since = result.start
    var open: [(start: Timestamp, region: MonitoredRegion)] = []
    func close(_ identifier: String, at time: Timestamp) -> (Timestamp, Timestamp, MonitoredRegion)? {
      guard let index = open.firstIndex(where: { $0.region.identifier == identifier }) else { return nil }
      let old = open.remove(at: index)
      return (old.start, time, old.region)
    }
    for entry in result.timeline {
      switch entry.kind {
      case .lifecycle(let new, _):
        if entry.time > since { states.append((since, entry.time, state)) }
        (state, since) = (new, entry.time)
      case .registered(let region):
        if let ended = close(region.identifier, at: entry.time) { registrations.append(ended) }
        open.append((entry.time, region))
      case .unregistered(let identifier):
        if let ended = close(identifier, at: entry.time) { registrations.append(ended) }
      default: break
      }
    }
    if result.end > since { states.append((since, result.end, state)) }
    for (start, region) in open { registrations.append((start, result.end, region)) }
    registrations.sort { $0.start < $1.start }
  }
}

/// A run's mean power in equal intervals of time.
struct PowerBins {
  let seconds: Double
  /// The components that drew anything, with the mean milliwatts of each interval.
  var components: [(component: EnergyComponent, milliwatts: [Double])] = []

  init(_ result: SimulationResult, count: Int) {
    let span = max(result.end.seconds(since: result.start), 1e-6)
    let pieces = max(1, count)
    seconds = span / Double(pieces)
    var sums = [[Double]](
      repeating: [Double](repeating: 0, count: pieces), count: EnergyComponent.allCases.count)
    var level = [Double](repeating: 0, count: sums.count)
    var since = [Double](repeating: 0, count: sums.count)
    func spread(_ component: Int, to end: Double) {
      guard level[component] > 0 else { return }
      var at = since[component]
      while at < end {
        let bin = min(pieces - 1, Int(at / seconds))
        let next = bin == pieces - 1 ? end : min(end, Double(bin + 1) * seconds)
        sums[component][bin] += level[component] * (next - at)
        at = max(next, at.nextUp)
      }
    }
    for step in result.power {
      let c = step.component.rawValue
      let time = min(span, max(0, step.time.seconds(since: result.start)))
      spread(c, to: time)
      (level[c], since[c]) = (step.milliwatts, time)
    }
    for component in EnergyComponent.allCases {
      let c = component.rawValue
      spread(c, to: span)
      guard sums[c].contains(where: { $0 > 0 }) else { continue }
      components.append((component, sums[c].map { $0 / seconds }))
    }
  }
}
