internal import VicinityGeodesy
internal import VicinityMonitor
internal import VicinitySimulation

/// How an app that leaves the watching to the system goes about it: which regions it registers, when it chooses anew, and what
/// it makes of what it is told. A value, so that systems can be set side by side.
struct SlotRecipe: Sendable {
  /// In which order regions are given slots.
  enum Ranking: Sendable {
    /// By the distance of their centres.
    case center
    /// By the distance of their boundaries.
    case boundary
    /// By the distance of their boundaries, to whole metres, equals by identifier, among those that were the nearest so many
    /// where they were last fetched; fetched anew after so many metres.
    case roundedBoundary(cache: Int, refetch: Meters)
    /// Of those whose centres lie within `far`: those within `near` by identifier, then the others by their centres.
    case identifier(near: Meters, far: Meters)
  }

  /// A region around the phone whose exit is a time to choose anew.
  struct Sentinel: Sendable {
    var name: String
    var radius: Meters
    /// How much of a fix's accuracy is added to that.
    var accuracyShare = 0.0
    var maximumRadius = Double.infinity
    /// Whether it ends before the nearest boundary of a polygon.
    var mindsPolygons = false
    /// Whether it stays where it is while the phone is in it.
    var staysWhileInside = false
  }

  /// What makes an app choose anew, besides its sentinel.
  struct Triggers: OptionSet, Sendable {
    let rawValue: UInt8
    static let significantChanges = Triggers(rawValue: 1)
    static let visits = Triggers(rawValue: 2)
    static let regionEvents = Triggers(rawValue: 4)
    /// The first launch, or one that finds nothing registered.
    static let launch = Triggers(rawValue: 8)
  }

  var ranking: Ranking
  /// How many slots there are for regions.
  var count: Int
  var sentinel: Sentinel?
  var triggers: Triggers
  /// Whether a trigger's own position will do; otherwise one is asked for.
  var usesTriggersPosition = true
  /// The tier of positions that are asked for.
  var accuracy = DesiredAccuracy.hundredMeters
  /// A position of a larger accuracy than this is not used, metres.
  var worstAccuracy = Double.infinity
  /// Regions with centres beyond this much and a fix's accuracy are left out, metres.
  var reach = Double.infinity
  /// Whether all registrations are torn down before others are made.
  var replacesAll = false
  /// Whether the state of a new registration is asked for, and an entry reported that it tells of.
  var asksStates = false
  /// Whether reports go by what was reported before, so that none is repeated.
  var keepsLedger = false
  /// Whether it goes by a fix what the phone is in where a region is given a slot.
  var takesStatesFromFix = false
  var reportsExits = true
  /// How long a report of a region is not repeated, seconds; of a region and kind where `cooldownIsByKind`.
  var cooldown = 0.0
  var cooldownIsByKind = true
  /// Circles below this are watched by three overlapping ones of this radius, metres.
  var smallestRadius = 0.0
}
