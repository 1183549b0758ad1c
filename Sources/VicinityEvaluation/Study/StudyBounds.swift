public import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinitySimulation

/// The promise that a study's bounds are of: every crossing noticed, or reported, within a latency.
public struct StudyPromise: Hashable, Sendable {
  /// The speed cap of the fewest fixes, metres a second.
  public var maximumSpeed: MetersPerSecond
  /// The latency.
  public var latency: Duration

  /// A promise; by default of a minute, as ``SafeSamplingBound``'s.
  public init(maximumSpeed: MetersPerSecond = 40, within latency: Duration = .seconds(60)) {
    self.maximumSpeed = maximumSpeed
    self.latency = latency
  }
}

/// What no policy can undercut that keeps a promise, over all devices of a study; see <doc:PolicyBounds>.
public struct StudyBounds: Hashable, Sendable {
  /// The promise.
  public var promise: StudyPromise
  /// How long the devices' tracks are together, hours.
  public var hours: Double
  /// The fixes that a policy of fixes alone takes at least.
  public var fixes: Int
  /// The joules that any app takes at least.
  public var leastJoules: Double
  /// The joules of an app that knows the future and reports in time: what is least lies between.
  public var knowingJoules: Double
  /// What a joule is above: what the phones draw regardless, joules.
  public var idleJoules: Double
  /// The battery's share that a joule is, per cent.
  public var percentPerJoule: Double

  /// The fewest fixes an hour.
  public var fixesAnHour: Double { hours > 0 ? Double(fixes) / hours : 0 }
  /// The least energy above idle, per cent of the battery an hour.
  public var leastNetEnergy: Double { rate(leastJoules) }
  /// The same of the app that knows the future.
  public var knowingNetEnergy: Double { rate(knowingJoules) }

  private func rate(_ joules: Double) -> Double {
    hours > 0 ? (joules - idleJoules) * percentPerJoule / hours : 0
  }
}

/// The bounds of one device.
struct DeviceBounds: Sendable {
  var hours: Double
  var fixes: Int
  var leastJoules: Double
  var knowingJoules: Double
  var idleJoules: Double

  init(_ device: PreparedDevice, _ regions: RegionIndex, _ promise: StudyPromise) throws {
    var scenario = device.scenario
    scenario.profile = scenario.profile.noiseless
    let crossings = device.truth.crossings.map(\.crossing)
    hours = device.truth.hours
    fixes = try SafeSamplingBound(maximumSpeed: promise.maximumSpeed, within: promise.latency)
      .count(along: scenario.track, watching: regions)
    leastJoules = try LeastEnergyBound(scenario, crossings, within: promise.latency).joules
    let knowing = FutureKnowingPolicy(crossings, within: promise.latency, until: scenario.track.end)
    let result = try knowing.sleeping(in: scenario, watching: regions).result
    knowingJoules = result.totalJoules
    idleJoules = result.joules[.idle] ?? 0
  }
}

extension StudyBounds {
  /// Added up in the order of the devices, so that it is the same whatever the threads.
  init(_ devices: [DeviceBounds], _ promise: StudyPromise, percentPerJoule: Double) {
    self.promise = promise
    self.percentPerJoule = percentPerJoule
    hours = devices.reduce(0) { $0 + $1.hours }
    fixes = devices.reduce(0) { $0 + $1.fixes }
    leastJoules = devices.reduce(0) { $0 + $1.leastJoules }
    knowingJoules = devices.reduce(0) { $0 + $1.knowingJoules }
    idleJoules = devices.reduce(0) { $0 + $1.idleJoules }
  }
}
