public import VicinityCrossings
internal import VicinityGeodesy
public import VicinityIndex

/// What a planner decides at a fix.
public enum PlanDecision: Hashable, Sendable {
  /// The plan in force still holds.
  case holds
  /// There is a new plan, ``RegistrationPlanner/plan``; these are the steps to it.
  case planned(PlanDiff)
}

/// How many fixes a planner has seen, and what it has planned.
public struct PlanCounts: Hashable, Sendable {
  /// Fixes accepted and dropped.
  public var fixes = FixCounts()
  public var plans = 0
  /// Plans that were saturated.
  public var saturated = 0
  /// Steps of all diffs.
  public var steps = 0
}

/// Which regions to register as a device moves, and for how long that choice holds.
///
///     var planner = try RegistrationPlanner(index)
///     for fix in fixes {
///       guard case .planned(let diff) = try planner.advance(to: fix) else { continue }
///       for step in diff.steps { perform(step) }
///     }
///
/// At a fix with error e, with S registered and D the smallest gap of any region not in S: if e < D, then
/// while the device is nearer than D to the plan's centre, no region outside S can be entered. The page
/// Certificate proves it.
///
/// A plan is made at the first fix, and again when the device may have left the safe disc, or by the time the
/// next fix is due. A planner belongs to one device and must not be shared between threads; an actor may hold
/// one.
public struct RegistrationPlanner<Index: SearchableRegions>: ~Copyable {
  /// The regions; changed by ``update(_:)``.
  public private(set) var index: Index
  /// What plans have to work with; changed by ``setOptions(_:)``.
  public private(set) var options: PlanOptions
  /// The plan in force; nil before the first fix.
  public private(set) var plan: Plan?
  /// How many fixes and plans there have been.
  public private(set) var counts = PlanCounts()

  private var motion = PlannerMotion()
  /// `options.errorFactor`.
  private var errorFactor: Double
  private var registered = DeviceRegistrations()
  /// Where the device has stayed, for ``PlanStrategy/visits(radius:stay:)``.
  private var stay: Standstill?
  private var scratch = PlannerScratch()

  /// A planner for a device that has not been seen yet and has nothing registered.
  ///
  /// - Throws: ``PlanOptionsError``.
  public init(_ index: Index, options: PlanOptions = PlanOptions()) throws(PlanOptionsError) {
    self.index = index
    self.options = try options.validated()
    errorFactor = options.errorFactor
  }

  /// Replaces the options. The next fix makes a new plan.
  ///
  /// - Throws: ``PlanOptionsError``; nothing has changed then.
  public mutating func setOptions(_ options: PlanOptions) throws(PlanOptionsError) {
    self.options = try options.validated()
    errorFactor = options.errorFactor
    scratch.needsChoices = true
    invalidate()
  }

  /// Changes the regions, in place and without a copy. The next fix makes a new plan, also when `change`
  /// throws.
  ///
  /// Registrations whose regions stay as they were stay too. They are recognised by identifier and shape,
  /// whatever the ordinals. Until the next fix ``plan`` is the old one, with the ordinals it was made with.
  ///
  /// - Complexity: that of `change`; the first time after a plan, O(registrations) more.
  @discardableResult
  public mutating func update<R, E: Error>(_ change: (inout Index) throws(E) -> R) throws(E) -> R {
    registered.remember(index)
    scratch.needsChoices = true
    invalidate()
    return try change(&index)
  }

  /// Has the next fix make a new plan: when the system says that the sentinel has been left, or after a gap.
  public mutating func invalidate() { motion.invalidate() }

  /// Whether the next fix makes a new plan whatever it says.
  package var isInvalid: Bool { motion.isInvalid }

