import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex

@testable import VicinityMonitor

/// What a monitor asks of a phone that does not let it stay awake at little cost, as phones since iOS 16.4 do
/// not while nothing may be shown.
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
      options: MonitorOptions(
        strategy: .adaptive(latency: latency), shortestVisit: latency, presence: presence), now: start)
  }

  private static func time(_ seconds: Double) -> Timestamp { start.advanced(by: .seconds(seconds)) }

  private static func tell(
    _ machine: inout MonitorStateMachine, _ seconds: Double, _ input: MonitorInput
  ) throws -> [DeviceCommand] {
    try machine.receive(input, at: time(seconds))
    return machine.takeActions().commands
  }

  private static func fix(
    _ machine: inout MonitorStateMachine, _ seconds: Double, east: Meters, accuracy: Meters = 10,
    speed: Double = 0
  ) throws -> [DeviceCommand] {
    try tell(
      &machine, seconds,
      .fix(
        Fix(
          time: time(seconds), coordinate: MonitorSample.east(east), horizontalAccuracy: accuracy,
          speed: speed)))
  }

  private static func registered(_ machine: borrowing MonitorStateMachine) -> [String] {
    machine.device.slots.keys.sorted()
  }

  @Test(
    "At no step of a drive are more slots in use than there are", arguments: [Presence.indicator, .quiet])
  func roomForTheSentinel(_ presence: Presence) throws {
    var machine = try Self.machine(presence)
    var held: Set<String> = []
    var sentinels = 0
    for i in 0..<300 {
      // Fifteen kilometres to the east, and back.
      let east = i < 150 ? Double(i) * 100 : 30_000 - Double(i) * 100
      for command in try Self.fix(&machine, Double(i) * 10 + 1, east: east, speed: 10) {
        switch command {
        case .register(let slot):
          held.insert(slot.identifier)
          if slot.isSentinel { sentinels += 1 }
        case .unregister(let identifier): held.remove(identifier)
        default: break
        }
        #expect(held.count <= 20, "\(i): \(command)")
      }
      if i > 2 { #expect(held.count == 20, "\(i): \(held.sorted())") }
    }
    #expect(sentinels > 20)
  }

  @Test("Where watching is allowed again, the first thing is a position, whatever the last one was")
  func allowedAgain() throws {
    var machine = try Self.machine(.indicator)
    _ = try Self.fix(&machine, 1, east: 1000)
    _ = try Self.fix(&machine, 100, east: 1250)
    var inside = machine.inside.keys.sorted()
    #expect(inside == [])
    var denied = MonitorEnvironment()
    denied.authorization = .denied
    _ = try Self.tell(&machine, 130, .environment(denied))
    let commands = try Self.tell(&machine, 760, .environment(MonitorEnvironment()))
    let requests = commands.compactMap { if case .requestFix(let time, _) = $0 { time } else { nil } }
    #expect(requests.last == Self.time(760), "\(commands)")
    _ = try Self.fix(&machine, 761, east: 5000)
    inside = machine.inside.keys.sorted()
    #expect(inside == ["shop9"])
  }

  @Test(
    "An app that cannot stay awake has all slots, asks for a position where it is woken, and sleeps again")
  func unableToStayAwake() throws {
    var machine = try Self.machine()
    let first = try Self.tell(&machine, 0, .wakefulness(.impossible))
    #expect(first.contains(.wake(by: [.significantChanges])))
    #expect(!first.contains(.stayAwake) || first.contains(.allowSleep))
    let planned = try Self.fix(&machine, 1, east: 0)
    #expect(machine.device.slots.count == 20 && machine.device.sentinel != nil)
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

  @Test("A position of cells near a boundary does not outweigh what the device says of its slots")
  func slotBesideCells() throws {
    /// What is told after a slot's word, a position of cells, and more.
    func told(
      cells east: Meters, then more: (inout MonitorStateMachine) throws -> Void
    ) throws -> [MonitoringState] {
      var machine = try Self.machine()
      _ = try Self.tell(&machine, 0, .wakefulness(.impossible))
      _ = try Self.fix(&machine, 1, east: 0)
      _ = try Self.tell(
        &machine, 600, .slot(SlotReport(identifier: "shop0", state: .satisfied, date: Self.time(600))))
      _ = try Self.fix(&machine, 605, east: east, accuracy: 3000)
      #expect(machine.stored.events.isEmpty)
      try more(&machine)
      return machine.stored.events.values.sorted { $0.sequenceNumber < $1.sequenceNumber }.map(\.state)
    }
    // A better position tells more.
    #expect(try told(cells: 0) { _ = try Self.fix(&$0, 610, east: 0) } == [])
    #expect(try told(cells: 0) { _ = try Self.fix(&$0, 610, east: 500) } == [.satisfied])
    // Where none comes the device's word counts, unless it has said the contrary since.
    #expect(try told(cells: 0) { _ = try Self.tell(&$0, 640, .noFix) } == [.satisfied])
    let again = try told(cells: 0) {
      let report = SlotReport(identifier: "shop0", state: .unsatisfied, date: Self.time(630))
      _ = try Self.tell(&$0, 630, .slot(report))
      _ = try Self.tell(&$0, 640, .noFix)
    }
    #expect(again == [])
    // Far from all boundaries cells tell enough.
    #expect(try told(cells: -20_000) { _ = try Self.tell(&$0, 640, .noFix) } == [])
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
    let found = machine.device.sentinel
    let sentinel = try #require(found)
    let woken = try Self.tell(
      &machine, 600, .slot(SlotReport(identifier: sentinel, state: .unsatisfied, date: Self.time(600))))
    #expect(woken.contains(.requestFix(by: Self.time(600), accuracy: .best)))
    _ = try Self.fix(&machine, 605, east: 14_000, speed: 20)
    #expect(Self.registered(machine).contains("shop29") && !Self.registered(machine).contains("shop0"))
    #expect(machine.device.slots.count == 20)
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
      #expect(machine.device.sentinel != nil && machine.device.slots.count == 20)
    }
    var slept = false
    for step in 0..<40 where !slept {
      commands = try Self.fix(&machine, 520 + 10 * Double(step), east: 2850)
      slept = commands.contains(.allowSleep)
    }
    #expect(slept && machine.device.slots.count == 20)
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

  @Test(
    "With the bar the nearest regions hold the free slots too, chosen anew with each sentinel, before the app sleeps"
  )
  func shownSlots() throws {
    var machine = try Self.machine(.indicator, latency: .seconds(600))
    var commands = try Self.fix(&machine, 1, east: 0)
    func shops(_ commands: [DeviceCommand]) -> Int {
      commands.count { if case .register(let slot) = $0 { !slot.isSentinel } else { false } }
    }
    #expect(shops(commands) == 19 && machine.device.slots.count == 19 && machine.follower?.sentinel != nil)
    // At rest it sleeps, and that comes last.
    var seconds = 1.0
    while commands.last != .allowSleep, seconds < 1000 {
      seconds += 60
      commands = try Self.fix(&machine, seconds, east: 0)
    }
    #expect(commands.last == .allowSleep && commands.count { $0 == .allowSleep } == 1)
    #expect(machine.device.slots.count == 19)
    // A slot's event wakes the app for a position, which decides.
    let identifier = try #require(machine.device.slots.keys.sorted().first)
    let isInside = machine.inside[identifier] != nil
    let woken = try Self.tell(
      &machine, seconds + 60,
      .slot(
        SlotReport(
          identifier: identifier, state: isInside ? .unsatisfied : .satisfied, date: Self.time(seconds + 60)))
    )
    #expect(woken.contains(.stayAwake) && woken.contains { $0.isRequest })
    // Elsewhere the slots hold others.
    let before = Set(machine.device.slots.keys)
    for step in 1...2 { _ = try Self.fix(&machine, seconds + 60 + 10 * Double(step), east: 8000, speed: 20) }
    #expect(machine.device.slots.count == 19 && Set(machine.device.slots.keys) != before)
    // One that the phone refuses gives its slot back, so that the phone does not ask for it again, and is
    // watched all the same.
    let refused = try #require(machine.device.slots.keys.sorted().first)
    let given = try Self.tell(
      &machine, seconds + 100,
      .slot(SlotReport(identifier: refused, state: .unmonitored, date: Self.time(seconds + 100))))
    #expect(given == [.unregister(identifier: refused)])
    #expect(machine.device.slots[refused] == nil && machine.suspension(of: refused)?.isEmpty == true)
    #expect(!machine.stored.events.values.contains { $0.identifier == refused && $0.state == .unmonitored })
  }

  @Test("Who sleeps from the first position on has asked for its slots before")
  func slotsBeforeSleep() throws {
    var machine = try MonitorStateMachine.restored(
      regions: try Self.shops(), options: MonitorOptions(strategy: .custom(Sleeper()), presence: .indicator),
      now: Self.start)
    let commands = try Self.fix(&machine, 1, east: 5000)
    #expect(commands.firstIndex(of: .allowSleep) == commands.count - 1, "\(commands)")
    let registered = commands.compactMap { if case .register(let slot) = $0 { slot } else { nil } }
    #expect(registered.count { $0.isSentinel } == 1 && registered.count { !$0.isSentinel } == 19)
  }

  @Test("Where no device says what staying awake takes, a forecast counts on a phone of today")
  func forecastsOfReplays() throws {
    for (presence, latency, recall) in [(Presence.indicator, 120, 0.95), (.quiet, 1800, 0.35)] {
      var machine = try Self.machine(presence)
      _ = try Self.fix(&machine, 1, east: 5000)
      #expect(machine.forecast == LatencyForecast(latency: .seconds(latency), recall: recall))
      // A phone says so where it takes more than little.
      _ = try Self.tell(&machine, 2, .existingSlots([]))
      _ = try Self.fix(&machine, 3, east: 5000)
      #expect(machine.forecast == LatencyForecast(latency: .seconds(120), recall: 0.95))
    }
  }

  @Test("A forecast says what can be promised: by what it takes to stay awake, and by the regions around")
  func forecasts() throws {
    let phone = PhoneTimes(position: 6, medianExit: 100, lateExit: 200)
    let strategy = AdaptiveStrategy(latency: .seconds(30), phone: phone)
    let shown = try #require(strategy.forecast(radius: 300, wakefulness: .cheap))
    #expect(shown == LatencyForecast(latency: .seconds(60), recall: 0.95))
    #expect(!shown.allows(latency: .seconds(30)) && shown.allows(latency: .seconds(60)))
    let small = try #require(strategy.forecast(radius: 120, wakefulness: .cheap))
    #expect(!small.allows(latency: .seconds(60)) && small.allows(latency: .seconds(120)))
    for wakefulness in [Wakefulness.costly, .impossible] {
      let unseen = try #require(strategy.forecast(radius: 300, wakefulness: wakefulness))
      #expect(unseen.latency == .seconds(360) && !unseen.allows(latency: .seconds(600)))
      #expect(unseen.allows(latency: .seconds(400), recall: 0.7))
      #expect(!unseen.allows(latency: .seconds(300), recall: 0.7))
    }
    // Who can wait for minutes is let sleep at rest, and hears of a departure when an exit and a position
    // have come.
    let patient = AdaptiveStrategy(latency: .seconds(300), phone: phone)
    let resting = try #require(patient.forecast(radius: 300, wakefulness: .cheap))
    #expect(resting == LatencyForecast(latency: .seconds(206), recall: 0.9))
    #expect(!resting.allows(latency: .seconds(300)) && resting.allows(latency: .seconds(206), recall: 0.9))
    let restingSmall = patient.forecast(radius: 120, wakefulness: .cheap)
    #expect(restingSmall == LatencyForecast(latency: .seconds(206), recall: 0.82))
    #expect(
      patient.forecast(radius: 300, wakefulness: .impossible)
        == strategy.forecast(radius: 300, wakefulness: .impossible))
    let careful = AdaptiveStrategy(latency: .seconds(120), phone: phone)
    #expect(careful.forecast(radius: 300, wakefulness: .cheap) == shown)
    // Among small regions two minutes were kept everywhere, and one was not.
    let smallest = try #require(careful.forecast(radius: 120, wakefulness: .cheap))
    #expect(smallest.allows(latency: .seconds(300)) && !smallest.allows(latency: .seconds(60)))
    // The monitor's own, from its first position on.
    var machine = try Self.machine(.indicator)
    let none = machine.forecast
    #expect(none == nil)
    _ = try Self.fix(&machine, 1, east: 0)
    let early = machine.forecast
    let first = try #require(early)
    _ = try Self.tell(&machine, 60, .wakefulness(.impossible))
    let late = machine.forecast
    let later = try #require(late)
    #expect(first.latency < later.latency && first.recall > later.recall)
    var plain = try MonitorStateMachine.restored(options: MonitorOptions(), now: Self.time(0))
    try plain.add(.circle(center: MonitorSample.east(0), radius: 100), identifier: "a", at: Self.time(0))
    let silent = plain.forecast
    #expect(silent == nil)
  }

  @Test("Where staying awake is cheap again the plan's sentinel goes, and the regions keep their slots")
  func cheapAgain() throws {
    var machine = try Self.machine(.indicator)
    #expect(machine.takeActions().commands.contains(.show(.indicator)))
    _ = try Self.tell(&machine, 0, .wakefulness(.impossible))
    _ = try Self.fix(&machine, 1, east: 0)
    #expect(machine.device.slots.count == 20)
    let commands = try Self.tell(&machine, 60, .wakefulness(.cheap))
    #expect(machine.device.slots.count == 19 && !machine.device.slots.values.contains { $0.isSentinel })
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

/// Sleeps behind a sentinel from the first position on.
private struct Sleeper: MonitoringStrategy {
  var name: String { "sleeper" }
  var needs: StrategyNeeds { .backgroundLocation }
  func decide(_ situation: WatchSituation) -> WatchDecision { .sleep(radius: 200, because: "always") }
}
