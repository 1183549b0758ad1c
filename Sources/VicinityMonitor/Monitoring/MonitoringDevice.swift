public import VicinityCrossings

/// What occupies one of a device's slots.
public struct Slot: Hashable, Sendable {
  /// The identifier that the device is to report it under: the condition's, or a sentinel's, which no condition has.
  public var identifier: String
  /// What is to be watched.
  public var condition: Condition
  /// Whether this is the sentinel: a disc whose exit is the time to plan again.
  public var isSentinel: Bool

  @inlinable
  public init(identifier: String, condition: Condition, isSentinel: Bool = false) {
    self.identifier = identifier
    self.condition = condition
    self.isSentinel = isSentinel
  }
}

/// What a monitor asks of a device.
public enum DeviceCommand: Hashable, Sendable {
  /// Watch this; after that, report the state that it is in.
  case register(Slot)
  /// Watch what has this identifier no longer.
  case unregister(identifier: String)
  /// Get a fix, to come at this time or before; what was asked for earlier is void. Any fix that comes is the one.
  case requestFix(by: Timestamp)
  /// A fix is no longer needed.
  case cancelFixRequest
}

/// A phone, a simulated one, or nothing: what has the slots.
public protocol MonitoringDevice: Sendable {
  /// Takes a monitor's commands, in their order, and returns at once. What comes of them is told to
  /// ``Monitor/receive(_:)``.
  func perform(_ commands: [DeviceCommand])
}

/// A device without slots: the monitor decides from its fixes and sightings alone.
public struct NoDevice: MonitoringDevice {
  public init() {}
  public func perform(_ commands: [DeviceCommand]) {}
}

/// What a device says of one of its slots.
public struct SlotReport: Hashable, Sendable {
  /// The slot's identifier.
  public var identifier: String
  /// The state that the device has determined: ``MonitoringState/satisfied``, ``MonitoringState/unsatisfied``, or
  /// ``MonitoringState/unmonitored`` when it cannot watch it.
  public var state: MonitoringState
  public var date: Timestamp
  /// The beacon observed.
  public var refinement: BeaconIdentity?
  /// Why it cannot be watched.
  public var diagnostics: Diagnostics

  @inlinable
  public init(
    identifier: String, state: MonitoringState, date: Timestamp, refinement: BeaconIdentity? = nil,
    diagnostics: Diagnostics = []
  ) {
    self.identifier = identifier
    self.state = state
    self.date = date
    self.refinement = refinement
    self.diagnostics = diagnostics
  }
}

/// What a monitor is told.
public enum MonitorInput: Hashable, Sendable {
  /// Where the device is.
  case fix(Fix)
  /// A beacon that the device has seen.
  case sighting(BeaconSighting)
  /// What the device says of a slot.
  case slot(SlotReport)
  /// What is allowed from now on.
  case environment(MonitorEnvironment)
}
