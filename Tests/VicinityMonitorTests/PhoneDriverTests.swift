import Synchronization
import Testing
import VicinityCrossings
import VicinityGeodesy

@testable import VicinityMonitor

/// A phone that does what a test says, and writes down what it is asked for.
private final class ScriptedPhone: Phone {
  var now = Timestamp(microseconds: 1_700_000_000_000_000)
  var isInFront = false
  var environment = MonitorEnvironment()
  var isLimited = false
  var slotService = SlotService.regionMonitoring
  var otherRegionCount = 0
  var monitoredRegions: [MonitoredRegion] = []
  var reports: [String: SlotReport] = [:]
  /// What of an addition is lost.
  var loses: Set<String> = []
  private(set) var timers: [Int: Duration] = [:]
  private(set) var tasks: [BackgroundTask: String] = [:]
  var hasNoTime = false
  private var calls: [String] = []
  private var last = 0

  let slotCapacity = 20
  var maximumRegionRadius: Meters = 1000

  /// What the phone has been asked for since this was last taken.
  func take() -> [String] {
    defer { calls = [] }
    return calls
  }

  var locationSettings = LocationSettings() {
    didSet {
      let shown = locationSettings.showsIndicator ? " shown" : ""
      calls.append("settings \(locationSettings.desiredAccuracy.rawValue)\(shown)")
    }
  }
  var backgroundUpdates = BackgroundUpdateRules.anyUpdates
  private(set) var hasBackgroundActivity = false
  /// Whether an earlier process held an activity, so that this one may go on with it.
  var wasActive = false
  func beginBackgroundActivity() {
    hasBackgroundActivity = isInFront || wasActive
    calls.append("begin activity")
  }
  /// That of an earlier process is in force, for the moment that this one has to begin it.
  func leaveActivity() { hasBackgroundActivity = true }
  func endBackgroundActivity() {
    hasBackgroundActivity = false
    calls.append("end activity")
  }
  func startUpdatingLocation() { calls.append("start updates") }
  func stopUpdatingLocation() { calls.append("stop updates") }
  func requestLocation(_ accuracy: DesiredAccuracy?) {
    calls.append("locate \(accuracy?.rawValue ?? "as set")")
  }
  func startMonitoringSignificantLocationChanges() { calls.append("start changes") }
  func stopMonitoringSignificantLocationChanges() { calls.append("stop changes") }
  func startMonitoringVisits() { calls.append("start visits") }
  func stopMonitoringVisits() { calls.append("stop visits") }

  func startMonitoring(_ region: MonitoredRegion) {
    calls.append("add \(region.identifier)")
    if loses.remove(region.identifier) == nil { monitoredRegions.append(region) }
  }
  func stopMonitoring(identifier: String) {
    calls.append("remove \(identifier)")
    monitoredRegions.removeAll { $0.identifier == identifier }
  }
  func requestState(identifier: String) { calls.append("ask \(identifier)") }
  func lastReport(of identifier: String) -> SlotReport? { reports[identifier] }

  func startRangingBeacons(_ identity: BeaconIdentity) { calls.append("range") }
  func stopRangingBeacons(_ identity: BeaconIdentity) { calls.append("stop ranging") }

  func setTimer(after delay: Duration) -> Int {
    last += 1
    timers[last] = delay
    return last
  }
  func cancelTimer(_ number: Int) { timers[number] = nil }

  func beginBackgroundTask(_ name: String) -> BackgroundTask {
    if hasNoTime { return .invalid }
    last += 1
    let task = BackgroundTask(number: last)
    tasks[task] = name
    return task
  }
  func endBackgroundTask(_ task: BackgroundTask) { tasks[task] = nil }

  /// The only timer of a length, which is due now.
  func due(after delay: Duration) throws -> PhoneEvent {
    let found = timers.filter { $0.value == delay }.keys.sorted()
    let number = try #require(found.count == 1 ? found.first : nil, "\(timers)")
    timers[number] = nil
    now = now.advanced(by: delay)
    return .timer(number)
  }
}

