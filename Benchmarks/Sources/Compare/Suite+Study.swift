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
  /// A thousand days of a fix a second, of a person each, under twelve policies against 100,000 regions, on
  /// all cores: tracks made, truth found, runs scored. Then what it costs to say how sure the figures are.
  func study() throws -> Section {
    var section = Section()
    guard matches("study") else { return section }
    let count = 100_000
    let days = isFull ? 1000 : 40
    progress.show("study: building")
    let index = try Ours(inputs.circles(count)).index
    let places = inputs.densestPlaces(20)
    let devices = (0..<days).map { number in
      let day = DayOfMovement(
        around: places[number % places.count], start: Timestamp(microseconds: 1_700_000_000_000_000),
        seed: UInt64(number) + 1)
      return StudyDevice(name: "person \(number)") { try TrueTrack(day.fixes()) }
    }
    // One of each kind.
    let names = [
      "monitor-adaptive", "monitor-slots", "always-best", "always-hundred-meters", "front-and-behind",
      "fixed-interval",
      "distance-to-boundary", "rate-adaptive", "duty-cycled", "significant-change", "visits-only",
      "transistorsoft",
    ]
    let study = Study(
      of: try names.map { try Policies.parse($0) }, watching: index, on: devices,
      profile: try DeviceProfile.named("iphone-6"))
    progress.show("study: \(days) days under \(names.count) policies")
    let start = Clock.wall
    let result = try study.run()
    let seconds = (Clock.wall - start) / 1e9
    let what = "study: \(days) device-days x \(names.count) policies x \(count) regions"
    section.add(what, seconds, "s")
    for (name, spent) in zip(names, result.computeSeconds) {
      section.add("study: a device-day under \(name)", spent / Double(days) * 1e3, "ms of a core")
    }
    if isFull { section.promise(what, seconds, atMost: 90, unit: "s") }
    // As `compare` has it without options, three seeds with phones drawn from their ranges, against one seed
    // of one phone: in turns.
    var plain = study
    plain.devices = Array(devices.prefix(isFull ? 100 : 20))
    plain.resampling.count = 0
    var sure = plain
    (sure.seeds, sure.phones, sure.resampling) = ([1, 2, 3], .drawn, study.resampling)
    var ratios: [Double] = []
    for turn in 0..<(isFull ? 5 : 1) {
      progress.show("study: with and without uncertainty, turn \(turn + 1)")
      var times: [Double] = []
      for study in [plain, sure] {
        let start = Clock.wall
        _ = try study.run()
        times.append(Clock.wall - start)
      }
      ratios.append(times[1] / times[0])
    }
    let ratio = ratios.sorted()[ratios.count / 2]
    section.add(
      "study: with uncertainty, three seeds and drawn phones / one seed and no intervals", ratio, "x")
    if isFull { section.promise("study with uncertainty / without", ratio, atMost: 3, unit: "x") }
    progress.clear()
    return section
  }
}
