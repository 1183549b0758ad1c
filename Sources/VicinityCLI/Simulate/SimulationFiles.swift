import VicinityCrossings
internal import VicinityEvaluation
import VicinityFormats
import VicinityGeodesy
import VicinityIndex
internal import VicinityMonitor
import VicinityReports
import VicinitySimulation

/// A run as files: what a machine reads, and a page.
///
/// - `fixes.csv`: what the app saw: `delivered,time,latitude,longitude,accuracy,speed,course,source,error`; the error is the
///   distance, metres, from where the phone truly was at the fix's time.
/// - `registrations.csv`: `start,end,region,latitude,longitude,radius`, a row for each stay of a region in a slot; beacons
///   have no coordinates.
/// - `events.csv`: `region,kind,true_time,reported_time,delay,latitude,longitude`, missed ones and reports of nothing
///   included.
/// - `lifecycle.csv`: `start,end,state`.
/// - `energy.csv`: `time,component,milliwatts`: from that time on the component draws so much.
/// - `summary.json`, `timeline.json`, `report.html`.
struct SimulationFiles {
  private let run: SimulatedRun

  init(_ run: SimulatedRun) { self.run = run }

  /// What they are called.
  static let names = [
    "fixes.csv", "registrations.csv", "events.csv", "lifecycle.csv", "energy.csv", "summary.json",
    "timeline.json",
    "report.html",
  ]

  /// Their contents, in the order of ``names``. The same run gives the same bytes.
  func contents() throws -> [[UInt8]] {
    [
      try fixes(), registrations(), events(), lifecycle(), energy(), SimulationSummary(run).json,
      TimelineJSON.text(of: run.result.timeline), try SimulationPage.html(run),
    ]
  }

  private func fixes() throws -> [UInt8] {
    var rows = CSVRows("delivered,time,latitude,longitude,accuracy,speed,course,source,error")
    var list: [(delivered: Timestamp, fix: Fix, source: LocationSource)] = []
    for entry in run.result.timeline {
      if case .delivered(.locations(let batch, let source)) = entry.kind {
        for fix in batch { list.append((entry.time, fix, source)) }
      }
    }
    // The truth is read forwards, and fixes may come late.
    let order = list.indices.sorted { (list[$0].fix.time, $0) < (list[$1].fix.time, $1) }
    let places = run.scenario.track.places(at: order.map { list[$0].fix.time })
    var truth = [Coordinate](repeating: Coordinate(latitude: 0, longitude: 0), count: list.count)
    for (place, index) in zip(places, order) { truth[index] = place }
    for (index, row) in list.enumerated() {
      let fix = row.fix
      rows.time(row.delivered)
      rows.time(fix.time)
      rows.coordinate(fix.coordinate)
      rows.number(fix.horizontalAccuracy, 2)
      rows.number(fix.speed >= 0 ? fix.speed : nil, 2)
      rows.number(fix.course >= 0 ? fix.course : nil, 1)
      rows.text(row.source.rawValue)
      rows.number(try Geodesic.distance(from: fix.coordinate, to: truth[index]), 2)
      rows.end()
    }
    return rows.bytes
  }

  private func registrations() -> [UInt8] {
    var rows = CSVRows("start,end,region,latitude,longitude,radius")
    for row in RunSeries(run.result).registrations {
      rows.time(row.start)
      rows.time(row.end)
      rows.text(row.region.identifier)
      switch row.region.area {
      case .circle(let center, let radius):
        rows.coordinate(center)
        rows.number(radius, 3)
      case .beacon:
        rows.coordinate(nil)
        rows.number(nil, 3)
      }
      rows.end()
    }
    return rows.bytes
  }

  private func events() -> [UInt8] {
    var rows = CSVRows("region,kind,true_time,reported_time,delay,latitude,longitude")
    for match in run.matches {
      rows.text(
        match.truth.map { run.regions.identifier(of: $0.region) } ?? match.report?.identifier ?? "")
      rows.text(match.truth.map { $0.kind == .enter } ?? match.report?.isEntry ?? false ? "enter" : "exit")
      rows.time(match.truth?.time)
      rows.time(match.report?.time)
      rows.number(match.delay, 3)
      rows.coordinate(match.truth?.coordinate)
      rows.end()
    }
    return rows.bytes
  }

  private func lifecycle() -> [UInt8] {
    var rows = CSVRows("start,end,state")
    for row in RunSeries(run.result).states {
      rows.time(row.start)
      rows.time(row.end)
      rows.text(row.state.rawValue)
      rows.end()
    }
    return rows.bytes
  }

  private func energy() -> [UInt8] {
    var rows = CSVRows("time,component,milliwatts")
    for step in run.result.power {
      rows.time(step.time)
      rows.text(step.component.name)
      rows.number(step.milliwatts, 3)
      rows.end()
    }
    return rows.bytes
  }
}
