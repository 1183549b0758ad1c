import Testing
import VicinityGeodesy
import VicinityIndex

@testable import VicinityCrossings
@testable import VicinityMonitor

/// The order in which the events of one input are numbered: by date, then in the order in which the
/// conditions were added.
@Suite struct MonitorOrderTests {
  private static let start = MonitorTransitionTests.start

  private static func time(_ seconds: Int) -> Timestamp { MonitorTransitionTests.time(seconds) }

  private static func machine(_ rule: CrossingRule) throws -> MonitorStateMachine {
    try MonitorStateMachine.restored(
      options: MonitorOptions(crossings: CrossingOptions(rule: rule)), now: start)
  }

  /// The identifiers of the events that are made by `body`, by their numbers; and that these are ascending in
  /// date.
  private static func order(
    _ machine: inout MonitorStateMachine, _ body: (inout MonitorStateMachine) throws -> Void
  ) throws -> [String] {
    let last = machine.stored.lastSequenceNumber
    try body(&machine)
    let events = machine.stored.events.values.filter { $0.sequenceNumber > last }
      .sorted { $0.sequenceNumber < $1.sequenceNumber }
    for (a, b) in zip(events, events.dropFirst()) {
      #expect(a.date <= b.date, "\(a.identifier), \(b.identifier)")
    }
    return events.map(\.identifier)
  }

  /// Names that sort in another order than they are added in, and are of different lengths.
  private static let names = ["zebra", "ant", "m", "yak", "b", "cow", "x", "dog", "w", "eel", "v", "fox"]

  /// Regions that come at different times, and so lie in different indexes; that are replaced, and suspended
  /// in between: at a fix that decides all, events come in the order of adding.
  @Test(arguments: [CrossingRule.naive, .exitMargin(), .geometric])
  func fixesDecideInTheOrderOfAdding(_ rule: CrossingRule) throws {
    var machine = try Self.machine(rule)
    var seconds = 0
    func move(_ meters: Meters, _ machine: inout MonitorStateMachine) throws {
      seconds += 10
      try machine.receive(MonitorTransitionTests.fix(meters, seconds), at: Self.time(seconds))
    }
    for (i, name) in Self.names.enumerated() {
      try machine.add(MonitorSample.circle(radius: 100), identifier: name, at: Self.time(seconds))
      if i % 3 == 2 { try move(2000 + Double(i), &machine) }
    }
    // The third is added anew, and is last then.
    try machine.remove(Self.names[2], at: Self.time(seconds))
    try machine.add(MonitorSample.circle(radius: 100), identifier: Self.names[2], at: Self.time(seconds))
    let order = Self.names.filter { $0 != Self.names[2] } + [Self.names[2]]
    // Determined at this fix for the first time, or crossed on the way to it: all are left outside.
    try move(2000, &machine)
    #expect(try Self.order(&machine) { try move(0, &$0) } == order)
    #expect(try Self.order(&machine) { try move(2000, &$0) } == order)
    // Suspended all at once, then watched again, in a new index.
    var environment = MonitorEnvironment()
    environment.authorization = .denied
    let suspended = try Self.order(&machine) {
      try $0.receive(.environment(environment), at: Self.time(seconds + 1))
    }
    #expect(suspended == order)
    try machine.receive(.environment(MonitorEnvironment()), at: Self.time(seconds + 2))
    #expect(try Self.order(&machine) { try move(0, &$0) } == order)
    // In a new process.
    machine.journal.didStore()
    var again = try MonitorStateMachine.restored(
      from: machine.stored, options: machine.options, now: Self.time(seconds + 3))
    #expect(try Self.order(&again) { try move(2000, &$0) } == order)
  }

  /// What has just been added is determined at the same fix at which what is older is crossed.
  @Test func determinationsAndCrossingsShareAnOrder() throws {
    var machine = try Self.machine(.naive)
    try machine.receive(MonitorTransitionTests.fix(2000, 1), at: Self.time(1))
    for name in ["d", "c"] { try machine.add(MonitorSample.circle(), identifier: name, at: Self.time(1)) }
    try machine.receive(MonitorTransitionTests.fix(2000, 2), at: Self.time(2))
    // In between, by its number, but found after the others.
    try machine.add(MonitorSample.circle(), identifier: "b", at: Self.time(2))
    try machine.receive(MonitorTransitionTests.fix(2000, 3), at: Self.time(3))
    try machine.add(MonitorSample.circle(), identifier: "a", at: Self.time(3))
    let made = try Self.order(&machine) {
      try $0.receive(MonitorTransitionTests.fix(0, 4), at: Self.time(4))
    }
    #expect(made == ["d", "c", "b", "a"])
  }

