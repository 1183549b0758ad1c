import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinityCrossings

/// What each rule reports of short tracks by the second.
@Suite struct RuleTraceTests {
  /// A fix so many seconds after the first, at a boundary distance, of an accuracy.
  struct Step {
    var seconds: Double
    var distance: Double
    var accuracy: Double

    init(_ seconds: Double, _ distance: Double, _ accuracy: Double = 5) {
      (self.seconds, self.distance, self.accuracy) = (seconds, distance, accuracy)
    }
  }

  /// The events of one circle, as "enter 40" and so on; "inferred" behind it where it is.
  static func events(
    _ rule: CrossingRule, radius: Double = 1000, dwell: Duration? = nil, gap: Duration = .seconds(300),
    _ steps: [Step]
  ) throws -> [String] {
    let index = try RegionIndex([
      Region(identifier: "r", center: DetectorTests.home, radius: radius)
    ])
    let fixes = steps.map {
      DetectorTests.fix($0.seconds, DetectorTests.north(radius + $0.distance), accuracy: $0.accuracy)
    }
    let options = CrossingOptions(maximumGap: gap, dwell: dwell, rule: rule)
    return try TrackGenerator.crossings(fixes, index, options).map { crossing in
      let fix = try #require(fixes.first { $0.time == crossing.time })
      #expect(fix.coordinate == crossing.coordinate)
      return "\(crossing.kind) \(Int(DetectorTests.seconds(crossing)))"
        + (crossing.isInferred ? " inferred" : "")
    }
  }

