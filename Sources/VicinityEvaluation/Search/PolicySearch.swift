internal import VicinityCrossings
internal import VicinityGeodesy

/// Looks for the cheapest policy, and its parameters, that meets a requirement, and confirms it where it was
/// not chosen.
///
/// What is best among many is partly so by luck, on the devices and seeds that it was chosen on. So one half
/// of the devices chooses, and the other half, with seeds that chose nothing, confirms: one setting, fixed
/// before, whose figures there are the answer. (M. Stone, *Cross-Validatory Choice and Assessment of
/// Statistical Predictions*, J. R. Statist. Soc. B 36, 1974.) With fewer than four devices all of them choose
/// and confirm, with different seeds.
///
/// Choosing: each parameter has values to try (``PolicyParameter/choices``). A policy with few combinations
/// tries all of them. A policy with many sets one parameter after another to its best value until nothing
/// improves, starting from its own setting and then from random ones. This runs on a part of the devices. The
/// best third of the settings goes on to three times as many devices, and so on; the last few run on all that
/// choose. (Successive halving: K. Jamieson, A. Talwalkar, *Non-stochastic Best Arm Identification and
/// Hyperparameter Optimization*, AISTATS 2016.) Then the numbers of the best one are moved by a quarter
/// either way, one and two at a time, as long as that is better.
///
/// Of settings that meet the requirement, those come first that do so in ``choosingProbability`` of the
/// resamples, then those that do so in ``SearchOutcome/sureProbability``. What is chosen is asked for more
/// than an answer must have, because the cheapest of many that are just sure is so by luck, and is then as
/// likely as not to be no longer sure where it is confirmed.
public struct PolicySearch: Sendable {
  /// The study; the search begins with its policies' present settings.
  public var study: Study
  public var requirement: Requirement
  /// The seed of the order of devices, and of random settings.
  public var seed: UInt64
  /// Policies with at most this many combinations of parameters try all of them.
  public var gridLimit = 32
  /// How often to search again from random settings, for policies with more combinations.
  public var restarts = 2
  /// How many settings to run on all devices at once. While none meets the requirement, as many again follow,
  /// up to four times.
  public var finalists = 6
  /// The fewest devices to judge settings on.
  public var leastDevices = 4
  /// The share of resamples that makes a setting sure enough to be chosen.
  public var choosingProbability = usualChoosingProbability
  static let usualChoosingProbability = 0.995
  /// How often the numbers of the best setting are moved; each time up to `SettingNeighbours.limit` settings
  /// run.
  public var refinements = 4
  /// Policies to compare the answer with, on the same devices and seeds: what runs today, say. None by
  /// default.
  public var references: [any MonitoringPolicy] = []
  /// A study whose devices choose, all of them, among its regions and with its seeds; then all devices of
  /// ``study`` confirm. Its policies do not count. nil, the default: one half of the devices of ``study``
  /// chooses, the other confirms.
  public var choosing: Study?

  public init(_ study: Study, for requirement: Requirement, seed: UInt64 = 1) {
    self.study = study
    self.requirement = requirement
    self.seed = seed
  }

  /// The devices in the order in which rounds add them.
  func deviceOrder() -> [Int] {
    var random = RandomStream(seed: seed, "policy search")
    var order = Array((choosing ?? study).devices.indices)
    for last in order.indices.dropFirst().reversed() { order.swapAt(last, random.below(last + 1)) }
    return order
  }

  /// The devices that choose, in the order in which rounds add them, and those that confirm.
  func split() -> (choosing: [Int], confirming: [Int]) {
    let order = deviceOrder()
    if choosing != nil { return (order, Array(study.devices.indices)) }
    guard order.count >= 4 else { return (order, order) }
    let half = (order.count + 1) / 2
    return (Array(order[..<half]), Array(order[half...]))
  }

  /// As many seeds as the study has, none of them among those that choose.
  func confirmingSeeds() -> [UInt64] {
    let chose = study.seeds + (choosing?.seeds ?? [])
    var known = Set(chose)
    var seed = chose.max() ?? 0
    return study.seeds.map { _ in
      repeat { seed &+= 1 } while !known.insert(seed).inserted
      return seed
    }
  }

