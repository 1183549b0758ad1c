internal import VicinityCrossings
internal import VicinityEvaluation
internal import VicinitySimulation

/// The data that the page of a study draws.
struct ComparisonPageData {
  static let title = "Policies compared"

  private(set) var value = JSONValue.null

  let report: ComparisonReport
  private var regions: PageRegions

  // The most of each that the page shows: a policy's missed and late crossings, points of a distribution, regions and places
  // with advice, regions on the map.
  private static let mostEvents = 600
  private static let mostLatencies = 240
  private static let mostAdvised = 200
  private static let mostPlaces = 60
  private static let mostRegions = 2500

  init(_ report: ComparisonReport) {
    self.report = report
    regions = PageRegions(report.result.regions)
    let result = report.result
    let words = ComparisonWords(report)
    let policies = result.policies.indices.map { policyRow($0) }
    addOthers()
    value = .object([
      "title": .string(Self.title), "subtitle": .string(words.subtitle), "figures": .array(words.figures),
      "requirement": requirement(words), "answer": .array(words.answer.map { .string($0) }),
      "tableNote": .string(words.tableNote), "method": .string(words.method),
      "hasIntervals": .bool(result.devices.count > 1 && result.resampling.count > 0),
      "metrics": .array(result.metrics.map(Self.metric)),
      "columns": .array((Metric.columns + result.requestedMetrics).map { .string($0.rawValue) }),
      "policies": .array(policies),
      "dimensions": .array(dimensions()), "devices": .array(result.devices.map { .string($0.device) }),
      "components": .array(EnergyComponent.allCases.map { .string($0.name) }),
      "milliwattsPerPercent": .number(result.profile.milliwattsPerPercentAnHour),
      "lateSeconds": .number(words.lateSeconds),
      "paths": .array(report.paths.map { path in .array(path.map { .array(JSONValue.coordinate($0)) }) }),
      "regions": .array(regions.rows), "advice": advice(words), "basis": .string(result.profile.basisText),
      "profile": .array(result.profile.figureRows),
    ])
  }

  private static func metric(_ metric: Metric) -> JSONValue {
    .object([
      "name": .string(metric.rawValue), "title": .string(metric.title), "unit": .string(metric.unit),
      "decimals": .integer(metric.decimals), "higher": .bool(metric.better == .higher),
      "meaning": .string(metric.meaning),
    ])
  }

  private func requirement(_ words: ComparisonWords) -> JSONValue {
    guard let requirement = report.requirement else { return .null }
    return .object(["text": .string(requirement.text), "met": .bool(words.isMet)])
  }

  // MARK: Policies

  private mutating func policyRow(_ policy: Int) -> JSONValue {
    let result = report.result
    let card = result.cards[policy]
    var metrics: [String: JSONValue] = [:]
    for (metric, estimate) in card.headline {
      guard let value = estimate.value else { continue }
      var row = [Self.figure(value, metric)]
      if let interval = estimate.interval {
        row += [Self.figure(interval.lowerBound, metric), Self.figure(interval.upperBound, metric)]
      }
      metrics[metric.rawValue] = .array(row)
    }
    let latencies = result.latencies(of: policy)
    let (events, missed, late) = eventRows(policy)
    return .object([
      "label": .string(card.policy), "summary": .string(card.summary),
      "source": .string(result.policies[policy].source), "front": .bool(card.isOnFront),
      "meets": .bool(report.requirement?.isMet(by: card) ?? false), "metrics": .object(metrics),
      "latencies": .array(Self.thinned(latencies.reported).map { .rounded($0, 1) }),
      "reported": .integer(latencies.reported.count),
      "crossings": .integer(latencies.reported.count + latencies.missed),
      "milliwatts": Self.milliwatts(card.milliwatts),
      "hours": .array(card.hourlyMilliwatts.map(Self.milliwatts)), "events": .array(events),
      "missedCount": .integer(missed), "lateCount": .integer(late),
      "classes": .array(
        card.classes.map { $0.crossings > 0 ? .optional($0.metrics[.recall]?.value, 4) : .null }),
    ])
  }

