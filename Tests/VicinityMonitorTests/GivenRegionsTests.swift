import Testing
import VicinityGeodesy
import VicinityIndex

@testable import VicinityCrossings
@testable import VicinityMonitor

/// The regions of an index: replaced while the monitor runs, treated by options, suspended, and stored as
/// conditions before.
@Suite("Regions of an index")
struct GivenRegionsTests {
  private static let start = Timestamp(microseconds: 1_700_000_000_000_000)

  private static func time(_ seconds: Int) -> Timestamp { start.advanced(by: .seconds(seconds)) }

  private static func shop(_ identifier: String, _ east: Meters, radius: Meters = 100) -> Region {
    Region(identifier: identifier, center: MonitorSample.east(east), radius: radius)
  }

  /// A machine, and the time of its last fix.
  private struct Run: ~Copyable {
    var machine: MonitorStateMachine
    var seconds = 0

    init(
      _ regions: [Region], _ options: RegionOptions = RegionOptions(),
      stored: StoredMonitor = StoredMonitor(), at seconds: Int = 0, rule: CrossingRule? = nil,
      environment: MonitorEnvironment = MonitorEnvironment(), strategy: Strategy = .slots
    ) throws {
      self.seconds = seconds
      machine = try MonitorStateMachine.restored(
        from: stored, regions: regions.isEmpty ? nil : try RegionIndex(regions), regionOptions: options,
        options: MonitorOptions(
          strategy: strategy, crossings: rule.map { CrossingOptions(rule: $0) }),
        environment: environment, now: time(seconds))
    }

    mutating func fix(_ east: Meters, accuracy: Meters = 5) throws {
      seconds += 300
      try machine.receive(
        .fix(Fix(time: time(seconds), coordinate: MonitorSample.east(east), horizontalAccuracy: accuracy)),
        at: time(seconds))
    }

    mutating func replace(_ regions: [Region], _ options: RegionOptions = RegionOptions()) throws {
      try machine.replace(regions: try RegionIndex(regions), options: options, at: time(seconds))
    }

    mutating func allow(_ isAllowed: Bool) throws {
      var environment = MonitorEnvironment()
      if !isAllowed { environment.authorization = .denied }
      try machine.receive(.environment(environment), at: time(seconds))
    }

    /// The events that have not been handled: `a satisfied`.
    var told: [String] {
      machine.stored.events.values.sorted { $0.sequenceNumber < $1.sequenceNumber }
        .map { "\($0.identifier) \($0.state)" }
    }

    mutating func handleAll() {
      while machine.journal.nextEvent() != nil { machine.journal.handled() }
    }
  }

  private static let rules: [CrossingRule?] = [nil, .naive]

