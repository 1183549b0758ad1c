public import VicinityCrossings
internal import VicinityIndex
internal import VicinitySimulation

/// The guarantee that a study's bounds are for: every crossing is noticed, or reported, within a latency.
public struct LatencyGuarantee: Hashable, Sendable {
  /// The speed up to which fixes alone must guarantee it, metres a second.
  public var maximumSpeed: MetersPerSecond
  public var latency: Duration

  /// A guarantee; the defaults are those of ``SafeSamplingBound``.
  public init(maximumSpeed: MetersPerSecond = 40, within latency: Duration = .seconds(60)) {
    self.maximumSpeed = maximumSpeed
    self.latency = latency
  }
}

/// Lower bounds for every policy that gives a guarantee, over all devices of a study; see <doc:PolicyBounds>.
public struct StudyBounds: Hashable, Sendable {
  public var guarantee: LatencyGuarantee
  /// The total length of the devices' tracks, hours.
  public var hours = 0.0
  /// The fewest fixes of a policy that uses fixes alone.
  public var fixes = 0
  /// The least energy of any app, joules.
  public var leastJoules = 0.0
  /// The energy of ``OraclePolicy``, joules: the true minimum is between ``leastJoules`` and this, provided
  /// that all its reports are in time.
  public var oracleJoules = 0.0
  /// The true crossings, and how many of them the oracle does not report in time: where an app may not use
  /// positions, as many as there are.
  public var crossings = 0
  public var oracleLate = 0
  /// The phones' idle energy, joules.
  public var idleJoules = 0.0
  /// The share of the battery that a joule is, per cent.
  public var percentPerJoule: Double

  /// The fewest fixes an hour.
  public var fixesAnHour: Double { hours > 0 ? Double(fixes) / hours : 0 }
  /// The least energy above idle, per cent of the battery an hour.
  public var leastNetEnergy: Double { rate(leastJoules) }
  /// The energy of ``OraclePolicy`` above idle, per cent of the battery an hour.
  public var oracleNetEnergy: Double { rate(oracleJoules) }

  private func rate(_ joules: Double) -> Double {
    hours > 0 ? (joules - idleJoules) * percentPerJoule / hours : 0
  }

  /// - Parameter isStopped: Asked now and then whether to stop; there are no bounds then.
  init?(
    _ device: PreparedDevice, _ regions: RegionIndex, _ guarantee: LatencyGuarantee, isStopped: () -> Bool
  ) throws {
    var scenario = device.scenario
    scenario.profile = scenario.profile.noiseless
    self.guarantee = guarantee
    percentPerJoule = scenario.profile.percentPerJoule
    let crossings = device.truth.crossings.map(\.crossing)
    hours = device.truth.hours
    fixes = try SafeSamplingBound(maximumSpeed: guarantee.maximumSpeed, within: guarantee.latency)
      .count(along: scenario.track, watching: regions)
    leastJoules = try LeastEnergyBound(scenario, crossings, within: guarantee.latency).joules
    let oracle = OraclePolicy(crossings, within: guarantee.latency, until: scenario.track.end)
    guard
      let (policy, result) = try oracle.sleeping(in: scenario, watching: regions, isStopped: isStopped)
    else { return nil }
    self.crossings = crossings.count
    oracleLate = policy.lateCrossings(of: result)
    oracleJoules = result.totalJoules
    idleJoules = result.joules[.idle] ?? 0
  }

  /// The sum over all devices, added in their order, so that it does not depend on the threads.
  init(_ devices: [StudyBounds], _ guarantee: LatencyGuarantee, percentPerJoule: Double) {
    self.guarantee = guarantee
    self.percentPerJoule = percentPerJoule
    for device in devices {
      hours += device.hours
      fixes += device.fixes
      leastJoules += device.leastJoules
      oracleJoules += device.oracleJoules
      crossings += device.crossings
      oracleLate += device.oracleLate
      idleJoules += device.idleJoules
    }
  }
}
