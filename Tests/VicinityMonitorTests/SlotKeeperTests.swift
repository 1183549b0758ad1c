import Synchronization
import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityPolygon
import VicinityTestSupport

@testable import VicinityCrossings
@testable import VicinityMonitor

/// What phones have been seen to do with an app's slots, replayed: the keeper's turns on a phone that a
/// script drives, and the monitor's events.
@Suite("Slots on a phone")
struct SlotKeeperTests {
  static let start = Timestamp(microseconds: 1_700_000_000_000_000)

  static func time(_ seconds: Int) -> Timestamp { start.advanced(by: .seconds(seconds)) }

  static func report(_ identifier: String, _ state: MonitoringState, at seconds: Int) -> SlotReport {
    SlotReport(identifier: identifier, state: state, date: time(seconds))
  }

  /// A phone with an app. What is stored, and what the phone monitors, outlives processes.
  final class Phone {
    let records = InMemoryRecords()
    let device = RecordingDevice()
    let clock = ManualClock(SlotKeeperTests.start)
    var monitored: [String: MonitoredRegion.Area] = [:]
    /// The app's own slots.
    var others = 0
    /// What of an addition is lost.
    var loses: (String) -> Bool = { _ in false }
    var turns: [SlotKeeper.Turn] = []
    var told: [String] = []
    private(set) var fixRequests = 0
    private var questions: [String] = []
    private var process: Process?

    /// What ends with the process.
    private final class Process {
      var engine: MonitorEngine
      var keeper = SlotKeeper(maximumRadius: 1000, capacity: 20)
      init(_ engine: consuming MonitorEngine) { self.engine = engine }
    }

    var keeper: SlotKeeper? { process?.keeper }

    /// Starts the app.
    ///
    /// - Parameter early: What the phone delivers before the app has asked for anything.
    func launch(early: [SlotReport] = [], at seconds: Int) throws {
      process = nil
      clock.set(SlotKeeperTests.time(seconds))
      let process = Process(
        try MonitorEngine("app", records, device, clock, MonitorOptions(), MonitorEnvironment()))
      self.process = process
      for report in early { process.keeper.handle(report) }
      // The first call, with what is stored loaded.
      process.engine.perform()
      obey()
      process.keeper.open(monitored: monitored.keys, at: clock.now)
      settle()
    }

    /// Whose states have been asked for since this was last taken.
    func takeQuestions() -> [String] {
      defer { questions = [] }
      return questions.sorted()
    }

    /// The process ends without notice.
    func end() { process = nil }

    func add(
      _ condition: Condition, _ identifier: String, options: ConditionOptions = ConditionOptions()
    ) throws {
      try process?.engine.add([NewCondition(condition, identifier: identifier, options: options)])
      process?.engine.perform()
      settle()
    }

    func remove(_ identifier: String) throws {
      try process?.engine.remove(identifier)
      process?.engine.perform()
      settle()
    }

    func report(_ identifier: String, _ state: MonitoringState, at seconds: Int) {
      process?.keeper.handle(SlotKeeperTests.report(identifier, state, at: seconds))
      settle()
    }

    func fix(_ east: Meters, at seconds: Int) throws {
      clock.set(SlotKeeperTests.time(seconds))
      try process?.engine.receive(
        .fix(
          Fix(
            time: SlotKeeperTests.time(seconds), coordinate: MonitorSample.east(east), horizontalAccuracy: 5))
      )
      process?.engine.perform()
      settle()
    }

    func change(_ body: (inout SlotKeeper) -> Void) {
      guard let process else { return }
      body(&process.keeper)
      settle()
    }

    private func obey() {
      for command in device.take() {
        if case .requestFix = command { fixRequests += 1 }
        process?.keeper.perform(command, at: clock.now)
      }
    }

