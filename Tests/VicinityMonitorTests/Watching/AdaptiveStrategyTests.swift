import Foundation
import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinityMonitor

/// What the strategy of one knob decides, from one situation.
@Suite("A position when a boundary may have been crossed")
struct AdaptiveStrategyTests {
  private static let start = Timestamp(microseconds: 1_700_000_000_000_000)

  private static func place(_ east: Double) -> Coordinate { MonitorSample.east(east) }

  @Test("The page lists the numbers that the decisions rest on")
  func listOfAssumptions() throws {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    let page = try String(
      contentsOf: root.appending(path: "Sources/VicinityMonitor/VicinityMonitor.docc/AdaptiveDecisions.md"),
      encoding: .utf8)
    let part = try #require(page.components(separatedBy: "## What it takes for granted").dropFirst().first)
    let table = part.components(separatedBy: "\n## ")[0]
    let numbers = table.split(separator: "\n").filter { $0.hasPrefix("| ") }.flatMap { row in
      (row.split(separator: "|").dropFirst().first ?? "").split(separator: " ").compactMap { Double($0) }
    }
    #expect(
      numbers == [
        Assumptions.lateShare, Assumptions.acceleration, Assumptions.walkingSpeed, Assumptions.errorTime,
        Assumptions.leastAccuracy, Assumptions.coarseAccuracy, CrossingHistory.longRest,
        Assumptions.priorShare, Assumptions.priorCrossings, Assumptions.inferredShare,
      ])
  }

  @Test("What follows from the ten numbers: errors as large as are told to be rare are, of normal ones")
  func assumptions() {
    // Errors that are normal in both directions: the radius that holds two in three, in standard deviations.
    let accuracy = (2 * log(3.0)).squareRoot()
    func shareBeyond(_ accuracies: Double) -> Double { exp(-pow(accuracies * accuracy, 2) / 2) }
    #expect(abs(shareBeyond(1) - 1.0 / 3) < 1e-12)
    #expect(abs(shareBeyond(Assumptions.proof) - Assumptions.missShare) < 1e-12)
    // The distance of two has errors √2 times as large.
    #expect(abs(shareBeyond(Assumptions.proofOfTwo / 2.0.squareRoot()) - Assumptions.missShare) < 1e-12)
    #expect(abs(Assumptions.proof - 2) < 0.01 && Assumptions.memory == 80 && Assumptions.shortestRest == 120)
    #expect(Assumptions.wandering(1) == Assumptions.wandering.lowerBound && Assumptions.wandering(50) == 50)
    #expect(Assumptions.wandering(1000) == 60 && abs(Assumptions.wandering.lowerBound - 28.2) < 0.1)
    #expect(Assumptions.systemWait == 20 && Assumptions.denseInterval == 10 && Assumptions.surelyMoving == 2)
  }

  @Test("A phone that stands, or goes at some speed, takes so long for a distance")
  func travelTime() {
    var policy = AdaptiveStrategy(latency: .seconds(60))
    policy.acceleration = 2
    policy.maximumSpeed = 40
    // s = a t² / 2; up to 40 m/s after 20 s and 400 m.
    #expect(abs(policy.travelTime(100, at: -1) - 10) < 1e-12)
    #expect(abs(policy.travelTime(400, at: 0) - 20) < 1e-12)
    #expect(abs(policy.travelTime(800, at: 0) - 30) < 1e-12)
    // 30 m/s: five seconds and 175 m to 40.
    #expect(abs(policy.travelTime(175, at: 30) - 5) < 1e-12)
    #expect(abs(policy.travelTime(575, at: 30) - 15) < 1e-12)
    #expect(abs(policy.travelTime(400, at: 60) - 10) < 1e-12)
    #expect(policy.travelTime(0, at: 10) == 0)
  }

  @Test("A sentinel leaves room for overshoot, latency and error, and is no smaller than what works")
  func sentinel() {
    var policy = AdaptiveStrategy(latency: .seconds(60))
    policy.phone = PhoneTimes(position: 5, medianExit: 30, lateExit: 75)
    // 300 m, and 20 s at 40 m/s: an exit that is told 75 s late, and a position, less the latency.
    #expect(policy.sentinelRadius(clearance: 5000) == 3900)
    #expect(policy.sentinelRadius(clearance: 1200) == 100)
    #expect(policy.sentinelRadius(clearance: 1199) == nil)
    #expect(policy.sentinelRadius(clearance: 0) == nil)
  }

  @Test("The sooner a crossing is to be noticed, the sooner the app looks again")
  func shorterLatenciesLookSooner() {
    let strategies = (10...600).map { AdaptiveStrategy(latency: .seconds($0)) }
    for (shorter, longer) in zip(strategies, strategies.dropFirst()) {
      #expect(
        shorter.movingInterval <= longer.movingInterval
          && shorter.restInterval(CrossingHistory()) <= longer.restInterval(CrossingHistory()))
    }
    // Two positions and the pause between them, of five seconds each; of the visits that count few fall
    // between two.
    #expect(AdaptiveStrategy(latency: .seconds(30)).movingInterval == 15)
    #expect(AdaptiveStrategy(latency: .seconds(60)).movingInterval == 45)
    for shortest in [60.0, 300] {
      let patient = AdaptiveStrategy(latency: .seconds(600), shortestVisit: .seconds(shortest))
      let interval = patient.movingInterval + 15
      let missed = Self.visits(from: shortest).reduce(0) { $0 + max(0, 1 - $1 / interval) } / 20_000
      #expect(abs(missed - 0.0125) < 1e-5 && interval > shortest && interval < 1.5 * shortest)
    }
    let options = MonitorOptions(strategy: .adaptive(latency: .seconds(600)), shortestVisit: .seconds(300))
    let asked = AdaptiveStrategy(latency: .seconds(600), shortestVisit: .seconds(300))
    #expect((options.watching as? AdaptiveStrategy)?.movingInterval == asked.movingInterval)
    #expect(AdaptiveStrategy(latency: .seconds(90)).restInterval(CrossingHistory()) == 75)
    #expect(AdaptiveStrategy(latency: .seconds(10)).movingInterval == 5)
    let slow = PhoneTimes(position: 20, medianExit: 100, lateExit: 240)
    #expect(AdaptiveStrategy(latency: .seconds(90), phone: slow).restInterval(CrossingHistory()) == 30)
  }

  /// The lengths of visits, every hundredth of a second on a logarithmic scale, with the share of all that
  /// each stands for.
  private static func visits(from shortest: Double) -> [Double] {
    let steps = 20_000
    return (0..<steps).map { shortest * pow(7200 / shortest, (Double($0) + 0.5) / Double(steps)) }
  }

  @Test(
    "Positions at rest are as far apart as visits right after a departure allow",
    arguments: [30.0, 60, 300, 3600])
  func visitsBetweenTwoPositions(shortest: Double) {
    let strategy = AdaptiveStrategy(latency: .seconds(600), shortestVisit: .seconds(shortest))
    for history in [CrossingHistory(), Self.history(90, afterShort: 20, afterLong: 7), Self.history(990)] {
      let share = AdaptiveStrategy.departureShare(after: 0, history)
      let interval = strategy.unmissedInterval(share: share)
      // Whoever leaves at any time between two positions: of how many visits does neither tell?
      let missed = Self.visits(from: shortest).reduce(0) { $0 + max(0, 1 - $1 / interval) } / 20_000
      if share > Assumptions.missShare {
        #expect(abs(missed * share - Assumptions.missShare) < 1e-5, "\(shortest) s, \(history)")
      } else {
        #expect(missed > 0.6, "\(shortest) s, \(history)")
      }
    }
    #expect(strategy.restInterval(CrossingHistory()) <= strategy.unmissedInterval(share: 0.17))
  }

  @Test("A visit is missed where it ends before an exit is told", arguments: [30.0, 60, 300])
  func visitsBehindASentinel(shortest: Double) {
    let strategy = AdaptiveStrategy(latency: .seconds(600), shortestVisit: .seconds(shortest))
    var last = 1.0
    for (clearance, head) in [(0.0, -100.0), (100, 0), (500, 25.82 - 11.55)] {
      // The system tells the exit, and a position takes five seconds more.
      let missed =
        Self.visits(from: shortest).reduce(0) {
          $0 + strategy.phone.probabilityOfExit(laterThan: $1 - 5 + head)
        } / 20_000
      #expect(abs(strategy.missProbability(clearance: clearance) - missed) < 0.01)
      #expect(missed < last)
      last = missed
    }
  }

  @Test("The app does not sleep where a visit may be over before it wakes, whatever the latency")
  func sleepsWhereFewAreMissed() {
    func sleeps(shortest: Double, _ history: CrossingHistory) -> Bool {
      let strategy = AdaptiveStrategy(latency: .seconds(600), shortestVisit: .seconds(shortest))
      if case .sleep = strategy.decide(Self.resting(7200, clearance: 110, history)) { return true }
      return false
    }
    // Exits later than ten minutes are rare, and exits later than a minute are most. Of a stranger's
    // crossings 0.17 follow rests, and half of the visits missed there are inferred.
    #expect(sleeps(shortest: 60, CrossingHistory()) && sleeps(shortest: 600, CrossingHistory()))
    // Somebody who crosses most boundaries at the door: half of those after long rests would be too many.
    let home = Self.history(30, afterLong: 15)
    #expect(!sleeps(shortest: 60, home) && sleeps(shortest: 600, home))
    #expect(sleeps(shortest: 60, Self.history(400)))
    // No more is missed than errors leave.
    let strategy = AdaptiveStrategy(latency: .seconds(600))
    let least = Assumptions.asleepMissShare / (0.5 * strategy.missProbability(clearance: 100))
    #expect(strategy.maySleep(0.999 * least, clearance: 100, history: .init(), delays: []))
    #expect(!strategy.maySleep(1.001 * least, clearance: 100, history: .init(), delays: []))
  }

  @Test(
    "Of what positions tell too late half is expected at first, and less where there is time for more of them"
  )
  func lateByPositions() {
    func share(_ latency: Int, _ delays: [Double] = []) -> Double {
      AdaptiveStrategy(latency: .seconds(latency)).lateShare(of: delays)
    }
    #expect(abs(share(30) - 0.025) < 1e-12 && abs(share(60) - 0.025) < 1e-12)
    // 86.6 s of five minutes.
    #expect(abs(share(300) - 0.025 * 86.6 / 300) < 1e-5)
    #expect(abs(share(60, [20, 90]) - 1.25 / 12) < 1e-12)
    // A quarter of what is allowed is left to chance, and the rest may be spent on sleep.
    let minute = AdaptiveStrategy(latency: .seconds(60))
    let delays = [Double](repeating: 20, count: 80)
    let most = (0.0375 - minute.lateShare(of: delays)) / minute.lateProbability(clearance: 100)
    #expect(minute.maySleep(0.999 * most, clearance: 100, history: .init(), delays: delays))
    #expect(!minute.maySleep(1.001 * most, clearance: 100, history: .init(), delays: delays))
  }

  @Test("Times of a phone that no phone has count as the nearest possible ones")
  func impossibleTimes() {
    for time in [0, -5, .nan, -Double.infinity] {
      let phone = PhoneTimes(position: time, medianExit: time, lateExit: time)
      #expect(phone.position == 1 && phone.medianExit == 1 && phone.lateExit == 1.01)
      #expect((0...1).contains(phone.probabilityOfExit(laterThan: 1)))
    }
    let slow = PhoneTimes(position: .infinity, medianExit: .infinity, lateExit: 50)
    #expect(slow.position == 3600 && slow.medianExit == 3600 && slow.lateExit == 3636)
    #expect((0...1).contains(slow.probabilityOfExit(laterThan: 100)))
  }

  @Test(
    "In doubt the next position comes when it is due since the last that left none, and then at twice the time"
  )
  func doubts() {
    let minute = AdaptiveStrategy(latency: .seconds(60))
    func wait(_ doubt: Double, isAtRest: Bool = false) -> Double {
      let situation = WatchSituation(
        now: Self.start, fix: Fix(time: Self.start, coordinate: Self.place(0), horizontalAccuracy: 65),
        accuracy: 65, clearance: 20, doubt: doubt, isAtRest: isAtRest)
      guard case .locate(let wait, .best, _) = minute.decide(situation) else { return .nan }
      return wait / .seconds(1)
    }
    // The interval is 45 s, and no position comes sooner than 5 s after the one before.
    #expect(wait(0) == 45 && wait(20) == 25 && wait(43) == 5 && wait(45) == 5)
    // How long positions go on in vain: the waits double, and end at the interval.
    var (doubt, waits) = (45.0, [Double]())
    for _ in 0..<7 {
      waits.append(wait(doubt))
      doubt += waits[waits.count - 1]
    }
    #expect(waits == [5, 5, 10, 20, 40, 45, 45])
    #expect(wait(1e6) == 45 && wait(1e6, isAtRest: true) == 45)
  }

  @Test("Exits come later than their median half of the time, and than the late one once in twenty times")
  func exits() {
    let phone = PhoneTimes(position: 5, medianExit: 100, lateExit: 240)
    #expect(phone.probabilityOfExit(laterThan: -1) == 1 && phone.probabilityOfExit(laterThan: 0) == 1)
    #expect(abs(phone.probabilityOfExit(laterThan: 100) - 0.5) < 1e-12)
    #expect(abs(phone.probabilityOfExit(laterThan: 240) - 0.05) < 1e-12)
    let probabilities = stride(from: 0.0, through: 1000, by: 10).map {
      phone.probabilityOfExit(laterThan: $0)
    }
    #expect(zip(probabilities, probabilities.dropFirst()).allSatisfy { $0 > $1 })
  }

  private static func history(_ crossings: Int, afterShort: Int = 0, afterLong: Int = 0) -> CrossingHistory {
    CrossingHistory(
      crossings: crossings, departureCrossings: afterShort + afterLong, longRestCrossings: afterLong,
      longRests: min(afterLong, 2))
  }

  private static func resting(
    _ time: Double, clearance: Double = 40, _ history: CrossingHistory, delays: [Double] = [],
    isAmbiguous: Bool = false
  ) -> WatchSituation {
    WatchSituation(
      now: start, fix: Fix(time: start, coordinate: place(0), horizontalAccuracy: 10, speed: 0),
      accuracy: 10, clearance: clearance, isAmbiguous: isAmbiguous, isAtRest: true, restingTime: time,
      history: history, delays: delays)
  }

  @Test(
    "The share of crossings after rests of some time: a prior, what was counted, and less the longer the rest"
  )
  func departureShares() {
    func share(_ time: Double, _ history: CrossingHistory) -> Double {
      AdaptiveStrategy.departureShare(after: time, history)
    }
    // Nothing is known: 1.7 of ten, whatever the rest.
    #expect(share(120, CrossingHistory()) == 0.17 && share(36_000, CrossingHistory()) == 0.17)
    let known = Self.history(90, afterShort: 20, afterLong: 7)
    #expect(abs(share(120, known) - 0.287) < 1e-12 && share(60, known) == share(120, known))
    // Halfway, on a logarithmic scale, from two minutes to two hours.
    #expect(abs(share((120.0 * 7200).squareRoot(), known) - 0.187) < 1e-12)
    #expect(abs(share(7200, known) - 0.087) < 1e-12 && share(50_000, known) == share(7200, known))
  }

  @Test("At rest the app sleeps as soon as few enough crossings will be late, and not before")
  func sleepsWhereFewAreLate() {
    let minute = AdaptiveStrategy(latency: .seconds(60))
    func sleeps(
      _ strategy: AdaptiveStrategy, _ time: Double, clearance: Double = 110, _ history: CrossingHistory,
      delays: [Double] = []
    ) -> Bool {
      strategy.decide(Self.resting(time, clearance: clearance, history, delays: delays))
        == .sleep(radius: strategy.restRadius, because: "at rest")
    }
    // Nothing is known of a user: 0.15 of the crossings would be late.
    #expect(!sleeps(minute, 50_000, CrossingHistory()))
    // Of an exit 55 s are allowed, and nine in ten are later.
    let late = minute.lateProbability(clearance: 100)
    #expect(abs(late - minute.phone.probabilityOfExit(laterThan: 55)) < 1e-12 && (0.85...0.9).contains(late))
    // Of 200 crossings none has followed a rest, and 0.9 of 1.7 in 210 are expected to be late.
    #expect(sleeps(minute, 120, Self.history(200)))
    // Short rests only: awake at first, asleep in the end.
    let courier = Self.history(290, afterShort: 60)
    #expect(!sleeps(minute, 120, courier) && sleeps(minute, 7200, courier))
    // The longer the latency, the sooner.
    let hours = AdaptiveStrategy(latency: .seconds(150))
    #expect(
      (120...7200).first { sleeps(hours, Double($0), courier) } ?? .max
        < (120...7200).first { sleeps(minute, Double($0), courier) } ?? .max)
    // Home and work: one in eight follows a long rest, which never ends soon enough.
    let commuter = Self.history(80, afterLong: 10)
    #expect(!sleeps(minute, 50_000, commuter))
    // Whoever can wait for ten minutes, and need not hear of shorter visits, sleeps at once.
    #expect(sleeps(AdaptiveStrategy(latency: .seconds(600), shortestVisit: .seconds(600)), 120, commuter))
    // Where positions tell one in ten too late, nothing is left for sleep; where they tell none, more than at
    // first.
    let told = [Double](repeating: 20, count: 58) + [Double](repeating: 90, count: 6)
    #expect(!sleeps(minute, 50_000, Self.history(400), delays: told))
    let border = Self.history(100, afterLong: 2)
    #expect(!sleeps(minute, 50_000, border))
    #expect(sleeps(minute, 50_000, border, delays: [Double](repeating: 20, count: 64)))
  }

  @Test("A boundary that is farther than the sentinel's is crossed after its exit, and one within before it")
  func lateProbabilities() {
    let minute = AdaptiveStrategy(latency: .seconds(60))
    let shares = [0.0, 50, 100, 200, 500, 2000].map { minute.lateProbability(clearance: $0) }
    #expect(zip(shares, shares.dropFirst()).allSatisfy { $0 > $1 })
    // A walk of a hundred metres takes 100 s, more than there is.
    #expect(shares[0] == 1)
    // Standing, a car takes 25.8 s for 500 m and 11.5 s for 100.
    #expect(abs(shares[4] - minute.phone.probabilityOfExit(laterThan: 55 + 25.82 - 11.55)) < 1e-3)
  }

  @Test("A phone that rests a few metres from a boundary is not asked every few seconds")
  func restInDoubt() {
    let minute = AdaptiveStrategy(latency: .seconds(60))
    guard
      case .locate(let wait, .best, _) = minute.decide(
        Self.resting(3600, clearance: 2, CrossingHistory(), isAmbiguous: true))
    else {
      Issue.record("asleep too soon")
      return
    }
    #expect(wait == .seconds(45))
  }

  @Test("Who can wait for five minutes sleeps nearer to boundaries")
  func fiveMinutes() {
    func decision(_ latency: Int, clearance: Double) -> WatchDecision {
      AdaptiveStrategy(latency: .seconds(latency)).decide(
        WatchSituation(
          now: Self.start,
          fix: Fix(time: Self.start, coordinate: Self.place(0), horizontalAccuracy: 5, speed: 10),
          accuracy: 5, clearance: clearance))
    }
    // An exit is told in time, and is never so far off as not to be let in.
    #expect(decision(300, clearance: 1005) == .sleep(radius: 700, because: "no boundary near"))
    guard case .locate = decision(300, clearance: 350), case .locate = decision(120, clearance: 1005) else {
      Issue.record("asleep too near a boundary")
      return
    }
  }

  @Test("A condition with a latency of its own is looked at sooner, and only where it is near")
  func wishes() {
    let strategy = AdaptiveStrategy(latency: .seconds(300))
    func wait(_ wishes: [WatchSituation.Wish]) -> Double {
      let decision = strategy.decide(
        WatchSituation(
          now: Self.start,
          fix: Fix(time: Self.start, coordinate: Self.place(0), horizontalAccuracy: 5, speed: 10),
          accuracy: 5, clearance: 20, wishes: wishes))
      guard case .locate(let delay, _, _) = decision else { return .infinity }
      return delay / .seconds(1)
    }
    let alone = wait([])
    #expect(wait([.init(latency: .seconds(10), clearance: 20)]) < alone / 3)
    #expect(wait([.init(latency: .seconds(10), clearance: 9000)]) == alone)
    #expect(wait([.init(latency: .seconds(600), clearance: 20)]) == alone)
  }
}