  /// Says what the device has registered already, when the app is launched again. The next plan's diff starts
  /// from there.
  ///
  /// - Parameters:
  ///   - identifiers: Regions by their identifiers, taken to be registered as the index has them. The next
  ///     diff unregisters the ones that the index does not have.
  ///   - sentinel: The sentinel's identifier.
  public mutating func adopt(_ identifiers: [String], sentinel: String?) {
    registered = DeviceRegistrations(identifiers, sentinel: sentinel, in: index)
    invalidate()
  }

  /// Forgets the device, as for the beginning of another track. Nothing is registered then; counts go on.
  public mutating func reset() {
    plan = nil
    motion = PlannerMotion()
    registered = DeviceRegistrations()
    stay = nil
  }

  /// When the next fix is due at the latest, with what is known since the plan was made; nil where only the
  /// sentinel has to be waited for.
  public var nextFixDue: Timestamp? {
    guard let plan, plan.saturation != nil, let certificate = plan.certificate, motion.isSeen else {
      return nil
    }
    return options.due(after: motion.time, certificate: certificate, error: motion.bound)
  }

  // MARK: Fixes

  /// Moves the device to its next fix.
  ///
  /// - Parameters:
  ///   - fix: The fix. One of negative accuracy is dropped and counted, as is an exact repeat.
  ///   - now: The time by which the fix's age counts; by default the fix's own.
  /// - Returns: Whether the plan holds, or the steps to a new one.
  /// - Throws: `TrackError`; the planner stays as it was then.
  /// - Complexity: O(1) while the plan holds, and no allocation; a query otherwise.
  public mutating func advance(to fix: Fix, now: Timestamp? = nil) throws(TrackError) -> PlanDecision {
    if motion.skipIfUnaffected(fix, errorFactor: errorFactor) {
      counts.fixes.fixes += 1
      return .holds
    }
    let verdict = try FixValidator.check(
      fix, after: motion.isSeen ? motion.time : nil, at: motion.coordinate)
    // What was planned at this very fix holds, unless something else has changed since.
    guard verdict == .accepted || verdict == .repeated && motion.isInvalid else {
      counts.fixes.count(verdict)
      return .holds
    }
    return try decide(at: fix, now: now ?? fix.time)
  }

  /// ``advance(to:now:)`` for a fix that a ``FixValidator`` has accepted, or for the last one once more.
  package mutating func advance(
    toValidated fix: Fix, now: Timestamp
  ) throws(TrackError) -> PlanDecision {
    if motion.skipIfUnaffected(fix, errorFactor: errorFactor) {
      counts.fixes.fixes += 1
      return .holds
    }
    return try decide(at: fix, now: now)
  }

  private mutating func decide(at fix: Fix, now: Timestamp) throws(TrackError) -> PlanDecision {
    let error = min(options.errorFactor * fix.horizontalAccuracy, GeodesicBounds.longestDistance)
    var decision = PlanDecision.holds
    if plan == nil || !holds(at: fix, error: error) {
      do {
        decision = .planned(try makePlan(at: fix, error: error, now: now))
      } catch {
        throw .invalidCoordinate(fix.coordinate, at: fix.time)
      }
    }
    counts.fixes.fixes += 1
    return decision
  }

  /// Whether the plan in force holds at a fix. If so, the fix becomes the last one.
  private mutating func holds(at fix: Fix, error: Meters) -> Bool {
    guard !motion.isInvalid else { return false }
    switch options.strategy {
    case .boundary, .boundaryAhead:
      return motion.holds(at: fix, error: error, maximumSpeed: options.maximumSpeed)
    case .nearestByCenter, .constantRadius:
      return motion.holds(at: fix, error: 0, maximumSpeed: .infinity)
    case .significantChange(let distance, let interval):
      if let last = plan?.fix, fix.time.seconds(since: last.time) >= interval / .seconds(1),
        PlannerMotion.distance(from: last.coordinate, to: fix.coordinate) >= distance
      {
        return false
      }
    case .visits(let radius, let time):
      if beginsVisit(fix, radius: radius, time: time) { return false }
    }
    motion.move(to: fix)
    return true
  }

