public import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex

/// What a monitor does, without a clock, a store, or a device: conditions, fixes, sightings and times go in, changes to be
/// stored, commands for the device and events come out.
///
/// Deterministic: the same calls make the same events, commands and changes. ``Monitor`` performs them.
///
/// ## Deciding
/// A condition's state is what was last decided: for a region by the crossing rule at a fix, or by the device for a slot,
/// whichever came last; for a beacon by what has been sighted. An event is made when that differs from the last event
/// made. Every one gets the next number and is stored before it is delivered; all are delivered, in their order.
///
/// ## Order
/// The events that one input makes get their numbers in the order of their dates, and those of the same date in the order
/// in which their conditions were added. This order does not depend on how the regions are indexed, on which conditions
/// have been suspended in between, or on when the process was started.
public struct MonitorStateMachine: ~Copyable {
  /// What is to be done, in this order: store the changes, all or none; then have the device perform the commands.
  public struct Actions: Hashable, Sendable {
    /// For the store.
    public var changes: [RecordChange] = []
    /// For the device.
    public var commands: [DeviceCommand] = []

    /// Nothing.
    public init() {}
  }

  /// What has happened to fixes.
  public var fixCounts: FixCounts { tracker.counts }
  /// The plan in force; nil before the first fix, and while nothing is watched.
  public var plan: Plan? { planner.plan }
  /// What is allowed.
  public internal(set) var environment: MonitorEnvironment
  /// What should be stored now.
  public internal(set) var stored: StoredMonitor
  /// Whether the store takes what is to be stored.
  public internal(set) var isPersistent: Bool
  /// How it works.
  public let options: MonitorOptions

  /// What is known of a condition beyond what is stored.
  struct Watched {
    /// The state of the last event made; of what the record began with, when there has been none.
    var state: MonitoringState
    /// Whether that was decided, and not just assumed.
    var isDecided = false
    /// Whether the device, by its slot, says that the beacon is in range: silence proves nothing then.
    var isVouched = false
    /// What suspends it.
    var suspension: Diagnostics = []
    /// Whether the tracker or the presence has it.
    var isActive = false
  }

  var watched: [String: Watched]
  var tracker: ConditionTracker
  var planner: RegistrationPlanner<UpdatableRegionIndex>
  var presence: BeaconPresence
  /// How many regions are watched.
  var regionCount: Int
  /// Which active conditions are about an identity, in the order of adding.
  var beacons: [BeaconIdentity: [String]]
  var budget: SlotBudget
  /// What the device has been told to watch.
  var slots: [String: Slot]
  var requestedFix: Timestamp?
  /// The last fix that was taken, by a clock that has not been set back since.
  var lastFix: Fix?
  /// Pinned regions that have their slots.
  var pinned: Set<String>
  /// Priorities other than zero of regions that are watched.
  var priorities: [String: Int]
  var actions: Actions
  var queue: EventQueue
  /// The event that is being handled.
  var delivered: UInt64?
  var lastPersistedNumber: UInt64
  var time: Timestamp

  /// A machine that goes on from what is stored.
  ///
  /// - Parameters:
  ///   - stored: What a store has loaded; nothing for a new monitor.
  ///   - options: How it works.
  ///   - environment: What is allowed now.
  ///   - now: The time; the process begins, or begins again.
  /// - Throws: ``MonitorError`` for options out of their ranges, and for stored conditions that cannot be.
  public static func restored(
    from stored: StoredMonitor = StoredMonitor(), options: MonitorOptions = MonitorOptions(),
    environment: MonitorEnvironment = MonitorEnvironment(), now: Timestamp
  ) throws(MonitorError) -> MonitorStateMachine {
    if let dwell = options.crossings.dwell { throw .dwellNotSupported(dwell) }
    guard options.storeRetryInterval > .zero else {
      throw .intervalNotPositive(option: "store retry interval", value: options.storeRetryInterval)
    }
    let presence: BeaconPresence
    do { presence = try BeaconPresence(timeout: options.beaconTimeout) } catch {
      throw .beaconOptions(error)
    }
    let tracker = try tracker(options)
    var machine = MonitorStateMachine(
      stored, options, environment, now, presence, tracker, try planner(options))
    let conditions = stored.conditions.values.sorted { $0.number < $1.number }
    for condition in conditions {
      let event = condition.record.lastEvent
      machine.watched[condition.identifier] = Watched(
        state: event.state, isDecided: event.sequenceNumber > 0)
      machine.enter(condition)
    }
    for number in stored.events.keys.sorted() {
      guard let event = stored.events[number] else { continue }
      machine.watched[event.identifier]?.state = event.state
      machine.watched[event.identifier]?.isDecided = true
    }
    try machine.update(conditions, isKnown: true)
    machine.settle()
    return machine
  }

