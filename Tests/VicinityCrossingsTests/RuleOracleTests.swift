import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityPolygon
import VicinityTestSupport

@testable import VicinityCrossings

/// Every rule against its definition, region by region and fix by fix.
@Suite struct RuleOracleTests {
  static let rules: [CrossingRule] = [
    .naive, .exitMargin(), .exitMargin(fraction: 0.02, minimum: 150), .overlap(),
    .overlap(enter: 0.6, exit: 0.4), .coreLocation(),
    .coreLocation(.init(cushion: 30, timeToRemain: .seconds(60), inwardShare: 0.2)),
    .coreLocation(.init(cushion: 0, timeToRemain: .zero)),
  ]

  /// Accuracies as phones report them, and worse.
  static func accuracies(_ fixes: [Fix], seed: UInt64) -> [Fix] {
    var random = SplitMix64(seed: seed ^ 0xACC)
    return fixes.map { fix in
      var fix = fix
      let kind = random.unit()
      fix.horizontalAccuracy =
        switch kind {
        case ..<0.1: 0
        case ..<0.8: random.logUniform(1...60)
        case ..<0.95: random.logUniform(60...3000)
        case ..<0.97: random.logUniform(3000...60_000)
        case ..<0.98: .infinity
        default: -1
        }
      return fix
    }
  }

  static func track(
    _ regions: [Region], _ count: Int, _ steps: ClosedRange<Double>, seed: UInt64
  ) -> [Fix] {
    accuracies(
      TrackGenerator.walk(
        count, from: CrossingOracleTests.center(regions[Int(seed % 11)]), steps: steps, turn: 50,
        interval: 9_000_000, seed: seed), seed: seed)
  }

  @Test(arguments: rules.indices, [0.2...15.0, 5...250, 300...30_000])
  func agrees(_ number: Int, _ steps: ClosedRange<Double>) throws {
    let seed: UInt64 = 6100
    var total = 0
    for (k, family) in RegionFamily.allCases.enumerated() {
      let regions = family.circles(70, seed: seed)
      let index = try RegionIndex(regions)
      let options = CrossingOptions(
        maximumGap: .seconds(k % 2 == 0 ? 15 : 300), dwell: k % 3 == 0 ? nil : .seconds(40),
        rule: Self.rules[number])
      let fixes = Self.track(regions, 160, steps, seed: seed + UInt64(k))
      let expected = RuleOracle.crossings(fixes, RuleOracle.targets(regions), options)
      let found = try TrackGenerator.crossings(fixes, index, options)
      #expect(found == expected, "\(options.rule), \(family), steps \(steps), seed \(seed)")
      // All fixes in one call.
      var detector = try CrossingDetector(index, options: options)
      var inOne: [Crossing] = []
      try detector.advance(through: fixes[0..<fixes.count].span, into: &inOne)
      #expect(inOne == expected, "\(options.rule), \(family), steps \(steps), seed \(seed), in one call")
      total += found.count
    }
    print("\(Self.rules[number].name) \(number), steps \(steps): \(total) crossings")
  }

  /// Slowly over the boundaries of a city's circles, with accuracies that straddle them most of the time.
  @Test(arguments: rules.indices)
  func slowly(_ number: Int) throws {
    let seed: UInt64 = 6200
    let regions = RegionFamily.dense.circles(400, seed: seed)
    let index = try RegionIndex(regions)
    var total = 0
    for k in 0..<2 {
      let options = CrossingOptions(dwell: .seconds(90), rule: Self.rules[number])
      let fixes = Self.track(regions, 400, 0.5...12, seed: seed + UInt64(k))
      let expected = RuleOracle.crossings(fixes, RuleOracle.targets(regions), options)
      let found = try TrackGenerator.crossings(fixes, index, options)
      #expect(found == expected, "\(options.rule), seed \(seed), walk \(k)")
      total += found.count
    }
    print("\(Self.rules[number].name) \(number), slowly: \(total) crossings")
  }

