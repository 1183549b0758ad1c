internal import VicinityGeodesy
internal import VicinityMonitor
internal import VicinitySimulation

/// A timer of an app that keeps itself alive.
///
/// A suspended app has no timers. So the app leaves the standard service on at the coarsest tier, with a
/// distance filter that no position passes, only to avoid being suspended. The Radar SDK for iOS does the
/// same with a location manager of its own (`RadarLocationManager.m`). Since iOS 16.4 that works only while
/// the updates are shown.
struct KeepAliveTimer {
  /// What the user may be shown.
  let presence: Presence
  private(set) var isAlive = false
  private var timer = 0

  init(showing presence: Presence) { self.presence = presence }

  /// Keeps the app alive from now on, whatever the service was used for before.
  mutating func stayAlive(on phone: any Phone) {
    isAlive = true
    phone.update(.threeKilometers, distanceFilter: 1e7, showing: presence)
  }

  /// Allows the system to suspend the app, which it may do at once.
  mutating func letSleep(on phone: any Phone) {
    isAlive = false
    cancel(on: phone)
    phone.stopUpdatingLocation()
  }

  /// (Re)schedules the timer; `seconds` is clamped to 1 ms...1 day.
  mutating func set(_ phone: any Phone, after seconds: Double) {
    phone.cancelTimer(timer)
    timer = phone.setTimer(after: .seconds(min(max(0.001, seconds), 86_400)))
  }

  mutating func cancel(on phone: any Phone) {
    phone.cancelTimer(timer)
    timer = 0
  }

  func isDue(_ event: PhoneEvent) -> Bool {
    if case .timer(let number) = event { return number == timer && number != 0 }
    return false
  }
}
