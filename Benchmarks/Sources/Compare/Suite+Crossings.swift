import Dispatch
import Synchronization
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPlanner
import VicinityPolygon

extension Suite {
  /// Fixes a scenario: some milliseconds of ours.
  private var fixCount: Int { effort.queries <= 1000 ? 144_000 : 1_080_000 }

  /// Entries and exits along tracks, beside programs in C++, for every size.
  func crossings() throws -> [CrossingRow] {
    guard matches("crossings") || crossingScenarios.contains(where: matches) else { return [] }
    var rows: [CrossingRow] = []
    for n in sizes {
      progress.show("crossings \(n): building")
      let circles = inputs.circles(n)
      let ours = try Ours(circles)
      let peers = crossingPeers(circles)
      let origins = inputs.origins(circles, count: 10_000)
      var race = CrossingRace(
        library: library, repetitions: effort.repetitions, legs: inputs.walk(step: 1000, count: 201),
        progress: progress)
      func add(_ name: String, _ journey: Inputs.Journey, _ origins: [Coordinate], salt: UInt64) {
        guard matches("crossings:\(name)") else { return }
        race.entries.append(
          CrossingEntry(
            "crossings:\(name)", circles, inputs.tracks(total: fixCount, journey, from: origins, salt: salt),
            ours, peers))
      }
      add("places-1hz", .shortTrips, origins, salt: 12)
      add(
        "dense-1hz", .init(seconds: 1, fixesPerTrack: 3600, reach: 15_000), inputs.densestPlaces(8), salt: 13)
      add("countryside-1hz", .init(seconds: 1, fixesPerTrack: 3600), inputs.lonelyPlaces(300), salt: 14)
      add("places-10s", .shortTripsSparsely, origins, salt: 16)
      if n == 10_000, matches("crossings:city-1hz") {
        let city = inputs.denseCity(queries: 300)
        race.entries.append(
          CrossingEntry(
            "crossings:city-1hz", city.0,
            inputs.tracks(
              total: fixCount, .init(seconds: 1, fixesPerTrack: 3600, reach: 9500),
              from: inputs.densestPlaces(1), salt: 17),
            try Ours(city.0), crossingPeers(city.0)))
      }
      rows += try race.run()
      for (devices, rounds) in [(1000, fixCount / 1000), (100_000, 20)] {
        rows += try fleet(devices: devices, rounds: rounds, circles, ours)
      }
    }
    return rows
  }

  private func crossingPeers(_ circles: Circles) -> [CrossingPeer] {
    [CrossingPeer.straightforward, CrossingPeer.tuned].map { CrossingPeer($0, library, circles) }
  }

  private var crossingScenarios: [String] {
    ["places-1hz", "dense-1hz", "countryside-1hz", "places-10s", "city-1hz", "fleet", "two-cores"].map {
      "crossings:\($0)"
    }
  }

  /// Devices interleaved second by second; their first fixes, which look everything up, are not timed.
  private func fleet(
    devices: Int, rounds: Int, _ circles: Circles, _ ours: Ours
  ) throws -> [CrossingRow] {
    let scenario = "crossings:fleet-\(devices)"
    guard matches(scenario) else { return [] }
    progress.show("\(scenario) \(circles.count)")
    let fixes = inputs.interleaved(
      devices: devices, rounds: rounds, from: inputs.origins(circles, count: min(devices, 10_000)))
    let legs = inputs.walk(step: 1000, count: 201)
    let timed = Double(fixes.count - devices)
    var times: [Double] = []
    var perGeodesic: [Double] = []
    var crossings: [Crossing] = []
    for _ in 0..<max(3, effort.repetitions / 2) {
      let unit = library.geodesicNanoseconds(legs, count: 200)
      crossings.removeAll(keepingCapacity: true)
      var fleet = try Fleet(ours.index, deviceCount: devices)
      let span = fixes.span
      for device in 0..<devices { try fleet.advance(device, to: span[device], into: &crossings) }
      let start = Clock.thread
      var device = 0
      for i in devices..<span.count {
        try fleet.advance(device, to: span[i], into: &crossings)
        device += 1
        if device == devices { device = 0 }
      }
      times.append((Clock.thread - start) / timed)
      perGeodesic.append(times[times.count - 1] / unit)
    }
    progress.clear()
    let entries = crossings.count { $0.kind == .enter }
    return [
      CrossingRow(
        scenario: scenario, n: circles.count, contestant: "vicinity-fleet", fixes: Int(timed),
        devices: devices, repetitions: times.count, build: ours.buildCost, median: times.percentile(0.5),
        minimum: times.min() ?? .nan, perGeodesic: perGeodesic.percentile(0.5), entries: entries,
        exits: crossings.count - entries)
    ]
  }

