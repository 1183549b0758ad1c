public import VicinityEvaluation
public import VicinityIndex
internal import VicinityMonitor
public import VicinitySimulation

/// A policy on a phone along a track, and what truly happened meanwhile: what reports are made of.
public struct SimulatedRun: Sendable {
  /// What the phone went through.
  public var scenario: Scenario
  /// The regions.
  public var regions: RegionIndex
  /// What the policy is called, with what differs from its defaults.
  public var policy: String
  /// What the policy does.
  public var summary: String
  /// What came of it, everything recorded.
  public var result: SimulationResult
  /// What truly happened and what was reported of it, ordered by time.
  public var matches: [EventMatch]

  /// Runs a policy and compares what it reports with the truth.
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

  /// Crossings that were reported, crossings, and reports of nothing.
  public var tally: (reported: Int, crossings: Int, spurious: Int) {
    var reported = 0
    var crossings = 0
    var spurious = 0
    for match in matches {
      if match.truth == nil { spurious += 1 } else { crossings += 1 }
      if match.truth != nil, match.report != nil { reported += 1 }
    }
    return (reported, crossings, spurious)
  }
}
