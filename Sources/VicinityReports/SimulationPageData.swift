internal import VicinityCrossings
public import VicinityEvaluation
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityMonitor
internal import VicinitySimulation

extension SimulatedRun {
  /// The run as a page that needs only a browser: map, time slider, states and energy. UTF-8; the same run
  /// gives the same bytes.
  public func html() -> [UInt8] {
    HTMLPage.html(
      PackageResources.simulation_html, title: SimulationPageData.title(of: self),
      style: PackageResources.simulation_css, script: PackageResources.simulation_js,
      data: SimulationPageData(self).value, pictures: SimulationPageData.tiles)
  }
}

struct SimulationPageData {
  private(set) var value = JSONValue.null

  let run: SimulatedRun
  private var regions: PageRegions

  /// Where the base map's tiles come from.
  static let tiles = "https://tile.openstreetmap.org"

  /// The most points of the track to draw; a screen has few more pixels.
  private static let mostPoints = 6000
  /// The number of intervals of the energy plot.
  private static let bins = 400
  /// The most regions to draw, unless more of them were registered or crossed.
  private static let mostOthers = 400

  init(_ run: SimulatedRun) {
    self.run = run
    regions = PageRegions(run.regions)
    let result = run.result
    let series = RunSeries(result)
    // Regions with events come first, because they make the map's first view.
    let events = eventRows()
    let matches = matchRows()
    var registrations: [JSONValue] = []
    var sentinels: [JSONValue] = []
    for row in series.registrations {
      if let index = regions.number(of: row.region.identifier, isNear: false) {
        registrations.append(.array([time(row.start), time(row.end), .integer(index)]))
      } else {
        sentinels.append(sentinelRow(row.start, row.end, row.region))
      }
    }
    addOthers()
    var fixes: [JSONValue] = []
    for entry in result.timeline {
      guard case .delivered(.locations(let batch, _)) = entry.kind else { continue }
      for fix in batch where fix.horizontalAccuracy >= 0 {
        fixes.append(
          .array(
            [time(entry.time)] + JSONValue.coordinate(fix.coordinate) + [.rounded(fix.horizontalAccuracy, 1)]
          ))
      }
    }
    let bins = PowerBins(result, count: Self.bins)
    value = .object([
      "title": .string(Self.title(of: run)),
      "subtitle": .string(run.summary),
      "figures": .array(figures()),
      "start": time(result.start), "end": time(result.end),
      "slots": .integer(run.scenario.profile.regions.slots),
      "track": .array(trackRows()), "fixes": .array(fixes), "regions": .array(regions.rows),
      "regionCount": .integer(run.regions.count), "tiles": .string(Self.tiles),
      "registrations": .array(registrations), "sentinels": .array(sentinels), "events": .array(events),
      "matches": .array(matches),
      "states": .array(
        series.states.map { .array([time($0.start), time($0.end), .string($0.state.rawValue)]) }),
      "power": .object([
        "bin": .number(bins.seconds),
        "components": .array(bins.components.map { .string($0.component.name) }),
        "values": .array(bins.components.map { .array($0.milliwatts.map { .rounded($0, 2) }) }),
      ]),
      "joules": .array(jouleRows()), "basis": .string(run.scenario.profile.basisText),
      "profile": .array(run.scenario.profile.figureRows),
    ])
  }

  static func title(of run: SimulatedRun) -> String { "\(run.policy) on \(run.scenario.profile.title)" }

  private func time(_ time: Timestamp) -> JSONValue { .rounded(time.seconds, 3) }

  /// A region of the app's own in a slot, as the phone has registered it: start, end, and for a circle its
  /// centre and radius.
  private func sentinelRow(_ start: Timestamp, _ end: Timestamp, _ region: MonitoredRegion) -> JSONValue {
    guard case .circle(let center, let radius) = region.area else { return .array([time(start), time(end)]) }
    return .array([time(start), time(end)] + JSONValue.coordinate(center) + [.rounded(radius, 1)])
  }

