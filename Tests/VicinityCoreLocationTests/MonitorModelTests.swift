import Observation
import Synchronization
import Testing
import VicinityCoreLocation
import VicinityCrossings
import VicinityGeodesy
import VicinityMonitor

@Suite("What views show of a monitor") @MainActor
struct MonitorModelTests {
  private static let start = Timestamp(microseconds: 1_700_000_000_000_000)
  private static let home = Coordinate(latitude: 48.2, longitude: 16.4)

  private func monitor() async throws -> Monitor {
    let options = MonitorOptions(crossings: CrossingOptions(rule: .naive))
    let monitor = try await Monitor("Zones", clock: ReplayClock(at: Self.start), options: options)
    try await monitor.add(
      .circle(center: Self.home, radius: 100), identifier: "home", assuming: .unsatisfied)
    return monitor
  }

  private func fix(_ seconds: Int, isHome: Bool) -> MonitorInput {
    .fix(
      Fix(
        time: Self.start.advanced(by: .seconds(seconds)),
        coordinate: isHome ? Self.home : Coordinate(latitude: 48.3, longitude: 16.4)))
  }

  /// Waits until something holds; the test ends by its time limit otherwise.
  private func wait(until isTrue: () -> Bool) async {
    while !isTrue() { await Task.yield() }
  }

  @Test("Where the device is, the last events, what is allowed and what is wrong", .timeLimit(.minutes(1)))
  func follows() async throws {
    let monitor = try await monitor()
    let model = MonitorModel(monitor, lastEvents: 2)
    let other = MonitorModel(monitor)
    try await monitor.receive(fix(1, isHome: true))
    await wait {
      model.inside.keys.contains("home") && other.inside == model.inside && model.lastEvents.count == 1
    }
    #expect(model.inside["home"] == Self.start.advanced(by: .seconds(1)))
    #expect(model.lastEvents.map(\.state) == [.satisfied] && model.pendingEventCount == 1)
    try await monitor.receive(fix(2, isHome: false))
    try await monitor.receive(fix(3, isHome: true))
    await wait { model.pendingEventCount == 3 && other.lastEvents.count == 3 && model.lastEvents.count == 2 }
    #expect(model.lastEvents.map(\.sequenceNumber) == [3, 2])
    #expect(other.lastEvents.map(\.sequenceNumber) == [3, 2, 1])
    var environment = MonitorEnvironment()
    environment.authorization = .denied
    try await monitor.receive(.environment(environment))
    await wait { model.environment == environment && model.inside.isEmpty }
    #expect(model.suspension(of: .geographic) == .authorizationDenied)
    let (stream, continuation) = AsyncStream.makeStream(of: MonitorInput.self)
    continuation.yield(.fix(Fix(time: Self.start, coordinate: Coordinate(latitude: .nan, longitude: 0))))
    continuation.finish()
    await monitor.receive(.environment(MonitorEnvironment()), from: stream)
    await wait { model.faults.refusedInputCount == 1 }
    await monitor.close()
    await wait { model.isClosed && other.isClosed }
  }

  /// A device of five slots.
  private struct SmallDevice: MonitoringDevice {
    var slotCapacity: Int? { 5 }
    func perform(_ commands: [DeviceCommand]) {}
  }

  @Test("A capacity beyond the device's slots is shown", .timeLimit(.minutes(1)))
  func capacity() async throws {
    let monitor = try await Monitor(
      "Zones", device: SmallDevice(), options: MonitorOptions(plan: PlanOptions(capacity: 9)))
    let model = MonitorModel(monitor)
    await wait { model.faults.capacity == .capacityTooLarge(9, slots: 5) }
    await monitor.close()
  }

  @Test("A change is observed once, and none where nothing has changed", .timeLimit(.minutes(1)))
  func observation() async throws {
    let monitor = try await monitor()
    let model = MonitorModel(monitor)
    let changes = Mutex(0)
    withObservationTracking {
      _ = model.inside
    } onChange: {
      changes.withLock { $0 += 1 }
    }
    try await monitor.receive(fix(1, isHome: false))
    try await monitor.receive(fix(2, isHome: false))
    await wait { model.pendingEventCount == 0 }
    #expect(changes.withLock { $0 } == 0)
    try await monitor.receive(fix(3, isHome: true))
    await wait { !model.inside.isEmpty }
    #expect(changes.withLock { $0 } == 1)
  }

  @Test("A model that is gone follows no more, and keeps no monitor", .timeLimit(.minutes(1)))
  func gone() async throws {
    weak var weakModel: MonitorModel?
    weak var weakMonitor: Monitor?
    do {
      let monitor = try await monitor()
      weakMonitor = monitor
      do {
        let model = MonitorModel(monitor)
        weakModel = model
        await wait { model.pendingEventCount == 0 }
      }
      await wait { weakModel == nil }
      await monitor.close()
    }
    await wait { weakMonitor == nil }
    #expect(weakModel == nil && weakMonitor == nil)
  }
}

extension Monitor {
  /// Is told something, and then what a source tells, until that ends.
  fileprivate func receive(_ input: MonitorInput, from source: AsyncStream<MonitorInput>) async {
    try? receive(input)
    await follow(source).value
  }
}
