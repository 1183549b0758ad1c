public import VicinityGeodesy
public import VicinityMonitor
internal import VicinitySimulation

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

  /// How people go: the speed between stops, metres a second, and the share of corners that are stops.
  private enum Mode {
    case walk, cycle, drive

    var speed: ClosedRange<Double> {
      switch self {
      case .walk: 1.1...1.6
      case .cycle: 3.5...6
      case .drive: 7...14
      }
    }

    var stops: Double {
      switch self {
      case .walk: 0.15
      case .cycle: 0.2
      case .drive: 0.35
      }
    }
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
    let commute: Mode = random.unit() < 0.7 ? .drive : .cycle
    var walker = Walker(at: home)
    walker.stay(until: uniform(7...8.5) * 3600)
    walker.go(to: work, commute.speed, stops: commute.stops, &random)
    walker.stay(until: max(walker.time + 1800, uniform(12...13) * 3600))
    walker.go(to: lunch, Mode.walk.speed, stops: Mode.walk.stops, &random)
    walker.stay(for: uniform(1800...3000))
    walker.go(to: work, Mode.walk.speed, stops: Mode.walk.stops, &random)
    walker.stay(until: max(walker.time + 3600, uniform(16.5...18) * 3600))
    walker.go(to: errand, commute.speed, stops: commute.stops, &random)
    walker.stay(for: uniform(900...2400))
    walker.go(to: home, commute.speed, stops: commute.stops, &random)
    if random.unit() < 0.5 {
      walker.stay(for: uniform(1800...5400))
      walker.go(to: away(from: home, median: 700, spread: 0.3), Mode.walk.speed, stops: 0.1, &random)
      walker.go(to: home, Mode.walk.speed, stops: 0.1, &random)
    }
    walker.stay(until: 86_400)
    return walker.fixes(around: center, from: start, every: interval)
  }
}

/// Someone who walks over a plane and leaves corners with times behind.
private struct Walker {
  private(set) var time = 0.0
  private var place: (x: Double, y: Double)
  private var corners: [(time: Double, x: Double, y: Double)]

  init(at place: (Double, Double)) {
    self.place = place
    corners = [(0, place.0, place.1)]
  }

  mutating func stay(until end: Double) {
    guard end > time else { return }
    time = end
    corners.append((time, place.x, place.y))
  }

  mutating func stay(for seconds: Double) { stay(until: time + seconds) }

  mutating func go(
    to goal: (Double, Double), _ speeds: ClosedRange<Double>, stops: Double, _ random: inout RandomStream
  ) {
    var isEastWest = random.unit() < 0.5
    while place.x != goal.0 || place.y != goal.1 {
      let rest = isEastWest ? goal.0 - place.x : goal.1 - place.y
      let block = 80 + 320 * random.unit()
      let step = abs(rest) <= block ? rest : rest > 0 ? block : -block
      let speed = speeds.lowerBound + (speeds.upperBound - speeds.lowerBound) * random.unit()
      if step != 0 {
        if abs(rest) <= block {
          if isEastWest { place.x = goal.0 } else { place.y = goal.1 }
        } else if isEastWest {
          place.x += step
        } else {
          place.y += step
        }
        time += abs(step) / speed
        corners.append((time, place.x, place.y))
        if random.unit() < stops { stay(for: 5 + 40 * random.unit()) }
      }
      isEastWest.toggle()
    }
  }

  func fixes(around center: Coordinate, from start: Timestamp, every interval: Double) -> [Fix] {
    let north = 1 / 111_132.0
    let east = 1 / max(1, 111_320 * cos(center.latitude * (.pi / 180)))
    let end = min(time, 86_400)
    var fixes: [Fix] = []
    fixes.reserveCapacity(Int(end / interval) + 1)
    var corner = 0
    var index = 0
    while true {
      let t = Double(index) * interval
      guard t <= end else { break }
      while corner + 2 < corners.count, corners[corner + 1].time <= t { corner += 1 }
      let a = corners[corner]
      let b = corners[min(corner + 1, corners.count - 1)]
      let share = b.time > a.time ? min(1, (t - a.time) / (b.time - a.time)) : 0
      var longitude = center.longitude + (a.x + (b.x - a.x) * share) * east
      if longitude >= 180 || longitude < -180 { longitude = longitude.remainder(dividingBy: 360) }
      let latitude = center.latitude + (a.y + (b.y - a.y) * share) * north
      fixes.append(
        Fix(
          time: start.advanced(by: .seconds(t)),
          coordinate: Coordinate(latitude: max(-90, min(90, latitude)), longitude: longitude)))
      index += 1
    }
    return fixes
  }
}
