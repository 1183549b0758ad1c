import Synchronization
import Testing
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityCrossings
@testable import VicinityMonitor

/// One notification for a stay, whatever happens in between.
@Suite struct EntryNotifierTests {
  private static func event(_ state: MonitoringState, _ number: UInt64, _ identifier: String = "a")
    -> MonitoringEvent
  {
    MonitoringEvent(
      identifier: identifier, state: state, date: Timestamp(microseconds: Int64(number)),
      sequenceNumber: number)
  }

  @Test func theTableOfSteps() {
    let entry = Self.event(.satisfied, 7)
    let table: [(MonitoringState, UInt64, UInt64, [EntryNotifier.Step])] = [
      // State, number, told, steps.
      (.satisfied, 7, 0, [.post(entry), .remember(7)]),
      (.satisfied, 7, 7, []),  // Again, after it was stored.
      (.satisfied, 9, 7, []),  // After not having been monitored.
      (.unsatisfied, 8, 7, [.remember(0)]),
      (.unsatisfied, 8, 0, []),  // Again; or of a stay that nobody was told of.
      (.unsatisfied, 5, 7, []),  // Older than the stay.
      (.unmonitored, 8, 7, []),
      (.unmonitored, 8, 0, []),
      (.unknown, 8, 7, []),
      (.unknown, 8, 0, []),
      (.satisfied, 0, 0, []),  // What a record begins with.
    ]
    for (state, number, told, steps) in table {
      #expect(EntryNotifier.steps(for: Self.event(state, number), told: told) == steps)
    }
    #expect(EntryNotifier.identifier(entry, in: "Zones") == "Zones.entry.7")
  }

  /// A process that handles a monitor's events, and may end after any instruction; the store and the phone
  /// stay.
  private struct Phone {
    var stored = StoredMonitor()
    var scheduler = NotificationScheduler(authorization: .authorized, at: Timestamp(microseconds: 0))
    var posts: [String: Int] = [:]
    /// So many instructions from now the process ends.
    var instructionsLeft = Int.max

    struct Ended: Error {}

    mutating func step() throws {
      if instructionsLeft == 0 { throw Ended() }
      instructionsLeft -= 1
    }

    mutating func run() throws {
      while let event = stored.events.values.min(by: { $0.sequenceNumber < $1.sequenceNumber }) {
        let told = stored.conditions[event.identifier]?.notifiedSequenceNumber ?? 0
        for each in EntryNotifier.steps(for: event, told: told) {
          try step()
          switch each {
          case .post(let event):
            let identifier = EntryNotifier.identifier(event, in: "m")
            _ = try scheduler.add(
              NotificationRequest(identifier: identifier, title: event.identifier), at: event.date)
            posts[identifier, default: 0] += 1
          case .remember(let number):
            stored.apply(.notified(identifier: event.identifier, sequenceNumber: number))
          }
        }
        try step()
        stored.apply(.handled(sequenceNumber: event.sequenceNumber))
      }
    }
  }

  private static func phone(_ identifiers: [String]) -> Phone {
    var phone = Phone()
    for (i, identifier) in identifiers.enumerated() {
      let event = MonitoringEvent(
        identifier: identifier, state: .unknown, date: Timestamp(microseconds: 0))
      phone.stored.apply(
        .put(
          StoredCondition(
            identifier: identifier, number: UInt64(i + 1),
            record: MonitoringRecord(
              condition: .circle(center: Coordinate(latitude: 0, longitude: 0), radius: 1),
              lastEvent: event))))
    }
    return phone
  }

  /// The entries that begin stays.
  private static func stays(_ events: [MonitoringEvent]) -> Set<String> {
    var inside: Set<String> = []
    var entries: Set<String> = []
    for event in events {
      if event.state == .unsatisfied { inside.remove(event.identifier) }
      if event.state == .satisfied, inside.insert(event.identifier).inserted {
        entries.insert("m.entry.\(event.sequenceNumber)")
      }
    }
    return entries
  }

  private static let states: [MonitoringState] = [
    .satisfied, .unmonitored, .satisfied, .unsatisfied, .unmonitored, .satisfied, .unsatisfied, .satisfied,
  ]

