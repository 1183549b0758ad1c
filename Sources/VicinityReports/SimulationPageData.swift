internal import VicinityCrossings
internal import VicinityEvaluation
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityMonitor
internal import VicinitySimulation

/// What the page of a run draws.
struct SimulationPageData {
  private(set) var value = JSONValue.null

  let run: SimulatedRun
  private var regions: PageRegions

  /// The most points of the track that are drawn; a screen has not many more pixels.
  private static let mostPoints = 6000
  /// The most pieces that the energy's time is cut into.
  private static let bins = 400
  /// How many regions around the track are drawn besides those that matter.
  private static let mostOthers = 400

  init(_ run: SimulatedRun) {
    self.run = run
    regions = PageRegions(run.regions)
    let result = run.result
    let series = RunSeries(result)
    let sentinels = Set(
      series.registrations.map(\.region.identifier).filter { run.regions.ordinal(of: $0) == nil })
    // First: what something happened to is what the map shows at first.
    let events = eventRows()
    let matches = matchRows()
    var registrations: [JSONValue] = []
    for row in series.registrations where !sentinels.contains(row.region.identifier) {
      guard let index = regions.number(of: row.region.identifier, isNear: false) else { continue }
      registrations.append(.array([time(row.start), time(row.end), .integer(index)]))
    }
    addOthers()
    var fixes: [JSONValue] = []
    var vicinities: [JSONValue] = []
    for entry in result.timeline {
      switch entry.kind {
      case .delivered(.locations(let batch, _)):
        for fix in batch where fix.horizontalAccuracy >= 0 {
          fixes.append(
            .array(
              [time(entry.time)] + JSONValue.coordinate(fix.coordinate) + [
                .rounded(fix.horizontalAccuracy, 1)
              ]))
        }
      case .vicinity(let center, let radius):
        vicinities.append(.array([time(entry.time)] + JSONValue.coordinate(center) + [.rounded(radius, 1)]))
      case .noVicinity: vicinities.append(.array([time(entry.time), .integer(0), .integer(0), .integer(0)]))
      default: break
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
      "registrations": .array(registrations), "vicinities": .array(vicinities), "events": .array(events),
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

  /// Regions around the track that nothing happened to.
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
    let there = run.scenario.track.places(at: list.map(\.time))
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
}
