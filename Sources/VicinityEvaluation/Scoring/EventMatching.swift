public import VicinityCrossings
public import VicinityIndex
public import VicinitySimulation

/// An entry or exit that an app reported.
public struct ReportedEvent: Hashable, Sendable {
  /// When its user could notice.
  public var time: Timestamp
  /// When the app says that it happened.
  public var claimed: Timestamp
  /// Whether the region was entered.
  public var isEntry: Bool
  /// The region's ordinal; nil for one that is not in the index.
  public var region: Int?
  /// The region's identifier.
  public var identifier: String
}

/// A true crossing and what was reported of it; one of both may be missing.
public struct EventMatch: Hashable, Sendable {
  /// What truly happened; nil for a report of nothing.
  public var truth: Crossing?
  /// What was reported; nil for a crossing that was missed.
  public var report: ReportedEvent?

  /// Seconds from the crossing to the report; nil unless there are both.
  public var delay: Double? {
    guard let truth, let report else { return nil }
    return report.time.seconds(since: truth.time)
  }
}

extension SimulationResult {
  /// What the app reported, in the order of time; the run must have recorded reports.
  public func reports(of regions: RegionIndex) -> [ReportedEvent] {
    timeline.compactMap { entry in
      guard case .reported(let isEntry, let region, let claimed) = entry.kind else { return nil }
      return ReportedEvent(
        time: entry.time, claimed: claimed, isEntry: isEntry, region: regions.ordinal(of: region),
        identifier: region)
    }
  }
}

/// Finds what was reported of what happened.
public enum EventMatching {
  /// Matches the entries and exits of each region with its reports.
  ///
  /// A report can be of a crossing of its region and kind that it is at most ``MatchingRule/earliness`` before and
  /// ``MatchingRule/lateness`` after, and that no later crossing of that kind had followed by then: who hears of an entry after
  /// the next one hears of the next. No report is of two crossings, and no crossing has two reports. Of all ways to match that
  /// keep their order, those count that match the most crossings, of these those with the fewest early reports, of these the
  /// one with the least delays and earlinesses together. So the result depends on times alone; of equal reports, the first
  /// counts.
  ///
  /// - Parameters:
  ///   - crossings: In any order; dwells are left out.
  ///   - reports: In any order.
  /// - Returns: Every crossing and every report once, ordered by the crossing's time, or the report's where there is none.
  /// - Complexity: O(n log n), and for crossings of one region and kind that follow each other within ``MatchingRule/earliness`` the
  ///   number of those besides.
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
    // Stable: reports of nothing after crossings of the same time.
    return matches.sorted { a, b in
      (a.truth?.time ?? a.report?.time ?? .init(microseconds: 0))
        < (b.truth?.time ?? b.report?.time ?? .init(microseconds: 0))
    }
  }

  /// By crossing: the place of its report among the reports; nil for one that was missed, and for dwells.
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
