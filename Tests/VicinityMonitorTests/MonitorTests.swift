import Foundation
import Synchronization
import Testing
import VicinityGeodesy
import VicinityIndex

@testable import VicinityCrossings
@testable import VicinityMonitor

/// The actor: delivery, handling, stores that fail, consumers that come and go.
@Suite struct MonitorTests {
  let clock = ManualClock()
  let records = InMemoryRecords()

  func monitor(
    _ name: String = "Zones", device: some MonitoringDevice = NoDevice()
  ) async throws -> Monitor {
    try await Monitor(name, records: records, device: device, clock: clock, options: MonitorSample.naive)
  }

  /// A fix a second later.
  func move(_ monitor: Monitor, to meters: Meters) async throws {
    clock.advance(by: .seconds(1))
    try await monitor.receive(.fix(Fix(time: clock.now, coordinate: MonitorSample.east(meters))))
  }

  @Test func tellsOfEntriesAndExits() async throws {
    let monitor = try await monitor()
    try await monitor.add(MonitorSample.circle(), identifier: "home")
    try await move(monitor, to: 0)
    try await move(monitor, to: 500)
    try await move(monitor, to: 50)
    var events = monitor.events.makeAsyncIterator()
    let states: [MonitoringState] = [.satisfied, .unsatisfied, .satisfied]
    for (i, state) in states.enumerated() {
      let event = try #require(try await events.next())
      #expect(event.identifier == "home")
      #expect(event.state == state)
      #expect(event.sequenceNumber == UInt64(i + 1))
      #expect(event.diagnostics.isEmpty)
      // The record still holds the event before.
      #expect(await monitor.record(for: "home")?.lastEvent.sequenceNumber == UInt64(i))
    }
  }