  private init(
    _ stored: StoredMonitor, _ options: MonitorOptions, _ environment: MonitorEnvironment,
    _ now: Timestamp, _ presence: BeaconPresence, _ tracker: consuming ConditionTracker,
    _ planner: consuming RegistrationPlanner<UpdatableRegionIndex>
  ) {
    self.stored = stored
    self.options = options
    self.environment = environment
    time = now
    queue = EventQueue(stored.events.keys.sorted())
    lastPersistedNumber = stored.lastSequenceNumber
    budget = SlotBudget(options.limit, slots: options.plan.slots)
    self.presence = presence
    self.tracker = tracker
    self.planner = planner
    isPersistent = true
    watched = [:]
    regionCount = 0
    beacons = [:]
    slots = [:]
    requestedFix = nil
    lastFix = nil
    pinned = []
    priorities = [:]
    actions = Actions()
    delivered = nil
  }

  private static func tracker(_ options: MonitorOptions) throws(MonitorError) -> ConditionTracker {
    let index: RegionIndex
    do { index = try RegionIndex([]) } catch { throw .condition(identifier: "", error) }
    do { return try ConditionTracker(options.crossings, empty: index) } catch {
      throw .crossingOptions(error)
    }
  }

  private static func planner(
    _ options: MonitorOptions
  ) throws(MonitorError) -> RegistrationPlanner<UpdatableRegionIndex> {
    let index: UpdatableRegionIndex
    do { index = try UpdatableRegionIndex() } catch { throw .condition(identifier: "", error) }
    do { return try RegistrationPlanner(index, options: options.plan) } catch {
      throw .planOptions(error)
    }
  }

  /// What is to be done since this was last asked.
  public mutating func takeActions() -> Actions {
    defer { actions = Actions() }
    return actions
  }

  // MARK: Events

  mutating func change(_ change: RecordChange) {
    stored.apply(change)
    actions.changes.append(change)
  }

  /// What has been determined of a condition.
  struct Determination {
    var identifier: String
    var state: MonitoringState
    var date: Timestamp
    var refinement: BeaconIdentity?
    var diagnostics: Diagnostics = []
  }

  /// Makes events of what one input has determined: in the order of the dates, then in that in which the conditions were
  /// added, then as given, which is the order in time for one condition.
  mutating func note(_ determinations: [Determination]) {
    if determinations.count == 1 { return note(determinations[0]) }
    let numbers = determinations.map { stored.conditions[$0.identifier]?.number ?? 0 }
    let order = determinations.indices.sorted { a, b in
      (determinations[a].date, numbers[a], a) < (determinations[b].date, numbers[b], b)
    }
    for i in order { note(determinations[i]) }
  }

  /// Makes an event, where the state is another than the last event's.
  private mutating func note(_ determination: Determination) {
    let identifier = determination.identifier
    guard let last = watched[identifier], last.state != determination.state else { return }
    watched[identifier]?.state = determination.state
    watched[identifier]?.isDecided = true
    let number = stored.lastSequenceNumber + 1
    change(
      .enqueue(
        MonitoringEvent(
          identifier: identifier, state: determination.state, date: determination.date,
          refinement: determination.refinement, diagnostics: determination.diagnostics,
          sequenceNumber: number)))
    queue.append(number)
  }

  /// The next event to be delivered; nil when there is none, or while one is being handled.
  ///
  /// Without a store that takes it, it says so.
  public mutating func nextEvent() -> MonitoringEvent? {
    guard delivered == nil else { return nil }
    while let number = queue.first {
      queue.removeFirst()
      // Some went with their conditions.
      guard var event = stored.events[number] else { continue }
      delivered = number
      if !isPersistent || number > lastPersistedNumber {
        event.diagnostics.insert(.persistenceUnavailable)
      }
      return event
    }
    return nil
  }

  /// The event that was delivered last has been handled: its record takes it. Nothing happens when there is none.
  public mutating func handled() {
    guard let number = delivered else { return }
    delivered = nil
    if stored.events[number] != nil { change(.handled(sequenceNumber: number)) }
  }

  /// The event that was delivered last will not be handled: it is delivered again.
  public mutating func putBack() {
    guard let number = delivered else { return }
    delivered = nil
    queue.prepend(number)
  }

  /// The user has been told of the stay in progress, which an event began; 0 for not.
  public mutating func notified(_ identifier: String, sequenceNumber: UInt64) {
    guard stored.conditions[identifier] != nil else { return }
    change(.notified(identifier: identifier, sequenceNumber: sequenceNumber))
  }

  // MARK: Persistence

  /// The store has taken all changes up to now.
  public mutating func didStore() {
    isPersistent = true
    lastPersistedNumber = stored.lastSequenceNumber
  }

  /// The store has not taken the last changes: until ``didStore()``, ``stored`` is what is to be stored, all of it.
  public mutating func couldNotStore() { isPersistent = false }
}
