internal import CMath
internal import VicinityCrossings
public import VicinityGeodesy
internal import VicinityMonitor

/// The state of the compass.
///
/// The phone points in its direction of travel, and at rest in the last one. The error of the measurement is
/// an Ornstein–Uhlenbeck process with ``HeadingProfile/error`` and ``HeadingProfile/correlationTime``. The
/// compass is read ``HeadingProfile/rate`` times a second while the app runs, and headings that pass the
/// filter are delivered. True north needs a position: it is unknown while location is off.
struct HeadingState: ~Copyable {
  var isStarted = false
  var filter: Degrees = 1
  var random: RandomStream
  /// The current error, in standard deviations.
  var error: Double?
  var errorTime: Timestamp
  /// The true direction of the phone, degrees from true north.
  var direction: Degrees = 0
  /// The last heading that was delivered.
  var last: Degrees?
  /// The last computed declination. It changes by a degree in 50 km or more, except near the magnetic poles.
  var declination: (position: Coordinate, degrees: Degrees)?

  init(_ scenario: Scenario) {
    random = RandomStream(seed: scenario.seed, "heading")
    errorTime = scenario.track.start
  }

  /// The error at a time not before the last one, in standard deviations. Exact for any step.
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
  /// How far the phone must turn for the next heading, degrees; 1 by default, as in Core Location. Zero or
  /// less delivers all.
  public var headingFilter: Degrees {
    get { heading.filter }
    set { heading.filter = newValue }
  }

  /// Starts headings: `PhoneEvent.heading` while the app runs. Refused where ``isHeadingAvailable`` is false.
  public func startUpdatingHeading() {
    guard !heading.isStarted else { return }
    guard isHeadingAvailable else { return record(.lost("heading: the device has no compass")) }
    record(.service(name: "heading", setting: "filter \(heading.filter) degrees"))
    heading.isStarted = true
    heading.last = nil
    refreshHeading()
  }

  public func stopUpdatingHeading() {
    guard heading.isStarted else { return }
    record(.service(name: "heading", setting: "stopped"))
    heading.isStarted = false
    refreshHeading()
  }

  func headingHandles(_ change: SurroundingChange) {
    switch change {
    case .app:
      if appState == .notRunning {
        heading.isStarted = false
        heading.filter = 1
      }
    case .sleep: break
    case .motion, .surroundings, .settings: return
    }
    refreshHeading()
  }

  private func refreshHeading() {
    let isOn = heading.isStarted && appRuns && !lifecycle.isAsleep && profile.heading.rate.value > 0
    meter.hold(.sensors, isOn ? profile.heading.power.value : 0, due: .heading, by: .heading, at: now)
    if isOn {
      if timers[.heading] == .distantFuture { timers[.heading] = now }
    } else {
      timers.cancel(.heading)
    }
  }

  func headingIsDue() {
    // At most a thousand times a second, so that time passes.
    timers[.heading] = now.advanced(bySeconds: max(0.001, 1 / profile.heading.rate.value))
    let state = truth.state(at: now)
    if state.speed > 0 { heading.direction = state.course }
    let declination = declination(at: state.position)
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

  /// The declination, recomputed when the phone has moved by a kilometre.
  private func declination(at position: Coordinate) -> Degrees {
    if let known = heading.declination, Geodesic.simulatedDistance(known.position, position) < 1000 {
      return known.degrees
    }
    let degrees = WorldMagneticModel.declination(at: position, time: now)
    heading.declination = (position, degrees)
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
