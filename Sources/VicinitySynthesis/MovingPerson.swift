public import VicinityCrossings
public import VicinityGeodesy

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A made-up person's days: home, the way to work and back, lunch, errands, evenings, and other things on weekends.
///
/// Home, work, the shops they go to, how they go and when they get up are the person's own and the same every day; what they do
/// of it, and when, is another matter each day. Times, distances and speeds are plausible, not measured. Ways follow
/// streets, as in ``DayOfMovement``; at most places and for most hours the phone stands still.
public struct MovingPerson: Hashable, Sendable {
  /// What the device is called.
  public let name: String
  /// The middle of the city.
  public let center: Coordinate
  /// How far from the middle homes lie: twice the median, metres.
  public let spread: Meters
  /// Midnight of the first day, local time.
  public let start: Timestamp
  /// How many days.
  public let days: Int
  /// Seconds between two fixes.
  public let interval: Double
  /// Seconds between two fixes in the midst of a stay, where nothing changes; no less than the interval.
  public let pause: Double
  /// What decides everything that is left to chance.
  public let seed: UInt64

  /// The fixes, exact, one after the other, from the first midnight to the last.
  ///
  /// - Complexity: O(seconds / interval)
  public func forEachFix<E: Error>(_ body: (Fix) throws(E) -> Void) throws(E) {
    let end = Double(days) * 86_400
    try way(until: end).forEachFix(
      around: center, from: start, every: interval, pause: pause, until: end, body)
  }

  /// All fixes.
  public func fixes() -> [Fix] {
    var fixes: [Fix] = []
    forEachFix { fixes.append($0) }
    return fixes
  }

  /// What a person keeps to.
  private struct Habits {
    var home, work: (Double, Double)
    var shops: [(Double, Double)] = []
    var friends: [(Double, Double)] = []
    var commute: Walker.Mode
    /// Hours after midnight.
    var leaves, returns: Double
  }

  private func way(until end: Double) -> Walker {
    var random = RandomStream(seed: seed, "moving person")
    func away(from place: (Double, Double), median: Double, spread: Double) -> (Double, Double) {
      let distance = random.logNormal(median: median, spread: spread)
      let angle = 2 * .pi * random.unit()
      return (place.0 + distance * 0.75 * cos(angle), place.1 + distance * 0.75 * sin(angle))
    }
    let home = away(from: (0, 0), median: spread / 2, spread: 0.6)
    var habits = Habits(
      home: home, work: away(from: home, median: spread, spread: 0.7),
      commute: random.unit() < 0.65 ? .drive : .cycle, leaves: 6.75 + 2 * random.unit(),
      returns: 16 + 2 * random.unit())
    for _ in 0..<4 { habits.shops.append(away(from: home, median: spread / 4, spread: 0.7)) }
    for _ in 0..<3 { habits.friends.append(away(from: home, median: spread / 1.5, spread: 0.6)) }
    var walker = Walker(at: home)
    for day in 0..<days {
      let midnight = Double(day) * 86_400
      switch weekday(day) {
      case 5, 6: weekend(from: midnight, habits, &walker, &random)
      default: workday(from: midnight, habits, &walker, &random)
      }
    }
    walker.stay(until: end)
    return walker
  }

  /// Monday is 0. The date is that of noon, half a day off local midnight, whatever the time zone.
  private func weekday(_ day: Int) -> Int {
    let noon = (start.seconds + 43_200) / 86_400
    // 1970 began on a Thursday.
    return ((Int(noon.rounded(.down)) + day + 3) % 7 + 7) % 7
  }

  private func workday(
    from midnight: Double, _ habits: Habits, _ walker: inout Walker, _ random: inout RandomStream
  ) {
    func hour(_ hour: Double, _ spread: Double) -> Double {
      midnight + (hour + spread * random.normal()) * 3600
    }
    guard random.unit() < 0.9 else {
      // At home today: a shop on foot or not at all.
      if random.unit() < 0.6 { errand(at: hour(12.5, 0.7), habits, by: .walk, &walker, &random) }
      return
    }
    walker.stay(until: hour(habits.leaves, 0.2))
    walker.go(to: habits.work, by: habits.commute, &random)
    walker.stay(until: max(walker.time + 1800, hour(12.25, 0.25)))
    if random.unit() < 0.6 {
      let distance = random.logNormal(median: 350, spread: 0.4)
      let angle = 2 * .pi * random.unit()
      let lunch = (habits.work.0 + distance * cos(angle), habits.work.1 + distance * sin(angle))
      walker.go(to: lunch, by: .walk, &random)
      walker.stay(for: 1500 + 1500 * random.unit())
      walker.go(to: habits.work, by: .walk, &random)
    }
    walker.stay(until: max(walker.time + 3600, hour(habits.returns, 0.3)))
    if random.unit() < 0.45 {
      walker.go(to: habits.shops[choice(habits.shops.count, &random)], by: habits.commute, &random)
      walker.stay(for: 600 + 2400 * random.unit())
    }
    walker.go(to: habits.home, by: habits.commute, &random)
    if random.unit() < 0.3 {
      walker.stay(for: 2400 + 3600 * random.unit())
      stroll(habits, &walker, &random)
    }
  }