    /// Everything that is to be asked and told, until nothing is left.
    private func settle() {
      guard let process else { return }
      var isOpen = true
      while isOpen {
        isOpen = false
        obey()
        for input in process.keeper.takeInputs() {
          isOpen = true
          do { try process.engine.receive(input) } catch { Issue.record(error) }
          process.engine.perform()
        }
        obey()
        if let turn = process.keeper.nextTurn(monitored: monitored, others: others, at: clock.now) {
          isOpen = true
          turns.append(turn)
          switch turn {
          case .remove(let identifiers): for name in identifiers { monitored[name] = nil }
          case .add(let additions):
            // Under a live identifier what is added is ignored.
            for addition in additions
            where monitored[addition.identifier] == nil && !loses(addition.identifier) {
              monitored[addition.identifier] = addition.area
            }
          }
          let used = monitored.count + others
          #expect(used <= 20, "\(used) slots")
        }
        for input in process.keeper.takeInputs() {
          isOpen = true
          do { try process.engine.receive(input) } catch { Issue.record(error) }
          process.engine.perform()
        }
        questions += process.keeper.takeQuestions()
        while let event = process.engine.machine.journal.nextEvent() {
          told.append("\(event.identifier) \(event.state)")
          process.engine.machine.journal.handled()
          process.engine.perform()
        }
      }
    }
  }

  /// A phone whose app watches "home" at 0 m and "work" at 5000 m, and is at neither, 2000 m to the east.
  static func phone() throws -> Phone {
    let phone = Phone()
    try phone.launch(at: 0)
    try phone.add(MonitorSample.circle(), "home")
    try phone.add(MonitorSample.circle(5000), "work")
    phone.report("home", .unsatisfied, at: 1)
    phone.report("work", .unsatisfied, at: 1)
    #expect(Set(phone.monitored.keys) == ["home", "work"])
    #expect(phone.told == ["home unsatisfied", "work unsatisfied"])
    phone.told = []
    return phone
  }

  // MARK: Reported faults

  @Test(
    "Forums 812111: an entry is withheld until the app is in front; the position at launch tells of it, once")
  func entriesWithheld() throws {
    let phone = try Self.phone()
    phone.end()
    // In the background; of the entry into home at 100 nothing is said.
    let before = phone.fixRequests
    try phone.launch(at: 120)
    #expect(phone.fixRequests == before + 1)
    #expect(phone.told == [])
    try phone.fix(0, at: 125)
    #expect(phone.told == ["home satisfied"])
    // In front: here it is.
    phone.report("home", .satisfied, at: 100)
    #expect(phone.told == ["home satisfied"])
    phone.report("home", .unsatisfied, at: 300)
    #expect(phone.told == ["home satisfied", "home unsatisfied"])
  }

  @Test(
    "Issue 1645: an event that comes before the app has asked for anything is told when its region is known")
  func eventsBeforeTheAppAsks() throws {
    let phone = try Self.phone()
    phone.end()
    try phone.launch(early: [Self.report("home", .satisfied, at: 99)], at: 100)
    #expect(phone.told == ["home satisfied"])
    // What nobody knows is dropped, and what has been removed stays so.
    try phone.remove("home")
    phone.report("home", .unsatisfied, at: 110)
    phone.report("nobody", .satisfied, at: 110)
    #expect(phone.told == ["home satisfied"])
  }

  @Test("Issue 1645: a device is called first when the store is loaded, also with nothing to do")
  func firstCall() throws {
    final class Counting: MonitoringDevice {
      private let calls = Mutex<[[DeviceCommand]]>([])
      var batches: [[DeviceCommand]] { calls.withLock { $0 } }
      func perform(_ commands: [DeviceCommand]) { calls.withLock { $0.append(commands) } }
    }
    let device = Counting()
    let clock = ManualClock()
    var engine = try MonitorEngine(
      "app", InMemoryRecords(), device, clock, MonitorOptions(), MonitorEnvironment())
    #expect(device.batches == [])
    engine.perform()
    #expect(device.batches == [[]])
    engine.perform()
    #expect(device.batches == [[]])
  }

