import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityPlanner

@testable import VicinityMonitor

/// An app that slots alone wake: what wakes it where no plan can be guaranteed, and what a poor position must
/// not undo.
@Suite("Waking by slots alone")
struct SlotWakingTests {
  private static let time = MonitorTransitionTests.time

  /// Two hundred regions around the first position: more than there are slots. Only what is asked for later
  /// counts.
  private static func crowded() throws -> MonitorStateMachine {
    var machine = try MonitorStateMachine.restored(options: MonitorOptions(), now: time(0))
    for i in 0..<200 {
      try machine.add(MonitorSample.circle(Double(i * 40), radius: 150), identifier: "r\(i)", at: time(0))
    }
    try machine.receive(MonitorTransitionTests.fix(0, 1), at: time(1))
    _ = machine.takeActions()
    // The fix that the plan has asked for.
    try machine.receive(MonitorTransitionTests.fix(1, 10), at: time(10))
    _ = machine.takeActions()
    return machine
  }

  private static func sentinel(_ slots: [String: Slot]) -> Slot? { slots.values.first { $0.isSentinel } }

  private static func radius(_ slot: Slot) -> Meters? {
    if case .circle(_, let radius) = slot.condition { radius } else { nil }
  }

  @Test("A saturated plan has a sentinel, within the slots there are")
  func saturated() throws {
    let machine = try Self.crowded()
    let (plan, slots) = (machine.plan, machine.device.slots)
    #expect(plan?.saturation != nil && plan?.safeDisc == nil)
    let sentinel = try #require(Self.sentinel(slots))
    let radius = try #require(Self.radius(sentinel))
    #expect(radius >= 100)
    #expect(slots.count <= 20)
    #expect(plan?.sentinel?.identifier == sentinel.identifier)
  }

  @Test("A sentinel that is refused twice is not asked for again until something or ten minutes have passed")
  func refusedSentinel() throws {
    for isChanged in [false, true] {
      var options = MonitorOptions(strategy: .adaptive(latency: .seconds(60)))
      options.presence = .indicator
      var machine = try MonitorStateMachine.restored(options: options, now: Self.time(0))
      try machine.add(MonitorSample.circle(20_000, radius: 300), identifier: "far", at: Self.time(0))
      _ = machine.takeActions()
      let last = isChanged ? 130 : 700
      // Each time the device is where it was, far from the boundary: it could sleep.
      for (seconds, isAsked) in [(1, true), (3, true), (5, false), (65, false), (last, true)] {
        if isChanged, seconds == last {
          var environment = MonitorEnvironment()
          environment.isBluetoothOn = false
          try machine.receive(.environment(environment), at: Self.time(seconds))
        }
        try machine.receive(MonitorTransitionTests.fix(0, seconds), at: Self.time(seconds))
        let actions = machine.takeActions()
        let sentinels = actions.commands.compactMap { command -> Slot? in
          if case .register(let slot) = command, slot.isSentinel { slot } else { nil }
        }
        #expect(sentinels.isEmpty == !isAsked, "\(seconds) s: \(actions.commands)")
        #expect(actions.commands.contains(.allowSleep) == isAsked, "\(seconds) s: \(actions.commands)")
        guard let sentinel = sentinels.last else {
          #expect(actions.commands.contains(.requestFix(by: Self.time(seconds + 60))))
          #expect(actions.log.last?.reason == "the device refuses sentinels")
          continue
        }
        let report = SlotReport(
          identifier: sentinel.identifier, state: .unmonitored, date: Self.time(seconds + 1),
          diagnostics: .insufficientlyInUse)
        try machine.receive(.slot(report), at: Self.time(seconds + 1))
        _ = machine.takeActions()
      }
    }
  }

  /// Answers each request for a position a second later, where the device is, and refuses each sentinel.
  ///
  /// - Returns: When a sentinel was asked for, seconds.
  private static func refuseAll(
    _ machine: inout MonitorStateMachine, from first: Int, until end: Int
  ) throws -> [Int] {
    var (seconds, asked, due) = (first, [Int](), Timestamp?.none)
    while true {
      var sentinel: Slot?
      for command in machine.takeActions().commands {
        switch command {
        case .register(let slot) where slot.isSentinel: sentinel = slot
        case .requestFix(let time, _): due = time
        case .cancelFixRequest: due = nil
        default: break
        }
      }
      if let sentinel {
        asked.append(seconds)
        let report = SlotReport(identifier: sentinel.identifier, state: .unmonitored, date: time(seconds))
        try machine.receive(.slot(report), at: time(seconds))
      } else {
        guard let wait = due.map({ time(seconds).duration(to: $0) }) else { return asked }
        seconds += max(0, Int(wait / .seconds(1))) + 1
        if seconds > end { return asked }
        due = nil
        try machine.receive(MonitorTransitionTests.fix(0, seconds), at: time(seconds))
      }
    }
  }

