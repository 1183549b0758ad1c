import Testing
import VicinityGeodesy
import VicinityIndex

@testable import VicinityCrossings
@testable import VicinityMonitor

/// What a monitor says where it would be wrong in silence otherwise.
@Suite struct MonitorHonestyTests {
  let clock = ManualClock()
  let records = InMemoryRecords()

  private func monitor(
    _ regions: RegionIndex? = nil, _ options: MonitorOptions = MonitorSample.naive,
    environment: MonitorEnvironment = MonitorEnvironment()
  ) async throws -> Monitor {
    try await Monitor(
      "Zones", records: records, regions: regions, clock: clock, options: options, environment: environment)
  }

  private static func index(_ identifiers: [String] = ["home"]) throws -> RegionIndex {
    try RegionIndex(
      identifiers.enumerated().map { i, identifier in
        Region(identifier: identifier, center: MonitorSample.east(Double(i) * 10_000), radius: 100)
      })
  }

  private func move(_ monitor: Monitor, to meters: Meters) async throws {
    clock.advance(by: .seconds(1))
    try await monitor.receive(.fix(Fix(time: clock.now, coordinate: MonitorSample.east(meters))))
  }

  @Test("All events that there are can be handled without waiting for more, the last one too")
  func pendingEvents() async throws {
    let first = try await monitor(Self.index())
    for place in [0.0, 500, 0] { try await move(first, to: place) }
    var events = first.events.makeAsyncIterator()
    var numbers: [UInt64] = []
    while let event = try await events.nextPending() { numbers.append(event.sequenceNumber) }
    #expect(numbers == [1, 2, 3])
    #expect(await first.pendingEventCount == 0)
    // It may be asked again when there are more, also in turns with waiting; no other may handle them.
    try await move(first, to: 500)
    try await move(first, to: 0)
    #expect(try await events.nextPending()?.sequenceNumber == 4)
    #expect(try await events.next()?.sequenceNumber == 5)
    var other = first.events.makeAsyncIterator()
    await #expect(throws: MonitorError.hasConsumer) { try await other.nextPending() }
    #expect(try await events.nextPending() == nil)
    await first.close()
    #expect(try await events.nextPending() == nil)
    // Nothing is left for the next one.
    let second = try await monitor(Self.index())
    #expect(await second.pendingEventCount == 0)
  }

  @Test("An event that nobody has handled comes again")
  func unhandledEvents() async throws {
    let monitor = try await monitor(Self.index())
    try await move(monitor, to: 0)
    do {
      var events = monitor.events.makeAsyncIterator()
      #expect(try await events.nextPending()?.sequenceNumber == 1)
    }
    var events = monitor.events.makeAsyncIterator()
    #expect(try await events.nextPending()?.sequenceNumber == 1)
  }

  @Test("Opened without its index, a monitor does not say that it watches the regions that it has records of")
  func withoutRegions() async throws {
    let first = try await monitor(Self.index())
    try await move(first, to: 0)
    #expect(await first.currentlyInside.keys.sorted() == ["home"])
    #expect(await first.suspension(of: "home") == [])
    #expect(await first.identifiers == [])
    #expect(await first.faults.recordsWithoutRegions == 0)
    await first.close()

    let second = try await monitor()
    try await second.add(MonitorSample.circle(5000), identifier: "work")
    #expect(await second.faults.recordsWithoutRegions == 1)
    #expect(await second.currentlyInside.isEmpty)
    #expect(await second.suspension(of: "home") == nil)
    #expect(await second.suspension(of: "work") == [])
    #expect(await second.identifiers == ["work"])
    // The record waits for the index, and its event for somebody who handles it.
    #expect(await second.record(for: "home") != nil)
    #expect(await second.pendingEventCount == 1)
    try await second.replace(regions: Self.index())
    #expect(await second.faults.recordsWithoutRegions == 0)
    #expect(await second.suspension(of: "home") == [])
    await second.close()

    // A condition takes the record over.
    let third = try await monitor()
    #expect(await third.faults.recordsWithoutRegions == 1)
    try await third.add(MonitorSample.circle(), identifier: "home")
    #expect(await third.faults.recordsWithoutRegions == 0)
    #expect(await third.identifiers.sorted() == ["home", "work"])
    #expect(await third.currentlyInside.keys.sorted() == ["home"])
  }

  @Test("What suspends the regions of the index is told, though none of them has an event")
  func suspension() async throws {
    var environment = MonitorEnvironment()
    environment.authorization = .denied
    let monitor = try await monitor(Self.index(), environment: environment)
    try await move(monitor, to: 0)
    #expect(await monitor.suspension == [.authorizationDenied])
    #expect(await monitor.pendingEventCount == 0)
    environment.authorization = .always
    environment.hasFullAccuracy = false
    try await monitor.receive(.environment(environment))
    #expect(await monitor.suspension == [.accuracyLimited])
    environment.hasFullAccuracy = true
    try await monitor.receive(.environment(environment))
    #expect(await monitor.suspension == [])
    try await move(monitor, to: 1)
    #expect(await monitor.pendingEventCount == 1)
  }

