import Testing
import VicinityTestSupport

@testable import VicinityCrossings
@testable import VicinityMonitor

/// Local notifications and their limits.
@Suite struct NotificationSchedulerTests {
  private static func time(_ seconds: Double) -> Timestamp {
    Timestamp(microseconds: 1_600_000_000_000_000 + Int64(seconds * 1e6))
  }

  private func scheduler() -> NotificationScheduler {
    NotificationScheduler(authorization: .authorized, at: Self.time(0))
  }

  private func request(_ identifier: String, _ trigger: NotificationTrigger) -> NotificationRequest {
    NotificationRequest(identifier: identifier, title: identifier, trigger: trigger)
  }

  @Test func triggersFire() throws {
    var scheduler = scheduler()
    let now = try scheduler.add(request("now", .now), at: Self.time(1))
    #expect(now.delivered.map(\.request.identifier) == ["now"] && now.delivered[0].date == Self.time(1))
    #expect(scheduler.pending.isEmpty)
    _ = try scheduler.add(request("in ten", .timeInterval(.seconds(10))), at: Self.time(2))
    _ = try scheduler.add(request("at eleven", .date(Self.time(11))), at: Self.time(2))
    _ = try scheduler.add(request("again", .timeInterval(.seconds(60), repeats: true)), at: Self.time(3))
    #expect(scheduler.pending.map(\.identifier) == ["at eleven", "in ten", "again"])
    #expect(scheduler.nextDate == Self.time(11))
    #expect(scheduler.advance(to: Self.time(10)).delivered.isEmpty)
    let two = scheduler.advance(to: Self.time(12)).delivered
    #expect(two.map(\.request.identifier) == ["at eleven", "in ten"])
    #expect(two.map(\.date) == [Self.time(11), Self.time(12)])
    let past = try scheduler.add(request("past", .date(Self.time(5))), at: Self.time(20)).delivered
    #expect(past.map(\.date) == [Self.time(20)])
    let thrice = scheduler.advance(to: Self.time(200)).delivered
    #expect(thrice.map(\.count) == [3] && thrice.map(\.date) == [Self.time(183)])
    #expect(scheduler.nextDate == Self.time(243))
    #expect(scheduler.delivered.map(\.request.identifier) == ["now", "at eleven", "in ten", "past", "again"])
    scheduler.removePending(["again"])
    scheduler.removeDelivered(["now", "past"])
    #expect(scheduler.nextDate == nil && scheduler.delivered.count == 3)
    scheduler.removeAllDelivered()
    #expect(scheduler.delivered.isEmpty && scheduler.advance(to: Self.time(1e6)).delivered.isEmpty)
  }

  @Test func datesRepeat() throws {
    var scheduler = scheduler()
    // Every hour from long ago: the next is not past.
    let hourly = request("hourly", .date(Self.time(-7000), every: .seconds(3600)))
    #expect(try scheduler.add(hourly, at: Self.time(0)).delivered.isEmpty)
    #expect(scheduler.nextDate == Self.time(200))
    #expect(scheduler.advance(to: Self.time(200)).delivered.map(\.count) == [1])
    #expect(scheduler.nextDate == Self.time(3800))
    // One that falls on the present is not past.
    let present = request("present", .date(Self.time(300), every: .seconds(60)))
    #expect(try scheduler.add(present, at: Self.time(480)).delivered.map(\.date) == [Self.time(480)])
  }