  /// The number of devices in each round, ascending; all that choose in the last.
  func rungs() -> [Int] {
    let count = split().choosing.count
    var rungs = [count]
    while let least = rungs.first, (least + 2) / 3 >= max(1, leastDevices), rungs.count < 3 {
      rungs.insert((least + 2) / 3, at: 0)
    }
    return rungs
  }
}

/// How much of a search is done.
public struct SearchProgress: Hashable, Sendable {
  /// Settings tried so far.
  public var tried: Int
  /// The progress of the present round.
  public var round: StudyProgress
}

/// The chosen setting, run where it was not chosen.
public struct SearchConfirmation: Sendable {
  /// Its figures, all of the devices and seeds that confirm.
  public var card: ScoreCard
  /// How probable it is that the setting meets the requirement with other devices, days and phones: the share
  /// of resamples in which it does; nil with a single device, which says nothing about others.
  public var probability: Double?
  /// How many devices confirm, and whether they are the devices that chose, because there are too few.
  public var deviceCount: Int
  public var isOfSameDevices: Bool
  public var seeds: [UInt64]
  /// What the devices' apps were allowed; nil where that is not known or differs among them.
  public var conditions: StudyConditions?
  /// The references on the same devices and seeds, each with the chosen setting's figures less its own;
  /// without the chosen setting itself.
  public var references: [(card: ScoreCard, comparison: PairedComparison)] = []

  /// The cheapest of the references that meet a requirement there; nil for none.
  public func bestReference(for requirement: Requirement) -> ScoreCard? {
    references.map(\.card).filter { requirement.isMet(by: $0) }
      .min { $0.value(.energy) ?? .infinity < $1.value(.energy) ?? .infinity }
  }

  /// What it takes to ship a policy as it was tried.
  func needs(of policy: any MonitoringPolicy) -> String { conditions?.needs(of: policy) ?? policy.needs }

  /// Whether the probability is high enough, and of enough devices, to say that others meet the requirement.
  public var isSure: Bool {
    (probability ?? 0) >= SearchOutcome.sureProbability && deviceCount >= SearchOutcome.sureDeviceCount
  }
}

public struct SearchOutcome: Sendable {
  /// From this probability on an answer counts as sure.
  public static let sureProbability = 0.95
  /// How many devices have to confirm an answer that counts as sure. Resamples of fewer say too little of
  /// other people. Answers that six have confirmed were tried on others, and held
  /// (`Benchmarks/Results/campaign.md`).
  public static let sureDeviceCount = 6

  public var requirement: Requirement
  /// How many settings were tried, at least on part of the devices.
  public var tried: Int
  /// How many policies the settings belong to.
  public var policies: Int
  /// The settings that ran on all devices that choose, the best answer first.
  public var finalists: [ScoreCard]
  /// The chosen setting: the first of the finalists; nil when there was nothing to try.
  public var policy: (any MonitoringPolicy)?
  /// Its figures where it was not chosen; nil when there was nothing to try.
  public var confirmation: SearchConfirmation?
  /// With what probability a setting was to meet the requirement where it was chosen:
  /// ``PolicySearch/choosingProbability``.
  public var choosingProbability = PolicySearch.usualChoosingProbability

  /// Whether the chosen setting met the requirement where it was chosen.
  public var isMetWhereChosen: Bool { finalists.first.map { requirement.isMet(by: $0) } ?? false }

  /// Whether the chosen setting meets the requirement where it was not chosen.
  public var isMet: Bool { confirmation.map { requirement.isMet(by: $0.card) } ?? false }

  /// Whether it does so with a probability of ``sureProbability`` or more.
  public var isSure: Bool { isMet && confirmation?.isSure == true }

  /// The chosen setting's figures where it was not chosen, if it meets the requirement there; otherwise nil.
  public var best: ScoreCard? { isMet ? confirmation?.card : nil }

