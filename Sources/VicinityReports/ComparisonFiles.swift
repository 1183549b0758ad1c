internal import VicinityCrossings
public import VicinityEvaluation
internal import VicinityIndex
internal import VicinityMonitor
internal import VicinitySimulation

/// A study as files.
///
/// Figures without data are empty cells; the latency of a missed crossing is `inf`. `_low` and `_high` are
/// the ends of an interval; `_days_` and `_phone_` before them say that the interval is of devices, days and
/// chance, or of the energies of the phone, which are the same for all policies. In `paired.csv` the interval
/// of an energy is of devices, days and chance, and `phone_low` and `phone_high` are of the phone. All
/// figures are about the visits of the study's filter, except `classes.csv`, which is about all.
///
/// - `summary.csv`: a row for each policy.
/// - `classes.csv`: a row for each policy and class of region size, speed at the crossing and duration of the
///   visit.
/// - `paired.csv`: for each pair of policies and metric, the difference, and on how many devices the first is
///   better and worse.
/// - `devices.csv`: a row for each policy and device.
/// - `missed.csv`: each crossing that was missed, or reported more than ``lateSeconds`` late; the latter with
///   a latency.
/// - `radii.csv`: for each region that was passed, whether the system's region monitoring would notice it,
///   and the radius at which it would notice nine of ten passes.
/// - `crowded.csv`: squares of 500 m where more boundaries were within reach than there are slots.
/// - `phones.csv`: for each phone, the policies, and which of them is chosen; empty unless phones were
///   compared.
/// - `tuned.csv`: two rows for each policy, with its own settings and with those that the search found for
///   it, where nothing was chosen; empty unless policies were tuned.
/// - `summary.json`: the first three, power by component and hour of the day, and the answer to a
///   requirement.
/// - `report.html`: all of it with maps and plots; see ``ComparisonReport/html()``.
public struct ComparisonFiles {
  let result: StudyResult
  let answer: SearchOutcome?
  let phones: PhoneComparison?
  let tuned: [TunedPolicy]

  /// - Parameters:
  ///   - result: The result of the study.
  ///   - answer: The outcome of a search, if there was one.
  ///   - phones: The same study on several phones, if they were compared.
  ///   - tuned: Each policy with its own and with tuned settings, if they were looked for.
  public init(
    _ result: StudyResult, _ answer: SearchOutcome? = nil, phones: PhoneComparison? = nil,
    tuned: [TunedPolicy] = []
  ) {
    self.result = result
    self.answer = answer
    self.phones = phones
    self.tuned = tuned
  }

  public static let names = [
    "summary.csv", "classes.csv", "paired.csv", "devices.csv", "missed.csv", "radii.csv", "crowded.csv",
    "phones.csv", "tuned.csv", "summary.json", "report.html",
  ]

  /// Reports later than this are listed in `missed.csv`, seconds.
  public static let lateSeconds = 60.0

  /// The contents of the files, in the order of ``names``. The same study gives the same bytes.
  public func contents(_ report: ComparisonReport) -> [[UInt8]] {
    [
      summary(), classes(), paired(), devices(), missed(), radii(report.advice), crowded(report.advice),
      phoneRows(), tunedRows(), json(), report.html(),
    ]
  }

  /// A metric's name in headers: `p95_latency` for `p95-latency`.
  private static func column(_ metric: Metric) -> String {
    String(metric.rawValue.map { $0 == "-" ? "_" : $0 })
  }

  private static func columns(_ metrics: [Metric]) -> String {
    metrics.map { ",\(column($0)),\(column($0))_low,\(column($0))_high" }.joined()
  }

  private static let decimals = 6

  private func add(_ estimate: Estimate?, to rows: inout CSVRows) {
    rows.number(estimate?.value, Self.decimals)
    rows.number(estimate?.interval?.lowerBound, Self.decimals)
    rows.number(estimate?.interval?.upperBound, Self.decimals)
  }

  private static func add(_ interval: ClosedRange<Double>?, to rows: inout CSVRows) {
    rows.number(interval?.lowerBound, decimals)
    rows.number(interval?.upperBound, decimals)
  }

