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

  /// The device watches this from an earlier process: it takes up room until it goes.
  mutating func found(_ identifier: String, isSentinel: Bool) { held[identifier] = isSentinel }

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

  /// The regions that the device watches once it has done what was taken, and whether they are sentinels.
  private var held: [String: Bool] = [:]

  /// What the device is to do, in this order.
  ///
  /// Where a region would be one more than there is room for, one that goes anyway goes before it: another
  /// region, or else the old sentinel, without which nothing would wake the app for a moment.
  ///
  /// - Parameter room: How many regions the device can watch.
  mutating func takeCommands(room: Int) -> [DeviceCommand] {
    var ordered: [DeviceCommand] = []
    var early: Set<Int> = []
    for (i, command) in commands.enumerated() where !early.contains(i) {
      if case .register(let slot) = command, slot.condition.kind == .geographic,
        held[slot.identifier] == nil, held.count >= room, let next = removal(behind: i, besides: early)
      {
        early.insert(next)
        note(commands[next])
        ordered.append(commands[next])
      }
      note(command)
      ordered.append(command)
    }
    commands = []
    return ordered
  }

  /// Where a region is removed that the device watches now.
  private func removal(behind place: Int, besides early: Set<Int>) -> Int? {
    var sentinel: Int?
    for i in commands.indices[(place + 1)...] where !early.contains(i) {
      guard case .unregister(let identifier) = commands[i], let isSentinel = held[identifier] else {
        continue
      }
      if !isSentinel { return i }
      sentinel = sentinel ?? i
    }
    return sentinel
  }

  private mutating func note(_ command: DeviceCommand) {
    switch command {
    case .register(let slot) where slot.condition.kind == .geographic,
      .adopt(let slot) where slot.condition.kind == .geographic:
      held[slot.identifier] = slot.isSentinel
    case .unregister(let identifier): held[identifier] = nil
    default: break
    }
  }
}