  @Test(
    "Where plans' sentinels are refused, each plan asks for another: soon at first, and not without end",
    arguments: [nil, Wakefulness.costly, .impossible])
  func refusedPlans(_ wakefulness: Wakefulness?) throws {
    let strategy: Strategy = wakefulness == nil ? .slots : .adaptive(latency: .seconds(60))
    var machine = try MonitorStateMachine.restored(
      options: MonitorOptions(strategy: strategy), now: Self.time(0))
    if let wakefulness { try machine.receive(.wakefulness(wakefulness), at: Self.time(0)) }
    for i in 0..<40 {
      let far = MonitorSample.circle(20_000 + 1000 * Double(i), radius: 300)
      try machine.add(far, identifier: "far\(i)", at: Self.time(0))
    }
    let asked = try Self.refuseAll(&machine, from: 0, until: 3600)
    #expect((3...10).contains(asked.count { $0 < 70 }), "\(asked)")
    // One that cannot stay awake is suspended meanwhile, and the others look each minute.
    #expect((wakefulness == .impossible ? 0...0 : 50...60).contains(asked.count { $0 >= 70 }), "\(asked)")
    #expect(machine.follower?.isAwake != false || wakefulness == .impossible)
    // Woken a while later, each asks again.
    try machine.receive(.woken, at: Self.time(5000))
    try machine.receive(MonitorTransitionTests.fix(0, 5001), at: Self.time(5001))
    let commands = machine.takeActions().commands
    let sentinel = try #require(Self.sentinel(machine.device.slots))
    #expect(commands.contains(.register(sentinel)), "\(commands)")
    // Where one stands, the app may sleep behind it.
    let report = SlotReport(identifier: sentinel.identifier, state: .satisfied, date: Self.time(5002))
    try machine.receive(.slot(report), at: Self.time(5002))
    try machine.receive(MonitorTransitionTests.fix(0, 5062), at: Self.time(5062))
    let later = machine.takeActions().commands
    #expect(later.contains(.allowSleep) == (wakefulness == .costly), "\(later)")
    #expect(Self.sentinel(machine.device.slots) == sentinel && machine.device.requestedFix == nil)
  }

  @Test("An app that may sleep is woken by a refused sentinel, also long after the one before")
  func refusedAsleep() throws {
    var machine = try MonitorStateMachine.restored(
      options: MonitorOptions(strategy: .adaptive(latency: .seconds(60))), now: Self.time(0))
    try machine.receive(.wakefulness(.costly), at: Self.time(0))
    for i in 0..<40 {
      let far = MonitorSample.circle(20_000 + 1000 * Double(i), radius: 300)
      try machine.add(far, identifier: "far\(i)", at: Self.time(0))
    }
    var seconds = 1
    for wait in [1, 690] {
      try machine.receive(MonitorTransitionTests.fix(0, seconds), at: Self.time(seconds))
      #expect(machine.takeActions().commands.contains(.allowSleep))
      let sentinel = try #require(Self.sentinel(machine.device.slots))
      seconds += wait
      let report = SlotReport(identifier: sentinel.identifier, state: .unmonitored, date: Self.time(seconds))
      try machine.receive(.slot(report), at: Self.time(seconds))
      let commands = machine.takeActions().commands
      #expect(commands.contains(.stayAwake) && machine.follower?.isAwake == true, "\(commands)")
      seconds += 1
    }
    // It looks each minute from the second on.
    try machine.receive(MonitorTransitionTests.fix(0, seconds), at: Self.time(seconds))
    let actions = machine.takeActions()
    #expect(!actions.commands.contains(.allowSleep))
    #expect(actions.commands.contains(.requestFix(by: Self.time(seconds + 60))), "\(actions.commands)")
    #expect(actions.log.contains { $0.reason == "the device refuses sentinels" })
  }

