internal import VicinityCrossings
internal import VicinityIndex
internal import VicinityMonitor
internal import VicinitySimulation

/// An app that requests single positions and decides from them; each position says when the next is due.
final class SamplingApp: PortableApp {
  private let regions: RegionIndex
  private let rule: DecisionRule
  private let next: (Fix) -> Double
  private let retry: () -> Double
  private var decisions: FixDecisions
  private var sampler: Sampler

  /// - Parameters:
  ///   - next: The seconds from a position to the next request.
  ///   - retry: The seconds to the next request where no position came.
  init(
    _ regions: RegionIndex, _ accuracy: DesiredAccuracy, by rule: DecisionRule,
    next: @escaping (Fix) -> Double,
    withoutFix retry: @escaping () -> Double
  ) {
    self.regions = regions
    self.rule = rule
    self.next = next
    self.retry = retry
    decisions = FixDecisions(regions, by: rule)
    sampler = Sampler(accuracy)
  }

  func handle(_ event: PhoneEvent, on phone: any StudiedPhone) {
    if case .launched = event {
      decisions = FixDecisions(regions, by: rule, resuming: phone.saved as? FixDecisions.Memory)
      return sampler.start(on: phone)
    }
    sampler.handle(event, on: phone)
    guard sampler.answers(event) else { return }
    var wait = retry()
    if case .locations(let fixes, _) = event {
      for fix in fixes { decisions.report(fix, on: phone) }
      if decisions.hasNews { phone.saved = decisions.memory() }
      if let fix = fixes.last, fix.horizontalAccuracy >= 0 { wait = next(fix) }
    }
    sampler.ask(phone, after: wait)
  }
}

/// Requests single positions at times of the app's choosing, and keeps the app alive.
struct Sampler {
  /// The tier of the positions.
  let accuracy: DesiredAccuracy
  private var timer: KeepAliveTimer
  private var isAsking = false

  init(_ accuracy: DesiredAccuracy, showing presence: Presence = .indicator) {
    self.accuracy = accuracy
    timer = KeepAliveTimer(showing: presence)
  }

  var isOn: Bool { timer.isAlive }

  /// Keeps the app alive from now on, and requests a position.
  mutating func start(on phone: any StudiedPhone) {
    guard !isOn else { return }
    timer.stayAlive(on: phone)
    ask(phone)
  }

  /// Allows the system to suspend the app.
  mutating func stop(on phone: any StudiedPhone) {
    guard isOn else { return }
    isAsking = false
    timer.letSleep(on: phone)
  }

  /// Requests a position now.
  mutating func ask(_ phone: any StudiedPhone) {
    timer.cancel(on: phone)
    isAsking = true
    phone.requestLocation(accuracy)
  }

  /// Requests the next position in some seconds.
  mutating func ask(_ phone: any StudiedPhone, after seconds: Double) { timer.set(phone, after: seconds) }

  /// Whether an event answers a request: with a position, or by saying that there is none.
  mutating func answers(_ event: PhoneEvent) -> Bool {
    switch event {
    case .locations(_, from: .single), .locationUnknown:
      guard isAsking else { return false }
      isAsking = false
      return true
    default: return false
    }
  }

  /// Goes on sampling. A due timer requests a position, and so does an app that comes to the front, because
  /// an answer may have been lost while it was suspended.
  mutating func handle(_ event: PhoneEvent, on phone: any StudiedPhone) {
    guard isOn else { return }
    switch event {
    case .becameActive: ask(phone)
    case .locationUpdatesPaused: phone.startUpdatingLocation()
    default: if timer.isDue(event) { ask(phone) }
    }
  }
}