  private mutating func beginsVisit(_ fix: Fix, radius: Meters, time: Duration) -> Bool {
    guard var stay, PlannerMotion.distance(from: stay.anchor.coordinate, to: fix.coordinate) <= radius else {
      stay = Standstill(anchor: fix)
      return false
    }
    let hasBegun = !stay.isVisit && fix.time.seconds(since: stay.anchor.time) >= time / .seconds(1)
    if hasBegun { stay.isVisit = true }
    self.stay = stay
    return hasBegun
  }

  // MARK: Making a plan

  private mutating func makePlan(
    at fix: Fix, error: Meters, now: Timestamp
  ) throws(GeodesyError) -> PlanDiff {
    let age = max(0, now.seconds(since: fix.time))
    let choice: PlanChoice
    if options.strategy.isCertified {
      choice = try chooseCertified(at: fix, error: error, age: age)
    } else {
      choice = try chooseUncertified(at: fix.coordinate)
    }
    registered.find(in: index)
    let plan = try plan(choice, at: fix, error: error, age: age, now: now)
    let diff = PlanDiff(
      from: registered.registrations, sentinel: registered.sentinel, to: plan.registrations,
      sentinel: plan.sentinel, slots: plan.slots)
    registered = DeviceRegistrations(plan.registrations, plan.sentinel)
    counts.plans += 1
    counts.steps += diff.steps.count
    if plan.saturation != nil { counts.saturated += 1 }
    motion.move(to: fix)
    startHolding(plan, choice, error: error, age: age)
    self.plan = plan
    return diff
  }

  private mutating func plan(
    _ choice: PlanChoice, at fix: Fix, error: Meters, age: Double, now: Timestamp
  ) throws(GeodesyError) -> Plan {
    var plan = Plan(
      number: counts.plans + 1, fix: fix, time: now, error: error,
      registrations: registrations(choice.chosen), watched: registrations(choice.watched),
      center: choice.center, certificate: options.strategy.isCertified ? choice.certificate : nil,
      slots: options.slots)
    if choice.reason != nil {
      plan.saturation = try saturation(choice, age: age, error: error)
      plan.nextFixDue = options.due(
        after: fix.time, certificate: choice.certificate, error: error)
      // Of half, once and twice the certificate, once let a phone notice most crossings for the energy, on
      // rides and MobilityNet's days among 1,500 and 10,000 regions.
      let radius = min(options.maximumRadius, max(options.minimumReliableRadius, choice.certificate))
      if options.wakesWhenSaturated, radius > 0, choice.chosen.count < options.slots {
        plan.sentinel = sentinel(Plan.Disc(center: choice.center, radius: radius))
      }
    } else if choice.radius < .infinity, options.slots > 0 {
      let disc = Plan.Disc(center: choice.center, radius: choice.radius)
      plan.safeDisc = disc
      plan.sentinel = sentinel(disc)
    }
    return plan
  }

  private func registrations(_ neighbors: [Neighbor]) -> [Registration] {
    var result: [Registration] = []
    result.reserveCapacity(neighbors.count)
    for neighbor in neighbors {
      let identifier =
        registered.identifier(of: neighbor.ordinal) ?? index.knownIdentifier(of: neighbor.ordinal)
      // What a query finds has an identifier.
      result.append(
        Registration(
          ordinal: neighbor.ordinal, identifier: identifier ?? "", distance: neighbor.distance))
    }
    return result
  }

  /// The sentinel of a disc: the one that is registered, or a new one under the other name.
  private func sentinel(_ disc: Plan.Disc) -> Plan.Sentinel {
    if let old = registered.sentinel, old.disc == disc, sentinelNames.contains(old.identifier) { return old }
    return Plan.Sentinel(identifier: sentinelName(other: registered.sentinel?.identifier), disc: disc)
  }

  /// The name of a sentinel beside one that has a name already.
  package func sentinelName(other name: String?) -> String {
    let names = sentinelNames
    return name == names[0] ? names[1] : names[0]
  }

