import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinityCrossings

/// Many devices on several threads: the events of each alone, however they are divided.
@Suite struct FleetRunnerTests {
  private static let options = CrossingOptions(maximumGap: .seconds(120), dwell: .seconds(60))
  private static let deviceCount = 11

  private let index: RegionIndex
  private let stream: [FleetTests.Step]

  init() throws {
    var random = SplitMix64(seed: 5300)
    let regions = (0..<60).map { i in
      Region(
        identifier: "\(i)",
        center: Coordinate(
          latitude: 48.2 + random.uniform(-0.02...0.02), longitude: 16.37 + random.uniform(-0.03...0.03)),
        radius: random.uniform(50...400))
    }
    index = try RegionIndex(regions)
    stream = FleetTests.stream(Self.deviceCount, 120, among: regions, steps: 20...300, seed: 5301)
  }

  private func runner(_ shardCount: Int, from states: DeviceStates? = nil) throws -> FleetRunner {
    try FleetRunner(
      BatchRegions(index), Self.options, shardCount: shardCount, recordsInitial: false, from: states,
      order: states?.order)
  }

  /// The devices' names, which a state keeps.
  private var names: DeviceNames {
    var names = DeviceNames()
    for device in 0..<Self.deviceCount { names.insert("\(device)") }
    return names
  }

  /// The events of each device on a part of the stream.
  private func events(
    _ steps: some Collection<FleetTests.Step>, by runner: FleetRunner, threads: Int
  ) -> [UInt32: [EventRecord]] {
    let fixes = steps.map(\.fix)
    let runs = steps.enumerated().map { FleetRun(device: $1.device, batch: 0, range: $0..<$0 + 1) }
    let refused = runner.advance(runs, deviceCount: Self.deviceCount, threads: threads) {
      shard, runs throws(RefusedFix) in
      for run in runs { try shard.accept(fixes[run.range].span, of: run.device) }
    }
    #expect(refused.isEmpty)
    return Dictionary(grouping: runner.takeEvents(), by: \.device)
  }

