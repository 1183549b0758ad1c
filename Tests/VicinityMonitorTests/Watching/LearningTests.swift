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

@Suite("What a monitor learns of the phone and of departures")
struct LearningTests {
  private static let start = Timestamp(microseconds: 1_700_000_000_000_000)
  private static func place(_ east: Double) -> Coordinate { MonitorSample.east(east) }

  // MARK: The phone's exits

  @Test("What is seen of a phone's exits moves the median as Bayes' rule does", arguments: [1, 3, 20, 80])
  func exitsOfOnePhone(count: Int) {
    let usual = PhoneTimes(position: 5, medianExit: 100, lateExit: 240)
    let seen = usual.after(exits: count, meanExit: 60)
    // By integration over the logarithm of the phone's own median, in standard deviations that are as long
    // as from the median to one in twenty.
    let own = log(161.0 / 85)
    let between = (log(2.4) * log(2.4) - own * own).squareRoot()
    var (sum, first, second) = (0.0, 0.0, 0.0)
    for step in -40_000...40_000 {
      let x = Double(step) / 10_000
      let miss = (x - log(0.6)) / own
      let weight = exp(-x * x / (2 * between * between) - Double(count) * miss * miss / 2)
      sum += weight
      first += weight * x
      second += weight * x * x
    }
    let mean = first / sum
    let spread = (second / sum - mean * mean + own * own).squareRoot()
    #expect(abs(seen.medianExit - 100 * exp(mean)) < 1e-6)
    #expect(abs(seen.lateExit - 100 * exp(mean + spread)) < 1e-6)
    #expect(seen.position == 5 && seen.medianExit > 60 && seen.medianExit < 100)
  }

  @Test("Nothing seen tells nothing, and of a phone that is known exits tell nothing")
  func knownPhones() {
    #expect(PhoneTimes.usual.after(exits: 0, meanExit: 0) == .usual)
    // All of its spread is that of one phone.
    let known = PhoneTimes(position: 5, medianExit: 80, lateExit: 150)
    let after = known.after(exits: 80, meanExit: 20)
    #expect(abs(after.medianExit - 80) < 1e-9 && abs(after.lateExit - 150) < 1e-9)
  }

  @Test("The mean of exits is geometric, within a second and an hour, and of the latest eighty")
  func meanExit() {
    var history = CrossingHistory()
    for delay in [50.0, 200, 100] { history.count(exitAfter: delay) }
    #expect(history.exits == 3 && abs(history.meanExit - 100) < 1e-9)
    history = CrossingHistory()
    history.count(exitAfter: -20)
    #expect(history.meanExit == 1)
    for _ in 0..<400 { history.count(exitAfter: .infinity) }
    #expect(history.exits == 80 && history.meanExit > 3400 && history.meanExit <= 3600 && history.isValid)
  }

  // MARK: Head starts

  @Test("Head starts are counted by 25 s, and halved when there are more than eighty")
  func headStarts() {
    var history = CrossingHistory()
    for time in [-1e9, -75.1, -75, -0.1, 0, 24.9, 74.9, 75, 1e9] { history.count(headStart: time) }
    #expect(history.headStarts == [2, 1, 0, 1, 2, 0, 1, 2] && history.isValid)
    for _ in 0..<72 { history.count(headStart: 30) }
    #expect(history.headStarts == [1, 0, 0, 0, 1, 36, 0, 1])
  }

  @Test("Where boundaries were crossed late after departures, few crossings are late or missed")
  func lateByHeadStarts() {
    let strategy = AdaptiveStrategy(latency: .seconds(60))
    func late(_ clearance: Double, _ headStarts: [Int]) -> Double {
      strategy.lateProbability(clearance: clearance, CrossingHistory(headStarts: headStarts))
    }
    func exit(_ headStart: Double) -> Double { strategy.phone.probabilityOfExit(laterThan: 55 + headStart) }
    // 1.7 crossings of which nothing is known count as of the nearest boundary, as early as can be.
    #expect(late(100, [0, 0, 0, 0, 0, 0, 0, 0]) == exit(0))
    let known = late(100, [0, 0, 0, 0, 3, 0, 0, 5])
    #expect(abs(known - (1.7 * exit(0) + 3 * exit(0) + 5 * exit(75)) / 9.7) < 1e-12)
    // None is crossed before the nearest.
    let far = strategy.lateProbability(clearance: 500)
    #expect(abs(late(500, [9, 9, 9, 9, 9, 0, 0, 0]) - far) < 1e-12)
    // At a boundary, by somebody who walks: the rest of the way to the sentinel is 100 s.
    #expect(abs(late(0, [0, 0, 0, 0, 0, 0, 0, 17]) - (1.7 * 1 + 17 * exit(75)) / 18.7) < 1e-12)
    let missed = [[0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 9, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 40]].map {
      strategy.missProbability(clearance: 50, CrossingHistory(headStarts: $0))
    }
    #expect(missed[0] > missed[1] && missed[1] > missed[2])
  }

