internal import VicinityMonitor
internal import VicinitySimulation

/// A timer of an app that keeps itself alive.
///
/// A suspended app has no timers. So the standard service runs all the time at the coarsest tier, with a filter that nothing
/// passes, for no other reason than to keep the app from being suspended, as the Radar SDK for iOS does with a location manager
/// of its own (`RadarLocationManager.m`).
struct WakefulTimer {
  /// Whether the app keeps itself alive.
  private(set) var isAlive = false
  private var timer = 0

  /// Keeps the app alive from now on, whatever the service was used for meanwhile.
  mutating func stayAlive(on phone: SimulatedPhone) {
    isAlive = true
    phone.locationSettings = LocationSettings(
      desiredAccuracy: .threeKilometers, distanceFilter: 1e7, pausesAutomatically: false,
      allowsBackgroundUpdates: true)
    phone.startUpdatingLocation()
  }

  /// Lets the app be suspended, which it may be at once.
  mutating func letSleep(on phone: SimulatedPhone) {
    isAlive = false
    cancel(on: phone)
    phone.stopUpdatingLocation()
  }

  /// Comes due in some seconds, a thousandth at least and a day at most, and not when it would have before.
  mutating func set(_ phone: SimulatedPhone, after seconds: Double) {
    phone.cancelTimer(timer)
    timer = phone.setTimer(after: .seconds(min(max(0.001, seconds), 86_400)))
  }

  /// Does not come due.
  mutating func cancel(on phone: SimulatedPhone) {
    phone.cancelTimer(timer)
    timer = 0
  }

  /// Whether an event is that it has come due.
  func isDue(_ event: PhoneEvent) -> Bool {
    if case .timer(let number) = event { return number == timer && number != 0 }
    return false
  }
}