  @Test("Events depend neither on shards nor on threads", arguments: [1, 4, 64], [1, 3])
  func division(_ shardCount: Int, _ threads: Int) throws {
    let expected = try FleetTests.expected(stream, index, Self.options)
    let found = events(stream, by: try runner(shardCount), threads: threads)
    #expect(found.values.reduce(0) { $0 + $1.count } > 100)
    for (device, crossings) in expected {
      #expect(
        found[UInt32(device), default: []] == crossings.map { EventRecord($0, device: device) })
    }
  }

  @Test("A state is gone on from, whether or not it tells of fleets without devices", arguments: [8, 16])
  func state(_ shardCount: Int) throws {
    let half = stream.count / 2
    let first = try runner(shardCount)
    _ = events(stream[..<half], by: first, threads: 2)
    var states = first.states(names)
    #expect(states.fleets.count == min(shardCount, Self.deviceCount))
    let expected = events(stream[half...], by: first, threads: 2)
    for _ in 0..<2 {
      let next = try runner(shardCount, from: states)
      #expect(next.lastTime(of: 3) != nil && next.lastTime(of: Self.deviceCount) == nil)
      #expect(events(stream[half...], by: next, threads: 2) == expected)
      while states.fleets.count < shardCount {
        states.fleets.append(try Fleet(index, options: Self.options).snapshot(regions: nil))
      }
    }
    states.fleets.removeLast()
    #expect(throws: SealedBytes.Fault.damaged) { try runner(shardCount, from: states) }
    states.fleets.append(try Fleet(index, options: Self.options, deviceCount: 1000).snapshot(regions: nil))
    #expect(throws: SealedBytes.Fault.damaged) { try runner(shardCount, from: states) }
  }

  private static let rules: [CrossingRule] = [
    .geometric, .naive, .exitMargin(), .overlap(), .coreLocation(.init(cushion: 20)),
  ]

  @Test("What a device is in is told once, at the first fix that shows it", arguments: rules.indices)
  func beginnings(_ number: Int) throws {
    let options = CrossingOptions(maximumGap: .seconds(600), rule: Self.rules[number])
    var random = SplitMix64(seed: 5302)
    let runner = try FleetRunner(BatchRegions(index), options, shardCount: 4, recordsInitial: true)
    var late = 0
    for device in 0..<60 {
      var place = Coordinate(
        latitude: 48.2 + random.uniform(-0.02...0.02), longitude: 16.37 + random.uniform(-0.03...0.03))
      let fixes = (0..<80).map { i in
        place.latitude += random.uniform(-2e-4...2e-4)
        place.longitude += random.uniform(-3e-4...3e-4)
        // A fix of cells, or one that cannot begin a track, comes first for some.
        let isCoarse = i <= device % 4 && device % 3 > 0
        let accuracy = isCoarse ? (device % 3 == 1 ? 1500 : 30_000) : random.uniform(5...60)
        return Fix(
          time: Timestamp(microseconds: Int64(i) * 30_000_000), coordinate: place,
          horizontalAccuracy: accuracy)
      }
      // Fix by fix: a region that the device is in without having entered it has been shown.
      var fleet = try Fleet(index, options: options, deviceCount: 1)
      var expected: [EventRecord] = []
      var inside: Set<Int> = []
      for (i, fix) in fixes.enumerated() {
        var crossings: [Crossing] = []
        try fleet.advance(0, to: fix, into: &crossings)
        let entered = Set(crossings.filter { $0.kind == .enter }.map(\.region))
        for region in fleet.occupied(by: 0) where !inside.contains(region) && !entered.contains(region) {
          let shown = Crossing(region: region, kind: .enter, time: fix.time, coordinate: fix.coordinate)
          expected.append(EventRecord(beginning: shown, device: device))
          if i > 0 { late += 1 }
        }
        expected += crossings.map { EventRecord($0, device: device) }
        inside = Set(fleet.occupied(by: 0))
      }
      // In pieces of any size.
      var start = 0
      while start < fixes.count {
        let end = min(fixes.count, start + 1 + Int(random.uniform(0...30)))
        let refused = runner.advance(
          [FleetRun(device: device, batch: 0, range: start..<end)], deviceCount: 60, threads: 1
        ) { shard, runs throws(RefusedFix) in
          for run in runs { try shard.accept(fixes[run.range].span, of: run.device) }
        }
        #expect(refused.isEmpty)
        start = end
      }
      func sorted(_ events: [EventRecord]) -> [EventRecord] {
        events.sorted { ($0.microseconds, $0.region, $0.kind) < ($1.microseconds, $1.region, $1.kind) }
      }
      let found = runner.takeEvents()
      #expect(sorted(found) == sorted(expected), "device \(device), seed 5302")
      // Nobody leaves what nothing said that he was in.
      var book = StayBook()
      for event in found { if let stay = book.take(event) { #expect(stay.beginning != nil) } }
    }
    #expect((late > 0) == (number >= 3), "\(late)")
  }

  @Test("Fixes are judged together: time goes back after a wrong clock, conflicts are dropped or refused")
  func judging() throws {
    func fix(_ second: Int64, _ longitude: Double) -> Fix {
      Fix(
        time: Timestamp(microseconds: second * 1_000_000),
        coordinate: Coordinate(latitude: 48.2, longitude: longitude))
    }
    let runner = try runner(4)
    func judge(_ fixes: [Fix], dropsConflicts: Bool = false) -> [RefusedFix] {
      runner.advance(
        [FleetRun(device: 5, batch: 0, range: fixes.indices)], deviceCount: 6, threads: 1
      ) { shard, runs throws(RefusedFix) in
        for run in runs {
          try shard.judge(fixes, of: run.device, dropsConflicts: dropsConflicts) { fix throws(RefusedFix) in
            throw fix
          }
        }
      }
    }
    #expect(judge((0..<9).map { fix($0, 16.37) } + [fix(90_000, 16.37)]).isEmpty)
    #expect(judge((10..<19).map { fix($0, 16.38) }).isEmpty)
    let restart = try #require(runner.tally.restarts.first)
    #expect(restart.device == 5 && restart.next == fix(10, 0).time && restart.restart.wrongCount == 1)
    #expect(runner.lastTime(of: 5) == fix(18, 0).time)

    let conflict = [fix(20, 16.38), fix(21, 16.38), fix(21, 16.39), fix(22, 16.38)]
    #expect(judge(conflict, dropsConflicts: true).isEmpty)
    #expect(runner.tally.conflicts == 1)
    let refused = judge([fix(30, 16.38), fix(30, 16.39), fix(31, 16.38)]).first
    guard case .order(.conflicting)? = refused?.reason else {
      Issue.record("not refused")
      return
    }
  }
}
