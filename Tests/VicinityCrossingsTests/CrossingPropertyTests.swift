import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinityCrossings

/// What must hold of crossings whatever the regions and the track.
@Suite struct CrossingPropertyTests {
  static let steps = [0.2...30.0, 50...3000, 1000...60_000]

  static func track(_ regions: [Region], _ count: Int, _ steps: ClosedRange<Double>, seed: UInt64) -> [Fix] {
    TrackGenerator.walk(
      count, from: CrossingOracleTests.center(regions[Int(seed % 11)]), steps: steps, interval: 20_000_000,
      seed: seed)
  }

  /// Every state at every fix is the index's own, and events are its changes.
  @Test(arguments: RegionFamily.allCases, steps)
  func statesAreTheIndexs(_ family: RegionFamily, _ steps: ClosedRange<Double>) throws {
    let seed: UInt64 = 9100
    let regions = family.circles(500, seed: seed)
    let index = try RegionIndex(regions)
    var detector = try CrossingDetector(index)
    var inside: Set<Int> = []
    var last = Int64.min
    for (i, fix) in Self.track(regions, 300, steps, seed: seed).enumerated() {
      let crossings = try detector.advance(to: fix)
      for crossing in crossings {
        if crossing.kind == .enter {
          #expect(inside.insert(crossing.region).inserted, "\(family), seed \(seed): \(crossing)")
        } else {
          #expect(inside.remove(crossing.region) != nil, "\(family), seed \(seed): \(crossing)")
        }
        #expect(crossing.time.microseconds >= last && crossing.time <= fix.time)
      }
      last = fix.time.microseconds
      let truth = Set(try index.containing(fix.coordinate).map(\.ordinal))
      if i == 0 { inside = truth }
      #expect(inside == truth, "\(family), seed \(seed), fix \(i)")
      #expect(detector.occupied == truth.sorted())
    }
  }

  /// Neither the bulk call nor where it is cut, nor what the detector was used for before, changes a result.
  @Test(arguments: RegionFamily.allCases, steps)
  func anyWayOfGivingFixes(_ family: RegionFamily, _ steps: ClosedRange<Double>) throws {
    let seed: UInt64 = 9200
    let regions = family.circles(500, seed: seed)
    let index = try RegionIndex(regions)
    let fixes = Self.track(regions, 300, steps, seed: seed)
    let options = CrossingOptions(dwell: .seconds(45))
    let expected = try TrackGenerator.crossings(fixes, index, options)
    var detector = try CrossingDetector(index, options: options)
    var random = SplitMix64(seed: seed)
    for _ in 0..<3 {
      detector.reset()
      var found: [Crossing] = []
      var i = 0
      while i < fixes.count {
        let end = min(fixes.count, i + 1 + random.below(60))
        try detector.advance(through: fixes[i..<end].span, into: &found)
        i = end
      }
      #expect(found == expected, "\(family), seed \(seed)")
    }
  }

  /// Turning back again and again among small circles: a disc without boundaries that the device has left
  /// must not be taken for one that it is in, when the way back into it passes through a circle.
  @Test func turningBackAmongSmallCircles() throws {
    var passes = 0
    for seed in UInt64(9600)..<9660 {
      var random = SplitMix64(seed: seed)
      let middle = Coordinate(latitude: random.uniform(-60...60), longitude: random.uniform(-180...180))
      func place(within reach: Double) -> Coordinate {
        let distance = reach * random.unit().squareRoot()
        return Geodesic.uncheckedDirect(middle, azimuth: random.uniform(0...360), distance: distance)
          .coordinate
      }
      let index = try RegionIndex(
        (0..<30).map {
          Region(identifier: "\($0)", center: place(within: 300), radius: random.logUniform(1...20))
        })
      let fixes = (0..<2000).map { i in
        Fix(
          time: Timestamp(microseconds: 1_600_000_000_000_000 + 1_000_000 * Int64(i)),
          coordinate: place(within: random.logUniform(20...300)))
      }
      let expected = try TrackGenerator.crossings(fixes, index)
      var found: [Crossing] = []
      var detector = try CrossingDetector(index)
      try detector.advance(through: fixes[0..<fixes.count].span, into: &found)
      let isSame = found == expected
      #expect(isSame, "seed \(seed): \(found.count) crossings, not \(expected.count)")
      // Many at once, then some one by one, and so on.
      detector.reset()
      found.removeAll()
      var i = 0
      while i < fixes.count {
        let end = min(fixes.count, i + 1 + random.below(40))
        try detector.advance(through: fixes[i..<end].span, into: &found)
        i = end
        for _ in 0..<random.below(10) where i < fixes.count {
          found += try detector.advance(to: fixes[i])
          i += 1
        }
      }
      let isSameMixed = found == expected
      #expect(isSameMixed, "seed \(seed): \(found.count) crossings mixed, not \(expected.count)")
      passes += expected.count
    }
    #expect(passes > 30_000)
  }

