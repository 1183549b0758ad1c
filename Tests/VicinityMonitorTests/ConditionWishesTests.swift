import Synchronization
import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor

/// Dwell, hysteresis and latency of single conditions, the log of decisions, and lists that are brought in
/// line.
@Suite("A condition's own wishes")
struct ConditionWishesTests {
  private static let start = Timestamp(microseconds: 1_700_000_000_000_000)

  private static func fix(_ seconds: Double, _ east: Meters, speed: Double = 0) -> MonitorInput {
    .fix(
      Fix(
        time: start.advanced(by: .seconds(seconds)), coordinate: MonitorSample.east(east),
        horizontalAccuracy: 5, speed: speed))
  }

  private static func monitor(
    _ options: MonitorOptions = MonitorOptions(), records: InMemoryRecords = InMemoryRecords(),
    device: RecordingDevice = RecordingDevice()
  ) async throws -> Monitor {
    try await Monitor(
      "Wishes", records: records, device: device, clock: ReplayClock(at: start), options: options)
  }

  /// The events there are, each handled.
  private static func take(_ monitor: Monitor) async throws -> [MonitoringEvent] {
    var events: [MonitoringEvent] = []
    var iterator = monitor.events.makeAsyncIterator()
    while await monitor.pendingEventCount > 0, let event = try await iterator.next() {
      events.append(event)
      // The last one counts as handled when the next is asked for, which would wait.
      if await monitor.pendingEventCount == 1 { break }
    }
    return events
  }

  @Test(
    "An entry with a dwell time comes when the stay is long enough, dated then; a shorter stay makes none")
  func dwell() async throws {
    let monitor = try await Self.monitor()
    try await monitor.add(
      MonitorSample.circle(), identifier: "a", assuming: .unsatisfied,
      options: ConditionOptions(dwell: .seconds(120)))
    for (seconds, east) in [(0.0, 500.0), (10, 0), (20, 0), (100, 500), (200, 0), (210, 0)] {
      try await monitor.receive(Self.fix(seconds, east))
    }
    #expect(await monitor.pendingEventCount == 0)
    // The time comes between two fixes; then the device leaves.
    try await monitor.receive(Self.fix(400, 0))
    // The device was at rest: a second position has to say that it left.
    try await monitor.receive(Self.fix(500, 500))
    try await monitor.receive(Self.fix(505, 500))
    let events = try await Self.take(monitor)
    #expect(events.map(\.state) == [.satisfied, .unsatisfied])
    #expect(events.first?.date == Self.start.advanced(by: .seconds(320)))
    #expect(events.last?.date == Self.start.advanced(by: .seconds(505)))
  }

  @Test("The end of a stay that was long enough makes both events, whenever it is told")
  func dwellBySlots() async throws {
    let monitor = try await Self.monitor()
    try await monitor.add(
      MonitorSample.circle(), identifier: "a", assuming: .unsatisfied,
      options: ConditionOptions(dwell: .seconds(60)))
    for (seconds, state) in [
      (0.0, MonitoringState.satisfied), (30, .unsatisfied), (100, .satisfied), (400, .unsatisfied),
    ] {
      try await monitor.receive(
        .slot(SlotReport(identifier: "a", state: state, date: Self.start.advanced(by: .seconds(seconds)))))
    }
    let events = try await Self.take(monitor)
    #expect(events.map(\.state) == [.satisfied, .unsatisfied])
    #expect(events.first?.date == Self.start.advanced(by: .seconds(160)))
  }

