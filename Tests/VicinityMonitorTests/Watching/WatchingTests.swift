import Synchronization
import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinityMonitor

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Watching a device")
struct WatchingTests {
  private static let start = Timestamp(microseconds: 1_700_000_000_000_000)
  private static let one = BoundaryEvidence.Margins(entry: 1, exit: 1)

  private static func place(_ east: Double) -> Coordinate { MonitorSample.east(east) }

  private static func circle(_ identifier: String, _ east: Double, _ radius: Double) -> Region {
    Region(identifier: identifier, center: place(east), radius: radius)
  }

  @Test("What is beyond the margin decides, what is nearer when it is said twice")
  func evidence() throws {
    let regions = try RegionIndex([Self.circle("a", 0, 100), Self.circle("b", 1000, 100)])
    var evidence = BoundaryEvidence()
    try evidence.handle(Self.place(500), accuracy: 10, margins: Self.one, in: regions)
    #expect(evidence.changes.isEmpty && abs(evidence.clearance - 400) < 0.5)
    // 5 m within, of 10: in doubt, then decided.
    try evidence.handle(Self.place(95), accuracy: 10, margins: Self.one, in: regions)
    #expect(evidence.changes.isEmpty && evidence.isAmbiguous)
    try evidence.handle(Self.place(96), accuracy: 10, margins: Self.one, in: regions)
    #expect(evidence.changes == [.init(region: 0, isInside: true)] && !evidence.isAmbiguous)
    // 5 m beyond and back: nothing.
    try evidence.handle(Self.place(105), accuracy: 10, margins: Self.one, in: regions)
    try evidence.handle(Self.place(95), accuracy: 10, margins: Self.one, in: regions)
    #expect(evidence.changes.isEmpty && !evidence.isAmbiguous)
    // Far beyond: left at once, and the other entered.
    try evidence.handle(Self.place(1000), accuracy: 10, margins: Self.one, in: regions)
    #expect(evidence.changes == [.init(region: 1, isInside: true), .init(region: 0, isInside: false)])
    // A coarse one decides nothing near, however often.
    for _ in 0..<5 {
      try evidence.handle(Self.place(1200), accuracy: 400, margins: Self.one, in: regions)
      #expect(evidence.changes.isEmpty && evidence.disagreeing == [1])
    }
  }

  @Test("Entries and exits have their own margins")
  func margins() throws {
    let regions = try RegionIndex([Self.circle("a", 0, 100)])
    let margins = BoundaryEvidence.Margins(entry: 0.5, exit: 0)
    var evidence = BoundaryEvidence()
    try evidence.handle(Self.place(500), accuracy: 10, margins: margins, in: regions)
    // 4 m within, of 5.
    try evidence.handle(Self.place(96), accuracy: 10, margins: margins, in: regions)
    #expect(evidence.changes.isEmpty && evidence.isAmbiguous)
    // Outside, and 6 m within.
    try evidence.handle(Self.place(101), accuracy: 10, margins: margins, in: regions)
    #expect(evidence.changes.isEmpty && !evidence.isAmbiguous)
    try evidence.handle(Self.place(94), accuracy: 10, margins: margins, in: regions)
    #expect(evidence.changes == [.init(region: 0, isInside: true)] && !evidence.isAmbiguous)
    try evidence.handle(Self.place(0), accuracy: 10, margins: margins, in: regions)
    try evidence.handle(Self.place(101), accuracy: 10, margins: margins, in: regions)
    #expect(evidence.changes == [.init(region: 0, isInside: false)] && !evidence.isAmbiguous)
  }

