internal import VicinityCrossings
internal import VicinityEvaluation
internal import VicinityIndex
internal import VicinitySimulation

struct ComparisonPageData {
  static let title = "Policies compared"

  private(set) var value = JSONValue.null

  let report: ComparisonReport
  private var regions: PageRegions

  // The most of each that the page shows: a policy's missed and late crossings, points of a distribution,
  // regions and places with advice, regions on the map.
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
      "requirement": requirement(words), "confirmed": confirmed(), "phones": phones(), "tuned": tuned(),
      "pairs": pairs(), "sureOrder": .number(PairedComparison.sureProbability),
      "boundsNote": .string(words.boundsNote),
      "withinSeconds": .integer(words.withinSeconds),
      "answer": .array(words.answer.map { .string($0) }),
      "tableNote": .string(words.tableNote), "method": .string(words.method),
      "hasIntervals": .bool(result.devices.count > 1 && result.resampling.count > 0),
      "metrics": .array(result.metrics.map(Self.metric)),
      "columns": .array((Metric.columns + result.requestedMetrics).map { .string($0.rawValue) }),
      "moreColumns": .array(Metric.moreColumns.map { .string($0.rawValue) }),
      "policies": .array(policies),
      "dimensions": .array(dimensions()), "devices": .array(result.devices.map { .string($0.device) }),
      "components": .array(EnergyComponent.allCases.map { .string($0.name) }),
      "milliwattsPerPercent": .number(result.profile.milliwattsPerPercentAnHour),
      "lateSeconds": .number(words.lateSeconds),
      "paths": .array(report.paths.map { path in .array(path.map { .array(JSONValue.coordinate($0)) }) }),
      "regions": .array(regions.rows), "regionCount": .integer(result.regions.count), "advice": advice(words),
      "basis": .string(result.profile.basisText),
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

  // MARK: The answer

  /// A figure with its interval, as in the rows of policies; null for none.
  private static func figures(_ estimate: Estimate?, _ metric: Metric) -> JSONValue {
    guard let estimate, let value = estimate.value else { return .null }
    var row = [figure(value, metric)]
    if let interval = estimate.interval {
      row += [figure(interval.lowerBound, metric), figure(interval.upperBound, metric)]
    }
    return .array(row)
  }

  private static func figures(_ card: ScoreCard, _ metrics: [Metric]) -> JSONValue {
    var object: [String: JSONValue] = [:]
    for metric in metrics { object[metric.rawValue] = figures(card.headline[metric], metric) }
    return .object(object)
  }

  /// The metrics that an answer is about: those of the requirement, and the energy.
  private var asked: [Metric] {
    var metrics: [Metric] = [.energy]
    for bound in report.requirement?.bounds ?? [] where !metrics.contains(bound.metric) {
      metrics.append(bound.metric)
    }
    return metrics.count > 1 ? metrics : metrics + [.recall, .p95LatencyOfAll]
  }

  /// The chosen setting where it was not chosen: each bound with its own figure, interval and probability.
  private func confirmed() -> JSONValue {
    guard let requirement = report.requirement, let confirmation = report.answer?.confirmation else {
      return .null
    }
    let card = confirmation.card
    var rows = requirement.bounds.map { bound in
      JSONValue.object([
        "metric": .string(bound.metric.rawValue), "bound": .string(bound.text),
        "value": Self.figures(card.headline[bound.metric], bound.metric),
        "met": .bool(bound.isMet(by: card.value(bound.metric))),
        "probability": .optional(Requirement([bound]).probability(of: card), 4),
        "shares": Self.shares(card.shares[bound.metric]),
      ])
    }
    if !requirement.bounds.contains(where: { $0.metric == .energy }) {
      rows.append(
        .object([
          "metric": .string(Metric.energy.rawValue), "bound": .string(""),
          "value": Self.figures(card.headline[.energy], .energy),
          "shares": Self.shares(card.shares[.energy]),
        ]))
    }
    return .object([
      "policy": .string(card.policy), "rows": .array(rows),
      "probability": .optional(confirmation.probability, 4),
      "devices": .integer(confirmation.deviceCount), "sameDevices": .bool(confirmation.isOfSameDevices),
      "seeds": .integer(confirmation.seeds.count),
    ])
  }

