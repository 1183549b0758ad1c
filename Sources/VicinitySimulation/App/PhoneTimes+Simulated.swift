internal import VicinityCrossings
internal import VicinityGeodesy
public import VicinityMonitor
public import VicinityProfiles

extension PhoneTimes {
  /// The times of a simulated phone, for `AdaptiveStrategy(latency:shortestVisit:phone:)`: of one of the
  /// shipped profiles, or of one that was fitted to recordings of your own.
  ///
  /// Positions: the 95 % point of the first one while satellites are known. Exits: of a circle of 100 m
  /// around where the phone has been at rest for an hour, half of them on foot (1.4 m/s) and half as in a
  /// town's traffic (8 m/s). One that is not told within 4 km counts as told there.
  ///
  /// - Parameter exits: How many to simulate, 2 at least; about a tenth of a millisecond each.
  /// - Throws: An error if the profile is invalid.
  public init(simulating profile: DeviceProfile, exits: Int = 400) throws(SimulationError) {
    let (rest, way, radius) = (3600.0, 4000.0, 100.0)
    let frame = LocalFrame(Coordinate(latitude: 46, longitude: 6))
    let home = frame.coordinate(at: Offset(east: 0, north: 0))
    let sentinel = MonitoredRegion(identifier: "sentinel", center: home, radius: radius)
    let start = Timestamp(microseconds: 1_600_000_000_000_000)
    var delays: [Double] = []
    for speed in [1.4, 8] {
      var fixes = [Fix(time: start, coordinate: home)]
      for metres in stride(from: 0.0, through: way, by: 1) {
        fixes.append(
          Fix(
            time: start.advanced(bySeconds: rest + metres / speed),
            coordinate: frame.coordinate(at: Offset(east: metres, north: 0))))
      }
      let track = try TrueTrack(fixes)
      let surroundings = SurroundingsTimeline.inferred(from: track)
      for seed in 0..<max(1, exits / 2) {
        let scenario = Scenario(
          track: track, surroundings: surroundings, profile: profile, seed: UInt64(seed))
        let result = try Simulation.run(scenario, recording: .events) { SentinelApp(sentinel: sentinel) }
        let told = result.timeline.first { entry in
          guard case .delivered(.exited(sentinel.identifier)) = entry.kind else { return false }
          return true
        }
        let crossing = start.advanced(bySeconds: rest + radius / speed)
        delays.append((told?.time ?? result.end).seconds(since: crossing))
      }
    }
    delays.sort()
    self.init(
      position: profile.firstFix.hot.value(at: 0.95), medianExit: delays[delays.count / 2],
      lateExit: delays[delays.count * 19 / 20])
  }
}

/// Monitors one circle.
private struct SentinelApp: PhoneApp {
  let sentinel: MonitoredRegion

  func phone(_ phone: SimulatedPhone, did event: PhoneEvent) {
    if case .launched = event { phone.startMonitoring(sentinel) }
  }
}