  /// The answer in a few sentences.
  ///
  /// It names the cheapest setting that met the requirement where it was chosen, if that is another one
  /// because a choice has to be more sure.
  public var words: String {
    let field =
      "\(tried) \(tried == 1 ? "setting" : "settings") of \(policies) \(policies == 1 ? "policy" : "policies")"
    guard let confirmation else { return "There was nothing to try." }
    let card = confirmation.card
    let cost = Self.words(card.headline[.energy], .energy)
    let others =
      confirmation.isOfSameDevices
      ? "With seeds that it was not chosen with, on the same \(Self.devices(confirmation.deviceCount)), it takes"
      : "On \(Self.devices(confirmation.deviceCount)) that it was not chosen on, it takes"
    // Only what was asked for, and each metric once, also where it is bounded from both sides.
    var asked: [Metric] = []
    for bound in requirement.bounds where bound.metric != .energy && !asked.contains(bound.metric) {
      asked.append(bound.metric)
    }
    let reached = asked.map { "\($0.rawValue) \(Self.words(card.headline[$0], $0))" }
    // What limits the answer comes before it.
    var words =
      confirmation.isOfSameDevices
      ? "Chosen and tried on the same devices, as they are few, which says little about other days, routes and people: "
      : ""
    if isMet {
      words += "\(card.policy) is the cheapest found among \(field) for \(requirement.words). "
    } else if isMetWhereChosen {
      // The others may do better there: nobody has tried.
      words +=
        "\(card.policy) met \(requirement.words) where it was chosen among \(field), but does not "
        + (confirmation.isOfSameDevices ? "with other seeds" : "on other devices")
        + ", and no other setting that was found was tried there. "
    } else {
      words +=
        "\(confirmation.isOfSameDevices ? "none" : "None") of \(field) is found to meet \(requirement.words). The nearest is \(card.policy). "
    }
    if let net = card.value(.netEnergy) {
      words +=
        "\(others) \(Self.words(card.headline[.netEnergy], .netEnergy)) of the battery above idle, "
        + "\(DecimalText.string(24 * net, decimals: 1)) % a day, and the phone \(cost) in all"
    } else {
      words += "\(others) \(cost) of the battery"
    }
    words += reached.isEmpty ? "." : ", with \(reached.joined(separator: ", "))."
    if isMet {
      if let probability = confirmation.probability {
        if isSure {
          words += " That it meets the requirement elsewhere too is \(Self.percent(probability)) sure."
        } else if probability >= Self.sureProbability {
          words +=
            " It meets the requirement there, but \(Self.devices(confirmation.deviceCount)) cannot make that sure: "
            + "at least \(Self.sureDeviceCount) have to confirm it."
        } else {
          words +=
            " It meets the requirement there, but that is not sure: the probability is \(Self.percent(probability)), "
            + "and from \(Self.percent(Self.sureProbability)) on it counts as sure; more devices or seeds may decide."
        }
      } else {
        words += " One device says nothing about others."
      }
      words += cheaperWords
    }
    for reference in confirmation.references {
      guard let entry = reference.comparison.differences.first(where: { $0.metric == .energy }),
        let difference = entry.difference.value
      else { continue }
      let less = difference <= 0
      words +=
        " It takes \(Metric.energy.text(abs(difference))) \(less ? "less" : "more") than \(reference.card.policy)"
      if let surety = entry.surety {
        words += " (\(Self.percent(surety)) sure)"
      }
      words += "."
    }
    if !isMet, let other = confirmation.bestReference(for: requirement) {
      words += " There \(other.policy) does what was asked."
    }
    if isMet, let policy { words += " To ship it takes \(confirmation.needs(of: policy))." }
    return words
  }

  /// The cheapest setting that met the requirement where it was chosen, and takes less than the chosen one.
  var cheaper: ScoreCard? {
    guard let chosen = finalists.first, let energy = chosen.value(.energy) else { return nil }
    let cheaper = finalists.dropFirst().filter {
      requirement.isMet(by: $0) && $0.value(.energy) ?? .infinity < energy
    }
    return cheaper.min { $0.value(.energy) ?? .infinity < $1.value(.energy) ?? .infinity }
  }