  @Test(
    "Options out of their ranges are refused, and those at their ends are not", arguments: [9.0, 601, -5])
  func options(_ latency: Double) async throws {
    await #expect(
      throws: MonitorError.outOfRange(
        option: "latency", value: .seconds(latency), allowed: .seconds(10) ... .seconds(600))
    ) { _ = try await monitor(nil, MonitorOptions(strategy: .adaptive(latency: .seconds(latency)))) }
    for visit in [Duration.seconds(-60), .seconds(86_401)] {
      await #expect(
        throws: MonitorError.outOfRange(
          option: "shortestVisit", value: visit, allowed: .zero ... .seconds(86_400))
      ) { _ = try await monitor(nil, MonitorOptions(shortestVisit: visit)) }
    }
    for (latency, visit) in [(10.0, 0.0), (600, 86_400)] {
      let options = MonitorOptions(
        strategy: .adaptive(latency: .seconds(latency)), shortestVisit: .seconds(visit))
      try await monitor(nil, options).close()
    }
  }

  @Test("Two conditions of a list with one identifier are refused, and nothing changes")
  func duplicates() async throws {
    let monitor = try await monitor()
    let list = [100.0, 200].map { NewCondition(MonitorSample.circle(radius: $0), identifier: "x") }
    let error = MonitorError.duplicate(identifier: "x")
    await #expect(throws: error) { try await monitor.add(list) }
    await #expect(throws: error) { try await monitor.synchronize(with: list) }
    #expect(await monitor.identifiers.isEmpty)
    try await monitor.add([list[0]])
    try await monitor.add([list[1]])
    #expect(await monitor.identifiers == ["x"])
  }

  @Test("A fix from the far future is refused, and those after it count")
  func fixesFromTheFuture() async throws {
    let monitor = try await monitor(Self.index())
    try await move(monitor, to: 500)
    let now = clock.now
    let wrong = Fix(time: now.advanced(by: .seconds(1024 * 7 * 86_400)), coordinate: MonitorSample.east(0))
    await #expect(throws: MonitorError.fixAhead(wrong.time, now: now)) {
      try await monitor.receive(.fix(wrong))
    }
    try await move(monitor, to: 0)
    #expect(await monitor.fixCounts.fixes == 2)
    #expect(await monitor.currentlyInside.keys.sorted() == ["home"])
    // A replay by a clock of its own may be of any year.
    let replay = try await Monitor("Replay", regions: Self.index(), clock: ReplayClock(at: now))
    try await replay.receive(.fix(wrong))
    #expect(await replay.fixCounts.fixes == 1)
  }

  @Test("A first fix of cells makes no event of a small region; the next good fix tells where the device is")
  func firstFixOfCells() async throws {
    for strategy in [Strategy.slots, .adaptive(latency: .seconds(60))] {
      for (place, events) in [(3000.0, 0), (20, 1)] {
        let monitor = try await Monitor(
          "Zones", records: InMemoryRecords(), regions: Self.index(), clock: clock,
          options: MonitorOptions(strategy: strategy))
        for (east, accuracy) in [(0.0, 3000.0), (0, 3000), (place, 10)] {
          #expect(await monitor.pendingEventCount == 0)
          #expect(await monitor.currentlyInside.isEmpty)
          clock.advance(by: .seconds(60))
          try await monitor.receive(
            .fix(
              Fix(time: clock.now, coordinate: MonitorSample.east(east), horizontalAccuracy: accuracy)))
        }
        #expect(await monitor.pendingEventCount == events)
        #expect(await monitor.currentlyInside.count == events)
        await monitor.close()
      }
    }
  }

  @Test("A condition that is added while the app sleeps or waits is looked for at once")
  func addedWhileAsleep() async throws {
    for speed in [0.0, 20] {
      let device = RecordingDevice()
      let monitor = try await Monitor(
        "Zones", records: InMemoryRecords(), device: device, clock: clock,
        options: MonitorOptions(strategy: .adaptive(latency: .seconds(60)), presence: .indicator))
      try await monitor.add(MonitorSample.circle(50_000), identifier: "far")
      for _ in 0..<3 {
        clock.advance(by: .seconds(60))
        let fix = Fix(
          time: clock.now, coordinate: MonitorSample.east(0), horizontalAccuracy: 10, speed: speed)
        try await monitor.receive(.fix(fix))
      }
      _ = device.take()
      try await monitor.add(MonitorSample.circle(500), identifier: "near")
      let asked = device.take()
      #expect(asked.contains(.requestFix(by: clock.now, accuracy: .best)), "\(speed) m/s: \(asked)")
      // What is there already asks for nothing.
      clock.advance(by: .seconds(1))
      try await monitor.add(MonitorSample.circle(500), identifier: "near")
      #expect(device.take() == [])
      await monitor.close()
    }
  }

  @Test("Nothing is promised of regions that are smaller than those of the promise")
  func forecast() async throws {
    for (radius, isPromised) in [(99.0, false), (1, false), (100, true), (300, true)] {
      let regions = try RegionIndex(
        (0..<30).map {
          Region(
            identifier: "\($0)", center: MonitorSample.east(1000 + 700 * Double($0)), radius: radius)
        })
      let monitor = try await monitor(
        regions, MonitorOptions(strategy: .adaptive(latency: .seconds(120)), presence: .indicator))
      try await move(monitor, to: 0)
      #expect((await monitor.forecast != nil) == isPromised, "\(radius) m")
      await monitor.close()
    }
  }
}
