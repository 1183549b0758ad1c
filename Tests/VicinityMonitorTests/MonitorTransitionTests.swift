import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityPolygon

@testable import VicinityCrossings
@testable import VicinityMonitor

/// Every state, what can happen in it, and what comes of it; row by row.
@Suite struct MonitorTransitionTests {
  static let start = Timestamp(microseconds: 1_700_000_000_000_000)
  static let states = MonitoringState.allCases
  static let kinds = ["circle", "polygon", "beacon"]

  static func condition(_ kind: String) throws -> Condition {
    switch kind {
    case "circle": return MonitorSample.circle()
    case "polygon":
      let (south, west, side) = (48.207, 16.372, 0.003)
      let corners = [(0.0, 0.0), (0, side), (side, side), (side, 0)].map {
        Coordinate(latitude: south + $0.0, longitude: west + $0.1)
      }
      return .polygon(try Polygon(exterior: corners))
    default: return .beacon(BeaconIdentity(uuid: MonitorSample.family))
    }
  }

  /// A machine with one condition.
  static func machine(
    _ kind: String, assuming state: MonitoringState = .unknown,
    environment: MonitorEnvironment = MonitorEnvironment()
  ) throws -> MonitorStateMachine {
    var machine = try MonitorStateMachine.restored(
      options: MonitorSample.naive, environment: environment, now: start)
    try machine.add(try condition(kind), identifier: "x", assuming: state, at: start)
    return machine
  }

  static func time(_ seconds: Int) -> Timestamp { start.advanced(by: .seconds(seconds)) }

  static func fix(_ meters: Meters, _ seconds: Int, accuracy: Meters = 5) -> MonitorInput {
    .fix(
      Fix(
        time: time(seconds), coordinate: MonitorSample.east(meters), horizontalAccuracy: accuracy))
  }

  /// Has a condition become satisfied, or unsatisfied, within the next seconds.
  static func bring(
    _ machine: inout MonitorStateMachine, _ kind: String, to state: MonitoringState, from seconds: Int
  ) throws {
    switch (kind, state) {
    case ("beacon", .satisfied):
      try machine.receive(.sighting(MonitorSample.sighting(at: time(seconds))), at: time(seconds))
    case ("beacon", _): machine.advance(to: time(seconds + 31))
    case (_, .satisfied): try machine.receive(fix(0, seconds), at: time(seconds))
    default: try machine.receive(fix(5000, seconds), at: time(seconds))
    }
  }

  /// The next event, of a store that takes all.
  static func next(_ machine: inout MonitorStateMachine) -> MonitoringEvent? {
    machine.journal.didStore()
    return machine.journal.nextEvent()
  }

  /// The next event, which there must be.
  func next(_ machine: inout MonitorStateMachine) throws -> MonitoringEvent {
    let event = Self.next(&machine)
    return try #require(event)
  }

  // MARK: Determinations

  @Test(arguments: kinds, states)
  func determination(_ kind: String, _ assumed: MonitoringState) throws {
    for determined in [MonitoringState.satisfied, .unsatisfied] {
      var machine = try Self.machine(kind, assuming: assumed)
      try Self.bring(&machine, kind, to: determined, from: 1)
      let event = Self.next(&machine)
      #expect(event?.state == (assumed == determined ? nil : determined), "\(assumed), \(determined)")
      if let event {
        #expect(event.sequenceNumber == 1)
        #expect(event.diagnostics.isEmpty)
        #expect((event.refinement != nil) == (kind == "beacon" && determined == .satisfied))
      }
      // The same again is no event.
      machine.journal.handled()
      if determined == .satisfied { try Self.bring(&machine, kind, to: determined, from: 2) }
      #expect(Self.next(&machine) == nil)
    }
  }