/// What a driver asks of a phone for a monitor's commands, and what it makes of the answers.
@Suite("A monitor's commands as a phone's calls")
struct PhoneDriverTests {
  private static let home = Coordinate(latitude: 48.2, longitude: 16.37)

  private static func slot(_ identifier: String, isSentinel: Bool = false) -> Slot {
    Slot(
      identifier: identifier, condition: .circle(center: home, radius: 200), isSentinel: isSentinel)
  }

  private static let pause = PhoneDriver.pause

  /// A driver that has been opened.
  private func open(_ phone: ScriptedPhone, pause: Duration = PhoneDriver.pause) -> PhoneDriver {
    let driver = PhoneDriver(phone, pause: pause)
    let monitored = phone.monitoredRegions.map(\.identifier).sorted()
    #expect(driver.inputs(.launched(.location)) == [.existingSlots(monitored)])
    return driver
  }

  private func tell(_ driver: PhoneDriver, _ event: PhoneEvent) -> [MonitorInput] {
    defer { driver.finish() }
    return driver.inputs(event)
  }

  @Test(
    "What is added is compared after a pause, asked for again, and asked about; meanwhile a task keeps the app running"
  )
  func turns() throws {
    let phone = ScriptedPhone()
    phone.loses = ["b"]
    let driver = open(phone)
    driver.perform([.register(Self.slot("a")), .register(Self.slot("b"))])
    #expect(phone.take() == ["add a", "add b"])
    #expect(phone.tasks.values.sorted() == ["slots"])
    #expect(tell(driver, try phone.due(after: Self.pause)).isEmpty)
    #expect(phone.take() == ["ask a", "add b"])
    #expect(tell(driver, try phone.due(after: Self.pause)).isEmpty)
    #expect(phone.take() == ["ask b"])
    // The answers need time, too.
    #expect(phone.tasks.count == 1)
    #expect(tell(driver, try phone.due(after: Self.pause)).isEmpty)
    #expect(phone.take().isEmpty && phone.tasks.isEmpty && phone.timers.isEmpty)
  }

  @Test("Removals and additions come in turns of their own; what is asked for in a pause waits for the next")
  func turnsApart() throws {
    let phone = ScriptedPhone()
    phone.otherRegionCount = 19
    let driver = open(phone)
    driver.perform([.register(Self.slot("a"))])
    #expect(phone.take() == ["add a"])
    driver.perform([.unregister(identifier: "a"), .register(Self.slot("b"))])
    #expect(phone.take().isEmpty)
    for calls in [["remove a"], ["add b"], ["ask b"], []] {
      _ = tell(driver, try phone.due(after: Self.pause))
      #expect(phone.take() == calls)
    }
    #expect(phone.tasks.isEmpty && phone.timers.isEmpty)
  }

  @Test("A phone without a pause has its turns at once; only what was lost waits, for a second")
  func noPause() throws {
    let phone = ScriptedPhone()
    let driver = open(phone, pause: .zero)
    driver.perform([.register(Self.slot("a"))])
    #expect(phone.take() == ["add a", "ask a"])
    #expect(phone.tasks.isEmpty && phone.timers.isEmpty)
    phone.loses = ["b"]
    driver.perform([.unregister(identifier: "a"), .register(Self.slot("b"))])
    #expect(phone.take() == ["add b", "remove a"])
    #expect(phone.tasks.count == 1)
    _ = tell(driver, try phone.due(after: .seconds(1)))
    #expect(phone.take() == ["add b", "ask b"])
    #expect(phone.tasks.isEmpty && phone.timers.isEmpty)
  }