  private func summary() -> [UInt8] {
    CSVRows.table(
      "policy,pareto,crossings,visits" + Self.columns(result.metrics)
        + EnergyComponent.allCases.map { ",milliwatts_\($0.name)" }.joined()
        + ",chosen,needs,energy_share_devices,energy_share_seeds,energy_share_energies"
        + ",net_energy_days_low,net_energy_days_high,net_energy_phone_low,net_energy_phone_high",
      Array(zip(result.cards, result.policies.enumerated()))
    ) { row, rows in
      let (card, (place, policy)) = row
      rows.text(card.policy)
      rows.text(card.isOnFront ? "true" : "false")
      rows.integer(card.headlineCrossings)
      rows.integer(card.headlineVisits)
      for metric in result.metrics { add(card.headline[metric], to: &rows) }
      for component in EnergyComponent.allCases { rows.number(card.milliwatts[component] ?? 0, 3) }
      rows.text(place == result.chosen ? "true" : "false")
      rows.text(policy.needs)
      let shares = card.shares[.energy]
      rows.number(shares?.devices, 3)
      rows.number(shares?.seeds, 3)
      rows.number(shares?.energies, 3)
      let parts = card.energyIntervals[.netEnergy]
      for interval in [parts?.days, parts?.phone] { Self.add(interval, to: &rows) }
    }
  }

  private func classes() -> [UInt8] {
    let metrics = result.metrics.filter(\.isOfVisits)
    return CSVRows.table(
      "policy,dimension,class,crossings,visits" + Self.columns(metrics),
      result.cards.flatMap { card in card.classes.map { (card, $0) } }
    ) { row, rows in
      let (card, entry) = row
      rows.text(card.policy)
      rows.text(entry.dimension.rawValue)
      rows.text(entry.name)
      rows.integer(entry.crossings)
      rows.integer(entry.visits)
      for metric in metrics { add(entry.metrics[metric], to: &rows) }
    }
  }

  private func paired() -> [UInt8] {
    var rows = CSVRows(
      "policy,against,metric,difference,difference_low,difference_high,better,worse,surety,phone_low,phone_high"
    )
    for comparison in result.comparisons() {
      for entry in comparison.differences {
        rows.text(result.cards[comparison.first].policy)
        rows.text(result.cards[comparison.second].policy)
        rows.text(entry.metric.rawValue)
        add(entry.difference, to: &rows)
        rows.integer(entry.better)
        rows.integer(entry.worse)
        rows.number(entry.surety, 3)
        Self.add(entry.phone, to: &rows)
        rows.end()
      }
    }
    return rows.bytes
  }

  private func phoneRows() -> [UInt8] {
    let metrics: [Metric] = [.energy, .netEnergy, .recall, .precision, .p50Latency, .p95Latency]
    var rows = CSVRows("phone,policy,chosen,probability" + Self.columns(metrics))
    for entry in phones?.entries ?? [] {
      for card in entry.cards {
        let isChosen = card.policy == entry.chosenCard?.policy
        rows.text(entry.profile.name)
        rows.text(card.policy)
        rows.text(isChosen ? "true" : "false")
        rows.number(isChosen ? entry.answer?.confirmation?.probability : nil, 3)
        for metric in metrics { add(card.headline[metric], to: &rows) }
        rows.end()
      }
    }
    return rows.bytes
  }

  private func tunedRows() -> [UInt8] {
    var rows = CSVRows("policy,settings,label,tried,meets,probability,needs" + Self.columns(result.metrics))
    for entry in tuned {
      let parts = [
        ("own", entry.preset, entry.presetProbability, entry.presetNeeds),
        ("tuned", entry.tuned, entry.tunedProbability, entry.tunedNeeds),
      ]
      for (settings, card, probability, needs) in parts {
        rows.text(String(entry.preset.policy.prefix { $0 != ":" }))
        rows.text(settings)
        rows.text(card.policy)
        rows.integer(entry.tried)
        rows.text(answer?.requirement.isMet(by: card) == true ? "true" : "false")
        rows.number(probability, 3)
        rows.text(needs)
        for metric in result.metrics { add(card.headline[metric], to: &rows) }
        rows.end()
      }
    }
    return rows.bytes
  }

  private func devices() -> [UInt8] {
    var rows = CSVRows("policy,device,hours" + result.metrics.map { ",\(Self.column($0))" }.joined())
    for (policy, card) in result.cards.enumerated() {
      for (device, metrics) in zip(result.devices, result.deviceMetrics(of: policy)) {
        rows.text(card.policy)
        rows.text(device.device)
        rows.number(device.hours, 4)
        for metric in result.metrics { rows.number(metrics[metric], Self.decimals) }
        rows.end()
      }
    }
    return rows.bytes
  }

