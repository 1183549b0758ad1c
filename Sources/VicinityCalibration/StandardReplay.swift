internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinitySimulation

extension MeasuredRange {
  /// The distance filter of its replay. An Android request has none, yet gives a phone at rest as little as one would: one that
  /// holds nothing back stands for it.
  var replayedFilter: Meters { distanceFilter ?? 1e-6 }
}

/// Replays a truth with an app behind, as the measured phones' app was, that wants positions all the time.
struct StandardReplay {
  let profile: DeviceProfile
  let accuracy: DesiredAccuracy
  let distanceFilter: Meters?

  /// What came of it.
  struct Outcome {
    var fixes: [Fix] = []
    var joules = 0.0
  }

  /// Runs the simulator.
  func run(_ track: TrueTrack, seed: UInt64) throws(SimulationError) -> Outcome {
    let scenario = Scenario(
      track: track, actions: [TimedAction(time: track.start, .leaveApp)], profile: profile, seed: seed)
    let settings = LocationSettings(
      desiredAccuracy: accuracy, distanceFilter: distanceFilter, pausesAutomatically: false,
      allowsBackgroundUpdates: true)
    let result = try Simulation.run(scenario, recording: .events) { PositionApp(settings: settings) }
    var outcome = Outcome(joules: result.totalJoules)
    for entry in result.timeline {
      if case .delivered(.locations(let fixes, from: .standard)) = entry.kind { outcome.fixes += fixes }
    }
    return outcome
  }

  /// Per cent of the battery that an hour takes on the move: along a meridian at the speed of a car in town, which no filter of
  /// up to 30 m thins to less than a fix in three seconds.
  func movingRate(seed: UInt64) throws(SimulationError) -> Double {
    let start = Coordinate(latitude: 37, longitude: -122)
    let frame = LocalFrame(start)
    var fixes: [Fix] = []
    for second in stride(from: 0, through: 3600, by: 10) {
      fixes.append(
        Fix(
          time: Timestamp(microseconds: 1_600_000_000_000_000 + Int64(second) * 1_000_000),
          coordinate: frame.place(at: Offset(east: 0, north: 10 * Double(second)))))
    }
    return try run(TrueTrack(fixes), seed: seed).joules / 3.6 / profile.milliwattsPerPercentAnHour
  }
}

private struct PositionApp: PhoneApp {
  let settings: LocationSettings

  mutating func phone(_ phone: SimulatedPhone, did event: PhoneEvent) {
    guard case .launched = event else { return }
    phone.locationSettings = settings
    phone.startUpdatingLocation()
  }
}