  /// The way back crosses the same boundaries at the same places, the other way.
  @Test(arguments: RegionFamily.allCases, steps)
  func reversal(_ family: RegionFamily, _ steps: ClosedRange<Double>) throws {
    let seed: UInt64 = 9300
    let regions = family.circles(500, seed: seed)
    let index = try RegionIndex(regions)
    let fixes = Self.track(regions, 200, steps, seed: seed)
    let there = try TrackGenerator.crossings(fixes, index)
    let end = fixes[fixes.count - 1].time.microseconds
    let start = fixes[0].time.microseconds
    let back = try TrackGenerator.crossings(
      fixes.reversed().map {
        Fix(time: Timestamp(microseconds: start + end - $0.time.microseconds), coordinate: $0.coordinate)
      }, index)
    let turned = back.reversed().map { crossing in
      var turned = crossing
      turned.kind = crossing.kind == .enter ? .exit : .enter
      turned.time.microseconds = start + end - crossing.time.microseconds
      return turned
    }
    Self.expectSame(there, turned, fixes, "\(family), seed \(seed)")
  }

  /// The same crossings, as far as a micrometre of boundary distance tells: where a way grazes a boundary the
  /// slowest of these touches is known to 100 µs and the way gone in that time.
  private static func expectSame(_ a: [Crossing], _ b: [Crossing], _ fixes: [Fix], _ comment: Comment) {
    func sorted(_ crossings: [Crossing]) -> [Crossing] {
      crossings.sorted { ($0.region, $0.time) < ($1.region, $1.time) }
    }
    #expect(a.count == b.count, comment)
    var leg = 1
    for (x, y) in zip(sorted(a), sorted(b)) {
      if fixes[leg - 1].time > x.time { leg = 1 }
      while leg < fixes.count - 1, fixes[leg].time < x.time { leg += 1 }
      let (from, to) = (fixes[leg - 1], fixes[leg])
      let way = Geodesic.uncheckedDistance(from.coordinate, to.coordinate)
      let gone = way / to.time.seconds(since: from.time) * 100e-6
      let apart = Geodesic.uncheckedDistance(x.coordinate, y.coordinate)
      #expect(
        x.region == y.region && x.kind == y.kind && abs(x.time.microseconds - y.time.microseconds) <= 100
          && apart <= gone + 2e-6, "\(comment): \(x), \(y), \(apart) m")
    }
  }

  /// Fixes put in between, on the way, change nothing but what is shallower than a millimetre.
  @Test(arguments: RegionFamily.allCases, steps)
  func refinement(_ family: RegionFamily, _ steps: ClosedRange<Double>) throws {
    let seed: UInt64 = 9400
    let regions = family.circles(500, seed: seed)
    let index = try RegionIndex(regions)
    let fixes = Self.track(regions, 100, steps, seed: seed)
    let expected = try TrackGenerator.crossings(fixes, index)
    var fine = [fixes[0]]
    for (a, b) in zip(fixes, fixes.dropFirst()) {
      let way = CrossingOracle.Way(a.coordinate, b.coordinate)
      let duration = b.time.microseconds - a.time.microseconds
      for k in 1..<4 where duration > 8 {
        let part = duration * Int64(k) / 4
        fine.append(
          Fix(
            time: Timestamp(microseconds: a.time.microseconds + part),
            coordinate: way.place(way.length * Double(part) / Double(duration))))
      }
      fine.append(b)
    }
    let found = try TrackGenerator.crossings(fine, index)
    Self.expectSame(found, expected, fixes, "\(family), seed \(seed)")
  }

  /// Boundaries grazed at depths from a micrometre to a metre, and missed by as much.
  @Test func grazing() throws {
    var random = SplitMix64(seed: 9500)
    for radius in [0.0, 1, 50, 2000, 40_000, 600_000] {
      for _ in 0..<16 {
        let center = Coordinate(latitude: random.uniform(-80...80), longitude: random.uniform(-180...180))
        let index = try RegionIndex([Region(identifier: "c", center: center, radius: radius)])
        let depth = random.logUniform(1e-7...1) * (random.unit() < 0.5 ? -1 : 1)
        let azimuth = random.uniform(0...360)
        // The way's nearest point to the centre, and the way at right angles to the radius there.
        let foot = Geodesic.uncheckedDirect(center, azimuth: azimuth, distance: max(0, radius - depth))
        let reach = random.logUniform(0.5...8000)
        let fixes = [-90.0, 90].enumerated().map { i, turn in
          DetectorTests.fix(
            Double(i) * 100,
            Geodesic.uncheckedDirect(foot.coordinate, azimuth: foot.azimuth + turn, distance: reach)
              .coordinate)
        }
        let distances = [CrossingOracle.circle(center, radius)]
        let crossings = try TrackGenerator.crossings(fixes, index)
        let message = disagreement(
          crossings, CrossingOracle.events(fixes, distances), fixes, distances)
        #expect(message == nil, "radius \(radius), depth \(depth), reach \(reach), \(center)")
      }
    }
  }

  /// Fixes on boundaries, at centres and at antipodes, in circles without room and without end.
  @Test func awkwardPlaces() throws {
    var random = SplitMix64(seed: 9600)
    let centers = [
      Coordinate(latitude: 0, longitude: 0), Coordinate(latitude: 90, longitude: 0),
      Coordinate(latitude: -90, longitude: 50), Coordinate(latitude: 10, longitude: 180),
      Coordinate(latitude: -48, longitude: -123),
    ]
    let radii = [0, 100, 1e6, 8.9e6, 9.2e6, 1e7, 1.5e7, 1.99e7, 2.0003e7, 3e7]
    let regions = centers.flatMap { center in
      radii.enumerated().map { i, radius in
        Region(identifier: "\(center) \(i)", center: center, radius: radius)
      }
    }
    let index = try RegionIndex(regions)
    let distances = CrossingOracle.distances(regions)
    var places: [Coordinate] = []
    for center in centers {
      let antipode = Coordinate(latitude: -center.latitude, longitude: center.longitude + 180)
      places += [center, antipode]
      places.append(Geodesic.uncheckedDirect(antipode, azimuth: 30, distance: 20_000).coordinate)
      for radius in radii where radius < 2e7 {
        places.append(
          Geodesic.uncheckedDirect(center, azimuth: random.uniform(0...360), distance: radius).coordinate)
      }
    }
    for round in 0..<3 {
      places.shuffle(using: &random)
      let fixes = places.enumerated().map { DetectorTests.fix(Double($0.offset) * 250, $0.element) }
      var detector = try CrossingDetector(index)
      var inside: Set<Int> = []
      var all: [Crossing] = []
      for (i, fix) in fixes.enumerated() {
        for crossing in try detector.advance(to: fix) {
          let changed =
            crossing.kind == .enter
            ? inside.insert(crossing.region).inserted : inside.remove(crossing.region) != nil
          #expect(changed, "round \(round): \(crossing)")
          all.append(crossing)
        }
        if i == 0 { inside = Set(detector.occupied) }
        #expect(Set(try index.containing(fix.coordinate).map(\.ordinal)) == inside)
      }
      // Two of the ways, from end to end, against the oracle.
      for i in [1, 2 + round] {
        let part = Array(fixes[i - 1...i])
        let message = disagreement(
          try TrackGenerator.crossings(part, index), CrossingOracle.events(part, distances), part, distances,
          tolerance: 2e-6)
        #expect(message == nil, "round \(round), fixes \(part)")
      }
    }
  }
}
