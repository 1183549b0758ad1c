import VicinityCrossings
import VicinityEvaluation
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPlanner
import VicinityPolygon
import VicinitySimulation
import VicinitySynthesis

extension Suite {
  /// Days of 1 Hz through the simulated phone, in days a second of one core.
  func simulation() throws -> Section {
    var section = Section()
    guard matches("simulation") else { return section }
    let profile = try DeviceProfile.named("iphone-6")
    for n in sizes where n <= 100_000 {
      progress.show("simulation \(n): building")
      let index = try Ours(inputs.circles(n)).index
      let places = inputs.densestPlaces(max(8, effort.repetitions))
      var days: [[Fix]] = []
      for (i, place) in places.enumerated() {
        days.append(
          DayOfMovement(
            around: place, start: Timestamp(microseconds: 1_700_000_000_000_000), seed: UInt64(i) + 1
          ).fixes())
      }
      var reading: [Double] = []
      let tracks = try days.map { fixes in
        let start = Clock.thread
        let track = try TrueTrack(fixes)
        reading.append(Clock.thread - start)
        return track
      }
      section.add("simulation \(n), a day's true track of 1 Hz", reading.percentile(0.5) / 1e6, "ms")
      for policy in Policies.all {
        let name = "simulation \(n), \(policy.name)"
        progress.show(name)
        let (perDay, fixes) = try cost(of: policy, tracks, index, profile)
        let whole = perDay + reading.percentile(0.5)
        section.add("\(name): days a second and core", 1e9 / whole, "")
        section.add("\(name): positions a day", fixes, "")
        if n == 100_000, policy.name == Policies.all[0].name {
          section.promise("\(name): days a second and core", 1e9 / whole, atLeast: 200)
        }
      }
    }
    progress.clear()
    return section
  }

  /// The median day's nanoseconds, its track made, and the mean positions of a day.
  private func cost(
    of policy: any MonitoringPolicy, _ tracks: [TrueTrack], _ index: RegionIndex, _ profile: DeviceProfile
  ) throws -> (Double, Double) {
    var times: [Double] = []
    var fixes = 0
    for (i, track) in tracks.enumerated() {
      let actions = [
        TimedAction(time: track.start, .openApp),
        TimedAction(time: track.start.advanced(by: .seconds(60)), .leaveApp),
      ]
      let scenario = Scenario(track: track, actions: actions, profile: profile, seed: UInt64(i) + 1)
      let start = Clock.thread
      let result = try Simulation.run(scenario, recording: .reports) { policy.makeApp(watching: index) }
      times.append(Clock.thread - start)
      fixes += result.counts.fixes
    }
    return (times.percentile(0.5), Double(fixes) / Double(tracks.count))
  }
}