  /// Every change one event, in order, none left out though nobody looked.
  @Test(arguments: kinds)
  func changesQueue(_ kind: String) throws {
    var machine = try Self.machine(kind)
    for i in 0..<6 {
      try Self.bring(&machine, kind, to: i % 2 == 0 ? .satisfied : .unsatisfied, from: 100 * i)
    }
    for i in 0..<6 {
      let event = try next(&machine)
      #expect(event.state == (i % 2 == 0 ? .satisfied : .unsatisfied))
      #expect(event.sequenceNumber == UInt64(i + 1))
      // One at a time.
      #expect(Self.next(&machine) == nil)
      #expect(machine.stored.conditions["x"]?.record.lastEvent.sequenceNumber == UInt64(i))
      machine.journal.handled()
      #expect(machine.stored.conditions["x"]?.record.lastEvent == event)
    }
    #expect(Self.next(&machine) == nil)
    #expect(machine.stored.events.isEmpty)
  }

  // MARK: Diagnostics

  static func suspending() -> [(Diagnostics, [Condition.Kind], (inout MonitorEnvironment) -> Void)] {
    [
      (.authorizationDenied, Condition.Kind.allCases, { $0.authorization = .denied }),
      (.authorizationDeniedGlobally, Condition.Kind.allCases, { $0.authorization = .deniedGlobally }),
      (.authorizationRestricted, Condition.Kind.allCases, { $0.authorization = .restricted }),
      (
        .insufficientlyInUse, Condition.Kind.allCases,
        {
          $0.authorization = .whenInUse
          $0.isInUse = false
        }
      ),
      (
        .insufficientlyInUse, Condition.Kind.allCases,
        {
          $0.allowsBackgroundRefresh = false
          $0.isInUse = false
        }
      ),
      (.accuracyLimited, Condition.Kind.allCases, { $0.hasFullAccuracy = false }),
      (.conditionUnsupported, [.geographic], { $0.hasLocationHardware = false }),
      (.conditionUnsupported, [.geographic], { $0.isAirplaneModeOn = true }),
      (.conditionUnsupported, [.beacon], { $0.hasBeaconHardware = false }),
      (.conditionUnsupported, [.beacon], { $0.isBluetoothOn = false }),
      (.serviceSessionRequired, Condition.Kind.allCases, { $0.requiresServiceSession = true }),
      (.serviceSessionRequired, Condition.Kind.allCases, { $0.authorization = .notDetermined }),
      (
        .authorizationRequestInProgress, Condition.Kind.allCases,
        {
          $0.authorization = .notDetermined
          $0.isRequestInProgress = true
        }
      ),
    ]
  }

  /// From every state: suspended once, silent meanwhile, and determined anew afterwards.
  @Test(arguments: kinds, states)
  func suspensions(_ kind: String, _ assumed: MonitoringState) throws {
    for (i, (diagnostics, kinds, change)) in Self.suspending().enumerated() {
      var environment = MonitorEnvironment()
      change(&environment)
      var machine = try Self.machine(kind, assuming: assumed)
      let isSuspended = kinds.contains(try Self.condition(kind).kind)
      // Only the hardware counts.
      let isMissing = !environment.hasLocationHardware || !environment.hasBeaconHardware
      #expect(
        environment.isMonitoringAvailable(for: try Self.condition(kind).kind) == !(isMissing && isSuspended))
      try machine.receive(.environment(environment), at: Self.time(1))
      let event = Self.next(&machine)
      guard isSuspended else {
        #expect(event == nil, "row \(i)")
        continue
      }
      // Something that is assumed to be unmonitored is no news.
      #expect(event?.state == (assumed == .unmonitored ? nil : .unmonitored), "row \(i)")
      if let event { #expect(event.diagnostics == diagnostics, "row \(i)") }
      #expect(machine.states["x"]?.suspension == diagnostics)
      #expect(machine.device.slots.isEmpty)
      machine.journal.handled()
      // Nothing is decided meanwhile.
      try Self.bring(&machine, kind, to: .satisfied, from: 2)
      #expect(Self.next(&machine) == nil, "row \(i)")
      try machine.receive(.environment(MonitorEnvironment()), at: Self.time(40))
      #expect(machine.states["x"]?.suspension == [])
      try Self.bring(&machine, kind, to: .satisfied, from: 41)
      #expect(Self.next(&machine)?.state == .satisfied, "row \(i)")
    }
  }

