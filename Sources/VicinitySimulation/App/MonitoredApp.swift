package import VicinityIndex
package import VicinityMonitor

/// An app on a simulated phone that does what an app with a `Monitor` does: the monitor's own state machine, planner and store decide,
/// and the phone does what they ask.
///
/// What is stored lives in ``SimulatedPhone/saved``, as in a file: it survives the process.
package final class MonitoredApp: PhoneApp {
  /// The states that hold at the first position are where the day begins, and no crossings.
  private struct Saved: Sendable {
    var records: any RecordStoreOpener
    /// What the system remembers for the app.
    var memory = ConditionMemory()
    var hasBegun = false
  }

  private static let name = "App"

  private let regions: RegionIndex
  private let options: MonitorOptions
  private let records: any RecordStoreOpener
  private let service: SlotService
  private let clock: PhoneClock
  private let notifies: Bool
  private var device: SimulatedDevice?
  private var engine: MonitorEngine?

  /// - Parameters:
  ///   - records: Where a first process stores; later ones find the same store on the phone.
  ///   - service: What of the phone watches the slots.
  ///   - notifies: Whether the user is notified of each entry, once for a stay, as by ``Monitor/notifyOfEntry(_:title:body:sound:)``.
  ///   - clock: What the phone's clock shows.
  package init(
    watching regions: RegionIndex, _ options: MonitorOptions,
    records: any RecordStoreOpener = InMemoryRecords(), by service: SlotService = .regionMonitoring,
    notifies: Bool = false, clock: @escaping PhoneClock = { $0 }
  ) {
    self.notifies = notifies
    self.clock = clock
    self.service = service
    self.regions = regions
    self.options = options
    self.records = records
  }

  package func phone(_ phone: SimulatedPhone, did event: PhoneEvent) {
    if case .launched = event { open(on: phone) }
    guard let device else { return }
    var inputs = device.inputs(event)
    while !inputs.isEmpty {
      let input = inputs.removeFirst()
      do { try engine?.receive(input) } catch { phone.lose("\(error)") }
      engine?.perform()
      deliver(on: phone, isFix: input.isFix)
      inputs += device.takeInputs()
    }
    switch event {
    // Last, because it may suspend the app.
    case .locations(_, .single), .locationUnknown: device.finishRequest()
    default: break
    }
  }

  private func open(on phone: SimulatedPhone) {
    let saved = phone.saved as? Saved ?? Saved(records: records)
    phone.saved = saved
    let device = SimulatedDevice(phone, service, memory: saved.memory, clock: clock)
    self.device = device
    do {
      engine = try MonitorEngine(
        Self.name, saved.records, device, device, options, MonitorEnvironment(), regions: regions)
    } catch {
      phone.lose("no monitor: \(error)")
    }
  }

  private func notify(of event: MonitoringEvent, on phone: SimulatedPhone) {
    guard let told = engine?.machine.stored.conditions[event.identifier]?.notifiedSequenceNumber else {
      return
    }
    for step in EntryNotifier.steps(for: event, told: told) {
      switch step {
      case .post(let entry):
        let request = NotificationRequest(
          identifier: EntryNotifier.identifier(entry, in: Self.name), title: entry.identifier)
        do { try device?.show(request) } catch { return phone.lose("\(error)") }
      case .remember(let number):
        engine?.machine.notified(event.identifier, sequenceNumber: number)
        engine?.perform()
      }
    }
  }

  /// Handles the events that there are, each to its end.
  private func deliver(on phone: SimulatedPhone, isFix: Bool) {
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
