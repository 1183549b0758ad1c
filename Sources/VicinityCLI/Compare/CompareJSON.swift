import VicinityEvaluation
import VicinityIndex
import VicinityReports
import VicinitySimulation

extension CompareFiles {
  /// `summary.json`: one object and a new line. Infinite figures are the string `inf`.
  func json() throws -> [UInt8] {
    var object: [String: JSONValue] = [
      "device": .string(result.profile.name),
      "regions": .integer(result.regions.count),
      "devices": .array(result.devices.map { .string($0.device) }),
      "hours": .rounded(result.devices.reduce(0) { $0 + $1.hours } * Double(result.seeds.count), 4),
      "seeds": .array(result.seeds.map { .string("\($0)") }),
      "filter": .object([
        "minimum_radius": .number(result.filter.minimumRadius),
        "minimum_seconds": .number(result.filter.minimumSeconds), "words": .string(result.filter.description),
      ]),
      "resamples": .integer(result.devices.count > 1 ? result.resampling.count : 0),
      "level": .number(result.resampling.level),
      "metrics": .object(
        Dictionary(uniqueKeysWithValues: Metric.allCases.map { (Self.column($0), .string($0.unit)) })),
      "policies": .array(zip(result.policies, result.cards).map { Self.value($0, $1) }),
      "paired": .array(result.comparisons().flatMap { value($0) }),
    ]
    if let bounds = result.bounds {
      object["bounds"] = .object([
        "latency": .number(bounds.promise.latency / .seconds(1)),
        "maximum_speed": .number(bounds.promise.maximumSpeed), "fixes": .rounded(bounds.fixesAnHour, 6),
        "net_energy": .rounded(bounds.leastNetEnergy, 6),
        "net_energy_knowing_the_future": .rounded(bounds.knowingNetEnergy, 6),
      ])
    }
    if let answer { object["requirement"] = Self.value(answer) }
    return try JSONValue.object(object).bytes() + [UInt8(ascii: "\n")]
  }

  private static func number(_ value: Double?) -> JSONValue {
    guard let value, !value.isNaN else { return .null }
    return value.isInfinite ? .string("inf") : .rounded(value, 6)
  }

  private static func value(_ estimate: Estimate) -> JSONValue {
    var object = ["value": number(estimate.value)]
    if let interval = estimate.interval {
      object["low"] = number(interval.lowerBound)
      object["high"] = number(interval.upperBound)
    }
    return .object(object)
  }

  private static func value(_ metrics: [Metric: Estimate]) -> JSONValue {
    var object: [String: JSONValue] = [:]
    for (metric, estimate) in metrics { object[column(metric)] = value(estimate) }
    return .object(object)
  }

  private static func value(_ power: [EnergyComponent: Double]) -> JSONValue {
    var object: [String: JSONValue] = [:]
    for (component, milliwatts) in power { object[component.name] = .rounded(milliwatts, 3) }
    return .object(object)
  }

  private static func value(_ policy: StudiedPolicy, _ card: ScoreCard) -> JSONValue {
    .object([
      "policy": .string(card.policy), "summary": .string(card.summary), "source": .string(policy.source),
      "pareto": .bool(card.isOnFront), "crossings": .integer(card.crossings), "visits": .integer(card.visits),
      "headline_crossings": .integer(card.headlineCrossings),
      "headline_visits": .integer(card.headlineVisits),
      "headline": value(card.headline), "all": value(card.metrics), "milliwatts": value(card.milliwatts),
      "hourly_milliwatts": .array(card.hourlyMilliwatts.map { value($0) }),
      "classes": .array(
        card.classes.map { entry in
          .object([
            "dimension": .string(entry.dimension.rawValue), "class": .string(entry.name),
            "crossings": .integer(entry.crossings), "visits": .integer(entry.visits),
            "metrics": value(entry.metrics),
          ])
        }),
    ])
  }

  private func value(_ comparison: PairedComparison) -> [JSONValue] {
    comparison.differences.map { entry in
      .object([
        "policy": .string(result.cards[comparison.first].policy),
        "against": .string(result.cards[comparison.second].policy),
        "metric": .string(entry.metric.rawValue), "difference": Self.value(entry.difference),
        "better": .integer(entry.better), "worse": .integer(entry.worse),
      ])
    }
  }

  private static func value(_ answer: SearchOutcome) -> JSONValue {
    .object([
      "text": .string(answer.requirement.text), "words": .string(answer.words),
      "tried": .integer(answer.tried),
      "best": answer.best.map { .string($0.policy) } ?? .null,
      "finalists": .array(
        answer.finalists.map { card in
          .object([
            "policy": .string(card.policy), "meets": .bool(answer.requirement.isMet(by: card)),
            "shortfall": .rounded(answer.requirement.shortfall(of: card), 6),
            "metrics": value(card.headline),
          ])
        }),
    ])
  }
}
