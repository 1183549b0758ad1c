import Testing
import VicinityCrossings
import VicinityGeodesy

@testable import VicinityMonitor

/// How many slots a monitor plans for: those that its device has, unless its options say fewer.
@Suite struct DeviceCapacityTests {
  /// A device that says how many slots it has, or does not.
  private struct Device: MonitoringDevice {
    var slotCapacity: Int?
    func perform(_ commands: [DeviceCommand]) {}
  }

  /// What the device has, what the options give, how many are planned for, and whether that is told as a
  /// fault.
  private struct Case: Sendable {
    var slots: Int?
    var capacity: Int?
    var planned: Int
    var fault: MonitorError?
  }

  private static let cases = [
    Case(slots: 5, capacity: nil, planned: 5), Case(slots: 100, capacity: nil, planned: 100),
    Case(slots: 100, capacity: 20, planned: 20), Case(slots: 20, capacity: 3, planned: 3),
    Case(slots: 20, capacity: 20, planned: 20),
    Case(slots: 5, capacity: 9, planned: 5, fault: .capacityTooLarge(9, slots: 5)),
    Case(slots: 0, capacity: 20, planned: 0, fault: .capacityTooLarge(20, slots: 0)),
    // It does not say.
    Case(slots: nil, capacity: nil, planned: 20), Case(slots: nil, capacity: 30, planned: 30),
    // It has no limit.
    Case(slots: .max, capacity: nil, planned: PlanOptions.largestCapacity),
  ]

  @Test(
    "The device's slots, or fewer; a capacity that is too large is cut, and told", arguments: cases.indices)
  func monitor(_ number: Int) async throws {
    let it = Self.cases[number]
    let monitor = try await Monitor(
      "Zones", device: Device(slotCapacity: it.slots), clock: ManualClock(),
      options: MonitorOptions(plan: PlanOptions(capacity: it.capacity)))
    #expect(await monitor.slotCapacity == it.planned)
    #expect(await monitor.faults.capacity == it.fault)
    let count = min(it.planned, 100) + 10
    for i in 0..<count {
      try await monitor.add(
        MonitorSample.circle(3000 * Double(i)), identifier: "r\(i)", assuming: .unsatisfied)
    }
    try await monitor.receive(
      .fix(Fix(time: ManualClock().now, coordinate: MonitorSample.east(1000), horizontalAccuracy: 5)))
    #expect(await monitor.slots.count == min(it.planned, count))
  }

  @Test("The classic service refuses the region after the last slot of its device", arguments: cases.indices)
  func service(_ number: Int) throws {
    let it = Self.cases[number]
    let service = try RegionMonitoringService(
      "Classic", device: Device(slotCapacity: it.slots), clock: ManualClock(),
      options: MonitorOptions(plan: PlanOptions(capacity: it.capacity)))
    #expect(service.limit == it.planned)
    #expect(service.lastError == it.fault)
  }

  @Test("A capacity that no device can have is an error, as it is without a device")
  func invalid() async throws {
    for slots in [nil, 20] {
      await #expect(throws: MonitorError.planOptions(.outOfRange("capacity", -1))) {
        _ = try await Monitor(
          "Zones", device: Device(slotCapacity: slots),
          options: MonitorOptions(plan: PlanOptions(capacity: -1)))
      }
    }
    await #expect(throws: MonitorError.planOptions(.outOfRange("capacity", -3))) {
      _ = try await Monitor("Zones", device: Device(slotCapacity: -3))
    }
  }
}
