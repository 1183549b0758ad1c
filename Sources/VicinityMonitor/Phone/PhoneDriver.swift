package import VicinityCrossings
internal import VicinityGeodesy
package import VicinityPlanner

/// What a phone's clock shows at a time: another time where its user has set it.
package typealias PhoneClock = (Timestamp) -> Timestamp

/// A phone as the device of a monitor: carries out what the monitor asks by the calls of a ``Phone``, and
/// translates what the phone tells. The same for every phone.
///
/// - `requestFix`: a timer, then a single position. A background task keeps the app running while it waits
///   for one.
/// - `show`: a background activity session where the user may see one, begun in front and held from then on.
/// - `stayAwake`: the standard service at its coarsest tier with a filter that no position passes, as the
///   Radar SDK for iOS does with a location manager of its own (`RadarLocationManager.m`); shown where the
///   system wants that (``BackgroundUpdateRules``), and where it may not be shown at a hundred metres without
///   a filter. A suspended app has no timers.
/// - `allowSleep`: that ends, once the state of a new sentinel is known.
/// - `wake`: significant changes and visits, which the system starts the app for.
/// - `startUpdates`: the standard service at the tier, with the filter.
/// - `startRanging`: ranging; each beacon heard is a sighting.
/// - Slots: ``SlotKeeper`` decides. Its turns come with a pause between them where the phone needs one; what
///   was asked for and is missing waits for a turn of its own.
///
/// Notifications are for whoever has the phone.
///
// SAFETY: its phone and all that calls it are used by one thread, the app's main thread.
package final class PhoneDriver: @unchecked Sendable {
  /// What is worth a line in a log.
  package enum Note: Hashable, Sendable {
    /// Within this disc the choice of slots holds; nil where the app stays awake in its place.
    case safeDisc(Plan.Disc?)
    /// Something was refused, in words.
    case lost(String)
  }

  /// A filter that no position passes, metres.
  private static let noPosition: Meters = 1e7

  private unowned let phone: any Phone
  private let pause: Duration
  private let clock: PhoneClock
  private let note: (Note) -> Void
  private var keeper: SlotKeeper
  private var sentinels: [String: Slot] = [:]
  /// The timer of a turn that has to wait, and what keeps the app running until then.
  private var turnTimer = 0
  private var turnTask: BackgroundTask?
  /// The tier of the position that is requested.
  private var requestedAccuracy = DesiredAccuracy.hundredMeters
  /// The timer of a request that is not due yet.
  private var requestTimer = 0
  /// The timer of a position that has been requested and has not come; 0 where none is waited for.
  private var answerTimer = 0
  /// What keeps the app running while it waits for a position.
  private var positionTask: BackgroundTask?
  private var isUpdating = false
  private var isAwake = false
  /// What the user may be shown.
  private var presence = Presence.quiet
  /// What the monitor has been told that it takes to stay awake.
  private var toldWakefulness = Wakefulness.cheap
  /// When significant changes last woke the app.
  private var changeTime: Timestamp?
  /// The sentinel whose state the phone has not told yet.
  private var unknownSentinel: String?
  /// The timer of an app that may sleep as soon as that is known; 0 for one that may not, or does.
  private var sentinelTimer = 0
  /// Whether the app may sleep when all turns have been taken.
  private var sleepsAfterTurns = false

  /// - Parameters:
  ///   - phone: Outlives the driver.
  ///   - pause: Between two turns of requests about slots, before what was added is compared with what is
  ///     monitored; zero for a phone that carries out what it is asked at once.
  ///   - clock: What the phone's clock shows.
  ///   - note: Hears what is worth a line in a log.
  package init(
    _ phone: any Phone, pause: Duration = .zero, clock: @escaping PhoneClock = { $0 },
    note: @escaping (Note) -> Void = { _ in }
  ) {
    self.phone = phone
    self.pause = pause
    self.clock = clock
    self.note = note
    keeper = SlotKeeper(maximumRadius: phone.maximumRegionRadius, capacity: phone.slotCapacity)
  }

  /// The time that the phone's clock shows.
  package var now: Timestamp { clock(phone.now) }

  /// How many slots the phone has for the app.
  package var slotCapacity: Int { phone.slotCapacity }

  /// The monitor uses `count` of them at most.
  package func useSlots(atMost count: Int) { keeper.limit = count }

  /// Whether only fixes can decide about a slot, beyond what the phone tells of it.
  package var needsFixes: Bool { keeper.needsFixes }

  // MARK: What the monitor asks

  package func perform(_ commands: [DeviceCommand]) {
    keeper.maximumRadius = phone.maximumRegionRadius
    for command in commands {
      switch command {
      case .register(let slot):
        sentinels[slot.identifier] = slot.isSentinel ? slot : nil
        keeper.perform(command, at: now)
        continue
      case .unregister(let identifier):
        sentinels[identifier] = nil
        if unknownSentinel == identifier { unknownSentinel = nil }
        keeper.perform(command, at: now)
        continue
      case .adopt:
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
        update(accuracy, filter > 0 ? filter : nil)
      case .stopUpdates:
        isUpdating = false
        if isAwake { stayAwake() } else { phone.stopUpdatingLocation() }
      case .stayAwake:
        cancel(&sentinelTimer)
        sleepsAfterTurns = false
        stayAwake()
        note(.safeDisc(nil))
      case .allowSleep:
        isUpdating = false
        cancelRequest()
        allowSleep()
      case .wake(let services): wake(by: services)
      case .show(let presence): show(presence)
      case .startRanging(let identity): phone.startRangingBeacons(identity)
      case .stopRanging(let identity): phone.stopRangingBeacons(identity)
      }
    }
    takeTurns()
  }

  private func wake(by services: WakeServices) {
    if services.contains(.significantChanges) {
      phone.startMonitoringSignificantLocationChanges()
    } else {
      phone.stopMonitoringSignificantLocationChanges()
    }
    if services.contains(.visits) { phone.startMonitoringVisits() } else { phone.stopMonitoringVisits() }
  }

  // MARK: Slots

  /// How long a phone has to carry out one turn before the next. Assumed: Core Location says nothing about
  /// it.
  package static let pause = Duration.milliseconds(300)

  /// How long an addition that was lost waits for a turn of its own.
  private static let repetitionPause = Duration.seconds(1)

  private func takeTurns(isRepeating: Bool = false) {
    // The turn after a pause sees what has changed meanwhile.
    guard pause == .zero || turnTimer == 0 else { return }
    while true {
      let monitored = Dictionary(
        phone.monitoredRegions.map { ($0.identifier, $0.area) }, uniquingKeysWith: { $1 })
      let turn = keeper.nextTurn(
        monitored: monitored, others: phone.otherRegionCount, isRepeating: isRepeating, at: now)
      let questions = keeper.takeQuestions()
      for identifier in questions { askForState(of: identifier) }
      switch turn {
      case nil:
        if keeper.hasLost { return postpone(for: Self.repetitionPause) }
        // An answer does not reach an app that sleeps.
        return pause > .zero && !questions.isEmpty ? postpone(for: pause) : endTurns()
      case .add(let regions): for region in regions { add(region) }
      case .remove(let identifiers):
        for identifier in identifiers { phone.stopMonitoring(identifier: identifier) }
      }
      if pause > .zero { return postpone(for: pause) }
    }
  }

  private func postpone(for pause: Duration) {
    guard turnTimer == 0 else { return }
    if turnTask == nil {
      let begun = phone.beginBackgroundTask("slots")
      if begun != .invalid { turnTask = begun }
    }
    turnTimer = phone.setTimer(after: pause)
  }

  private func endTurns() {
    if sleepsAfterTurns { allowSleep() }
    guard let turnTask else { return }
    self.turnTask = nil
    phone.endBackgroundTask(turnTask)
  }

  private func add(_ region: MonitoredRegion) {
    var region = region
    if let sentinel = sentinels[region.identifier] {
      region.notifyOnEntry = false
      unknownSentinel = region.identifier
      // What the monitor wants; the phone may watch less.
      if case .circle(let wantedCenter, let wanted) = sentinel.condition {
        note(.safeDisc(Plan.Disc(center: wantedCenter, radius: wanted)))
      }
    }
    phone.startMonitoring(region)
  }

  /// Asks for the state of a slot. A `CLMonitor` has its record's last event, of then, and tells of one that
  /// was added by itself.
  private func askForState(of identifier: String) {
    if var last = phone.lastReport(of: identifier), last.state != .unknown {
      last.date = clock(last.date)
      takeNote(of: last)
    } else {
      phone.requestState(identifier: identifier)
    }
  }

  /// What the monitor is to be told beside the answers to events, since this was last taken.
  package func takeInputs() -> [MonitorInput] { keeper.takeInputs() }

  private func stayAwake() {
    isAwake = true
    guard !isUpdating else { return }
    update(isQuiet ? .hundredMeters : .reduced, Self.noPosition)
  }

  // MARK: What keeps the app running

  /// Whether only updates of a hundred metres without a filter keep the app running.
  private var isQuiet: Bool { phone.backgroundUpdates.needsQualifyingUpdates && presence == .quiet }

  private func update(_ accuracy: DesiredAccuracy, _ filter: Meters?) {
    var settings = LocationSettings(continuous: accuracy, distanceFilter: isQuiet ? nil : filter)
    if isQuiet, !accuracy.isHundredMetersOrBetter { settings.desiredAccuracy = .hundredMeters }
    settings.showsIndicator = phone.backgroundUpdates.needsQualifyingUpdates && presence == .indicator
    phone.locationSettings = settings
    phone.startUpdatingLocation()
  }

  private func show(_ presence: Presence) {
    self.presence = presence
    switch presence {
    case .quiet:
      phone.endBackgroundActivity()
      hasBegunActivity = false
    case .indicator: holdActivity()
    }
  }

  /// Begins a background activity session, unless this process holds one: in front, or to go on with that of
  /// an earlier process, which ends soon unless this one begins it.
  private func holdActivity() {
    guard presence == .indicator, phone.backgroundUpdates.hasActivitySessions,
      !hasBegunActivity || !phone.hasBackgroundActivity
    else { return }
    hasBegunActivity = true
    phone.beginBackgroundActivity()
  }

  private var hasBegunActivity = false

  /// How long after significant changes have woken an app it may begin updates that go on: the ten seconds
  /// that it runs for them.
  private static let changeWindow = Duration.seconds(10)

  /// What it takes to stay awake now.
  private var wakefulness: Wakefulness {
    let rules = phone.backgroundUpdates
    guard rules.needsQualifyingUpdates else { return .cheap }
    if presence == .indicator, phone.hasBackgroundActivity { return .cheap }
    guard rules.needsBeginningInFront, !isAwake, !phone.isInFront else { return .costly }
    if let changeTime, changeTime.advanced(by: Self.changeWindow) >= now { return .costly }
    return .impossible
  }

  /// What has changed of that since the monitor was told.
  private var wakefulnessChange: [MonitorInput] {
    let wakefulness = wakefulness
    guard wakefulness != toldWakefulness else { return [] }
    toldWakefulness = wakefulness
    return [.wakefulness(wakefulness)]
  }

  /// Lets the system suspend the app once the state of a new sentinel is known: the answer would not reach a
  /// suspended app, and a sentinel that has been left already wakes nobody.
  private func allowSleep() {
    // The sentinel may be among what is still to be asked for.
    sleepsAfterTurns = pause > .zero && turnTimer != 0
    guard !sleepsAfterTurns else {
      if isAwake { stayAwake() }
      return
    }
    cancel(&sentinelTimer)
    guard unknownSentinel == nil else {
      if isAwake { stayAwake() }
      sentinelTimer = phone.setTimer(after: Self.longestAnswerTime)
      return
    }
    isAwake = false
    phone.stopUpdatingLocation()
  }

  // MARK: Positions

  private func request(at time: Timestamp, _ accuracy: DesiredAccuracy) {
    requestedAccuracy = accuracy
    cancel(&answerTimer)
    cancel(&requestTimer)
    let wait = now.duration(to: time)
    if wait <= .zero { return locate() }
    requestTimer = phone.setTimer(after: wait)
    if isShortOfTime { beginPositionTask() }
  }

  /// Whether nothing but a task keeps the app running until a position is due.
  private var isShortOfTime: Bool { !isAwake && toldWakefulness == .impossible }

  private func beginPositionTask() {
    guard positionTask == nil else { return }
    let begun = phone.beginBackgroundTask("position")
    if begun != .invalid { positionTask = begun }
  }

  /// How long a request may go unanswered. A suspension loses the answer.
  private static let longestAnswerTime = Duration.seconds(40)

  private func locate() {
    cancel(&answerTimer)
    answerTimer = phone.setTimer(after: Self.longestAnswerTime)
    beginPositionTask()
    phone.requestLocation(requestedAccuracy)
  }

  private func cancelRequest() {
    cancel(&answerTimer)
    cancel(&requestTimer)
    finish()
  }

  private func cancel(_ timer: inout Int) {
    phone.cancelTimer(timer)
    timer = 0
  }

  // MARK: What the phone tells

  /// What an event means to the monitor. When that has been told and acted on, ``finish()`` is to be called.
  package func inputs(_ event: PhoneEvent) -> [MonitorInput] {
    if case .locations(_, from: .significantChange) = event { changeTime = now }
    if event == .becameActive { holdActivity() }
    if let wait = event.repetitionTime, keeper.retry(after: wait, at: now) { takeTurns() }
    return wakefulnessChange + meaning(of: event)
  }

  private func meaning(of event: PhoneEvent) -> [MonitorInput] {
    switch event {
    case .launched:
      let monitored = phone.monitoredRegions
      // A `CLMonitor` tells all of each condition.
      keeper.open(
        monitored: monitored.map(\.identifier),
        left: phone.slotService == .regionMonitoring ? monitored : [], at: now)
      return keeper.takeInputs() + (phone.isLimited ? environment : [])
    case .conditionChanged(let report) where report.state == .unknown: return []
    case .conditionChanged(var report):
      report.date = clock(report.date)
      return inputs(of: report)
    case .settingsChanged:
      // What was refused may be possible now.
      keeper.retry()
      takeTurns()
      return keeper.takeInputs() + environment
    case .enteredBackground: return phone.isLimited ? environment : []
    case .locations(let fixes, let source):
      // Nobody asked for those that only keep the app alive. At a hundred metres their errors are alike for
      // minutes, so that two in a row would decide what they do not know.
      if source == .standard, !isUpdating { return [] }
      if source == .single { cancel(&answerTimer) }
      return fixes.map { fix in
        var fix = fix
        fix.time = clock(fix.time)
        return .fix(fix)
      } + (source == .significantChange ? [.woken] : [])
    case .visited: return [.woken]
    case .ranged(let report): return report.beacons.compactMap(sighting)
    case .locationUnknown:
      // Nobody waits for one that was cancelled.
      guard answerTimer != 0 else { return [] }
      cancel(&answerTimer)
      return [.noFix]
    case .entered(let region): return inputs(of: region, .satisfied, isCrossing: true)
    case .exited(let region): return inputs(of: region, .unsatisfied, isCrossing: true)
    case .determined(.inside, let region): return inputs(of: region, .satisfied)
    case .determined(.outside, let region): return inputs(of: region, .unsatisfied)
    case .determined(.unknown, _): return []
    case .monitoringFailed(let region, let error):
      note(.lost("\(region): \(error)"))
      return inputs(
        of: SlotReport(identifier: region, state: .unmonitored, date: now, diagnostics: error.diagnostics))
    case .timer(let number) where number == turnTimer && number != 0:
      turnTimer = 0
      takeTurns(isRepeating: true)
      return keeper.takeInputs()
    case .timer(let number) where number == requestTimer && number != 0:
      requestTimer = 0
      locate()
      return []
    case .timer(let number) where number == answerTimer && number != 0:
      answerTimer = 0
      return [.noFix]
    case .timer(let number) where number == sentinelTimer && number != 0:
      // Nobody knows whether the sentinel has been left: a position will tell.
      sentinelTimer = 0
      unknownSentinel = nil
      return [.noFix]
    case .taskExpires(let expired):
      if positionTask == expired { positionTask = nil }
      if turnTask == expired { turnTask = nil }
      phone.endBackgroundTask(expired)
      return []
    case .becameActive:
      // A suspension may have lost the answer to a request, and a `CLMonitor` may have withheld entries in
      // the background.
      locate()
      return keeper.takeInputs() + (phone.isLimited ? environment : [])
    default: return []
    }
  }

  /// Lets the app sleep where no position is waited for: to be called when all that an event means has been
  /// told and acted on.
  package func finish() {
    guard answerTimer == 0, requestTimer == 0 || !isShortOfTime, let task = positionTask else { return }
    // First, because ending the task may suspend the app.
    positionTask = nil
    phone.endBackgroundTask(task)
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

  private func inputs(
    of identifier: String, _ state: MonitoringState, isCrossing: Bool = false
  ) -> [MonitorInput] {
    inputs(of: SlotReport(identifier: identifier, state: state, date: now), isCrossing: isCrossing)
  }

  /// Takes note of a report, and tells what it means to the monitor.
  private func inputs(of report: SlotReport, isCrossing: Bool = false) -> [MonitorInput] {
    takeNote(of: report, isCrossing: isCrossing)
    return keeper.takeInputs()
  }

  private func takeNote(of report: SlotReport, isCrossing: Bool = false) {
    if report.identifier == unknownSentinel, report.state != .unknown {
      unknownSentinel = nil
      if report.state == .satisfied, sentinelTimer != 0 { allowSleep() }
    }
    if isCrossing { keeper.handle(crossing: report) } else { keeper.handle(report) }
  }
}

extension PhoneEvent {
  /// How long ago a phone has to have refused a region for this event to have it asked again: at once in
  /// front, and with what wakes the app after a while; nil for other events.
  fileprivate var repetitionTime: Duration? {
    switch self {
    case .becameActive: .zero
    case .entered, .exited, .visited, .conditionChanged, .locations(_, from: .significantChange):
      SlotKeeper.repetitionTime
    default: nil
    }
  }
}