  @Test func addedWhileSuspended() throws {
    var environment = MonitorEnvironment()
    environment.authorization = .denied
    var machine = try Self.machine("circle", environment: environment)
    let event = try next(&machine)
    #expect(event.state == .unmonitored)
    #expect(event.diagnostics == .authorizationDenied)
    #expect(machine.takeActions().commands.isEmpty)
  }

  // MARK: Limits

  private static func beacon(_ i: Int) -> Condition {
    .beacon(BeaconIdentity(uuid: MonitorSample.family, major: UInt16(i)))
  }

  @Test(arguments: ConditionLimit.allCases)
  func limits(_ limit: ConditionLimit) throws {
    var options = MonitorSample.naive
    options.limit = limit
    options.plan.capacity = 5
    var machine = try MonitorStateMachine.restored(options: options, now: Self.start)
    for i in 0..<8 { try machine.add(Self.beacon(i), identifier: "b\(i)", at: Self.start) }
    func suspended(_ machine: borrowing MonitorStateMachine) -> [String] {
      (0..<8).map { "b\($0)" }.filter { machine.states[$0]?.suspension.isEmpty == false }
    }
    #expect(suspended(machine) == ["b5", "b6", "b7"])
    for identifier in ["b5", "b6", "b7"] {
      let event = try next(&machine)
      #expect(event.identifier == identifier)
      #expect(event.state == .unmonitored)
      #expect(event.diagnostics == .conditionLimitExceeded)
      machine.journal.handled()
      // Still listed.
      #expect(machine.stored.conditions[identifier] != nil)
    }
    // The first to have waited gets the slot that becomes free.
    try machine.remove("b2", at: Self.time(1))
    #expect(suspended(machine) == ["b6", "b7"])
    try machine.receive(.sighting(MonitorSample.sighting(5, at: Self.time(2))), at: Self.time(2))
    let revived = try next(&machine)
    #expect(revived.identifier == "b5")
    #expect(revived.state == .satisfied)
    machine.journal.handled()
    // Regions share what is left: they need two slots if there are two, and beacons that came later give way.
    try machine.add(MonitorSample.circle(), identifier: "r0", at: Self.time(3))
    #expect(suspended(machine) == (limit == .total ? ["b5", "b6", "b7"] : ["b6", "b7"]))
    try machine.add(MonitorSample.circle(1000), identifier: "r1", at: Self.time(3))
    try machine.add(MonitorSample.circle(2000), identifier: "r2", at: Self.time(3))
    #expect(suspended(machine) == (limit == .total ? ["b4", "b5", "b6", "b7"] : ["b6", "b7"]))
    for identifier in ["r0", "r1", "r2"] { try machine.remove(identifier, at: Self.time(4)) }
    #expect(suspended(machine) == ["b6", "b7"])
  }

  @Test func pinnedRegionsHoldTheirSlots() throws {
    var options = MonitorSample.naive
    options.plan.capacity = 4
    var machine = try MonitorStateMachine.restored(options: options, now: Self.start)
    let pinned = ConditionOptions(isPinned: true)
    for i in 0..<3 {
      try machine.add(
        MonitorSample.circle(Double(100_000 * (i + 1))), identifier: "p\(i)", options: pinned, at: Self.start)
    }
    for i in 0..<30 {
      try machine.add(MonitorSample.circle(Double(200 * i)), identifier: "r\(i)", at: Self.start)
    }
    // Two slots are for the thirty.
    #expect(machine.states["p2"]?.suspension == .conditionLimitExceeded)
    try machine.receive(Self.fix(0, 1), at: Self.time(1))
    #expect(machine.device.slots["p0"] != nil)
    #expect(machine.device.slots["p1"] != nil)
    #expect(machine.device.slots["p2"] == nil)
    #expect(machine.device.slots.count <= 4)
  }

  // MARK: Slots

