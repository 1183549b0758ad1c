import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex

@testable import VicinityMonitor

/// What a monitor asks of a phone that does not let it stay awake at little cost, as phones since iOS 16.4 do not while nothing may be
/// shown.
@Suite("Watching unseen")
struct PresenceTests {
  private static let start = Timestamp(microseconds: 1_700_000_000_000_000)

  /// Thirty shops, 500 m apart on a line to the east.
  private static func shops() throws -> RegionIndex {
    try RegionIndex(
      (0..<30).map { i in
        Region(identifier: "shop\(i)", center: MonitorSample.east(500 + 500 * Double(i)), radius: 100)
      })
  }

  private static func machine(
    _ presence: Presence = .quiet, latency: Duration = .seconds(60)
  ) throws -> MonitorStateMachine {
    try MonitorStateMachine.restored(
      regions: try shops(),
      options: MonitorOptions(strategy: .adaptive(latency: latency), presence: presence), now: start)
  }

  private static func time(_ seconds: Double) -> Timestamp { start.advanced(by: .seconds(seconds)) }

  private static func tell(
    _ machine: inout MonitorStateMachine, _ seconds: Double, _ input: MonitorInput
  ) throws -> [DeviceCommand] {
    try machine.receive(input, at: time(seconds))
    return machine.takeActions().commands
  }

  private static func fix(
    _ machine: inout MonitorStateMachine, _ seconds: Double, east: Meters, speed: Double = 0
  ) throws -> [DeviceCommand] {
    try tell(
      &machine, seconds,
      .fix(
        Fix(
          time: time(seconds), coordinate: MonitorSample.east(east), horizontalAccuracy: 10, speed: speed)))
  }

  private static func registered(_ machine: borrowing MonitorStateMachine) -> [String] {
    machine.slots.keys.sorted()
  }

