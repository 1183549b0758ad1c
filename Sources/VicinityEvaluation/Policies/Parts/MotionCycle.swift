internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityMonitor
internal import VicinitySimulation

/// Tracks a phone while it moves, and leaves a region around it while it rests.
///
/// In motion the standard service is on, which keeps the app alive. It is switched off when no position has
/// been farther than `stillRadius` from an earlier one for `stopAfter`; the exit of a region around the last
/// position switches it on again.
struct MotionCycle {
  struct Settings: Sendable {
    /// The tier in motion, and its filter.
    var accuracy: DesiredAccuracy
    var distanceFilter: Meters?
    /// How long the phone must rest before it is no longer tracked, seconds.
    var stopAfter: Double
    /// How far a phone at rest may move, metres.
    var stillRadius: Meters
    /// The radius and the identifier of the region around a phone at rest.
    var fence: Meters
    var name: String
  }

  /// The state that survives the process.
  struct Memory: Sendable {
    var isMoving = true
  }

  var settings: Settings
  var memory = Memory()
  /// The fix at which the phone was last known to move, or the first since tracking began.
  private var anchor: Fix?
  private var last: Fix?
  private var timer = KeepAliveTimer(showing: .indicator)

  init(_ settings: Settings) { self.settings = settings }

  /// Begins a process: tracks the phone until it is known to rest.
  mutating func begin(on phone: any Phone) {
    let isFenced = phone.monitoredRegions.contains { $0.identifier == settings.name }
    if memory.isMoving || !isFenced { move(on: phone) }
  }

  /// Starts tracking, because the phone moves.
  mutating func move(on phone: any Phone) {
    memory.isMoving = true
    anchor = nil
    phone.stopMonitoring(identifier: settings.name)
    phone.update(settings.accuracy, distanceFilter: settings.distanceFilter, showing: timer.presence)
    timer.set(phone, after: settings.stopAfter)
  }

  /// Changes the filter.
  func filter(_ filter: Meters?, on phone: any Phone) { phone.locationSettings.distanceFilter = filter }

  mutating func handle(_ fix: Fix, on phone: any Phone) {
    guard memory.isMoving, phone.now.seconds(since: fix.time) < 60, fix.horizontalAccuracy >= 0 else {
      return
    }
    last = fix
    if let anchor, let gone = try? Geodesic.distance(from: anchor.coordinate, to: fix.coordinate),
      gone <= settings.stillRadius
    {
      if fix.time.seconds(since: anchor.time) >= settings.stopAfter { rest(on: phone) }
      return
    }
    anchor = fix
    timer.set(phone, after: settings.stopAfter)
  }

  /// Handles a timer that is due; false where it is not this cycle's. No position has come for as long as it
  /// takes to rest.
  mutating func handleTimer(_ event: PhoneEvent, on phone: any Phone) -> Bool {
    guard timer.isDue(event), memory.isMoving else { return false }
    rest(on: phone)
    return true
  }

  /// Stops tracking and monitors a region around the last fix; goes on waiting where there has been none.
  private mutating func rest(on phone: any Phone) {
    guard let last else { return timer.set(phone, after: settings.stopAfter) }
    memory.isMoving = false
    timer.cancel(on: phone)
    phone.startMonitoring(
      MonitoredRegion(exitOnly: settings.name, center: last.coordinate, radius: settings.fence))
    phone.requestState(identifier: settings.name)
    // Last, because it may suspend the app.
    phone.stopUpdatingLocation()
  }
}
