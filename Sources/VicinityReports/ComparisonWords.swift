internal import VicinityEvaluation
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityMonitor
internal import VicinitySimulation

/// The sentences of a study's page.
struct ComparisonWords {
  private let report: ComparisonReport
  private var result: StudyResult { report.result }

  init(_ report: ComparisonReport) { self.report = report }

  var subtitle: String {
    let (policies, devices) = (result.policies.count, result.devices.count)
    let seeds = result.seeds.count == 1 ? "" : ", \(result.seeds.count) seeds each"
    return
      "\(Self.count(policies, "policy", "policies")) on \(Self.count(devices, "device", "devices"))\(seeds), "
      + "\(Self.count(result.regions.count, "region", "regions")), \(result.profile.title)"
  }

  /// The numbers at the top of the page: a name, the number, its decimals, and its unit.
  var figures: [JSONValue] {
    func row(_ name: String, _ value: Double, _ decimals: Int, _ unit: String = "") -> JSONValue {
      .array([.string(name), .rounded(value, 6), .integer(decimals), .string(unit)])
    }
    let hours = result.devices.reduce(0) { $0 + $1.hours }
    let card = result.cards.first
    return [
      row("devices", Double(result.devices.count), 0), row("time", hours / 24, hours < 240 ? 1 : 0, "days"),
      row("regions", Double(result.regions.count), 0),
      row("true crossings", Double(result.devices.reduce(0) { $0 + $1.crossings.count }), 0),
      row("crossings judged", Double(card?.headlineCrossings ?? 0) / Double(max(1, result.seeds.count)), 0),
      row("policies", Double(result.policies.count), 0), row("seeds", Double(result.seeds.count), 0),
    ]
  }

  /// The lower bounds, in a sentence or two; empty without them.
  var boundsNote: String {
    guard let bounds = result.bounds else { return "" }
    return
      "To report every crossing within \(Self.text(bounds.guarantee.latency / .seconds(1), 0)) s, no policy can do with less than "
      + "\(Self.text(bounds.leastNetEnergy, 4)) % of the battery an hour above idle; one that knows the future takes "
      + "\(Self.text(bounds.oracleNetEnergy, 4)). By fixes alone it takes \(Self.text(bounds.fixesAnHour, 1)) an hour, up to "
      + "\(Self.text(bounds.guarantee.maximumSpeed, 0)) m/s."
  }

  /// The time that the page's plot of what is noticed in time begins with, seconds: a required one, or a
  /// minute.
  var withinSeconds: Int {
    for bound in report.requirement?.bounds ?? [] {
      switch bound.metric {
      case .entriesWithin(let seconds), .exitsWithin(let seconds): return seconds
      case .p50Latency, .p95Latency, .entryP95Latency, .exitP95Latency, .p95LatencyOfAll, .maxLatency:
        if bound.limit >= 1, bound.limit <= 86_400 { return Int(bound.limit) }
      default: break
      }
    }
    return 60
  }

  /// Reports later than this are late, seconds: the required latency, or five minutes.
  var lateSeconds: Double {
    let bound = report.requirement?.bounds.first {
      !$0.isMinimum
        && [.p95Latency, .entryP95Latency, .exitP95Latency, .p95LatencyOfAll, .maxLatency].contains($0.metric)
    }
    return bound?.limit ?? 300
  }

  /// The cards that meet the requirement, the cheapest first.
  private var adequate: [ScoreCard] {
    guard let requirement = report.requirement else { return [] }
    return cheapestFirst.filter { requirement.isMet(by: $0) }
  }

  private var cheapestFirst: [ScoreCard] {
    let energies = result.cards.map { $0.value(.energy) ?? .infinity }
    return result.cards.indices.sorted { (energies[$0], $0) < (energies[$1], $1) }.map { result.cards[$0] }
  }

  var isMet: Bool { report.answer?.isMet ?? !adequate.isEmpty }

  /// The answer to the requirement, or the policies on the front, in sentences.
  var answer: [String] {
    if let answer = report.answer { return answer.words }
    let headline = "This is about \(result.filter.description)."
    if let requirement = report.requirement {
      if let cheapest = adequate.first {
        var words = [
          "\(cheapest.policy) meets it at \(figures(of: cheapest)); "
            + (adequate.count == 1
              ? "no other of the \(result.cards.count) policies does."
              : "it is the cheapest of the \(adequate.count) policies that do.")
        ]
        if let gap = saving(of: cheapest) { words.append(gap) }
        return words + [headline]
      }
      return ["None of the \(result.cards.count) policies meets it."] + nearest(to: requirement) + [headline]
    }
    let front = cheapestFirst.filter(\.isOnFront)
    guard let cheapest = front.first else { return ["There is nothing to compare."] }
    var words = [
      "\(Self.list(front.map(\.policy))) \(front.count == 1 ? "is" : "are") not beaten by any other policy in "
        + "energy, recall and latency at once."
    ]
    words.append("The cheapest of them, \(cheapest.policy), has \(figures(of: cheapest)).")
    let surest = front.max { ($0.value(.recall) ?? -1) < ($1.value(.recall) ?? -1) }
    if let surest, surest.policy != cheapest.policy {
      words.append("The one that misses least, \(surest.policy), has \(figures(of: surest)).")
    }
    return words + [headline]
  }

