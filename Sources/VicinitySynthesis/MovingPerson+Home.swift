internal import VicinityGeodesy

/// What is the same every day of a person who is at home.
struct HomeHabits {
  let home: RouteBuilder.Point
  /// How the farther shops are reached.
  let mode: RouteBuilder.Mode
  var shops: [RouteBuilder.Point] = []

  init(at home: RouteBuilder.Point, mode: RouteBuilder.Mode, _ city: City, _ random: inout RandomStream) {
    self.home = home
    self.mode = mode
    for _ in 0..<4 {
      shops.append(
        RouteBuilder.point(near: home, median: city.spread / 8, spread: 0.6, shortening: 0.75, &random))
    }
  }
}

extension MovingPerson {
  func homeRoute(until end: Double) -> RouteBuilder {
    var random = RandomStream(seed: seed, "at home")
    let home = RouteBuilder.point(
      near: (0, 0), median: city.spread / 2, spread: 0.6, shortening: 0.75, &random)
    let habits = HomeHabits(at: home, mode: random.unit() < 0.5 ? .drive : .cycle, city, &random)
    var route = RouteBuilder(at: home)
    for day in 0..<city.days { homeDay(from: Double(day) * 86_400, habits, &route, &random) }
    route.stay(until: end)
    return route
  }

  /// A day with no outing, one or two.
  func homeDay(
    from midnight: Double, _ habits: HomeHabits, _ route: inout RouteBuilder, _ random: inout RandomStream
  ) {
    let share = random.unit()
    if share < 0.2 { return }
    outing(at: midnight + (9 + 3 * random.unit()) * 3600, habits, &route, &random)
    if share < 0.7 { return }
    outing(
      at: max(route.time + 1800, midnight + (14 + 4 * random.unit()) * 3600), habits, &route, &random)
  }

  /// A walk, or a visit of a shop.
  private func outing(
    at time: Double, _ habits: HomeHabits, _ route: inout RouteBuilder, _ random: inout RandomStream
  ) {
    route.stay(until: time)
    if random.unit() < 0.4 { return stroll(around: habits.home, &route, &random) }
    let shop = habits.shops[choice(habits.shops.count, &random)]
    let isNear = abs(shop.x - habits.home.x) + abs(shop.y - habits.home.y) <= 1000
    let mode = isNear ? .walk : habits.mode
    route.travel(to: shop, by: mode, &random)
    route.stay(for: 600 + 1800 * random.unit())
    route.travel(to: habits.home, by: mode, &random)
  }
}