  @Test(
    "An app that cannot stay awake has all slots, asks for a position where it is woken, and sleeps again")
  func unableToStayAwake() throws {
    var machine = try Self.machine()
    let first = try Self.tell(&machine, 0, .wakefulness(.impossible))
    #expect(first.contains(.wake(by: [.significantChanges])))
    #expect(!first.contains(.stayAwake) || first.contains(.allowSleep))
    let planned = try Self.fix(&machine, 1, east: 0)
    #expect(machine.slots.count == 20 && machine.sentinel != nil)
    #expect(!planned.contains(.stayAwake))
    #expect(planned.filter(\.isRequest).isEmpty)
    // A slot's word wakes it, and a position decides.
    let woken = try Self.tell(
      &machine, 600, .slot(SlotReport(identifier: "shop0", state: .satisfied, date: Self.time(600))))
    #expect(woken.contains(.requestFix(by: Self.time(600), accuracy: .best)) && !woken.contains(.stayAwake))
    #expect(machine.stored.events.isEmpty)
    _ = try Self.fix(&machine, 605, east: 500)
    #expect(machine.stored.events.values.map(\.identifier) == ["shop0"])
    // Where no position comes its word counts.
    _ = try Self.tell(
      &machine, 900, .slot(SlotReport(identifier: "shop0", state: .unsatisfied, date: Self.time(900))))
    _ = try Self.tell(&machine, 940, .noFix)
    #expect(
      machine.stored.events.values.sorted { $0.sequenceNumber < $1.sequenceNumber }.map(\.state) == [
        .satisfied, .unsatisfied,
      ])
  }

  @Test("Where nobody can tell the position, it is not asked for again and again")
  func withoutPosition() throws {
    var machine = try Self.machine()
    _ = try Self.tell(&machine, 0, .wakefulness(.impossible))
    #expect(try Self.tell(&machine, 40, .noFix).filter(\.isRequest).isEmpty)
    _ = try Self.fix(&machine, 50, east: 0)
    _ = try Self.tell(
      &machine, 600, .slot(SlotReport(identifier: "shop0", state: .satisfied, date: Self.time(600))))
    #expect(try Self.tell(&machine, 640, .noFix).filter(\.isRequest).isEmpty)
    // Woken again, it is asked for again.
    let woken = try Self.tell(
      &machine, 900, .slot(SlotReport(identifier: "shop1", state: .satisfied, date: Self.time(900))))
    #expect(woken.filter(\.isRequest).count == 1)
  }

  @Test("The sentinel of the plan wakes it, and the next position plans anew")
  func sentinel() throws {
    var machine = try Self.machine()
    _ = try Self.tell(&machine, 0, .wakefulness(.impossible))
    _ = try Self.fix(&machine, 1, east: 0)
    let found = machine.sentinel
    let sentinel = try #require(found)
    let woken = try Self.tell(
      &machine, 600, .slot(SlotReport(identifier: sentinel, state: .unsatisfied, date: Self.time(600))))
    #expect(woken.contains(.requestFix(by: Self.time(600), accuracy: .best)))
    _ = try Self.fix(&machine, 605, east: 14_000, speed: 20)
    #expect(Self.registered(machine).contains("shop29") && !Self.registered(machine).contains("shop0"))
    #expect(machine.slots.count == 20)
  }

  @Test(
    "Woken by significant changes it stays awake while it moves, with the slots as they should be, and sleeps at rest"
  )
  func costly() throws {
    var machine = try Self.machine()
    _ = try Self.tell(&machine, 0, .wakefulness(.impossible))
    _ = try Self.fix(&machine, 1, east: 0)
    var commands = try Self.tell(&machine, 300, .wakefulness(.costly))
    #expect(commands.contains(.stayAwake))
    for step in 0..<20 {
      let seconds = 310 + 10 * Double(step)
      commands = try Self.fix(&machine, seconds, east: 150 * Double(step), speed: 15)
      #expect(!commands.contains(.allowSleep))
      #expect(machine.sentinel != nil && machine.slots.count == 20)
    }
    var slept = false
    for step in 0..<40 where !slept {
      commands = try Self.fix(&machine, 520 + 10 * Double(step), east: 2850)
      slept = commands.contains(.allowSleep)
    }
    #expect(slept && machine.slots.count == 20)
    // What was decided on the way: five shops in and out.
    #expect(machine.stored.events.values.filter { $0.state == .satisfied }.count == 5)
  }

  @Test("An index that is replaced by its like tears no slot down")
  func replacedIndex() throws {
    var machine = try Self.machine()
    _ = try Self.tell(&machine, 0, .wakefulness(.impossible))
    _ = try Self.fix(&machine, 1, east: 0)
    let before = Self.registered(machine).filter { $0.hasPrefix("shop") }
    #expect(before.count == 19)
    try machine.replace(regions: try Self.shops(), options: RegionOptions(), at: Self.time(2))
    let commands = machine.takeActions().commands
    #expect(!commands.contains { before.map { DeviceCommand.unregister(identifier: $0) }.contains($0) })
    #expect(Self.registered(machine).filter { $0.hasPrefix("shop") } == before)
  }

  @Test("Where staying awake is cheap again the plan's sentinel goes, and the regions keep their slots")
  func cheapAgain() throws {
    var machine = try Self.machine(.indicator)
    #expect(machine.takeActions().commands.contains(.show(.indicator)))
    _ = try Self.tell(&machine, 0, .wakefulness(.impossible))
    _ = try Self.fix(&machine, 1, east: 0)
    #expect(machine.slots.count == 20)
    let commands = try Self.tell(&machine, 60, .wakefulness(.cheap))
    #expect(machine.slots.count == 19 && !machine.slots.values.contains { $0.isSentinel })
    #expect(commands.contains(.stayAwake))
    #expect(commands.contains(.wake(by: [])))
    // What ends watching ends what is shown.
    var environment = MonitorEnvironment()
    environment.authorization = .denied
    #expect(try Self.tell(&machine, 70, .environment(environment)).contains(.show(.quiet)))
  }
}

extension DeviceCommand {
  fileprivate var isRequest: Bool {
    if case .requestFix = self { true } else { false }
  }
}