  @Test("The app stays awake until a stay is long enough, and then sleeps")
  func awakeForDwell() async throws {
    let device = RecordingDevice()
    let monitor = try await Self.monitor(
      MonitorOptions(strategy: .adaptive(latency: .seconds(300)), shortestVisit: .seconds(300)),
      device: device)
    try await monitor.add(
      MonitorSample.circle(radius: 300), identifier: "a", assuming: .unsatisfied,
      options: ConditionOptions(dwell: .seconds(900)))
    for seconds in stride(from: 0.0, through: 600, by: 30) { try await monitor.receive(Self.fix(seconds, 0)) }
    let asked = device.take()
    #expect(!asked.contains(.allowSleep))
    #expect(
      asked.last == .requestFix(by: Self.start.advanced(by: .seconds(900)), accuracy: .hundredMeters))
    try await monitor.receive(Self.fix(901, 0))
    #expect(device.take().contains(.allowSleep))
    #expect(try await Self.take(monitor).map(\.state) == [.satisfied])
  }

  @Test("Hysteresis is a condition's own, and can be changed while it is watched")
  func hysteresis() async throws {
    let monitor = try await Self.monitor()
    for (name, hysteresis) in [("wide", 80.0), ("narrow", 0)] {
      try await monitor.add(
        MonitorSample.circle(), identifier: name, assuming: .unsatisfied,
        options: ConditionOptions(hysteresis: hysteresis))
    }
    for (seconds, east) in [(0.0, 500.0), (30, 0), (60, 150)] {
      try await monitor.receive(Self.fix(seconds, east))
    }
    #expect(await monitor.record(for: "wide")?.lastEvent.state == .unsatisfied)
    let first = try await Self.take(monitor)
    #expect(first.map(\.identifier) == ["wide", "narrow", "narrow"])
    try await monitor.add(
      MonitorSample.circle(), identifier: "wide", options: ConditionOptions(hysteresis: 10))
    try await monitor.receive(Self.fix(90, 151))
    #expect(try await Self.take(monitor).last?.identifier == "wide")
  }

  @Test(
    "A condition with a latency of its own is looked at sooner; without it, all wait as long as the strategy says"
  )
  func latency() async throws {
    func request(_ latency: Duration?) async throws -> Duration? {
      let device = RecordingDevice()
      let monitor = try await Self.monitor(
        MonitorOptions(strategy: .adaptive(latency: .seconds(300))), device: device)
      try await monitor.add(
        MonitorSample.circle(), identifier: "a", options: ConditionOptions(latency: latency))
      try await monitor.add(MonitorSample.circle(50_000), identifier: "b")
      _ = device.take()
      try await monitor.receive(Self.fix(0, 200, speed: 10))
      for case .requestFix(let time, _) in device.take().reversed() { return Self.start.duration(to: time) }
      return nil
    }
    let usual = try #require(try await request(nil))
    let short = try #require(try await request(.seconds(10)))
    #expect(short < usual / 3)
  }

  @Test("Options out of their ranges are refused, by name, and nothing has changed")
  func refusals() async throws {
    let monitor = try await Self.monitor()
    for options in [
      ConditionOptions(latency: .seconds(9)), ConditionOptions(latency: .seconds(601)),
      ConditionOptions(hysteresis: -1), ConditionOptions(hysteresis: .nan),
      ConditionOptions(dwell: .seconds(-1)), ConditionOptions(dwell: .seconds(86_401)),
    ] {
      await #expect {
        try await monitor.add(MonitorSample.circle(), identifier: "a", options: options)
      } throws: { error in
        guard case MonitorError.conditionOption("a", _, _) = error else { return false }
        return true
      }
    }
    #expect(await monitor.identifiers.isEmpty)
  }

  @Test(
    "A list makes the conditions exactly those in it: what is there stays, with its record and its undelivered events"
  )
  func synchronize() async throws {
    let monitor = try await Self.monitor()
    func list(_ names: [String]) -> [NewCondition] {
      names.enumerated().map { i, name in
        NewCondition(MonitorSample.circle(Double(i) * 1000), identifier: name, assuming: .unsatisfied)
      }
    }
    try await monitor.synchronize(with: list(["a", "b", "c"]))
    try await monitor.receive(Self.fix(0, 0))
    #expect(await monitor.pendingEventCount == 1)
    try await monitor.synchronize(with: list(["a", "b", "d"]))
    #expect(await monitor.identifiers == ["a", "b", "d"])
    #expect(await monitor.pendingEventCount == 1)
    // One that is not valid changes nothing.
    await #expect(throws: MonitorError.self) {
      try await monitor.synchronize(
        with: list(["x"]) + [NewCondition(MonitorSample.circle(radius: .nan), identifier: "y")])
    }
    #expect(await monitor.identifiers == ["a", "b", "d"])
    let index = try RegionIndex([
      Region(identifier: "b", center: MonitorSample.east(1000), radius: 100),
      Region(identifier: "e", center: MonitorSample.east(9000), radius: 100),
    ])
    try await monitor.synchronize(with: index)
    #expect(await monitor.identifiers == ["b", "e"])
    #expect(await monitor.pendingEventCount == 0)
    try await monitor.add(index.region(at: 0))
    try await monitor.synchronize(with: [])
    #expect(await monitor.identifiers.isEmpty)
  }

  @Test("The log says why, and a replay of the same fixes makes the same log")
  func log() async throws {
    func run() async throws -> [WatchLogEntry] {
      let entries = Entries()
      let monitor = try await Self.monitor(
        MonitorOptions(strategy: .adaptive(latency: .seconds(60)), log: { entry in entries.add(entry) }))
      try await monitor.add(MonitorSample.circle(), identifier: "a")
      for i in 0..<40 {
        try await monitor.receive(Self.fix(Double(i) * 10, Double(min(i, 15)) * 80, speed: 8))
      }
      await monitor.close()
      return entries.all
    }
    let log = try await run()
    #expect(log.count > 20 && log.allSatisfy { !$0.reason.isEmpty })
    #expect(
      log.contains { $0.decision == .watch(.locate(after: .zero, .best, because: "where is the device?")) })
    #expect(log.contains { "\($0)".contains("m from a boundary") })
    #expect(try await run() == log)
  }

  private final class Entries: Sendable {
    private let entries = Mutex<[WatchLogEntry]>([])
    func add(_ entry: WatchLogEntry) { entries.withLock { $0.append(entry) } }
    var all: [WatchLogEntry] { entries.withLock { $0 } }
  }

  @Test("Slots say when they are planned anew")
  func slotLog() async throws {
    let entries = Entries()
    let monitor = try await Self.monitor(MonitorOptions(log: { entry in entries.add(entry) }))
    try await monitor.add(
      (0..<40).map { NewCondition(MonitorSample.circle(Double($0) * 500), identifier: "\($0)") })
    try await monitor.receive(Self.fix(0, 0))
    guard case .plan(let regions, let sentinel)? = entries.all.last?.decision else {
      Issue.record("no plan")
      return
    }
    #expect(regions == 19 && sentinel != nil)
  }

  @Test("On a replay a beacon's time is the inputs' time, and a sleeper wakes with them or is cancelled")
  func replay() async throws {
    let monitor = try await Self.monitor()
    try await monitor.add(
      .beacon(BeaconIdentity(uuid: MonitorSample.family)), identifier: "b", assuming: .unsatisfied)
    try await monitor.receive(.sighting(MonitorSample.sighting(at: Self.start.advanced(by: .seconds(5)))))
    try await monitor.receive(.sighting(MonitorSample.sighting(at: Self.start.advanced(by: .seconds(100)))))
    let events = try await Self.take(monitor)
    #expect(events.map(\.state) == [.satisfied, .unsatisfied, .satisfied])
    #expect(events[1].date == Self.start.advanced(by: .seconds(35)))

    let clock = ReplayClock(at: Self.start)
    let sleeper = Task { try await clock.sleep(until: Self.start.advanced(by: .seconds(1))) }
    clock.advance(to: Self.start.advanced(by: .seconds(2)))
    try await sleeper.value
    let other = Task { try await clock.sleep(until: Self.start.advanced(by: .seconds(10))) }
    other.cancel()
    await #expect(throws: CancellationError.self) { try await other.value }
  }
}
