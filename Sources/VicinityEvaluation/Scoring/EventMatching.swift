public import VicinityCrossings
public import VicinityIndex
public import VicinitySimulation

/// Which reports count for which crossings, and what counts as flapping.
public struct MatchingRule: Hashable, Sendable {
  /// How much earlier than its crossing a report may come. A minute is a position error of a hundred metres
  /// on foot, or of a kilometre in a car.
  public var earliness: Duration
  /// How much later a report may come. A later one is unfounded, and its crossing missed.
  public var lateness: Duration
  /// How close together two contradicting reports must be to be a flap.
  public var flapTime: Duration

  public init(
    earliness: Duration = .seconds(60), lateness: Duration = .seconds(1800),
    flapTime: Duration = .seconds(120)
  ) {
    self.earliness = earliness
    self.lateness = lateness
    self.flapTime = flapTime
  }
}

/// An entry or exit that an app reported.
public struct ReportedEvent: Hashable, Sendable {
  /// When the report came.
  public var time: Timestamp
  /// When the crossing happened, according to the app.
  public var claimed: Timestamp
  public var isEntry: Bool
  /// The region's ordinal; nil for a region that is not in the index.
  public var region: Int?
  public var identifier: String
}

/// A true crossing and its report; one of the two may be missing.
public struct EventMatch: Hashable, Sendable {
  /// The true crossing; nil for an unfounded report.
  public var truth: Crossing?
  /// The report; nil for a missed crossing.
  public var report: ReportedEvent?

  /// Seconds from the crossing to the report; nil unless there are both.
  public var delay: Double? {
    guard let truth, let report else { return nil }
    return report.time.seconds(since: truth.time)
  }
}

extension SimulationResult {
  /// The app's reports, in the order of time; the run must have recorded reports.
  public func reports(of regions: RegionIndex) -> [ReportedEvent] {
    timeline.compactMap { entry in
      guard case .reported(let isEntry, let region, let claimed) = entry.kind else { return nil }
      return ReportedEvent(
        time: entry.time, claimed: claimed, isEntry: isEntry, region: regions.ordinal(of: region),
        identifier: region)
    }
  }
}

/// Matches reports with what truly happened.
public enum EventMatching {
  /// Matches the entries and exits of each region with its reports.
  ///
  /// A report can match a crossing of its region and kind if it comes at most ``MatchingRule/earliness``
  /// before or ``MatchingRule/lateness`` after it, and not after a later crossing of that kind, which it
  /// would then be of. Each report matches at most one crossing, and each crossing at most one report. Among
  /// all matchings that keep both orders, the result has the most matched crossings; among those, the fewest
  /// early reports; among those, the least sum of delays and earlinesses. So it depends on times alone; among
  /// equal reports, the first matches.
  ///
  /// - Parameters:
  ///   - crossings: In any order; dwell events are ignored.
  ///   - reports: In any order.
  ///   - rule: How early and how late a report may come.
  /// - Returns: Every crossing and every report once, ordered by the crossing's time, or the report's where
  ///   there is none.
  /// - Complexity: O(n log n), and for crossings of one region and kind that follow each other within
  ///   ``MatchingRule/earliness`` the number of those besides.
  public static func match(
    _ crossings: [Crossing], _ reports: [ReportedEvent], by rule: MatchingRule = MatchingRule()
  ) -> [EventMatch] {
    let reportOf = assign(crossings, reports, rule)
    var isUsed = [Bool](repeating: false, count: reports.count)
    var matches: [EventMatch] = []
    for (crossing, report) in zip(crossings, reportOf) where crossing.kind != .dwell {
      if let report { isUsed[report] = true }
      matches.append(EventMatch(truth: crossing, report: report.map { reports[$0] }))
    }
    for (report, isUsed) in zip(reports, isUsed) where !isUsed {
      matches.append(EventMatch(truth: nil, report: report))
    }
    // Stable: unfounded reports come after crossings of the same time.
    return matches.sorted { a, b in
      (a.truth?.time ?? a.report?.time ?? .init(microseconds: 0))
        < (b.truth?.time ?? b.report?.time ?? .init(microseconds: 0))
    }
  }