  /// A policy's energy with what the requirement asks for; without a requirement, with recall and latency.
  private func figures(of card: ScoreCard) -> String {
    if let requirement = report.requirement {
      var asked: [Metric] = []
      for bound in requirement.bounds where bound.metric != .energy && !asked.contains(bound.metric) {
        asked.append(bound.metric)
      }
      let energy = "\(Self.text(card.value(.energy), 2)) % of the battery an hour"
      guard !asked.isEmpty else { return energy }
      return "\(energy), with " + Self.list(asked.map { "\($0.rawValue) \($0.text(card.value($0)))" })
    }
    let latency = card.value(.p95Latency).map { "a 95th percentile of latency of \(Self.text($0, 0)) s" }
    return "\(Self.text(card.value(.energy), 2)) % of the battery an hour, a recall of "
      + "\(Self.text(card.value(.recall), 3)) and \(latency ?? "no latency, as nothing was reported")"
  }

  /// What a policy takes compared with continuous tracking at best accuracy.
  private func saving(of card: ScoreCard) -> String? {
    guard let best = result.cards.first(where: { $0.policy == "always-best" }), best.policy != card.policy,
      let net = card.value(.netEnergy), let full = best.value(.netEnergy), full > 0
    else { return nil }
    return
      "Above idle power, that is \(Self.text(100 * net / full, 0)) % of what continuous tracking at best accuracy takes."
  }

  /// How near the policies come to each bound, where none meets all of them.
  private func nearest(to requirement: Requirement) -> [String] {
    requirement.bounds.compactMap { bound in
      let all = result.cards.compactMap { card in card.value(bound.metric).map { (card.policy, $0) } }
      let best = bound.isMinimum ? all.max { $0.1 < $1.1 } : all.min { $0.1 < $1.1 }
      guard let best else { return "No policy has any \(bound.metric.title)." }
      let unit = bound.metric.unit.isEmpty ? "" : " \(bound.metric.unit)"
      let value = "\(Self.text(best.1, bound.metric.decimals))\(unit)"
      return bound.isMet(by: best.1)
        ? "\(bound.text) alone is met by \(best.0), with \(value)."
        : "The nearest to \(bound.text) is \(best.0), with \(value)."
    }
  }

  var tableNote: String {
    "About \(result.filter.description). Click the head of a column to sort by it; the best of each is green."
  }

  var method: String {
    let rule = result.matching
    let late: Double = rule.lateness / .seconds(1)
    let early: Double = rule.earliness / .seconds(1)
    let drawn =
      result.phones == .drawn
      ? "of devices, seeds (another day, and another phone within the ranges of its figures) and energies. "
      : "of the devices. "
    let intervals =
      result.devices.count > 1
      ? "Intervals hold 95 % of \(result.resampling.count) bootstrap resamples " + drawn
      : "A single device says nothing about others, so there are no intervals. "
    return
      "Each device's track counts as where the phone truly was, and its geometric entries and exits as what truly happened. "
      + "A report counts for a crossing that it follows within \(Self.text(late / 60, 0)) minutes, or precedes by at most "
      + "\(Self.text(early, 0)) seconds. " + intervals
      + "Energy is that of a simulated phone; how well its figures are known is said below. Real phones and systems differ from "
      + "each other by more than policies do that are close together here."
  }

  /// The findings on radii and crowded places, in sentences.
  func advice(_ advice: RadiusAdvice) -> [String] {
    let counts = advice.counts
    let passed = advice.rows.count
    let method =
      switch advice.detection.method {
      case .regionMonitoring: "the system's region monitoring"
      case .continuousTracking(let tier): "continuous tracking with the tier \(tier.rawValue)"
      }
    var words = [
      "The phones passed \(Self.count(passed, "region", "regions")). With \(method), "
        + "\(counts[.undetectable] ?? 0) of them cannot be detected, because no pass lasted long enough, and "
        + "\(counts[.unreliable] ?? 0) are detected less often than \(Self.text(100 * advice.share, 0)) % of the time. "
        + "\(Self.count(advice.unpassed, "region was", "regions were")) not passed; nothing is known about them."
    ]
    if let expected = advice.expectedShare {
      words.append(
        "With a slot for every region, \(Self.text(100 * expected, 0)) % of all passes are expected to be reported."
      )
    }
    let speeds = [1.4, 5, 14, 33]
    let radii = speeds.map { speed in
      "\(Self.text(advice.detection.leastRadius(atSpeed: speed), 0)) m at \(Self.text(speed, 1)) m/s"
    }
    words.append(
      "Passed straight through the centre, a region must have a radius of at least \(Self.list(radii)) to be reported at all."
    )
    if case .regionMonitoring = advice.detection.method {
      let places = advice.crowdedPlaces
      words.append(
        places.isEmpty
          ? "Nowhere were more boundaries within reach than the \(advice.slots) slots hold with a sentinel."
          : "Where more boundaries are within reach than the \(advice.slots) slots hold, no choice of regions is safe: "
            + "\(Self.text(places.reduce(0) { $0 + $1.seconds } / 3600, 1)) hours were spent in such places, "
            + "\(counts[.crowded] ?? 0) regions of sufficient size are mostly entered there, and up to "
            + "\(places.first?.wanted ?? 0) regions were wanted at once.")
    }
    return words
  }

  // MARK: Numbers and lists

  static func count(_ count: Int, _ one: String, _ many: String) -> String {
    "\(count) \(count == 1 ? one : many)"
  }

  static func list(_ items: [String]) -> String {
    guard let last = items.last, items.count > 1 else { return items.first ?? "" }
    return items.dropLast().joined(separator: ", ") + " and " + last
  }

  /// A number with some decimals at most.
  static func text(_ value: Double?, _ decimals: Int) -> String {
    guard let value, !value.isNaN else { return "no" }
    guard value.isFinite else { return value > 0 ? "infinite" : "-infinite" }
    return value.rounded(decimals: decimals).shortestText
  }
}