  private func weekend(
    from midnight: Double, _ habits: Habits, _ walker: inout Walker, _ random: inout RandomStream
  ) {
    func hour(_ hour: Double, _ spread: Double) -> Double {
      midnight + (hour + spread * random.normal()) * 3600
    }
    if random.unit() < 0.75 { errand(at: hour(10, 0.6), habits, by: habits.commute, &walker, &random) }
    if random.unit() < 0.55 {
      walker.stay(until: max(walker.time + 1800, hour(14, 0.7)))
      // To friends, or out into the country and back.
      if random.unit() < 0.6 {
        walker.go(to: habits.friends[choice(habits.friends.count, &random)], by: habits.commute, &random)
      } else {
        let distance = random.logNormal(median: 3 * spread, spread: 0.4)
        let angle = 2 * .pi * random.unit()
        walker.go(
          to: (habits.home.0 + distance * cos(angle), habits.home.1 + distance * sin(angle)), by: .highway,
          &random)
      }
      let there = walker.place
      walker.stay(for: 3600 + 7200 * random.unit())
      let isFar = abs(there.x - habits.home.0) + abs(there.y - habits.home.1) > 2 * spread
      walker.go(to: habits.home, by: isFar ? .highway : habits.commute, &random)
    } else if random.unit() < 0.5 {
      walker.stay(until: max(walker.time + 1800, hour(16, 0.7)))
      stroll(habits, &walker, &random)
    }
  }

  private func errand(
    at time: Double, _ habits: Habits, by mode: Walker.Mode, _ walker: inout Walker,
    _ random: inout RandomStream
  ) {
    walker.stay(until: time)
    walker.go(to: habits.shops[choice(habits.shops.count, &random)], by: mode, &random)
    walker.stay(for: 600 + 3000 * random.unit())
    walker.go(to: habits.home, by: mode, &random)
  }

  private func stroll(_ habits: Habits, _ walker: inout Walker, _ random: inout RandomStream) {
    let distance = random.logNormal(median: 700, spread: 0.3)
    let angle = 2 * .pi * random.unit()
    walker.go(
      to: (habits.home.0 + distance * cos(angle), habits.home.1 + distance * sin(angle)), by: .stroll, &random
    )
    walker.go(to: habits.home, by: .stroll, &random)
  }

  /// One of the first of several things, which are habits, more often than the last.
  private func choice(_ count: Int, _ random: inout RandomStream) -> Int {
    min(count - 1, Int(Double(count) * random.unit() * random.unit()))
  }
}

/// Made-up people of a city, each a device.
///
/// One person is the same whatever the number of others.
public struct Population: Hashable, Sendable {
  /// How many people.
  public let count: Int
  private let center: Coordinate
  private let spread: Meters
  private let start: Timestamp
  private let days: Int
  private let interval: Double
  private let pause: Double
  private let seed: UInt64

  /// People around the middle of a city.
  ///
  /// - Parameters:
  ///   - count: 0 to a million.
  ///   - center: The middle of the city.
  ///   - spread: Twice the median of how far homes lie from it, metres, 100 m to 100 km; other distances go with it.
  ///   - start: Midnight of the first day, local time.
  ///   - days: 1 to 3,660.
  ///   - interval: Seconds between two fixes, 0.1 to 3,600.
  ///   - pause: Seconds between two fixes in the midst of a stay, up to 3,600; the interval if that is more. At most
  ///     300 s are understood as one way without a gap by the default of the geometric rule.
  /// - Throws: ``GenerationError`` for the first that is out of its range.
  public init(
    count: Int, around center: Coordinate, spread: Meters = 8000, start: Timestamp, days: Int,
    interval: Double = 1, pause: Double = 60, seed: UInt64
  ) throws(GenerationError) {
    func check(
      _ parameter: String, _ value: Double, _ range: ClosedRange<Double>, _ unit: String
    ) throws(GenerationError) {
      guard range.contains(value) else {
        throw .outOfRange(
          parameter: parameter, value: value,
          allowed: "\(range.lowerBound.shortestText) to \(range.upperBound.shortestText)\(unit)")
      }
    }
    try check("the number of devices", Double(count), 0...1e6, "")
    guard center.isValid else {
      throw .invalidPlace(number: 1, latitude: center.latitude, longitude: center.longitude)
    }
    try check("the spread", spread, 100...1e5, " m")
    try check("the number of days", Double(days), 1...3660, "")
    try check("the interval", interval, 0.1...3600, " s")
    try check("the pause", pause, 0...3600, " s")
    // Year 9999 and thereabouts: what times can be written.
    try check("the start", start.seconds, -6.2e10...2.5e11, " s since 1970")
    self.count = count
    self.center = center
    self.spread = spread
    self.start = start
    self.days = days
    self.interval = interval
    self.pause = max(interval, pause)
    self.seed = seed
  }

  /// One of them; `index` must lie in 0 ..< ``count``. Called `device-1` and so on.
  public func person(_ index: Int) -> MovingPerson {
    var stream = RandomStream(seed: seed &+ UInt64(index) &* 0x9E37_79B9_7F4A_7C15, "population")
    return MovingPerson(
      name: "device-\(index + 1)", center: center, spread: spread, start: start, days: days,
      interval: interval, pause: pause, seed: stream.next())
  }
}
