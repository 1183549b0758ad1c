internal import CMath
internal import VicinityCrossings
internal import VicinityGeodesy

/// Builds a route along the streets of a plane: corners with times, in metres and seconds.
struct RouteBuilder {
  /// Metres east and north of the plane's origin.
  typealias Point = (x: Double, y: Double)

  /// A way to travel.
  enum Mode {
    case walk, stroll, cycle, drive, highway

    /// Metres a second between stops.
    var speed: ClosedRange<Double> {
      switch self {
      case .walk, .stroll: 1.1...1.6
      case .cycle: 3.5...6
      case .drive: 7...14
      case .highway: 20...33
      }
    }

    /// The share of the corners that are stops.
    var stops: Double {
      switch self {
      case .walk: 0.15
      case .stroll: 0.1
      case .cycle: 0.2
      case .drive: 0.35
      case .highway: 0.01
      }
    }

    /// Metres of street a second in the mean, stops at corners included.
    var meanSpeed: Double {
      let length = (block.lowerBound + block.upperBound) / 2
      // The mean of 1 / v, for v evenly spread between the least and the greatest speed.
      let slowness = log(speed.upperBound / speed.lowerBound) / (speed.upperBound - speed.lowerBound)
      return length / (length * slowness + stops * 25)
    }

    /// The length of a street block, metres.
    var block: ClosedRange<Double> {
      switch self {
      case .walk, .stroll, .cycle, .drive: 80...400
      case .highway: 1500...6000
      }
    }
  }

  private(set) var time = 0.0
  private(set) var position: Point
  private var corners: [(time: Double, x: Double, y: Double)]

  init(at start: Point) {
    position = start
    corners = [(0, start.x, start.y)]
  }

  /// A random point in any direction, at a log-normal distance.
  ///
  /// - Parameter shortening: A factor on the distance: 0.75 where `median` is the length of the route, which
  ///   is longer along streets.
  static func point(
    near point: Point, median: Double, spread: Double, shortening: Double = 1, _ random: inout RandomStream
  ) -> Point {
    let distance = random.logNormal(median: median, spread: spread)
    let angle = 2 * .pi * random.unit()
    return (point.x + distance * shortening * cos(angle), point.y + distance * shortening * sin(angle))
  }

  mutating func stay(until end: Double) {
    guard end > time else { return }
    time = end
    corners.append((time, position.x, position.y))
  }

  mutating func stay(for seconds: Double) { stay(until: time + seconds) }

  /// Travels block by block, east-west and north-south in turn, with stops of 5 to 45 s at some corners.
  mutating func travel(to goal: Point, by mode: Mode, _ random: inout RandomStream) {
    let speeds = mode.speed
    let blocks = mode.block
    var isEastWest = random.unit() < 0.5
    while position != goal {
      let rest = isEastWest ? goal.x - position.x : goal.y - position.y
      let block = blocks.lowerBound + (blocks.upperBound - blocks.lowerBound) * random.unit()
      let speed = speeds.lowerBound + (speeds.upperBound - speeds.lowerBound) * random.unit()
      if rest != 0 {
        let isLast = abs(rest) <= block
        let step = isLast ? rest : rest > 0 ? block : -block
        if isEastWest {
          position.x = isLast ? goal.x : position.x + step
        } else {
          position.y = isLast ? goal.y : position.y + step
        }
        time += abs(step) / speed
        corners.append((time, position.x, position.y))
        if random.unit() < mode.stops { stay(for: 5 + 40 * random.unit()) }
      }
      isEastWest.toggle()
    }
  }

  /// Calls `body` with the fixes of the route, exact positions, up to a time.
  ///
  /// - Parameters:
  ///   - center: The coordinate of the plane's origin.
  ///   - interval: Seconds between two fixes.
  ///   - pause: Seconds between two fixes in the middle of a stay; at least the interval. The first and last
  ///     fix of a stay are always included, so that the route between fixes is the same.
  func forEachFix<E: Error>(
    around center: Coordinate, from start: Timestamp, every interval: Double, pause: Double = 0,
    until end: Double, _ body: (Fix) throws(E) -> Void
  ) throws(E) {
    let north = 1 / 111_132.0
    let east = 1 / max(1, 111_320 * cos(center.latitude * (.pi / 180)))
    let end = min(time, end)
    var corner = 0
    var index = 0
    var last = -Double.infinity
    while true {
      let t = Double(index) * interval
      guard t <= end else { break }
      index += 1
      while corner + 2 < corners.count, corners[corner + 1].time <= t { corner += 1 }
      let a = corners[corner]
      let b = corners[min(corner + 1, corners.count - 1)]
      let isMidStay = a.x == b.x && a.y == b.y && a.time <= t - interval && b.time > t + interval
      if isMidStay, t - last < pause { continue }
      last = t
      let share = b.time > a.time ? min(1, (t - a.time) / (b.time - a.time)) : 0
      let latitude = center.latitude + (a.y + (b.y - a.y) * share) * north
      let longitude = center.longitude + (a.x + (b.x - a.x) * share) * east
      try body(
        Fix(
          time: start.advanced(by: .seconds(t)),
          coordinate: Coordinate(
            latitude: max(-90, min(90, latitude)), longitude: Coordinate.wrapped(longitude: longitude))))
    }
  }
}
