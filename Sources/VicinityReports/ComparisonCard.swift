internal import VicinityEvaluation
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinitySimulation

/// The card at the top of a study's page: which policy to ship, what it costs and tells, and what could make
/// that wrong. Without a requirement it names the choices that there are.
struct ComparisonCard {
  /// How an answer stands to what was asked for.
  enum Verdict: String {
    /// It meets it, and that is sure.
    case met
    /// It meets it, but other people, days or phones may turn that.
    case unsure
    case unmet
    /// Nothing was asked for.
    case open
  }

  /// A policy that no other beats, and what for.
  struct Choice {
    var role: String
    var policy: String
    var words: String
  }

  private(set) var title: String
  private(set) var verdict: Verdict
  /// What the policy costs, what it tells, and what it takes to ship it.
  private(set) var facts: [String] = []
  private(set) var choices: [Choice] = []
  /// What could make the answer wrong.
  private(set) var doubts: [String] = []

  init(_ report: ComparisonReport) {
    let result = report.result
    // Every policy tells all of nothing.
    if let first = result.cards.first, first.headlineCrossings == 0 {
      title = "Nothing to judge: no track crosses a boundary"
      verdict = .open
      facts = [
        "There is no entry or exit among \(result.filter.description). "
          + "Do regions and tracks lie in one place, and do the regions have radii?"
      ]
      return
    }
    if let requirement = report.requirement {
      let card: ScoreCard?
      if let confirmation = report.answer?.confirmation {
        card = confirmation.card
        let isMet = requirement.isMet(by: confirmation.card)
        verdict = !isMet ? .unmet : confirmation.isSure ? .met : .unsure
      } else {
        card = Self.inOrder(result.cards, requirement).first
        verdict = card.map { requirement.isMet(by: $0) } == true ? .unsure : .unmet
      }
      guard let card else {
        title = "There is nothing to compare."
        return
      }
      let isMetWhereChosen = report.answer?.isMetWhereChosen == true
      title =
        verdict != .unmet
        ? "Ship this: \(card.policy)"
        : isMetWhereChosen
          ? "What was chosen does not do what was asked where it was tried again: \(card.policy)"
          : "Nothing here does what was asked. The nearest: \(card.policy)"
      let needs = result.policies.first { $0.label == card.policy }?.needs
      facts = [Self.cost(card), Self.tells(card)].compactMap { $0 }
      if verdict == .unmet {
        if let other = report.answer?.confirmation?.bestReference(for: requirement) {
          facts.append(
            (["\(other.policy), run beside it, does what was asked."] + [Self.cost(other)].compactMap(\.self))
              .joined(separator: " "))
        } else if let other = Self.inOrder(result.cards, requirement).first(where: {
          $0.policy != card.policy
        }),
          requirement.isMet(by: other)
        {
          facts.append("In the table, \(other.policy) does what was asked, but was not tried elsewhere.")
        }
      }
      if let needs { facts.append("To ship it takes \(needs).") }
      doubts = Self.doubts(about: card, report)
      return
    }
    verdict = .open
    let front = Self.cheapestFirst(result.cards).filter(\.isOnFront)
    title =
      front.count == 1
      ? "One policy is better than all others in energy, recall and latency"
      : "The choice is among \(front.count) policies: no other beats them in energy, recall and latency"
    choices = Self.choices(front)
    if front.isEmpty { title = "There is nothing to compare." }
    doubts = Self.doubts(about: nil, report)
  }

  /// Cards in the order of a table: those that meet the requirement first, the cheapest first; then the
  /// nearest first.
  static func inOrder(_ cards: [ScoreCard], _ requirement: Requirement) -> [ScoreCard] {
    let keys = cards.map { card in
      (requirement.shortfall(of: card), card.value(.netEnergy) ?? .infinity)
    }
    return cards.indices.sorted { (keys[$0].0, keys[$0].1, $0) < (keys[$1].0, keys[$1].1, $1) }.map {
      cards[$0]
    }
  }

  static func cheapestFirst(_ cards: [ScoreCard]) -> [ScoreCard] {
    let energies = cards.map { $0.value(.netEnergy) ?? .infinity }
    return cards.indices.sorted { (energies[$0], $0) < (energies[$1], $1) }.map { cards[$0] }
  }

  // MARK: Sentences

  /// A policy's energy above idle in a day, per cent of the battery.
  static func aDay(_ netEnergy: Double?) -> String {
    "\(ComparisonWords.text(netEnergy.map { 24 * $0 }, 2)) %"
  }

  static func percent(_ share: Double?) -> String { "\(ComparisonWords.text(share.map { 100 * $0 }, 1)) %" }

  private static func cost(_ card: ScoreCard) -> String? {
    guard let energy = card.value(.netEnergy) else { return nil }
    let interval = card.headline[.netEnergy]?.withoutPhone(card, .netEnergy).map {
      " (\(ComparisonWords.text(24 * $0.lowerBound, 2)) to \(aDay($0.upperBound)) with other people and days)"
    }
    return "It costs \(aDay(energy)) of the battery a day above idle\(interval ?? "")."
  }