  @Test("The first position decides by its sign, and a later process goes on from there")
  func initial() throws {
    let regions = try RegionIndex([Self.circle("a", 0, 100)])
    var evidence = BoundaryEvidence()
    try evidence.handle(Self.place(99), accuracy: 10, margins: Self.one, in: regions)
    #expect(
      evidence.changes == [.init(region: 0, isInside: true, isCrossing: false)] && evidence.inside == [0])
    // A later process goes on from there.
    var later = BoundaryEvidence()
    later.resume()
    try later.handle(Self.place(20), accuracy: 10, margins: Self.one, in: regions)
    #expect(later.changes == [.init(region: 0, isInside: true)])
    try later.handle(Self.place(300), accuracy: 10, margins: Self.one, in: regions)
    #expect(later.changes == [.init(region: 0, isInside: false)])
  }

  @Test("A first position of cells decides nothing that lies within its error, and the next good one does")
  func coarseFirst() throws {
    let regions = try RegionIndex([
      Self.circle("a", 0, 100), Self.circle("wide", 0, 3001), Self.circle("nearly", 0, 2999),
    ])
    /// As on the move.
    let margins = BoundaryEvidence.Margins(entry: 0.29, exit: 0)
    for (second, isInside) in [(20.0, true), (400, false), (99, true)] {
      var evidence = BoundaryEvidence()
      try evidence.handle(Self.place(0), accuracy: 3000, margins: margins, in: regions)
      // That it is in a circle of 3 km is as likely as two in three.
      #expect(
        evidence.changes == [.init(region: 1, isInside: true, isCrossing: false)] && evidence.isAmbiguous)
      // Another one of cells says no more, however often and on whichever side.
      for east in [0.0, 101, 0, 101] {
        try evidence.handle(Self.place(east), accuracy: 3000, margins: margins, in: regions)
        #expect(evidence.changes.isEmpty && evidence.inside == [1] && evidence.isAmbiguous)
      }
      try evidence.handle(Self.place(second), accuracy: 10, margins: margins, in: regions)
      let decided = Set(evidence.changes.map(\.region))
      #expect(decided == (isInside ? [0, 2] : [2]) && evidence.changes.allSatisfy { !$0.isCrossing })
      #expect(evidence.inside == (isInside ? [0, 1, 2] : [1, 2]))
      // From there on it is a crossing.
      try evidence.handle(
        Self.place(isInside ? 400 : 20), accuracy: 10, margins: margins, in: regions)
      #expect(evidence.changes == [.init(region: 0, isInside: !isInside)])
    }
  }

  @Test(
    "Cells tell no more than their error allows, whatever is known")
  func coarseUnknown() throws {
    let regions = try RegionIndex([Self.circle("a", 0, 100)])
    let margins = BoundaryEvidence.Margins(entry: 0.29, exit: 0)
    for isResumed in [false, true] {
      for known in [nil, true] as [Bool?] {
        var evidence = BoundaryEvidence()
        if isResumed { evidence.resume() }
        evidence.insert(0, isInside: known)
        try evidence.handle(Self.place(101), accuracy: 3000, margins: margins, in: regions)
        #expect(evidence.changes.isEmpty, "\(isResumed), \(known as Any)")
        // Beyond its error it does.
        var other = BoundaryEvidence()
        if isResumed { other.resume() }
        other.insert(0, isInside: known)
        try other.handle(Self.place(3200), accuracy: 3000, margins: margins, in: regions)
        #expect(other.changes.map(\.isInside) == [false])
        try evidence.handle(Self.place(0), accuracy: 10, margins: margins, in: regions)
        #expect(evidence.inside == [0])
        #expect(evidence.changes.map(\.isCrossing) == (known == nil ? [false] : []))
      }
    }
    // Also after a good position.
    var evidence = BoundaryEvidence()
    try evidence.handle(Self.place(0), accuracy: 10, margins: margins, in: regions)
    try evidence.handle(Self.place(240), accuracy: 150, margins: margins, in: regions)
    #expect(evidence.changes.isEmpty && evidence.inside == [0])
    try evidence.handle(Self.place(300), accuracy: 150, margins: margins, in: regions)
    #expect(evidence.changes == [.init(region: 0, isInside: false)])
  }

  @Test("The entry into a region that is new, though the device was taken to be outside, is no crossing")
  func newRegions() throws {
    let regions = try RegionIndex([Self.circle("a", 0, 100)])
    for isRenumbered in [true, false] {
      var evidence = BoundaryEvidence()
      evidence.resume()
      if isRenumbered { evidence.renumber { $0 } } else { evidence.expectNewRegions() }
      try evidence.handle(Self.place(0), accuracy: 10, margins: Self.one, in: regions)
      #expect(evidence.changes == [.init(region: 0, isInside: true, isCrossing: false)])
      try evidence.handle(Self.place(300), accuracy: 10, margins: Self.one, in: regions)
      #expect(evidence.changes == [.init(region: 0, isInside: false)])
    }
  }

  @Test("A place of cells gives way to the first good position near it, and contradicts none")
  func placeOfCells() throws {
    func fix(_ seconds: Double, _ east: Double, _ accuracy: Double) -> Fix {
      Fix(
        time: Self.start.advanced(by: .seconds(seconds)), coordinate: Self.place(east),
        horizontalAccuracy: accuracy)
    }
    // At rest by cells, and 400 m beside them by satellites.
    var stop = StopDetector()
    for second in stride(from: 0.0, through: 600, by: 60) { stop.handle(fix(second, 0, 3000)) }
    #expect(stop.isAtRest && stop.meanAccuracy > 500)
    let good = fix(660, 400, 10)
    #expect(!stop.isLeft(at: good))
    stop.handle(good)
    #expect(stop.isAtRest && stop.meanAccuracy == 10 && stop.mean == good.coordinate)
    #expect(stop.restingTime(at: good.time) == 600)
    // One good position beside a single one of cells is no rest.
    var single = StopDetector()
    single.handle(fix(0, 0, 3000))
    single.handle(fix(121, 20, 10))
    #expect(!single.isAtRest && single.usualAccuracy == nil)
    // And one that is nowhere is no position.
    var tracker = FixTracker(opened: Self.start, lastTime: nil, maximumSpeed: 50)
    let regions = try RegionIndex([Self.circle("a", 0, 100)])
    #expect(try tracker.handle(fix(1, 0, .infinity), now: Self.start, in: regions) == .dropped)
  }

  @Test(
    "The first state that is known of a region is no crossing, and nothing was passed on a way from cells")
  func firstStates() throws {
    let regions = MonitoredIndex.packed(
      try RegionIndex([Self.circle("home", 0, 100), Self.circle("between", 1500, 300)]))
    func fix(_ seconds: Double, _ east: Double, accuracy: Double) -> Fix {
      Fix(
        time: Self.start.advanced(by: .seconds(seconds)), coordinate: Self.place(east),
        horizontalAccuracy: accuracy)
    }
    // Half the error in the middle of the way is 128 m and 753 m, and the region 300 m deep.
    for (accuracy, isPassed) in [(10.0, true), (500, true), (3000, false)] {
      var tracker = FixTracker(opened: Self.start, lastTime: nil, maximumSpeed: 50)
      var finder = PassFinder()
      // The first says that the device is at the other one's far side.
      for fix in [fix(1, 3000, accuracy: accuracy), fix(121, 0, accuracy: 10)] {
        _ = try tracker.handle(fix, now: fix.time, in: regions)
      }
      #expect(tracker.passes(in: regions, &finder).map(\.region) == (isPassed ? [1] : []), "\(accuracy) m")
    }
    var tracker = FixTracker(opened: Self.start, lastTime: nil, maximumSpeed: 50)
    for fix in [fix(1, 0, accuracy: 3000), fix(6, 0, accuracy: 10)] {
      _ = try tracker.handle(fix, now: fix.time, in: regions)
    }
    #expect(tracker.evidence.inside == [0] && tracker.history.crossings == 0 && tracker.delays.isEmpty)
    let left = fix(66, 500, accuracy: 10)
    _ = try tracker.handle(left, now: left.time, in: regions)
    #expect(tracker.evidence.inside.isEmpty && tracker.history.crossings == 1 && tracker.delays.count == 1)
    // What decides by positions alone has no entry where the device was from the first.
    var decider = PositionDecider(
      try RegionIndex([Self.circle("home", 0, 100)]), opened: Self.start)
    for fix in [fix(1, 0, accuracy: 3000), fix(6, 0, accuracy: 10)] {
      try decider.handle(fix, now: fix.time)
      #expect(decider.decisions.isEmpty)
    }
    try decider.handle(left, now: left.time)
    #expect(decider.decisions.map(\.isInside) == [false])
  }

  @Test("A position that contradicts what the device has just reported must be confirmed")
  func contradiction() throws {
    let regions = try RegionIndex([Self.circle("a", 0, 100)])
    // Near the boundary, and so far away that the query does not find the region.
    for distance in [150.0, 5_000] {
      var evidence = BoundaryEvidence()
      evidence.resume()
      evidence.report(0, isInside: true)
      try evidence.handle(Self.place(distance), accuracy: 10, margins: Self.one, in: regions)
      #expect(evidence.changes.isEmpty && evidence.inside == [0] && evidence.contradictsReport)
      try evidence.handle(Self.place(distance), accuracy: 10, margins: Self.one, in: regions)
      #expect(evidence.changes == [.init(region: 0, isInside: false)] && !evidence.contradictsReport)
    }
    // What agrees, and what was reported before an earlier position, needs no second.
    var evidence = BoundaryEvidence()
    evidence.resume()
    evidence.report(0, isInside: true)
    try evidence.handle(Self.place(20), accuracy: 10, margins: Self.one, in: regions)
    #expect(evidence.changes.isEmpty && !evidence.contradictsReport)
    try evidence.handle(Self.place(300), accuracy: 10, margins: Self.one, in: regions)
    #expect(evidence.changes == [.init(region: 0, isInside: false)])
  }

  @Test("Two minutes about a place are rest; one bad position ends it no more than one without accuracy")
  func rest() {
    func fix(_ seconds: Double, _ east: Double, accuracy: Double = 10) -> Fix {
      Fix(
        time: Self.start.advanced(by: .seconds(seconds)), coordinate: Self.place(east),
        horizontalAccuracy: accuracy)
    }
    var place = StopDetector()
    for second in stride(from: 0.0, through: 120, by: 20) {
      #expect(!place.isAtRest)
      place.handle(fix(second, second.truncatingRemainder(dividingBy: 40) == 0 ? 5 : -5))
    }
    #expect(place.isAtRest)
    #expect(Geodesic.uncheckedDistance(place.mean, Self.place(0)) < 5)
    // Seven positions within two minutes tell as much as 1.2 with errors of their own.
    #expect(abs(place.meanAccuracy - 10 / (1 + 6 * tanh(1.0 / 30)).squareRoot()) < 1e-9)
    #expect(!place.isLeft(at: fix(140, 25)))
    #expect(place.isLeft(at: fix(140, 40)))
    // Good to 50 m where 10 is usual.
    #expect(place.isLeft(at: fix(140, 0, accuracy: 50)))
    place.handle(fix(140, 500, accuracy: 500))
    #expect(place.isAtRest)
    place.handle(fix(160, 80))
    #expect(!place.isAtRest)
  }

  @Test("Five minutes of cells' positions near each other are rest, and such that move are not")
  func coarseRest() {
    func fix(_ seconds: Double, _ east: Double, accuracy: Double = 200) -> Fix {
      Fix(
        time: Self.start.advanced(by: .seconds(seconds)), coordinate: Self.place(east),
        horizontalAccuracy: accuracy)
    }
    // The last good position is of the street before the house.
    var place = StopDetector()
    place.handle(fix(0, -300, accuracy: 10))
    for second in stride(from: 20.0, through: 320, by: 20) {
      #expect(!place.isAtRest, "\(second) s")
      place.handle(fix(second, second.truncatingRemainder(dividingBy: 40) == 0 ? 20 : 0))
    }
    #expect(place.isAtRest)
    #expect(place.restingTime(at: fix(320, 0).time) == 300)
    #expect(Geodesic.uncheckedDistance(place.mean, Self.place(0)) < 1e-6)
    place.handle(fix(340, 400))
    #expect(place.isAtRest)
    place.handle(fix(360, 0, accuracy: 10))
    #expect(place.isAtRest && !place.isLeft(at: fix(380, 10, accuracy: 10)))
    #expect(place.isLeft(at: fix(380, 90, accuracy: 10)))

    // A walk through cells, at 1 m/s.
    var walk = StopDetector()
    walk.handle(fix(0, 0, accuracy: 10))
    for second in stride(from: 20.0, through: 600, by: 20) {
      walk.handle(fix(second, min(second, 400)))
      #expect(!walk.isAtRest, "\(second) s")
    }
    // A good position begins anew.
    walk.handle(fix(620, 400, accuracy: 10))
    for second in stride(from: 640.0, through: 900, by: 20) { walk.handle(fix(second, 400)) }
    #expect(!walk.isAtRest)
  }

  @Test("A region that comes later is told on whichever side the device is, once")
  func newcomer() throws {
    let regions = try RegionIndex([Self.circle("a", 0, 100), Self.circle("b", 1000, 100)])
    var evidence = BoundaryEvidence()
    evidence.resume()
    evidence.insert(0, isInside: nil)
    evidence.insert(1, isInside: nil)
    try evidence.handle(Self.place(0), accuracy: 10, margins: Self.one, in: regions)
    #expect(
      evidence.changes == [
        .init(region: 0, isInside: true, isCrossing: false),
        .init(region: 1, isInside: false, isCrossing: false),
      ])
    try evidence.handle(Self.place(0), accuracy: 10, margins: Self.one, in: regions)
    #expect(evidence.changes.isEmpty)
  }

  @Test("Hysteresis keeps a region that is left by less")
  func hysteresis() throws {
    let regions = try RegionIndex([Self.circle("a", 0, 100)])
    var evidence = BoundaryEvidence()
    evidence.resume()
    evidence.insert(0, isInside: true)
    evidence.setHysteresis(50, of: 0)
    for east in [110.0, 140, 140, 140] {
      try evidence.handle(Self.place(east), accuracy: 1, margins: Self.one, in: regions)
      #expect(evidence.changes.isEmpty, "\(east) m")
    }
    try evidence.handle(Self.place(152), accuracy: 1, margins: Self.one, in: regions)
    #expect(evidence.changes == [.init(region: 0, isInside: false)])
  }

  @Test("Doubt lasts from the last position that was far enough from all boundaries to one that is")
  func doubtSince() throws {
    let regions = try RegionIndex([Self.circle("a", 0, 100)])
    var tracker = FixTracker(opened: Self.start, lastTime: nil, maximumSpeed: 50)
    func go(_ seconds: Double, _ east: Double, accuracy: Double) throws -> Double? {
      let time = Self.start.advanced(by: .seconds(seconds))
      let fix = Fix(time: time, coordinate: Self.place(east), horizontalAccuracy: accuracy, speed: 5)
      _ = try tracker.handle(fix, now: time, in: regions)
      return tracker.doubtSince?.seconds(since: Self.start)
    }
    #expect(try go(0, 500, accuracy: 65) == nil)
    // 60 m from the boundary, which is within the error.
    #expect(try go(40, 160, accuracy: 65) == 0)
    #expect(try go(60, 170, accuracy: 75) == 0)
    #expect(try go(80, 160, accuracy: 10) == nil)
    // On the other side, but not by far enough.
    #expect(try go(120, 98, accuracy: 10) == 80)
    #expect(try go(160, 20, accuracy: 10) == nil)
    // A clock that was set back ends it.
    #expect(try go(200, 95, accuracy: 10) == 160)
    tracker.setClock()
    #expect(tracker.doubtSince == nil)
  }

  @Test("How late crossings were told is known from when positions were first on the other side")
  func delays() throws {
    let regions = try RegionIndex([Self.circle("a", 0, 100), Self.circle("b", 1000, 100)])
    var tracker = FixTracker(opened: Self.start, lastTime: nil, maximumSpeed: 50)
    func go(_ seconds: Double, _ east: Double, accuracy: Double = 10) throws {
      let time = Self.start.advanced(by: .seconds(seconds))
      let fix = Fix(time: time, coordinate: Self.place(east), horizontalAccuracy: accuracy, speed: 5)
      _ = try tracker.handle(fix, now: time, in: regions)
    }
    try go(0, 500)
    try go(40, 300)
    // At once: halfway between 40 and 60 s.
    try go(60, 50)
    #expect(tracker.delays == [10])
    try go(100, 300)
    #expect(tracker.delays == [10, 20])
    // In doubt at 200 s, after a position at 160, and decided at 208.
    try go(160, 600)
    try go(200, 902)
    #expect(tracker.delays == [10, 20])
    try go(208, 903)
    #expect(tracker.delays == [10, 20, 28])
    // A doubt that was none is forgotten.
    try go(250, 1300)
    #expect(tracker.delays.last == 21)
    try go(300, 1098)
    try go(340, 1300)
    try go(400, 1050)
    #expect(tracker.delays.last == 30)
    for round in 0..<70 {
      try go(500 + Double(round) * 100, 1300)
      try go(550 + Double(round) * 100, 1000)
    }
    #expect(tracker.delays.count == 80 && tracker.delays.allSatisfy { $0 == 25 })
  }

  @Test(
    "Crossings count with the rest before them, once a departure, in the next process too, and old ones less")
  func crossingHistory() throws {
    let regions = try RegionIndex([
      Self.circle("home", 0, 100), Self.circle("next", 150, 100), Self.circle("far", 3000, 100),
    ])
    var tracker = FixTracker(
      opened: Self.start, lastTime: nil,
      history: CrossingHistory(
        crossings: 7, departureCrossings: 1, longRestCrossings: 1, longRests: 1),
      maximumSpeed: 50)
    var time = Self.start
    func go(_ east: Double, speed: Double, after seconds: Double) throws {
      time = time.advanced(by: .seconds(seconds))
      let fix = Fix(time: time, coordinate: Self.place(east), horizontalAccuracy: 5, speed: speed)
      _ = try tracker.handle(fix, now: time, in: regions)
    }
    func rest(_ east: Double, hours: Double) throws {
      for _ in 0..<Int(hours * 30) { try go(east, speed: 0, after: 120) }
    }
    try rest(0, hours: 2.5)
    for east in stride(from: 60.0, through: 3200, by: 20) { try go(east, speed: 10, after: 2) }
    // Out of home, into and out of the next; the far one is no departure's.
    #expect(
      tracker.history
        == CrossingHistory(
          crossings: 12, departureCrossings: 4, departureExits: 2, longRestCrossings: 4, longRests: 2))
    try rest(3000, hours: 1)
    for east in stride(from: 3060.0, through: 3300, by: 20) { try go(east, speed: 10, after: 2) }
    #expect(
      tracker.history
        == CrossingHistory(
          crossings: 14, departureCrossings: 5, departureExits: 3, longRestCrossings: 4, longRests: 2))

    var history = CrossingHistory(
      crossings: 1000, departureCrossings: 200, longRestCrossings: 100, longRests: 79)
    history.count(3, exits: 2, after: 6000, isFirst: true)
    #expect(history.longRests == 79)
    history.count(1, exits: 1, after: 8000, isFirst: false)
    #expect(history.longRests == 79 && history.longRestCrossings == 101)
    history.count(2, exits: 0, after: 8000, isFirst: true)
    #expect(
      history
        == CrossingHistory(
          crossings: 503, departureCrossings: 103, departureExits: 1, longRestCrossings: 51, longRests: 40))
  }

  @Test("What came after departures is stored, and counted on in the next process")
  func storedHistory() throws {
    var options = MonitorOptions()
    options.strategy = .adaptive(latency: .seconds(60))
    var machine = try MonitorStateMachine.restored(options: options, now: Self.start)
    try machine.add(.circle(center: Self.place(0), radius: 100), identifier: "home", at: Self.start)
    var time = Self.start
    func go(_ east: Double, speed: Double, after seconds: Double) throws {
      time = time.advanced(by: .seconds(seconds))
      let fix = Fix(time: time, coordinate: Self.place(east), horizontalAccuracy: 5, speed: speed)
      try machine.receive(.fix(fix), at: time)
    }
    for _ in 0..<75 { try go(0, speed: 0, after: 120) }
    for east in stride(from: 60.0, through: 600, by: 20) { try go(east, speed: 10, after: 2) }
    /// All but when boundaries were crossed.
    func counts() -> CrossingHistory {
      var history = machine.stored.history
      history.headStarts = CrossingHistory().headStarts
      return history
    }
    #expect(
      counts()
        == CrossingHistory(
          crossings: 1, departureCrossings: 1, departureExits: 1, longRestCrossings: 1, longRests: 1))
    machine = try MonitorStateMachine.restored(from: machine.stored, options: options, now: time)
    #expect(machine.decider.tracker.history == machine.stored.history)
    // The next process does not know how long the device rested before its start, and counts nothing at
    // first.
    for east in stride(from: 600.0, through: 0, by: -20) { try go(east, speed: 10, after: 2) }
    #expect(machine.stored.history.crossings == 1)
    for _ in 0..<75 { try go(0, speed: 0, after: 120) }
    for east in stride(from: 60.0, through: 600, by: 20) { try go(east, speed: 10, after: 2) }
    #expect(
      counts()
        == CrossingHistory(
          crossings: 2, departureCrossings: 2, departureExits: 2, longRestCrossings: 2, longRests: 2))
    // What no device can have counted, from a store of somebody's own.
    let tracker = FixTracker(
      opened: time, lastTime: time, history: CrossingHistory(crossings: .max, departureCrossings: .min),
      maximumSpeed: 50)
    #expect(tracker.history == CrossingHistory())
  }

  @Test(
    "A sentinel that is left while the device rests is wider the next time, and as ever after a departure")
  func vainExits() throws {
    let regions = try RegionIndex([Self.circle("shop", 500, 100)])
    let options = PlanOptions()
    let strategy = AdaptiveStrategy(latency: .seconds(300), shortestVisit: .seconds(300))
    var follower = StrategyFollower(strategy, .quiet, options)
    var tracker = FixTracker(opened: Self.start, lastTime: nil, maximumSpeed: 50)
    var time = Self.start
    func follow(_ east: Double) throws -> Meters? {
      let fix = Fix(time: time, coordinate: Self.place(east), horizontalAccuracy: 10, speed: 0)
      guard try tracker.handle(fix, now: time, in: regions) != .dropped else { return nil }
      follower.follow(tracker, at: time, isTaken: { _ in false })
      guard follower.takeCommands().contains(.allowSleep),
        case .circle(_, let radius)? = follower.sentinel?.condition
      else { return nil }
      return radius
    }
    follower.wake(tracker, at: time, isTaken: { _ in false })
    /// Stands until the app sleeps.
    func settle(_ east: Double) throws -> Meters? {
      for _ in 0..<20 {
        time = time.advanced(by: .seconds(20))
        if let radius = try follow(east) { return radius }
      }
      return nil
    }
    #expect(try settle(0) == 100)
    var radii: [Meters] = []
    for _ in 0..<4 {
      time = time.advanced(by: .seconds(5))
      let isWoken = follower.leftSentinel(at: time)
      #expect(isWoken)
      follower.wake(tracker, at: time, isTaken: { _ in false })
      time = time.advanced(by: .seconds(1))
      radii.append(try #require(try follow(1)))
    }
    #expect(radii == [100, 200, 300, 400])
    _ = follower.leftSentinel(at: time)
    follower.wake(tracker, at: time, isTaken: { _ in false })
    #expect(try settle(130) == 100)
  }

  /// Decides what a test says next.
  private final class Told: MonitoringStrategy {
    let next = Mutex(WatchDecision.sleep(radius: 100, because: "test"))
    var name: String { "told" }
    var needs: StrategyNeeds { .backgroundLocation }
    func decide(_ situation: WatchSituation) -> WatchDecision { next.withLock { $0 } }
  }

  @Test(
    "Updates are asked for once, anew where tier or filter change, and end before sleep; woken, the app looks before it sleeps again"
  )
  func updates() throws {
    let strategy = Told()
    let regions = try RegionIndex([Self.circle("shop", 5000, 100)])
    var follower = StrategyFollower(strategy, .quiet, PlanOptions())
    var tracker = FixTracker(opened: Self.start, lastTime: nil, maximumSpeed: 50)
    var time = Self.start
    func wake(_ decision: WatchDecision) -> [DeviceCommand] {
      strategy.next.withLock { $0 = decision }
      follower.wake(tracker, at: time, isTaken: { _ in false })
      return follower.takeCommands()
    }
    /// A fix a minute later, and what it is followed by, without slots.
    func follow(_ decision: WatchDecision) throws -> [DeviceCommand] {
      strategy.next.withLock { $0 = decision }
      time = time.advanced(by: .seconds(60))
      let fix = Fix(
        time: time, coordinate: Self.place(time.seconds(since: Self.start)), horizontalAccuracy: 10)
      _ = try tracker.handle(fix, now: time, in: regions)
      follower.follow(tracker, at: time, isTaken: { _ in false })
      return follower.takeCommands().filter { command in
        switch command {
        case .register, .unregister: false
        default: true
        }
      }
    }
    func due(_ seconds: Double) -> Timestamp { time.advanced(by: .seconds(seconds)) }
    let near = WatchDecision.update(.best, distanceFilter: 10, for: .seconds(60), because: "near")
    let far = WatchDecision.update(.hundredMeters, distanceFilter: 50, for: .seconds(90), because: "far")
    let sleep = WatchDecision.sleep(radius: 100, because: "at rest")
    #expect(
      wake(near) == [
        .stayAwake, .startUpdates(.best, distanceFilter: 10), .requestFix(by: due(60), accuracy: .best),
      ])
    #expect(try follow(near) == [.requestFix(by: due(60), accuracy: .best)])
    #expect(
      try follow(far) == [
        .startUpdates(.hundredMeters, distanceFilter: 50), .requestFix(by: due(90), accuracy: .hundredMeters),
      ])
    #expect(
      try follow(.locate(after: .seconds(5), .best, because: "one")) == [
        .stopUpdates, .requestFix(by: due(5), accuracy: .best),
      ])
    #expect(try follow(far).first == .startUpdates(.hundredMeters, distanceFilter: 50))
    #expect(try follow(sleep) == [.stopUpdates, .allowSleep])
    // The sentinel is left: the strategy, which knows no newer position, would let the app sleep again.
    let isWoken = follower.leftSentinel(at: time)
    #expect(isWoken)
    #expect(wake(sleep) == [.stayAwake, .requestFix(by: time, accuracy: .best)])
    #expect(try follow(sleep) == [.allowSleep])
    _ = follower.leftSentinel(at: time)
    #expect(wake(near).contains(.startUpdates(.best, distanceFilter: 10)))
    follower.end()
    let last = follower.takeCommands()
    let stop = try #require(last.firstIndex(of: .stopUpdates))
    #expect(stop < (last.firstIndex(of: .allowSleep) ?? 0))
    // Of two decisions the one that looks sooner.
    #expect(near.sooner(sleep) == near && sleep.sooner(near) == near)
    #expect(near.sooner(.locate(after: .zero, .best, because: "one")) == near)
  }
}
