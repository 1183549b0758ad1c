internal import VicinityCrossings
import VicinityEvaluation
import VicinityFormats
import VicinityIndex
import VicinityMonitor
import VicinityReports
import VicinitySimulation

/// A study as files for machines.
///
/// A cell is empty if there is no data for its figure; `inf` is the latency of a missed crossing. `_low` and `_high` are the
/// ends of an interval. Figures are of the visits selected by the filter, but those of `classes.csv` are of all visits.
///
/// - `summary.csv`: a row for each policy.
/// - `classes.csv`: for each policy and class of region size, speed at the crossing and length of the visit.
/// - `paired.csv`: for each two policies and metric: the difference, and the devices on which the first is better and worse.
/// - `devices.csv`: for each policy and device.
/// - `missed.csv`: for each crossing that was missed, or reported more than ``lateSeconds`` late; these with a latency.
/// - `report.html`: all of it for people, with maps and plots; see `ComparisonPage`.
/// - `radii.csv`: for each region that was passed: whether the system's region monitoring would notice, and the radius at which
///   nine of ten passes would be. `crowded.csv`: squares of 500 m where more boundaries were within reach than there are slots.
/// - `summary.json`: the first three, power by component and hour of the day, and the answer to a requirement.
struct CompareFiles {
  let result: StudyResult
  let answer: SearchOutcome?

  /// The files' names.
  static let names = [
    "summary.csv", "classes.csv", "paired.csv", "devices.csv", "missed.csv", "radii.csv", "crowded.csv",
    "summary.json", "report.html",
  ]

  /// How late a report is to be listed, seconds.
  static let lateSeconds = 60.0

  /// Their contents, in the order of ``names``. The same study gives the same bytes.
  func contents(_ report: ComparisonReport) throws -> [[UInt8]] {
    [
      summary(), classes(), paired(), devices(), missed(), radii(report.advice), crowded(report.advice),
      try json(), try ComparisonPage.html(report),
    ]
  }

  /// `p95-latency` is `p95_latency` in headers.
  static func column(_ metric: Metric) -> String {
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

  private func summary() -> [UInt8] {
    var rows = CSVRows(
      "policy,pareto,crossings,visits" + Self.columns(Metric.allCases)
        + EnergyComponent.allCases.map { ",milliwatts_\($0.name)" }.joined())
    for card in result.cards {
      rows.text(card.policy)
      rows.text(card.isOnFront ? "true" : "false")
      rows.number(Double(card.headlineCrossings), 0)
      rows.number(Double(card.headlineVisits), 0)
      for metric in Metric.allCases { add(card.headline[metric], to: &rows) }
      for component in EnergyComponent.allCases { rows.number(card.milliwatts[component] ?? 0, 3) }
      rows.end()
    }
    return rows.bytes
  }

  private func classes() -> [UInt8] {
    let metrics = Metric.allCases.filter(\.isOfVisits)
    var rows = CSVRows("policy,dimension,class,crossings,visits" + Self.columns(metrics))
    for card in result.cards {
      for entry in card.classes {
        rows.text(card.policy)
        rows.text(entry.dimension.rawValue)
        rows.text(entry.name)
        rows.number(Double(entry.crossings), 0)
        rows.number(Double(entry.visits), 0)
        for metric in metrics { add(entry.metrics[metric], to: &rows) }
        rows.end()
      }
    }
    return rows.bytes
  }

  private func paired() -> [UInt8] {
    var rows = CSVRows("policy,against,metric,difference,difference_low,difference_high,better,worse")
    for comparison in result.comparisons() {
      for entry in comparison.differences {
        rows.text(result.cards[comparison.first].policy)
        rows.text(result.cards[comparison.second].policy)
        rows.text(entry.metric.rawValue)
        add(entry.difference, to: &rows)
        rows.number(Double(entry.better), 0)
        rows.number(Double(entry.worse), 0)
        rows.end()
      }
    }
    return rows.bytes
  }

  private func devices() -> [UInt8] {
    var rows = CSVRows("policy,device,hours" + Metric.allCases.map { ",\(Self.column($0))" }.joined())
    for (policy, card) in result.cards.enumerated() {
      for (device, metrics) in zip(result.devices, result.deviceMetrics(of: policy)) {
        rows.text(card.policy)
        rows.text(device.device)
        rows.number(device.hours, 4)
        for metric in Metric.allCases { rows.number(metrics[metric], Self.decimals) }
        rows.end()
      }
    }
    return rows.bytes
  }

  private func radii(_ advice: RadiusAdvice?) -> [UInt8] {
    var rows = CSVRows(
      "region,radius,passes,possible,expected_share,crowded,median_seconds,verdict,advised_radius,advised_passes"
    )
    for row in advice?.rows ?? [] {
      rows.text(row.identifier)
      rows.number(row.radius, 3)
      rows.number(Double(row.passes), 0)
      rows.number(Double(row.possible), 0)
      rows.number(row.expected, Self.decimals)
      rows.number(Double(row.crowded), 0)
      rows.number(row.medianDuration, 3)
      rows.text(row.verdict.rawValue)
      rows.number(row.advisedRadius, 0)
      rows.number(row.passesAtAdvisedRadius.map(Double.init), 0)
      rows.end()
    }
    return rows.bytes
  }

  private func crowded(_ advice: RadiusAdvice?) -> [UInt8] {
    var rows = CSVRows("latitude,longitude,wanted,left_out,seconds")
    for place in advice?.crowdedPlaces ?? [] {
      rows.coordinate(place.coordinate)
      rows.number(Double(place.wanted), 0)
      rows.number(Double(place.leftOut), 0)
      rows.number(place.seconds, 1)
      rows.end()
    }
    return rows.bytes
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
}