  @Test("A monitor and a manager have the device range beacons, until they are closed")
  func ranging() async throws {
    let device = RecordingDevice()
    let identity = BeaconIdentity(uuid: MonitorSample.family, major: 1)
    let monitor = try await monitor(device: device)
    try await monitor.startRanging(identity)
    try await monitor.stopRanging(identity)
    #expect(
      device.take().filter { $0 == .startRanging(identity) || $0 == .stopRanging(identity) }
        == [.startRanging(identity), .stopRanging(identity)])
    await monitor.close()
    await #expect(throws: MonitorError.closed) { try await monitor.startRanging(identity) }
    await #expect(throws: MonitorError.closed) { try await monitor.stopRanging(identity) }
    let service = try RegionMonitoringService("Classic", records: records, device: device, clock: clock)
    let manager = RegionMonitoringManager(service)
    try manager.startRanging(identity)
    try manager.stopRanging(identity)
    #expect(device.take().suffix(2) == [.startRanging(identity), .stopRanging(identity)])
    service.close()
    #expect(throws: MonitorError.closed) { try manager.startRanging(identity) }
  }

  @Test func waitsForEvents() async throws {
    let monitor = try await monitor()
    try await monitor.add(MonitorSample.circle(), identifier: "home", assuming: .unsatisfied)
    let first = Task { () throws -> MonitoringEvent? in
      var events = monitor.events.makeAsyncIterator()
      return try await events.next()
    }
    // What is assumed is no event.
    try await move(monitor, to: 5000)
    try await move(monitor, to: 10)
    let event = try #require(try await first.value)
    #expect(event.state == .satisfied)
    #expect(event.sequenceNumber == 1)
  }

  @Test func correctsWrongAssumptions() async throws {
    let monitor = try await monitor()
    try await monitor.add(MonitorSample.circle(), identifier: "home", assuming: .satisfied)
    #expect(await monitor.record(for: "home")?.lastEvent.state == .satisfied)
    try await move(monitor, to: 5000)
    var events = monitor.events.makeAsyncIterator()
    #expect(try await events.next()?.state == .unsatisfied)
  }

  @Test func deliversAgainWhatWasNotHandled() async throws {
    do {
      let monitor = try await monitor()
      try await monitor.add(MonitorSample.circle(), identifier: "home")
      for meters in [0.0, 500, 0] { try await move(monitor, to: meters) }
      var events = monitor.events.makeAsyncIterator()
      #expect(try await events.next()?.sequenceNumber == 1)
      #expect(try await events.next()?.sequenceNumber == 2)
      await monitor.close()
      #expect(try await events.next() == nil)
      await #expect(throws: MonitorError.closed) { try await monitor.remove("home") }
    }
    let again = try await monitor()
    #expect(await again.record(for: "home")?.lastEvent.sequenceNumber == 1)
    var events = again.events.makeAsyncIterator()
    #expect(try await events.next()?.sequenceNumber == 2)
    #expect(try await events.next()?.sequenceNumber == 3)
    #expect(await again.record(for: "home")?.lastEvent.sequenceNumber == 2)
    // It goes on from where it was: still in there.
    try await move(again, to: 0)
    try await move(again, to: 700)
    let event = try #require(try await events.next())
    #expect(event.sequenceNumber == 4)
    #expect(event.state == .unsatisfied)
  }

  @Test func opensANameOnce() async throws {
    let monitor = try await monitor("A1")
    await #expect(throws: MonitorError.store(.alreadyOpen(name: "A1"))) { _ = try await self.monitor("A1") }
    _ = try await self.monitor("A2")
    await monitor.close()
    _ = try await self.monitor("A1")
    for name in ["", "a b", "a/b", "ä", "..", String(repeating: "a", count: 256)] {
      await #expect(throws: MonitorError.store(.invalidName(name))) { _ = try await self.monitor(name) }
    }
  }

  @Test(
    "A second consumer is told so; the first goes on, and when it has ended the next one gets its event again"
  )
  func oneConsumer() async throws {
    let monitor = try await monitor()
    try await monitor.add(MonitorSample.circle(), identifier: "home")
    for meters in [0.0, 500] { try await move(monitor, to: meters) }
    func read(_ number: UInt64) async throws {
      for try await event in monitor.events {
        #expect(event.sequenceNumber == number)
        break
      }
    }
    var second = monitor.events.makeAsyncIterator()
    do {
      var first = monitor.events.makeAsyncIterator()
      #expect(try await first.next()?.sequenceNumber == 1)
      await #expect(throws: MonitorError.hasConsumer) { try await read(1) }
      await #expect(throws: MonitorError.hasConsumer) { _ = try await second.next() }
      // An error ends an iterator.
      #expect(try await second.next() == nil)
      #expect(await monitor.record(for: "home")?.lastEvent.sequenceNumber == 0)
      #expect(try await first.next()?.sequenceNumber == 2)
      #expect(await monitor.record(for: "home")?.lastEvent.sequenceNumber == 1)
    }
    // Loops one after the other; the event that was being handled when a loop was left comes again.
    for _ in 0..<100 { try await read(2) }
    #expect(await monitor.pendingEventCount == 1)
  }

  @Test("A task that begins as another is cancelled gets the events", .timeLimit(.minutes(1)))
  func consumersOfTasks() async throws {
    for round in 0..<20 {
      let monitor = try await monitor("Z\(round)")
      try await monitor.add(MonitorSample.circle(), identifier: "home")
      let waiting = Task {
        for try await _ in monitor.events { Issue.record("it was cancelled before") }
      }
      while await !monitor.isWaiting { await Task.yield() }
      waiting.cancel()
      var events = monitor.events.makeAsyncIterator()
      async let event = events.next()
      try await move(monitor, to: 0)
      #expect(try await event?.sequenceNumber == 1)
      try await waiting.value
    }
  }

  @Test(
    "Listeners get all events from now on, none of which they handle; each has its own, and ends with the monitor"
  )
  func listeners() async throws {
    let monitor = try await monitor()
    try await monitor.add(MonitorSample.circle(), identifier: "home", assuming: .unsatisfied)
    try await move(monitor, to: 0)
    let (first, second) = (monitor.changes, monitor.changes)
    for meters in [500.0, 0, 500] { try await move(monitor, to: meters) }
    let gone = Task { for await _ in monitor.changes {} }
    gone.cancel()
    await gone.value
    // Options that change store undelivered events again, which are no new ones.
    try await monitor.add(
      MonitorSample.circle(), identifier: "home", options: ConditionOptions(priority: 1))
    await monitor.close()
    for stream in [first, second] {
      var numbers: [UInt64] = []
      for await event in stream { numbers.append(event.sequenceNumber) }
      #expect(numbers == [2, 3, 4])
    }
    for await _ in monitor.changes { Issue.record("the monitor is closed") }
    let again = try await self.monitor()
    #expect(await again.pendingEventCount == 4)
  }

  @Test("What the device is in, and since when, is known without reading events, in the next process too")
  func currentlyInside() async throws {
    let start = clock.now
    func time(_ seconds: Int) -> Timestamp { start.advanced(by: .seconds(seconds)) }
    do {
      let monitor = try await monitor()
      try await monitor.add(MonitorSample.circle(), identifier: "home")
      try await monitor.add(MonitorSample.circle(0, radius: 300), identifier: "block")
      try await monitor.add(MonitorSample.circle(900), identifier: "assumed", assuming: .satisfied)
      try await monitor.add(.beacon(BeaconIdentity(uuid: MonitorSample.family)), identifier: "till")
      #expect(await monitor.currentlyInside.isEmpty)
      for meters in [0.0, 200] { try await move(monitor, to: meters) }
      try await monitor.receive(.sighting(MonitorSample.sighting(3, 4, at: clock.now)))
      #expect(await monitor.currentlyInside == ["block": time(1), "till": time(2)])
      var events = monitor.events.makeAsyncIterator()
      for _ in 0..<3 { _ = try await events.next() }
      await monitor.close()
    }
    let monitor = try await monitor()
    #expect(await monitor.currentlyInside == ["block": time(1), "till": time(2)])
    try await monitor.remove("block")
    #expect(await monitor.currentlyInside == ["till": time(2)])
    var environment = MonitorEnvironment()
    environment.isBluetoothOn = false
    try await monitor.receive(.environment(environment))
    #expect(await monitor.currentlyInside.isEmpty)
  }

  /// Opens a store when it is told to, and knows whether that was on the main thread.
  private final class SlowRecords: RecordStoreOpener {
    let base = InMemoryRecords()
    let gate = DispatchSemaphore(value: 0)
    let wasMain = Mutex<Bool?>(nil)

    func open(_ name: String) throws(RecordStoreError) -> any RecordStore {
      // Not for ever, so that a test that fails ends.
      _ = gate.wait(timeout: .now() + 20)
      wasMain.withLock { $0 = Thread.isMainThread }
      return try base.open(name)
    }
  }

  @Test("The main actor goes on while a store is being opened", .timeLimit(.minutes(1)))
  @MainActor func opensElsewhere() async throws {
    let records = SlowRecords()
    let opening = Task { @MainActor in try await Monitor("Slow", records: records) }
    // The opener waits for this to run, which is on the main actor: where it blocked that, this would never
    // end.
    for _ in 0..<10 { await Task.yield() }
    let later = Task { @MainActor in _ = records.gate.signal() }
    await later.value
    let monitor = try await opening.value
    #expect(records.wasMain.withLock { $0 } == false)
    #expect(await monitor.identifiers.isEmpty)
  }

  @Test func cancellationEndsWaiting() async throws {
    let monitor = try await monitor()
    let task = Task {
      var count = 0
      for try await _ in monitor.events { count += 1 }
      return count
    }
    await Task.yield()
    task.cancel()
    #expect(try await task.value == 0)
    // Another can wait.
    try await monitor.add(MonitorSample.circle(), identifier: "home")
    try await move(monitor, to: 0)
    var events = monitor.events.makeAsyncIterator()
    #expect(try await events.next()?.sequenceNumber == 1)
  }

  @Test func removalTakesEventsAlong() async throws {
    let monitor = try await monitor()
    try await monitor.add(MonitorSample.circle(), identifier: "home")
    try await monitor.add(MonitorSample.circle(2000), identifier: "work")
    try await move(monitor, to: 0)
    try await monitor.remove("home")
    try await monitor.remove("nothing")
    #expect(await monitor.identifiers == ["work"])
    #expect(await monitor.record(for: "home") == nil)
    var events = monitor.events.makeAsyncIterator()
    let event = try #require(try await events.next())
    #expect(event.identifier == "work")
    #expect(event.state == .unsatisfied)
  }

  @Test func replacingRestartsTheRecord() async throws {
    let monitor = try await monitor()
    try await monitor.add(MonitorSample.circle(), identifier: "home")
    try await move(monitor, to: 0)
    try await monitor.add(MonitorSample.circle(0, radius: 5), identifier: "home")
    let record = try #require(await monitor.record(for: "home"))
    #expect(record.lastEvent.state == .unknown)
    #expect(record.condition == MonitorSample.circle(0, radius: 5))
    try await move(monitor, to: 50)
    var events = monitor.events.makeAsyncIterator()
    let event = try #require(try await events.next())
    #expect(event.state == .unsatisfied)
    #expect(event.sequenceNumber == 2)
  }

  @Test func saysWhenNothingIsStored() async throws {
    let records = UnreliableRecords()
    let monitor = try await Monitor(
      "Zones", records: records, clock: clock, options: MonitorSample.naive)
    try await monitor.add(MonitorSample.circle(), identifier: "home")
    records.fail("no space left on device")
    try await move(monitor, to: 0)
    #expect(await monitor.faults.store == .unavailable(reason: "no space left on device"))
    var events = monitor.events.makeAsyncIterator()
    let event = try #require(try await events.next())
    #expect(event.diagnostics == .persistenceUnavailable)
    #expect(event.state == .satisfied)
    // Monitoring goes on. With room again, all of it is stored, and told no more.
    try await move(monitor, to: 500)
    records.fail(nil)
    clock.advance(by: .seconds(30))
    try await move(monitor, to: 0)
    #expect(await monitor.faults.store == nil)
    let second = try #require(try await events.next())
    #expect(second.sequenceNumber == 2)
    #expect(second.diagnostics.isEmpty)
    #expect(records.base.stored("Zones").events.keys.sorted() == [2, 3])
    #expect(records.base.stored("Zones").conditions["home"]?.record.lastEvent.sequenceNumber == 1)
  }

  @Test func triesTheStoreAgainByItself() async throws {
    let records = UnreliableRecords()
    let monitor = try await Monitor(
      "Zones", records: records, clock: clock, options: MonitorSample.naive)
    records.fail("read-only file system")
    try await monitor.add(MonitorSample.circle(), identifier: "home")
    #expect(records.base.stored("Zones").conditions.isEmpty)
    records.fail(nil)
    clock.advance(by: .seconds(11))
    while records.base.stored("Zones").conditions.isEmpty { await Task.yield() }
    #expect(await monitor.faults.store == nil)
  }

  @Test func beaconsLeaveByTime() async throws {
    let monitor = try await monitor()
    try await monitor.add(.beacon(BeaconIdentity(uuid: MonitorSample.family)), identifier: "shop")
    try await monitor.receive(.sighting(MonitorSample.sighting(3, 4, at: clock.now)))
    var events = monitor.events.makeAsyncIterator()
    let entry = try #require(try await events.next())
    #expect(entry.state == .satisfied)
    #expect(entry.refinement == BeaconIdentity(uuid: MonitorSample.family, major: 3, minor: 4))
    let start = clock.now
    let exit = Task { () throws -> MonitoringEvent? in
      var events = events
      return try await events.next()
    }
    clock.advance(by: .seconds(31))
    let event = try #require(try await exit.value)
    #expect(event.state == .unsatisfied)
    #expect(event.refinement == nil)
    #expect(event.date == start.advanced(by: .seconds(30)))
  }

  @Test func followsSources() async throws {
    let monitor = try await monitor()
    try await monitor.add(MonitorSample.circle(), identifier: "home", assuming: .unsatisfied)
    let start = clock.now
    let fixes = [500.0, 200, 0, -300].enumerated().map { i, meters in
      Fix(time: start.advanced(by: .seconds(i)), coordinate: MonitorSample.east(meters))
    }
    let stale = Fix(time: start, coordinate: MonitorSample.vienna)
    let (stream, continuation) = AsyncStream.makeStream(of: Fix.self)
    for fix in fixes + [stale] { continuation.yield(fix) }
    continuation.finish()
    await monitor.follow(stream).value
    let faults = await monitor.faults
    #expect(faults.refusedInputCount == 1)
    #expect(
      faults.lastRefusal
        == .fix(.timeBackwards(start, after: start.advanced(by: .seconds(3)))))
    #expect(await monitor.fixCounts.fixes == 4)
    var events = monitor.events.makeAsyncIterator()
    #expect(try await events.next()?.state == .satisfied)
    #expect(try await events.next()?.state == .unsatisfied)
  }

  @Test("A clock set back between two processes makes no fix too old; a replay goes on where it ended")
  func clockSetBackBetweenProcesses() async throws {
    let start = clock.now
    func fix(_ meters: Meters, at seconds: Int) -> MonitorInput {
      .fix(
        Fix(
          time: start.advanced(by: .seconds(seconds)), coordinate: MonitorSample.east(meters),
          horizontalAccuracy: 5))
    }
    for options in [MonitorOptions(), MonitorSample.naive] {
      let records = InMemoryRecords()
      func monitor(_ clock: some MonitorClock) async throws -> Monitor {
        try await Monitor("Zones", records: records, clock: clock, options: options)
      }
      let first = try await monitor(ManualClock(start.advanced(by: .seconds(3600))))
      try await first.add(MonitorSample.circle(), identifier: "home", assuming: .unsatisfied)
      try await first.receive(fix(500, at: 3600))
      await first.close()
      // A minute is no set clock.
      let hasty = try await monitor(ManualClock(start.advanced(by: .seconds(3540))))
      await #expect(throws: MonitorError.self) { try await hasty.receive(fix(0, at: 3541)) }
      await hasty.close()
      let replay = try await monitor(ReplayClock(at: start))
      for seconds in [1, 3590] {
        await #expect(throws: MonitorError.self) { try await replay.receive(fix(0, at: seconds)) }
      }
      #expect(await replay.pendingEventCount == 0)
      await replay.close()
      let second = try await monitor(ManualClock(start))
      for seconds in 1...3 { try await second.receive(fix(0, at: seconds)) }
      #expect(await second.pendingEventCount == 1)
      await second.close()
      // From now on these fixes are the last.
      let third = try await monitor(ManualClock(start.advanced(by: .seconds(3))))
      await #expect(throws: MonitorError.self) { try await third.receive(fix(500, at: 2)) }
      await third.close()
    }
  }

  @Test func refusesWhatCannotBe() async throws {
    let monitor = try await monitor()
    let nowhere = Coordinate(latitude: .nan, longitude: 0)
    await #expect(throws: MonitorError.self) {
      try await monitor.add(.circle(center: nowhere, radius: 1), identifier: "x")
    }
    await #expect(throws: MonitorError.self) {
      try await monitor.add(MonitorSample.circle(0, radius: -1), identifier: "x")
    }
    #expect(await monitor.identifiers.isEmpty)
    await #expect(throws: MonitorError.self) {
      try await monitor.receive(.fix(Fix(time: self.clock.now, coordinate: nowhere)))
    }
    await #expect(throws: MonitorError.dwellNotSupported(.seconds(1))) {
      _ = try await Monitor(
        "Y", options: MonitorOptions(crossings: CrossingOptions(dwell: .seconds(1))))
    }
    await #expect(throws: MonitorError.ruleNotSupported(strategy: "adaptive")) {
      _ = try await Monitor(
        "Y",
        options: MonitorOptions(
          strategy: .adaptive(latency: .seconds(60)), crossings: CrossingOptions(rule: .naive)))
    }
    await #expect(throws: MonitorError.intervalNotPositive(option: "store retry interval", value: .zero)) {
      _ = try await Monitor("Y", options: MonitorOptions(storeRetryInterval: .zero))
    }
    await #expect(throws: MonitorError.self) {
      _ = try await Monitor("Y", options: MonitorOptions(beaconTimeout: .zero))
    }
    await #expect(throws: MonitorError.self) {
      _ = try await Monitor("Y", options: MonitorOptions(plan: PlanOptions(capacity: -1)))
    }
  }

  /// Adds, fixes and consumption at once, from several tasks: every event comes once and in order.
  @Test func manyAtOnce() async throws {
    let monitor = try await monitor()
    let consumer = Task {
      var numbers: [UInt64] = []
      for try await event in monitor.events {
        numbers.append(event.sequenceNumber)
        if event.identifier == "last", event.state == .satisfied { break }
      }
      return numbers
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for k in 0..<4 {
        group.addTask {
          for i in 0..<50 {
            try await monitor.add(MonitorSample.circle(Double(100 * i)), identifier: "c\(k)-\(i)")
          }
        }
      }
      group.addTask {
        for i in 0..<50 { try? await self.move(monitor, to: Double(i * 97 % 5000)) }
      }
      try await group.waitForAll()
    }
    try await monitor.add(MonitorSample.circle(0, radius: 1), identifier: "last")
    try await move(monitor, to: 0)
    let numbers = try await consumer.value
    #expect(numbers == Array(1...UInt64(numbers.count)))
    #expect(numbers.count > 200)
  }
}
