internal import VicinityCrossings
public import VicinityEvaluation
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityMonitor
internal import VicinitySimulation

/// A run as files.
///
/// - `fixes.csv`: the fixes that the app received:
///   `delivered,time,latitude,longitude,accuracy,speed,course,source,error`. The error is the distance from
///   where the phone truly was at the fix's time, metres.
/// - `registrations.csv`: `start,end,region,latitude,longitude,radius`, a row for each stay of a region in a
///   slot; beacons have no coordinates.
/// - `events.csv`: `region,kind,true_time,reported_time,delay,latitude,longitude`, including missed crossings
///   and unfounded reports.
/// - `lifecycle.csv`: `start,end,state`.
/// - `energy.csv`: `time,component,milliwatts`: the component's power from that time on.
/// - `summary.json`, `timeline.json`, `report.html`.
public struct SimulationFiles {
  private let run: SimulatedRun

  public init(_ run: SimulatedRun) { self.run = run }

  public static let names = [
    "fixes.csv", "registrations.csv", "events.csv", "lifecycle.csv", "energy.csv", "summary.json",
    "timeline.json",
    "report.html",
  ]

  /// The contents of the files, in the order of ``names``. The same run gives the same bytes.
  ///
  /// - Throws: An invalid coordinate of a fix; never for a run of this library.
  public func contents() throws -> [[UInt8]] {
    [
      try fixes(), registrations(), events(), lifecycle(), energy(), summary(),
      TimelineJSON.text(of: run.result.timeline), run.html(),
    ]
  }

  /// `summary.json`: one object and a line break.
  public func summary() -> [UInt8] {
    let result = run.result
    let counts = result.counts
    let tally = run.tally
    let figures = run.scenario.profile.listedFigures
    var object = JSONObject()
    object.string("policy", run.policy)
    object.string("device", run.scenario.profile.name)
    object.string("seed", "\(run.scenario.seed)")
    object.string("rules", run.scenario.rules.name)
    object.string("start", result.start.description)
    object.string("end", result.end.description)
    object.number("seconds", result.end.seconds(since: result.start), 3)
    var joules = JSONObject()
    for component in EnergyComponent.allCases {
      joules.number(component.name, result.joules[component] ?? 0, 3)
    }
    object.object("joules", joules)
    object.number("total_joules", result.totalJoules, 3)
    object.number("percent_an_hour", result.percentAnHour(of: run.scenario.profile), 6)
    let whole: [(String, Int)] = [
      ("crossings", tally.crossings), ("crossings_reported", tally.reported),
      ("reports_of_nothing", tally.unfounded), ("fixes", counts.fixes),
      ("registrations", counts.registrations),
      ("unregistrations", counts.unregistrations), ("region_events", counts.regionEvents),
      ("wakes", counts.wakes), ("relaunches", counts.relaunches), ("kills", counts.kills),
      ("assumed_figures", figures.count { $0.figure.basis == .assumed }), ("figures", figures.count),
    ]
    for (name, value) in whole { object.integer(name, value) }
    object.number("delay_p50", run.medianDelay, 3)
    object.number("background_seconds", counts.backgroundSeconds, 3)
    return object.finished + [UInt8(ascii: "\n")]
  }

  private func fixes() throws -> [UInt8] {
    var rows = CSVRows("delivered,time,latitude,longitude,accuracy,speed,course,source,error")
    var list: [(delivered: Timestamp, fix: Fix, source: LocationSource)] = []
    for entry in run.result.timeline {
      if case .delivered(.locations(let batch, let source)) = entry.kind {
        for fix in batch { list.append((entry.time, fix, source)) }
      }
    }
    // Sorted, because the truth is read forwards and fixes may come late.
    let order = list.indices.sorted { (list[$0].fix.time, $0) < (list[$1].fix.time, $1) }
    let places = run.scenario.track.positions(at: order.map { list[$0].fix.time })
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
    CSVRows.table(
      "start,end,region,latitude,longitude,radius", RunSeries(run.result).registrations
    ) { row, rows in
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
    }
  }

  private func events() -> [UInt8] {
    CSVRows.table(
      "region,kind,true_time,reported_time,delay,latitude,longitude", run.matches
    ) { match, rows in
      rows.text(
        match.truth.map { run.regions.identifier(of: $0.region) } ?? match.report?.identifier ?? "")
      rows.text(match.truth.map { $0.kind == .enter } ?? match.report?.isEntry ?? false ? "enter" : "exit")
      rows.time(match.truth?.time)
      rows.time(match.report?.time)
      rows.number(match.delay, 3)
      rows.coordinate(match.truth?.coordinate)
    }
  }

  private func lifecycle() -> [UInt8] {
    CSVRows.table("start,end,state", RunSeries(run.result).states) { row, rows in
      rows.time(row.start)
      rows.time(row.end)
      rows.text(row.state.rawValue)
    }
  }

  private func energy() -> [UInt8] {
    CSVRows.table("time,component,milliwatts", run.result.power) { step, rows in
      rows.time(step.time)
      rows.text(step.component.name)
      rows.number(step.milliwatts, 3)
    }
  }
}
