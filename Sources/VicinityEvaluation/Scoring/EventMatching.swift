public import VicinityIndex
public import VicinityMonitor
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
  /// Matches the entries and exits of each region with its reports, in their order.
  ///
  /// A report is of the last true crossing of its region and kind that is not later than `earliness` after it, nor earlier than
  /// `lateness` before it, and that has no report yet. So a second report of one crossing is a report of nothing, and a crossing
  /// whose successor was reported in its place is missed.
  ///
  /// - Complexity: O(n log n).
  public static func match(
    _ crossings: [Crossing], _ reports: [ReportedEvent], earliness: Duration = .seconds(60),
    lateness: Duration = .seconds(1800)
  ) -> [EventMatch] {
    struct Key: Hashable {
      var region: Int
      var isEntry: Bool
    }
    var open: [Key: [Int]] = [:]
    var next: [Key: Int] = [:]
    for (index, crossing) in crossings.enumerated() where crossing.kind != .dwell {
      open[Key(region: crossing.region, isEntry: crossing.kind == .enter), default: []].append(index)
    }
    var reported = [ReportedEvent?](repeating: nil, count: crossings.count)
    var matches: [EventMatch] = []
    for report in reports {
      guard let region = report.region else {
        matches.append(EventMatch(truth: nil, report: report))
        continue
      }
      let key = Key(region: region, isEntry: report.isEntry)
      let candidates = open[key] ?? []
      var best = next[key] ?? 0
      guard best < candidates.count,
        crossings[candidates[best]].time <= report.time.advanced(by: earliness)
      else {
        matches.append(EventMatch(truth: nil, report: report))
        continue
      }
      while best + 1 < candidates.count,
        crossings[candidates[best + 1]].time <= report.time.advanced(by: earliness)
      {
        best += 1
      }
      guard crossings[candidates[best]].time.advanced(by: lateness) >= report.time else {
        matches.append(EventMatch(truth: nil, report: report))
        continue
      }
      reported[candidates[best]] = report
      next[key] = best + 1
    }
    for (index, crossing) in crossings.enumerated() where crossing.kind != .dwell {
      matches.append(EventMatch(truth: crossing, report: reported[index]))
    }
    // Stable: by what happened first of the two, truth or report.
    return matches.sorted { a, b in
      (a.truth?.time ?? a.report?.time ?? .init(microseconds: 0))
        < (b.truth?.time ?? b.report?.time ?? .init(microseconds: 0))
    }
  }
}