  private func radii(_ advice: RadiusAdvice?) -> [UInt8] {
    CSVRows.table(
      "region,radius,passes,possible,expected_share,crowded,median_seconds,verdict,advised_radius,advised_passes",
      advice?.rows ?? []
    ) { row, rows in
      rows.text(row.identifier)
      rows.number(row.radius, 3)
      rows.integer(row.passes)
      rows.integer(row.possible)
      rows.number(row.expected, Self.decimals)
      rows.integer(row.crowded)
      rows.number(row.medianDuration, 3)
      rows.text(row.verdict.rawValue)
      rows.number(row.advisedRadius, 0)
      rows.number(row.passesAtAdvisedRadius.map(Double.init), 0)
    }
  }

  private func crowded(_ advice: RadiusAdvice?) -> [UInt8] {
    CSVRows.table(
      "latitude,longitude,wanted,left_out,seconds", advice?.crowdedPlaces ?? []
    ) { place, rows in
      rows.coordinate(place.coordinate)
      rows.integer(place.wanted)
      rows.integer(place.leftOut)
      rows.number(place.seconds, 1)
    }
  }

  private func missed() -> [UInt8] {
    var rows = CSVRows(
      "policy,device,seed,region,kind,time,latitude,longitude,radius,speed,visit_seconds,latency,distance")
    for (policy, card) in result.cards.enumerated() {
      for event in result.missedOrLate(of: policy, laterThan: Self.lateSeconds) {
        let crossing = event.crossing.crossing
        let visit = result.devices[event.device].visits[event.crossing.visit]
        rows.text(card.policy)
        rows.text(result.devices[event.device].device)
        rows.text("\(event.seed)")
        rows.text(result.regions.identifier(of: crossing.region))
        rows.text(crossing.kind.rawValue)
        rows.time(crossing.time)
        rows.coordinate(crossing.coordinate)
        rows.number(visit.radius, 3)
        rows.number(event.crossing.speed, 2)
        rows.number(visit.seconds, 3)
        rows.number(event.outcome?.latency, 3)
        rows.number(event.outcome?.distance, 1)
        rows.end()
      }
    }
    return rows.bytes
  }

  // MARK: JSON

