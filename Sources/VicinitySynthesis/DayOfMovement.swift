public import VicinityCrossings
public import VicinityGeodesy

/// A synthetic day of one person: home, the route to work, lunch on foot, an errand, home again.
///
/// Routes follow streets: straight blocks of 80 to 400 m, east-west and north-south in turn, with stops at
/// some corners. Times, distances (8 km to work, in the median) and speeds are plausible, not measured. For
/// 20 to 23 hours of the day the phone stands still. For several days or people see ``Population``.
public struct DayOfMovement: Hashable, Sendable {
  /// The centre of the city.
  public var center: Coordinate
  public var start: Timestamp
  /// Seconds between two fixes; 1 by default.
  public var interval: Double
  public var seed: UInt64

  public init(around center: Coordinate, start: Timestamp, interval: Double = 1, seed: UInt64) {
    self.center = center
    self.start = start
    self.interval = interval
    self.seed = seed
  }

  /// The fixes of the day, exact positions over 24 hours.
  ///
  /// - Complexity: O(seconds of the day / interval)
  public func fixes() -> [Fix] {
    var random = RandomStream(seed: seed, "day of movement")
    func uniform(_ range: ClosedRange<Double>) -> Double {
      range.lowerBound + (range.upperBound - range.lowerBound) * random.unit()
    }
    func near(_ point: RouteBuilder.Point, median: Double, spread: Double) -> RouteBuilder.Point {
      RouteBuilder.point(near: point, median: median, spread: spread, shortening: 0.75, &random)
    }
    let home = near((0, 0), median: 4000, spread: 0.6)
    let work = near(home, median: 8000, spread: 0.7)
    let lunch = near(work, median: 500, spread: 0.3)
    let errand = near(home, median: 2500, spread: 0.6)
    let commute: RouteBuilder.Mode = random.unit() < 0.7 ? .drive : .cycle
    var route = RouteBuilder(at: home)
    route.stay(until: uniform(7...8.5) * 3600)
    route.travel(to: work, by: commute, &random)
    route.stay(until: max(route.time + 1800, uniform(12...13) * 3600))
    route.travel(to: lunch, by: .walk, &random)
    route.stay(for: uniform(1800...3000))
    route.travel(to: work, by: .walk, &random)
    route.stay(until: max(route.time + 3600, uniform(16.5...18) * 3600))
    route.travel(to: errand, by: commute, &random)
    route.stay(for: uniform(900...2400))
    route.travel(to: home, by: commute, &random)
    if random.unit() < 0.5 {
      route.stay(for: uniform(1800...5400))
      route.travel(to: near(home, median: 700, spread: 0.3), by: .stroll, &random)
      route.travel(to: home, by: .stroll, &random)
    }
    route.stay(until: 86_400)
    var fixes: [Fix] = []
    fixes.reserveCapacity(Int(86_400 / interval) + 1)
    route.forEachFix(around: center, from: start, every: interval, until: 86_400) { fixes.append($0) }
    return fixes
  }
}
