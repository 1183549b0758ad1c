internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityMonitor
internal import VicinitySimulation

/// How an app uses the system's region monitoring: which regions it registers, when it chooses them again,
/// and what it makes of the events. A value, so that systems can be compared side by side.
struct SlotRecipe: Sendable {
  /// The order in which regions get slots.
  enum Ranking: Sendable {
    /// By the distance to the centre.
    case center
    case boundary
    /// By the distance to the boundary in whole metres, equals by identifier, among the `cache` nearest
    /// regions at the last fetch; the app fetches again after `refetch` metres.
    case roundedBoundary(cache: Int, refetch: Meters)
    /// Regions with centres within `near`, by identifier; then the others within `far`, by their centres.
    case identifier(near: Meters, far: Meters)
  }

  /// A region around the phone; when the phone leaves it, the app chooses again.
  struct Sentinel: Sendable {
    var name: String
    var radius: Meters
    /// The share of the fix's accuracy to add to the radius.
    var accuracyShare = 0.0
    var maximumRadius = Double.infinity
    var endsBeforePolygons = false
    var staysWhileInside = false
  }

  /// What makes an app choose again, besides its sentinel.
  struct Triggers: OptionSet, Sendable {
    let rawValue: UInt8
    static let significantChanges = Triggers(rawValue: 1)
    static let visits = Triggers(rawValue: 2)
    static let regionEvents = Triggers(rawValue: 4)
    /// The first launch, or a launch that finds nothing registered.
    static let launch = Triggers(rawValue: 8)
    /// Each launch, whatever is registered.
    static let everyLaunch = Triggers(rawValue: 16)
  }

  var ranking: Ranking
  /// The number of slots for regions.
  var count: Int
  var sentinel: Sentinel?
  var triggers: Triggers
  /// Whether the app uses the position that comes with a trigger; otherwise it requests one.
  var usesTriggersPosition = true
  /// The tier of the requested positions.
  var accuracy = DesiredAccuracy.hundredMeters
  /// Positions less accurate than this are not used, metres.
  var worstAccuracy = Double.infinity
  /// Regions with centres farther away than this plus the fix's accuracy get no slot, metres.
  var maximumDistance = Double.infinity
  /// Whether all regions are unregistered before the chosen ones are registered.
  var replacesAll = false
  /// Whether the app asks for the state of a new registration, and reports an entry if it is inside.
  var asksStates = false
  /// Whether the app remembers what it has reported, so that it repeats nothing.
  var avoidsRepeats = false
  /// Whether the fix decides which regions the phone is in when they get a slot.
  var takesStatesFromFix = false
  var reportsExits = true
  /// How long a report of a region is not repeated, seconds; for each kind by itself where
  /// `cooldownIsByKind`.
  var cooldown = 0.0
  var cooldownIsByKind = true
  /// Circles smaller than this are monitored by three overlapping ones of this radius, metres.
  var smallestRadius = 0.0
}

/// An app that leaves monitoring to the system, by a recipe.
final class SlotApp: PortableApp {
  private var slots: SlotManager
  private let recipe: SlotRecipe
  private var request = PositionRequest()

  init(_ regions: RegionIndex, _ recipe: SlotRecipe) {
    self.recipe = recipe
    slots = SlotManager(regions, recipe)
  }

  func handle(_ event: PhoneEvent, on phone: any StudiedPhone) {
    switch event {
    case .launched: begin(on: phone)
    case .locations(let fixes, _):
      guard let fix = fixes.last, phone.now.seconds(since: fix.time) < 60 else { return }
      choose(at: fix, on: phone)
    case .locationUnknown: request.finish(on: phone)
    case .taskExpires(let task): request.expire(task, on: phone)
    case .visited(let visit):
      if recipe.usesTriggersPosition { choose(at: visit.fix, on: phone) } else { ask(phone) }
    case .exited(let region):
      if region == slots.sentinel { return ask(phone) }
      handle(region, isInside: false, on: phone)
    case .entered(let region): handle(region, isInside: true, on: phone)
    case .determined(let state, let region):
      guard recipe.asksStates, state != .unknown, region != slots.sentinel else { return }
      slots.handle(region, isInside: state == .inside, on: phone)
      phone.saved = slots.memory
    case .monitoringFailed(let region, let error): phone.lose("\(region): \(error)")
    default: break
    }
  }

  private func begin(on phone: any StudiedPhone) {
    slots.memory = phone.saved as? SlotManager.Memory ?? SlotManager.Memory()
    if recipe.triggers.contains(.significantChanges) { phone.startMonitoringSignificantLocationChanges() }
    if recipe.triggers.contains(.visits) { phone.startMonitoringVisits() }
    if recipe.triggers.contains(.everyLaunch) {
      ask(phone)
    } else if recipe.triggers.contains(.launch), !slots.memory.hasChosen || phone.monitoredRegions.isEmpty {
      ask(phone)
    }
  }

  private func handle(_ region: String, isInside: Bool, on phone: any StudiedPhone) {
    slots.handle(region, isInside: isInside, on: phone)
    phone.saved = slots.memory
    if recipe.triggers.contains(.regionEvents), isInside || recipe.reportsExits { ask(phone) }
  }

  private func ask(_ phone: any StudiedPhone) { request.ask(phone, recipe.accuracy) }

  private func choose(at fix: Fix, on phone: any StudiedPhone) {
    if slots.choose(at: fix, on: phone) { phone.saved = slots.memory }
    request.finish(on: phone)
  }
}