  @Test("Without a sentinel that wakes the app for a better one, a position of cells makes a plan too")
  func refusedAndPoor() throws {
    var machine = try Self.crowded()
    let sentinel = try #require(Self.sentinel(machine.device.slots))
    let report = SlotReport(identifier: sentinel.identifier, state: .unmonitored, date: Self.time(60))
    try machine.receive(.slot(report), at: Self.time(60))
    try machine.receive(MonitorTransitionTests.fix(800, 61, accuracy: 3000), at: Self.time(61))
    let next = try #require(Self.sentinel(machine.device.slots))
    #expect(next.identifier != sentinel.identifier)
    let commands = machine.takeActions().commands
    #expect(
      commands.contains(.register(next)) && commands.contains(.unregister(identifier: sentinel.identifier)))
  }

  @Test("A sentinel that was left is replaced by a wider one until a good fix comes")
  func widened() throws {
    var machine = try Self.crowded()
    var slots = machine.device.slots
    var last = try #require(Self.sentinel(slots))
    // The second contradicts the one before: 20 km in a minute.
    for (seconds, far) in [(60, 1_500.0), (120, 20_000), (180, 2_000)] {
      let report = SlotReport(identifier: last.identifier, state: .unsatisfied, date: Self.time(seconds))
      try machine.receive(.slot(report), at: Self.time(seconds))
      slots = machine.device.slots
      let next = try #require(Self.sentinel(slots))
      #expect(next.identifier != last.identifier)
      let (radius, before) = (try #require(Self.radius(next)), try #require(Self.radius(last)))
      #expect(radius >= before + 1000)
      var due = machine.device.requestedFix ?? Timestamp(microseconds: .max)
      #expect(due <= Self.time(seconds))
      // The old slot goes first: it may be the only free one.
      let commands = machine.takeActions().commands
      #expect(
        commands.prefix(2) == [.unregister(identifier: last.identifier), .register(next)], "\(commands)")
      // A position of cells, somewhere: the slots stay as they are, and another fix is asked for, not at
      // once.
      try machine.receive(
        MonitorTransitionTests.fix(far, seconds + 1, accuracy: 3000), at: Self.time(seconds + 1))
      (slots, due) = (machine.device.slots, machine.device.requestedFix ?? Timestamp(microseconds: .max))
      #expect(Self.sentinel(slots) == next)
      #expect(due == Self.time(seconds + 10))
      _ = machine.takeActions()
      last = next
    }
    try machine.receive(MonitorTransitionTests.fix(800, 200), at: Self.time(200))
    let plan = machine.plan
    slots = machine.device.slots
    let sentinel = try #require(Self.sentinel(slots))
    #expect(plan?.sentinel?.identifier == sentinel.identifier)
    let radius = try #require(Self.radius(sentinel))
    #expect(radius < 1000)
  }

  @Test("A sentinel that the device does not watch is not widened")
  func refused() throws {
    var machine = try Self.crowded()
    var slots = machine.device.slots
    let sentinel = try #require(Self.sentinel(slots))
    try machine.receive(
      .slot(SlotReport(identifier: sentinel.identifier, state: .unmonitored, date: Self.time(60))),
      at: Self.time(60))
    slots = machine.device.slots
    let due = machine.device.requestedFix ?? Timestamp(microseconds: .max)
    #expect(Self.sentinel(slots) == sentinel && due <= Self.time(60))
  }

  @Test("What a region's slot reports makes a plan that does not hold anew")
  func reportsOfRegions() throws {
    var machine = try Self.crowded()
    let slots = machine.device.slots
    let region = try #require(slots.values.first { !$0.isSentinel })
    let report = SlotReport(identifier: region.identifier, state: .unsatisfied, date: Self.time(90))
    try machine.receive(.slot(report), at: Self.time(90))
    let due = machine.device.requestedFix ?? Timestamp(microseconds: .max)
    #expect(due <= Self.time(90))
  }

  @Test("Fixes that plans need are nine seconds apart")
  func interval() throws {
    var machine = try Self.crowded()
    for seconds in stride(from: 100, to: 200, by: 1) {
      try machine.receive(MonitorTransitionTests.fix(Double(seconds * 5), seconds), at: Self.time(seconds))
      let due = machine.device.requestedFix ?? Self.time(0)
      #expect(due >= Self.time(seconds + 9))
    }
  }

  @Test("An earlier process's sentinel goes before the region that needs its slot", arguments: [19, 20])
  func sentinelLeftOver(watched: Int) throws {
    var earlier = try MonitorStateMachine.restored(options: MonitorOptions(), now: Self.time(0))
    for i in 0..<watched {
      try earlier.add(
        MonitorSample.circle(Double(i * 400), radius: 150), identifier: "r\(i)", at: Self.time(0))
    }
    // The process ended before the phone had been told of what was removed or added last.
    var held = Set((0..<19).map { "r\($0)" } + [PlanOptions().sentinelName + "-a"])
    var machine = try MonitorStateMachine.restored(
      from: earlier.stored, options: MonitorOptions(), now: Self.time(60))
    try machine.receive(.existingSlots(held.sorted()), at: Self.time(60))
    func obey(_ commands: [DeviceCommand]) {
      for command in commands {
        switch command {
        case .register(let slot): held.insert(slot.identifier)
        case .unregister(let identifier): held.remove(identifier)
        default: break
        }
        #expect(held.count <= 20, "\(command)")
      }
    }
    obey(machine.takeActions().commands)
    // Where there is room, it stands until a position comes.
    #expect(held.count { !$0.hasPrefix("r") } == (watched < 20 ? 1 : 0))
    #expect(Set(machine.device.slots.keys) == held)
    try machine.receive(MonitorTransitionTests.fix(0, 61), at: Self.time(61))
    obey(machine.takeActions().commands)
    #expect(held.isSuperset(of: (0..<watched).map { "r\($0)" }))
  }
}
