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

  /// The lower bounds, in a sentence or two; empty without them.
  var boundsNote: String {
    guard let bounds = result.bounds else { return "" }
    return
      "To report every crossing within \(Self.text(bounds.guarantee.latency / .seconds(1), 0)) s, no policy can do with less than "
      + "\(Self.text(bounds.leastNetEnergy, 4)) % of the battery an hour above idle; one that knows the future takes "
      + "\(Self.text(bounds.oracleNetEnergy, 4)). By fixes alone it takes \(Self.text(bounds.fixesAnHour, 1)) an hour, up to "
      + "\(Self.text(bounds.guarantee.maximumSpeed, 0)) m/s."
  }

  /// The time that the page's plots of what is reported in time begin with, seconds: a required one, or a
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

  /// What the intervals of energies leave out, in a sentence; empty where there are none.
  var phoneNote: String {
    let ranges = result.cards.compactMap { card -> (Double, ClosedRange<Double>)? in
      guard let value = card.value(.netEnergy), value > 0,
        let interval = card.energyIntervals[.netEnergy]?.phone
      else { return nil }
      return (value, interval)
    }
    guard let least = ranges.map({ $0.1.lowerBound / $0.0 }).min(),
      let most = ranges.map({ $0.1.upperBound / $0.0 }).max()
    else { return "" }
    return
      "Intervals are of people and days. What the phone itself adds is apart, as it is the same phone for "
      + "all policies: by the ranges of its energies each may cost \(Self.text(least, 2)) to "
      + "\(Self.text(most, 2)) times what is shown."
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
      + "Energy is that of a simulated phone. Real phones and systems differ from each other by more than policies do that are "
      + "close together here."
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
        + "\(counts[.undetectable] ?? 0) of them are reported only by chance, where a position errs: no pass was far enough inside "
        + "for long enough. \(counts[.unreliable] ?? 0) cannot be relied on for \(Self.text(100 * advice.share, 0)) % of the passes. "
        + "\(Self.count(advice.unpassed, "region was", "regions were")) not passed; nothing is known about them."
    ]
    if let expected = advice.expectedShare {
      words.append(
        "With a slot for every region, \(Self.text(100 * expected, 0)) % of all passes can be relied on to be reported. More are: "
          + "this leaves out what positions report by erring inwards, which is much where regions are hardly larger than the errors."
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
            + "\(Self.count(counts[.crowded] ?? 0, "region of sufficient size is", "regions of sufficient size are")) mostly entered there, and up to "
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
