internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityMonitor
internal import VicinitySimulation

extension MeasuredRange {
  /// The distance filter of the replay. An Android request has none, but a phone at rest delivers as little
  /// as with one. A filter that holds nothing back represents that.
  var replayedFilter: Meters { distanceFilter ?? 1e-6 }
}

/// Replays a truth with a background app that wants positions all the time, as the measured phones' app did.
struct StandardReplay {
  let profile: DeviceProfile
  let accuracy: DesiredAccuracy
  let distanceFilter: Meters?
  /// Whether the phone lies in the house where phones were measured at rest.
  var isAtMeasuredSite = false
  /// The parts of the track whose way is known; elsewhere it is told from the speed.
  var sections: [MeasuredSection] = []

  struct Outcome {
    var fixes: [Fix] = []
    var joules = 0.0
  }

  func run(_ track: TrueTrack, seed: UInt64) throws(SimulationError) -> Outcome {
    var base = PhoneSurroundings()
    base.isAtMeasuredSite = isAtMeasuredSite
    let scenario = Scenario(
      track: track, surroundings: .inferred(from: track, base: base).withWays(of: track, known: sections),
      actions: [TimedAction(time: track.start, .leaveApp)], profile: profile, seed: seed)
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

  /// The drain in motion, per cent an hour: along a meridian at the speed of a car in town. At that speed a
  /// filter of up to 30 m leaves a fix in three seconds or more.
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

extension SurroundingsTimeline {
  /// The same surroundings with the ways of known sections, and elsewhere those that the speed tells.
  func withWays(of track: TrueTrack, known sections: [MeasuredSection]) -> SurroundingsTimeline {
    guard !sections.isEmpty else { return self }
    let told = track.ways
    func way(at time: Double) -> TravelMode? {
      if let section = sections.first(where: { $0.time.lowerBound <= time && time < $0.time.upperBound }) {
        return section.way
      }
      return (told.last { $0.start.seconds <= time } ?? told.first)?.way
    }
    let times = sections.flatMap { [$0.time.lowerBound, $0.time.upperBound] }
    let starts = [track.start.seconds] + (told.map(\.start.seconds) + times).sorted()
    return withWays(
      starts.filter { $0 >= track.start.seconds && $0 <= track.end.seconds }.map {
        (Timestamp(microseconds: Int64(($0 * 1e6).rounded())), way(at: $0))
      })
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