  /// Tracks dealt out to two threads, against one: elapsed time, in turns.
  func crossingsOnTwoCores() throws -> Section {
    var section = Section()
    guard matches("crossings:two-cores") else { return section }
    let n = largest
    let circles = inputs.circles(n)
    let index = try Ours(circles).index
    let origins = inputs.origins(circles, count: 10_000)
    for (name, journey) in [("1 Hz", Inputs.Journey.shortTrips), ("one fix per 10 s", .shortTripsSparsely)] {
      let tracks = inputs.tracks(total: fixCount, journey, from: origins, salt: 18)
      var one: [Cost] = []
      var two: [Cost] = []
      for round in 0..<max(5, effort.repetitions) {
        progress.show("crossings:two-cores: round \(round + 1)")
        one.append(try Self.follow(tracks, index, threads: 1, laps: 10))
        two.append(try Self.follow(tracks, index, threads: 2, laps: 10))
      }
      progress.clear()
      for (label, costs) in [("one core", one), ("two cores", two)] {
        let fixes = Double(10 * tracks.fixes.count)
        section.add(
          "crossings \(n), \(name), \(label)", fixes / costs.map(\.wall).percentile(0.5) / 1e6,
          "M fixes/s, elapsed")
        section.add(
          "crossings \(n), \(name), \(label): CPU", costs.map(\.cpu).percentile(0.5) / fixes * 1e9, "ns a fix"
        )
      }
      section.promise(
        "crossings \(n), \(name): two cores against one",
        one.map(\.wall).percentile(0.5) / two.map(\.wall).percentile(0.5), atLeast: 1.8)
    }
    return section
  }

  /// What following all tracks `laps` times takes; each thread takes the next tracks there are, some at a
  /// time, as one alone may be over sooner than two threads agree whose it is.
  static func follow(_ tracks: Tracks, _ index: RegionIndex, threads: Int, laps: Int) throws -> Cost {
    let next = Atomic(0)
    let failures = Atomic(0)
    let (_, cost) = Cost.of {
      DispatchQueue.concurrentPerform(iterations: threads) { _ in
        do {
          var detector = try CrossingDetector(index)
          var crossings: [Crossing] = []
          let fixes = tracks.fixes.span
          while true {
            let first = next.wrappingAdd(16, ordering: .relaxed).oldValue
            if first >= tracks.count * laps { break }
            for job in first..<min(first + 16, tracks.count * laps) {
              crossings.removeAll(keepingCapacity: true)
              try detector.advance(
                through: fixes.extracting(tracks.range(job % tracks.count)), into: &crossings)
              detector.reset()
            }
          }
        } catch {
          failures.wrappingAdd(1, ordering: .relaxed)
        }
      }
    }
    guard failures.load(ordering: .relaxed) == 0 else { throw Failure("a track was refused") }
    return cost
  }
}

/// The promises about crossings.
struct CrossingJudge {
  var rows: [CrossingRow]

  func targets() -> [Target] {
    var targets: [Target] = []
    for row in rows where row.contestant == "vicinity" {
      let isSlow = row.scenario.hasSuffix("-10s")
      if let limit = limit(row) {
        targets.append(
          Target(
            text: "\(row.scenario), \(row.n): fixes a second", measured: row.rate, limit: limit,
            isUpperLimit: false, unit: " M"))
      }
      let peer = rows.first {
        $0.scenario == row.scenario && $0.n == row.n && $0.contestant == CrossingPeer.straightforward
      }
      if let peer {
        targets.append(
          Target(
            text: "\(row.scenario), \(row.n): times the straightforward program",
            measured: peer.median / row.median, limit: isSlow ? 2.5 : timesLimit(row), isUpperLimit: false))
      }
    }
    return targets
  }

  /// How many times as fast as the straightforward program. Among 10 000 regions its tree is shallow and lies
  /// in the caches, and in the dense city finding the many crossings takes most of the time: less is promised
  /// there.
  private func timesLimit(_ row: CrossingRow) -> Double {
    if row.scenario == "crossings:city-1hz" { return 2 }
    return row.n == 10_000 ? 5 : 8
  }

  /// Millions of fixes a second.
  private func limit(_ row: CrossingRow) -> Double? {
    switch (row.scenario, row.n) {
    case ("crossings:city-1hz", _): 5
    case ("crossings:places-10s", 1_000_000): 10
    case (let scenario, 100_000) where scenario.hasSuffix("-1hz"): 60
    case (let scenario, 1_000_000) where scenario.hasSuffix("-1hz"): 25
    default: nil
    }
  }
}