  /// The two names that sentinels have in turn.
  private var sentinelNames: [String] {
    ["a", "b"].map { end in
      var name = "\(options.sentinelName)-\(end)"
      while index.ordinal(of: name) != nil
        || registered.registrations.contains(where: { $0.identifier == name })
      {
        name += "+"
      }
      return name
    }
  }

  /// Why there is no safe disc, and which regions are left out.
  private mutating func saturation(
    _ choice: PlanChoice, age: Double, error: Meters
  ) throws(GeodesyError) -> Plan.Saturation? {
    guard let reason = choice.reason else { return nil }
    var needed = options.uncertainty(error: error, age: age)
    switch reason {
    case .noSlots, .radiusTooSmall:
      needed = max(needed, options.minimumReliableRadius + options.margin(age: age))
    case .tooManyPinned, .tooManyOccupied, .errorTooLarge: break
    }
    do {
      try index.within(
        needed, of: choice.center, options: QueryOptions(), scratch: &scratch.query,
        into: &scratch.found)
    } catch {
      throw .invalidCoordinate(choice.center)
    }
    // Few: sorted, they are found faster than by hashing.
    let settled = (choice.chosen + choice.watched).map(\.ordinal).sorted()
    let largest = options.maximumRegionRadius
    var left = scratch.found.filter { neighbor in
      !Self.contains(settled, neighbor.ordinal)
        && (largest == .infinity || (index.enclosingRadius(of: neighbor.ordinal) ?? 0) <= largest)
    }
    if !choice.crowdedOut.isEmpty {
      // Pinned regions, wherever they are.
      let found = Set(left.map(\.ordinal))
      let missing = choice.crowdedOut.filter { !found.contains($0.ordinal) }
      if !missing.isEmpty { left = (left + missing).sorted(by: Neighbor.isNearer) }
    }
    let leftOut = registrations(left)
    return Plan.Saturation(
      reason: reason, leftOut: leftOut, unprovableExits: leftOut.filter { $0.distance <= 0 })
  }

  /// Whether an ordinal is one of ascending ones.
  private static func contains(_ ordinals: [Int], _ ordinal: Int) -> Bool {
    let i = ordinals.partitioningIndex { $0 >= ordinal }
    return i < ordinals.count && ordinals[i] == ordinal
  }

  private mutating func startHolding(_ plan: Plan, _ choice: PlanChoice, error: Meters, age: Double) {
    let away =
      choice.center == plan.fix.coordinate
      ? 0 : PlannerMotion.distance(from: choice.center, to: plan.fix.coordinate)
    var radius = choice.radius
    var certified = options.strategy.isCertified ? choice.certificate : .infinity
    if plan.saturation != nil {
      // Half of the distance there is, so that the next fix is never due sooner than half as late as at
      // first.
      let uncertainty = options.uncertainty(error: error, age: age)
      radius = choice.certificate > uncertainty ? 0.5 * (uncertainty + choice.certificate) : -1
      certified = radius
    }
    motion.start(
      center: choice.center, validRadius: radius, certifiedRadius: certified, bound: away + error,
      asksAlways: !options.strategy.decidesByDistance)
  }

  // MARK: Choosing with a certificate

  /// Chooses around the fix, or ahead of it where that disc reaches farther.
  private mutating func chooseCertified(
    at fix: Fix, error: Meters, age: Double
  ) throws(GeodesyError) -> PlanChoice {
    let margin = options.margin(age: age)
    let uncertainty = options.uncertainty(error: error, age: age)
    var best = try choose(at: fix.coordinate, error: uncertainty, margin: margin)
    guard case .boundaryAhead(let turnMargin) = options.strategy, best.reason == nil,
      best.radius < .infinity, fix.speed >= Self.leastSpeed, fix.course >= 0, fix.course < .infinity
    else { return best }
    let around = best.radius
    var farthest = around
    for share in Self.sharesAhead {
      let ahead = share * around
      guard ahead < 1e7 else { break }
      let center = Geodesic.uncheckedDirect(fix.coordinate, azimuth: fix.course, distance: ahead).coordinate
      let choice = try choose(at: center, error: ahead + uncertainty, margin: margin)
      guard choice.reason == nil, choice.radius - ahead - uncertainty >= turnMargin * around else { continue }
      if ahead + choice.radius > farthest {
        farthest = ahead + choice.radius
        best = choice
      }
    }
    return best
  }