  @Test("Exits from where the device was at rest cannot be missed")
  func missable() {
    func share(_ crossings: Int, exits: Int) -> Double {
      AdaptiveStrategy.missableShare(
        CrossingHistory(crossings: 100, departureCrossings: crossings, departureExits: exits))
    }
    #expect(share(0, exits: 0) == 1 && share(40, exits: 0) == 1 && share(40, exits: 20) == 1)
    #expect(abs(share(40, exits: 40) - 1.7 / 41.7) < 1e-12)
    #expect(abs(share(40, exits: 30) - 21.7 / 41.7) < 1e-12)
  }

  @Test("An app that has seen early exits and late crossings sleeps sooner at rest")
  func sleepsSooner() {
    let strategy = AdaptiveStrategy(latency: .seconds(120))
    func sleeps(_ history: CrossingHistory) -> Bool {
      let situation = WatchSituation(
        now: Self.start,
        fix: Fix(time: Self.start, coordinate: Self.place(0), horizontalAccuracy: 10, speed: 0),
        accuracy: 10, clearance: 110, isAtRest: true, restingTime: 600, history: history)
      if case .sleep = strategy.decide(situation) { return true }
      return false
    }
    var history = CrossingHistory(crossings: 100, departureCrossings: 14)
    #expect(!sleeps(history))
    history.exits = 20
    history.meanExit = 50
    #expect(sleeps(history))
    history.meanExit = 150
    #expect(!sleeps(history))
    // A slow phone all the same, where boundaries are far from where its user rests.
    history.headStarts[7] = 40
    history.meanExit = 100
    #expect(sleeps(history))
  }

  // MARK: On the way

  /// A monitor among regions whose device rests at a place, and then leaves it.
  private struct Way: ~Copyable {
    var machine: MonitorStateMachine
    var time = LearningTests.start

    init(latency: Int, _ circles: [(name: String, east: Double, radius: Double)]) throws {
      var options = MonitorOptions()
      options.strategy = .adaptive(latency: .seconds(latency))
      var machine = try MonitorStateMachine.restored(options: options, now: LearningTests.start)
      for circle in circles {
        try machine.add(
          .circle(center: LearningTests.place(circle.east), radius: circle.radius), identifier: circle.name,
          at: LearningTests.start)
      }
      self.machine = machine
    }

    mutating func go(_ east: Double, speed: Double, after seconds: Double) throws {
      time = time.advanced(by: .seconds(seconds))
      let fix = Fix(
        time: time, coordinate: LearningTests.place(east), horizontalAccuracy: 5, speed: speed)
      try machine.receive(.fix(fix), at: time)
    }

    mutating func rest(minutes: Int) throws {
      for _ in 0..<minutes { try go(0, speed: 0, after: 60) }
    }

    /// The system says that the sentinel is left.
    mutating func leaveSentinel(after seconds: Double) throws {
      time = time.advanced(by: .seconds(seconds))
      let follower = machine.follower
      let sentinel = try #require(follower?.sentinel)
      try machine.receive(
        .slot(SlotReport(identifier: sentinel.identifier, state: .unsatisfied, date: time)), at: time)
    }
  }

