import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinityCrossings

/// States, gaps, stays and refusals of one device.
@Suite struct DetectorTests {
  static let home = Coordinate(latitude: 48.2, longitude: 16.37)

  /// Circles of 100 m, 1 km apart, to the north of a point.
  static func row(_ count: Int, radius: Double = 100) throws -> RegionIndex {
    try RegionIndex(
      (0..<count).map { i in
        Region(identifier: "r\(i)", center: north(Double(i) * 1000), radius: radius)
      })
  }

  static func north(_ distance: Double) -> Coordinate {
    Geodesic.uncheckedDirect(home, azimuth: 0, distance: distance).coordinate
  }

  static func fix(_ seconds: Double, _ coordinate: Coordinate, accuracy: Double = 5) -> Fix {
    Fix(
      time: Timestamp(microseconds: 1_600_000_000_000_000 + Int64(seconds * 1e6)), coordinate: coordinate,
      horizontalAccuracy: accuracy)
  }

  static func seconds(_ crossing: Crossing) -> Double {
    crossing.time.seconds(since: Timestamp(microseconds: 1_600_000_000_000_000))
  }

  @Test func inAndOutBetweenTwoFixes() throws {
    var detector = try CrossingDetector(try Self.row(3))
    #expect(try detector.advance(to: Self.fix(0, Self.north(-500))).isEmpty)
    let crossings = try detector.advance(to: Self.fix(100, Self.north(2500)))
    #expect(crossings.map(\.region) == [0, 0, 1, 1, 2, 2])
    #expect(crossings.map(\.kind) == [.enter, .exit, .enter, .exit, .enter, .exit])
    for (crossing, distance) in zip(crossings, [-100.0, 100, 900, 1100, 1900, 2100]) {
      #expect(abs(Self.seconds(crossing) - (distance + 500) / 30) < 2e-6)
      #expect(!crossing.isInferred)
    }
    #expect(detector.occupied.isEmpty)
    #expect(detector.counts.fixes == 2)
  }

