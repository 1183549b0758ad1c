import Testing
import VicinityGeodesy
import VicinityPolygon
import VicinityTestSupport

@testable import VicinityCrossings
@testable import VicinityIndex

/// A detector whose regions come and go, against one detector for each region.
@Suite struct UpdatableCrossingDetectorTests {
  static let rules: [CrossingRule] = [
    .geometric, .naive, .coreLocation(), .exitMargin(), .overlap(enter: 0.7, exit: 0.3),
  ]

  /// Watches one region by itself from when it was inserted.
  private final class Single {
    let index: RegionIndex
    let options: CrossingOptions
    var detector: CrossingDetector
    /// The state found last; nil as long as nothing is known.
    var isInside: Bool?

    init(_ region: Region, _ options: CrossingOptions) throws {
      index = try RegionIndex([region])
      self.options = options
      detector = try CrossingDetector(index, options: options)
    }

    /// Goes on from a state.
    func start(isInside: Bool, at coordinate: Coordinate, _ time: Timestamp) throws {
      detector = try CrossingDetector(
        index, options: options, occupied: isInside ? [0] : [], at: coordinate, time: time)
      self.isInside = isInside
    }

    /// The changes of state at a fix: sides and times.
    func advance(to fix: Fix) throws -> [(isInside: Bool, time: Timestamp)] {
      var changes: [(Bool, Timestamp)] = []
      for crossing in try detector.advance(to: fix) {
        changes.append((crossing.kind == .enter, crossing.time))
        isInside = crossing.kind == .enter
      }
      if isInside == nil, detector.isSettled {
        changes.append((!detector.occupied.isEmpty, fix.time))
        isInside = !detector.occupied.isEmpty
      }
      return changes
    }
  }

  private static func square(_ center: Coordinate, _ radius: Double, _ identifier: String) throws -> Region {
    let corners = [45.0, 135, 225, 315].map {
      Geodesic.uncheckedDirect(center, azimuth: $0, distance: radius).coordinate
    }
    return Region(identifier: identifier, polygon: try Polygon(exterior: corners))
  }

  @Test(arguments: rules, [RegionFamily.dense, .duplicate, .polar, .antimeridian])
  func agreesWithOneDetectorForEachRegion(_ rule: CrossingRule, _ family: RegionFamily) throws {
    for seed in UInt64(0)..<6 {
      try run(rule, family, seed: 5100 + seed, steps: 150)
    }
  }

  /// Two hundred insertions in one step: the tree splits and is repacked below the neighbourhood.
  @Test(arguments: rules) func agreesWhileTheTreeIsRebuilt(_ rule: CrossingRule) throws {
    try run(rule, .dense, seed: 5150, steps: 40, burst: 200)
  }

