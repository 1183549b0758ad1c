import Synchronization
import Testing
import VicinityGeodesy

@testable import VicinityCrossings
@testable import VicinityMonitor

/// What a device is told of its monitor beside commands.
@Suite struct DeviceNoticeTests {
  /// What has been told, in words, and whether the store had all by then.
  private final class Device: MonitoringDevice {
    let told = Mutex<[String]>([])
    func perform(_ commands: [DeviceCommand]) {}
    func monitorOpened(slots: Int) { told.withLock { $0.append("opened, \(slots) slots") } }
    func stored(unhandledEvents: Int) { told.withLock { $0.append("stored, \(unhandledEvents) left") } }
    func monitorClosed() { told.withLock { $0.append("closed") } }
    func take() -> [String] {
      told.withLock { told in
        defer { told = [] }
        return told
      }
    }
  }

  private let clock = ManualClock()
  private let device = Device()

  private func monitor(_ records: InMemoryRecords = InMemoryRecords()) async throws -> Monitor {
    try await Monitor("Zones", records: records, device: device, clock: clock, options: MonitorSample.naive)
  }

  @Test func aDeviceHearsThatAnInputIsStoredAndHowManyEventsAreLeft() async throws {
    let monitor = try await monitor()
    try await monitor.add(MonitorSample.circle(), identifier: "home", assuming: .unsatisfied)
    var events = monitor.events.makeAsyncIterator()
    try await monitor.receive(.fix(Fix(time: clock.now, coordinate: MonitorSample.east(500))))
    #expect(device.take().last == "stored, 0 left")
    clock.advance(by: .seconds(1))
    try await monitor.receive(.fix(Fix(time: clock.now, coordinate: MonitorSample.east(0))))
    #expect(device.take() == ["stored, 1 left"])
    #expect(try await events.next()?.state == .satisfied)
    #expect(device.take().last == "stored, 1 left", "it is being handled")
    let waiting = Task { [events] in
      var events = events
      return try await events.next()
    }
    while device.told.withLock({ $0.last }) != "stored, 0 left" { await Task.yield() }
    await monitor.close()
    #expect(try await waiting.value == nil)
  }

  @Test func aDeviceHearsFirstHowManySlotsTheMonitorUsesAtMost() async throws {
    for (limit, slots) in [(ConditionLimit.total, 9), (.perKind, 18)] {
      var options = MonitorOptions(plan: PlanOptions(capacity: 12, reserved: 3))
      options.limit = limit
      let monitor = try await Monitor("Zones", device: device, clock: clock, options: options)
      let told = device.take()
      #expect(told.first == "opened, \(slots) slots" && told.count { $0.hasPrefix("opened") } == 1)
      await monitor.close()
      #expect(device.take().last == "closed")
    }
  }

  @Test func aDeviceHearsOnceThatAMonitorIsClosedAndBeforeItsNameIsFree() async throws {
    let records = InMemoryRecords()
    let monitor = try await monitor(records)
    await monitor.close()
    await monitor.close()
    #expect(device.take().filter { $0 == "closed" } == ["closed"])
    do {
      let dropped = try await self.monitor(records)
      _ = dropped.name
    }
    // The monitor's first task may still hold it.
    while !device.told.withLock({ $0.contains("closed") }) { await Task.yield() }
    let next = try await self.monitor(records)
    await next.close()
    #expect(device.take().filter { $0 == "closed" } == ["closed", "closed"])
  }
}