  /// 50 m circles passed at 30 m/s with fixes 15 s apart: no fix is inside, all are found.
  @Test func fastPasses() throws {
    let count = 40
    let index = try RegionIndex(
      (0..<count).map { i in
        let foot = Self.north(225 + 450 * Double(i))
        let side = Geodesic.uncheckedDirect(foot, azimuth: 90, distance: Double(i)).coordinate
        return Region(identifier: "\(i)", center: side, radius: 50)
      })
    let fixes = (0...count).map { Self.fix(15 * Double($0), Self.north(450 * Double($0))) }
    for fix in fixes { #expect(try index.containing(fix.coordinate).isEmpty) }
    let crossings = try TrackGenerator.crossings(fixes, index)
    #expect(crossings.map(\.region) == (0..<count).flatMap { [$0, $0] })
    for i in 0..<count {
      let chord = 2 * (50.0 * 50 - Double(i * i)).squareRoot()
      #expect(abs(crossings[2 * i + 1].time.seconds(since: crossings[2 * i].time) * 30 - chord) < 1e-3)
    }
  }

  @Test func theFirstFixIsSilent() throws {
    var detector = try CrossingDetector(try Self.row(1))
    #expect(detector.lastTime == nil && detector.lastCoordinate == nil && detector.occupied.isEmpty)
    #expect(try detector.advance(to: Self.fix(0, Self.home)).isEmpty)
    #expect(detector.occupied == [0])
    #expect(try detector.advance(to: Self.fix(10, Self.north(200))).map(\.kind) == [.exit])
    #expect(detector.lastCoordinate == Self.north(200))
    detector.reset()
    #expect(detector.occupied.isEmpty)
    #expect(try detector.advance(to: Self.fix(0, Self.home)).isEmpty)
    #expect(detector.occupied == [0])
    #expect(detector.counts.fixes == 3)
  }

  // MARK: Gaps

  @Test func gapsAreInferred() throws {
    var detector = try CrossingDetector(try Self.row(3))
    _ = try detector.advance(to: Self.fix(0, Self.home))
    // 300 s is no gap; 300.000001 s is.
    #expect(try detector.advance(to: Self.fix(300, Self.north(500))).map(\.isInferred) == [false])
    let crossings = try detector.advance(to: Self.fix(600.000001, Self.north(2000)))
    #expect(crossings.map(\.region) == [2])
    #expect(crossings[0].kind == .enter)
    #expect(crossings[0].inferred == Self.fix(300, Self.home).time...Self.fix(600.000001, Self.home).time)
    #expect(crossings[0].time == Self.fix(600.000001, Self.home).time)
    #expect(crossings[0].coordinate == Self.north(2000))
    // From one region to another, by ordinals; and a gap without change.
    #expect(try detector.advance(to: Self.fix(2000, Self.north(2000))).isEmpty)
    let swap = try detector.advance(to: Self.fix(3000, Self.north(1000)))
    #expect(swap.map(\.region) == [1, 2])
    #expect(swap.map(\.kind) == [.enter, .exit])
    #expect(detector.occupied == [1])
  }

  // MARK: Stays

  private static func stays(_ fixes: [Fix], delay: Double, count: Int = 1) throws -> [Crossing] {
    try TrackGenerator.crossings(
      fixes, try row(count), CrossingOptions(dwell: .microseconds(Int64(delay * 1e6))))
  }

  @Test func dwellBetweenFixes() throws {
    // In at 4 s, out at 24 s, 10 m/s.
    let fixes = [Self.fix(0, Self.north(-140)), Self.fix(28, Self.north(140))]
    let found = try Self.stays(fixes, delay: 15)
    #expect(found.map(\.kind) == [.enter, .dwell, .exit])
    #expect(abs(Self.seconds(found[1]) - 19) < 2e-6)
    #expect(found[1].time.microseconds - found[0].time.microseconds == 15_000_000)
    #expect(abs(try Geodesic.distance(from: found[1].coordinate, to: Self.north(50))) < 1e-4)
    #expect(try Self.stays(fixes, delay: 20.1).map(\.kind) == [.enter, .exit])
    // Of a stay as long as the delay, the end counts.
    let exact = Double(found[2].time.microseconds - found[0].time.microseconds) / 1e6
    #expect(try Self.stays(fixes, delay: exact).map(\.kind) == [.enter, .dwell, .exit])
  }

  @Test func dwellOverFixes() throws {
    // Inside since the first fix, which counts; the delay ends between fixes at rest, and once only.
    let rest = (0..<20).map { Self.fix(Double($0) * 7, Self.home) }
    let found = try Self.stays(rest, delay: 60)
    #expect(found.map(\.kind) == [.dwell])
    #expect(Self.seconds(found[0]) == 60)
    // A second stay, a second event.
    let again = rest + [Self.fix(200, Self.north(500)), Self.fix(300, Self.home), Self.fix(400, Self.home)]
    #expect(try Self.stays(again, delay: 60).map(\.kind) == [.dwell, .exit, .enter, .dwell])
    // Nothing is known after the last fix.
    #expect(try Self.stays(Array(rest.prefix(9)), delay: 60).isEmpty)
  }

  @Test func dwellAcrossGaps() throws {
    // The stay goes on over a gap; what ends in it is inferred.
    let over = try Self.stays([Self.fix(0, Self.home), Self.fix(1000, Self.home)], delay: 400)
    #expect(over.map(\.kind) == [.dwell])
    #expect(over[0].isInferred && Self.seconds(over[0]) == 1000)
    let later = try Self.stays(
      [Self.fix(0, Self.home), Self.fix(1000, Self.home), Self.fix(1100, Self.home)], delay: 1050)
    #expect(later.map(\.kind) == [.dwell])
    #expect(!later[0].isInferred && Self.seconds(later[0]) == 1050)
    // One that begins in a gap counts from its end.
    let into = try Self.stays(
      [Self.fix(0, Self.north(700)), Self.fix(1000, Self.home), Self.fix(1100, Self.home)], delay: 60)
    #expect(into.map(\.kind) == [.enter, .dwell])
    #expect(Self.seconds(into[1]) == 1060)
    // One that ends in a gap is not known to have lasted.
    let out = try Self.stays([Self.fix(0, Self.home), Self.fix(1000, Self.north(700))], delay: 400)
    #expect(out.map(\.kind) == [.exit])
  }

  // MARK: Refusals

  @Test func repeatsAndInvalidFixesAreDropped() throws {
    var detector = try CrossingDetector(try Self.row(1))
    let first = Self.fix(0, Self.home)
    for fix in [first, first, first] { #expect(try detector.advance(to: fix).isEmpty) }
    var turned = first
    turned.coordinate.longitude += 360
    _ = try detector.advance(to: turned)
    _ = try detector.advance(to: Self.fix(5, Self.north(900), accuracy: -1))
    _ = try detector.advance(
      to: Self.fix(-5, Coordinate(latitude: .nan, longitude: 0), accuracy: -1))
    #expect(detector.counts.fixes == 1)
    #expect(detector.counts.repeats == 3)
    #expect(detector.counts.invalid == 2)
    #expect(detector.occupied == [0])
    #expect(detector.lastTime == first.time)
  }

  @Test func refusalsChangeNothing() throws {
    var detector = try CrossingDetector(try Self.row(1))
    let last = Self.fix(10, Self.home)
    _ = try detector.advance(to: last)
    let far = Self.north(900)
    func refuses(_ fix: Fix, _ error: TrackError) {
      #expect(throws: error) { _ = try detector.advance(to: fix) }
      #expect(detector.occupied == [0] && detector.lastTime == last.time && detector.counts.fixes == 1)
    }
    refuses(Self.fix(9, far), .timeBackwards(Self.fix(9, far).time, after: last.time))
    refuses(Self.fix(9, Self.home), .timeBackwards(Self.fix(9, far).time, after: last.time))
    refuses(Self.fix(10, far), .twoPlaces(Self.home, far, at: last.time))
    refuses(Self.fix(11, far, accuracy: .nan), .invalidAccuracy(.nan, at: Self.fix(11, far).time))
    for (latitude, longitude) in [
      (Double.nan, 0.0), (90.5, 0), (-91, 0), (.infinity, 0), (0, .infinity), (0, .nan),
    ] {
      let bad = Coordinate(latitude: latitude, longitude: longitude)
      refuses(Self.fix(11, bad), .invalidCoordinate(bad, at: Self.fix(11, bad).time))
    }
    #expect(try detector.advance(to: Self.fix(11, far, accuracy: .infinity)).map(\.kind) == [.exit])
  }

  @Test func invalidCoordinatesNearThePoleAreRefused() throws {
    let index = try RegionIndex([Region(identifier: "far", center: Self.home, radius: 10)])
    var detector = try CrossingDetector(index)
    _ = try detector.advance(to: Self.fix(0, Coordinate(latitude: 89.9, longitude: 0)))
    let beyond = Coordinate(latitude: 90.05, longitude: 0)
    #expect(throws: TrackError.self) { _ = try detector.advance(to: Self.fix(1, beyond)) }
    #expect(try detector.advance(to: Self.fix(2, Coordinate(latitude: 90, longitude: 77))).isEmpty)
    #expect(try detector.advance(to: Self.fix(3, Coordinate(latitude: 89.9, longitude: 180))).isEmpty)
  }

  @Test func bulkNamesTheRefusedFix() throws {
    var detector = try CrossingDetector(try Self.row(2))
    var fixes = (0..<50).map { Self.fix(Double($0), Self.north(-300 + 20 * Double($0))) }
    let whole = try TrackGenerator.crossings(fixes, try Self.row(2))
    fixes[30].time = fixes[29].time
    var crossings: [Crossing] = []
    let error = #expect(throws: LocatedTrackError.self) {
      try detector.advance(through: fixes[0..<fixes.count].span, into: &crossings)
    }
    #expect(error?.index == 30)
    #expect(
      error?.error
        == .twoPlaces(fixes[29].coordinate, fixes[30].coordinate, at: fixes[29].time))
    #expect(detector.lastTime == fixes[29].time && detector.counts.fixes == 30)
    #expect(crossings == whole.filter { $0.time <= fixes[29].time })
  }

