public import VicinityIndex
public import VicinitySimulation

/// A run of one policy on a phone along a track, and its reports matched with what truly happened.
public struct SimulatedRun: Sendable {
  public var scenario: Scenario
  public var regions: RegionIndex
  /// The policy's ``MonitoringPolicy/label``.
  public var policy: String
  /// The policy's ``MonitoringPolicy/summary``.
  public var summary: String
  /// The run, with everything recorded.
  public var result: SimulationResult
  /// True crossings and reports, matched and ordered by time.
  public var matches: [EventMatch]

  /// Runs a policy and matches its reports with the truth.
  public init(
    _ scenario: Scenario, _ policy: any MonitoringPolicy, watching regions: RegionIndex
  ) throws(SimulationError) {
    self.scenario = scenario
    self.regions = regions
    self.policy = policy.label
    summary = policy.summary
    let crossings = try scenario.track.crossings(of: regions)
    result = try Simulation.run(scenario, recording: .all) { policy.makeApp(watching: regions) }
    matches = EventMatching.match(crossings, result.reports(of: regions))
  }

  /// How many crossings and reports there are.
  public struct Tally: Hashable, Sendable {
    public var crossings = 0
    /// True crossings that were reported.
    public var reported = 0
    /// Reports that match no crossing.
    public var unfounded = 0
  }

  public var tally: Tally {
    var tally = Tally()
    for match in matches {
      if match.truth == nil { tally.unfounded += 1 } else { tally.crossings += 1 }
      if match.truth != nil, match.report != nil { tally.reported += 1 }
    }
    return tally
  }

  /// The median delay of the reported crossings, seconds; the lower one of two, nil without any.
  public var medianDelay: Double? {
    let delays = matches.compactMap(\.delay).sorted()
    return delays.isEmpty ? nil : delays[(delays.count - 1) / 2]
  }
}
