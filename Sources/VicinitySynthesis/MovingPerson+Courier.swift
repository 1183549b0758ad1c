internal import CMath
internal import VicinityGeodesy

extension MovingPerson {
  /// What is the same every day of a courier.
  private struct Rounds {
    var home: RouteBuilder.Point
    /// Nil for a courier who loads at home.
    var depot: RouteBuilder.Point?
    var mode: RouteBuilder.Mode
    /// Local hours.
    var leaves: Double
  }

  private static let stopCounts = 20...60
  /// A stop, seconds. With one of up to 45 s at the corner before it, it is no longer than 10 minutes.
  private static let stopTimes = 120.0...555
  /// From the depot to the last stop's end, seconds; 15 minutes are left for the last way, which may take
  /// longer than planned.
  private static let tourTimes = 22_500.0...31_500

  func courierRoute(until end: Double) -> RouteBuilder {
    var random = RandomStream(seed: seed, "courier")
    let home = RouteBuilder.point(
      near: (0, 0), median: city.spread / 2, spread: 0.6, shortening: 0.75, &random)
    let depot = RouteBuilder.point(
      near: (0, 0), median: city.spread / 2, spread: 0.4, shortening: 0.75, &random)
    let rounds = Rounds(
      home: home, depot: random.unit() < 0.6 ? depot : nil, mode: random.unit() < 0.7 ? .drive : .cycle,
      leaves: 6.25 + 1.5 * random.unit())
    let habits = HomeHabits(at: home, mode: rounds.mode, city, &random)
    var route = RouteBuilder(at: home)
    for day in 0..<city.days {
      let midnight = Double(day) * 86_400
      if weekday(day) == 6 {
        homeDay(from: midnight, habits, &route, &random)
      } else {
        delivery(from: midnight, rounds, &route, &random)
      }
    }
    route.stay(until: end)
    return route
  }

  private func delivery(
    from midnight: Double, _ rounds: Rounds, _ route: inout RouteBuilder, _ random: inout RandomStream
  ) {
    route.stay(until: midnight + (rounds.leaves + 0.5 * (random.unit() - 0.5)) * 3600)
    if let depot = rounds.depot { route.travel(to: depot, by: rounds.mode, &random) }
    route.stay(for: 900 + 1500 * random.unit())
    let times = Self.tourTimes
    let tourEnd = route.time + times.lowerBound + (times.upperBound - times.lowerBound) * random.unit()
    let counts = Self.stopCounts
    let planned = counts.lowerBound + Int(Double(counts.count) * random.unit())
    // A street route of this length leads from anywhere in the city to somewhere else in it.
    let longest = city.spread / rounds.mode.meanSpeed
    for number in 0..<counts.upperBound {
      let left = tourEnd - route.time
      if number >= counts.lowerBound, number >= planned && left < 600 || left < 0 { break }
      // The time of a stop and of the way there, so that the planned ones fill the hours. After those there
      // is time left where the city is too small for longer ways.
      let budget = number < planned ? left / Double(planned - number) : min(left, 900)
      let usual = random.logNormal(median: 210, spread: 0.5)
      let stay = min(max(usual, budget - longest, Self.stopTimes.lowerBound), Self.stopTimes.upperBound)
      let way = min(longest, max(30, budget - stay) * (0.6 + 0.8 * random.unit()))
      let address = address(from: route.position, streets: way * rounds.mode.meanSpeed, &random)
      route.travel(to: address, by: rounds.mode, &random)
      route.stay(for: stay)
    }
    route.travel(to: rounds.home, by: rounds.mode, &random)
  }

  /// A place in the city at the end of a route of some length along streets, metres; towards the centre where
  /// no other was found.
  private func address(
    from position: RouteBuilder.Point, streets: Double, _ random: inout RandomStream
  ) -> RouteBuilder.Point {
    func reached(_ angle: Double) -> RouteBuilder.Point {
      let distance = streets / (abs(cos(angle)) + abs(sin(angle)))
      return (position.x + distance * cos(angle), position.y + distance * sin(angle))
    }
    for _ in 0..<8 {
      let place = reached(2 * .pi * random.unit())
      if place.x * place.x + place.y * place.y <= city.spread * city.spread { return place }
    }
    return reached(atan2(-position.y, -position.x))
  }
}
