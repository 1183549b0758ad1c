import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinityCrossings
@testable import VicinityMonitor

/// The classic surface: what delegates are told, and when regions are refused.
@Suite struct RegionMonitoringServiceTests {
  // MARK: Pieces

  final class Spy: RegionMonitoringDelegate {
    var log: [String] = []
    var onEnter: ((RegionMonitoringManager, MonitoredRegion) -> Void)?
    var onExit: (() -> Void)?
    var onDetermine: (() -> Void)?
    var tellsStays = false
    var onStay: (() -> Void)?

    func manager(_ manager: RegionMonitoringManager, didEnter region: MonitoredRegion) {
      log.append("enter \(region.identifier)")
      onEnter?(manager, region)
    }
    func manager(_ manager: RegionMonitoringManager, didExit region: MonitoredRegion) {
      log.append("exit \(region.identifier)")
      onExit?()
    }
    func manager(
      _ manager: RegionMonitoringManager, didBeginStayIn region: MonitoredRegion,
      notification identifier: String
    ) {
      if tellsStays { log.append("stay \(region.identifier) \(identifier)") }
      onStay?()
    }
    func manager(
      _ manager: RegionMonitoringManager, didDetermineState state: RegionState, for region: MonitoredRegion
    ) {
      log.append("\(state) \(region.identifier)")
      onDetermine?()
    }
    func manager(_ manager: RegionMonitoringManager, didStartMonitoringFor region: MonitoredRegion) {
      log.append("start \(region.identifier)")
    }
    func manager(
      _ manager: RegionMonitoringManager, monitoringDidFailFor region: MonitoredRegion,
      withError error: RegionMonitoringError
    ) {
      log.append("fail \(region.identifier) \(error.code.rawValue)")
    }
    func manager(
      _ manager: RegionMonitoringManager, didReduceRadiusOf region: MonitoredRegion, to radius: Meters
    ) {
      log.append("reduce \(region.identifier) \(Int(radius))")
    }

    func takeLog() -> [String] {
      defer { log = [] }
      return log
    }
  }

  /// An app with one manager, for a while.
  private final class App {
    let clock: ManualClock
    let service: RegionMonitoringService
    let manager: RegionMonitoringManager
    let device = RecordingDevice()
    let spy = Spy()

    init(
      _ records: InMemoryRecords = InMemoryRecords(), clock: ManualClock = ManualClock(),
      environment: MonitorEnvironment = MonitorEnvironment(), listens: Bool = true
    ) throws {
      self.clock = clock
      service = try RegionMonitoringService(
        "classic", records: records, device: device, clock: clock,
        options: MonitorOptions(crossings: CrossingOptions(rule: .naive)), environment: environment)
      manager = RegionMonitoringManager(service)
      if listens { manager.delegate = spy }
    }

    func report(_ identifier: String, _ state: MonitoringState, _ diagnostics: Diagnostics = []) throws {
      clock.advance(by: .seconds(1))
      try service.receive(
        .slot(
          SlotReport(identifier: identifier, state: state, date: clock.now, diagnostics: diagnostics)))
    }

    func fix(_ coordinate: Coordinate) throws {
      clock.advance(by: .seconds(1))
      try service.receive(.fix(Fix(time: clock.now, coordinate: coordinate, horizontalAccuracy: 5)))
    }
  }

  private static let home = Coordinate(latitude: 48.2, longitude: 16.37)

  private static func north(_ distance: Double) -> Coordinate {
    Geodesic.uncheckedDirect(home, azimuth: 0, distance: distance).coordinate
  }
  private static func circle(_ identifier: String, north: Double = 0, radius: Double = 100)
    -> MonitoredRegion
  {
    MonitoredRegion(identifier: identifier, center: Self.north(north), radius: radius)
  }
  private static let beacon = MonitoredRegion(identifier: "b", beacon: BeaconPresenceTests.ones)