  /// Slower devices have no course, metres a second.
  private static var leastSpeed: MetersPerSecond { 1 }
  /// How far ahead discs are tried, in radii of the disc around the device: seven distances up to 1.5 save 1
  /// % of the plans for nearly twice the work, two cost 3 % more, one up to 10 % (`Scripts/bench plans` with
  /// six sets of distances and turn margins from 0.02 to 0.25, rides, taxis, flights and phones, 1000 and 10
  /// 000 regions).
  private static var sharesAhead: [Double] { [0.25, 0.5, 0.75, 1] }

  /// Chooses registrations around a position.
  ///
  /// - Parameters:
  ///   - error: How far from there the device may be, metres. Every region with a gap up to that is wanted.
  ///   - margin: What the safe disc's radius must be smaller by than the certificate, metres.
  private mutating func choose(
    at center: Coordinate, error: Meters, margin: Meters
  ) throws(GeodesyError) -> PlanChoice {
    let slots = options.slots
    var choice = PlanChoice(center: center)
    let isComplete = try gather(at: center, error: error)
    if index.count <= slots, scratch.watched.isEmpty, isComplete {
      choice.chosen = scratch.free + scratch.pinned
      if !scratch.pinned.isEmpty { choice.chosen.sort(by: Neighbor.isNearer) }
      return choice
    }
    choice.watched = scratch.watched
    let room = options.regionSlots
    choice.chosen.reserveCapacity(room)
    let needed = scratch.free.prefix { least($0) <= error }.count
    var certificate = Meters.infinity
    // Farther regions count where nearer ones are left out, too.
    if scratch.pinned.count + needed > room {
      var wanted = Array(scratch.free.prefix(needed))
      let precedence = scratch.precedence
      scratch.pinned.sort { precedence.isFirst($0, before: $1) }
      wanted.sort { precedence.isFirst($0, before: $1) }
      choice.chosen = Array((scratch.pinned + wanted).prefix(room))
      choice.crowdedOut = Array((scratch.pinned + wanted).dropFirst(room))
      for neighbor in choice.crowdedOut { certificate = min(certificate, leastGap(neighbor)) }
      if needed < scratch.free.count { certificate = min(certificate, leastGap(scratch.free[needed])) }
      choice.chosen.sort(by: Neighbor.isNearer)
    } else {
      let nearest = min(room - scratch.pinned.count, scratch.free.count)
      choice.chosen.append(contentsOf: scratch.free[..<nearest])
      if nearest < scratch.free.count { certificate = leastGap(scratch.free[nearest]) }
      if !scratch.pinned.isEmpty {
        choice.chosen.append(contentsOf: scratch.pinned)
        choice.chosen.sort(by: Neighbor.isNearer)
      }
    }
    // Watched regions count by their boundaries from within, too: they cannot be entered without having been
    // left.
    for neighbor in scratch.watched {
      certificate = min(certificate, max(0, abs(neighbor.distance) - distanceError))
    }
    // With a tolerance, what was not found may be nearer than the last that was.
    if options.tolerance > 0, scratch.found.count < index.count {
      certificate = min(certificate, max(0, unfound))
    }
    // A damaged file may hide regions.
    if !isComplete { certificate = 0 }
    choice.certificate = Self.roundedDown(certificate - slack)
    choice.radius = min(Self.roundedDown(choice.certificate - margin), options.maximumRadius)
    choice.reason = reason(choice, error: error)
    return choice
  }