  @Test func aCrashAtEveryInstruction() throws {
    let events = Self.states.enumerated().map { Self.event($1, UInt64($0 + 1)) }
    let expected = Self.stays(events)
    #expect(expected == ["m.entry.1", "m.entry.6", "m.entry.8"])
    for crash in 0..<30 {
      for second in [0, 1, 2, 3, .max] {
        var phone = Self.phone(["a"])
        for event in events { phone.stored.apply(.enqueue(event)) }
        phone.instructionsLeft = crash
        var relaunches = 0
        while true {
          do {
            try phone.run()
            break
          } catch is Phone.Ended {
            relaunches += 1
            phone.instructionsLeft = relaunches == 1 ? second : .max
          }
        }
        #expect(Set(phone.scheduler.delivered.map(\.request.identifier)) == expected, "\(crash), \(second)")
        #expect(phone.posts.values.allSatisfy { $0 <= 1 + relaunches })
        if relaunches == 0 { #expect(phone.posts.values.allSatisfy { $0 == 1 }) }
        #expect(phone.stored.conditions["a"]?.notifiedSequenceNumber == 8)
      }
    }
  }

  @Test(arguments: 0..<100 as Range<UInt64>) func anyEventsAnyCrashes(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let identifiers = ["a", "b", "c"]
    var phone = Self.phone(identifiers)
    var events: [MonitoringEvent] = []
    var relaunches = 0
    for _ in 0..<60 {
      for _ in 0..<random.below(4) {
        let state: MonitoringState = [.satisfied, .unsatisfied, .unmonitored][random.below(3)]
        let event = Self.event(state, UInt64(events.count + 1), identifiers[random.below(3)])
        events.append(event)
        phone.stored.apply(.enqueue(event))
      }
      phone.instructionsLeft = random.below(2) == 0 ? random.below(8) : .max
      do { try phone.run() } catch is Phone.Ended { relaunches += 1 }
    }
    phone.instructionsLeft = .max
    try phone.run()
    #expect(
      Set(phone.scheduler.delivered.map(\.request.identifier)) == Self.stays(events), "seed \(seed)")
    #expect(phone.posts.values.map { $0 - 1 }.reduce(0, +) <= relaunches, "seed \(seed)")
  }

  // MARK: With a monitor

  /// What a phone shows, by identifiers.
  private actor Center {
    var posts: [String] = []
    var isFailing = false
    struct Failure: Error {}

    func post(_ identifier: String) throws {
      if isFailing { throw Failure() }
      posts.append(identifier)
    }
    func fail(_ isFailing: Bool) { self.isFailing = isFailing }
  }

  @Test func aMonitorNotifiesOnce() async throws {
    let (records, clock, center) = (InMemoryRecords(), ManualClock(), Center())
    func launch() async throws -> Monitor {
      try await Monitor("Zones", records: records, clock: clock, options: MonitorSample.naive)
    }
    func move(_ monitor: Monitor, _ meters: Meters) async throws {
      clock.advance(by: .seconds(1))
      try await monitor.receive(.fix(Fix(time: clock.now, coordinate: MonitorSample.east(meters))))
    }
    func notify(_ monitor: Monitor, _ event: MonitoringEvent?) async throws {
      let event = try #require(event)
      try await monitor.notifyOfEntry(event) { _, identifier in try await center.post(identifier) }
    }
    var monitor = try await launch()
    try await monitor.add(MonitorSample.circle(), identifier: "home")
    for meters in [0.0, 500, 0] { try await move(monitor, meters) }
    var events = monitor.events.makeAsyncIterator()
    let entry = try await events.next()
    try await notify(monitor, entry)
    try await notify(monitor, entry)
    #expect(await center.posts == ["Zones.entry.1"])
    // The process ends before the entry has been handled.
    await monitor.close()
    monitor = try await launch()
    events = monitor.events.makeAsyncIterator()
    try await notify(monitor, try await events.next())
    #expect(await center.posts.count == 1)
    try await notify(monitor, try await events.next())
    // A notification that cannot be posted has not been told.
    let second = try await events.next()
    await center.fail(true)
    await #expect(throws: Center.Failure.self) { try await notify(monitor, second) }
    await center.fail(false)
    #expect(records.stored("Zones").conditions["home"]?.notifiedSequenceNumber == 0)
    try await notify(monitor, second)
    #expect(await center.posts == ["Zones.entry.1", "Zones.entry.3"])
    #expect(records.stored("Zones").conditions["home"]?.notifiedSequenceNumber == 3)
    // Not monitored for a while: the same stay.
    var denied = MonitorEnvironment()
    denied.authorization = .denied
    try await monitor.receive(.environment(denied))
    try await monitor.receive(.environment(MonitorEnvironment()))
    try await move(monitor, 1)
    for state in [MonitoringState.unmonitored, .satisfied] {
      let event = try await events.next()
      #expect(event?.state == state)
      try await notify(monitor, event)
    }
    #expect(await center.posts.count == 2)
  }

