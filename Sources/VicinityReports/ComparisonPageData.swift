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
  private static let mostLatencies = 120
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
    let card = ComparisonCard(report)
    value = .object([
      "title": .string(Self.title), "subtitle": .string(words.subtitle), "card": Self.value(card),
      "words": .string(report.answer?.words ?? ""), "asked": asked(), "knobs": knobs(), "phones": phones(),
      "tuned": tuned(), "pairs": pairs(), "sureOrder": .number(PairedComparison.sureProbability),
      "boundsNote": .string(words.boundsNote), "phoneNote": .string(words.phoneNote),
      "times": .array(times.map { .integer($0) }), "withinSeconds": .integer(words.withinSeconds),
      "method": .string(words.method),
      "hasIntervals": .bool(result.devices.count > 1 && result.resampling.count > 0),
      "metrics": .array(result.metrics.map(Self.metric)),
      "columns": .array((Metric.columns + result.requestedMetrics).map { .string($0.rawValue) }),
      "moreColumns": .array(Metric.moreColumns.map { .string($0.rawValue) }),
      "policies": .array(policies),
      "dimensions": .array(dimensions()), "devices": .array(result.devices.map { .string($0.device) }),
      "components": .array(EnergyComponent.allCases.filter { $0 != .idle }.map { .string($0.name) }),
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
      "name": .string(metric.rawValue), "title": .string(metric.title), "unit": .string(metric.pageUnit),
      "decimals": .integer(metric.pageDecimals), "higher": .bool(metric.better == .higher),
      "meaning": .string(metric.meaning),
    ])
  }

  // MARK: The answer

  private static func value(_ card: ComparisonCard) -> JSONValue {
    .object([
      "title": .string(card.title), "verdict": .string(card.verdict.rawValue),
      "facts": .array(card.facts.map { .string($0) }), "doubts": .array(card.doubts.map { .string($0) }),
      "choices": .array(
        card.choices.map { choice in
          .object([
            "role": .string(choice.role), "policy": .string(choice.policy), "words": .string(choice.words),
          ])
        }),
    ])
  }

  /// A figure with its interval, without what the energies of the phone add; null for none. Energies above
  /// idle are by the day.
  private static func figures(_ card: ScoreCard, _ metric: Metric) -> JSONValue {
    guard let estimate = card.headline[metric], let value = estimate.value else { return .null }
    var row = [figure(value, metric)]
    if let interval = estimate.withoutPhone(card, metric) {
      row += [figure(interval.lowerBound, metric), figure(interval.upperBound, metric)]
    }
    return .array(row)
  }

  private static func figures(_ card: ScoreCard, _ metrics: [Metric]) -> JSONValue {
    var object: [String: JSONValue] = [:]
    for metric in metrics { object[metric.rawValue] = figures(card, metric) }
    return .object(object)
  }

  /// The metrics that an answer is about: the energy, and those of the requirement.
  private var answered: [Metric] {
    var metrics: [Metric] = [.netEnergy]
    for bound in report.requirement?.bounds ?? [] where !metrics.contains(bound.metric) {
      metrics.append(bound.metric)
    }
    return metrics.count > 1 ? metrics : metrics + [.recall, .p95LatencyOfAll]
  }

  /// What was asked for, and whether each policy does it: the chosen one first, as it was confirmed, then all
  /// as they are in the study.
  private func asked() -> JSONValue {
    guard let requirement = report.requirement else { return .null }
    func row(_ card: ScoreCard, _ confirmation: SearchConfirmation? = nil) -> JSONValue {
      .object([
        "policy": .string(card.policy), "met": .bool(requirement.isMet(by: card)),
        "confirmed": .bool(confirmation != nil), "probability": .optional(confirmation?.probability, 4),
        "cells": .array(
          requirement.bounds.map { bound in
            .object([
              "text": .string(bound.metric.text(card.value(bound.metric))),
              "met": .bool(bound.isMet(by: card.value(bound.metric))),
              "probability": confirmation == nil
                ? .null : .optional(Requirement([bound]).probability(of: card), 4),
            ])
          }),
      ])
    }
    let confirmation = report.answer?.confirmation
    return .object([
      "text": .string(requirement.words),
      "bounds": .array(requirement.bounds.map { .string($0.text) }),
      "rows": .array(
        (confirmation.map { [row($0.card, $0)] } ?? [])
          + ComparisonCard.inOrder(report.result.cards, requirement).map { row($0) }),
    ])
  }

  /// The policies that differ in nothing but their latency, two and more, by latency: their places.
  private func knobs() -> JSONValue {
    var groups: [(label: String, rows: [(latency: Double, policy: Int)])] = []
    for (place, policy) in report.result.policies.enumerated() {
      guard let setting = try? Policies.parse(policy.label) as? MonitorAdaptivePolicy else { continue }
      let label = setting.setting(\.latency, to: MonitorAdaptivePolicy(setting.presence).latency).label
      let row = (setting.latency, place)
      if let group = groups.firstIndex(where: { $0.label == label }) {
        groups[group].rows.append(row)
      } else {
        groups.append((label, [row]))
      }
    }
    return .array(
      groups.filter { $0.rows.count > 1 }.map { group in
        .object([
          "policy": .string(group.label),
          "rows": .array(
            group.rows.sorted { $0 < $1 }.map { .array([.number($0.latency), .integer($0.policy)]) }),
        ])
      })
  }

  private static func shares(_ shares: UncertaintyShares?) -> JSONValue {
    guard let shares else { return .null }
    return .array([.rounded(shares.devices, 3), .rounded(shares.seeds, 3), .rounded(shares.energies, 3)])
  }

  private func phones() -> JSONValue {
    guard let phones = report.phones else { return .null }
    return .object([
      "metrics": .array(answered.map { .string($0.rawValue) }),
      "rows": .array(
        phones.entries.map { entry in
          .object([
            "phone": .string(entry.profile.title),
            "policy": entry.chosenCard.map { .string($0.policy) } ?? .null,
            "figures": entry.chosenCard.map { Self.figures($0, answered) } ?? .null,
            "probability": .optional(entry.answer?.confirmation?.probability, 4),
          ])
        }),
    ])
  }

  private func tuned() -> JSONValue {
    guard !report.tuned.isEmpty else { return .null }
    return .object([
      "metrics": .array(answered.map { .string($0.rawValue) }),
      "rows": .array(
        report.tuned.map { entry in
          .object([
            "preset": .string(entry.preset.policy), "presetFigures": Self.figures(entry.preset, answered),
            "presetProbability": .optional(entry.presetProbability, 4),
            "tuned": .string(entry.tuned.policy), "tunedFigures": Self.figures(entry.tuned, answered),
            "tunedProbability": .optional(entry.tunedProbability, 4),
          ])
        }),
    ])
  }

  /// Every pair of policies, by their places: of each metric the difference, its interval, how sure its sign
  /// is, and of energies the interval that the phone gives. Energies are by the day.
  private func pairs() -> JSONValue {
    guard report.result.devices.count > 1, report.result.resampling.count > 0 else { return .array([]) }
    return .array(
      report.result.comparisons().map { pair in
        var metrics: [String: JSONValue] = [:]
        for entry in pair.differences {
          guard let value = entry.difference.value, let surety = entry.surety,
            let interval = entry.difference.interval
          else { continue }
          let metric: Metric = entry.metric == .energy ? .netEnergy : entry.metric
          let phone = entry.phone.map {
            [Self.figure($0.lowerBound, metric), Self.figure($0.upperBound, metric)]
          }
          metrics[metric.rawValue] = .array(
            [
              Self.figure(value, metric), Self.figure(interval.lowerBound, metric),
              Self.figure(interval.upperBound, metric), .rounded(surety, 3),
            ] + (phone ?? []))
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
      metrics[metric.rawValue] = Self.figures(card, metric)
    }
    let (events, missed, late) = eventRows(policy)
    return .object([
      "label": .string(card.policy), "summary": .string(card.summary),
      "source": .string(result.policies[policy].source), "needs": .string(result.policies[policy].needs),
      "chosen": .bool(policy == result.chosen), "shares": Self.shares(card.shares[.energy]),
      "front": .bool(card.isOnFront),
      "meets": .bool(report.requirement?.isMet(by: card) ?? false), "metrics": .object(metrics),
      "arrivals": crossings(of: policy, .enter), "departures": crossings(of: policy, .exit),
      "milliwatts": Self.milliwatts(card.milliwatts), "events": .array(events),
      "missedCount": .integer(missed), "lateCount": .integer(late),
      "classes": .array(
        card.classes.map { score in
          guard score.crossings > 0 else { return .null }
          return .array(Self.classMetrics.map { .optional(score.metrics[$0]?.value, $0.decimals + 1) })
        }),
    ])
  }

  /// The seconds of which the page says how many crossings had been reported by then.
  private var times: [Int] {
    Set([1, 5, 10, 30, 60, 120, 300, 600, 1800, ComparisonWords(report).withinSeconds]).sorted()
  }

  /// A policy's arrivals or departures: how many, how many were reported, how many within each of ``times``,
  /// and the distribution of the latencies.
  private func crossings(of policy: Int, _ kind: Crossing.Kind) -> JSONValue {
    let latencies = report.result.latencies(of: policy, kind)
    return .object([
      "count": .integer(latencies.reported.count + latencies.missed),
      "reported": .integer(latencies.reported.count),
      "within": .array(times.map { time in .integer(latencies.reported.count { $0 <= Double(time) }) }),
      "latencies": .array(Self.thinned(latencies.reported).map { .rounded($0, 1) }),
    ])
  }

  /// A figure with more decimals than are shown, so that different figures stay different; infinity by name,
  /// as JSON has none.
  private static func figure(_ value: Double, _ metric: Metric) -> JSONValue {
    value.isFinite
      ? .rounded(value * metric.pageFactor, metric.pageDecimals + 3) : value > 0 ? .string("inf") : .null
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
