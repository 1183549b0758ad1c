internal import VicinityCrossings
public import VicinityGeodesy

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The compass.
///
/// The phone points where it goes, and at rest where it went last. What is measured is off by an Ornstein–Uhlenbeck process of
/// ``HeadingProfile/error`` and ``HeadingProfile/correlationTime``. It is read ``HeadingProfile/rate`` times a second while the
/// app runs, and told where it has turned by the filter. True north needs a place: while location is off there is none.
struct HeadingState {
  var isStarted = false
  var isAsleep = false
  var filter: Degrees = 1
  var random: RandomStream
  /// In standard deviations.
  var error: Double?
  var errorTime: Timestamp
  /// Where the phone points, degrees from true north.
  var direction: Degrees = 0
  /// The last that was told.
  var last: Degrees?
  /// Declination changes by a degree in 50 km or more, but near the magnetic poles.
  var declination: (place: Coordinate, degrees: Degrees)?

  init(_ scenario: Scenario) {
    random = RandomStream(seed: scenario.seed, "heading")
    errorTime = scenario.track.start
  }

  /// The error at a time, in standard deviations; exact for any time since the last.
  mutating func error(at time: Timestamp, correlationTime: Double) -> Double {
    let kept = exp(-time.seconds(since: errorTime) / max(correlationTime, .leastNormalMagnitude))
    let fresh = (1 - kept * kept).squareRoot()
    let value = error.map { kept * $0 + fresh * random.normal() } ?? random.normal()
    error = value
    errorTime = time
    return value
  }
}

extension SimulatedPhone {
  /// How far the phone must turn for another heading, degrees; 1 by default, as Core Location's. Zero or less for all.
  public var headingFilter: Degrees {
    get { heading.filter }
    set { heading.filter = newValue }
  }

  /// Starts headings: they come as ``PhoneEvent/heading(_:)`` while the app runs.
  public func startUpdatingHeading() {
    guard !heading.isStarted else { return }
    record(.service(name: "heading", setting: "filter \(heading.filter) degrees"))
    heading.isStarted = true
    heading.last = nil
    refreshHeading()
  }

  /// Stops headings.
  public func stopUpdatingHeading() {
    guard heading.isStarted else { return }
    record(.service(name: "heading", setting: "stopped"))
    heading.isStarted = false
    refreshHeading()
  }

  func headingNotices(_ change: SurroundingChange) {
    switch change {
    case .app:
      if appState == .notRunning {
        heading.isStarted = false
        heading.filter = 1
      }
    case .sleep(let isAsleep): heading.isAsleep = isAsleep
    case .motion, .environment: return
    }
    refreshHeading()
  }

  private func refreshHeading() {
    let runs = appState == .foreground || appState == .background
    let isOn = heading.isStarted && runs && !heading.isAsleep && profile.heading.rate.value > 0
    meter.hold(.sensors, isOn ? profile.heading.power.value : 0, by: .heading, at: now)
    if isOn {
      if agenda[.heading] == .distantFuture { agenda[.heading] = now }
    } else {
      agenda.cancel(.heading)
    }
  }

  func headingIsDue() {
    // A thousand times a second is the most, so that time passes.
    agenda[.heading] = now.advanced(bySeconds: max(0.001, 1 / profile.heading.rate.value))
    let state = truth.state(at: now)
    if state.speed > 0 { heading.direction = state.course }
    let declination = declination(at: state.place)
    let figures = profile.heading
    let error = figures.error.value * heading.error(at: now, correlationTime: figures.correlationTime.value)
    let magnetic = (heading.direction - declination + error).turn
    if let last = heading.last, abs((magnetic - last).remainder(dividingBy: 360)) < heading.filter { return }
    heading.last = magnetic
    let trueNorth = isLocationOn ? (magnetic + declination).turn : -1
    deliver(
      .heading(Heading(magnetic: magnetic, trueNorth: trueNorth, accuracy: figures.error.value, time: now)),
      .running)
  }

  /// The declination, to what it changes by within a kilometre.
  private func declination(at place: Coordinate) -> Degrees {
    if let known = heading.declination, Geodesic.simulatedDistance(known.place, place) < 1000 {
      return known.degrees
    }
    let degrees = WorldMagneticModel.declination(at: place, time: now)
    heading.declination = (place, degrees)
    return degrees
  }
}

extension Degrees {
  /// The same direction in 0 ..< 360.
  var turn: Degrees {
    let rest = truncatingRemainder(dividingBy: 360)
    let turn = rest < 0 ? rest + 360 : rest
    return turn < 360 ? turn : 0
  }
}
