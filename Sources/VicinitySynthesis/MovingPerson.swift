public import VicinityCrossings
internal import VicinityGeodesy

/// A synthetic person's days, by the person's ``PersonKind``: those of a commuter, of a courier, or of
/// somebody at home.
///
/// Home, work or depot, shops, means of travel and hours are the person's habits, the same every day. What
/// they do of it, and when, differs from day to day. Times, distances and speeds are plausible, not measured.
/// Routes follow streets, as in ``DayOfMovement``. Most of the time the phone stands still.
public struct MovingPerson: Hashable, Sendable {
  /// The identifier of the device.
  public let name: String
  let city: City
  let kind: PersonKind
  let seed: UInt64

  /// Calls `body` with the fixes, exact positions, from the first midnight to the last.
  ///
  /// - Complexity: O(seconds / interval)
  public func forEachFix<E: Error>(_ body: (Fix) throws(E) -> Void) throws(E) {
    let end = Double(city.days) * 86_400
    try route(until: end).forEachFix(
      around: city.center, from: city.start, every: city.interval, pause: city.pause, until: end, body)
  }

  public func fixes() -> [Fix] {
    var fixes: [Fix] = []
    forEachFix { fixes.append($0) }
    return fixes
  }

  private func route(until end: Double) -> RouteBuilder {
    switch kind {
    case .commuter: commuterRoute(until: end)
    case .courier: courierRoute(until: end)
    case .home: homeRoute(until: end)
    }
  }

  /// What is the same every day of a commuter.
  private struct Habits {
    var home, work: RouteBuilder.Point
    var shops: [RouteBuilder.Point] = []
    var friends: [RouteBuilder.Point] = []
    var commute: RouteBuilder.Mode
    /// Local hours.
    var leaves, returns: Double
  }

  private func commuterRoute(until end: Double) -> RouteBuilder {
    var random = RandomStream(seed: seed, "moving person")
    func near(_ point: RouteBuilder.Point, median: Double, spread: Double) -> RouteBuilder.Point {
      RouteBuilder.point(near: point, median: median, spread: spread, shortening: 0.75, &random)
    }
    let home = near((0, 0), median: city.spread / 2, spread: 0.6)
    var habits = Habits(
      home: home, work: near(home, median: city.spread, spread: 0.7),
      commute: random.unit() < 0.65 ? .drive : .cycle, leaves: 6.75 + 2 * random.unit(),
      returns: 16 + 2 * random.unit())
    for _ in 0..<4 { habits.shops.append(near(home, median: city.spread / 4, spread: 0.7)) }
    for _ in 0..<3 { habits.friends.append(near(home, median: city.spread / 1.5, spread: 0.6)) }
    var route = RouteBuilder(at: home)
    for day in 0..<city.days {
      let midnight = Double(day) * 86_400
      switch weekday(day) {
      case 5, 6: weekend(from: midnight, habits, &route, &random)
      default: workday(from: midnight, habits, &route, &random)
      }
    }
    route.stay(until: end)
    return route
  }

  /// The day of the week, Monday is 0: that of noon, which is half a day from local midnight and so right in
  /// any time zone.
  func weekday(_ day: Int) -> Int {
    let noon = (city.start.seconds + 43_200) / 86_400
    // 1970 began on a Thursday.
    return ((Int(noon.rounded(.down)) + day + 3) % 7 + 7) % 7
  }

  private func workday(
    from midnight: Double, _ habits: Habits, _ route: inout RouteBuilder, _ random: inout RandomStream
  ) {
    func hour(_ hour: Double, _ spread: Double) -> Double {
      midnight + (hour + spread * random.normal()) * 3600
    }
    guard random.unit() < 0.9 else {
      // At home today, perhaps with a walk to a shop.
      if random.unit() < 0.6 { errand(at: hour(12.5, 0.7), habits, by: .walk, &route, &random) }
      return
    }
    route.stay(until: hour(habits.leaves, 0.2))
    route.travel(to: habits.work, by: habits.commute, &random)
    route.stay(until: max(route.time + 1800, hour(12.25, 0.25)))
    if random.unit() < 0.6 {
      let lunch = RouteBuilder.point(near: habits.work, median: 350, spread: 0.4, &random)
      route.travel(to: lunch, by: .walk, &random)
      route.stay(for: 1500 + 1500 * random.unit())
      route.travel(to: habits.work, by: .walk, &random)
    }
    route.stay(until: max(route.time + 3600, hour(habits.returns, 0.3)))
    if random.unit() < 0.45 {
      route.travel(to: habits.shops[choice(habits.shops.count, &random)], by: habits.commute, &random)
      route.stay(for: 600 + 2400 * random.unit())
    }
    route.travel(to: habits.home, by: habits.commute, &random)
    if random.unit() < 0.3 {
      route.stay(for: 2400 + 3600 * random.unit())
      stroll(around: habits.home, &route, &random)
    }
  }

  private func weekend(
    from midnight: Double, _ habits: Habits, _ route: inout RouteBuilder, _ random: inout RandomStream
  ) {
    func hour(_ hour: Double, _ spread: Double) -> Double {
      midnight + (hour + spread * random.normal()) * 3600
    }
    if random.unit() < 0.75 { errand(at: hour(10, 0.6), habits, by: habits.commute, &route, &random) }
    if random.unit() < 0.55 {
      route.stay(until: max(route.time + 1800, hour(14, 0.7)))
      // To friends, or to the country and back.
      if random.unit() < 0.6 {
        route.travel(to: habits.friends[choice(habits.friends.count, &random)], by: habits.commute, &random)
      } else {
        let country = RouteBuilder.point(near: habits.home, median: 3 * city.spread, spread: 0.4, &random)
        route.travel(to: country, by: .highway, &random)
      }
      let there = route.position
      route.stay(for: 3600 + 7200 * random.unit())
      let isFar = abs(there.x - habits.home.x) + abs(there.y - habits.home.y) > 2 * city.spread
      route.travel(to: habits.home, by: isFar ? .highway : habits.commute, &random)
    } else if random.unit() < 0.5 {
      route.stay(until: max(route.time + 1800, hour(16, 0.7)))
      stroll(around: habits.home, &route, &random)
    }
  }

  private func errand(
    at time: Double, _ habits: Habits, by mode: RouteBuilder.Mode, _ route: inout RouteBuilder,
    _ random: inout RandomStream
  ) {
    route.stay(until: time)
    route.travel(to: habits.shops[choice(habits.shops.count, &random)], by: mode, &random)
    route.stay(for: 600 + 3000 * random.unit())
    route.travel(to: habits.home, by: mode, &random)
  }

  func stroll(around home: RouteBuilder.Point, _ route: inout RouteBuilder, _ random: inout RandomStream) {
    let turn = RouteBuilder.point(near: home, median: 700, spread: 0.3, &random)
    route.travel(to: turn, by: .stroll, &random)
    route.travel(to: home, by: .stroll, &random)
  }

  /// A random index that prefers the first ones, as habits do.
  func choice(_ count: Int, _ random: inout RandomStream) -> Int {
    min(count - 1, Int(Double(count) * random.unit() * random.unit()))
  }
}