  private static func tells(_ card: ScoreCard) -> String? {
    guard let share = card.value(.visitRecall) else { return nil }
    let kinds = [
      ("arrivals", Metric.entryRecall, Metric.entryP95Latency), ("departures", .exitRecall, .exitP95Latency),
    ]
    let parts = kinds.compactMap { name, recall, latency -> String? in
      guard let found = card.value(recall) else { return nil }
      let within = card.value(latency).map { ", 95 % of them within \(latency.text($0))" }
      return "of all \(name) it reports \(percent(found))\(within ?? "")"
    }
    let told = "It tells \(percent(share)) of the visits before they end: \(parts.joined(separator: "; "))."
    guard let precision = card.value(.precision) else { return told }
    return told + " Of all that it reports, \(percent(precision)) has happened."
  }

  private static func choices(_ front: [ScoreCard]) -> [Choice] {
    guard let cheapest = front.first else { return [] }
    let soonest = front.min { ($0.value(.p95Latency) ?? .infinity) < ($1.value(.p95Latency) ?? .infinity) }
    let surest = front.max { ($0.value(.recall) ?? -1) < ($1.value(.recall) ?? -1) }
    let named = [
      ("cheapest", cheapest), ("soonest", soonest ?? cheapest), ("misses least", surest ?? cheapest),
    ]
    var choices: [Choice] = []
    for card in front {
      let roles = named.filter { $0.1.policy == card.policy }.map(\.0)
      guard !roles.isEmpty else { continue }
      let latency = card.value(.p95Latency).map { ", 95 % of them within \(Metric.p95Latency.text($0))" }
      choices.append(
        Choice(
          role: ComparisonWords.list(roles), policy: card.policy,
          words: "\(aDay(card.value(.netEnergy))) of the battery a day above idle; reports "
            + "\(percent(card.value(.recall))) of all arrivals and departures\(latency ?? "")"))
    }
    let between = front.filter { card in !choices.contains { $0.policy == card.policy } }
    if let low = between.first?.value(.netEnergy), let high = between.last?.value(.netEnergy) {
      choices.append(
        Choice(
          role: "in between", policy: ComparisonWords.list(between.map(\.policy)),
          words: between.count == 1
            ? "\(aDay(low)) of the battery a day above idle"
            : "\(ComparisonWords.text(24 * low, 2)) to \(aDay(high)) of the battery a day above idle"))
    }
    return choices
  }

  private static func doubts(about card: ScoreCard?, _ report: ComparisonReport) -> [String] {
    let result = report.result
    var doubts: [String] = []
    if let limits = result.conditions?.limits { doubts.append("In this study, \(limits).") }
    let figures = result.profile.listedFigures
    let assumed = figures.count { $0.figure.basis == .assumed }
    var phone =
      "The phone is simulated: \(result.profile.title). "
      + "\(assumed) of its \(figures.count) figures are assumed."
    if let card, let interval = card.energyIntervals[.netEnergy]?.phone {
      phone +=
        " Its energies may be off: then this policy costs "
        + "\(ComparisonWords.text(24 * interval.lowerBound, 2)) to "
        + "\(aDay(interval.upperBound)) a day, and the others more or less with it."
    }
    if let rules = result.conditions?.rules {
      phone += " The rules for apps in the background are those called \(rules)."
    }
    doubts.append(phone)
    let confirmation = report.answer?.confirmation
    if let confirmation {
      let devices = ComparisonWords.count(confirmation.deviceCount, "device", "devices")
      doubts.append(
        confirmation.isOfSameDevices
          ? "It was chosen and tried on the same \(devices): that says little about other people and routes."
          : "It was tried on \(devices) that it was not chosen on.")
    } else if card != nil {
      doubts.append("It was chosen and judged on the same runs, which flatters it.")
    }
    if let probability = confirmation?.probability {
      let isLikely = probability >= SearchOutcome.sureProbability
      doubts.append(
        isLikely && confirmation?.isSure == false
          ? "So few devices cannot make sure that it does what was asked elsewhere: at least "
            + "\(SearchOutcome.sureDeviceCount) have to confirm it."
          : "That it does what was asked with other days and phones is \(SearchOutcome.percent(probability)) sure"
            + (isLikely ? "." : "; from 95 % on that counts as sure."))
    }
    if (confirmation?.deviceCount ?? result.devices.count) == 1 {
      doubts.append("One device says nothing about others, so there are no intervals.")
    }
    let hours = result.devices.reduce(0) { $0 + $1.hours } * Double(result.seeds.count)
    doubts.append(
      "Judged are \(result.filter.description): \(result.cards.first?.headlineVisits ?? 0) in "
        + "\(ComparisonWords.text(hours / 24, 1)) days of "
        + ComparisonWords.count(result.devices.count, "device", "devices")
        + (result.seeds.count > 1 ? ", \(result.seeds.count) seeds together." : "."))
    if let phones = report.phones { doubts.append("On other phones: \(phones.words)") }
    return doubts
  }
}

extension Estimate {
  /// The interval that other people and days give, without what the energies of the phone add.
  func withoutPhone(_ card: ScoreCard, _ metric: Metric) -> ClosedRange<Double>? {
    if let parts = card.energyIntervals[metric] { return parts.days }
    return interval
  }
}