  @Test func optionsAreChecked() throws {
    let index = try Self.row(1)
    #expect(throws: CrossingOptionsError.negativeGap(.seconds(-1))) {
      _ = try CrossingDetector(index, options: CrossingOptions(maximumGap: .seconds(-1)))
    }
    #expect(throws: CrossingOptionsError.delayNotPositive(.zero)) {
      _ = try Fleet(index, options: CrossingOptions(dwell: .zero))
    }
  }

  @Test func extremeTimes() throws {
    let index = try Self.row(1)
    var detector = try CrossingDetector(
      index, options: CrossingOptions(maximumGap: .seconds(Int64.max), dwell: .seconds(Int64.max)))
    func fix(_ time: Int64, _ coordinate: Coordinate) -> Fix {
      Fix(time: Timestamp(microseconds: time), coordinate: coordinate)
    }
    _ = try detector.advance(to: fix(.min, Self.home))
    #expect(try detector.advance(to: fix(-1, Self.north(500))).map(\.kind) == [.exit])
    #expect(try detector.advance(to: fix(.max, Self.home)).count == 1)
    #expect(try detector.advance(to: fix(.max, Self.home)).isEmpty)
    #expect(detector.counts.repeats == 1)
  }

  @Test func emptyIndex() throws {
    let index = try RegionIndex([Region]())
    let fixes = TrackGenerator.hops(50, among: [], .uniform, seed: 3)
    #expect(try TrackGenerator.crossings(fixes, index).isEmpty)
  }
}