  @Test(
    "What stays keeps its state, record and undelivered events; what goes loses them; what is new is entered",
    arguments: rules)
  func replaces(rule: CrossingRule?) throws {
    var run = try Run(
      [Self.shop("a", 0), Self.shop("b", 50), Self.shop("c", 0, radius: 150), Self.shop("far", 9000)],
      rule: rule)
    try run.machine.add(MonitorSample.circle(0, radius: 300), identifier: "added", at: Self.time(0))
    try run.fix(8000)
    try run.fix(20)
    #expect(
      run.told == ["added unsatisfied", "a satisfied", "b satisfied", "c satisfied", "added satisfied"])
    let record = try #require(run.machine.stored.conditions["b"])
    // Other ordinals; `c` has moved a little, `new` is where the device is.
    try run.replace([
      Self.shop("far", 9000), Self.shop("new", 30), Self.shop("c", 1, radius: 150), Self.shop("b", 50),
    ])
    #expect(run.told == ["added unsatisfied", "b satisfied", "added satisfied"])
    #expect(run.machine.stored.conditions["b"] == record)
    #expect(Set(run.machine.stored.conditions.keys) == ["b", "added"])
    #expect(Set(run.machine.inside.keys) == ["b", "added"])
    try run.fix(20)
    #expect(
      run.told == ["added unsatisfied", "b satisfied", "added satisfied", "new satisfied", "c satisfied"])
    for _ in 0..<2 { try run.fix(8000) }
    #expect(
      run.told.suffix(4) == ["new unsatisfied", "c unsatisfied", "b unsatisfied", "added unsatisfied"])
    #expect(run.machine.stored.conditions["a"] == nil)
    // None at all, and then one again.
    try run.machine.replace(regions: nil, options: RegionOptions(), at: Self.time(run.seconds))
    #expect(Set(run.machine.stored.conditions.keys) == ["added"])
    try run.replace([Self.shop("b", 50)])
    try run.fix(20)
    #expect(run.told.suffix(2) == ["b satisfied", "added satisfied"])
  }

  @Test("A replaced index is what slots are planned from, and what stays in a slot is not torn down")
  func slots() throws {
    var run = try Run((0..<40).map { Self.shop("shop \($0)", 400 * Double($0)) })
    try run.fix(0)
    let before = Set(run.machine.device.slots.values.filter { !$0.isSentinel }.map(\.identifier))
    _ = run.machine.takeActions()
    // Every second one.
    try run.replace(stride(from: 0, to: 40, by: 2).map { Self.shop("shop \($0)", 400 * Double($0)) })
    let commands = run.machine.takeActions().commands
    for case .unregister(let identifier) in commands where before.contains(identifier) {
      #expect(Int(identifier.split(separator: " ")[1])?.isMultiple(of: 2) == false, "\(identifier)")
    }
    let after = Set(run.machine.device.slots.values.filter { !$0.isSentinel }.map(\.identifier))
    #expect(
      !after.isEmpty && after.allSatisfy { Int($0.split(separator: " ")[1])?.isMultiple(of: 2) == true })
    #expect(before.intersection(after).count > 3)
    #expect(run.machine.device.slots.count <= 20)
  }

  @Test(
    "A condition that is a region of the index today keeps its record, where the shape is the same",
    arguments: [false, true])
  func kindChange(isRunning: Bool) throws {
    var run = try Run(isRunning ? [Self.shop("x", 9000)] : [])
    let options = ConditionOptions(latency: .seconds(20), dwell: .seconds(100))
    try run.machine.add(
      Condition(Self.shop("shop", 0).shape), identifier: "shop", options: options, assuming: .unsatisfied,
      at: Self.time(0))
    try run.machine.add(
      MonitorSample.circle(0, radius: 80), identifier: "moved", assuming: .unsatisfied, at: Self.time(0))
    try run.machine.add(
      .beacon(BeaconIdentity(uuid: MonitorSample.family)), identifier: "till", assuming: .unsatisfied,
      at: Self.time(0))
    for east in [8000.0, 0, 0, 0] { try run.fix(east) }
    #expect(run.told == ["moved satisfied", "shop satisfied"])
    let shops = [Self.shop("shop", 0), Self.shop("moved", 0, radius: 90), Self.shop("till", 7000)]
    let regionOptions = RegionOptions(ConditionOptions(hysteresis: 30))
    if isRunning {
      try run.replace(shops, regionOptions)
    } else {
      run = try Run(shops, regionOptions, stored: run.machine.stored, at: run.seconds)
    }
    #expect(run.told == ["shop satisfied"])
    let record = try #require(run.machine.stored.conditions["shop"])
    #expect(record.isGiven && record.record.options == ConditionOptions(hysteresis: 30))
    #expect(Set(run.machine.inside.keys) == ["shop"])
    #expect(run.machine.device.slots.values.allSatisfy { $0.condition.kind == .geographic })
    #expect(throws: MonitorError.given(identifier: "shop")) {
      try run.machine.remove("shop", at: Self.time(run.seconds))
    }
    try run.fix(0)
    // The device has been in it all the time; the one of another shape begins anew.
    #expect(run.told == ["shop satisfied", "moved satisfied"])
    for _ in 0..<2 { try run.fix(8000) }
    #expect(run.told.suffix(2) == ["shop unsatisfied", "moved unsatisfied"])
  }

  @Test(
    "A region of the index that is added as a condition tomorrow keeps its record, when no index is given")
  func backAgain() throws {
    var run = try Run([Self.shop("shop", 0)])
    for east in [8000.0, 0] { try run.fix(east) }
    run = try Run([], stored: run.machine.stored, at: run.seconds)
    try run.machine.add(Condition(Self.shop("shop", 0).shape), identifier: "shop", at: Self.time(run.seconds))
    #expect(run.machine.stored.conditions["shop"]?.isGiven == false && run.told == ["shop satisfied"])
    for _ in 0..<2 { try run.fix(0) }
    #expect(run.told == ["shop satisfied"])
    for _ in 0..<2 { try run.fix(8000) }
    #expect(run.told == ["shop satisfied", "shop unsatisfied"])
    // Under another shape it begins anew, and can be removed.
    run = try Run([Self.shop("shop", 0)], stored: run.machine.stored, at: run.seconds)
    run = try Run([], stored: run.machine.stored, at: run.seconds)
    try run.machine.add(MonitorSample.circle(0, radius: 50), identifier: "shop", at: Self.time(run.seconds))
    try run.fix(0)
    #expect(run.told == ["shop satisfied"])
    try run.machine.remove("shop", at: Self.time(run.seconds))
    #expect(run.machine.watchedRegions.count == 0 && run.machine.stored.conditions.isEmpty)
  }

  @Test(
    "Regions that the device is in become unmonitored, each by an event; those it has left, and the others, say nothing",
    arguments: rules)
  func suspension(rule: CrossingRule?) throws {
    let shops = (0..<500).map { Self.shop("far \($0)", 20_000 + 300 * Double($0)) }
    var run = try Run([Self.shop("a", 0), Self.shop("b", 1000)] + shops, rule: rule)
    for east in [8000.0, 1000, 0, 0] { try run.fix(east) }
    #expect(run.told == ["b satisfied", "a satisfied", "b unsatisfied"])
    run.handleAll()
    try run.allow(false)
    #expect(run.told == ["a unmonitored"])
    #expect(run.machine.stored.events.values.allSatisfy { $0.diagnostics == .authorizationDenied })
    #expect(run.machine.suspension(of: "b") == .authorizationDenied)
    #expect(run.machine.suspension(of: "far 7") == .authorizationDenied && run.machine.inside.isEmpty)
    #expect(run.machine.device.slots.isEmpty)
    run.handleAll()
    // What is not watched is not decided, in the next process neither.
    try run.fix(1000)
    run = try Run(
      [Self.shop("a", 0), Self.shop("b", 1000)] + shops, stored: run.machine.stored, at: run.seconds,
      rule: rule, environment: run.machine.environment)
    try run.fix(20_000)
    #expect(run.told.isEmpty)
    try run.allow(true)
    #expect(run.told.isEmpty && run.machine.suspension(of: "far 7")?.isEmpty == true)
    for _ in 0..<2 { try run.fix(20_000) }
    #expect(Set(run.told) == ["a unsatisfied", "far 0 satisfied"])
    for _ in 0..<2 { try run.fix(0) }
    #expect(Set(run.told.suffix(2)) == ["a satisfied", "far 0 unsatisfied"])
    for _ in 0..<2 { try run.fix(1000) }
    #expect(Set(run.told.suffix(2)) == ["a unsatisfied", "b satisfied"])
    // Of what was left nothing is told, however often the app is left and opened again.
    for _ in 0..<2 { try run.fix(8000) }
    run.handleAll()
    for _ in 0..<5 {
      try run.allow(false)
      try run.allow(true)
      for _ in 0..<2 { try run.fix(8000) }
    }
    #expect(run.told.isEmpty)
  }

  @Test("The usual dwell time and hysteresis count for all regions, and not for the exceptions")
  func options() throws {
    let options = RegionOptions(
      ConditionOptions(hysteresis: 60, dwell: .seconds(150)), exceptions: ["quick": ConditionOptions()])
    var run = try Run([Self.shop("slow", 0), Self.shop("quick", 0), Self.shop("other", 3000)], options)
    for east in [8000.0, 0] { try run.fix(east) }
    #expect(run.told == ["quick satisfied"] && run.machine.stored.conditions["slow"] == nil)
    for _ in 0..<3 { try run.fix(0) }
    #expect(run.told == ["quick satisfied", "slow satisfied"])
    #expect(run.machine.stored.conditions["slow"]?.record.options == options.usual)
    // Fifty metres beyond the boundary, for as long as it takes.
    for _ in 0..<4 { try run.fix(150) }
    #expect(run.told == ["quick satisfied", "slow satisfied", "quick unsatisfied"])
    for _ in 0..<2 { try run.fix(400) }
    #expect(run.told.last == "slow unsatisfied")
    // A stay that is too short makes no record, and one that is suspended neither.
    try run.fix(3000)
    try run.allow(false)
    try run.allow(true)
    for _ in 0..<2 { try run.fix(9000) }
    #expect(run.machine.stored.conditions["other"] == nil)
  }

  @Test("The usual latency asks for a shorter one near any region but the exceptions")
  func latency() throws {
    let index = try RegionIndex((0..<30).map { Self.shop("shop \($0)", 100 * Double($0), radius: 300) })
    var wishes = LatencyWishes()
    try wishes.measure(at: MonitorSample.east(-500))
    #expect(wishes.measured.isEmpty)
    wishes.setAll(of: index, latency: .seconds(20), except: [])
    try wishes.measure(at: MonitorSample.east(-500))
    #expect(wishes.measured.count == 1 && wishes.measured[0].latency == .seconds(20))
    #expect(abs(wishes.measured[0].clearance - 200) < 0.5)
    wishes.setAll(of: index, latency: .seconds(20), except: (0..<20).map { "shop \($0)" } + ["gone"])
    try wishes.measure(at: MonitorSample.east(-500))
    #expect(abs(wishes.measured[0].clearance - 2200) < 0.5)
    // One of their own of the same and of another latency.
    try wishes.insert(Self.shop("mine", 0, radius: 100), latency: .seconds(20))
    try wishes.insert(Self.shop("yours", 0, radius: 50), latency: .seconds(10))
    try wishes.measure(at: MonitorSample.east(-500))
    #expect(wishes.measured.map(\.latency) == [.seconds(10), .seconds(20)])
    #expect(abs(wishes.measured[0].clearance - 450) < 0.5 && abs(wishes.measured[1].clearance - 400) < 0.5)
    wishes.setAll(of: index, latency: nil, except: [])
    try wishes.remove("mine")
    try wishes.remove("yours")
    try wishes.measure(at: MonitorSample.east(-500))
    #expect(wishes.measured.isEmpty)
    // The strategy hears of it.
    var run = try Run(
      [Self.shop("shop", 0), Self.shop("slow", 3000)],
      RegionOptions(ConditionOptions(latency: .seconds(10)), exceptions: ["slow": ConditionOptions()]),
      strategy: .adaptive(latency: .seconds(300)))
    try run.fix(2500)
    #expect(run.machine.decider.tracker.wishes.measured.map { $0.latency } == [.seconds(10)])
    #expect(abs((run.machine.decider.tracker.wishes.measured.first?.clearance ?? 0) - 2400) < 1)
  }

  @Test(
    "Pinned regions hold a slot wherever the device is, as long as there are slots; the others go on being watched",
    arguments: [Strategy.slots, .adaptive(latency: .seconds(60))])
  func pinned(strategy: Strategy) throws {
    let shops = (0..<60).map { Self.shop("shop \($0)", 400 * Double($0)) }
    let pins = (30..<60).map { "shop \($0)" }
    var run = try Run(
      shops,
      RegionOptions(
        exceptions: Dictionary(uniqueKeysWithValues: pins.map { ($0, ConditionOptions(isPinned: true)) })),
      strategy: strategy)
    try run.fix(0)
    let held = Set(run.machine.device.slots.keys)
    #expect(held.isSuperset(of: ["shop 30", "shop 31"]) && !held.contains("shop 59") && held.count <= 20)
    #expect(run.machine.suspension(of: "shop 59")?.isEmpty == true)
    // Without a slot, it is watched as others are.
    for _ in 0..<2 { try run.fix(400 * 59) }
    #expect(run.told.last == "shop 59 satisfied")
    try run.replace(shops, RegionOptions(exceptions: ["shop 50": ConditionOptions(isPinned: true)]))
    for _ in 0..<2 { try run.fix(0) }
    #expect(run.machine.device.slots["shop 50"] != nil && run.machine.device.slots["shop 45"] == nil)
  }

  @Test("Options out of their ranges change nothing")
  func refusals() throws {
    var run = try Run([Self.shop("a", 0)])
    for options in [
      RegionOptions(ConditionOptions(isPinned: true)), RegionOptions(ConditionOptions(latency: .seconds(1))),
      RegionOptions(exceptions: ["a": ConditionOptions(hysteresis: -1)]),
    ] {
      #expect(throws: MonitorError.self) { try run.replace([Self.shop("b", 0)], options) }
      #expect(throws: MonitorError.self) { _ = try Run([Self.shop("b", 0)], options) }
    }
    for east in [8000.0, 0] { try run.fix(east) }
    #expect(run.told == ["a satisfied"])
  }

  @Test(
    "At rest a slot that is left and entered again by errors makes no events; one that the device has left does"
  )
  func slotReports() throws {
    var run = try Run([Self.shop("shop", 0), Self.shop("far", 30_000)])
    try run.fix(8000)
    for _ in 0..<5 { try run.fix(92) }
    #expect(run.told == ["shop satisfied"])
    func report(_ state: MonitoringState, _ machine: inout MonitorStateMachine, at seconds: Int) throws
      -> Bool
    {
      _ = machine.takeActions()
      try machine.receive(
        .slot(SlotReport(identifier: "shop", state: state, date: Self.time(seconds))), at: Self.time(seconds))
      return machine.takeActions().commands.contains {
        if case .requestFix = $0 { true } else { false }
      }
    }
    for _ in 0..<10 {
      run.seconds += 600
      let isAsked = try report(.unsatisfied, &run.machine, at: run.seconds)
      #expect(isAsked)
      // A dozen metres beyond the boundary, good to fifteen.
      try run.fix(112, accuracy: 15)
      try run.fix(74, accuracy: 15)
      run.seconds += 600
      _ = try report(.satisfied, &run.machine, at: run.seconds)
    }
    #expect(run.told == ["shop satisfied"])
    // Without a position the report counts.
    _ = try report(.unsatisfied, &run.machine, at: run.seconds)
    try run.machine.receive(.noFix, at: Self.time(run.seconds))
    #expect(run.told == ["shop satisfied", "shop unsatisfied"])
    _ = try report(.satisfied, &run.machine, at: run.seconds)
    try run.machine.receive(.noFix, at: Self.time(run.seconds))
    #expect(run.told.last == "shop satisfied")
    // Gone: the first position must be confirmed, and then the slot's word is not needed; where it is too
    // near to tell, it is.
    _ = try report(.unsatisfied, &run.machine, at: run.seconds)
    for _ in 0..<2 { try run.fix(160) }
    #expect(run.told.suffix(1) == ["shop unsatisfied"])
  }
}
