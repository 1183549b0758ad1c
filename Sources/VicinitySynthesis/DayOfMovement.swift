public import VicinityCrossings
public import VicinityGeodesy

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A made-up day of one person: home, the way to work, lunch on foot, an errand, home again.
///
/// Ways follow streets: straight pieces of 80 to 400 m, east-west and north-south in turn, with stops at some corners. Times,
/// distances (8 km to work, in the median) and speeds are plausible, not measured; for 20 to 23 hours of the day the phone
/// stands still.
public struct DayOfMovement: Hashable, Sendable {
  /// The middle of the city.
  public var center: Coordinate
  /// When the day begins.
  public var start: Timestamp
  /// Seconds between two fixes; one a second by default.
  public var interval: Double
  /// What decides everything that is left to chance.
  public var seed: UInt64

  /// A day.
  public init(around center: Coordinate, start: Timestamp, interval: Double = 1, seed: UInt64) {
    self.center = center
    self.start = start
    self.interval = interval
    self.seed = seed
  }

  /// The day's fixes, exact, from its beginning to 24 hours later.
  ///
  /// - Complexity: O(seconds of the day / interval)
  public func fixes() -> [Fix] {
    var random = RandomStream(seed: seed, "day of movement")
    func uniform(_ range: ClosedRange<Double>) -> Double {
      range.lowerBound + (range.upperBound - range.lowerBound) * random.unit()
    }
    func away(from place: (Double, Double), median: Double, spread: Double) -> (Double, Double) {
      let distance = random.logNormal(median: median, spread: spread)
      let angle = uniform(0...(2 * .pi))
      // Along streets the way is longer than the distance.
      return (place.0 + distance * 0.75 * cos(angle), place.1 + distance * 0.75 * sin(angle))
    }
    let home = away(from: (0, 0), median: 4000, spread: 0.6)
    let work = away(from: home, median: 8000, spread: 0.7)
    let lunch = away(from: work, median: 500, spread: 0.3)
    let errand = away(from: home, median: 2500, spread: 0.6)
    let commute: Walker.Mode = random.unit() < 0.7 ? .drive : .cycle
    var walker = Walker(at: home)
    walker.stay(until: uniform(7...8.5) * 3600)
    walker.go(to: work, by: commute, &random)
    walker.stay(until: max(walker.time + 1800, uniform(12...13) * 3600))
    walker.go(to: lunch, by: .walk, &random)
    walker.stay(for: uniform(1800...3000))
    walker.go(to: work, by: .walk, &random)
    walker.stay(until: max(walker.time + 3600, uniform(16.5...18) * 3600))
    walker.go(to: errand, by: commute, &random)
    walker.stay(for: uniform(900...2400))
    walker.go(to: home, by: commute, &random)
    if random.unit() < 0.5 {
      walker.stay(for: uniform(1800...5400))
      walker.go(to: away(from: home, median: 700, spread: 0.3), by: .stroll, &random)
      walker.go(to: home, by: .stroll, &random)
    }
    walker.stay(until: 86_400)
    var fixes: [Fix] = []
    fixes.reserveCapacity(Int(86_400 / interval) + 1)
    walker.forEachFix(around: center, from: start, every: interval, until: 86_400) { fixes.append($0) }
    return fixes
  }
}