  private func reason(_ choice: PlanChoice, error: Meters) -> Plan.Saturation.Reason? {
    let room = options.regionSlots
    if options.slots == 0 { return .noSlots }
    if scratch.pinned.count > room { return .tooManyPinned }
    if choice.certificate <= error {
      let occupied =
        scratch.free.prefix { $0.distance <= 0 }.count + scratch.pinned.count { $0.distance <= 0 }
      return occupied > room ? .tooManyOccupied : .errorTooLarge
    }
    return choice.radius > 0 && choice.radius >= options.minimumReliableRadius ? nil : .radiusTooSmall
  }

  /// Finds the nearest regions: as many as there is room for and one more that may be registered and is not
  /// pinned, and all with a gap up to the error.
  ///
  /// - Returns: Whether the index has found all the regions it should.
  private mutating func gather(at center: Coordinate, error: Meters) throws(GeodesyError) -> Bool {
    scratch.lookUp(options, in: index)
    let n = index.count
    let enough = n <= options.slots ? n : options.regionSlots + 1
    var count = min(n, enough + scratch.pins.count)
    while true {
      try findNearest(count, to: center)
      partition()
      guard scratch.found.count == count else { break }
      if count == n { break }
      if scratch.free.count >= enough, unfound > error { break }
      count = min(n, 4 * count + 16)
    }
    try addPins(at: center)
    return scratch.found.count == count
  }

  /// Divides the regions found into those that may be registered and those that are too large.
  private mutating func partition() {
    scratch.free.removeAll(keepingCapacity: true)
    scratch.watched.removeAll(keepingCapacity: true)
    let largest = options.maximumRegionRadius
    guard largest < .infinity || !scratch.pins.isEmpty else {
      scratch.free.append(contentsOf: scratch.found)
      return
    }
    for neighbor in scratch.found where !scratch.pinnedOrdinals.contains(neighbor.ordinal) {
      if largest < .infinity, (index.enclosingRadius(of: neighbor.ordinal) ?? .infinity) > largest {
        scratch.watched.append(neighbor)
      } else {
        scratch.free.append(neighbor)
      }
    }
  }

  private mutating func addPins(at center: Coordinate) throws(GeodesyError) {
    scratch.pinned.removeAll(keepingCapacity: true)
    for pin in scratch.pins {
      let neighbor = Neighbor(
        ordinal: pin.ordinal, distance: try pin.shape.boundaryDistance(from: center),
        centerDistance: .nan)
      if pin.isTooLarge { scratch.watched.append(neighbor) } else { scratch.pinned.append(neighbor) }
    }
    if !scratch.pins.isEmpty { scratch.watched.sort(by: Neighbor.isNearer) }
  }

  /// How far a gap may be above the truth, metres: 1e-6 for circles; 1e-3 for polygons, whose order within 2
  /// mm is free.
  private var slack: Meters { index.polygonCount > 0 ? 3e-3 : 1e-6 }

  /// A length in whole millimetres, so that text with three digits says no more than is true.
  static func roundedDown(_ length: Meters) -> Meters {
    guard length < 1e9 else { return length }
    return max(0, (length * 1000).rounded(.down) / 1000)
  }

  // MARK: Choosing as other systems do

  /// Chooses registrations by a strategy without a certificate. Pins, priorities, errors and the sizes of
  /// regions mean nothing to these.
  private mutating func chooseUncertified(at center: Coordinate) throws(GeodesyError) -> PlanChoice {
    var choice = PlanChoice(center: center)
    let n = index.count
    if n <= options.slots {
      try findNearest(n, to: center)
      choice.chosen = scratch.found
      return choice
    }
    switch options.strategy {
    case .boundary, .boundaryAhead: break
    case .constantRadius(let radius):
      try findNearest(options.regionSlots, to: center)
      choice.chosen = scratch.found
      choice.radius = radius
    case .nearestByCenter:
      try findNearestByCenter(options.regionSlots + 1, to: center)
      choice.chosen = Array(scratch.found.prefix(options.regionSlots))
      choice.radius = min(scratch.found.last?.distanceToMiddle ?? 0, options.maximumRadius)
    case .significantChange, .visits:
      try findNearestByCenter(options.slots, to: center)
      choice.chosen = scratch.found
    }
    return choice
  }