  /// Adds regions around the track, so that the map shows some that nothing happened to.
  private mutating func addOthers() {
    let track = run.scenario.track
    let step = max(1, track.count / 40)
    var index = 0
    while index < track.count, regions.count < Self.mostOthers {
      regions.addNeighbors(12, of: track.fix(at: index).coordinate)
      index += step
    }
  }

  private func trackRows() -> [JSONValue] {
    let track = run.scenario.track
    let step = max(1, (track.count + Self.mostPoints - 1) / Self.mostPoints)
    var rows: [JSONValue] = []
    for index in 0..<track.count where index % step == 0 || index == track.count - 1 {
      let fix = track.fix(at: index)
      rows.append(.array([time(fix.time)] + JSONValue.coordinate(fix.coordinate)))
    }
    return rows
  }

  private mutating func eventRows() -> [JSONValue] {
    var rows: [JSONValue] = []
    var list: [(time: Timestamp, region: Int, isEntry: Bool, place: Coordinate?)] = []
    for match in run.matches {
      if let truth = match.truth {
        let index = regions.number(of: truth.region, isNear: true)
        list.append((truth.time, index, truth.kind == .enter, truth.coordinate))
      }
      if let report = match.report, let index = regions.number(of: report.identifier, isNear: true) {
        list.append((report.time, index, report.isEntry, nil))
      }
    }
    list.sort { $0.time < $1.time }
    let there = run.scenario.track.positions(at: list.map(\.time))
    for (event, truth) in zip(list, there) {
      let at = event.place ?? truth
      rows.append(
        .object([
          "time": time(event.time), "region": .integer(event.region), "entry": .bool(event.isEntry),
          "reported": .bool(event.place == nil), "latitude": .rounded(at.latitude, 6),
          "longitude": .rounded(at.longitude, 6),
        ]))
    }
    return rows
  }

  private mutating func matchRows() -> [JSONValue] {
    var rows: [JSONValue] = []
    for match in run.matches {
      let identifier =
        match.truth.map { run.regions.identifier(of: $0.region) } ?? match.report?.identifier ?? ""
      guard let index = regions.number(of: identifier, isNear: true) else { continue }
      rows.append(
        .object([
          "region": .integer(index),
          "entry": .bool(match.truth.map { $0.kind == .enter } ?? match.report?.isEntry ?? false),
          "time": match.truth.map { time($0.time) } ?? .null,
          "reported": match.report.map { time($0.time) } ?? .null, "delay": .optional(match.delay, 3),
        ]))
    }
    return rows
  }

  /// The numbers at the top of the page: a name, the number, its decimals, and its unit.
  func figures() -> [JSONValue] {
    let result = run.result
    let tally = run.tally
    func row(_ name: String, _ value: Double, _ decimals: Int, _ unit: String = "") -> JSONValue {
      .array([.string(name), .rounded(value, 6), .integer(decimals), .string(unit)])
    }
    return [
      row("of the battery an hour", result.percentAnHour(of: run.scenario.profile), 2, "%"),
      row("energy", result.totalJoules, 0, "J"),
      row("time", result.end.seconds(since: result.start) / 3600, 1, "h"),
      row("crossings reported", Double(tally.reported), 0, "of \(tally.crossings)"),
      row("unfounded reports", Double(tally.unfounded), 0), row("positions", Double(result.counts.fixes), 0),
      row("registrations", Double(result.counts.registrations), 0),
      row("wake-ups", Double(result.counts.wakes + result.counts.relaunches), 0),
      row("awake", result.counts.backgroundSeconds, 0, "s"),
    ]
  }

  func jouleRows() -> [JSONValue] {
    let result = run.result
    let total = max(result.totalJoules, .leastNormalMagnitude)
    let hours = max(result.end.seconds(since: result.start) / 3600, .leastNormalMagnitude)
    return EnergyComponent.allCases.compactMap { component in
      let joules = result.joules[component] ?? 0
      guard joules > 0 else { return nil }
      let percent = joules / 3.6 / run.scenario.profile.milliwattsPerPercentAnHour / hours
      return .array([
        .string(component.name), .rounded(joules, 3), .rounded(joules / total, 5), .rounded(percent, 5),
      ])
    }
  }
}
