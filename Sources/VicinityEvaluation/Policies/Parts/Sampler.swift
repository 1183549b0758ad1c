internal import VicinityMonitor
internal import VicinitySimulation

/// Single positions at times of an app's choosing, by an app that keeps itself alive.
struct Sampler {
  /// The tier of the positions.
  let accuracy: DesiredAccuracy
  private var timer = WakefulTimer()
  private var isAsking = false

  init(_ accuracy: DesiredAccuracy) { self.accuracy = accuracy }

  /// Whether it samples.
  var isOn: Bool { timer.isAlive }

  /// Keeps the app alive from now on, and asks for a position.
  mutating func start(on phone: SimulatedPhone) {
    guard !isOn else { return }
    timer.stayAlive(on: phone)
    ask(phone)
  }

  /// Lets the app be suspended.
  mutating func stop(on phone: SimulatedPhone) {
    guard isOn else { return }
    isAsking = false
    timer.letSleep(on: phone)
  }

  /// Asks for a position now.
  mutating func ask(_ phone: SimulatedPhone) {
    timer.cancel(on: phone)
    isAsking = true
    phone.requestLocation(accuracy)
  }

  /// Asks for the next position in some seconds.
  mutating func ask(_ phone: SimulatedPhone, after seconds: Double) { timer.set(phone, after: seconds) }

  /// Whether an event is the answer to a question, or that there is none.
  mutating func answers(_ event: PhoneEvent) -> Bool {
    switch event {
    case .locations(_, from: .single), .locationUnknown:
      guard isAsking else { return false }
      isAsking = false
      return true
    default: return false
    }
  }

  /// Goes on after what stands in the way of timers and answers: a timer that comes due asks, and so does an app that is in
  /// front again, as an answer may have been lost to a suspension.
  mutating func goesOn(with event: PhoneEvent, on phone: SimulatedPhone) {
    guard isOn else { return }
    switch event {
    case .becameActive: ask(phone)
    case .locationUpdatesPaused: phone.startUpdatingLocation()
    default: if timer.isDue(event) { ask(phone) }
    }
  }
}
