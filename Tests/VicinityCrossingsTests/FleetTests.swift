import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinityCrossings

/// Many devices in one stream: the crossings of each alone, in little room, through snapshots.
@Suite struct FleetTests {
  struct Step {
    var device: Int
    var fix: Fix
  }

  /// Walks of many devices among regions, in one stream by time.
  static func stream(
    _ devices: Int, _ count: Int, among regions: [Region], steps: ClosedRange<Double>, seed: UInt64
  ) -> [Step] {
    (0..<devices).flatMap { device in
      TrackGenerator.walk(
        count, from: CrossingOracleTests.center(regions[device % regions.count]), steps: steps,
        interval: 40_000_000, seed: seed &+ UInt64(device) &* 77
      ).map { Step(device: device, fix: $0) }
    }
    .sorted { ($0.fix.time, $0.device) < ($1.fix.time, $1.device) }
  }

  struct Event: Hashable {
    var device: Int
    var crossing: Crossing
  }

  /// Each device's crossings by a detector of its own.
  static func expected(
    _ stream: [Step], _ index: RegionIndex, _ options: CrossingOptions
  ) throws -> [Int: [Crossing]] {
    var tracks: [Int: [Fix]] = [:]
    for step in stream { tracks[step.device, default: []].append(step.fix) }
    return try tracks.mapValues { try TrackGenerator.crossings($0, index, options) }
  }

  /// A radius that fits where there are few regions reaches into a city, of which no neighbourhood may keep
  /// all.
  @Test func neighborhoodsStaySmallBesideACity() throws {
    let seed: UInt64 = 5200
    var random = SplitMix64(seed: seed)
    let city = Coordinate(latitude: 48.2, longitude: 16.37)
    let index = try RegionIndex(
      (0..<30_000).map { i in
        Region(
          identifier: "\(i)",
          center: Coordinate(
            latitude: city.latitude + random.uniform(-0.05...0.05),
            longitude: city.longitude + random.uniform(-0.08...0.08)), radius: random.uniform(20...80))
      })
    var fleet = try Fleet(index, deviceCount: 40)
    var crossings: [Crossing] = []
    for device in 0..<40 {
      let start = try Geodesic.direct(
        from: city, azimuth: random.uniform(0...360), distance: random.uniform(20_000...60_000)
      ).coordinate
      for fix in TrackGenerator.walk(
        60, from: start, steps: 200...2000, interval: 40_000_000, seed: seed &+ UInt64(device))
      {
        try fleet.advance(device, to: fix, into: &crossings)
      }
    }
    // 20 to 60 kB each; all of the city would take more than a megabyte.
    let each = fleet.neighborhoodByteCount / 40
    #expect(each < 100_000, "seed \(seed): \(each) bytes")
  }

  @Test(arguments: [(40, 80), (1500, 25)])
  func sameAsDetectors(_ devices: Int, _ count: Int) throws {
    let seed: UInt64 = 5100
    for family in [RegionFamily.dense, .nested, .clustered, .antimeridian] {
      let regions = family.circles(300, seed: seed)
      let index = try RegionIndex(regions)
      let options = CrossingOptions(maximumGap: .seconds(60), dwell: .seconds(50))
      let stream = Self.stream(devices, count, among: regions, steps: 5...900, seed: seed)
      var fleet = try Fleet(index, options: options, deviceCount: devices)
      var found: [Int: [Crossing]] = [:]
      var crossings: [Crossing] = []
      for step in stream {
        crossings.removeAll(keepingCapacity: true)
        try fleet.advance(step.device, to: step.fix, into: &crossings)
        found[step.device, default: []] += crossings
      }
      #expect(fleet.counts.fixes == stream.count)
      for (device, expected) in try Self.expected(stream, index, options) {
        #expect(found[device] ?? [] == expected, "\(family), seed \(seed), device \(device)")
      }
    }
  }

