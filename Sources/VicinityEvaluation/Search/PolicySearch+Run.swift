internal import Synchronization
internal import VicinitySimulation

extension PolicySearch {
  /// Searches.
  ///
  /// - Parameters:
  ///   - threads: How many to use; one for each core by default. What is found does not depend on it.
  ///   - progress: Called now and then, by one thread at a time; false stops the search.
  /// - Throws: ``StudyError``
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

  /// The best answer first; of equal ones the first label.
  private func ranked(_ cards: [String: ScoreCard]) -> [(key: String, value: ScoreCard)] {
    cards.sorted { a, b in
      if requirement.isBetter(a.value, than: b.value) { return true }
      if requirement.isBetter(b.value, than: a.value) { return false }
      return a.key < b.key
    }
  }

  /// Tries settings of every policy on some devices; all policies' next steps at once, so that all cores are busy.
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
        climbs[index].take { a, b in
          guard let a = cards[a], let b = cards[b] else { return false }
          return requirement.isBetter(a, than: b)
        }
      }
    }
  }
}

/// Runs settings on the first so many devices of a search.
private final class SearchBench {
  private let search: PolicySearch
  private let threads: Int?
  private let progress: (@Sendable (SearchProgress) -> Bool)?
  private let order: [Int]
  /// Tracks of the few devices that are asked for again and again.
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
    study.promise = nil
    // Intervals are for what is told.
    if deviceCount < order.count { study.resampling.count = 0 }
    let tried = tried
    var report: (@Sendable (StudyProgress) -> Bool)?
    if let progress { report = { progress(SearchProgress(tried: tried, round: $0)) } }
    // In the study's own order, so that results on all devices are those of the study.
    let places = order.prefix(deviceCount).sorted()
    let result = try study.run(on: places, prepared, threads: threads, progress: report)
    var cards: [String: ScoreCard] = [:]
    for card in result.cards { cards[card.policy] = card }
    return cards
  }
}
