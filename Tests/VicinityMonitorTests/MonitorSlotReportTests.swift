import Testing
import VicinityGeodesy
import VicinityIndex

@testable import VicinityMonitor

/// What a device says of a slot, and for how long that counts.
@Suite struct MonitorSlotReportTests {
  /// While the device says that a beacon is in range, silence does not end the stay. That word is of one
  /// slot: once the condition has been suspended, the slot is gone, and in the next one silence counts again.
  @Test func whatIsSaidOfASlotEndsWithIt() throws {
    var machine = try MonitorTransitionTests.machine("beacon")
    let time = MonitorTransitionTests.time
    let slot = try #require(machine.device.slots.keys.first)
    try machine.receive(.slot(SlotReport(identifier: slot, state: .satisfied, date: time(2))), at: time(2))
    #expect(MonitorTransitionTests.next(&machine)?.state == .satisfied)
    machine.journal.handled()
    machine.advance(to: time(500))
    #expect(MonitorTransitionTests.next(&machine) == nil)
    // Suspended and watched again, with nothing sighted.
    var environment = MonitorEnvironment()
    environment.isBluetoothOn = false
    try machine.receive(.environment(environment), at: time(600))
    #expect(MonitorTransitionTests.next(&machine)?.state == .unmonitored)
    machine.journal.handled()
    try machine.receive(.environment(MonitorEnvironment()), at: time(700))
    #expect(machine.device.slots.count == 1)
    machine.advance(to: time(1000))
    #expect(MonitorTransitionTests.next(&machine)?.state == .unsatisfied)
  }
}
