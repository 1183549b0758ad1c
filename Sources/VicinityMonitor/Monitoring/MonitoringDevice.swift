public import VicinityCrossings
public import VicinityGeodesy

/// The content of one of a device's slots.
public struct Slot: Hashable, Sendable {
  /// The identifier that the device reports the slot under: a condition's, or a sentinel's, which no
  /// condition has.
  public var identifier: String
  /// What is to be watched.
  public var condition: Condition
  /// Whether this is the sentinel: when the device leaves its disc, it is time to plan again.
  public var isSentinel: Bool
  /// Whether the state of a beacon that the device is in range of is told when the display is turned on.
  public var notifiesOnDisplay: Bool
  /// Whether the app needs to know of entries, and may be woken for them.
  public var notifiesOnEntry: Bool
  /// Whether the app needs to know of exits, and may be woken for them.
  public var notifiesOnExit: Bool

  @inlinable
  public init(
    identifier: String, condition: Condition, isSentinel: Bool = false, notifiesOnDisplay: Bool = false,
    notifiesOnEntry: Bool = true, notifiesOnExit: Bool = true
  ) {
    self.identifier = identifier
    self.condition = condition
    self.isSentinel = isSentinel
    self.notifiesOnDisplay = notifiesOnDisplay
    self.notifiesOnEntry = notifiesOnEntry
    self.notifiesOnExit = notifiesOnExit
  }
}

/// Services of a device that wake an app, and start it again, besides its slots. Each needs permission
/// always.
public struct WakeServices: OptionSet, Hashable, Sendable {
  public var rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// After moves of 500 m and more, at most every five minutes (*Location and Maps Programming Guide*,
  /// "Starting the Significant-Change Location Service").
  public static let significantChanges = WakeServices(rawValue: 1)
  /// When the user comes to a place and when they leave it (Core Location's `startMonitoringVisits()`).
  public static let visits = WakeServices(rawValue: 2)
}

/// What a monitor asks of a device.
public enum DeviceCommand: Hashable, Sendable {
  /// Watch a slot, and report its state.
  case register(Slot)
  /// Go on watching a slot that the device has from an earlier process, and report its state. Of a sentinel
  /// only the identifier is known: it stays as it is.
  case adopt(Slot)
  /// Stop watching the slot with an identifier.
  case unregister(identifier: String)
  /// Get a fix of a tier: begin to locate at this time, or at once where it has passed. It replaces earlier
  /// requests; any fix that comes fulfils it. The device keeps the app running meanwhile as well as the
  /// system lets it, and answers by ``MonitorInput/noFix`` where there is no position.
  case requestFix(by: Timestamp, accuracy: DesiredAccuracy = .hundredMeters)
  /// A fix is no longer needed.
  case cancelFixRequest
  /// Deliver positions of a tier, each at least a distance in metres from the one delivered before, 0 for
  /// every position, until ``stopUpdates``. Asked again, the new tier and distance count. The app is being
  /// kept alive.
  case startUpdates(DesiredAccuracy, distanceFilter: Meters = 0)
  case stopUpdates
  /// Keep the app alive in the background, at the least power that the system and the ``show(_:)`` before
  /// allow. Needs the background mode `location`.
  case stayAwake
  /// The system may suspend the app. Updates have ended.
  case allowSleep
  /// Show the user this much of what is watched from now on; ``Presence/quiet`` before the first.
  case show(Presence)
  /// Have these services wake the app, and no other of ``WakeServices``. Each time they do the device tells
  /// the position, where there is one, and then ``MonitorInput/woken``.
  case wake(by: WakeServices)
  /// Range the beacons that match an identity, and tell what is heard as sightings: only in the foreground,
  /// and not for long, as it costs power.
  case startRanging(BeaconIdentity)
  case stopRanging(BeaconIdentity)
}

/// The device that has the slots: a phone, a simulated phone, or none.
public protocol MonitoringDevice: Sendable {
  /// How many slots the device has for the monitor. The monitor plans for all of them, or for fewer where its
  /// options give a smaller `PlanOptions.capacity`. By default nil: the device does not say, and the capacity
  /// of the options counts. Read when the monitor is opened.
  var slotCapacity: Int? { get }

  /// The monitor is open, and never wants more than `slots` slots at once: those that it plans for, without
  /// the reserved ones. Told before the first call of ``perform(_:)``. A device that takes several commands
  /// together adds nothing beyond that before it has removed what is no longer wanted. By default nothing.
  func monitorOpened(slots: Int)

