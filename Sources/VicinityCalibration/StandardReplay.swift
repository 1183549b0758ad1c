internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinitySimulation

extension MeasuredRange {
  /// The distance filter of the replay. An Android request has none, but a phone at rest delivers as little as with one. A filter
  /// that holds nothing back represents that.
  var replayedFilter: Meters { distanceFilter ?? 1e-6 }
}

/// Replays a truth with a background app that wants positions all the time, as the measured phones' app did.
struct StandardReplay {
  let profile: DeviceProfile
  let accuracy: DesiredAccuracy
  let distanceFilter: Meters?

  struct Outcome {
    var fixes: [Fix] = []
    var joules = 0.0
  }

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

  /// The drain in motion, per cent an hour: along a meridian at the speed of a car in town. At that speed a filter of up to 30 m
  /// leaves a fix in three seconds or more.
  func movingRate(seed: UInt64) throws(SimulationError) -> Double {
    let start = Coordinate(latitude: 37, longitude: -122)
    let frame = LocalFrame(start)
    var fixes: [Fix] = []
    for second in stride(from: 0, through: 3600, by: 10) {
      fixes.append(
        Fix(
          time: Timestamp(microseconds: 1_600_000_000_000_000 + Int64(second) * 1_000_000),
          coordinate: frame.coordinate(at: Offset(east: 0, north: 10 * Double(second)))))
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