  /// Anywhere on Earth, in any order.
  @Test(arguments: rules.indices)
  func hops(_ number: Int) throws {
    let seed: UInt64 = 6300
    for family in RegionFamily.allCases {
      let regions = family.circles(60, seed: seed)
      let index = try RegionIndex(regions)
      let options = CrossingOptions(rule: Self.rules[number])
      let fixes = Self.accuracies(
        TrackGenerator.hops(100, among: regions, family, seed: seed), seed: seed)
      let expected = RuleOracle.crossings(fixes, RuleOracle.targets(regions), options)
      #expect(
        try TrackGenerator.crossings(fixes, index, options) == expected,
        "\(options.rule), \(family), seed \(seed)")
    }
  }

  @Test(arguments: rules.indices)
  func polygons(_ number: Int) throws {
    let seed: UInt64 = 6400
    var total = 0
    for (k, place) in PolygonCrossingTests.places.enumerated() {
      var random = SplitMix64(seed: seed + UInt64(k))
      var regions: [Region] = []
      for i in 0..<8 {
        let scale = random.logUniform(20...1500)
        let middle = Geodesic.uncheckedDirect(
          place, azimuth: random.uniform(0...360), distance: random.uniform(0...1500)
        ).coordinate
        if i % 4 == 3 {
          regions.append(Region(identifier: "\(i)", center: middle, radius: scale))
          continue
        }
        let outer = PolygonCrossingTests.star(middle, 5 + random.below(20), scale...3 * scale, &random)
        let holes =
          i % 2 == 0 ? [PolygonCrossingTests.star(middle, 4, 0.2 * scale...0.7 * scale, &random)] : []
        regions.append(Region(identifier: "\(i)", polygon: try Polygon(exterior: outer, holes: holes)))
      }
      let index = try RegionIndex(regions)
      let targets = RuleOracle.targets(regions) { ordinal in
        guard
          case .polygon(let polygon) = MonitoredIndex.packed(index).outline(
            of: UInt32(ordinal), from: place, ECEF(unchecked: place))
        else { return .nan }
        return polygon.inradius(enough: .infinity)
      }
      let options = CrossingOptions(dwell: .seconds(60), rule: Self.rules[number])
      for steps in [1.0...20, 20...400] {
        let fixes = Self.accuracies(
          TrackGenerator.walk(
            80, from: place, steps: steps, turn: 50, interval: 9_000_000, seed: seed + UInt64(k)),
          seed: seed + UInt64(k))
        let expected = RuleOracle.crossings(fixes, targets, options)
        let found = try TrackGenerator.crossings(fixes, index, options)
        #expect(found == expected, "\(options.rule), place \(k), steps \(steps), seed \(seed)")
        total += found.count
      }
    }
    print("\(Self.rules[number].name) \(number), polygons: \(total) crossings")
  }

  /// A fleet, read from a snapshot every now and then, of which half the regions report nothing.
  @Test(arguments: rules.indices)
  func fleets(_ number: Int) throws {
    let seed: UInt64 = 6500
    var random = SplitMix64(seed: seed)
    for family in [RegionFamily.dense, .concentric, .polar] {
      let regions = family.circles(80, seed: seed)
      let index = try RegionIndex(regions)
      let options = CrossingOptions(
        maximumGap: .seconds(25), dwell: family == .polar ? nil : .seconds(45), rule: Self.rules[number],
        notifyOnEntry: .only((0..<80).filter { $0 % 2 == 0 }), notifyOnExit: .allExcept([3, 5, 7, 11]))
      let devices = 12
      var tracks: [[Fix]] = []
      for device in 0..<devices {
        tracks.append(
          Self.track(regions, 60, device % 2 == 0 ? 1...40 : 5...900, seed: seed + UInt64(device)))
      }
      let stream = tracks.enumerated().flatMap { device, fixes in
        fixes.map { FleetTests.Step(device: device, fix: $0) }
      }.sorted { ($0.fix.time, $0.device) < ($1.fix.time, $1.device) }
      var fleet = try Fleet(index, options: options, deviceCount: devices)
      var found = Array(repeating: [Crossing](), count: devices)
      var names = DeviceNames()
      for step in stream {
        if random.below(15) == 0 {
          let bytes = fleet.snapshot()
          let restored = try Fleet.restored(fromSnapshot: bytes, index: index, names: &names)
          #expect(restored.snapshot() == bytes)
          #expect(restored.options == options && restored.counts == fleet.counts)
          fleet = restored
        }
        try fleet.advance(step.device, to: step.fix, into: &found[step.device])
      }
      let targets = RuleOracle.targets(regions)
      for device in 0..<devices {
        #expect(
          found[device] == RuleOracle.crossings(tracks[device], targets, options),
          "\(options.rule), \(family), seed \(seed), device \(device)")
      }
    }
  }

  /// Damaged and made-up rules and pending decisions: a fleet or an error, never a trap; and what a fleet
  /// writes it reads.
  @Test func hostileSnapshots() throws {
    let seed: UInt64 = 6600
    let regions = RegionFamily.dense.circles(60, seed: seed)
    let index = try RegionIndex(regions)
    var random = SplitMix64(seed: seed)
    var (restoredCount, refusedCount) = (0, 0)
    for rule in Self.rules {
      var fleet = try Fleet(
        index, options: CrossingOptions(rule: rule, notifyOnEntry: .only([1, 65])), deviceCount: 6)
      var crossings: [Crossing] = []
      for device in 0..<6 {
        for fix in Self.track(regions, 12, 5...100, seed: seed + UInt64(device)) {
          try fleet.advance(device, to: fix, into: &crossings)
        }
      }
      let good = fleet.snapshot()
      let section = good.count - Int(IndexBytes.word(good, 104))
      for _ in 0..<600 {
        var bytes = good
        for _ in 0..<1 + random.below(3) {
          let i =
            random.unit() < 0.8 ? section + random.below(bytes.count - section) : random.below(bytes.count)
          bytes[i] = random.unit() < 0.5 ? UInt8(random.below(256)) : bytes[i] ^ UInt8(1 << random.below(8))
        }
        FleetTests.reseal(&bytes)
        var names = DeviceNames()
        do {
          var restored = try Fleet.restored(fromSnapshot: bytes, index: index, names: &names)
          restoredCount += 1
          let again = restored.snapshot()
          #expect(try Fleet.restored(fromSnapshot: again, index: index, names: &names).snapshot() == again)
          for device in 0..<restored.deviceCount {
            let time = restored.lastTime(of: device)?.microseconds ?? 0
            for k in 1...3 {
              let (next, overflow) = time.addingReportingOverflow(Int64(k) * 15_000_000)
              guard !overflow else { continue }
              try restored.advance(
                device,
                to: Fix(
                  time: Timestamp(microseconds: next),
                  coordinate: CrossingOracleTests.center(regions[device])), into: &crossings)
            }
          }
        } catch let error as FleetSnapshotError {
          refusedCount += 1
          #expect(!error.description.isEmpty)
        }
      }
    }
    #expect(restoredCount > 100 && refusedCount > 100)
    print("snapshots with rules: \(restoredCount) restored, \(refusedCount) refused")
  }

  /// A first fix that leaves more than a thousand regions open begins nothing.
  @Test func openRegionsAreBounded() throws {
    for count in [1000, 1001] {
      let regions = (0..<count).map {
        Region(identifier: "\($0)", center: DetectorTests.home, radius: 1000 + 0.01 * Double($0))
      }
      let index = try RegionIndex(regions)
      let fixes = [(0.0, 950.0, 3000.0), (10, 1500, 5), (20, 0, 5), (50, 0, 5)].map {
        DetectorTests.fix($0.0, DetectorTests.north($0.1), accuracy: $0.2)
      }
      for rule in [CrossingRule.coreLocation(), .overlap()] {
        let options = CrossingOptions(rule: rule)
        var fleet = try Fleet(index, options: options, deviceCount: 1)
        var found: [Crossing] = []
        try fleet.advance(0, to: fixes[0], into: &found)
        // Nothing but the state itself where nothing has begun.
        if count > 1000, case .coreLocation = rule { #expect(fleet.stateByteCount < 17 * 1024 * 16) }
        for fix in fixes.dropFirst() { try fleet.advance(0, to: fix, into: &found) }
        #expect(found == RuleOracle.crossings(fixes, RuleOracle.targets(regions), options))
        #expect(found.count == count)
      }
    }
  }

  /// What decisions keep of a device: 12 bytes for a region they are pending for, in room for 4, 8, 16.
  @Test func stateIsSmall() throws {
    let sizes = try [0, 1, 5, 16].map { count in
      let regions = (0..<count).map {
        Region(identifier: "\($0)", center: DetectorTests.home, radius: 1000 + Double($0))
      }
      var fleet = try Fleet(
        try RegionIndex(regions), options: CrossingOptions(rule: .coreLocation()), deviceCount: 100)
      var crossings: [Crossing] = []
      for device in 0..<100 {
        try fleet.advance(device, to: DetectorTests.fix(0, DetectorTests.north(3000)), into: &crossings)
        try fleet.advance(device, to: DetectorTests.fix(60, DetectorTests.home), into: &crossings)
      }
      let pending = fleet.stateByteCount / 100
      for device in 0..<100 {
        try fleet.advance(device, to: DetectorTests.fix(90, DetectorTests.home), into: &crossings)
      }
      #expect(crossings.count == 100 * count)
      return [pending, fleet.stateByteCount / 100]
    }
    // With something pending; and once the regions are occupied.
    #expect(sizes == [[80, 80], [136, 104], [184, 120], [280, 152]])
  }
}