  @Test("How late a sentinel's exit was told follows from where the first position is, and how fast")
  func notesExits() throws {
    func history(east: Double, speed: Double) throws -> CrossingHistory {
      var way = try Way(latency: 600, [("far", 8000, 100)])
      try way.rest(minutes: 9)
      let follower = way.machine.follower
      #expect(follower?.isAwake == false)
      guard case .circle(_, let radius)? = follower?.sentinel?.condition else {
        Issue.record("no sentinel")
        return CrossingHistory()
      }
      try way.leaveSentinel(after: 600)
      try way.go(radius + east, speed: speed, after: 5)
      // It contradicts the ones before, and the next one agrees.
      try way.go(radius + east + 5 * speed, speed: speed, after: 5)
      return way.machine.decider.tracker.history
    }
    // 750 m at 10 m/s, ten seconds of them after the app was woken.
    let car = try history(east: 700, speed: 10)
    #expect(car.exits == 1 && abs(car.meanExit - 65) < 0.1)
    let walker = try history(east: 100, speed: 1.25)
    #expect(walker.exits == 1 && abs(walker.meanExit - 75) < 0.1)
    // Who stands, or moves at a speed that is not known, may have been there for long.
    #expect(try history(east: 700, speed: 0).exits == 0)
    #expect(try history(east: 700, speed: -1).exits == 0)
    // The system was wrong.
    #expect(try history(east: -300, speed: 2).exits == 0)
  }

  @Test("A sentinel that an earlier process has left tells nothing of its exit")
  func adoptedSentinel() throws {
    var options = MonitorOptions()
    options.strategy = .adaptive(latency: .seconds(600))
    var machine = try MonitorStateMachine.restored(options: options, now: Self.start)
    let name = options.plan.sentinelName + "-a"
    try machine.receive(.existingSlots([name]), at: Self.start)
    try machine.add(.circle(center: Self.place(0), radius: 100), identifier: "a", at: Self.start)
    try machine.receive(
      .slot(SlotReport(identifier: name, state: .unsatisfied, date: Self.start)), at: Self.start)
    for second in 1..<20 {
      let time = Self.start.advanced(bySeconds: Double(second))
      let fix = Fix(
        time: time, coordinate: Self.place(5000 + 10 * Double(second)), horizontalAccuracy: 5, speed: 10)
      try machine.receive(.fix(fix), at: time)
    }
    #expect(machine.decider.tracker.history.exits == 0)
  }

  @Test("Nor does it where it is what has woken the app: nobody knows where it was")
  func adoptedSentinelThatWakes() throws {
    let options = MonitorOptions().plan
    var follower = StrategyFollower(AdaptiveStrategy(latency: .seconds(600)), .quiet, options)
    let isAdopted = follower.adopt(options.sentinelName + "-a")
    let wakes = follower.leftSentinel(at: Self.start)
    #expect(isAdopted && wakes)
    let regions = try RegionIndex([Region(identifier: "a", center: Self.place(0), radius: 100)])
    var tracker = FixTracker(opened: Self.start, lastTime: nil, maximumSpeed: 50)
    for second in 1...2 {
      let time = Self.start.advanced(bySeconds: Double(second))
      let fix = Fix(
        time: time, coordinate: Self.place(5000 + 10 * Double(second)), horizontalAccuracy: 5, speed: 10)
      let outcome = try tracker.handle(fix, now: time, in: regions)
      follower.follow(tracker, at: time) { _ in false }
      let delay = follower.takeExitDelay()
      #expect(outcome == .accepted && delay == nil)
    }
  }

  @Test("When boundaries were crossed after a departure is told from the way, and stored")
  func notesHeadStarts() throws {
    // The sentinel's border is at 100 m, and the device goes 10 m a second: out of the circle of 150 m five
    // seconds after it, into the one at 560 m forty-six.
    var way = try Way(latency: 60, [("home", 0, 150), ("shop", 660, 100)])
    try way.rest(minutes: 30)
    for east in stride(from: 60.0, through: 680, by: 20) { try way.go(east, speed: 10, after: 2) }
    let history = way.machine.stored.history
    #expect(history.headStarts == [0, 0, 0, 0, 1, 1, 0, 0], "\(history)")
    #expect(history.departureCrossings == 2 && history.departureExits == 1)
    // What comes long after is no departure's.
    for east in stride(from: 680.0, through: 1200, by: 20) { try way.go(east, speed: 10, after: 20) }
    #expect(way.machine.stored.history.headStarts == history.headStarts)
    #expect(way.machine.stored.history.crossings == 3)
  }
}
