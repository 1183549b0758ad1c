public import VicinityCrossings
public import VicinityGeodesy

/// What a planner has to work with, and what it must allow for.
///
/// A plain value: what takes it checks it (``validated()``). The defaults are for a phone whose regions the
/// system watches; ``followed`` is for a position that is followed fix by fix.
///
/// The safe disc's radius is the certificate less all that may happen between its border and the next plan:
/// `overshoot + maximumSpeed × (latency + age of the fix) + sentinelError`.
public struct PlanOptions: Hashable, Sendable {
  /// How room is made where all slots are full.
  public enum SwapPolicy: String, CaseIterable, Hashable, Sendable {
    /// What is no longer wanted is removed first; nineteen regions and a sentinel in twenty slots. Where
    /// nothing can be removed, the old sentinel goes before the new one comes, and the diff says so.
    case removalsFirst
    /// One slot is kept spare, so that the new sentinel stands before the old one goes; eighteen regions.
    case spareSlot
  }

  /// How many regions the device can watch. Zero or more; where none is given 20, Core Location's limit for
  /// an app (*Region Monitoring and iBeacon*, Apple).
  public var capacity: Int {
    get { givenCapacity ?? Self.usualCapacity }
    set { givenCapacity = newValue }
  }
  /// The capacity that was given; nil by default. It matters where the device says how many slots it has, as
  /// a monitor's does: without one all of them are planned for, with one no more than that.
  public var givenCapacity: Int?
  /// How many of these slots the planner must not use: the app's own regions, beacon conditions. Zero or
  /// more; more than the capacity counts as all of it.
  public var reserved: Int
  /// How room is made where all slots are full; ``SwapPolicy/removalsFirst`` by default.
  public var swapPolicy: SwapPolicy
  /// How registrations are chosen; ``PlanStrategy/boundary`` by default.
  public var strategy: PlanStrategy

  /// The greatest speed, metres a second; the guarantee rests on it. 40 by default, 144 km/h: above the 130
  /// km/h of Europe's motorways.
  public var maximumSpeed: MetersPerSecond
  /// From crossing the sentinel's border to the next plan; 20 s by default, how long a device must have left
  /// before Core Location says so (*Location and Maps Programming Guide*, Apple). Zero or more.
  public var latency: Duration
  /// How far beyond a border an exit is noticed at walking speed, metres; 200 by default, the guide's figure
  /// for testing. 60-330 m have been measured.
  public var overshoot: Meters
  /// How far the system may be wrong about where the device is when it watches the sentinel, metres; 100 by
  /// default, the accuracy of Wi-Fi positions (medians 43-92 m at 90 sites: P. A. Zandbergen, *J. Navigation*
  /// 65, 2012).
  public var sentinelError: Meters
  /// The least radius that a sentinel works with, metres; 100 by default, the least that is advised for
  /// region monitoring (Android's *Create and monitor geofences*). Smaller safe discs saturate the plan.
  public var minimumReliableRadius: Meters
  /// Whether a saturated plan has a sentinel too, with the certificate's radius, or the least reliable one if
  /// that is larger. It guarantees nothing, but leaving it wakes an app that sleeps, which cannot ask for the
  /// fixes that such a plan needs. False by default; a monitor sets it.
  public var wakesWhenSaturated: Bool
  /// The greatest radius a sentinel may have, metres: the platform's `maximumRegionMonitoringDistance`.
  /// Infinite by default; no less than the least reliable one.
  public var maximumRadius: Meters
  /// The greatest radius a registered region may have, metres; infinite by default. Larger ones, polygons by
  /// a circle around them, never get a slot; they are for software to watch, and the safe disc ends before
  /// their boundaries.
  public var maximumRegionRadius: Meters
  /// What a fix's accuracy is multiplied by to bound its error; 3 by default. (Of moving fixes of phones, 20
  /// to 50 % are farther off than the accuracy they report.)
  public var errorFactor: Double
  /// How long a fix that is asked for takes to come; 10 s by default, what an app gets when it is woken (the
  /// guide). Zero or more.
  public var acquisitionTime: Duration
  /// How exact the nearest regions have to be, metres: that of a `Tier`, 0 by default. A plan costs what such
  /// a query costs; the certificate is less by what the answer leaves open, at most twice the tolerance, so
  /// that it stays true.
  public var tolerance: Meters

  /// Who stays when more regions may contain the device than there are slots: the greater number first, by
  /// identifier; 0 for all others. Equals are kept in the order of how near their boundaries are.
  public var priorities: [String: Int]
  /// Identifiers of regions that always hold a slot, wherever the device is. What is no region's counts once
  /// there is such a region. Regions larger than ``maximumRegionRadius`` get no slot, and strategies without
  /// a certificate do not look at these.
  ///
  /// A set holds only one of two identifiers that are the same text and differ in their bytes, such as the
  /// two spellings of é. Options that are given by name keep both.
  public var pinned: Set<String>
  /// Identifiers of pinned regions that are the same text as one of ``pinned``, and other bytes: regions are
  /// told apart by their bytes.
  private var respelledPins: [String] = []
  /// All identifiers of pinned regions, in the order of the alphabet.
  package var allPins: [String] { (Array(pinned) + respelledPins).sorted() }
  /// What sentinels are called, with `-a` and `-b` appended in turn, and more where a region is called so.
  public var sentinelName: String

