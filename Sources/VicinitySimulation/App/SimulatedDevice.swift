package import VicinityCrossings
internal import VicinityGeodesy
package import VicinityMonitor

/// What a phone's clock shows at a time: another time where its user has set it.
package typealias PhoneClock = (Timestamp) -> Timestamp

/// A simulated phone as the device of a `Monitor`: carries out what the monitor asks, and translates what the phone tells.
///
/// - `requestFix`: a timer, then a single position. A background task keeps the app running while it waits for one.
/// - `stayAwake`: the standard service at its coarsest tier with a filter that no position passes, as the Radar SDK for iOS does
///   with a location manager of its own (`RadarLocationManager.m`). A suspended app has no timers.
/// - `wake`: significant changes and visits, which the system starts the app for.
/// - `startUpdates`: the standard service at the tier, with the filter.
/// - `startRanging`: ranging; each beacon heard is a sighting.
/// - `post`: a local notification.
/// - Slots: ``SlotKeeper`` decides, as on a real phone. Its turns come without a pause between them; only what was asked for and is
///   missing waits for a turn of its own.
///
// SAFETY: a simulation runs on one thread, and its phone, app, monitor and this are used by that thread alone.
package final class SimulatedDevice: MonitoringDevice, MonitorClock, @unchecked Sendable {
  /// A filter that no position passes, metres.
  private static let noPosition: Meters = 1e7

  private unowned let phone: SimulatedPhone
  private let service: SlotService
  private let memory: ConditionMemory
  private let clock: PhoneClock
  private var keeper: SlotKeeper
  private var sentinels: [String: Slot] = [:]
  /// The timer of a turn that has to wait, and what keeps the app running until then.
  private var turnTimer = 0
  private var turnTask: BackgroundTask?
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

  /// - Parameters:
  ///   - service: What of the phone watches the slots.
  ///   - memory: What `CLMonitor` remembers from one process to the next.
  ///   - clock: What the phone's clock shows.
  package init(
    _ phone: SimulatedPhone, _ service: SlotService = .regionMonitoring,
    memory: ConditionMemory = ConditionMemory(), clock: @escaping PhoneClock = { $0 }
  ) {
    self.phone = phone
    self.clock = clock
    self.service = service
    self.memory = memory
    keeper = SlotKeeper(
      maximumRadius: phone.profile.regions.maximumRadius.value, capacity: phone.profile.regions.slots)
  }

  // MARK: The clock

  package var now: Timestamp { clock(phone.now) }

  /// Never returns: a simulated app is told when its timer is due.
  package func sleep(until time: Timestamp) async throws { throw CancellationError() }

  // MARK: What the monitor asks

  package func perform(_ commands: [DeviceCommand]) {
    for command in commands {
      switch command {
      case .register(let slot):
        sentinels[slot.identifier] = slot.isSentinel ? slot : nil
        keeper.perform(command, at: now)
        continue
      case .adopt, .unregister:
        keeper.perform(command, at: now)
        continue
      default: takeTurns()
      }
      switch command {
      case .register, .adopt, .unregister: break
      case .requestFix(let time, let accuracy): request(at: time, accuracy)
      case .cancelFixRequest: cancelRequest()
      case .startUpdates(let accuracy, let filter):
        isUpdating = true
        phone.locationSettings = LocationSettings(
          continuous: accuracy, distanceFilter: filter > 0 ? filter : nil)
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
      case .wake(let services): wake(by: services)
      case .startRanging(let identity): phone.startRangingBeacons(identity)
      case .stopRanging(let identity): phone.stopRangingBeacons(identity)
      }
    }
    takeTurns()
  }

  package func post(_ request: NotificationRequest) async throws { try show(request) }

  /// As ``post(_:)``, for an app that a phone calls on its own thread.
  func show(_ request: NotificationRequest) throws(NotificationError) { try phone.schedule(request) }

  private func wake(by services: WakeServices) {
    if services.contains(.significantChanges) {
      phone.startMonitoringSignificantLocationChanges()
    } else {
      phone.stopMonitoringSignificantLocationChanges()
    }
    if services.contains(.visits) { phone.startMonitoringVisits() } else { phone.stopMonitoringVisits() }
  }

  // MARK: Slots

  /// How long an addition that was lost waits for a turn of its own.
  private static let pause = Duration.seconds(1)

  private func takeTurns(isRepeating: Bool = false) {
    while true {
      let monitored = Dictionary(
        phone.monitoredRegions.map { ($0.identifier, Optional($0.target)) }, uniquingKeysWith: { $1 })
      let turn = keeper.nextTurn(monitored: monitored, isRepeating: isRepeating, at: now)
      for identifier in keeper.takeQuestions() { ask(identifier) }
      switch turn {
      case nil: return keeper.hasLost ? postpone() : endTurns()
      case .add(let additions): for addition in additions { add(addition) }
      case .remove(let identifiers):
        for identifier in identifiers {
          memory.lastReports[identifier] = nil
          phone.stopMonitoring(identifier: identifier)
        }
      }
    }
  }

  private func postpone() {
    guard turnTimer == 0 else { return }
    if turnTask == nil {
      let begun = phone.beginBackgroundTask("slots")
      if begun != .invalid { turnTask = begun }
    }
    turnTimer = phone.setTimer(after: Self.pause)
  }

  private func endTurns() {
    guard let turnTask else { return }
    self.turnTask = nil
    phone.endBackgroundTask(turnTask)
  }

  private func add(_ addition: SlotKeeper.Addition) {
    let identifier = addition.identifier
    switch addition.target {
    case .circle(let center, let radius):
      var region = MonitoredRegion(identifier: identifier, center: center, radius: radius)
      if let sentinel = sentinels[identifier] {
        region.notifyOnEntry = false
        unknownSentinel = identifier
        // What the monitor wants; the phone may watch less.
        if case .circle(let wantedCenter, let wanted) = sentinel.condition {
          phone.show(safeDisc: Plan.Disc(center: wantedCenter, radius: wanted))
        }
      }
      monitor(region)
    case .beacon(let identity): monitor(MonitoredRegion(identifier: identifier, beacon: identity))
    }
  }

  private func monitor(_ region: MonitoredRegion) {
    // What is added to a `CLMonitor` under an identifier that is in use is ignored.
    if service == .conditionMonitor,
      phone.monitoredRegions.contains(where: { $0.identifier == region.identifier })
    {
      return
    }
    phone.startMonitoring(region)
  }

  /// Asks for the state of a slot. A `CLMonitor` has its record's last event, of then, and tells of one that was added by itself.
  private func ask(_ identifier: String) {
    switch service {
    case .regionMonitoring: phone.requestState(identifier: identifier)
    case .conditionMonitor:
      if let report = memory.lastReports[identifier] {
        keeper.handle(report)
      } else {
        phone.requestState(identifier: identifier)
      }
    }
  }

  /// What the monitor is to be told beside the answers to events, since this was last taken.
  package func takeInputs() -> [MonitorInput] { keeper.takeInputs() }

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

  private func request(at time: Timestamp, _ accuracy: DesiredAccuracy) {
    self.accuracy = accuracy
    isWaiting = false
    phone.cancelTimer(timer)
    timer = 0
    let wait = now.duration(to: time)
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

  package func inputs(_ event: PhoneEvent) -> [MonitorInput] {
    switch event {
    case .launched:
      keeper.open(monitored: phone.monitoredRegions.map(\.identifier), at: now)
      return keeper.takeInputs() + (phone.isLimited ? environment : [])
    case .settingsChanged:
      keeper.retry()
      return environment
    case .enteredBackground: return phone.isLimited ? environment : []
    case .locations(let fixes, let source):
      // At the coarsest tier the service only keeps the app alive.
      if source == .standard, !isUpdating { return [] }
      if source == .single { answered() }
      return fixes.map { fix in
        var fix = fix
        fix.time = clock(fix.time)
        return .fix(fix)
      } + (source == .significantChange ? [.woken] : [])
    case .visited: return [.woken]
    case .ranged(let report): return report.beacons.compactMap(sighting)
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
      keeper.handle(
        SlotReport(identifier: region, state: .unmonitored, date: now, diagnostics: error.diagnostics))
      return keeper.takeInputs()
    case .timer(let number) where number == turnTimer && number != 0:
      turnTimer = 0
      takeTurns(isRepeating: true)
      return keeper.takeInputs()
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
      if turnTask == expired { turnTask = nil }
      phone.endBackgroundTask(expired)
      return []
    case .becameActive:
      // A suspension may have lost the answer to a request.
      if task != nil || isAwake { locate() }
      return phone.isLimited ? environment : []
    default: return []
    }
  }

  /// What ranging has heard of a beacon in the last second; nil for one that was not heard in it.
  private func sighting(_ ranged: RangedBeacon) -> MonitorInput? {
    guard ranged.rssi != 0, let major = ranged.beacon.major, let minor = ranged.beacon.minor else {
      return nil
    }
    return .sighting(
      BeaconSighting(
        uuid: ranged.beacon.uuid, major: major, minor: minor, rssi: ranged.rssi,
        measuredPower: BeaconSighting.measuredPower(rssi: ranged.rssi, accuracy: ranged.accuracy),
        time: clock(ranged.time)))
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
    let report = SlotReport(identifier: identifier, state: state, date: now)
    memory.lastReports[identifier] = report
    keeper.handle(report)
    return keeper.takeInputs()
  }
}

/// What a simulated `CLMonitor` remembers: the last event of each condition, as the app was told of it.
///
// SAFETY: as of the device.
package final class ConditionMemory: @unchecked Sendable {
  var lastReports: [String: SlotReport] = [:]

  package init() {}
}

extension MonitoredRegion {
  fileprivate var target: SlotWatch.Target {
    switch area {
    case .circle(let center, let radius): .circle(center: center, radius: radius)
    case .beacon(let identity): .beacon(identity)
    }
  }
}