  @Test("Forums 826964: not relaunched after a force-quit, the app finds out at the next launch where it is")
  func notRelaunched() throws {
    let phone = try Self.phone()
    phone.report("home", .satisfied, at: 50)
    phone.end()
    // Out of home at 100, into work at 500; no process ever runs. The phone remembers what it has told.
    try phone.launch(at: 5000)
    phone.report("home", .satisfied, at: 50)
    phone.report("work", .unsatisfied, at: 1)
    try phone.fix(5000, at: 5010)
    #expect(phone.told == ["home satisfied", "home unsatisfied", "work satisfied"])
    // Again, and now what the phone remembers is older than what is known.
    phone.end()
    try phone.launch(at: 6000)
    phone.report("home", .satisfied, at: 50)
    phone.report("work", .unsatisfied, at: 1)
    #expect(phone.told.count == 3)
  }

  @Test("Additions that a phone loses are asked for again, in turns of their own")
  func lostAdditions() throws {
    for seed in 1...50 as ClosedRange<UInt64> {
      var random = SplitMix64(seed: seed)
      let phone = Phone()
      var losses = 0
      phone.loses = { _ in
        // Never more often in a row than there are attempts.
        let isLost = random.next() % 17 < 3 && losses < SlotKeeper.attempts - 1
        losses = isLost ? losses + 1 : 0
        return isLost
      }
      try phone.launch(at: 0)
      for i in 0..<15 { try phone.add(MonitorSample.circle(Double(1000 * i)), "r\(i)") }
      for i in 0..<10 { try phone.remove("r\(i)") }
      for i in 15..<25 { try phone.add(MonitorSample.circle(Double(1000 * i)), "r\(i)") }
      #expect(Set(phone.monitored.keys) == Set((10..<25).map { "r\($0)" }), "seed \(seed)")
      #expect(!phone.told.contains { $0.hasSuffix("unmonitored") })
    }
  }

  @Test(
    "What a phone never monitors is said not to be monitored, and asked for again when something has changed")
  func refused() throws {
    let phone = Phone()
    phone.loses = { $0 == "home" }
    try phone.launch(at: 0)
    try phone.add(MonitorSample.circle(), "home")
    #expect(phone.told == ["home unmonitored"])
    #expect(phone.turns.count == SlotKeeper.attempts)
    phone.loses = { _ in false }
    phone.change { _ in }
    #expect(phone.monitored.isEmpty)
    phone.change { $0.retry() }
    #expect(Array(phone.monitored.keys) == ["home"])
    phone.report("home", .satisfied, at: 100)
    #expect(phone.told == ["home unmonitored", "home satisfied"])
    // By the phone's own word.
    phone.report("home", .unmonitored, at: 200)
    phone.monitored = [:]
    phone.change { _ in }
    #expect(phone.monitored.isEmpty)
    phone.change { $0.retry() }
    #expect(Array(phone.monitored.keys) == ["home"])
  }

  @Test("What a phone has lost too often is asked for again a while later, also by a clock that was set back")
  func refusedForAWhile() throws {
    let phone = Phone()
    phone.loses = { $0 == "home" }
    try phone.launch(at: 0)
    try phone.add(MonitorSample.circle(), "home")
    #expect(phone.turns.count == SlotKeeper.attempts)
    func retry(at seconds: Int) -> Bool {
      var isDue = false
      phone.change { isDue = $0.retry(after: SlotKeeper.repetitionTime, at: Self.time(seconds)) }
      return isDue
    }
    #expect(!retry(at: 599))
    #expect(phone.turns.count == SlotKeeper.attempts)
    #expect(retry(at: 600))
    #expect(phone.turns.count == 2 * SlotKeeper.attempts)
    #expect(phone.told == ["home unmonitored"], "once")
    phone.loses = { _ in false }
    #expect(retry(at: -3600))
    #expect(Array(phone.monitored.keys) == ["home"])
    #expect(!retry(at: 9999), "nothing is refused")
  }

  @Test(
    "Forums 806783: of two services that disagree the later word counts, and the same word twice is one event"
  )
  func twoServicesDisagree() throws {
    let phone = try Self.phone()
    phone.report("home", .satisfied, at: 100)
    phone.report("home", .satisfied, at: 101)
    #expect(phone.told == ["home satisfied"])
    phone.end()
    // One has told of the exit since; the other remembers the entry.
    try phone.launch(early: [Self.report("home", .unsatisfied, at: 150)], at: 160)
    phone.report("home", .satisfied, at: 100)
    #expect(phone.told == ["home satisfied", "home unsatisfied"])
    // A new determination counts.
    phone.report("home", .satisfied, at: 170)
    #expect(phone.told.last == "home satisfied")
  }