  /// By the geometric rule crossings on one way have their own instants: the earlier comes first, whatever
  /// was added first.
  @Test func crossingsOnTheWayComeByTheirInstants() throws {
    var machine = try Self.machine(.geometric)
    for meters in [3000.0, 1000, 2000, 1000] {
      let name = "\(Int(meters))\(machine.stored.conditions.count)"
      try machine.add(
        MonitorSample.circle(meters, radius: 100), identifier: name, assuming: .unsatisfied, at: Self.start)
    }
    try machine.receive(MonitorTransitionTests.fix(0, 0), at: Self.time(0))
    let made = try Self.order(&machine) {
      try $0.receive(MonitorTransitionTests.fix(4000, 100), at: Self.time(100))
    }
    // In and out of each; two that are the same by the order of adding.
    #expect(
      made == ["10001", "10003", "10001", "10003", "20002", "20002", "30000", "30000"])
  }

  /// One sighting satisfies several identities, one silence ends several: by the order of adding too, not
  /// from the widest identity on, nor in that in which the identities began to be watched.
  @Test func beaconsInTheOrderOfAdding() throws {
    var machine = try Self.machine(.naive)
    let identities = [
      BeaconIdentity(uuid: MonitorSample.family, major: 1, minor: 1),
      BeaconIdentity(uuid: MonitorSample.family),
      BeaconIdentity(uuid: MonitorSample.family, major: 1),
      BeaconIdentity(uuid: MonitorSample.family, major: 1, minor: 1),
    ]
    for (name, identity) in zip(["d", "c", "b", "a"], identities) {
      try machine.add(.beacon(identity), identifier: name, at: Self.start)
    }
    let entered = try Self.order(&machine) {
      try $0.receive(.sighting(MonitorSample.sighting(at: Self.time(1))), at: Self.time(1))
    }
    #expect(entered == ["d", "c", "b", "a"])
    // Added anew while another condition keeps the identity watched.
    try machine.remove("d", at: Self.time(2))
    try machine.add(.beacon(identities[0]), identifier: "d", assuming: .satisfied, at: Self.time(2))
    #expect(try Self.order(&machine) { $0.advance(to: Self.time(40)) } == ["c", "b", "a", "d"])
  }

  /// Conditions that share the slots and such as have slots of their own are suspended in the order of
  /// adding.
  @Test func suspensionInTheOrderOfAdding() throws {
    var machine = try Self.machine(.naive)
    let pinned = ConditionOptions(isPinned: true)
    try machine.add(MonitorSample.circle(), identifier: "d", options: pinned, at: Self.start)
    try machine.add(MonitorSample.circle(), identifier: "c", at: Self.start)
    try machine.add(.beacon(BeaconIdentity(uuid: MonitorSample.family)), identifier: "b", at: Self.start)
    try machine.add(MonitorSample.circle(), identifier: "a", at: Self.start)
    var environment = MonitorEnvironment()
    environment.hasFullAccuracy = false
    let made = try Self.order(&machine) {
      try $0.receive(.environment(environment), at: Self.time(1))
    }
    #expect(made == ["d", "c", "b", "a"])
  }

  /// A clock that is set back loses nobody who is in range: the identity of the second beacon is known at
  /// once.
  @Test func aClockSetBackKeepsAllBeaconsInRange() throws {
    var machine = try Self.machine(.naive)
    try machine.add(.beacon(BeaconIdentity(uuid: MonitorSample.family)), identifier: "any", at: Self.start)
    for minor in [1, 2] as [UInt16] {
      try machine.receive(
        .sighting(MonitorSample.sighting(1, minor, at: Self.time(100))), at: Self.time(100))
    }
    machine.advance(to: Self.time(10))
    let second = BeaconIdentity(uuid: MonitorSample.family, major: 1, minor: 2)
    let made = try Self.order(&machine) {
      try $0.add(.beacon(second), identifier: "second", at: Self.time(11))
    }
    #expect(made == ["second"])
    #expect(machine.stored.events.values.max { $0.sequenceNumber < $1.sequenceNumber }?.refinement == second)
    // Both have been seen at the time to which the clock was set.
    #expect(machine.nextDeadline == Self.time(40))
    #expect(try Self.order(&machine) { $0.advance(to: Self.time(40)) } == ["any", "second"])
  }
}