  private func run(
    _ rule: CrossingRule, _ family: RegionFamily, seed: UInt64, steps: Int, burst: Int = 3
  ) throws {
    var random = SplitMix64(seed: seed)
    var shapes = family.circles(60, seed: seed)
    if family == .dense {
      for i in 0..<20 {
        guard case .circle(let center, let radius) = shapes[i].shape else { continue }
        shapes[i] = try Self.square(center, radius, "square \(i)")
      }
    }
    var track = TrackGenerator.hops(steps, among: shapes, family, seed: seed)
    if seed % 2 == 0, case .circle(let center, _) = shapes[59].shape {
      track = TrackGenerator.walk(
        steps, from: center, steps: 10...400, turn: 90, interval: 8_000_000, seed: seed)
    }
    let options = CrossingOptions(maximumGap: .seconds(300), rule: rule)
    var index = try UpdatableRegionIndex()
    var detector = try UpdatableCrossingDetector(options)
    var singles: [Int: Single] = [:]
    var made = 0
    var changeCount = 0
    var last: Fix?
    for (step, original) in track.enumerated() {
      var fix = original
      fix.horizontalAccuracy = random.uniform(3...80)
      for _ in 0..<random.below(burst + 1) {
        let shape = shapes[random.below(shapes.count)].shape
        made += 1
        let region = Region(identifier: "\(made)", shape: shape)
        let ordinal = try index.insert(region)
        let isKnown = step >= 3 && random.below(3) == 0
        let isInside = isKnown ? random.below(2) == 0 : nil
        detector.insert(ordinal, isInside: isInside)
        let single = try Single(region, options)
        if let isInside {
          let before = Timestamp(microseconds: fix.time.microseconds - 301_000_000)
          try single.start(isInside: isInside, at: fix.coordinate, before)
        }
        singles[ordinal] = single
      }
      let live = singles.keys.sorted()
      if live.count > 12 * burst || step == steps / 2 {
        // At half time all go.
        for ordinal in live where step == steps / 2 || random.below(2) == 0 {
          let identifier = try #require(index.identifier(of: ordinal))
          #expect(try index.remove(identifier) == ordinal)
          detector.remove(ordinal)
          singles[ordinal] = nil
        }
      }
      if random.below(4) == 0, let ordinal = singles.keys.sorted().randomElement(&random), let last,
        rule != .geometric
      {
        let isInside = random.below(2) == 0
        // A region that no fix has been compared with yet begins there.
        if singles[ordinal]?.isInside != nil {
          detector.report(ordinal, isInside: isInside)
          try singles[ordinal]?.start(isInside: isInside, at: last.coordinate, last.time)
        }
      }
      // No track begins with such a fix; where one has begun, it may tell that the device is outside a far
      // newcomer.
      let undetermined = singles.values.count { $0.isInside == nil }
      let isCoarse = step < 3 ? undetermined == singles.count : undetermined == 0
      if isCoarse, step < 3 || random.below(10) == 0 { fix.horizontalAccuracy = 30_000 }
      var findings: [UpdatableCrossingDetector.Finding] = []
      #expect(try detector.advance(to: fix, in: index, into: &findings))
      var found: [Int: [UpdatableCrossingDetector.Finding]] = [:]
      for finding in findings { found[finding.ordinal, default: []].append(finding) }
      #expect(
        found.keys.allSatisfy { singles[$0] != nil }, "seed \(seed), step \(step): a region that is gone")
      for ordinal in singles.keys.sorted() {
        var state = singles[ordinal]?.isInside
        let expected = try singles[ordinal]?.advance(to: fix) ?? []
        // A state that was known already says nothing new.
        let new = (found[ordinal] ?? []).filter { finding in
          defer { state = finding.isInside }
          return finding.isInside != state
        }
        changeCount += expected.count
        #expect(
          new.map(\.isInside) == expected.map(\.isInside) && new.map(\.time) == expected.map(\.time),
          "seed \(seed), \(rule.name), step \(step), ordinal \(ordinal): \(new), expected \(expected)")
      }
      last = fix
    }
    #expect(changeCount > steps / 8, "seed \(seed): only \(changeCount) changes")
  }

  /// The detector shares the index only while it looks at it.
  @Test func theIndexIsNeverCopied() throws {
    var index = try UpdatableRegionIndex(RegionFamily.dense.circles(100, seed: 5200))
    var detector = try UpdatableCrossingDetector(CrossingOptions())
    for ordinal in 0..<100 { detector.insert(ordinal, isInside: nil) }
    let storage = ObjectIdentifier(index.storage)
    var findings: [UpdatableCrossingDetector.Finding] = []
    let isAccepted = try detector.advance(
      to: DetectorTests.fix(0, DetectorTests.home), in: index, into: &findings)
    #expect(isAccepted && findings.count == 100)
    let revision = index.revision
    let removed = try index.remove(RegionFamily.dense.circles(1, seed: 5200)[0].identifier)
    #expect(removed == 0)
    #expect(ObjectIdentifier(index.storage) == storage)
    #expect(index.revision != revision)
  }
}

extension Array {
  fileprivate func randomElement(_ random: inout SplitMix64) -> Element? {
    isEmpty ? nil : self[random.below(count)]
  }
}