  @Test func registersWithoutAFixWhatFits() throws {
    var machine = try MonitorStateMachine.restored(options: MonitorSample.naive, now: Self.start)
    for i in 0..<20 {
      try machine.add(MonitorSample.circle(Double(1000 * i)), identifier: "r\(i)", at: Self.start)
    }
    #expect(machine.device.slots.count == 20)
    #expect(machine.device.requestedFix == nil)
    // One more than there is room for: it takes a fix to choose.
    try machine.add(MonitorSample.circle(30_000), identifier: "r20", at: Self.time(1))
    #expect(machine.device.requestedFix == Self.time(1))
    #expect(machine.device.slots.count == 20)
    let before = Set(machine.device.slots.keys)
    _ = machine.takeActions()
    try machine.receive(Self.fix(0, 2), at: Self.time(2))
    #expect(machine.device.slots.count == 20)
    let sentinel = try #require(machine.device.slots.values.first { $0.isSentinel })
    // Nineteen regions stay as they were.
    let commands = machine.takeActions().commands
    let unregistered = commands.compactMap { if case .unregister(let id) = $0 { id } else { nil } }
    let registered = commands.compactMap { if case .register(let slot) = $0 { slot } else { nil } }
    #expect(unregistered.count == 1)
    #expect(registered == [sentinel])
    #expect(before.subtracting(unregistered).isSubset(of: Set(machine.device.slots.keys)))
  }

  /// A beacon that comes when all slots are taken gets one at once, and no more are in use at any time.
  @Test func beaconsTakeSlotsFromThePlan() throws {
    var machine = try MonitorStateMachine.restored(options: MonitorSample.naive, now: Self.start)
    for i in 0..<100 {
      try machine.add(MonitorSample.circle(Double(1000 * i)), identifier: "r\(i)", at: Self.start)
    }
    try machine.receive(Self.fix(0, 1), at: Self.time(1))
    var device = ObedientDevice(machine.options)
    device.perform(machine.takeActions().commands)
    #expect(device.slots.count == 20)
    for i in 0..<5 {
      try machine.add(Self.beacon(i), identifier: "b\(i)", at: Self.time(2))
      device.perform(machine.takeActions().commands)
      #expect(device.slots["b\(i)"] != nil)
    }
    #expect(device.complaints.isEmpty, "\(device.complaints)")
    #expect(device.slots.count == 20)
    for i in 0..<5 { try machine.remove("b\(i)", at: Self.time(3)) }
    device.perform(machine.takeActions().commands)
    #expect(device.complaints.isEmpty, "\(device.complaints)")
    #expect(device.slots.values.count { $0.condition.kind == .geographic } == 20)
  }

  @Test func leavingTheSentinelAsksForAFix() throws {
    var machine = try MonitorStateMachine.restored(options: MonitorSample.naive, now: Self.start)
    for i in 0..<100 {
      try machine.add(MonitorSample.circle(Double(1000 * i)), identifier: "r\(i)", at: Self.start)
    }
    try machine.receive(Self.fix(0, 1), at: Self.time(1))
    let sentinel = try #require(machine.device.slots.values.first { $0.isSentinel })
    let number = try #require(machine.plan?.number)
    try machine.receive(
      .slot(SlotReport(identifier: sentinel.identifier, state: .satisfied, date: Self.time(2))),
      at: Self.time(2))
    #expect(machine.device.requestedFix == nil)
    try machine.receive(
      .slot(SlotReport(identifier: sentinel.identifier, state: .unsatisfied, date: Self.time(60))),
      at: Self.time(60))
    #expect(machine.device.requestedFix == Self.time(60))
    #expect(Self.next(&machine)?.identifier != sentinel.identifier)
    // Even a fix within the old vicinity makes a new plan.
    try machine.receive(Self.fix(10, 61), at: Self.time(61))
    #expect(machine.plan?.number == number + 1)
    #expect(machine.device.requestedFix == nil)
  }

