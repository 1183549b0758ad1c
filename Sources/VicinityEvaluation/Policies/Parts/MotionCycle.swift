internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityMonitor
internal import VicinitySimulation

/// Follows a phone while it moves, and leaves a region around it while it rests.
///
/// In motion the standard service is on, which keeps the app alive; when for some time no position has been farther than
/// `still` from an earlier one, it is switched off, and the exit of a region around the last position switches it on again.
struct MotionCycle {
  /// How it is set.
  struct Settings: Sendable {
    /// The tier in motion, and its filter.
    var accuracy: DesiredAccuracy
    var distanceFilter: Meters?
    /// How long the phone must rest, seconds; and within how many metres.
    var stopAfter: Double
    var still: Meters
    /// The radius of the region around a phone at rest.
    var fence: Meters
    /// What that is called.
    var name: String
  }

  /// What survives the process.
  struct Memory: Sendable {
    var isMoving = true
  }

  var settings: Settings
  var memory = Memory()
  /// Where and when the phone was last known to move, or began to be followed.
  private var anchor: Fix?
  private var last: Fix?
  private var timer = 0

  init(_ settings: Settings) { self.settings = settings }

  /// Begins with a process: follows the phone until it is known to rest.
  mutating func begin(on phone: SimulatedPhone) {
    let isFenced = phone.monitoredRegions.contains { $0.identifier == settings.name }
    if memory.isMoving || !isFenced { move(on: phone) }
  }

  /// The phone moves.
  mutating func move(on phone: SimulatedPhone) {
    memory.isMoving = true
    anchor = nil
    phone.stopMonitoring(identifier: settings.name)
    filter(settings.distanceFilter, on: phone)
    phone.startUpdatingLocation()
    wait(settings.stopAfter, on: phone)
  }

  /// Sets the filter in motion.
  func filter(_ filter: Meters?, on phone: SimulatedPhone) {
    phone.locationSettings = LocationSettings(
      desiredAccuracy: settings.accuracy, distanceFilter: filter, pausesAutomatically: false,
      allowsBackgroundUpdates: true)
  }

  /// Takes a position.
  mutating func take(_ fix: Fix, on phone: SimulatedPhone) {
    guard memory.isMoving, phone.now.seconds(since: fix.time) < 60, fix.horizontalAccuracy >= 0 else {
      return
    }
    last = fix
    if let anchor, let gone = try? Geodesic.distance(from: anchor.coordinate, to: fix.coordinate),
      gone <= settings.still
    {
      if fix.time.seconds(since: anchor.time) >= settings.stopAfter { rest(on: phone) }
      return
    }
    anchor = fix
    wait(settings.stopAfter, on: phone)
  }

  /// Whether a timer is this one's: nothing has come for as long as it takes to rest.
  mutating func fires(_ number: Int, on phone: SimulatedPhone) -> Bool {
    guard number == timer, memory.isMoving else { return false }
    rest(on: phone)
    return true
  }

  /// The phone rests where it was last seen; where it never was, it is waited for.
  private mutating func rest(on phone: SimulatedPhone) {
    guard let last else { return wait(settings.stopAfter, on: phone) }
    memory.isMoving = false
    phone.cancelTimer(timer)
    timer = 0
    var fence = MonitoredRegion(
      identifier: settings.name, center: last.coordinate, radius: settings.fence)
    fence.notifyOnEntry = false
    phone.startMonitoring(fence)
    phone.requestState(identifier: settings.name)
    // Last, as it may suspend the app.
    phone.stopUpdatingLocation()
  }

  private mutating func wait(_ seconds: Double, on phone: SimulatedPhone) {
    phone.cancelTimer(timer)
    timer = phone.setTimer(after: .seconds(min(max(0.001, seconds), 86_400)))
  }
}