  // MARK: Turns

  @Test("What an earlier process left is kept where it is wanted, asked about, and otherwise removed")
  func leftovers() throws {
    let phone = try Self.phone()
    phone.end()
    phone.monitored["gone"] = MonitoredRegion.Area.circle(center: MonitorSample.vienna, radius: 5)
    phone.turns = []
    #expect(phone.takeQuestions() == ["home", "work"])
    try phone.launch(at: 100)
    #expect(phone.turns == [.remove(["gone"])])
    #expect(phone.takeQuestions() == ["home", "work"])
    #expect(phone.told == [])
  }

  @Test("Another condition under a live identifier goes in after the first is out")
  func replaced() throws {
    let phone = try Self.phone()
    phone.turns = []
    try phone.add(MonitorSample.circle(100), "home")
    let target = MonitoredRegion.Area.circle(center: MonitorSample.east(100), radius: 100)
    #expect(
      phone.turns == [.remove(["home"]), .add([MonitoredRegion(identifier: "home", area: target)])])
    #expect(phone.monitored["home"] == target)
  }

  @Test(
    "Additions come first while there is room, removals otherwise; the app's own slots and the monitor's limit count"
  )
  func room() throws {
    func turns(others: Int, limit: Int? = nil) throws -> [String] {
      var keeper = SlotKeeper(maximumRadius: 1000, capacity: 20)
      if let limit { keeper.limit = limit }
      keeper.open(monitored: [], at: Self.start)
      var monitored: [String: MonitoredRegion.Area] = [:]
      for i in 0..<4 {
        monitored["old\(i)"] = .circle(center: MonitorSample.vienna, radius: 10)
        keeper.perform(.unregister(identifier: "old\(i)"), at: Self.start)
        keeper.perform(
          .register(Slot(identifier: "new\(i)", condition: MonitorSample.circle())), at: Self.start)
      }
      var turns: [String] = []
      while let turn = keeper.nextTurn(monitored: monitored, others: others, at: Self.start) {
        switch turn {
        case .add(let additions):
          turns.append("+\(additions.count)")
          for addition in additions { monitored[addition.identifier] = addition.area }
        case .remove(let identifiers):
          turns.append("-\(identifiers.count)")
          for identifier in identifiers { monitored[identifier] = nil }
        }
        #expect(monitored.count + others <= 20 && monitored.count <= limit ?? 20)
      }
      return turns
    }
    #expect(try turns(others: 0) == ["+4", "-4"])
    #expect(try turns(others: 14) == ["+2", "-4", "+2"])
    #expect(try turns(others: 16) == ["-4", "+4"])
    #expect(try turns(others: 0, limit: 8) == ["+4", "-4"])
    #expect(try turns(others: 10, limit: 6) == ["+2", "-4", "+2"])
    #expect(try turns(others: 14, limit: 4) == ["-4", "+4"])
  }

  @Test("A removal that a phone does not obey does not keep the rest from its turn")
  func stubborn() {
    var keeper = SlotKeeper(maximumRadius: 1000, capacity: 20)
    keeper.open(monitored: ["a"], at: Self.start)
    keeper.perform(.unregister(identifier: "a"), at: Self.start)
    let monitored: [String: MonitoredRegion.Area] = ["a": .circle(center: MonitorSample.vienna, radius: 10)]
    for _ in 0..<SlotKeeper.attempts {
      #expect(keeper.nextTurn(monitored: monitored, at: Self.start) == .remove(["a"]))
    }
    #expect(keeper.nextTurn(monitored: monitored, at: Self.start) == nil)
  }

  @Test("Of a polygon that an earlier process left, being in the circle around it proves nothing")
  func adoptedPolygon() throws {
    let phone = Phone()
    try phone.launch(at: 0)
    let corners = [(-100.0, 0.0), (100, 0), (100, 50), (-100, 50)].map { east, north in
      Coordinate(
        latitude: MonitorSample.vienna.latitude + north / 111_000,
        longitude: MonitorSample.east(east).longitude)
    }
    try phone.add(.polygon(Polygon(exterior: corners)), "park")
    // Too many for the slots, so that nothing is asked for at a launch before there is a position: the phone
    // has what it had.
    for i in 1..<30 { try phone.add(MonitorSample.circle(Double(1000 * i)), "r\(i)") }
    try phone.fix(-500, at: 1)
    phone.report("park", .unsatisfied, at: 2)
    phone.end()
    let (told, monitored) = (phone.told, phone.monitored.count)
    #expect(told.contains("park unsatisfied") && monitored == 20)
    try phone.launch(at: 100)
    #expect(phone.monitored.count == monitored)
    phone.report("park", .satisfied, at: 101)
    #expect(phone.keeper?.needsFixes == true)
    #expect(phone.told == told)
    phone.report("park", .unsatisfied, at: 102)
    #expect(phone.keeper?.needsFixes == false)
  }

  @Test(
    "A region beyond what the phone watches is said to be unsupported; a sentinel that was left stays as it is"
  )
  func targets() {
    var keeper = SlotKeeper(maximumRadius: 0, capacity: 20)
    keeper.perform(.register(Slot(identifier: "a", condition: MonitorSample.circle())), at: Self.start)
    #expect(
      keeper.takeInputs() == [
        .slot(
          SlotReport(
            identifier: "a", state: .unmonitored, date: Self.start, diagnostics: .conditionUnsupported))
      ])
    var other = SlotKeeper(maximumRadius: 1000, capacity: 20)
    let sentinel = Slot(
      identifier: "s-a", condition: .circle(center: MonitorSample.vienna, radius: 0), isSentinel: true)
    other.open(monitored: ["s-a"], at: Self.start)
    other.perform(.adopt(sentinel), at: Self.start)
    #expect(
      other.nextTurn(monitored: ["s-a": .circle(center: MonitorSample.vienna, radius: 500)], at: Self.start)
        == nil)
    _ = other.takeInputs()
    other.handle(Self.report("s-a", .unsatisfied, at: -5))
    var expected = Self.report("s-a", .unsatisfied, at: -5)
    expected.isRecalled = true
    #expect(other.takeInputs() == [.slot(expected)])
  }

  @Test("The error of a region says why it is not monitored; an answer that is late is none")
  func errors() {
    func diagnostics(_ code: Int, _ count: Int = 3, of capacity: Int = 20) -> Diagnostics? {
      Diagnostics(regionMonitoringError: code, monitoredCount: count, capacity: capacity)
    }
    #expect(diagnostics(6) == nil && diagnostics(7) == nil)
    #expect(diagnostics(1) == .authorizationDeniedGlobally && diagnostics(4) == .authorizationDenied)
    #expect(diagnostics(5) == .conditionUnsupported && diagnostics(0) == .conditionUnsupported)
    #expect(diagnostics(5, 20) == .conditionLimitExceeded)
    #expect(diagnostics(5, 20, of: 100) == .conditionUnsupported)
    #expect(diagnostics(5, 100, of: 100) == .conditionLimitExceeded)
  }

  @Test("The wish to be told when the display is turned on reaches the phone")
  func display() throws {
    let phone = Phone()
    try phone.launch(at: 0)
    try phone.add(.beacon(BeaconPresenceTests.ones), "plain")
    try phone.add(
      .beacon(BeaconPresenceTests.ones), "lit", options: ConditionOptions(notifyEntryStateOnDisplay: true))
    let wishes = phone.turns.flatMap { turn -> [Bool] in
      if case .add(let additions) = turn { additions.map(\.notifyEntryStateOnDisplay) } else { [] }
    }
    #expect(wishes == [false, true])
  }

  @Test("A wish that changes reaches the phone: the slot goes, and comes back with it")
  func displayWishChanges() throws {
    let phone = Phone()
    try phone.launch(at: 0)
    func lit(_ wish: Bool) throws {
      try phone.add(
        .beacon(BeaconPresenceTests.ones), "door", options: ConditionOptions(notifyEntryStateOnDisplay: wish))
    }
    for wish in [false, true, true, false] { try lit(wish) }
    let turns = phone.turns.map { turn in
      switch turn {
      case .add(let additions): additions.map { "\($0.identifier) \($0.notifyEntryStateOnDisplay)" }
      case .remove(let identifiers): identifiers.map { "- \($0)" }
      }
    }
    #expect(turns == [["door false"], ["- door"], ["door true"], ["- door"], ["door false"]])
  }

  @Test(
    "Unwanted entries and exits do not reach the app; what it wants is told, with what must have come before")
  func unwantedEntries() throws {
    let phone = Phone()
    try phone.launch(at: 0)
    try phone.add(MonitorSample.circle(), "out", options: ConditionOptions(notifyOnEntry: false))
    try phone.add(MonitorSample.circle(), "in", options: ConditionOptions(notifyOnExit: false))
    // A dwell needs all; so does what the phone watches in part.
    try phone.add(
      MonitorSample.circle(), "dwelling",
      options: ConditionOptions(notifyOnEntry: false, dwell: .seconds(60)))
    try phone.add(
      MonitorSample.circle(radius: 5000), "large", options: ConditionOptions(notifyOnEntry: false))
    let wishes = phone.turns.flatMap { turn -> [String] in
      guard case .add(let additions) = turn else { return [] }
      return additions.map { "\($0.identifier) \($0.notifyOnEntry) \($0.notifyOnExit)" }
    }
    #expect(wishes == ["out false true", "in true false", "dwelling true true", "large true true"])
    for identifier in ["out", "in"] { phone.report(identifier, .unsatisfied, at: 1) }
    phone.told = []
    phone.change { $0.handle(crossing: Self.report("out", .unsatisfied, at: 10)) }
    #expect(phone.told == ["out satisfied", "out unsatisfied"])
    phone.told = []
    for second in [20, 30] { phone.change { $0.handle(crossing: Self.report("in", .satisfied, at: second)) } }
    #expect(phone.told == ["in satisfied", "in unsatisfied", "in satisfied"])
    // An answer to a question is no crossing.
    phone.told = []
    phone.report("out", .unsatisfied, at: 40)
    #expect(phone.told == [])
  }

  // MARK: What is allowed

  @Test(
    "What a session reports suspends conditions; what a source of positions reports does where it is about permission"
  )
  func reportedDiagnostics() {
    for (diagnostics, name) in Diagnostics.names {
      var environment = MonitorEnvironment()
      environment.reported[.serviceSession] = diagnostics
      #expect(environment.diagnostics(for: .geographic) == diagnostics, "\(name)")
      #expect(environment.isMonitoringAvailable(for: .geographic))
      let isPermission = name.hasPrefix("authorization") || name == "accuracyLimited"
      for source in [DiagnosticsSource.backgroundActivity, .locationUpdates] {
        environment.reported = [source: diagnostics]
        #expect(environment.diagnostics(for: .beacon) == (isPermission ? diagnostics : []), "\(name)")
      }
    }
  }
}

extension SlotKeeperTests {
  @Test("What is no longer wanted before the phone shows it is removed as soon as it does")
  func unwantedBeforeItIsShown() {
    var keeper = SlotKeeper(maximumRadius: 1000, capacity: 20)
    keeper.open(monitored: [], at: Self.time(0))
    let slot = Slot(identifier: "home", condition: MonitorSample.circle())
    keeper.perform(.register(slot), at: Self.time(0))
    guard case .add? = keeper.nextTurn(monitored: [:], at: Self.time(0)) else {
      Issue.record("it is not added")
      return
    }
    keeper.perform(.unregister(identifier: "home"), at: Self.time(0))
    #expect(keeper.nextTurn(monitored: [:], at: Self.time(1)) == nil)
    let shown: [String: MonitoredRegion.Area] = ["home": .circle(center: MonitorSample.vienna, radius: 100)]
    #expect(keeper.nextTurn(monitored: shown, at: Self.time(2)) == .remove(["home"]))
    // Wanted again, it stays.
    keeper.perform(.register(slot), at: Self.time(3))
    #expect(keeper.nextTurn(monitored: shown, at: Self.time(3)) == nil)
  }
}