  /// Many fixes of a device at once, of devices that share neighbourhoods too: the crossings, counts and
  /// states of one after the other; and the first fix that is refused is told by its position.
  @Test(arguments: [(40, 160), (1500, 20)])
  func manyFixesAtOnce(_ devices: Int, _ count: Int) throws {
    let seed: UInt64 = 5300
    for (family, rule) in [
      (RegionFamily.dense, CrossingRule.geometric), (.nested, .geometric), (.antimeridian, .coreLocation()),
    ] {
      let regions = family.circles(300, seed: seed)
      let index = try RegionIndex(regions)
      let options = CrossingOptions(maximumGap: .seconds(60), dwell: .seconds(50), rule: rule)
      let stream = Self.stream(devices, count, among: regions, steps: 5...900, seed: seed)
      var one = try Fleet(index, options: options, deviceCount: devices)
      var many = try Fleet(index, options: options, deviceCount: devices)
      var total = 0
      for device in 0..<devices {
        let fixes = stream.filter { $0.device == device }.map(\.fix)
        var (wanted, found): ([Crossing], [Crossing]) = ([], [])
        for fix in fixes { try one.advance(device, to: fix, into: &wanted) }
        for start in stride(from: 0, to: fixes.count, by: 7) {
          let piece = fixes[start..<min(fixes.count, start + 7)]
          try many.advance(device, through: piece.span, into: &found)
        }
        #expect(found == wanted, "seed \(seed), device \(device)")
        total += found.count
      }
      #expect(many.counts == one.counts)
      for device in 0..<devices {
        #expect(many.occupied(by: device) == one.occupied(by: device))
        #expect(many.lastTime(of: device) == one.lastTime(of: device))
      }
      #expect(total > 50)
      let past = [
        Fix(time: .distantFuture, coordinate: .init(latitude: 1, longitude: 1)),
        Fix(time: .distantPast, coordinate: .init(latitude: 1, longitude: 1)),
      ]
      var rest: [Crossing] = []
      do throws(LocatedTrackError) {
        try many.advance(0, through: past[0..<past.count].span, into: &rest)
        Issue.record("time ran backwards")
      } catch { #expect(error.index == 1) }
    }
  }

  @Test func snapshotsChangeNothing() throws {
    let seed: UInt64 = 5200
    var random = SplitMix64(seed: seed)
    for family in [RegionFamily.dense, .concentric, .polar] {
      for dwell in [nil, Duration.seconds(45)] {
        let regions = family.circles(200, seed: seed)
        let index = try RegionIndex(regions)
        let options = CrossingOptions(maximumGap: .seconds(60), dwell: dwell)
        let stream = Self.stream(25, 60, among: regions, steps: 5...900, seed: seed)
        var fleet = try Fleet(index, options: options)
        var names = DeviceNames()
        var found: [Int: [Crossing]] = [:]
        for step in stream {
          if random.below(40) == 0 {
            let bytes = fleet.snapshot(names: names)
            var restoredNames = DeviceNames()
            let restored = try Fleet.restored(fromSnapshot: bytes, index: index, names: &restoredNames)
            #expect(restored.snapshot(names: restoredNames) == bytes)
            #expect(restored.options == options && restored.counts == fleet.counts)
            fleet = restored
            names = restoredNames
          }
          let device = names.insert("device \(step.device)")
          fleet.reserveDevices(names.count)
          var crossings: [Crossing] = []
          try fleet.advance(device, to: step.fix, into: &crossings)
          found[step.device, default: []] += crossings
        }
        for (device, expected) in try Self.expected(stream, index, options) {
          #expect(found[device] ?? [] == expected, "\(family), seed \(seed), device \(device)")
        }
      }
    }
  }

  /// A fix at the end of time, which databases write for infinity, leaves a state that can be read.
  @Test(arguments: [nil, Duration.seconds(60)])
  func fixesAtTheEndOfTimeAreKept(_ dwell: Duration?) throws {
    let regions = RegionFamily.dense.circles(20, seed: 1)
    let index = try RegionIndex(regions)
    for time in [Int64.max, .max - 1, .min] {
      var fleet = try Fleet(index, options: CrossingOptions(dwell: dwell), deviceCount: 1)
      var names = DeviceNames()
      names.insert("late")
      let fix = Fix(
        time: Timestamp(microseconds: time), coordinate: CrossingOracleTests.center(regions[0]))
      var crossings: [Crossing] = []
      try fleet.advance(0, to: fix, into: &crossings)
      #expect(!fleet.occupied(by: 0).isEmpty)
      let bytes = fleet.snapshot(names: names)
      var restoredNames = DeviceNames()
      let restored = try Fleet.restored(fromSnapshot: bytes, index: index, names: &restoredNames)
      #expect(restored.snapshot(names: restoredNames) == bytes)
    }
  }

  @Test func filesAreWholeAndTheirIndexKnown() throws {
    let regions = RegionFamily.dense.circles(50, seed: 1)
    let index = try RegionIndex(regions)
    var fleet = try Fleet(index, deviceCount: 3)
    var crossings: [Crossing] = []
    try fleet.advance(
      1, to: DetectorTests.fix(0, CrossingOracleTests.center(regions[0])), into: &crossings)
    let path = TemporaryFile.path("fleet")
    let indexPath = TemporaryFile.path("index")
    defer { TemporaryFile.remove(path, indexPath) }
    try fleet.write(to: path)
    #expect(try TemporaryFile.bytes(path) == fleet.snapshot())
    // The same regions from a file are the same regions; others are not.
    try index.write(to: indexPath)
    var names = DeviceNames()
    let restored = try Fleet.restored(
      from: path, index: try RegionIndex(contentsOf: indexPath), names: &names)
    #expect(restored.deviceCount == 3 && restored.occupied(by: 1) == fleet.occupied(by: 1))
    #expect(restored.lastTime(of: 0) == nil && restored.lastCoordinate(of: 1) == fleet.lastCoordinate(of: 1))
    let other = try RegionIndex(RegionFamily.dense.circles(50, seed: 2))
    #expect(
      throws: FleetSnapshotError.otherIndex(found: index.fingerprint, expected: other.fingerprint)
    ) { _ = try Fleet.restored(from: path, index: other, names: &names) }
    #expect(throws: FleetSnapshotError.self) {
      _ = try Fleet.restored(from: path + " that is not there", index: index, names: &names)
    }
    #expect(throws: FleetSnapshotError.self) { try fleet.write(to: "/dev/null") }
  }

  /// Bytes of all kinds: a fleet or an error, never a trap.
  @Test func hostileSnapshots() throws {
    let seed: UInt64 = 5300
    let regions = RegionFamily.dense.circles(60, seed: seed)
    let index = try RegionIndex(regions)
    var fleet = try Fleet(index, options: CrossingOptions(dwell: .seconds(5)))
    var names = DeviceNames()
    var crossings: [Crossing] = []
    for step in Self.stream(9, 5, among: regions, steps: 5...900, seed: seed) {
      let device = names.insert("n\(step.device)")
      fleet.reserveDevices(names.count)
      try fleet.advance(device, to: step.fix, into: &crossings)
    }
    let good = fleet.snapshot(names: names)
    var random = SplitMix64(seed: seed)
    for length in stride(from: 0, through: good.count, by: 13) {
      #expect(throws: FleetSnapshotError.self) {
        _ = try Fleet.restored(fromSnapshot: Array(good.prefix(length)), index: index, names: &names)
      }
    }
    var survivors = 0
    for round in 0..<4000 {
      var bytes = good
      for _ in 0..<1 + random.below(3) {
        let i = random.below(bytes.count)
        bytes[i] = random.unit() < 0.3 ? UInt8(random.below(256)) : bytes[i] ^ UInt8(1 << random.below(8))
      }
      if round % 4 != 0 { Self.reseal(&bytes) }
      do {
        var restored = try Fleet.restored(fromSnapshot: bytes, index: index, names: &names)
        survivors += 1
        for device in 0..<restored.deviceCount {
          let time = restored.lastTime(of: device)?.microseconds ?? 0
          let (next, overflow) = time.addingReportingOverflow(10_000_000)
          guard !overflow else { continue }
          let fix = Fix(
            time: Timestamp(microseconds: next), coordinate: CrossingOracleTests.center(regions[device]))
          try restored.advance(device, to: fix, into: &crossings)
        }
      } catch let error as FleetSnapshotError {
        #expect(!error.description.isEmpty)
      }
    }
    #expect(survivors > 100)
  }

  /// Recomputes the checksums, as somebody with ill intent would.
  static func reseal(_ bytes: inout [UInt8]) {
    IndexBytes.put(IndexBytes.hash(bytes[128...]), in: &bytes, at: 112)
    IndexBytes.put(IndexBytes.hash(bytes[..<120]), in: &bytes, at: 120)
  }

  /// At most 300 bytes with 16 occupied regions, and 4 for each further one.
  @Test(arguments: [nil, Duration.seconds(60)])
  func stateIsSmall(_ dwell: Duration?) throws {
    let each = dwell == nil ? 4 : 12
    for occupied in [0, 1, 15, 16, 17, 100, 1000] {
      let index = try RegionIndex(
        (0..<occupied).map {
          Region(identifier: "\($0)", center: DetectorTests.home, radius: 1000 + Double($0))
        })
      var fleet = try Fleet(index, options: CrossingOptions(dwell: dwell))
      var crossings: [Crossing] = []
      let devices = 500
      for device in 0..<devices {
        fleet.reserveDevices(device + 1)
        // From outside, one after the other, and in.
        try fleet.advance(
          device, to: DetectorTests.fix(0, DetectorTests.north(3000)), into: &crossings)
        try fleet.advance(device, to: DetectorTests.fix(200, DetectorTests.home), into: &crossings)
      }
      #expect(fleet.occupied(by: devices - 1).count == occupied)
      let bytes = Double(fleet.stateByteCount) / Double(devices)
      // Room comes for four regions at a time, which 300 bytes leave room for where nothing is due.
      let further = dwell == nil ? max(0, occupied - 16) : (max(0, occupied - 16) + 3) / 4 * 4
      #expect(bytes <= Double(300 + each * further), "\(occupied) regions: \(bytes) bytes")
      print("\(occupied) occupied regions\(dwell == nil ? "" : " with dwell"): \(bytes) bytes a device")
    }
    #expect(MemoryLayout<DeviceState>.stride == 80)
  }

  @Test func namesAreDense() throws {
    var names = DeviceNames()
    let all = (0..<3000).map { "device-\($0 % 1000)" } + ["", "ü", ""]
    let numbers = all.map { names.insert($0) }
    #expect(names.count == 1002)
    #expect(numbers.prefix(1000).elementsEqual(0..<1000))
    for (name, number) in zip(all, numbers) {
      #expect(names[number] == name)
      #expect(names.insert(ArraySlice(name.utf8).span) == number)
    }
  }
}