  /// A device that shows notifications, or does not.
  private final class Screen: MonitoringDevice {
    let posts = Mutex<[NotificationRequest]>([])
    let isAllowed = Mutex(true)
    func perform(_ commands: [DeviceCommand]) {}
    func post(_ request: NotificationRequest) async throws {
      guard isAllowed.withLock({ $0 }) else { throw NotificationError.notAllowed(.denied) }
      posts.withLock { $0.append(request) }
    }
  }

  @Test("The device posts, once for a stay; one that posts nothing says so, and the user counts as not told")
  func theDevicePosts() async throws {
    for device in [Screen(), NoDevice()] as [any MonitoringDevice] {
      let records = InMemoryRecords()
      let monitor = try await Monitor(
        "Zones", records: records, device: device, clock: ManualClock(), options: MonitorSample.naive)
      try await monitor.add(MonitorSample.circle(), identifier: "home")
      try await monitor.receive(
        .fix(Fix(time: Timestamp(microseconds: 1), coordinate: MonitorSample.vienna)))
      var events = monitor.events.makeAsyncIterator()
      let event = try #require(try await events.next())
      guard let screen = device as? Screen else {
        await #expect(throws: NotificationError.notSupported(identifier: "Zones.entry.1")) {
          try await monitor.notifyOfEntry(event, title: "Home")
        }
        #expect(records.stored("Zones").conditions["home"]?.notifiedSequenceNumber == 0)
        continue
      }
      screen.isAllowed.withLock { $0 = false }
      await #expect(throws: NotificationError.notAllowed(.denied)) {
        try await monitor.notifyOfEntry(event, title: "Home")
      }
      screen.isAllowed.withLock { $0 = true }
      for _ in 0..<2 {
        try await monitor.notifyOfEntry(event, title: "Home", body: "You are here", sound: "chime")
      }
      #expect(
        screen.posts.withLock { $0 } == [
          NotificationRequest(
            identifier: "Zones.entry.1", title: "Home", body: "You are here", sound: "chime")
        ])
      #expect(records.stored("Zones").conditions["home"]?.notifiedSequenceNumber == 1)
    }
  }

  @Test func aConditionThatGoesMeanwhileIsNotMarked() async throws {
    let records = InMemoryRecords()
    let monitor = try await Monitor(
      "Zones", records: records, clock: ManualClock(), options: MonitorSample.naive)
    try await monitor.add(MonitorSample.circle(), identifier: "home")
    try await monitor.receive(
      .fix(Fix(time: Timestamp(microseconds: 1), coordinate: MonitorSample.vienna)))
    var events = monitor.events.makeAsyncIterator()
    let event = try #require(try await events.next())
    try await monitor.notifyOfEntry(event) { _, _ in
      try await monitor.add(MonitorSample.circle(radius: 50), identifier: "home")
    }
    #expect(records.stored("Zones").conditions["home"]?.notifiedSequenceNumber == 0)
    try await monitor.remove("home")
    try await monitor.notifyOfEntry(event) { _, _ in Issue.record("posted for nothing") }
  }
}
