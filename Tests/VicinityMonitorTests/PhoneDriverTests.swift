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
  private var calls: [String] = []
  private var last = 0

  let slotCapacity = 20
  let maximumRegionRadius: Meters = 1000

  /// What the phone has been asked for since this was last taken.
  func take() -> [String] {
    defer { calls = [] }
    return calls
  }

  var locationSettings = LocationSettings() {
    didSet { calls.append("settings \(locationSettings.desiredAccuracy.rawValue)") }
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
    last += 1
    let task = BackgroundTask(number: last)
    tasks[task] = name
    return task
  }
  func endBackgroundTask(_ task: BackgroundTask) { tasks[task] = nil }

  /// The only timer, which is due now.
  func due() throws -> PhoneEvent {
    let (number, delay) = try #require(timers.count == 1 ? timers.first : nil)
    timers = [:]
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

  /// A driver that has been opened, and what it told of that.
  private func open(_ phone: ScriptedPhone, pause: Duration = PhoneDriver.pause) -> PhoneDriver {
    let driver = PhoneDriver(phone, pause: pause)
    #expect(driver.inputs(.launched(.location)) == [.existingSlots(phone.monitoredRegions.map(\.identifier))])
    return driver
  }

  private func tell(_ driver: PhoneDriver, _ event: PhoneEvent) -> [MonitorInput] {
    defer { driver.finish(event) }
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
    #expect(phone.timers.values.map { $0 } == [PhoneDriver.pause])
    #expect(tell(driver, try phone.due()).isEmpty)
    #expect(phone.take() == ["ask a", "add b"])
    #expect(tell(driver, try phone.due()).isEmpty)
    #expect(phone.take() == ["ask b"])
    #expect(phone.tasks.isEmpty && phone.timers.isEmpty)
  }

  @Test(
    "Removals and additions come in turns of their own, and what is asked for during a pause waits for the next"
  )
  func turnsApart() throws {
    let phone = ScriptedPhone()
    phone.otherRegionCount = 19
    let driver = open(phone)
    driver.perform([.register(Self.slot("a"))])
    #expect(phone.take() == ["add a"])
    driver.perform([.unregister(identifier: "a"), .register(Self.slot("b"))])
    #expect(phone.take().isEmpty)
    _ = tell(driver, try phone.due())
    #expect(phone.take() == ["remove a"])
    _ = tell(driver, try phone.due())
    #expect(phone.take() == ["add b"])
    _ = tell(driver, try phone.due())
    #expect(phone.take() == ["ask b"])
    #expect(phone.tasks.isEmpty && phone.timers.isEmpty)
  }

  @Test("A phone without a pause has its turns at once; only what was lost waits")
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
    _ = tell(driver, try phone.due())
    #expect(phone.take() == ["add b", "ask b"])
    #expect(phone.tasks.isEmpty && phone.timers.isEmpty)
  }

  @Test(
    "The app sleeps when the sentinel has been added and the device is known to be in it",
    arguments: [true, false])
  func sleeping(isInside: Bool) throws {
    let phone = ScriptedPhone()
    let driver = open(phone)
    driver.perform([.stayAwake])
    #expect(phone.take() == ["settings reduced", "start updates"])
    driver.perform([.register(Self.slot("s", isSentinel: true)), .allowSleep])
    #expect(!phone.take().contains("stop updates"))
    // After the pause the sentinel is there, and its state is still unknown.
    _ = tell(driver, try phone.due())
    #expect(phone.take().filter { $0 != "settings reduced" && $0 != "start updates" } == ["ask s"])
    let state: RegionState = isInside ? .inside : .outside
    let inputs = tell(driver, .determined(state, region: "s"))
    #expect(phone.take() == (isInside ? ["stop updates"] : []))
    guard case .slot(let report) = inputs.first else {
      Issue.record("\(inputs)")
      return
    }
    #expect(report.state == (isInside ? .satisfied : .unsatisfied))
    if isInside { #expect(phone.timers.isEmpty) }
  }

  @Test("A sentinel whose state nobody tells is given up after 40 s: a position has to tell")
  func silentSentinel() throws {
    let phone = ScriptedPhone()
    let driver = open(phone, pause: .zero)
    driver.perform([.stayAwake, .register(Self.slot("s", isSentinel: true)), .allowSleep])
    #expect(!phone.take().contains("stop updates"))
    #expect(phone.timers.values.map { $0 } == [.seconds(40)])
    #expect(tell(driver, try phone.due()) == [.noFix])
    driver.perform([.allowSleep])
    #expect(phone.take() == ["stop updates"])
  }

  @Test("A fix is requested when it is due, under a task, and what keeps the app alive is no fix")
  func fixes() throws {
    let phone = ScriptedPhone()
    let driver = open(phone)
    driver.perform([.stayAwake, .requestFix(by: phone.now.advanced(by: .seconds(60)), accuracy: .best)])
    #expect(phone.take() == ["settings reduced", "start updates"])
    #expect(phone.timers.values.map { $0 } == [.seconds(60)])
    let fix = Fix(time: phone.now, coordinate: Self.home, horizontalAccuracy: 5)
    #expect(tell(driver, .locations([fix], from: .standard)).isEmpty)
    #expect(tell(driver, try phone.due()).isEmpty)
    #expect(phone.take() == ["locate best"])
    #expect(phone.tasks.values.sorted() == ["position"])
    #expect(tell(driver, .locations([fix], from: .single)) == [.fix(fix)])
    #expect(phone.tasks.isEmpty && phone.timers.isEmpty)
    // The updates of a strategy are fixes; significant changes wake as well.
    driver.perform([.startUpdates(.hundredMeters, distanceFilter: 50)])
    #expect(tell(driver, .locations([fix], from: .standard)) == [.fix(fix)])
    #expect(tell(driver, .locations([fix], from: .significantChange)) == [.fix(fix), .woken])
  }

  @Test("A request that is not answered in 40 s is told as none, and so is one that fails")
  func noFix() throws {
    let phone = ScriptedPhone()
    let driver = open(phone)
    driver.perform([.requestFix(by: phone.now)])
    #expect(phone.take() == ["locate hundredMeters"])
    #expect(tell(driver, try phone.due()) == [.noFix])
    driver.perform([.requestFix(by: phone.now)])
    #expect(tell(driver, .locationUnknown) == [.noFix])
    #expect(phone.tasks.isEmpty && phone.timers.isEmpty)
  }

  @Test(
    "A CLMonitor's record is asked in place of its state, counts as recalled, and in front a position is asked for"
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
    #expect(tell(driver, .becameActive).isEmpty)
    #expect(phone.take() == ["locate hundredMeters"])
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
    _ = tell(driver, try phone.due())
    #expect(phone.take() == ["add a"])
    #expect(tell(driver, .settingsChanged) == [.environment(phone.environment)])
    #expect(phone.take() == ["add a"])
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
