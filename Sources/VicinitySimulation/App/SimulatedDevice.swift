package import VicinityCrossings
internal import VicinityGeodesy
package import VicinityMonitor

/// A simulated phone as the device of a `Monitor`: carries out what the monitor asks, and translates what the phone tells.
///
/// - `requestFix`: a timer, then a single position. A background task keeps the app running while it waits for one.
/// - `stayAwake`: the standard service at its coarsest tier with a filter that no position passes, as the Radar SDK for iOS does
///   with a location manager of its own (`RadarLocationManager.m`). A suspended app has no timers.
/// - `startUpdates`: the standard service at the tier, without a filter.
///
// SAFETY: a simulation runs on one thread, and its phone, app, monitor and this are used by that thread alone.
package final class SimulatedDevice: MonitoringDevice, MonitorClock, @unchecked Sendable {
  /// A filter that no position passes, metres.
  private static let noPosition: Meters = 1e7

  private unowned let phone: SimulatedPhone
  private var watches: [String: SlotWatch] = [:]
  private var accuracy = DesiredAccuracy.hundredMeters
  /// The timer of a request that is not due yet.
  private var timer = 0
  /// What keeps the app running while it waits for a position.
  private var task: BackgroundTask?
  private var isUpdating = false
  /// Whether a single position has been requested and has not come.
  private var isWaiting = false
  private var isAwake = false
  /// The sentinel whose state the phone has not told yet.
  private var unknownSentinel: String?
  /// Whether the app may be suspended as soon as that is known.
  private var isFallingAsleep = false

  package init(_ phone: SimulatedPhone) { self.phone = phone }

  // MARK: The clock

  package var now: Timestamp { phone.now }

  /// Never returns: a simulated app is told when its timer is due.
  package func sleep(until time: Timestamp) async throws { throw CancellationError() }

  // MARK: What the monitor asks

  package func perform(_ commands: [DeviceCommand]) {
    for command in commands {
      switch command {
      case .register(let slot): register(slot)
      case .unregister(let identifier):
        watches[identifier] = nil
        phone.stopMonitoring(identifier: identifier)
      case .requestFix(let time, let accuracy): request(at: time, accuracy)
      case .cancelFixRequest: cancelRequest()
      case .startUpdates(let accuracy):
        isUpdating = true
        phone.locationSettings = LocationSettings(continuous: accuracy)
        phone.startUpdatingLocation()
      case .stopUpdates:
        isUpdating = false
        if isAwake { stayAwake() } else { phone.stopUpdatingLocation() }
      case .stayAwake:
        isFallingAsleep = false
        stayAwake()
        phone.show(safeDisc: nil)
      case .allowSleep:
        isUpdating = false
        cancelRequest()
        allowSleep()
      }
    }
  }

  private func stayAwake() {
    isAwake = true
    guard !isUpdating else { return }
    phone.locationSettings = LocationSettings(continuous: .reduced, distanceFilter: Self.noPosition)
    phone.startUpdatingLocation()
  }

  /// Lets the system suspend the app once the state of a new sentinel is known: the answer would not reach a suspended app, and a
  /// sentinel that has been left already wakes nobody.
  private func allowSleep() {
    guard unknownSentinel == nil else {
      isFallingAsleep = true
      if isAwake { stayAwake() }
      timer = phone.setTimer(after: Self.patience)
      return
    }
    isAwake = false
    isFallingAsleep = false
    phone.stopUpdatingLocation()
  }

  private func register(_ slot: Slot) {
    guard let watch = SlotWatch(slot, maximumRadius: phone.profile.regions.maximumRadius.value) else {
      return phone.lose("\(slot.identifier): the phone cannot watch it")
    }
    watches[slot.identifier] = watch
    switch watch.target {
    case .circle(let center, let radius):
      var region = MonitoredRegion(identifier: slot.identifier, center: center, radius: radius)
      if slot.isSentinel {
        region.notifyOnEntry = false
        unknownSentinel = slot.identifier
        // What the monitor wants; the phone may watch less.
        if case .circle(let wantedCenter, let wanted) = slot.condition {
          phone.show(safeDisc: Plan.Disc(center: wantedCenter, radius: wanted))
        }
      }
      phone.startMonitoring(region)
    case .beacon(let identity):
      phone.startMonitoring(MonitoredRegion(identifier: slot.identifier, beacon: identity))
    }
    // The device may be on the other side already.
    phone.requestState(identifier: slot.identifier)
  }

  private func request(at time: Timestamp, _ accuracy: DesiredAccuracy) {
    self.accuracy = accuracy
    isWaiting = false
    phone.cancelTimer(timer)
    timer = 0
    let wait = phone.now.duration(to: time)
    if wait <= .zero { return locate() }
    timer = phone.setTimer(after: wait)
  }

  /// How long a request may go unanswered. A suspension loses the answer.
  private static let patience = Duration.seconds(40)

  private func locate() {
    isWaiting = true
    phone.cancelTimer(timer)
    timer = phone.setTimer(after: Self.patience)
    if task == nil {
      let begun = phone.beginBackgroundTask("position")
      if begun != .invalid { task = begun }
    }
    phone.requestLocation(accuracy)
  }

  private func answered() {
    guard isWaiting else { return }
    isWaiting = false
    phone.cancelTimer(timer)
    timer = 0
  }

  private func cancelRequest() {
    isWaiting = false
    phone.cancelTimer(timer)
    timer = 0
    finishRequest()
  }

  /// The position has come, or none will.
  package func finishRequest() {
    guard let task else { return }
    // First, because ending the task may suspend the app.
    self.task = nil
    phone.endBackgroundTask(task)
  }

  // MARK: What the phone tells

  /// What an event tells a monitor.
  package func inputs(_ event: PhoneEvent) -> [MonitorInput] {
    switch event {
    case .launched:
      return [.existingSlots(phone.monitoredRegions.map(\.identifier))] + (phone.isLimited ? environment : [])
    case .settingsChanged: return environment
    case .enteredBackground: return phone.isLimited ? environment : []
    case .locations(let fixes, let source):
      // At the coarsest tier the service only keeps the app alive.
      if source == .standard, !isUpdating { return [] }
      if source == .single { answered() }
      return fixes.map { .fix($0) }
    case .locationUnknown:
      answered()
      return [.noFix]
    case .entered(let region): return report(region, .satisfied)
    case .exited(let region): return report(region, .unsatisfied)
    case .determined(.inside, let region): return report(region, .satisfied)
    case .determined(.outside, let region): return report(region, .unsatisfied)
    case .determined(.unknown, _): return []
    case .monitoringFailed(let region, let error):
      phone.lose("\(region): \(error)")
      return [
        .slot(
          SlotReport(identifier: region, state: .unmonitored, date: phone.now, diagnostics: error.diagnostics)
        )
      ]
    case .timer(let number):
      guard number == timer, number != 0 else { return [] }
      timer = 0
      if isFallingAsleep {
        // Nobody knows whether the sentinel has been left: a position will tell.
        unknownSentinel = nil
        isFallingAsleep = false
        return [.noFix]
      }
      guard isWaiting else {
        locate()
        return []
      }
      isWaiting = false
      return [.noFix]
    case .taskExpires(let expired):
      if task == expired { task = nil }
      phone.endBackgroundTask(expired)
      return []
    case .becameActive:
      // A suspension may have lost the answer to a request.
      if task != nil || isAwake { locate() }
      return phone.isLimited ? environment : []
    default: return []
    }
  }

  /// What the user and the hardware allow now.
  private var environment: [MonitorInput] { [.environment(phone.environment)] }

  private func report(_ identifier: String, _ state: MonitoringState) -> [MonitorInput] {
    if identifier == unknownSentinel {
      unknownSentinel = nil
      if state == .satisfied, isFallingAsleep {
        phone.cancelTimer(timer)
        timer = 0
        allowSleep()
      }
    }
    guard let watch = watches[identifier] else {
      // Of an earlier process, and not adopted: it no longer counts.
      return [.slot(SlotReport(identifier: identifier, state: state, date: phone.now))]
    }
    let report = SlotReport(identifier: identifier, state: state, date: phone.now)
    if case .tell(let report) = watch.consequence(of: report) { return [.slot(report)] }
    return []
  }
}
