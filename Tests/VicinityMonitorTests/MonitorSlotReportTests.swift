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

  /// A visit that the device has reported by the region's slot is not told again where the way between two
  /// fixes leads through the region; one that it has not reported, or only the end of, is, as inferred.
  @Test(arguments: [[], [.satisfied], [.satisfied, .unsatisfied], [.unsatisfied]] as [[MonitoringState]])
  func whatASlotHasToldIsNotInferredAgain(reports: [MonitoringState]) throws {
    let time = MonitorTransitionTests.time
    var machine = try MonitorStateMachine.restored(options: MonitorOptions(strategy: .slots), now: time(0))
    try machine.add(
      MonitorTransitionTests.condition("circle"), identifier: "x", assuming: .unsatisfied, at: time(0))
    var told: [String] = []
    func take() throws {
      while let event = MonitorTransitionTests.next(&machine) {
        told.append("\(event.state)\(event.diagnostics.contains(.inferred) ? " inferred" : "")")
        machine.journal.handled()
      }
    }
    try machine.receive(MonitorTransitionTests.fix(-1000, 1), at: time(1))
    for state in reports {
      let seconds = state == .satisfied ? 605 : 740
      let report = SlotReport(identifier: "x", state: state, date: time(seconds))
      try machine.receive(.slot(report), at: time(seconds))
      try take()
    }
    // Two, as one fix does not contradict what the device has just reported.
    for (meters, seconds) in [(1010.0, 1340), (1040, 1360)] {
      try machine.receive(MonitorTransitionTests.fix(meters, seconds), at: time(seconds))
      try take()
    }
    let inferred = ["satisfied inferred", "unsatisfied inferred"]
    #expect(told == (reports.first == .satisfied ? ["satisfied", "unsatisfied"] : inferred))
    // The way back is another visit.
    told = []
    try machine.receive(MonitorTransitionTests.fix(-1000, 2680), at: time(2680))
    try take()
    #expect(told == inferred)
  }

  /// Where the device has reported that a visit ended, the way from a fix that lay just outside tells no
  /// other. So it is where that fix, by its error, was far enough outside to tell the end itself.
  @Test(arguments: [false, true])
  func theEndOfAToldVisitIsNotInferredAgain(isToldByFix: Bool) throws {
    let time = MonitorTransitionTests.time
    var machine = try MonitorStateMachine.restored(options: MonitorOptions(strategy: .slots), now: time(0))
    try machine.add(
      MonitorTransitionTests.condition("circle"), identifier: "x", assuming: .unsatisfied, at: time(0))
    var told: [MonitoringState] = []
    func take() throws {
      while let event = MonitorTransitionTests.next(&machine) {
        told.append(event.state)
        machine.journal.handled()
      }
    }
    func report(_ state: MonitoringState, _ seconds: Int) throws {
      let report = SlotReport(identifier: "x", state: state, date: time(seconds))
      try machine.receive(.slot(report), at: time(seconds))
      try take()
    }
    try machine.receive(MonitorTransitionTests.fix(-1000, 1), at: time(1))
    try report(.satisfied, 605)
    // The other one is off by more than it is outside.
    let fix =
      isToldByFix
      ? MonitorTransitionTests.fix(-400, 620) : MonitorTransitionTests.fix(-130, 620, accuracy: 60)
    try machine.receive(fix, at: time(620))
    try take()
    if isToldByFix {
      try machine.receive(MonitorTransitionTests.fix(-390, 630), at: time(630))
      try take()
    }
    #expect(told == (isToldByFix ? [.satisfied, .unsatisfied] : [.satisfied]))
    try report(.unsatisfied, 740)
    try machine.receive(MonitorTransitionTests.fix(1010, 1340), at: time(1340))
    try take()
    #expect(told == [.satisfied, .unsatisfied])
  }
}
