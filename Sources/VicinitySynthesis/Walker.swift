internal import VicinityCrossings
internal import VicinityGeodesy

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Someone who goes along the streets of a plane and leaves corners with times behind; metres and seconds.
struct Walker {
  /// How people go: the speed between stops, metres a second, and the share of corners that are stops.
  enum Mode {
    case walk, stroll, cycle, drive, highway

    var speed: ClosedRange<Double> {
      switch self {
      case .walk, .stroll: 1.1...1.6
      case .cycle: 3.5...6
      case .drive: 7...14
      case .highway: 20...33
      }
    }

    var stops: Double {
      switch self {
      case .walk: 0.15
      case .stroll: 0.1
      case .cycle: 0.2
      case .drive: 0.35
      case .highway: 0.01
      }
    }

    /// The length of a piece between two corners, metres.
    var block: ClosedRange<Double> {
      switch self {
      case .walk, .stroll, .cycle, .drive: 80...400
      case .highway: 1500...6000
      }
    }
  }

  private(set) var time = 0.0
  private(set) var place: (x: Double, y: Double)
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

  /// Goes piece by piece, east-west and north-south in turn, with stops of 5 to 45 s at some of the corners.
  mutating func go(to goal: (Double, Double), by mode: Mode, _ random: inout RandomStream) {
    let speeds = mode.speed
    let blocks = mode.block
    var isEastWest = random.unit() < 0.5
    while place.x != goal.0 || place.y != goal.1 {
      let rest = isEastWest ? goal.0 - place.x : goal.1 - place.y
      let block = blocks.lowerBound + (blocks.upperBound - blocks.lowerBound) * random.unit()
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
        if random.unit() < mode.stops { stay(for: 5 + 40 * random.unit()) }
      }
      isEastWest.toggle()
    }
  }

  /// The way as fixes, exact, up to a time.
  ///
  /// - Parameters:
  ///   - center: Where the plane touches the Earth.
  ///   - interval: Seconds between two fixes.
  ///   - pause: Seconds between two fixes in the midst of a stay; no less than the interval. The first and the last fix of a stay
  ///     are there whatever it is, so that the way between fixes is the same.
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
      var longitude = center.longitude + (a.x + (b.x - a.x) * share) * east
      if longitude >= 180 || longitude < -180 { longitude = longitude.remainder(dividingBy: 360) }
      let latitude = center.latitude + (a.y + (b.y - a.y) * share) * north
      try body(
        Fix(
          time: start.advanced(by: .seconds(t)),
          coordinate: Coordinate(latitude: max(-90, min(90, latitude)), longitude: longitude)))
    }
  }
}