  /// A saturated plan asks for the next fix after each one, and for none twice.
  @Test func asksForFixesWhileSaturated() throws {
    var machine = try MonitorStateMachine.restored(options: MonitorSample.naive, now: Self.start)
    // Two hundred around the same place: more than there are slots.
    for i in 0..<200 {
      try machine.add(MonitorSample.circle(Double(i), radius: 500), identifier: "r\(i)", at: Self.time(i))
    }
    func requests(_ actions: MonitorStateMachine.Actions) -> Int {
      actions.commands.count { if case .requestFix = $0 { true } else { false } }
    }
    // Once, though it was needed again and again.
    #expect(requests(machine.takeActions()) == 1)
    for i in 200..<220 {
      try machine.receive(Self.fix(Double(i), i), at: Self.time(i))
      #expect(machine.plan?.saturation != nil)
      #expect(requests(machine.takeActions()) == 1)
      #expect(machine.device.requestedFix != nil)
    }
    // Far from all of them it is over.
    try machine.receive(Self.fix(200_000, 300), at: Self.time(300))
    #expect(machine.plan?.saturation == nil)
    #expect(machine.device.requestedFix == nil)
    #expect(requests(machine.takeActions()) == 0)
  }

  /// What the device says of its slots counts, whatever fixes cannot tell.
  @Test func reportsOfSlots() throws {
    var options = MonitorSample.naive
    options.crossings = CrossingOptions(rule: .coreLocation())
    var machine = try MonitorStateMachine.restored(options: options, now: Self.start)
    try machine.add(MonitorSample.circle(), identifier: "x", at: Self.start)
    func report(_ state: MonitoringState, _ seconds: Int, _ diagnostics: Diagnostics = []) -> MonitorInput {
      .slot(
        SlotReport(
          identifier: "x", state: state, date: Self.time(seconds), diagnostics: diagnostics))
    }
    let rows: [(MonitorInput, MonitoringState?, Diagnostics)] = [
      (report(.satisfied, 1), .satisfied, []),
      (report(.satisfied, 2), nil, []),
      (report(.unknown, 3), nil, []),
      // A fix that cannot tell changes nothing.
      (Self.fix(300, 4, accuracy: 1000), nil, []),
      (report(.unsatisfied, 5), .unsatisfied, []),
      (report(.unmonitored, 6, .conditionUnsupported), .unmonitored, .conditionUnsupported),
      (report(.satisfied, 7), .satisfied, []),
    ]
    for (i, (input, state, diagnostics)) in rows.enumerated() {
      try machine.receive(input, at: Self.time(i + 1))
      let event = Self.next(&machine)
      #expect(event?.state == state, "row \(i)")
      if let event { #expect(event.diagnostics == diagnostics, "row \(i)") }
      machine.journal.handled()
    }
    // By the rule it goes on from there: 20 s beyond the cushion.
    try machine.receive(Self.fix(1000, 10), at: Self.time(10))
    #expect(Self.next(&machine) == nil)
    try machine.receive(Self.fix(1000, 31), at: Self.time(31))
    #expect(Self.next(&machine)?.state == .unsatisfied)
    // Of what holds no slot nothing is heard.
    machine.journal.handled()
    try machine.remove("x", at: Self.time(40))
    try machine.receive(report(.satisfied, 41), at: Self.time(41))
    #expect(Self.next(&machine) == nil)
  }

  /// Both reported inside between two fixes that are far from either's boundary: neither report forgets the
  /// other.
  @Test func twoReportsBetweenFixes() throws {
    var machine = try MonitorStateMachine.restored(options: MonitorSample.naive, now: Self.start)
    for identifier in ["a", "b"] {
      try machine.add(MonitorSample.circle(), identifier: identifier, assuming: .unsatisfied, at: Self.start)
    }
    try machine.receive(Self.fix(3000, 1), at: Self.time(1))
    for identifier in ["a", "b"] {
      try machine.receive(
        .slot(SlotReport(identifier: identifier, state: .satisfied, date: Self.time(2))), at: Self.time(2))
      #expect(try next(&machine).identifier == identifier)
      machine.journal.handled()
    }
    try machine.receive(Self.fix(3001, 3), at: Self.time(3))
    for identifier in ["a", "b"] {
      let event = try next(&machine)
      #expect(event.identifier == identifier)
      #expect(event.state == .unsatisfied)
      machine.journal.handled()
    }
  }

  /// Larger than the device can watch: no slot, and told of all the same.
  @Test func largeRegionsAreWatchedInSoftware() throws {
    var options = MonitorSample.naive
    options.plan.maximumRegionRadius = 10_000
    var machine = try MonitorStateMachine.restored(options: options, now: Self.start)
    try machine.add(MonitorSample.circle(0, radius: 50_000), identifier: "large", at: Self.start)
    try machine.add(MonitorSample.circle(0, radius: 500), identifier: "small", at: Self.start)
    #expect(machine.device.slots["large"] == nil)
    #expect(machine.device.slots["small"] != nil)
    try machine.receive(Self.fix(20_000, 1), at: Self.time(1))
    #expect(machine.device.slots["large"] == nil)
    #expect(Self.next(&machine)?.identifier == "large")
    machine.journal.handled()
    #expect(Self.next(&machine)?.state == .unsatisfied)
  }

  /// Another region under the same identifier takes the slot over.
  @Test func replacingChangesTheSlot() throws {
    var machine = try Self.machine("circle")
    try machine.receive(Self.fix(0, 1), at: Self.time(1))
    var device = ObedientDevice(machine.options)
    device.perform(machine.takeActions().commands)
    try machine.add(MonitorSample.circle(50, radius: 70), identifier: "x", at: Self.time(2))
    device.perform(machine.takeActions().commands)
    #expect(device.complaints.isEmpty, "\(device.complaints)")
    #expect(device.slots["x"]?.condition == MonitorSample.circle(50, radius: 70))
  }

  // MARK: Adding again

  /// The same condition under its identifier: record and undelivered events stay, and nothing is to be done.
  @Test(arguments: kinds)
  func addingTheSameConditionAgain(_ kind: String) throws {
    var machine = try Self.machine(kind)
    try Self.bring(&machine, kind, to: .satisfied, from: 1)
    #expect(Self.next(&machine)?.sequenceNumber == 1)
    machine.journal.handled()
    try Self.bring(&machine, kind, to: .unsatisfied, from: 2)
    _ = machine.takeActions()
    let stored = machine.stored
    #expect(stored.events.count == 1)
    try machine.add(try Self.condition(kind), identifier: "x", assuming: .satisfied, at: Self.time(100))
    #expect(machine.stored == stored)
    #expect(machine.takeActions() == MonitorStateMachine.Actions())
    #expect(Self.next(&machine)?.sequenceNumber == 2)
    machine.journal.handled()
    // As after a relaunch, when apps add their lists.
    var again = try MonitorStateMachine.restored(
      from: machine.stored, options: MonitorSample.naive, now: Self.time(101))
    try again.add(try Self.condition(kind), identifier: "x", at: Self.time(101))
    #expect(again.stored == machine.stored)
  }

  /// Other options of the same condition are replaced; record, undelivered events and their order stay.
  @Test func replacingOptions() throws {
    var machine = try Self.machine("circle")
    for i in 0..<3 {
      try Self.bring(&machine, "circle", to: i % 2 == 0 ? .satisfied : .unsatisfied, from: i + 1)
    }
    machine.journal.didStore()
    let (record, events) = (machine.stored.conditions["x"], machine.stored.events)
    let options = ConditionOptions(isPinned: true, priority: 2, notifyOnExit: false)
    try machine.add(try Self.condition("circle"), identifier: "x", options: options, at: Self.time(9))
    #expect(machine.stored.conditions["x"]?.record.options == options)
    #expect(machine.stored.conditions["x"]?.number == record?.number)
    #expect(machine.stored.conditions["x"]?.record.lastEvent == record?.record.lastEvent)
    #expect(machine.stored.events == events)
    var stored = StoredMonitor()
    for change in machine.takeActions().changes { stored.apply(change) }
    #expect(stored == machine.stored)
    for number in 1...3 {
      #expect(Self.next(&machine)?.sequenceNumber == UInt64(number))
      machine.journal.handled()
    }
    #expect(Self.next(&machine) == nil)
  }

  /// Many at once: one batch of changes; all or none, and none where two have one identifier.
  @Test func addingManyAtOnce() throws {
    var machine = try Self.machine("beacon")
    _ = machine.takeActions()
    var many = (0..<300).map { i in
      NewCondition(MonitorSample.circle(Double(100 * i)), identifier: "r\(i)", assuming: .unsatisfied)
    }
    many.append(NewCondition(MonitorSample.circle(0, radius: 70), identifier: "r1"))
    #expect(throws: MonitorError.duplicate(identifier: "r1")) { try machine.add(many, at: Self.time(1)) }
    #expect(machine.stored.conditions.count == 1)
    many.removeLast()
    try machine.add(many, at: Self.time(1))
    #expect(machine.stored.conditions.count == 301)
    #expect(machine.takeActions().changes.count == 300)
    try machine.receive(Self.fix(0, 2), at: Self.time(2))
    #expect(Set([Self.next(&machine)?.identifier]) == ["r0"])
    let stored = machine.stored
    #expect(throws: MonitorError.self) {
      try machine.add(
        [
          NewCondition(MonitorSample.circle(), identifier: "good"),
          NewCondition(MonitorSample.circle(radius: -1), identifier: "bad"),
        ], at: Self.time(3))
    }
    #expect(machine.stored == stored)
  }