  private mutating func findNearest(_ count: Int, to center: Coordinate) throws(GeodesyError) {
    do {
      try index.nearest(
        count, to: center, options: QueryOptions(tolerance: options.tolerance), scratch: &scratch.query,
        into: &scratch.found)
    } catch {
      throw .invalidCoordinate(center)
    }
  }

  // MARK: What a tolerance leaves open

  /// The most by which the distances that were found last differ from the true ones, metres.
  private var distanceError: Meters { options.tolerance > 0 ? scratch.query.distanceError : 0 }

  /// The least boundary distance that a region may have that was found, metres.
  private func least(_ neighbor: Neighbor) -> Meters { neighbor.distance - distanceError }

  /// The least gap that a region may have that was found, metres.
  private func leastGap(_ neighbor: Neighbor) -> Meters { max(0, least(neighbor)) }

  /// The least boundary distance that a region may have that was not found, metres
  /// (`QueryOptions/tolerance`).
  private var unfound: Meters {
    guard let last = scratch.found.last else { return .infinity }
    return last.distance - (options.tolerance > 0 ? options.tolerance + distanceError : 0)
  }

  private mutating func findNearestByCenter(_ count: Int, to center: Coordinate) throws(GeodesyError) {
    do {
      try index.nearestByCenter(count, to: center, scratch: &scratch.query, into: &scratch.found)
    } catch {
      throw .invalidCoordinate(center)
    }
  }
}

/// What is chosen at a position.
private struct PlanChoice {
  var center: Coordinate
  /// S: the regions to register, nearest first.
  var chosen: [Neighbor] = []
  /// Regions that would need a slot and do not get one, in no order.
  var crowdedOut: [Neighbor] = []
  /// Regions too large to be registered, of those that were found; nearest first.
  var watched: [Neighbor] = []
  /// D, metres, rounded down.
  var certificate: Meters = .infinity
  /// The safe disc's radius, metres, rounded down; without meaning where there is a reason for none.
  var radius: Meters = .infinity
  var reason: Plan.Saturation.Reason?
}

private struct Standstill {
  var anchor: Fix
  /// Whether it has been there for long enough.
  var isVisit = false
}

extension PlanStrategy {
  /// Whether the distance from the plan's centre alone decides when to make a new plan.
  fileprivate var decidesByDistance: Bool {
    switch self {
    case .boundary, .boundaryAhead, .nearestByCenter, .constantRadius: true
    case .significantChange, .visits: false
    }
  }
}

extension PlanOptions {
  /// Slots for regions where a sentinel needs one, and a spare one is kept.
  package var regionSlots: Int { max(0, slots - (swapPolicy == .spareSlot ? 2 : 1)) }

  /// How far the device may be from a fix by now, metres.
  func uncertainty(error: Meters, age: Double) -> Meters {
    min(error + maximumSpeed * age, GeodesicBounds.longestDistance)
  }

  /// What the safe disc's radius is smaller by than the certificate, metres.
  func margin(age: Double) -> Meters {
    overshoot + maximumSpeed * (latency / .seconds(1) + age) + sentinelError
  }

  /// `max(0, (D - e) / maximumSpeed - acquisition time)` after a time.
  func due(after time: Timestamp, certificate: Meters, error: Meters) -> Timestamp {
    let acquisition: Double = acquisitionTime / .seconds(1)
    let seconds = (certificate - error) / maximumSpeed - acquisition
    // Beyond a century nothing is due.
    return time.advanced(by: .seconds(min(max(0, seconds), 3.2e9)))
  }
}