  public init(
    capacity: Int? = nil, reserved: Int = 0, swapPolicy: SwapPolicy = .removalsFirst,
    strategy: PlanStrategy = .boundary, maximumSpeed: MetersPerSecond = 40,
    latency: Duration = .seconds(20), overshoot: Meters = 200, sentinelError: Meters = 100,
    minimumReliableRadius: Meters = 100, wakesWhenSaturated: Bool = false, maximumRadius: Meters = .infinity,
    maximumRegionRadius: Meters = .infinity, errorFactor: Double = 3,
    acquisitionTime: Duration = .seconds(10), tolerance: Meters = 0, priorities: [String: Int] = [:],
    pinned: Set<String> = [], sentinelName: String = "vicinity"
  ) {
    givenCapacity = capacity
    self.reserved = reserved
    self.swapPolicy = swapPolicy
    self.strategy = strategy
    self.maximumSpeed = maximumSpeed
    self.latency = latency
    self.overshoot = overshoot
    self.sentinelError = sentinelError
    self.minimumReliableRadius = minimumReliableRadius
    self.wakesWhenSaturated = wakesWhenSaturated
    self.maximumRadius = maximumRadius
    self.maximumRegionRadius = maximumRegionRadius
    self.errorFactor = errorFactor
    self.acquisitionTime = acquisitionTime
    self.tolerance = tolerance
    self.priorities = priorities
    self.pinned = pinned
    self.sentinelName = sentinelName
  }

  /// For a position that is followed fix by fix, by software that sees every fix at once: the safe disc's
  /// radius is the certificate itself.
  public static var followed: PlanOptions {
    PlanOptions(
      latency: .zero, overshoot: 0, sentinelError: 0, minimumReliableRadius: 0, acquisitionTime: .zero)
  }

  /// Adds an identifier to ``pinned``, also beside one that only its bytes tell from it.
  package mutating func pin(_ identifier: String) {
    let (isNew, same) = pinned.insert(identifier)
    if !isNew, !([same] + respelledPins).contains(where: { $0.utf8.elementsEqual(identifier.utf8) }) {
      respelledPins.append(identifier)
    }
  }

  /// Slots there are for regions and sentinels.
  public var slots: Int { max(0, capacity - min(capacity, reserved)) }

  /// These options on a device that has `slots` slots: a given capacity counts up to that, and without one
  /// all slots do, up to ``largestCapacity``.
  package func fitted(toSlots slots: Int) -> PlanOptions {
    var options = self
    options.capacity = min(givenCapacity ?? Self.largestCapacity, slots)
    return options
  }

  /// These options, once checked.
  ///
  /// - Throws: ``PlanOptionsError`` for the first that is out of its range, or NaN.
  public func validated() throws(PlanOptionsError) -> PlanOptions {
    guard capacity >= 0, capacity <= Self.largestCapacity else {
      throw .outOfRange("capacity", Double(capacity))
    }
    guard reserved >= 0 else { throw .outOfRange("reserved", Double(reserved)) }
    let finite: [(String, Double)] = [
      ("maximumSpeed", maximumSpeed), ("latency", latency / .seconds(1)), ("overshoot", overshoot),
      ("sentinelError", sentinelError), ("minimumReliableRadius", minimumReliableRadius),
      ("errorFactor", errorFactor), ("acquisitionTime", acquisitionTime / .seconds(1)),
      ("tolerance", tolerance),
    ]
    for (name, value) in finite {
      guard value >= 0, value < .infinity else { throw .outOfRange(name, value) }
    }
    guard maximumSpeed > 0 else { throw .outOfRange("maximumSpeed", maximumSpeed) }
    guard maximumRadius > 0, maximumRadius >= minimumReliableRadius else {
      throw .outOfRange("maximumRadius", maximumRadius)
    }
    guard maximumRegionRadius >= 0 else { throw .outOfRange("maximumRegionRadius", maximumRegionRadius) }
    try strategy.check()
    return self
  }

  private static let usualCapacity = 20

  /// Far beyond any device's, so that a mistake does not take all memory.
  public static let largestCapacity = 10_000
}

/// What is wrong with a planner's options.
public enum PlanOptionsError: Error, Hashable, Sendable {
  /// A parameter is out of its range, or NaN; durations in seconds.
  case outOfRange(String, Double)
}

extension PlanOptionsError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .outOfRange(let name, let value): "\(name) cannot be \(value): \(Self.range(of: name)) is expected"
    }
  }

  private static func range(of name: String) -> String {
    switch name {
    case "turnMargin": "more than 0 and at most 1"
    case "maximumSpeed", "radius": "more than 0"
    case "maximumRadius": "more than 0, and no less than minimumReliableRadius,"
    case "capacity": "0 to \(PlanOptions.largestCapacity)"
    default: "0 or more"
    }
  }
}