  @Test func regionsFireOnceOrEveryTime() throws {
    var scheduler = scheduler()
    _ = try scheduler.add(request("once", .region("home")), at: Self.time(0))
    _ = try scheduler.add(
      request("every", .region("home", onEntry: true, onExit: true, repeats: true)), at: Self.time(0))
    _ = try scheduler.add(request("other", .region("work", repeats: true)), at: Self.time(0))
    _ = try scheduler.add(request("exit", .region("home", onEntry: false, onExit: true)), at: Self.time(0))
    _ = try scheduler.add(request("timer", .timeInterval(.seconds(5))), at: Self.time(0))
    func names(_ outcome: NotificationScheduler.Outcome) -> [String] {
      outcome.delivered.map(\.request.identifier)
    }
    #expect(names(scheduler.entered(region: "home", at: Self.time(10))) == ["timer", "once", "every"])
    #expect(names(scheduler.left(region: "home", at: Self.time(20))) == ["every", "exit"])
    #expect(names(scheduler.entered(region: "home", at: Self.time(30))) == ["every"])
    #expect(scheduler.pending.map(\.identifier) == ["every", "other"])
    scheduler.removeAllPending()
    #expect(names(scheduler.entered(region: "work", at: Self.time(40))) == [])
  }

  @Test func theSoonestSixtyFourAreKept() throws {
    var scheduler = scheduler()
    for i in 0..<64 {
      let outcome = try scheduler.add(request("\(i)", .date(Self.time(1000 + Double(i)))), at: Self.time(0))
      #expect(outcome.discarded.isEmpty)
    }
    // A later one is not taken in; a sooner one drives the last out; one that repeats counts once.
    #expect(
      try scheduler.add(request("late", .date(Self.time(9999))), at: Self.time(0)).discarded == ["late"])
    let soon = request("soon", .timeInterval(.seconds(60), repeats: true))
    #expect(try scheduler.add(soon, at: Self.time(0)).discarded == ["63"])
    #expect(try scheduler.add(request("here", .region("home")), at: Self.time(0)).discarded == ["62"])
    // Of equal dates the later request goes.
    let equal = request("equal", .date(Self.time(1061)))
    #expect(try scheduler.add(equal, at: Self.time(0)).discarded == ["equal"])
    // Replacing needs no room, one that fires at once neither.
    #expect(try scheduler.add(request("0", .date(Self.time(500))), at: Self.time(0)).discarded.isEmpty)
    #expect(try scheduler.add(request("now", .now), at: Self.time(0)).discarded.isEmpty)
    #expect(scheduler.pending.count == 64)
  }

  @Test func identifiersReplace() throws {
    var scheduler = scheduler()
    _ = try scheduler.add(request("a", .date(Self.time(10))), at: Self.time(0))
    var second = request("a", .date(Self.time(20)))
    second.title = "second"
    _ = try scheduler.add(second, at: Self.time(1))
    #expect(scheduler.pending == [second])
    #expect(scheduler.advance(to: Self.time(15)).delivered.isEmpty)
    _ = scheduler.advance(to: Self.time(20))
    var third = request("a", .now)
    third.title = "third"
    _ = try scheduler.add(third, at: Self.time(30))
    #expect(scheduler.delivered.map(\.request.title) == ["third"])
  }

  @Test func onlyWithLeave() throws {
    var scheduler = NotificationScheduler(at: Self.time(0))
    #expect(throws: NotificationError.notAllowed(.notDetermined)) {
      _ = try scheduler.add(request("a", .now), at: Self.time(1))
    }
    scheduler.authorization = .authorized
    _ = try scheduler.add(request("once", .date(Self.time(10))), at: Self.time(1))
    _ = try scheduler.add(request("every", .timeInterval(.seconds(60), repeats: true)), at: Self.time(1))
    scheduler.authorization = .denied
    #expect(throws: NotificationError.notAllowed(.denied)) {
      _ = try scheduler.add(request("a", .now), at: Self.time(2))
    }
    #expect(scheduler.advance(to: Self.time(70)).delivered.isEmpty)
    scheduler.authorization = .authorized
    #expect(scheduler.pending.map(\.identifier) == ["every"])
    #expect(scheduler.advance(to: Self.time(130)).delivered.map(\.count) == [1])
  }

  @Test func refusalsChangeNothing() throws {
    var scheduler = scheduler()
    func refuses(_ request: NotificationRequest, _ error: NotificationError) {
      #expect(throws: error) { _ = try scheduler.add(request, at: Self.time(50)) }
      #expect(scheduler.time == Self.time(0) && scheduler.pending.isEmpty)
    }
    refuses(request("", .now), .emptyIdentifier)
    func short(_ interval: Duration, _ minimum: Duration) -> NotificationError {
      .intervalTooShort(identifier: "a", interval: interval, minimum: minimum)
    }
    refuses(request("a", .timeInterval(.zero)), short(.zero, .microseconds(1)))
    refuses(request("a", .timeInterval(.seconds(59), repeats: true)), short(.seconds(59), .seconds(60)))
    refuses(request("a", .date(Self.time(0), every: .seconds(59))), short(.seconds(59), .seconds(60)))
    var badged = request("a", .now)
    badged.badge = -1
    refuses(badged, .negativeBadge(identifier: "a", badge: -1))
    for trigger in [NotificationTrigger.now, .timeInterval(.seconds(5)), .region("r")] {
      var moving = request("a", trigger)
      moving.followsTimeZone = true
      refuses(moving, .timeZoneWithoutDate(identifier: "a"))
    }
    refuses(
      request("a", .region("r", onEntry: false, onExit: false)), .regionWithoutEvents(identifier: "a"))
  }

  @Test func extremeTimes() throws {
    let (first, last) = (Timestamp(microseconds: .min), Timestamp(microseconds: .max))
    var scheduler = NotificationScheduler(authorization: .authorized, at: first)
    _ = try scheduler.add(request("a", .date(first, every: .seconds(60))), at: first)
    _ = try scheduler.add(request("b", .timeInterval(.seconds(Int64.max), repeats: true)), at: first)
    _ = scheduler.advance(to: last)
    _ = scheduler.advance(to: first)
    _ = try scheduler.add(request("c", .date(first, every: .seconds(Int64.max))), at: last)
    _ = scheduler.advance(to: last)
    #expect(scheduler.time == last)
  }

  /// However time is cut up, the same is shown, as often, and the same is kept.
  @Test(arguments: 0..<30 as Range<UInt64>) func stepsDoNotMatter(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var (coarse, fine) = (scheduler(), scheduler())
    var counts: [[String: Int]] = [[:], [:]]
    func note(_ outcome: NotificationScheduler.Outcome, _ i: Int) {
      for one in outcome.delivered { counts[i][one.request.identifier, default: 0] += one.count }
    }
    var clock = 0.0
    for step in 0..<150 {
      let next = clock + random.uniform(0...400)
      for cut in (0..<random.below(6)).map({ _ in random.uniform(clock...next) }).sorted() {
        note(fine.advance(to: Self.time(cut)), 1)
      }
      clock = next
      let trigger: NotificationTrigger =
        switch random.below(5) {
        case 0: .now
        case 1: .timeInterval(.milliseconds(1 + random.below(2_000_000)))
        case 2: .timeInterval(.milliseconds(60_000 + random.below(600_000)), repeats: true)
        case 3: .date(Self.time(clock + random.uniform(-2000...2000)))
        default:
          .date(Self.time(clock + random.uniform(-2000...2000)), every: .seconds(60 + random.below(600)))
        }
      let request = request("\(random.below(100))", trigger)
      let (a, b) = (
        try coarse.add(request, at: Self.time(clock)), try fine.add(request, at: Self.time(clock))
      )
      note(a, 0)
      note(b, 1)
      #expect(a.discarded == b.discarded && coarse.pending == fine.pending, "seed \(seed), step \(step)")
      #expect(coarse.delivered.map(\.date) == fine.delivered.map(\.date), "seed \(seed), step \(step)")
      #expect(coarse.pending.count <= NotificationScheduler.limit)
    }
    #expect(counts[0] == counts[1], "seed \(seed)")
  }
}