  private var cheaperWords: String {
    guard let cheaper, let chosen = finalists.first else { return "" }
    let probability = requirement.probability(of: cheaper).map {
      ", with a probability of \(Self.percent($0))"
    }
    return " Where this was chosen, \(cheaper.policy) met the requirement too, for "
      + "\(Metric.energy.text(cheaper.value(.energy))) in place of \(Metric.energy.text(chosen.value(.energy)))"
      + "\(probability ?? ""), less than the \(Self.percent(choosingProbability)) that the search looks for."
  }

  /// A probability in words, rounded down and never all, since it is from resamples: `97 %`, `99.9 %`.
  package static func percent(_ probability: Double) -> String {
    let scale = probability > 0.99 ? 10.0 : 1
    let percent = (min(99.9, probability * 100) * scale + 1e-6).rounded(.down) / scale
    return "\(DecimalText.string(percent, decimals: scale > 1 ? 1 : 0)) %"
  }

  private static func devices(_ count: Int) -> String { "\(count) \(count == 1 ? "device" : "devices")" }

  /// A figure with its interval: `0.93 %/h (0.80 to 1.10)`.
  private static func words(_ estimate: Estimate?, _ metric: Metric) -> String {
    let text = metric.text(estimate?.value)
    guard let interval = estimate?.interval else { return text }
    let ends = [interval.lowerBound, interval.upperBound].map {
      DecimalText.string($0, decimals: metric.decimals)
    }
    return "\(text) (\(ends[0]) to \(ends[1]))"
  }
}

extension PolicySearch {
  /// Runs the search.
  ///
  /// - Parameters:
  ///   - threads: One for each core by default. The outcome does not depend on it.
  ///   - progress: Called after each run, by one thread at a time; returns false to stop the search.
  public func run(
    threads: Int? = nil, progress: (@Sendable (SearchProgress) -> Bool)? = nil
  ) throws(StudyError) -> SearchOutcome {
    try study.check()
    if var choosing {
      choosing.policies = study.policies
      try choosing.check()
    }
    for reference in references { do { try reference.check() } catch { throw .policy(error) } }
    let parts = split()
    let bench = SearchBench(self, parts.choosing, threads: threads, progress: progress)
    let rungs = rungs()
    var cards = try explore(bench, deviceCount: rungs[0])
    for count in rungs.dropFirst().dropLast() {
      let kept = ranked(cards).prefix(max(finalists, (cards.count + 2) / 3))
      cards = try bench.cards(of: kept.map(\.key), deviceCount: count)
    }
    var rest = ranked(cards).map(\.key)[...]
    var last: [String: ScoreCard] = [:]
    for _ in 0..<4 where !rest.isEmpty {
      let batch = Array(rest.prefix(max(1, finalists)))
      rest = rest.dropFirst(batch.count)
      last.merge(try bench.cards(of: batch, deviceCount: parts.choosing.count)) { first, _ in first }
      if last.values.contains(where: { requirement.isMet(by: $0) }) { break }
    }
    try refine(&last, bench, deviceCount: parts.choosing.count)
    let order = ranked(last)
    var outcome = SearchOutcome(
      requirement: requirement, tried: bench.tried, policies: study.policies.count,
      finalists: order.map(\.value))
    outcome.choosingProbability = choosingProbability
    if let chosen = order.first.flatMap({ bench.setting($0.key) }) {
      outcome.policy = chosen
      outcome.confirmation = try confirm(chosen, parts.confirming, threads: threads, progress: progress)
    }
    return outcome
  }

  /// Moves the numbers of the best setting as long as that is better.
  private func refine(
    _ cards: inout [String: ScoreCard], _ bench: SearchBench, deviceCount: Int
  ) throws(StudyError) {
    for _ in 0..<max(0, refinements) {
      guard let best = ranked(cards).first?.key, let setting = bench.setting(best) else { return }
      let known = Set(cards.keys)
      let next = SettingNeighbours.settings(of: setting).filter { !known.contains($0.label) }
      guard !next.isEmpty else { return }
      bench.add(next)
      cards.merge(try bench.cards(of: next.map(\.label), deviceCount: deviceCount)) { first, _ in first }
      if ranked(cards).first?.key == best { return }
    }
  }