  /// A figure with more decimals than are shown, so that different figures stay different; infinity by name, as JSON has none.
  private static func figure(_ value: Double, _ metric: Metric) -> JSONValue {
    value.isFinite ? .rounded(value, metric.decimals + 3) : value > 0 ? .string("inf") : .null
  }

  private static func milliwatts(_ all: [EnergyComponent: Double]) -> JSONValue {
    var row: [String: JSONValue] = [:]
    for component in EnergyComponent.allCases {
      if let value = all[component], value > 0 { row[component.name] = .rounded(value, 3) }
    }
    return .object(row)
  }

  /// At most `mostLatencies` values of an ascending list, at equal shares, including the last.
  private static func thinned(_ list: [Double]) -> [Double] {
    guard list.count > mostLatencies else { return list }
    return (1...mostLatencies).map { list[$0 * list.count / mostLatencies - 1] }
  }

  /// `latitude, longitude, entry, region, device, latency`, with a null latency for a missed crossing.
  private mutating func eventRows(_ policy: Int) -> (rows: [JSONValue], missed: Int, late: Int) {
    let list = report.result.missedOrLate(of: policy, laterThan: ComparisonWords(report).lateSeconds)
    let missed = list.count { $0.outcome == nil }
    let step = max(1, (list.count + Self.mostEvents - 1) / Self.mostEvents)
    var rows: [JSONValue] = []
    for index in stride(from: 0, to: list.count, by: step) {
      let event = list[index]
      let crossing = event.crossing.crossing
      rows.append(
        .array(
          JSONValue.coordinate(crossing.coordinate) + [
            .integer(crossing.kind == .enter ? 1 : 0),
            .integer(regions.number(of: crossing.region, isNear: true)), .integer(event.device),
            .optional(event.outcome?.latency, 1),
          ]))
    }
    return (rows, missed, list.count - missed)
  }

  /// Adds regions along the paths, so that the map shows some of which nothing was missed.
  private mutating func addOthers() {
    let points = report.paths.reduce(0) { $0 + $1.count }
    let step = max(1, points / 400)
    var number = 0
    for path in report.paths {
      for position in path {
        if number % step == 0, regions.count < Self.mostRegions { regions.addNeighbors(8, of: position) }
        number += 1
      }
    }
  }

  private func dimensions() -> [JSONValue] {
    ClassDimension.allCases.map { dimension in
      let classes = report.result.cards.first?.classes.filter { $0.dimension == dimension } ?? []
      let title =
        switch dimension {
        case .size: "region's size"
        case .speed: "speed"
        case .duration: "length of the visit"
        }
      return .object([
        "title": .string(title),
        "classes": .array(classes.map { .array([.string($0.name), .integer($0.crossings)]) }),
      ])
    }
  }

  // MARK: Advice

  private func advice(_ words: ComparisonWords) -> JSONValue {
    guard let advice = report.advice else { return .null }
    let wanting = advice.rows.filter { $0.verdict == .undetectable || $0.verdict == .unreliable }
    let rows = wanting.prefix(Self.mostAdvised).map { row -> JSONValue in
      .array([
        .string(row.identifier), .rounded(row.radius, 1), .integer(row.passes),
        .rounded(row.medianDuration, 0), .rounded(row.expected, 4), .string(row.verdict.rawValue),
        .optional(row.advisedRadius, 1), row.passesAtAdvisedRadius.map { .integer($0) } ?? .null,
      ])
    }
    let places = advice.crowdedPlaces.prefix(Self.mostPlaces).map { place -> JSONValue in
      .array(
        JSONValue.coordinate(place.coordinate) + [
          .integer(place.wanted), .integer(place.leftOut), .rounded(place.seconds, 0),
        ])
    }
    let shown =
      wanting.count > rows.count
      ? "\(rows.count) of \(wanting.count) regions that are too small" : "Regions that are too small"
    return .object([
      "words": .array(words.advice(advice).map { .string($0) }), "caption": .string(shown),
      "rows": .array(Array(rows)), "places": .array(Array(places)),
    ])
  }
}
