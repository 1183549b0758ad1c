internal import VicinityCrossings
package import VicinityIndex
package import VicinityMonitor

/// An app on a simulated phone that does what an app with a `Monitor` does: the monitor's own state machine,
/// planner and store decide, and the phone does what they ask.
///
/// What is stored lives in ``SimulatedPhone/saved``, as in a file: it survives the process.
package final class MonitoredApp: PortableApp {
  /// The states that hold at the first position are where the day begins, and no crossings.
  private struct Saved: Sendable {
    var records: any RecordStoreOpener
    var hasBegun = false
  }

  private static let name = "App"

  private let regions: RegionIndex
  private let options: MonitorOptions
  private let records: any RecordStoreOpener
  private let service: SlotService
  private let pause: Duration
  private let clock: PhoneClock
  private let notifies: Bool
  private var driver: PhoneDriver?
  private var engine: MonitorEngine?

  /// - Parameters:
  ///   - records: Where a first process stores; later ones find the same store on the phone.
  ///   - service: What of the phone watches the slots.
  ///   - notifies: Whether the user is notified of each entry, once for a stay, as by
  ///     ``Monitor/notifyOfEntry(_:title:body:sound:)``.
  ///   - pause: Between two turns of requests about slots; by default as on a phone.
  ///   - clock: What the phone's clock shows.
  package init(
    watching regions: RegionIndex, _ options: MonitorOptions,
    records: any RecordStoreOpener = InMemoryRecords(), by service: SlotService = .regionMonitoring,
    notifies: Bool = false, pause: Duration = PhoneDriver.pause, clock: @escaping PhoneClock = { $0 }
  ) {
    self.notifies = notifies
    self.pause = pause
    self.clock = clock
    self.service = service
    self.regions = regions
    self.options = options
    self.records = records
  }

  package func handle(_ event: PhoneEvent, on phone: any StudiedPhone) {
    if case .launched = event { open(on: phone) }
    guard let driver else { return }
    var inputs = driver.inputs(event)
    while !inputs.isEmpty {
      let input = inputs.removeFirst()
      do { try engine?.receive(input) } catch { phone.lose("\(error)") }
      engine?.perform()
      deliver(on: phone, isFix: input.isFix)
      inputs += driver.takeInputs()
    }
    // Last, because it may suspend the app.
    driver.finish()
  }

  private func open(on phone: any StudiedPhone) {
    let saved = phone.saved as? Saved ?? Saved(records: records)
    phone.saved = saved
    phone.slotService = service
    let driver = PhoneDriver(phone, pause: pause, clock: clock) { [unowned phone] note in
      switch note {
      case .safeDisc(let disc): phone.show(safeDisc: disc)
      case .lost(let what): phone.lose(what)
      }
    }
    self.driver = driver
    do {
      engine = try MonitorEngine(
        Self.name, saved.records, SimulatedDevice(driver), SimulatedClock(driver), options,
        MonitorEnvironment(), regions: regions)
      if let error = engine?.capacityError { phone.lose("\(error)") }
    } catch {
      phone.lose("no monitor: \(error)")
    }
  }

  private func notify(of event: MonitoringEvent, on phone: any StudiedPhone) {
    guard let told = engine?.machine.stored.conditions[event.identifier]?.notifiedSequenceNumber else {
      return
    }
    for step in EntryNotifier.steps(for: event, told: told) {
      switch step {
      case .post(let entry):
        let request = NotificationRequest(
          identifier: EntryNotifier.identifier(entry, in: Self.name), title: entry.identifier)
        do { try phone.notify(request) } catch { return phone.lose("\(error)") }
      case .remember(let number):
        engine?.machine.notified(event.identifier, sequenceNumber: number)
        engine?.perform()
      }
    }
  }

  /// Handles the events that there are, each to its end.
  private func deliver(on phone: any StudiedPhone, isFix: Bool) {
    let isFirst = (phone.saved as? Saved)?.hasBegun == false
    while let event = engine?.machine.journal.nextEvent() {
      if !isFirst, event.state == .satisfied || event.state == .unsatisfied {
        phone.report(
          entry: event.state == .satisfied, region: event.identifier, at: min(event.date, phone.now))
      }
      if notifies { notify(of: event, on: phone) }
      engine?.machine.journal.handled()
      engine?.perform()
    }
    if isFirst, isFix, var saved = phone.saved as? Saved {
      saved.hasBegun = true
      phone.saved = saved
    }
  }
}

extension MonitorInput {
  fileprivate var isFix: Bool {
    if case .fix = self { true } else { false }
  }
}

/// A simulated phone as the device of a monitor.
private struct SimulatedDevice: MonitoringDevice {
  let driver: PhoneDriver

  init(_ driver: PhoneDriver) { self.driver = driver }

  var slotCapacity: Int? { driver.slotCapacity }

  func monitorOpened(slots: Int) { driver.useSlots(atMost: slots) }

  func perform(_ commands: [DeviceCommand]) { driver.perform(commands) }
}

/// The clock that a simulated phone shows.
private struct SimulatedClock: MonitorClock {
  let driver: PhoneDriver

  init(_ driver: PhoneDriver) { self.driver = driver }

  var now: Timestamp { driver.now }

  /// Never returns: a simulated app is told when its timer is due.
  func sleep(until time: Timestamp) async throws { throw CancellationError() }
}
