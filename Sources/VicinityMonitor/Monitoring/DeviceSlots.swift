internal import VicinityCrossings

/// What the device has been told, and the commands that it is still to be given.
struct DeviceSlots {
  /// What it has been told to watch.
  private(set) var slots: [String: Slot] = [:]
  /// When the fix is due that it has been asked for; nil where there is no request.
  private(set) var requestedFix: Timestamp?
  private var commands: [DeviceCommand] = []

  /// The regions that it has been told to watch, without the sentinel.
  var regions: [Slot] {
    slots.values.filter { $0.condition.kind == .geographic && !$0.isSentinel }
      .sorted { $0.identifier < $1.identifier }
  }

  /// The identifier of the sentinel that it has been told to watch.
  var sentinel: String? { slots.values.first { $0.isSentinel }?.identifier }

  mutating func register(_ slot: Slot) {
    slots[slot.identifier] = slot
    command(.register(slot))
  }

  mutating func unregister(_ identifier: String) {
    if slots.removeValue(forKey: identifier) != nil { command(.unregister(identifier: identifier)) }
  }

  /// Takes over a slot that an earlier process has left.
  mutating func adopt(_ slot: Slot) {
    slots[slot.identifier] = slot
    command(.adopt(slot))
  }

  /// The device has refused to watch this.
  mutating func refuse(_ identifier: String) { slots[identifier] = nil }

  /// Asks for a fix, unless one has been asked for that comes early enough.
  mutating func requestFix(by time: Timestamp) {
    if let requestedFix, requestedFix <= time { return }
    requestedFix = time
    command(.requestFix(by: time))
  }

  mutating func cancelFixRequest() {
    if requestedFix != nil { command(.cancelFixRequest) }
    requestedFix = nil
  }

  /// The request has been answered, or another one has taken its place.
  mutating func endFixRequest() { requestedFix = nil }

  mutating func command(_ command: DeviceCommand) { commands.append(command) }

  mutating func takeCommands() -> [DeviceCommand] {
    defer { commands = [] }
    return commands
  }
}