  /// For each crossing, the index of its report; nil for a missed crossing and for dwell events.
  static func assign(_ crossings: [Crossing], _ reports: [ReportedEvent], _ rule: MatchingRule) -> [Int?] {
    struct Key: Hashable {
      var region: Int
      var isEntry: Bool
    }
    var open: [Key: (crossings: [Int], reports: [Int])] = [:]
    for (index, crossing) in crossings.enumerated() where crossing.kind != .dwell {
      open[Key(region: crossing.region, isEntry: crossing.kind == .enter), default: ([], [])].crossings
        .append(index)
    }
    for (index, report) in reports.enumerated() {
      guard let region = report.region else { continue }
      open[Key(region: region, isEntry: report.isEntry)]?.reports.append(index)
    }
    var reportOf = [Int?](repeating: nil, count: crossings.count)
    for var (crossingOrder, reportOrder) in open.values where !reportOrder.isEmpty {
      // Stable.
      crossingOrder.sort { crossings[$0].time < crossings[$1].time }
      reportOrder.sort { reports[$0].time < reports[$1].time }
      let matching = OrderedMatching(
        crossings: crossingOrder.map { crossings[$0].time }, reports: reportOrder.map { reports[$0].time },
        rule)
      for (crossing, report) in matching.pairs { reportOf[crossingOrder[crossing]] = reportOrder[report] }
    }
    return reportOf
  }
}

/// The best matching of one region's crossings of one kind with its reports of that kind, both in the order
/// of time.
///
/// Found by dynamic programming over the reports. A report can match a run of consecutive crossings: the last
/// one before it, and those that follow within the earliness. The runs of later reports never begin earlier.
/// So the state is only how many crossings of the run are used up.
struct OrderedMatching {
  /// Indices of crossings and of their reports, both ascending.
  private(set) var pairs: [(crossing: Int, report: Int)] = []

  /// How good a matching is: greater is better.
  private struct Value: Comparable {
    var matched = 0
    var early = 0
    var delay: Int64 = 0

    static func < (a: Value, b: Value) -> Bool {
      if a.matched != b.matched { return a.matched < b.matched }
      if a.early != b.early { return a.early > b.early }
      return a.delay > b.delay
    }
  }

  /// A report and the run of crossings that it can match.
  private struct Candidate {
    var report: Int
    var time: Timestamp
    var first: Int
    var last: Int
    /// The index of the run's first value.
    var values: Int
  }

  init(crossings: [Timestamp], reports: [Timestamp], _ rule: MatchingRule) {
    var candidates: [Candidate] = []
    var before = 0
    var within = 0
    var count = 0
    for (report, time) in reports.enumerated() {
      let latest = time.advanced(by: rule.earliness)
      while before < crossings.count, crossings[before] <= time { before += 1 }
      within = max(within, before)
      while within < crossings.count, crossings[within] <= latest { within += 1 }
      // The last crossing before the report, unless it is too long ago.
      var first = before
      if before > 0, crossings[before - 1].advanced(by: rule.lateness) >= time { first = before - 1 }
      guard first < within else { continue }
      candidates.append(
        Candidate(report: report, time: time, first: first, last: within - 1, values: count))
      count += within - first + 1
    }
    choose(candidates, crossings, count)
  }

  /// What matching a report with a crossing adds to a value.
  private static func adding(_ crossing: Timestamp, _ report: Timestamp, to value: Value) -> Value {
    let delay = report.microseconds.subtractingReportingOverflow(crossing.microseconds).partialValue
    return Value(
      matched: value.matched + 1, early: value.early + (delay < 0 ? 1 : 0),
      delay: value.delay.addingReportingOverflow(Int64(clamping: delay.magnitude)).partialValue)
  }

  private mutating func choose(_ candidates: [Candidate], _ crossings: [Timestamp], _ count: Int) {
    // values[candidate][i]: the best of this and all later reports, with the crossings from the run's i-th
    // on.
    var values = [Value](repeating: Value(), count: count)
    func rest(_ candidate: Int, from crossing: Int) -> Value {
      guard candidate + 1 < candidates.count else { return Value() }
      let next = candidates[candidate + 1]
      return values[next.values + max(0, crossing - next.first)]
    }
    for c in candidates.indices.reversed() {
      let candidate = candidates[c]
      let length = candidate.last - candidate.first + 1
      values[candidate.values + length] = rest(c, from: candidate.last + 1)
      for i in (0..<length).reversed() {
        let crossing = candidate.first + i
        let taken = Self.adding(
          crossings[crossing], candidate.time, to: rest(c, from: crossing + 1))
        values[candidate.values + i] = max(
          taken, values[candidate.values + i + 1], rest(c, from: crossing))
      }
    }
    var crossing = 0
    for c in candidates.indices {
      let candidate = candidates[c]
      crossing = max(crossing, candidate.first)
      while crossing <= candidate.last {
        let best = values[candidate.values + crossing - candidate.first]
        if Self.adding(crossings[crossing], candidate.time, to: rest(c, from: crossing + 1)) == best {
          pairs.append((crossing, candidate.report))
          crossing += 1
          break
        }
        if rest(c, from: crossing) == best { break }
        crossing += 1
      }
    }
  }
}