  /// Runs one setting, and the references, on the devices that confirm with seeds that chose nothing.
  private func confirm(
    _ chosen: any MonitoringPolicy, _ places: [Int], threads: Int?,
    progress: (@Sendable (SearchProgress) -> Bool)?
  ) throws(StudyError) -> SearchConfirmation {
    var study = study
    study.seeds = confirmingSeeds()
    study.guarantee = nil
    study.policies = [chosen]
    for reference in references where !study.policies.contains(where: { $0.label == reference.label }) {
      study.policies.append(reference)
    }
    for metric in requirement.requestedMetrics where !study.requestedMetrics.contains(metric) {
      study.requestedMetrics.append(metric)
    }
    var report: (@Sendable (StudyProgress) -> Bool)?
    if let progress { report = { progress(SearchProgress(tried: 1, round: $0)) } }
    let result = try study.run(
      on: places.sorted(), PreparedDevices(keeping: 0), threads: threads, progress: report)
    var confirmation = SearchConfirmation(
      card: result.cards[0], probability: requirement.probability(of: result.cards[0]),
      deviceCount: places.count,
      isOfSameDevices: choosing == nil && places.count == study.devices.count, seeds: study.seeds)
    confirmation.conditions = result.conditions
    confirmation.references = result.cards.indices.dropFirst().map {
      (result.cards[$0], result.comparison(of: 0, with: $0))
    }
    return confirmation
  }

  /// The cards with the best answer first: those that more surely meet the requirement before others; equals
  /// by label.
  func ranked(_ cards: [String: ScoreCard]) -> [(key: String, value: ScoreCard)] {
    let levels = [SearchOutcome.sureProbability, choosingProbability]
    let sure = cards.mapValues { card in
      let probability = requirement.isMet(by: card) ? requirement.probability(of: card) ?? 0 : 0
      return levels.count { probability >= $0 }
    }
    return cards.sorted { a, b in
      if let one = sure[a.key], let other = sure[b.key], one != other { return one > other }
      if requirement.isBetter(a.value, than: b.value) { return true }
      if requirement.isBetter(b.value, than: a.value) { return false }
      return a.key < b.key
    }
  }

  /// Tries settings of every policy on some devices. The next steps of all policies run at once, so that all
  /// cores are busy.
  private func explore(_ bench: SearchBench, deviceCount: Int) throws(StudyError) -> [String: ScoreCard] {
    var cards: [String: ScoreCard] = [:]
    var climbs = study.policies.enumerated().map { index, policy in
      SettingSearch(policy, index, self)
    }
    while true {
      var asked: [any MonitoringPolicy] = []
      var known = Set(cards.keys)
      for climb in climbs {
        for policy in climb.next where known.insert(policy.label).inserted { asked.append(policy) }
      }
      if asked.isEmpty, climbs.allSatisfy({ $0.next.isEmpty }) { return cards }
      bench.add(asked)
      cards.merge(try bench.cards(of: asked.map(\.label), deviceCount: deviceCount)) { first, _ in first }
      for index in climbs.indices {
        climbs[index].advance { a, b in
          guard let a = cards[a], let b = cards[b] else { return false }
          return requirement.isBetter(a, than: b)
        }
      }
    }
  }
}

/// Runs settings on the first devices of a search's order.
private final class SearchBench {
  private let search: PolicySearch
  private let threads: Int?
  private let progress: (@Sendable (SearchProgress) -> Bool)?
  private let order: [Int]
  /// A cache of the devices of the first rounds, which run again and again.
  private let prepared = PreparedDevices(keeping: 48)
  private var settings: [String: any MonitoringPolicy] = [:]

  init(
    _ search: PolicySearch, _ order: [Int], threads: Int?,
    progress: (@Sendable (SearchProgress) -> Bool)?
  ) {
    self.search = search
    self.order = order
    self.threads = threads
    self.progress = progress
  }

  func setting(_ label: String) -> (any MonitoringPolicy)? { settings[label] }

  var tried: Int { settings.count }

  func add(_ policies: [any MonitoringPolicy]) {
    for policy in policies { settings[policy.label] = policy }
  }

