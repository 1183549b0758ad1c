internal import VicinityCrossings
internal import VicinityGeodesy

/// Looks for the cheapest policy, and its parameters, that meets a requirement.
///
/// Each parameter has values to try (``PolicyParameter/choices``). A policy with few combinations tries all of them. A policy with
/// many sets one parameter after another to its best value until nothing improves, starting from its own setting and then from
/// random ones. This runs on a part of the devices. The best third of the settings goes on to three times as many devices, and so
/// on; the last few run on all. (Successive halving: K. Jamieson, A. Talwalkar, *Non-stochastic Best Arm Identification and
/// Hyperparameter Optimization*, AISTATS 2016.)
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
  /// How many settings to run on all devices at once. While none meets the requirement, as many again follow, up to four times.
  public var finalists = 6
  /// The fewest devices to judge settings on.
  public var leastDevices = 4

  public init(_ study: Study, for requirement: Requirement, seed: UInt64 = 1) {
    self.study = study
    self.requirement = requirement
    self.seed = seed
  }

  /// The devices in the order in which rounds add them.
  func deviceOrder() -> [Int] {
    var random = RandomStream(seed: seed, "policy search")
    var order = Array(study.devices.indices)
    for last in order.indices.dropFirst().reversed() { order.swapAt(last, random.below(last + 1)) }
    return order
  }

  /// The number of devices in each round, ascending; all in the last.
  func rungs() -> [Int] {
    let count = study.devices.count
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

public struct SearchOutcome: Sendable {
  public var requirement: Requirement
  /// How many settings were tried, at least on part of the devices.
  public var tried: Int
  /// How many policies the settings belong to.
  public var policies: Int
  /// The settings that ran on all devices, the best answer first.
  public var finalists: [ScoreCard]

  /// The cheapest setting that meets the requirement; nil where none does.
  public var best: ScoreCard? { finalists.first.flatMap { requirement.isMet(by: $0) ? $0 : nil } }

  /// The answer in a sentence or two.
  public var words: String {
    let field =
      "\(tried) \(tried == 1 ? "setting" : "settings") of \(policies) \(policies == 1 ? "policy" : "policies")"
    guard let first = finalists.first else { return "There was nothing to try." }
    let energy = first.headline[.energy] ?? Estimate(value: nil)
    var cost = Metric.energy.text(energy.value)
    if let interval = energy.interval {
      let ends = [interval.lowerBound, interval.upperBound].map {
        DecimalText.string($0, decimals: Metric.energy.decimals)
      }
      cost += " (\(ends[0]) to \(ends[1]))"
    }
    guard requirement.isMet(by: first) else {
      let reached = requirement.bounds.filter { !$0.isMet(by: first.value($0.metric)) }.map { bound in
        "its \(bound.metric.rawValue) is \(bound.metric.text(first.value(bound.metric)))"
      }
      return "None of \(field) meets \(requirement.words). The nearest is \(first.policy): "
        + "\(reached.joined(separator: ", ")); it takes \(cost) of the battery."
    }
    let reached = requirement.bounds.filter { $0.metric != .energy }.map { bound in
      "\(bound.metric.rawValue) \(bound.metric.text(first.value(bound.metric)))"
    }
    return "\(first.policy) is the cheapest found among \(field) that meets \(requirement.words): "
      + "it takes \(cost) of the battery"
      + (reached.isEmpty ? "." : ", with \(reached.joined(separator: ", ")).")
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
    let bench = SearchBench(self, threads: threads, progress: progress)
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
      last.merge(try bench.cards(of: batch, deviceCount: rungs[rungs.count - 1])) { first, _ in first }
      if last.values.contains(where: { requirement.isMet(by: $0) }) { break }
    }
    return SearchOutcome(
      requirement: requirement, tried: bench.tried, policies: study.policies.count,
      finalists: ranked(last).map(\.value))
  }

  /// The cards with the best answer first; equals by label.
  private func ranked(_ cards: [String: ScoreCard]) -> [(key: String, value: ScoreCard)] {
    cards.sorted { a, b in
      if requirement.isBetter(a.value, than: b.value) { return true }
      if requirement.isBetter(b.value, than: a.value) { return false }
      return a.key < b.key
    }
  }

  /// Tries settings of every policy on some devices. The next steps of all policies run at once, so that all cores are busy.
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
    _ search: PolicySearch, threads: Int?, progress: (@Sendable (SearchProgress) -> Bool)?
  ) {
    self.search = search
    self.threads = threads
    self.progress = progress
    order = search.deviceOrder()
  }

  var tried: Int { settings.count }

  func add(_ policies: [any MonitoringPolicy]) {
    for policy in policies { settings[policy.label] = policy }
  }

  func cards(of labels: [String], deviceCount: Int) throws(StudyError) -> [String: ScoreCard] {
    let policies = labels.compactMap { settings[$0] }
    guard !policies.isEmpty else { return [:] }
    var study = search.study
    study.policies = policies
    study.guarantee = nil
    // What is required has to be known of each setting.
    for metric in search.requirement.requestedMetrics where !study.requestedMetrics.contains(metric) {
      study.requestedMetrics.append(metric)
    }
    // Only the final result needs intervals.
    if deviceCount < order.count { study.resampling.count = 0 }
    let tried = tried
    var report: (@Sendable (StudyProgress) -> Bool)?
    if let progress { report = { progress(SearchProgress(tried: tried, round: $0)) } }
    // In the study's own order, so that results on all devices are the same as the study's.
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