  private static func shares(_ shares: UncertaintyShares?) -> JSONValue {
    guard let shares else { return .null }
    return .array([.rounded(shares.devices, 3), .rounded(shares.seeds, 3), .rounded(shares.energies, 3)])
  }

  private func phones() -> JSONValue {
    guard let phones = report.phones else { return .null }
    return .object([
      "words": .string(phones.words), "metrics": .array(asked.map { .string($0.rawValue) }),
      "rows": .array(
        phones.entries.map { entry in
          .object([
            "phone": .string(entry.profile.title),
            "policy": entry.chosenCard.map { .string($0.policy) } ?? .null,
            "figures": entry.chosenCard.map { Self.figures($0, asked) } ?? .null,
            "probability": .optional(entry.answer?.confirmation?.probability, 4),
          ])
        }),
    ])
  }

  private func tuned() -> JSONValue {
    guard !report.tuned.isEmpty else { return .null }
    return .object([
      "metrics": .array(asked.map { .string($0.rawValue) }),
      "rows": .array(
        report.tuned.map { entry in
          .object([
            "preset": .string(entry.preset.policy), "presetFigures": Self.figures(entry.preset, asked),
            "presetProbability": .optional(entry.presetProbability, 4),
            "tuned": .string(entry.tuned.policy), "tunedFigures": Self.figures(entry.tuned, asked),
            "tunedProbability": .optional(entry.tunedProbability, 4),
          ])
        }),
    ])
  }

  /// Every pair of policies, by their places: of each metric the difference, its interval and how sure its
  /// sign is.
  private func pairs() -> JSONValue {
    guard report.result.devices.count > 1, report.result.resampling.count > 0 else { return .array([]) }
    return .array(
      report.result.comparisons().map { pair in
        var metrics: [String: JSONValue] = [:]
        for entry in pair.differences {
          guard let value = entry.difference.value, let surety = entry.surety,
            let interval = entry.difference.interval
          else { continue }
          metrics[entry.metric.rawValue] = .array([
            Self.figure(value, entry.metric), Self.figure(interval.lowerBound, entry.metric),
            Self.figure(interval.upperBound, entry.metric), .rounded(surety, 3),
          ])
        }
        return .array([.integer(pair.first), .integer(pair.second), .object(metrics)])
      })
  }

  // MARK: Policies

  private mutating func policyRow(_ policy: Int) -> JSONValue {
    let result = report.result
    let card = result.cards[policy]
    var metrics: [String: JSONValue] = [:]
    for (metric, estimate) in card.headline where estimate.value != nil {
      metrics[metric.rawValue] = Self.figures(estimate, metric)
    }
    let latencies = result.latencies(of: policy)
    let (events, missed, late) = eventRows(policy)
    return .object([
      "label": .string(card.policy), "summary": .string(card.summary),
      "source": .string(result.policies[policy].source), "needs": .string(result.policies[policy].needs),
      "chosen": .bool(policy == result.chosen), "shares": Self.shares(card.shares[.energy]),
      "front": .bool(card.isOnFront),
      "meets": .bool(report.requirement?.isMet(by: card) ?? false), "metrics": .object(metrics),
      "latencies": .array(Self.thinned(latencies.reported).map { .rounded($0, 1) }),
      "reported": .integer(latencies.reported.count),
      "crossings": .integer(latencies.reported.count + latencies.missed),
      "milliwatts": Self.milliwatts(card.milliwatts),
      "hours": .array(card.hourlyMilliwatts.map(Self.milliwatts)), "events": .array(events),
      "missedCount": .integer(missed), "lateCount": .integer(late),
      "classes": .array(
        card.classes.map { score in
          guard score.crossings > 0 else { return .null }
          return .array(Self.classMetrics.map { .optional(score.metrics[$0]?.value, $0.decimals + 1) })
        }),
    ])
  }

  /// A figure with more decimals than are shown, so that different figures stay different; infinity by name,
  /// as JSON has none.
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

  /// What a page shows of each class.
  private static let classMetrics: [Metric] = [.recall, .entryP95Latency, .exitP95Latency]

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