  @Test("A beacon's wish to be told when the display is turned on reaches the phone")
  func display() {
    let phone = ScriptedPhone()
    let driver = open(phone)
    let beacon = BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2))
    driver.perform([
      .register(Slot(identifier: "b", condition: .beacon(beacon), notifiesOnDisplay: true))
    ])
    #expect(phone.monitoredRegions.map(\.notifyEntryStateOnDisplay) == [true])
  }

  // MARK: Sleep

  @Test(
    "The app sleeps when the sentinel has been added and the device is known to be in it",
    arguments: [true, false])
  func sleeping(isInside: Bool) throws {
    let phone = ScriptedPhone()
    let driver = open(phone)
    driver.perform([.stayAwake, .register(Self.slot("a"))])
    #expect(phone.take() == ["settings reduced", "start updates", "add a"])
    // The sentinel waits for its turn.
    driver.perform([.register(Self.slot("s", isSentinel: true)), .allowSleep])
    #expect(!phone.take().contains("stop updates"))
    var calls: [String] = []
    for _ in 0..<3 {
      _ = tell(driver, try phone.due(after: Self.pause))
      calls += phone.take()
    }
    #expect(calls.filter { $0.hasSuffix(" s") || $0.hasSuffix(" a") } == ["ask a", "add s", "ask s"])
    #expect(!calls.contains("stop updates") && phone.tasks.isEmpty)
    let state: RegionState = isInside ? .inside : .outside
    let inputs = tell(driver, .determined(state, region: "s"))
    guard case .slot(let report) = inputs.first else {
      Issue.record("\(inputs)")
      return
    }
    #expect(report.state == (isInside ? .satisfied : .unsatisfied))
    #expect(phone.take() == (isInside ? ["stop updates"] : []))
    // Outside, the monitor puts up another, or says that the app is to stay awake.
    driver.perform([.stayAwake])
    #expect(phone.timers.isEmpty)
  }

  @Test("A sentinel that is no longer wanted, or refused, keeps no app awake")
  func unwantedSentinel() throws {
    let phone = ScriptedPhone()
    let driver = open(phone, pause: .zero)
    driver.perform([.stayAwake, .register(Self.slot("s", isSentinel: true))])
    driver.perform([.unregister(identifier: "s"), .allowSleep])
    #expect(phone.take().last == "stop updates")
    driver.perform([.stayAwake, .register(Self.slot("t", isSentinel: true))])
    _ = phone.take()
    let refusal = RegionMonitoringError(.regionMonitoringFailure, "no room", .conditionLimitExceeded)
    _ = tell(driver, .monitoringFailed(region: "t", refusal))
    driver.perform([.allowSleep])
    #expect(phone.take() == ["stop updates"])
    #expect(phone.timers.isEmpty)
  }

  @Test("A sentinel whose state nobody tells is given up after 40 s: a position has to tell")
  func silentSentinel() throws {
    let phone = ScriptedPhone()
    let driver = open(phone, pause: .zero)
    driver.perform([.stayAwake, .register(Self.slot("s", isSentinel: true)), .allowSleep])
    #expect(!phone.take().contains("stop updates"))
    // A position that is asked for meanwhile has a timer of its own.
    driver.perform([.requestFix(by: phone.now)])
    #expect(phone.timers.count == 2)
    let fix = Fix(time: phone.now, coordinate: Self.home, horizontalAccuracy: 5)
    #expect(tell(driver, .locations([fix], from: .single)) == [.fix(fix)])
    #expect(tell(driver, .determined(.unknown, region: "s")).isEmpty)
    #expect(tell(driver, try phone.due(after: .seconds(40))) == [.noFix])
    #expect(!phone.take().contains("stop updates"))
    driver.perform([.allowSleep])
    #expect(phone.take() == ["stop updates"])
  }

  // MARK: Positions

  @Test("A fix is requested when it is due, under a task, and what keeps the app alive is no fix")
  func fixes() throws {
    let phone = ScriptedPhone()
    let driver = open(phone)
    driver.perform([.stayAwake, .requestFix(by: phone.now.advanced(by: .seconds(60)), accuracy: .best)])
    #expect(phone.take() == ["settings reduced", "start updates"])
    let fix = Fix(time: phone.now, coordinate: Self.home, horizontalAccuracy: 5)
    #expect(tell(driver, .locations([fix], from: .standard)).isEmpty)
    #expect(tell(driver, try phone.due(after: .seconds(60))).isEmpty)
    #expect(phone.take() == ["locate best"])
    #expect(phone.tasks.values.sorted() == ["position"])
    #expect(tell(driver, .locations([fix], from: .single)) == [.fix(fix)])
    #expect(phone.tasks.isEmpty && phone.timers.isEmpty)
    // The updates of a strategy are fixes; significant changes wake as well, and so do visits.
    driver.perform([.startUpdates(.hundredMeters, distanceFilter: 50)])
    #expect(phone.locationSettings == LocationSettings(continuous: .hundredMeters, distanceFilter: 50))
    #expect(tell(driver, .locations([fix], from: .standard)) == [.fix(fix)])
    #expect(tell(driver, .locations([fix], from: .significantChange)) == [.fix(fix), .woken])
    #expect(tell(driver, .visited(Visit(fix: fix, arrival: fix.time))) == [.woken])
    _ = phone.take()
    driver.perform([.stopUpdates])
    #expect(phone.take() == ["settings reduced", "start updates"])
    driver.perform([.allowSleep, .startUpdates(.best), .stopUpdates])
    #expect(phone.take() == ["stop updates", "settings best", "start updates", "stop updates"])
  }

  // MARK: Staying awake

  @Test(
    "An app stays awake by the coarsest updates where all count, and by those that count where not all do")
  func waysToStayAwake() {
    let phone = ScriptedPhone()
    phone.isInFront = true
    let driver = open(phone)
    driver.perform([.show(.indicator), .stayAwake])
    #expect(phone.take() == ["settings reduced", "start updates"])
    #expect((phone.locationSettings.distanceFilter ?? 0) > 1e6)
    // Since iOS 16.4, shown.
    phone.backgroundUpdates = .iOS16_4
    driver.perform([.allowSleep, .stayAwake])
    #expect(phone.take() == ["stop updates", "settings reduced shown", "start updates"])
    #expect(phone.backgroundUpdates.keepsRunning(phone.locationSettings, hasActivity: false))
    // And not shown.
    driver.perform([.show(.quiet), .allowSleep, .stayAwake])
    #expect(phone.take() == ["end activity", "stop updates", "settings hundredMeters", "start updates"])
    #expect(phone.locationSettings == LocationSettings(continuous: .hundredMeters))
    #expect(phone.backgroundUpdates.keepsRunning(phone.locationSettings, hasActivity: false))
    // Better ones count too, and no filter is set that would end them.
    driver.perform([.startUpdates(.best, distanceFilter: 50)])
    #expect(phone.locationSettings == LocationSettings(continuous: .best))
    driver.perform([.startUpdates(.kilometer)])
    #expect(phone.locationSettings == LocationSettings(continuous: .hundredMeters))
  }

  @Test("What counts since iOS 16.4: a hundred metres or better without a filter, or shown, or in a session")
  func qualifyingUpdates() {
    let rules = BackgroundUpdateRules.iOS16_4
    func runs(_ accuracy: DesiredAccuracy, _ filter: Meters?, isShown: Bool = false) -> Bool {
      var settings = LocationSettings(continuous: accuracy, distanceFilter: filter)
      settings.showsIndicator = isShown
      return rules.keepsRunning(settings, hasActivity: false)
    }
    #expect(runs(.hundredMeters, nil) && runs(.best, 0) && !runs(.best, 10))
    #expect(!runs(.kilometer, nil) && !runs(.threeKilometers, nil) && !runs(.reduced, nil))
    #expect(runs(.reduced, 1e7, isShown: true) && runs(.best, 10, isShown: true))
    // In a session, where there are sessions; never without permission to go on in the background.
    let coarse = LocationSettings(continuous: .reduced, distanceFilter: 1e7)
    #expect(!rules.keepsRunning(coarse, hasActivity: true))
    #expect(BackgroundUpdateRules.iOS17.keepsRunning(coarse, hasActivity: true))
    #expect(!BackgroundUpdateRules.anyUpdates.keepsRunning(LocationSettings(), hasActivity: true))
  }

  @Test(
    "The monitor is told what it takes to stay awake: in front, woken by significant changes, and otherwise")
  func wakefulness() throws {
    let phone = ScriptedPhone()
    phone.backgroundUpdates = .iOS17
    phone.isInFront = true
    let driver = PhoneDriver(phone, pause: .zero)
    #expect(tell(driver, .launched(.user)) == [.wakefulness(.costly), .existingSlots([])])
    driver.perform([.stayAwake])
    phone.isInFront = false
    // What was begun in front goes on.
    #expect(tell(driver, .enteredBackground).isEmpty)
    driver.perform([.allowSleep])
    let exit = tell(driver, .exited(region: "a"))
    #expect(exit.first == .wakefulness(.impossible) && exit.count == 1)
    let fix = Fix(time: phone.now, coordinate: Self.home, horizontalAccuracy: 500)
    #expect(
      tell(driver, .locations([fix], from: .significantChange)) == [.wakefulness(.costly), .fix(fix), .woken])
    phone.now = phone.now.advanced(by: .seconds(11))
    #expect(tell(driver, .exited(region: "a")) == [.wakefulness(.impossible)])
    _ = tell(driver, .locations([fix], from: .significantChange))
    driver.perform([.stayAwake])
    phone.now = phone.now.advanced(by: .seconds(3600))
    #expect(tell(driver, .exited(region: "a")).isEmpty)
    // What keeps it awake is no fix.
    #expect(tell(driver, .locations([fix], from: .standard)).isEmpty)
  }

  @Test("A session is begun in front, gone on with by the next process, and makes staying awake cheap")
  func sessions() {
    let phone = ScriptedPhone()
    phone.backgroundUpdates = .iOS17
    let driver = PhoneDriver(phone, pause: .zero)
    #expect(tell(driver, .launched(.location)) == [.wakefulness(.impossible), .existingSlots([])])
    driver.perform([.show(.indicator)])
    #expect(phone.take().contains("begin activity") && !phone.hasBackgroundActivity)
    #expect(tell(driver, .exited(region: "a")).isEmpty)
    phone.isInFront = true
    #expect(tell(driver, .becameActive).first == .wakefulness(.cheap))
    #expect(phone.hasBackgroundActivity)
    phone.isInFront = false
    #expect(tell(driver, .enteredBackground).isEmpty)
    driver.perform([.show(.quiet)])
    #expect(!phone.hasBackgroundActivity)
    // The next process.
    let next = PhoneDriver(phone, pause: .zero)
    phone.wasActive = true
    next.perform([.show(.indicator)])
    #expect(phone.hasBackgroundActivity)
    #expect(tell(next, .launched(.location)) == [.existingSlots([])])
    // One where the session of the process before is in force: it ends unless this one begins it too, once.
    let third = PhoneDriver(phone, pause: .zero)
    phone.leaveActivity()
    _ = phone.take()
    third.perform([.show(.indicator)])
    #expect(phone.take().contains("begin activity"))
    phone.isInFront = true
    _ = tell(third, .becameActive)
    #expect(!phone.take().contains("begin activity"))
  }

  @Test("An app that cannot stay awake holds a task until the position that is due soon has come")
  func shortOfTime() throws {
    let phone = ScriptedPhone()
    phone.backgroundUpdates = .iOS17
    let driver = PhoneDriver(phone, pause: .zero)
    _ = tell(driver, .launched(.location))
    driver.perform([.requestFix(by: phone.now.advanced(by: .seconds(9)))])
    driver.finish()
    #expect(phone.tasks.values.sorted() == ["position"])
    _ = tell(driver, try phone.due(after: .seconds(9)))
    let fix = Fix(time: phone.now, coordinate: Self.home, horizontalAccuracy: 5)
    _ = tell(driver, .locations([fix], from: .single))
    #expect(phone.tasks.isEmpty)
  }

  @Test("Of the services that wake those that are asked for run, and no other")
  func waking() {
    let phone = ScriptedPhone()
    let driver = open(phone)
    driver.perform([.wake(by: [.significantChanges])])
    #expect(phone.take() == ["start changes", "stop visits"])
    driver.perform([.wake(by: [.visits])])
    #expect(phone.take() == ["stop changes", "start visits"])
  }

  @Test("A request that is not answered in 40 s is told as none, one that fails as well, and each task ends")
  func noFix() throws {
    let phone = ScriptedPhone()
    let driver = open(phone)
    driver.perform([.requestFix(by: phone.now)])
    #expect(phone.take() == ["locate hundredMeters"])
    #expect(tell(driver, try phone.due(after: .seconds(40))) == [.noFix])
    #expect(phone.tasks.isEmpty && phone.timers.isEmpty)
    driver.perform([.requestFix(by: phone.now)])
    #expect(tell(driver, .locationUnknown) == [.noFix])
    #expect(phone.tasks.isEmpty && phone.timers.isEmpty)
    // Nobody waits for one that was cancelled.
    driver.perform([.requestFix(by: phone.now)])
    driver.perform([.cancelFixRequest])
    #expect(phone.tasks.isEmpty && phone.timers.isEmpty)
    #expect(tell(driver, .locationUnknown).isEmpty)
  }

  @Test("A task lasts until the last of two requests is answered, and ends when its time is up")
  func tasks() throws {
    let phone = ScriptedPhone()
    let driver = open(phone)
    driver.perform([.requestFix(by: phone.now)])
    let fix = Fix(time: phone.now, coordinate: Self.home, horizontalAccuracy: 5)
    #expect(driver.inputs(.locations([fix], from: .single)) == [.fix(fix)])
    // What the monitor made of it.
    driver.perform([.requestFix(by: phone.now, accuracy: .best)])
    driver.finish()
    #expect(phone.tasks.count == 1)
    let task = try #require(phone.tasks.keys.first)
    #expect(tell(driver, .taskExpires(task)).isEmpty)
    #expect(phone.tasks.isEmpty)
    phone.hasNoTime = true
    driver.perform([.requestFix(by: phone.now), .register(Self.slot("a"))])
    #expect(tell(driver, .locations([fix], from: .single)) == [.fix(fix)])
    #expect(phone.tasks.isEmpty)
  }

  @Test("In front the phone says where it is, and a request for later stays")
  func inFront() throws {
    let phone = ScriptedPhone()
    phone.isLimited = true
    let driver = PhoneDriver(phone)
    #expect(driver.inputs(.launched(.user)) == [.existingSlots([]), .environment(phone.environment)])
    driver.perform([.requestFix(by: phone.now.advanced(by: .seconds(60)))])
    #expect(tell(driver, .becameActive) == [.environment(phone.environment)])
    #expect(phone.take() == ["locate hundredMeters"])
    let fix = Fix(time: phone.now, coordinate: Self.home, horizontalAccuracy: 5)
    #expect(tell(driver, .locations([fix], from: .single)) == [.fix(fix)])
    #expect(tell(driver, .enteredBackground) == [.environment(phone.environment)])
    #expect(tell(driver, try phone.due(after: .seconds(60))).isEmpty)
    #expect(phone.take() == ["locate hundredMeters"])
  }

  @Test("The log has the sentinel's disc, that there is none, and what was refused")
  func notes() {
    let phone = ScriptedPhone()
    let notes = Mutex<[PhoneDriver.Note]>([])
    let driver = PhoneDriver(phone, note: { note in notes.withLock { $0.append(note) } })
    _ = driver.inputs(.launched(.location))
    driver.perform([.register(Self.slot("s", isSentinel: true))])
    driver.perform([.stayAwake])
    let refusal = RegionMonitoringError(.regionMonitoringDenied, "denied", .authorizationDenied)
    _ = driver.inputs(.monitoringFailed(region: "s", refusal))
    #expect(
      notes.withLock { $0 } == [
        .safeDisc(Plan.Disc(center: Self.home, radius: 200)), .safeDisc(nil), .lost("s: \(refusal)"),
      ])
  }

  // MARK: What is remembered and allowed

  @Test(
    "A CLMonitor's record is asked in place of its state and counts as recalled; an unknown state is none"
  )
  func conditionMonitor() throws {
    let phone = ScriptedPhone()
    phone.slotService = .conditionMonitor
    phone.monitoredRegions = [MonitoredRegion(identifier: "a", center: Self.home, radius: 200)]
    phone.reports["a"] = SlotReport(
      identifier: "a", state: .satisfied, date: phone.now.advanced(by: .seconds(-60)))
    let driver = open(phone)
    driver.perform([.adopt(Self.slot("a"))])
    #expect(phone.take().isEmpty)
    var expected = try #require(phone.reports["a"])
    expected.isRecalled = true
    #expect(driver.takeInputs() == [.slot(expected)])
    let left = SlotReport(identifier: "a", state: .unsatisfied, date: phone.now)
    #expect(tell(driver, .conditionChanged(left)) == [.slot(left)])
    // A record of a condition that was just added says nothing; nor does an event of that.
    let unknown = SlotReport(identifier: "b", state: .unknown, date: phone.now)
    phone.reports["b"] = unknown
    driver.perform([.register(Self.slot("b", isSentinel: true))])
    for _ in 0..<2 { _ = tell(driver, try phone.due(after: Self.pause)) }
    #expect(tell(driver, .conditionChanged(unknown)).isEmpty && driver.takeInputs().isEmpty)
    #expect(phone.take() == ["add b", "ask b"])
  }

  @Test("What was refused is asked for again when the user has changed what is allowed")
  func settings() throws {
    let phone = ScriptedPhone()
    let driver = open(phone)
    phone.loses = ["a"]
    driver.perform([.register(Self.slot("a"))])
    let refusal = RegionMonitoringError(.regionMonitoringDenied, "denied", .authorizationDenied)
    let inputs = tell(driver, .monitoringFailed(region: "a", refusal))
    guard case .slot(let report) = inputs.first else {
      Issue.record("\(inputs)")
      return
    }
    #expect(report.state == .unmonitored && report.diagnostics == .authorizationDenied)
    _ = tell(driver, try phone.due(after: Self.pause))
    #expect(phone.take() == ["add a"])
    #expect(tell(driver, .settingsChanged) == [.environment(phone.environment)])
    #expect(phone.take() == ["add a"])
  }

  @Test("What was refused is asked for again in front, and after ten minutes by what wakes the app")
  func refusals() throws {
    let phone = ScriptedPhone()
    let driver = open(phone, pause: .zero)
    driver.perform([.register(Self.slot("a")), .register(Self.slot("b"))])
    let refusal = RegionMonitoringError(.regionMonitoringFailure, "for now", .conditionUnsupported)
    func refuse() {
      phone.stopMonitoring(identifier: "b")
      _ = tell(driver, .monitoringFailed(region: "b", refusal))
      _ = phone.take()
    }
    let fix = Fix(time: phone.now, coordinate: Self.home, horizontalAccuracy: 5)
    let events: [PhoneEvent] = [
      .entered(region: "a"), .exited(region: "a"), .visited(Visit(fix: fix, arrival: fix.time)),
      .locations([fix], from: .significantChange),
      .conditionChanged(SlotReport(identifier: "a", state: .satisfied, date: phone.now)),
    ]
    for event in events {
      refuse()
      phone.now = phone.now.advanced(by: .seconds(599))
      _ = tell(driver, event)
      #expect(!phone.take().contains("add b"), "\(event)")
      phone.now = phone.now.advanced(by: .seconds(1))
      _ = tell(driver, event)
      #expect(phone.take().contains("add b"), "\(event)")
    }
    refuse()
    phone.now = phone.now.advanced(by: .seconds(3600))
    _ = tell(driver, .locations([fix], from: .single))
    #expect(phone.take() == [])
    refuse()
    _ = tell(driver, .becameActive)
    #expect(phone.take() == ["add b", "ask b", "locate hundredMeters"])
    _ = tell(driver, .becameActive)
    #expect(phone.take() == ["locate hundredMeters"])
  }

  @Test("A region that the monitor has given up is not asked for again, neither in front nor by what wakes")
  func regionGivenUp() throws {
    let phone = ScriptedPhone()
    let driver = open(phone, pause: .zero)
    var machine = try MonitorStateMachine.restored(
      options: MonitorOptions(strategy: .adaptive(latency: .seconds(60)), presence: .indicator),
      now: phone.now)
    try machine.receive(.existingSlots([]), at: phone.now)
    try machine.add(.circle(center: Self.home, radius: 200), identifier: "home", at: phone.now)
    driver.perform(machine.takeActions().commands)
    let fix = Fix(time: phone.now, coordinate: Self.home, horizontalAccuracy: 5)
    let refusal = RegionMonitoringError(.regionMonitoringFailure, "for now", .conditionUnsupported)
    let events: [PhoneEvent] = [
      .locations([fix], from: .single), .monitoringFailed(region: "home", refusal), .becameActive,
      .settingsChanged, .visited(Visit(fix: fix, arrival: fix.time)),
    ]
    for (i, event) in events.enumerated() {
      if i == 1 { phone.stopMonitoring(identifier: "home") }
      for input in tell(driver, event) { try machine.receive(input, at: phone.now) }
      driver.perform(machine.takeActions().commands)
      // Once it holds a free slot.
      #expect(phone.take().contains("add home") == (i == 0), "\(event)")
      phone.now = phone.now.advanced(by: .seconds(i == 3 ? 700 : 1))
    }
  }

  @Test("What an earlier process had told otherwise is replaced, but not a sentinel, and not in a CLMonitor")
  func otherWishes() {
    for service in SlotService.allCases {
      let phone = ScriptedPhone()
      phone.slotService = service
      phone.monitoredRegions = ["a", "b", "s"].map { identifier in
        var region = MonitoredRegion(identifier: identifier, center: Self.home, radius: 200)
        region.notifyOnEntry = identifier == "b"
        return region
      }
      let driver = open(phone, pause: .zero)
      driver.perform([
        .adopt(Self.slot("a")), .adopt(Self.slot("b")), .adopt(Self.slot("s", isSentinel: true)),
      ])
      let calls = phone.take().filter { !$0.hasPrefix("ask") }
      #expect(calls == (service == .regionMonitoring ? ["remove a", "add a"] : []))
      // What an earlier process has left may also be asked for anew.
      let other = ScriptedPhone()
      other.slotService = service
      other.monitoredRegions = phone.monitoredRegions.map { region in
        var region = region
        region.notifyOnExit = false
        return region
      }
      let next = open(other, pause: .zero)
      next.perform([.register(Self.slot("b")), .register(Self.slot("s", isSentinel: true))])
      #expect(
        other.take().filter { !$0.hasPrefix("ask") }
          == (service == .regionMonitoring ? ["remove b", "add b"] : []))
    }
  }

  @Test("The greatest radius is the phone's at the time: it may be known only later")
  func radius() {
    let phone = ScriptedPhone()
    phone.maximumRegionRadius = 0
    let driver = open(phone, pause: .zero)
    phone.maximumRegionRadius = 100
    driver.perform([.register(Self.slot("a"))])
    #expect(phone.monitoredRegions.map(\.area) == [.circle(center: Self.home, radius: 100)])
  }

  @Test("Times are what the phone's clock shows")
  func clock() {
    let phone = ScriptedPhone()
    let driver = PhoneDriver(phone, clock: { $0.advanced(by: .seconds(3600)) })
    _ = driver.inputs(.launched(.location))
    driver.perform([.register(Self.slot("a"))])
    let later = phone.now.advanced(by: .seconds(3600))
    #expect(
      driver.inputs(.entered(region: "a"))
        == [.slot(SlotReport(identifier: "a", state: .satisfied, date: later))])
    let fix = Fix(time: phone.now, coordinate: Self.home, horizontalAccuracy: 5)
    #expect(
      driver.inputs(.locations([fix], from: .single))
        == [.fix(Fix(time: later, coordinate: Self.home, horizontalAccuracy: 5))])
  }
}
