internal import VicinityMonitor
internal import VicinitySimulation

/// Single positions at times of an app's choosing, by an app that keeps itself alive.
///
/// A suspended app has no timers. So the standard service runs all the time at the coarsest tier, with a filter of 3 km, for no
/// other reason than to keep the app from being suspended, and each position is asked for by itself: as the Radar SDK for iOS
/// does with two location managers (`RadarLocationManager.m`). Here there is one, whose accuracy is raised while a position is
/// waited for.
struct Sampler {
  private static let keepAlive = LocationSettings(
    desiredAccuracy: .threeKilometers, distanceFilter: 3000, pausesAutomatically: false,
    allowsBackgroundUpdates: true)

  /// The tier of the positions.
  let accuracy: DesiredAccuracy
  private(set) var isOn = false
  private var timer = 0
  private var isAsking = false

  init(_ accuracy: DesiredAccuracy) { self.accuracy = accuracy }

  /// Keeps the app alive from now on, and asks for a position.
  mutating func start(on phone: SimulatedPhone) {
    guard !isOn else { return }
    isOn = true
    phone.locationSettings = Self.keepAlive
    phone.startUpdatingLocation()
    ask(phone)
  }

  /// Lets the app be suspended.
  mutating func stop(on phone: SimulatedPhone) {
    guard isOn else { return }
    isOn = false
    isAsking = false
    phone.cancelTimer(timer)
    timer = 0
    phone.stopUpdatingLocation()
  }

  /// Asks for a position now.
  mutating func ask(_ phone: SimulatedPhone) {
    phone.cancelTimer(timer)
    timer = 0
    isAsking = true
    phone.locationSettings.desiredAccuracy = accuracy
    phone.requestLocation()
  }

  /// Asks for the next position in some seconds, a thousandth at least and a day at most.
  mutating func ask(_ phone: SimulatedPhone, after seconds: Double) {
    phone.cancelTimer(timer)
    timer = phone.setTimer(after: .seconds(min(max(0.001, seconds), 86_400)))
  }

  /// Whether an event is the answer to a question, or that there is none.
  mutating func answers(_ event: PhoneEvent, on phone: SimulatedPhone) -> Bool {
    switch event {
    case .locations(_, from: .single), .locationUnknown:
      guard isAsking else { return false }
      isAsking = false
      if isOn { phone.locationSettings = Self.keepAlive }
      return true
    default: return false
    }
  }

  /// Goes on after what stands in the way of timers and answers: a timer that comes due asks, and so does an app that is in
  /// front again, as an answer may have been lost to a suspension.
  mutating func goesOn(with event: PhoneEvent, on phone: SimulatedPhone) {
    switch event {
    case .timer(let number) where number == timer && isOn: ask(phone)
    case .becameActive where isOn: ask(phone)
    case .locationUpdatesPaused where isOn: phone.startUpdatingLocation()
    default: break
    }
  }
}