  // MARK: Time

  /// Set back by an hour: fixes go on to count, and beacons in range stay so for the timeout from then.
  @Test func clockSetBack() throws {
    var machine = try Self.machine("circle", assuming: .unsatisfied)
    try machine.add(
      .beacon(BeaconIdentity(uuid: MonitorSample.family)), identifier: "b", assuming: .unsatisfied,
      at: Self.start)
    try machine.receive(Self.fix(5000, 1), at: Self.time(1))
    try machine.receive(.sighting(MonitorSample.sighting(at: Self.time(2))), at: Self.time(2))
    #expect(Self.next(&machine)?.identifier == "b")
    machine.journal.handled()
    #expect(throws: MonitorError.self) {
      try machine.receive(Self.fix(0, -3000), at: Self.time(3))
    }
    try machine.receive(Self.fix(0, -3599), at: Self.time(-3599))
    #expect(Self.next(&machine)?.identifier == "x")
    machine.journal.handled()
    try machine.receive(Self.fix(5000, -3598), at: Self.time(-3598))
    #expect(Self.next(&machine)?.state == .unsatisfied)
    machine.journal.handled()
    machine.advance(to: Self.time(-3570))
    #expect(Self.next(&machine) == nil)
    machine.advance(to: Self.time(-3560))
    let exit = try next(&machine)
    #expect(exit.identifier == "b")
    #expect(exit.state == .unsatisfied)
    #expect(exit.date == Self.time(-3569))
  }

  /// The same calls make the same events, commands and changes.
  @Test func isDeterministic() throws {
    func run() throws -> [MonitorStateMachine.Actions] {
      var machine = try MonitorStateMachine.restored(options: MonitorSample.naive, now: Self.start)
      var log: [MonitorStateMachine.Actions] = []
      for i in 0..<60 {
        let condition = i % 3 == 0 ? Self.beacon(i % 7) : MonitorSample.circle(Double(300 * (i % 40)))
        try machine.add(condition, identifier: "c\(i)", at: Self.time(i))
        log.append(machine.takeActions())
      }
      for i in 60..<200 {
        try machine.receive(Self.fix(Double(100 * i), i), at: Self.time(i))
        try machine.receive(
          .sighting(MonitorSample.sighting(UInt16(i % 9), at: Self.time(i))), at: Self.time(i))
        log.append(machine.takeActions())
      }
      var environment = MonitorEnvironment()
      environment.hasFullAccuracy = false
      try machine.receive(.environment(environment), at: Self.time(300))
      try machine.receive(.environment(MonitorEnvironment()), at: Self.time(301))
      log.append(machine.takeActions())
      return log
    }
    let first = try run()
    for _ in 0..<3 { #expect(try run() == first) }
  }
}