  @Test func naive() throws {
    #expect(
      try Self.events(
        .naive, [Step(0, 50), Step(10, 1), Step(20, -0.01), Step(30, 0.01), Step(40, -500), Step(50, 3000)])
        == ["enter 20", "exit 30", "enter 40", "exit 50"])
    // The state at the first fix is none; accuracy counts for nothing; a gap makes what it hides inferred.
    #expect(try Self.events(.naive, [Step(0, -50, 900), Step(10, 5, 900)]) == ["exit 10"])
    #expect(try Self.events(.naive, [Step(0, -50), Step(1000, 5)]) == ["exit 1000 inferred"])
    // A pass between two fixes is not seen.
    #expect(try Self.events(.naive, radius: 50, [Step(0, 100), Step(10, -150), Step(20, 100)]) == [])
  }

  @Test func exitMargin() throws {
    let walk = [
      Step(0, 50), Step(10, -1), Step(20, 19), Step(30, 99), Step(40, 101), Step(50, 20), Step(60, 0.01),
      Step(70, -0.01),
    ]
    // 0.1 r = 100 m; and 20 m where that is less.
    #expect(try Self.events(.exitMargin(), walk) == ["enter 10", "exit 40", "enter 70"])
    #expect(try Self.events(.exitMargin(), radius: 150, walk) == ["enter 10", "exit 30", "enter 70"])
    #expect(
      try Self.events(.exitMargin(fraction: 0, minimum: 0), walk) == ["enter 10", "exit 20", "enter 70"])
  }

  @Test func overlap() throws {
    // A straight boundary would be crossed by 85 % of a disc at d = −0.585 a, by 15 % at 0.585 a.
    #expect(
      try Self.events(
        .overlap(), radius: 100_000,
        [
          Step(0, 500, 100), Step(10, -58, 100), Step(20, -59, 100), Step(30, 58, 100), Step(40, -59, 100),
          Step(50, 59, 100), Step(60, -5, 100), Step(70, -5, 5), Step(80, 3, 0), Step(90, -0.001, 0),
        ]) == ["enter 20", "exit 50", "enter 70", "exit 80", "enter 90"])
    // Open at first: the disc straddles. Entered then without an event, left with one.
    #expect(
      try Self.events(.overlap(), [Step(0, 3, 50), Step(10, -40, 50), Step(20, 60, 50)]) == ["exit 20"])
    // A disc that holds the whole region leaves too little of it to be in it: (100 / 300)² = 0.11.
    #expect(
      try Self.events(.overlap(), radius: 100, [Step(0, -100, 5), Step(10, -100, 300), Step(20, -100, 60)])
        == ["exit 10", "enter 20"])
  }

  @Test func coreLocation() throws {
    let rule = CrossingRule.coreLocation()
    // Beyond the cushion at 20 s, still at 30, and at 40 for twenty seconds.
    #expect(
      try Self.events(
        rule,
        [Step(0, 500), Step(10, -199), Step(20, -200.01), Step(30, -300), Step(40, -700), Step(50, -700)])
        == ["enter 40"])
    // Not for long enough; back in between begins anew.
    #expect(
      try Self.events(
        rule,
        [
          Step(0, 500), Step(10, -250), Step(29, -250), Step(30, -150), Step(40, -250), Step(59, -250),
          Step(60, -250),
        ])
        == ["enter 60"])
    // Back over the boundary and out again: the same cushion the other way.
    #expect(
      try Self.events(
        rule,
        [
          Step(0, -500), Step(10, 100), Step(20, 199), Step(30, 250), Step(49, 250), Step(50, 250),
          Step(60, -100), Step(90, -100), Step(120, 100),
        ]) == ["exit 50"])
    // A disc that straddles the boundary is no fix: it neither begins nor ends nor confirms.
    #expect(
      try Self.events(
        rule,
        [
          Step(0, 500), Step(10, -250, 251), Step(20, -250, 249), Step(30, 100, 101), Step(40, -250, 300),
          Step(45, -250, 249),
        ]) == ["enter 45"])
    // A fix that is certain to be elsewhere does end it.
    #expect(
      try Self.events(
        rule, [Step(0, 500), Step(20, -250), Step(30, 100, 99), Step(40, -250), Step(50, -250)]) == [])
    // A gap begins what is pending anew; a decision at the fix that ends one is inferred.
    #expect(
      try Self.events(
        rule, gap: .seconds(30),
        [Step(0, 500), Step(10, -250), Step(41, -250), Step(51, -250), Step(61, -250)])
        == ["enter 61"])
    #expect(
      try Self.events(
        .coreLocation(.init(timeToRemain: .zero)), gap: .seconds(30),
        [Step(0, 500), Step(10, -250), Step(41, 250)]) == ["enter 10", "exit 41 inferred"])
    // Gaps shorter than the time to remain: nothing is ever decided with fixes that far apart.
    #expect(
      try Self.events(
        rule, gap: .seconds(15), [Step(0, 500), Step(10, -300), Step(40, -300), Step(70, -300)]) == [])
  }

  @Test func coreLocationBeginnings() throws {
    let rule = CrossingRule.coreLocation()
    // Inside at first, by whatever depth, causes none; a coarse fix leaves it open until one can tell.
    #expect(try Self.events(rule, [Step(0, -10), Step(30, -500), Step(60, -500)]) == [])
    #expect(
      try Self.events(rule, [Step(0, 100, 1414), Step(10, -300, 10), Step(40, -300, 10)]) == [])
    #expect(
      try Self.events(
        rule,
        [Step(0, 100, 1414), Step(10, -300, 310), Step(20, -300, 10), Step(30, 300), Step(50, 300)])
        == ["exit 50"])
    // One of 20 km and more begins nothing, not even with regions far off.
    #expect(
      try Self.events(
        rule, [Step(0, 300_000, 20_001), Step(100, -300, 10), Step(200, -300, 10)]) == [])
    #expect(
      try Self.events(
        rule, [Step(0, 300_000, 19_999), Step(100, -300, 10), Step(200, -300, 10)]) == ["enter 200"])
  }

  /// Inwards half the radius, up to the cushion.
  @Test(arguments: [(10.0, 5.0), (100, 50), (399, 199.5), (400, 200), (5000, 200)])
  func smallRegions(_ radius: Double, _ cushion: Double) throws {
    func events(_ depth: Double) throws -> [String] {
      try Self.events(
        .coreLocation(), radius: radius, [Step(0, 500, 1), Step(10, -depth, 1), Step(30, -depth, 1)])
    }
    #expect(try events(cushion - 0.01) == [])
    #expect(try events(cushion + 0.01) == ["enter 30"])
  }

  /// From the reported entry on, at fixes, and only while the region is reported to hold the device.
  @Test func dwelling() throws {
    let stay = [
      Step(0, 500), Step(10, -250), Step(30, -250), Step(60, -250), Step(95, -250), Step(100, -250),
    ]
    #expect(
      try Self.events(.coreLocation(), dwell: .seconds(60), stay) == ["enter 30", "dwell 95"])
    #expect(try Self.events(.naive, dwell: .seconds(60), stay) == ["enter 10", "dwell 95"])
    #expect(
      try Self.events(.naive, dwell: .seconds(60), [Step(0, 50), Step(10, -5), Step(80, 5)])
        == ["enter 10", "exit 80"])
    // From the first determination where it began inside.
    #expect(try Self.events(.naive, dwell: .seconds(60), [Step(0, -5), Step(60, -5)]) == ["dwell 60"])
    #expect(
      try Self.events(
        .coreLocation(), dwell: .seconds(60),
        [Step(0, -5, 50), Step(50, -5, 4), Step(109, -5, 50), Step(110, -5, 50)]) == ["dwell 110"])
    #expect(
      try Self.events(.naive, dwell: .seconds(60), [Step(0, -5), Step(400, -5)]) == ["dwell 400 inferred"])
  }

  @Test func choices() throws {
    let index = try DetectorTests.row(5)
    let fixes = (0...1000).map { DetectorTests.fix(Double($0), DetectorTests.north(-500 + 6 * Double($0))) }
    for rule in RuleOracleTests.rules + [.geometric] {
      let all = try TrackGenerator.crossings(fixes, index, CrossingOptions(dwell: .seconds(5), rule: rule))
      var options = CrossingOptions(
        dwell: .seconds(5), rule: rule, notifyOnEntry: .only([1, 3]), notifyOnExit: false)
      #expect(
        try TrackGenerator.crossings(fixes, index, options)
          == all.filter { $0.kind == .dwell || ($0.kind == .enter && $0.region % 2 == 1) })
      options.notifyOnEntry = .allExcept([1])
      options.notifyOnExit = true
      #expect(
        try TrackGenerator.crossings(fixes, index, options)
          == all.filter { $0.kind != .enter || $0.region != 1 })
    }
    #expect(RegionChoice.only([0, 64]) == .only([64, 0, -1]))
    #expect(RegionChoice.only([Int]()) == RegionChoice.none)
    #expect(RegionChoice.all.contains(.max) && !RegionChoice.none.contains(-1))
  }

  @Test func namesAndRanges() throws {
    for name in CrossingRule.names { #expect(CrossingRule(name: name)?.name == name) }
    #expect(CrossingRule(name: "Geometric") == nil)
    #expect(CrossingRule(name: "core-location") == .coreLocation(CoreLocationParameters()))
    let bad: [CrossingRule] = [
      .coreLocation(.init(cushion: -1)), .coreLocation(.init(cushion: .nan)),
      .coreLocation(.init(timeToRemain: .seconds(-1))), .coreLocation(.init(inwardShare: 1.1)),
      .exitMargin(fraction: -0.1), .exitMargin(minimum: .infinity), .overlap(enter: 0.5),
      .overlap(enter: 0.6, exit: 0.6), .overlap(exit: -0.1), .overlap(enter: .nan),
    ]
    let index = try DetectorTests.row(1)
    for rule in bad {
      #expect(throws: CrossingOptionsError.self) {
        _ = try Fleet(index, options: CrossingOptions(rule: rule))
      }
    }
  }
}