  func cards(of labels: [String], deviceCount: Int) throws(StudyError) -> [String: ScoreCard] {
    let policies = labels.compactMap { settings[$0] }
    guard !policies.isEmpty else { return [:] }
    var study = search.choosing ?? search.study
    study.policies = policies
    study.guarantee = nil
    // What is required has to be known of each setting.
    for metric in search.requirement.requestedMetrics where !study.requestedMetrics.contains(metric) {
      study.requestedMetrics.append(metric)
    }
    // Only what is chosen from needs intervals.
    if deviceCount < order.count { study.resampling.count = 0 }
    let tried = tried
    var report: (@Sendable (StudyProgress) -> Bool)?
    if let progress { report = { progress(SearchProgress(tried: tried, round: $0)) } }
    // In the study's own order, so that results are the same as those of a study of these devices.
    let places = order.prefix(deviceCount).sorted()
    let result = try study.run(on: places, prepared, threads: threads, progress: report)
    var cards: [String: ScoreCard] = [:]
    for card in result.cards { cards[card.policy] = card }
    return cards
  }
}

/// The search among one policy's settings: proposes what to try next.
struct SettingSearch {
  private let policy: any MonitoringPolicy
  /// The parameters with more than one choice.
  private let axes: [PolicyParameter]
  private var restarts: Int
  private var random: RandomStream
  /// The best setting so far, or where the search began again.
  private var current: any MonitoringPolicy
  private var axis = 0
  /// How many parameters in a row have brought no improvement.
  private var idle = 0
  private let isGrid: Bool
  /// The settings to try next; empty at the end.
  private(set) var next: [any MonitoringPolicy] = []

  init(_ policy: any MonitoringPolicy, _ index: Int, _ search: PolicySearch) {
    self.policy = policy
    axes = policy.parameters.filter { Set($0.choices).union([$0.value]).count > 1 }
    restarts = search.restarts
    random = RandomStream(seed: search.seed &+ UInt64(index), "settings")
    current = policy
    var size = 1
    for axis in axes { size = min(1_000_000, size * axis.choices.count) }
    isGrid = axes.isEmpty || size <= search.gridLimit
    if isGrid {
      next = [policy] + Self.grid(policy, axes[...])
    } else {
      propose()
    }
  }

  /// All combinations that the policy accepts.
  private static func grid(
    _ policy: any MonitoringPolicy, _ axes: ArraySlice<PolicyParameter>
  ) -> [any MonitoringPolicy] {
    guard let axis = axes.first else { return [policy] }
    return axis.choices.flatMap { choice -> [any MonitoringPolicy] in
      guard let setting = Self.setting(policy, axis.name, choice) else { return [] }
      return grid(setting, axes.dropFirst())
    }
  }

  private static func setting(
    _ policy: any MonitoringPolicy, _ parameter: String, _ value: String
  ) -> (any MonitoringPolicy)? {
    // A combination that the policy refuses is not tried.
    try? policy.setting(parameter, to: value)
  }

  private mutating func propose() {
    next = [current]
    for choice in axes[axis].choices {
      if let setting = Self.setting(current, axes[axis].name, choice) { next.append(setting) }
    }
  }

  /// Proposes the next settings, after all of ``next`` have been tried.
  ///
  /// - Parameter isBetter: Whether the setting with one label is better than that with another.
  mutating func advance(_ isBetter: (String, String) -> Bool) {
    guard !next.isEmpty else { return }
    guard !isGrid else {
      next = []
      return
    }
    var best = current
    for setting in next where isBetter(setting.label, best.label) { best = setting }
    idle = best.label == current.label ? idle + 1 : 0
    current = best
    axis = (axis + 1) % axes.count
    if idle >= axes.count {
      guard restarts > 0 else {
        next = []
        return
      }
      restarts -= 1
      idle = 0
      current = policy
      for axis in axes {
        guard !axis.choices.isEmpty else { continue }
        let choice = axis.choices[random.below(axis.choices.count)]
        current = Self.setting(current, axis.name, choice) ?? current
      }
    }
    propose()
  }
}