  /// Performs a monitor's commands, in their order, and returns at once. The results go to
  /// ``Monitor/receive(_:)``.
  ///
  /// The first call comes when the monitor is open and what is stored is loaded, also where there is nothing
  /// to do: events that came before are not lost when the device's own service is opened then.
  func perform(_ commands: [DeviceCommand])

  /// Posts a local notification, in place of one that has its identifier, and returns when the device has
  /// taken it.
  ///
  /// - Throws: ``NotificationError``, or what else the device says. By default
  ///   ``NotificationError/notSupported(identifier:)``.
  func post(_ request: NotificationRequest) async throws

  /// The monitor has stored what it was told, as far as its store takes it, and commanded what follows. Told
  /// after each input, and when an event has been handled.
  ///
  /// A device that keeps the app running in the background need not do so any longer, once the monitor has
  /// taken all that it was told and no event is left. By default nothing.
  ///
  /// - Parameter unhandledEvents: How many of its events nobody has handled yet.
  func stored(unhandledEvents: Int)

  /// The monitor is closed. The device ends what runs for it only while the process does: requests, updates,
  /// ranging. What wakes the app stays: slots and ``WakeServices`` are the next monitor's, which the next
  /// call of ``perform(_:)`` is of. By default nothing.
  func monitorClosed()
}

extension MonitoringDevice {
  public var slotCapacity: Int? { nil }
  public func monitorOpened(slots: Int) {}
  public func stored(unhandledEvents: Int) {}
  public func monitorClosed() {}

  public func post(_ request: NotificationRequest) async throws {
    throw NotificationError.notSupported(identifier: request.identifier)
  }
}

/// A device without slots: the monitor decides from its fixes and sightings alone.
public struct NoDevice: MonitoringDevice {
  public init() {}
  public func perform(_ commands: [DeviceCommand]) {}
}

/// A device's report about one of its slots.
public struct SlotReport: Hashable, Sendable {
  /// The slot's identifier.
  public var identifier: String
  /// The state that the device has determined: ``MonitoringState/satisfied``,
  /// ``MonitoringState/unsatisfied``, or ``MonitoringState/unmonitored`` when it cannot watch it.
  public var state: MonitoringState
  public var date: Timestamp
  /// The beacon observed.
  public var refinement: BeaconIdentity?
  /// Why it cannot be watched.
  public var diagnostics: Diagnostics
  /// Whether this is what the device remembers from before this process, and not a new determination. It
  /// counts only where the last event is earlier.
  public var isRecalled: Bool

  @inlinable
  public init(
    identifier: String, state: MonitoringState, date: Timestamp, refinement: BeaconIdentity? = nil,
    diagnostics: Diagnostics = [], isRecalled: Bool = false
  ) {
    self.isRecalled = isRecalled
    self.identifier = identifier
    self.state = state
    self.date = date
    self.refinement = refinement
    self.diagnostics = diagnostics
  }
}

/// What it takes for an app to stay awake in the background.
public enum Wakefulness: String, CaseIterable, Hashable, Sendable {
  /// Little, and it can stay awake again whenever something wakes it.
  case cheap
  /// Location updates of a hundred metres all the time. Once it has been suspended, it can stay awake again
  /// only where significant changes or its user wake it.
  case costly
  /// It cannot: it has some seconds for what has woken it.
  case impossible
}

/// An input of a monitor.
public enum MonitorInput: Hashable, Sendable {
  /// Where the device is.
  case fix(Fix)
  /// The fix that was asked for cannot be had now.
  case noFix
  /// The identifiers of all slots that the device has for this monitor, left by an earlier process. To be
  /// told first, before anything else, so that no more slots are used than there are.
  case existingSlots([String])
  /// A beacon that the device has seen.
  case sighting(BeaconSighting)
  /// A device's report about a slot.
  case slot(SlotReport)
  /// What is allowed from now on.
  case environment(MonitorEnvironment)
  /// One of the ``WakeServices`` has woken the app: the device may be elsewhere.
  case woken
  /// What it takes to stay awake from now on; ``Wakefulness/cheap`` before the first.
  case wakefulness(Wakefulness)

  /// When it was observed; nil for what has no time of its own.
  package var time: Timestamp? {
    switch self {
    case .fix(let fix): fix.time
    case .sighting(let sighting): sighting.time
    case .slot(let report): report.date
    case .noFix, .existingSlots, .environment, .woken, .wakefulness: nil
    }
  }
}