  // MARK: Transitions

  /// Every state before, every state after, with a time of not being watched in between or not, every choice
  /// of reports.
  @Test func theTableOfTransitions() throws {
    let states: [MonitoringState] = [.unknown, .satisfied, .unsatisfied]
    for before in states {
      for after in states.dropFirst() {
        for isInterrupted in [false, true] {
          for (onEntry, onExit) in [(true, true), (true, false), (false, true), (false, false)] {
            for var region in [
              Self.circle("r"), MonitoredRegion(identifier: "r", beacon: BeaconPresenceTests.any),
            ] {
              (region.notifyOnEntry, region.notifyOnExit) = (onEntry, onExit)
              let app = try App()
              app.manager.startMonitoring(for: region)
              if before != .unknown { try app.report("r", before) }
              #expect(app.spy.takeLog() == ["start r"])
              if isInterrupted {
                try app.report("r", .unmonitored, .conditionUnsupported)
                #expect(app.spy.takeLog() == ["fail r 5"])
              }
              try app.report("r", after)
              let expected: [String] =
                switch (before, after) {
                case (.unsatisfied, .satisfied) where onEntry: ["enter r", "inside r"]
                case (.satisfied, .unsatisfied) where onExit: ["exit r", "outside r"]
                default: []
                }
              #expect(
                app.spy.takeLog() == expected, "\(before) \(after) \(isInterrupted) \(onEntry) \(onExit)")
              app.manager.requestState(for: region)
              #expect(app.spy.takeLog() == [after == .satisfied ? "inside r" : "outside r"])
            }
          }
        }
      }
    }
  }

  @Test func fixesAndSightingsDrive() throws {
    let app = try App()
    app.manager.startMonitoring(for: Self.circle("near"))
    app.manager.startMonitoring(for: Self.circle("far", north: 1000))
    app.manager.startMonitoring(for: Self.beacon)
    try app.fix(Self.home)
    #expect(app.spy.takeLog() == ["start near", "start far", "start b"])
    try app.fix(Self.north(1000))
    #expect(app.spy.takeLog().sorted() == ["enter far", "exit near", "inside far", "outside near"])
    // Silence says that no beacon is there; then one comes, and goes.
    app.clock.advance(by: .seconds(40))
    app.service.timePassed()
    #expect(app.spy.takeLog() == [])
    var sighting = BeaconPresenceTests.sighting(1, 7, at: 0)
    sighting.time = app.clock.now
    try app.service.receive(.sighting(sighting))
    #expect(app.spy.takeLog() == ["enter b", "inside b"])
    #expect(app.service.nextDeadline == app.clock.now.advanced(by: .seconds(30)))
    app.clock.advance(by: .seconds(30))
    app.service.timePassed()
    #expect(app.spy.takeLog() == ["exit b", "outside b"])
    #expect(throws: MonitorError.self) {
      try app.service.receive(.fix(Fix(time: Timestamp(microseconds: 0), coordinate: Self.home)))
    }
  }

  // MARK: States on request

  @Test func statesAreTold() throws {
    let app = try App()
    let region = Self.circle("r")
    app.manager.requestState(for: region)
    #expect(app.spy.takeLog() == ["unknown r"])
    app.manager.startMonitoring(for: region)
    app.manager.requestState(for: region)
    #expect(app.spy.takeLog() == ["start r", "unknown r"])
    // Asked for, so the first determination is told, which is no crossing.
    try app.report("r", .satisfied)
    #expect(app.spy.takeLog() == ["inside r"])
    try app.report("r", .unsatisfied)
    #expect(app.spy.takeLog() == ["exit r", "outside r"])
    app.manager.stopMonitoring(for: region)
    app.manager.requestState(for: region)
    #expect(app.spy.takeLog() == ["unknown r"])
    try app.report("r", .satisfied)
    #expect(app.spy.takeLog() == [] && app.manager.monitoredRegions.isEmpty)
  }

  @Test func theDisplayTellsBeacons() throws {
    let app = try App()
    var wanting = MonitoredRegion(identifier: "wanting", beacon: BeaconPresenceTests.ones)
    wanting.notifyEntryStateOnDisplay = true
    var circle = Self.circle("circle")
    circle.notifyEntryStateOnDisplay = true
    for region in [wanting, circle, Self.beacon] {
      app.manager.startMonitoring(for: region)
      try app.report(region.identifier, .satisfied)
    }
    _ = app.spy.takeLog()
    app.service.displayTurnedOn()
    #expect(app.spy.takeLog() == ["inside wanting"])
    try app.report("wanting", .unsatisfied)
    _ = app.spy.takeLog()
    app.service.displayTurnedOn()
    #expect(app.spy.takeLog() == [])
  }

  /// The display pattern: no entries are wanted, and the user is told when the display is turned on.
  @Test func displayPattern() throws {
    let app = try App()
    app.spy.tellsStays = true
    var shop = MonitoredRegion(identifier: "shop", beacon: BeaconPresenceTests.ones)
    (shop.notifyOnEntry, shop.notifyEntryStateOnDisplay) = (false, true)
    app.manager.startMonitoring(for: shop)
    try app.report("shop", .unsatisfied)
    _ = app.spy.takeLog()
    try app.report("shop", .satisfied)
    #expect(app.spy.takeLog() == [])
    // Where nobody listens the stay is still to be told.
    app.manager.delegate = nil
    app.service.displayTurnedOn()
    app.manager.delegate = app.spy
    for log in [["inside shop", "stay shop classic.entry.2"], ["inside shop"], ["inside shop"]] {
      app.service.displayTurnedOn()
      #expect(app.spy.takeLog() == log)
    }
    try app.report("shop", .unsatisfied)
    #expect(app.spy.takeLog() == ["exit shop", "outside shop"])
    app.service.displayTurnedOn()
    #expect(app.spy.takeLog() == [])
    // Another stay, another notification.
    try app.report("shop", .satisfied)
    app.service.displayTurnedOn()
    app.service.displayTurnedOn()
    #expect(app.spy.takeLog() == ["inside shop", "stay shop classic.entry.4", "inside shop"])
  }

  // MARK: Starting

  @Test func twentyAndNoMore() throws {
    let app = try App()
    for i in 0..<20 { app.manager.startMonitoring(for: Self.circle("\(i)", north: Double(i) * 1000)) }
    #expect(app.spy.takeLog() == (0..<20).map { "start \($0)" } && app.service.limit == 20)
    app.manager.startMonitoring(for: Self.beacon)
    #expect(app.spy.takeLog() == ["fail b 5"])
    // In the place of another there is room.
    app.manager.startMonitoring(for: MonitoredRegion(identifier: "3", beacon: BeaconPresenceTests.ones))
    #expect(app.spy.takeLog() == ["start 3"])
    app.manager.stopMonitoring(for: Self.circle("4"))
    app.manager.startMonitoring(for: Self.beacon)
    #expect(app.spy.takeLog() == ["start b"] && app.manager.monitoredRegions.count == 20)
  }

  @Test func radiiAreReducedWithNotice() throws {
    let app = try App()
    app.manager.startMonitoring(for: Self.circle("huge", radius: 3e6))
    app.manager.startMonitoring(for: Self.circle("endless", radius: .infinity))
    app.manager.startMonitoring(for: Self.circle("largest", radius: 1e6))
    #expect(
      app.spy.takeLog() == [
        "reduce huge 1000000", "start huge", "reduce endless 1000000", "start endless", "start largest",
      ])
    #expect(app.manager.maximumRegionMonitoringDistance == 1e6)
    #expect(app.manager.monitoredRegions.contains(Self.circle("huge", radius: 1e6)))
    for radius in [-1.0, .nan, -.infinity] {
      app.manager.startMonitoring(for: Self.circle("bad", radius: radius))
      #expect(app.spy.takeLog() == ["fail bad 5"])
    }
    for latitude in [91.0, .nan] {
      let center = Coordinate(latitude: latitude, longitude: 0)
      app.manager.startMonitoring(for: MonitoredRegion(identifier: "huge", center: center, radius: 1))
      #expect(app.spy.takeLog() == ["fail huge 5"])
    }
    // What was there before a refusal is there after it.
    #expect(app.manager.monitoredRegions.count == 3)
  }

  @Test func replacingAndStartingAgain() throws {
    let app = try App()
    app.manager.startMonitoring(for: Self.circle("r"))
    try app.report("r", .unsatisfied)
    // Alike in all: goes on, and the entry is told.
    app.manager.startMonitoring(for: Self.circle("r"))
    try app.report("r", .satisfied)
    #expect(app.spy.takeLog() == ["start r", "start r", "enter r", "inside r"])
    // Another circle: its state at registration is not told.
    app.manager.startMonitoring(for: Self.circle("r", radius: 50))
    #expect(app.manager.monitoredRegions == [Self.circle("r", radius: 50)])
    try app.report("r", .unsatisfied)
    #expect(app.spy.takeLog() == ["start r"])
  }

  // MARK: What is allowed

  @Test func availability() throws {
    // What makes a start fail, and, apart from that, what the hardware can do.
    var table: [(String, (inout MonitorEnvironment) -> Void, Int, circles: Bool, beacons: Bool)] = []
    table.append(("denied", { $0.authorization = .denied }, 4, false, false))
    table.append(("globally", { $0.authorization = .deniedGlobally }, 1, false, false))
    table.append(("restricted", { $0.authorization = .restricted }, 4, false, false))
    table.append(("undetermined", { $0.authorization = .notDetermined }, 4, false, false))
    table.append(("reduced", { $0.hasFullAccuracy = false }, 4, false, false))
    table.append(("session", { $0.requiresServiceSession = true }, 4, false, false))
    table.append(("airplane", { $0.isAirplaneModeOn = true }, 5, false, true))
    table.append(("hardware", { $0.hasLocationHardware = false }, 5, false, true))
    table.append(("radio", { $0.isBluetoothOn = false }, 5, true, false))
    table.append(("no radio", { $0.hasBeaconHardware = false }, 5, true, false))
    for (name, change, code, circles, beacons) in table {
      var environment = MonitorEnvironment()
      change(&environment)
      let app = try App(environment: environment)
      for (region, isAvailable) in [(Self.circle("r"), circles), (Self.beacon, beacons)] {
        let kind = region.condition.kind
        let hasHardware = kind == .beacon ? environment.hasBeaconHardware : environment.hasLocationHardware
        #expect(app.manager.isMonitoringAvailable(for: kind) == hasHardware, "\(name)")
        #expect((app.manager.monitoringRefusal(for: kind) == nil) == isAvailable, "\(name)")
        app.manager.startMonitoring(for: region)
        let expected = isAvailable ? "start \(region.identifier)" : "fail \(region.identifier) \(code)"
        #expect(app.spy.takeLog() == [expected], "\(name)")
      }
      #expect(app.manager.authorization == environment.authorization)
    }
  }

  /// Without background refresh regions are watched as long as the app is in use, and fail when it no longer
  /// is.
  @Test func withoutBackgroundRefresh() throws {
    var environment = MonitorEnvironment()
    environment.allowsBackgroundRefresh = false
    let app = try App(environment: environment)
    #expect(app.manager.isMonitoringAvailable(for: .geographic) && !app.manager.isBackgroundRefreshAvailable)
    #expect(app.manager.monitoringRefusal(for: .geographic) == nil && app.manager.isRangingAvailable)
    app.manager.startMonitoring(for: Self.circle("r"))
    environment.isInUse = false
    try app.service.receive(.environment(environment))
    #expect(app.spy.takeLog() == ["start r", "fail r 4"])
    #expect(app.manager.monitoringRefusal(for: .geographic)?.diagnostics == .insufficientlyInUse)
  }

  /// A region that is known and not watched now is not said to be watched, in this process or the next.
  @Test func startingAgainWhileDenied() throws {
    let (records, clock) = (InMemoryRecords(), ManualClock())
    var denied = MonitorEnvironment()
    denied.authorization = .denied
    do {
      let app = try App(records, clock: clock)
      app.manager.startMonitoring(for: Self.circle("r"))
      try app.report("r", .unsatisfied)
      try app.service.receive(.environment(denied))
      #expect(app.spy.takeLog() == ["start r", "fail r 4"])
      app.manager.startMonitoring(for: Self.circle("r"))
      #expect(app.spy.takeLog() == ["fail r 4"])
    }
    let app = try App(records, clock: clock, environment: denied)
    app.manager.startMonitoring(for: Self.circle("r"))
    #expect(app.spy.takeLog() == ["fail r 4"] && app.manager.monitoredRegions == [Self.circle("r")])
    // It goes on when it may.
    try app.service.receive(.environment(MonitorEnvironment()))
    app.manager.startMonitoring(for: Self.circle("r"))
    try app.report("r", .satisfied)
    try app.report("r", .unsatisfied)
    #expect(app.spy.takeLog() == ["start r", "exit r", "outside r"])
  }

  /// Refused by the device itself, a region is not said to be started; the device is asked again, and an
  /// event tells when it watches.
  @Test func startingAgainWhileRefused() throws {
    let (records, clock) = (InMemoryRecords(), ManualClock())
    do {
      let app = try App(records, clock: clock)
      app.manager.startMonitoring(for: Self.circle("r"))
      try app.report("r", .unmonitored, .conditionUnsupported)
      #expect(app.spy.takeLog() == ["start r", "fail r 5"])
      _ = app.device.take()
      app.manager.startMonitoring(for: Self.circle("r"))
      #expect(app.spy.takeLog() == ["fail r 5"])
      #expect(app.device.take().count { if case .register = $0 { true } else { false } } == 1)
      try app.report("r", .unmonitored, .conditionUnsupported)
      #expect(app.spy.takeLog() == ["fail r 5"])
    }
    // In another process the device's answer comes after the start, as a phone's does.
    let app = try App(records, clock: clock)
    app.manager.startMonitoring(for: Self.circle("r"))
    try app.report("r", .unmonitored, .conditionUnsupported)
    #expect(app.spy.takeLog() == ["start r", "fail r 5"])
    try app.report("r", .unsatisfied)
    app.manager.startMonitoring(for: Self.circle("r"))
    try app.report("r", .satisfied)
    #expect(app.spy.takeLog() == ["start r", "enter r", "inside r"])
  }

  /// What was determined before is not the answer while a region is not watched, nor until it is determined
  /// again.
  @Test func noStateWhileNotWatched() throws {
    let app = try App()
    var wanting = MonitoredRegion(identifier: "b", beacon: BeaconPresenceTests.ones)
    wanting.notifyEntryStateOnDisplay = true
    app.manager.startMonitoring(for: wanting)
    try app.report("b", .satisfied)
    var denied = MonitorEnvironment()
    denied.authorization = .denied
    try app.service.receive(.environment(denied))
    _ = app.spy.takeLog()
    app.manager.requestState(for: wanting)
    app.service.displayTurnedOn()
    #expect(app.spy.takeLog() == ["unknown b"])
    try app.service.receive(.environment(MonitorEnvironment()))
    app.service.displayTurnedOn()
    #expect(app.spy.takeLog() == [])
    // Determined again: those who asked are answered.
    try app.report("b", .satisfied)
    #expect(app.spy.takeLog() == ["inside b"])
    app.manager.requestState(for: wanting)
    #expect(app.spy.takeLog() == ["inside b"])
  }

  // MARK: Once for a stay

  /// One notification for each stay, under one identifier: over times of not being watched, over processes,
  /// and over a process that ends while it tells.
  @Test func onceForAStay() throws {
    let (records, clock) = (InMemoryRecords(), ManualClock())
    var left: StoredMonitor?
    do {
      let app = try App(records, clock: clock)
      app.spy.tellsStays = true
      app.manager.startMonitoring(for: Self.circle("r"))
      // Inside at registration: no entry, and none after a time of not being watched.
      try app.report("r", .satisfied)
      try app.report("r", .unmonitored, .conditionUnsupported)
      try app.report("r", .satisfied)
      #expect(app.spy.takeLog() == ["start r", "fail r 5"])
      try app.report("r", .unsatisfied)
      app.spy.onStay = { left = records.stored("classic") }
      try app.report("r", .satisfied)
      #expect(app.spy.takeLog() == ["exit r", "outside r", "enter r", "inside r", "stay r classic.entry.5"])
      try app.report("r", .unmonitored, .conditionUnsupported)
      try app.report("r", .satisfied)
      #expect(app.spy.takeLog() == ["fail r 5"])
    }
    do {
      let app = try App(records, clock: clock)
      app.spy.tellsStays = true
      try app.report("r", .satisfied)
      try app.report("r", .unsatisfied)
      try app.report("r", .satisfied)
      #expect(
        app.spy.takeLog() == ["exit r", "outside r", "enter r", "inside r", "stay r classic.entry.9"])
    }
    // A process that ends while it tells: told again under the same identifier.
    let again = InMemoryRecords()
    let store = try again.open("classic")
    try store.commit([.replaceAll(try #require(left))])
    store.close()
    let app = try App(again, clock: clock, listens: false)
    app.spy.tellsStays = true
    app.manager.delegate = app.spy
    #expect(app.spy.takeLog() == ["enter r", "inside r", "stay r classic.entry.5"])
  }

  @Test func leaveWithdrawnAndGivenAgain() throws {
    let app = try App()
    app.manager.startMonitoring(for: Self.circle("r"))
    try app.fix(Self.home)
    var denied = MonitorEnvironment()
    denied.authorization = .denied
    try app.service.receive(.environment(denied))
    #expect(app.spy.takeLog() == ["start r", "fail r 4"])
    #expect(app.manager.monitoredRegions.count == 1)
    try app.service.receive(.environment(MonitorEnvironment()))
    // Left meanwhile: that is a crossing.
    try app.fix(Self.north(500))
    try app.fix(Self.north(501))
    #expect(app.spy.takeLog() == ["exit r", "outside r"])
  }

  // MARK: Managers and processes

  @Test func everyDelegateIsTold() throws {
    let app = try App()
    let (second, spy) = (RegionMonitoringManager(app.service), Spy())
    second.delegate = spy
    app.manager.startMonitoring(for: Self.circle("r"))
    second.startMonitoring(for: Self.beacon)
    #expect(app.manager.monitoredRegions == second.monitoredRegions && second.monitoredRegions.count == 2)
    try app.report("r", .unsatisfied)
    try app.report("r", .satisfied)
    let expected = ["start r", "start b", "enter r", "inside r"]
    #expect(app.spy.takeLog() == expected && spy.takeLog() == expected)
    // A state is told to who asked.
    second.requestState(for: Self.circle("r"))
    #expect(app.spy.takeLog() == [] && spy.takeLog() == ["inside r"])
    second.delegate = nil
    try app.report("r", .unsatisfied)
    #expect(app.spy.takeLog() == ["exit r", "outside r"] && spy.takeLog() == [])
  }

  @Test func delegatesMayCallBack() throws {
    let app = try App()
    for name in ["a", "c"] { app.manager.startMonitoring(for: Self.circle(name)) }
    try app.fix(Self.north(900))
    _ = app.spy.takeLog()
    // On the first entry everything is stopped, another is started and fed.
    app.spy.onEnter = { [unowned app] manager, region in
      manager.stopMonitoring(for: Self.circle("a"))
      manager.stopMonitoring(for: Self.circle("c"))
      manager.startMonitoring(for: Self.circle("new"))
      try? app.fix(Self.north(900))
      try? app.fix(Self.home)
      app.spy.onEnter = nil
    }
    try app.fix(Self.home)
    #expect(app.spy.takeLog() == ["enter a", "start new", "inside a", "enter new", "inside new"])
    #expect(app.manager.monitoredRegions.map(\.identifier) == ["new"])
  }

  @Test func regionsOutliveTheProcess() throws {
    let (records, clock) = (InMemoryRecords(), ManualClock())
    do {
      let app = try App(records, clock: clock)
      app.manager.startMonitoring(for: Self.circle("r"))
      try app.report("r", .unsatisfied)
      #expect(throws: MonitorError.store(.alreadyOpen(name: "classic"))) {
        _ = try App(records, clock: clock)
      }
    }
    // Launched by the entry: it waits for a manager with a delegate, and is told once.
    do {
      let app = try App(records, clock: clock, listens: false)
      try app.report("r", .satisfied)
      #expect(records.stored("classic").events.count == 1)
    }
    let app = try App(records, clock: clock, listens: false)
    #expect(app.manager.monitoredRegions == [Self.circle("r")])
    app.manager.startMonitoring(for: Self.circle("r"))
    app.manager.delegate = app.spy
    #expect(app.spy.takeLog() == ["enter r", "inside r"])
    #expect(records.stored("classic").events.isEmpty)
    app.service.close()
    app.manager.startMonitoring(for: Self.beacon)
    app.manager.stopMonitoring(for: Self.circle("r"))
    #expect(throws: MonitorError.closed) { try app.fix(Self.home) }
    #expect(app.spy.takeLog() == [] && app.service.nextDeadline == nil)
    // The next process knows where the device was.
    let last = try App(records, clock: clock)
    last.manager.requestState(for: Self.circle("r"))
    try last.report("r", .unsatisfied)
    #expect(last.spy.takeLog() == ["inside r", "exit r", "outside r"])
  }

  @Test func aProcessThatEndsWhileItTellsTellsAgain() throws {
    let (records, clock) = (InMemoryRecords(), ManualClock())
    let app = try App(records, clock: clock)
    app.manager.startMonitoring(for: Self.circle("r"))
    try app.report("r", .unsatisfied)
    // What the store holds when the delegate is called is what a process killed there leaves.
    var left: StoredMonitor?
    app.spy.onEnter = { _, _ in left = records.stored("classic") }
    try app.report("r", .satisfied)
    let again = InMemoryRecords()
    let store = try again.open("classic")
    try store.commit([.replaceAll(try #require(left))])
    store.close()
    #expect(try App(again, clock: clock).spy.takeLog() == ["enter r", "inside r"])
    #expect(try App(again, clock: clock).spy.takeLog() == [])
  }

  @Test func withoutRoomOnTheDisk() throws {
    let (records, clock) = (UnreliableRecords(), ManualClock())
    let service = try RegionMonitoringService("classic", records: records, clock: clock)
    let (manager, spy) = (RegionMonitoringManager(service), Spy())
    manager.delegate = spy
    records.fail("full")
    manager.startMonitoring(for: Self.circle("r"))
    #expect(service.storeError == .unavailable(reason: "full") && spy.takeLog() == ["start r"])
    #expect(service.nextDeadline == clock.now.advanced(by: .seconds(10)))
    #expect(records.base.stored("classic").conditions.isEmpty)
    records.fail(nil)
    clock.advance(by: .seconds(10))
    service.timePassed()
    #expect(service.storeError == nil)
    #expect(records.base.stored("classic").conditions.keys.sorted() == ["r"])
  }

  @Test func theErrorsAreCoreLocations() {
    #expect(RegionMonitoringError.Code.allCases.map(\.rawValue) == [1, 4, 5])
    #expect(RegionState.allCases.map(\.rawValue) == [0, 1, 2])
    let codes: [(Diagnostics, RegionMonitoringError.Code)] = [
      (.authorizationDenied, .regionMonitoringDenied), (.authorizationDeniedGlobally, .denied),
      (.authorizationRestricted, .regionMonitoringDenied), (.insufficientlyInUse, .regionMonitoringDenied),
      (.accuracyLimited, .regionMonitoringDenied), (.conditionUnsupported, .regionMonitoringFailure),
      (.conditionLimitExceeded, .regionMonitoringFailure),
      (.persistenceUnavailable, .regionMonitoringFailure),
      (.serviceSessionRequired, .regionMonitoringDenied),
      (.authorizationRequestInProgress, .regionMonitoringDenied),
    ]
    // An inferred event is no error.
    #expect(codes.count == Diagnostics.names.count - 1)
    for (diagnostics, code) in codes { #expect(RegionMonitoringError(diagnostics).code == code) }
  }

  @Test func runTakesInputsUntilTheyEnd() async throws {
    let app = try App()
    app.manager.startMonitoring(for: Self.circle("r"))
    let base = app.clock.now.microseconds
    let fixes = [900.0, 0, 901, -1].enumerated().map { i, north in
      MonitorInput.fix(
        Fix(
          time: Timestamp(microseconds: north < 0 ? 0 : base + Int64(i) * 1_000_000),
          coordinate: Self.north(north), horizontalAccuracy: 5))
    }
    let (inputs, continuation) = AsyncStream.makeStream(of: MonitorInput.self)
    for fix in fixes { continuation.yield(fix) }
    continuation.finish()
    var refused = 0
    try await app.service.run(inputs) { _ in refused += 1 }
    #expect(app.spy.takeLog() == ["start r", "enter r", "inside r", "exit r", "outside r"])
    #expect(refused == 1)
  }

  @Test func runLetsTimePass() async throws {
    let app = try App()
    app.manager.startMonitoring(for: Self.beacon)
    let (inputs, continuation) = AsyncStream.makeStream(of: MonitorInput.self)
    var sighting = BeaconPresenceTests.sighting(1, 7, at: 0)
    sighting.time = app.clock.now.advanced(by: .seconds(-1))
    continuation.yield(.sighting(sighting))
    let clock = app.clock
    app.spy.onExit = { continuation.finish() }
    app.manager.requestState(for: Self.beacon)
    // The exit is seen by nothing but time.
    app.spy.onDetermine = { clock.advance(by: .seconds(60)) }
    try await app.service.run(inputs)
    #expect(app.spy.takeLog() == ["start b", "unknown b", "inside b", "exit b", "outside b"])
  }

  /// A phone tells of slots and not of sightings: that nothing is sighted proves nothing then.
  @Test func silenceDoesNotContradictTheDevice() throws {
    let app = try App()
    app.manager.startMonitoring(for: Self.beacon)
    try app.report("b", .unsatisfied)
    try app.report("b", .satisfied)
    app.clock.advance(by: .seconds(1000))
    app.service.timePassed()
    #expect(app.spy.takeLog() == ["start b", "enter b", "inside b"])
    // Another of the same identity does not know better.
    app.manager.startMonitoring(for: MonitoredRegion(identifier: "c", beacon: BeaconPresenceTests.ones))
    try app.report("c", .satisfied)
    try app.report("b", .unsatisfied)
    #expect(app.spy.takeLog() == ["start c", "exit b", "outside b"])
  }
}