  /// `summary.json`: one object and a line break. Infinite figures are the string `inf`.
  public func json() -> [UInt8] {
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
        Dictionary(uniqueKeysWithValues: result.metrics.map { (Self.column($0), .string($0.unit)) })),
      "policies": .array(zip(result.policies, result.cards).map { Self.value($0, $1) }),
      "paired": .array(result.comparisons().flatMap { value($0) }),
    ]
    if let conditions = result.conditions {
      object["rules"] = .string(conditions.rules)
      object["authorization"] = .string(conditions.authorization.rawValue)
      if let limits = conditions.limits { object["limits"] = .string(limits) }
    }
    if let bounds = result.bounds {
      object["bounds"] = .object([
        "latency": .number(bounds.guarantee.latency / .seconds(1)),
        "maximum_speed": .number(bounds.guarantee.maximumSpeed), "fixes": .rounded(bounds.fixesAnHour, 6),
        "net_energy": .rounded(bounds.leastNetEnergy, 6),
        "net_energy_knowing_the_future": .rounded(bounds.oracleNetEnergy, 6),
      ])
    }
    if let answer { object["requirement"] = Self.value(answer) }
    if !tuned.isEmpty {
      object["tuned"] = .array(
        tuned.map { entry in
          .object([
            "preset": Self.value(entry.preset, entry.presetProbability),
            "tuned": Self.value(entry.tuned, entry.tunedProbability), "tried": .integer(entry.tried),
            "needs": .string(entry.presetNeeds), "tuned_needs": .string(entry.tunedNeeds),
          ])
        })
    }
    if let chosen = result.chosen { object["chosen"] = .string(result.policies[chosen].label) }
    if let phones {
      object["phones"] = .object([
        "words": .string(phones.words), "unanimous": .bool(phones.isUnanimous),
        "phones": .array(
          phones.entries.map { entry in
            .object([
              "phone": .string(entry.profile.name),
              "choice": entry.chosenCard.map { .string($0.policy) } ?? .null,
              "headline": entry.chosenCard.map { Self.value($0.headline) } ?? .null,
              "probability": Self.number(entry.answer?.confirmation?.probability),
            ])
          }),
      ])
    }
    return JSONValue.object(object).bytes + [UInt8(ascii: "\n")]
  }

  private static func number(_ value: Double?) -> JSONValue {
    guard let value, !value.isNaN else { return .null }
    return value.isInfinite ? .string("inf") : .rounded(value, 6)
  }

  private static func value(_ estimate: Estimate?) -> JSONValue {
    guard let estimate else { return .null }
    var object = ["value": number(estimate.value)]
    if let interval = estimate.interval {
      object["low"] = number(interval.lowerBound)
      object["high"] = number(interval.upperBound)
    }
    return .object(object)
  }

  private static func value(_ interval: ClosedRange<Double>?) -> JSONValue {
    guard let interval else { return .null }
    return .object(["low": number(interval.lowerBound), "high": number(interval.upperBound)])
  }

  private static func value(_ parts: [Metric: EnergyIntervals]) -> JSONValue {
    var object: [String: JSONValue] = [:]
    for (metric, part) in parts {
      object[column(metric)] = .object(["days": value(part.days), "phone": value(part.phone)])
    }
    return .object(object)
  }

  private static func value(_ metrics: [Metric: Estimate]) -> JSONValue {
    var object: [String: JSONValue] = [:]
    for (metric, estimate) in metrics { object[column(metric)] = value(estimate) }
    return .object(object)
  }

  private static func value(_ card: ScoreCard, _ probability: Double?) -> JSONValue {
    .object([
      "policy": .string(card.policy), "headline": value(card.headline), "probability": number(probability),
    ])
  }

  private static func value(_ shares: [Metric: UncertaintyShares]) -> JSONValue {
    var object: [String: JSONValue] = [:]
    for (metric, parts) in shares {
      object[column(metric)] = .object([
        "devices": .rounded(parts.devices, 3), "seeds": .rounded(parts.seeds, 3),
        "energies": .rounded(parts.energies, 3),
      ])
    }
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
      "needs": .string(policy.needs), "uncertainty": value(card.shares),
      "energy_intervals": value(card.energyIntervals),
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
        "better": .integer(entry.better), "worse": .integer(entry.worse), "surety": Self.number(entry.surety),
        "phone": Self.value(entry.phone),
      ])
    }
  }

  private static func value(_ answer: SearchOutcome) -> JSONValue {
    .object([
      "text": .string(answer.requirement.text), "words": .string(answer.words),
      "tried": .integer(answer.tried),
      "best": answer.best.map { .string($0.policy) } ?? .null,
      "met": .bool(answer.isMet), "sure": .bool(answer.isSure),
      "confirmed": answer.confirmation.map { confirmation in
        .object([
          "policy": .string(confirmation.card.policy), "headline": value(confirmation.card.headline),
          "energy_intervals": value(confirmation.card.energyIntervals),
          "probability": number(confirmation.probability), "devices": .integer(confirmation.deviceCount),
          "same_devices": .bool(confirmation.isOfSameDevices),
          "seeds": .array(confirmation.seeds.map { .string("\($0)") }),
          "bounds": .array(
            answer.requirement.bounds.map { bound in
              .object([
                "text": .string(bound.text), "value": value(confirmation.card.headline[bound.metric]),
                "probability": number(Requirement([bound]).probability(of: confirmation.card)),
              ])
            }),
          "references": .array(
            confirmation.references.map { reference in
              .object([
                "policy": .string(reference.card.policy), "headline": value(reference.card.headline),
                "differences": .array(
                  reference.comparison.differences.map { entry in
                    .object([
                      "metric": .string(entry.metric.rawValue), "difference": value(entry.difference),
                      "surety": number(entry.surety),
                    ])
                  }),
              ])
            }),
        ])
      } ?? .null,
      "finalists": .array(
        answer.finalists.map { card in
          .object([
            "policy": .string(card.policy), "meets": .bool(answer.requirement.isMet(by: card)),
            "probability": number(answer.requirement.probability(of: card)),
            "shortfall": .rounded(answer.requirement.shortfall(of: card), 6),
            "metrics": value(card.headline),
          ])
        }),
    ])
  }
}
