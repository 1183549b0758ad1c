internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex

extension RegistrationPlanner {
  /// Looks at a fix that bounds alone did not pass.
  mutating func look(at fix: Fix, now: Timestamp) throws(TrackError) -> PlanDecision {
    if fix.horizontalAccuracy < 0 {
      counts.fixes.invalid += 1
      return .holds
    }
    guard !fix.horizontalAccuracy.isNaN else {
      throw .invalidAccuracy(fix.horizontalAccuracy, at: fix.time)
    }
    guard fix.coordinate.isValid else { throw .invalidCoordinate(fix.coordinate, at: fix.time) }
    if motion.isSeen, fix.time <= motion.time {
      guard fix.time == motion.time else { throw .timeBackwards(fix.time, after: motion.time) }
      guard fix.coordinate.isSamePosition(as: motion.coordinate) else {
        throw .twoPlaces(motion.coordinate, fix.coordinate, at: fix.time)
      }
      // What was planned at this very fix holds, unless something else has changed since.
      if !motion.isInvalid {
        counts.fixes.repeats += 1
        return .holds
      }
    }
    let error = min(options.errorFactor * fix.horizontalAccuracy, GeodesicBounds.longestDistance)
    if plan != nil, holds(at: fix, error: error) {
      counts.fixes.fixes += 1
      return .holds
    }
    let diff: PlanDiff
    do {
      diff = try makePlan(at: fix, error: error, now: now)
    } catch {
      throw .invalidCoordinate(fix.coordinate, at: fix.time)
    }
    counts.fixes.fixes += 1
    return .planned(diff)
  }

  /// Whether the plan in force holds at a fix; takes the fix if so.
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

  // MARK: Making a plan

  private mutating func makePlan(
    at fix: Fix, error: Meters, now: Timestamp
  ) throws(GeodesyError) -> PlanDiff {
    let age = max(0, now.seconds(since: fix.time))
    let choice: PlanChoice
    if options.strategy.isCertified {
      choice = try chooseCertified(at: fix, error: error, age: age)
    } else {
      choice = try chooseAsOthers(at: fix.coordinate)
    }
    standing.find(in: index)
    let plan = try plan(choice, at: fix, error: error, age: age, now: now)
    let diff = PlanDiff(
      from: standing.registrations, sentinel: standing.sentinel, to: plan.registrations,
      sentinel: plan.sentinel, slots: plan.slots)
    standing = DeviceRegistrations(plan.registrations, plan.sentinel)
    counts.plans += 1
    counts.steps += diff.steps.count
    if plan.saturation != nil { counts.saturated += 1 }
    motion.move(to: fix)
    hold(plan, choice, error: error, age: age)
    self.plan = plan
    return diff
  }

  /// Around the fix, or ahead of it where that is farther.
  private mutating func chooseCertified(
    at fix: Fix, error: Meters, age: Double
  ) throws(GeodesyError) -> PlanChoice {
    let margin = options.margin(age: age)
    let reach = options.reach(error: error, age: age)
    var best = try choose(at: fix.coordinate, error: reach, margin: margin)
    guard case .boundaryAhead(let turnMargin) = options.strategy, best.reason == nil,
      best.radius < .infinity, fix.speed >= Self.leastSpeed, fix.course >= 0, fix.course < .infinity
    else { return best }
    let around = best.radius
    var farthest = around
    for share in Self.placesAhead {
      let way = share * around
      guard way < 1e7 else { break }
      let center = Geodesic.uncheckedDirect(fix.coordinate, azimuth: fix.course, distance: way).coordinate
      let choice = try choose(at: center, error: way + reach, margin: margin)
      guard choice.reason == nil, choice.radius - way - reach >= turnMargin * around else { continue }
      if way + choice.radius > farthest {
        farthest = way + choice.radius
        best = choice
      }
    }
    return best
  }

  /// Slower devices have no course, metres a second.
  private static var leastSpeed: MetersPerSecond { 1 }
  /// Where discs are tried, in radii of the one around the device: seven places up to 1.5 save 1 % of the plans for
  /// nearly twice the work, two cost 3 % more, one up to 10 % (`Scripts/bench plans` with six sets of places and turn
  /// margins from 0.02 to 0.25, rides, taxis, flights and phones, 1000 and 10 000 regions).
  private static var placesAhead: [Double] { [0.25, 0.5, 0.75, 1] }

  private mutating func plan(
    _ choice: PlanChoice, at fix: Fix, error: Meters, age: Double, now: Timestamp
  ) throws(GeodesyError) -> Plan {
    let isCertified = options.strategy.isCertified
    var plan = Plan(
      number: counts.plans + 1, fix: fix, time: now, error: error,
      registrations: registrations(choice.chosen),
      watched: registrations(choice.watched), center: choice.center,
      certificate: isCertified ? choice.certificate : nil, vicinity: nil, sentinel: nil,
      saturation: nil, nextFixDue: nil, slots: options.slots)
    if choice.reason != nil {
      plan.saturation = try saturation(choice, age: age, error: error)
      plan.nextFixDue = options.due(
        after: fix.time, certificate: choice.certificate, error: error)
    } else if choice.radius < .infinity, options.slots > 0 {
      let disc = Plan.Disc(center: choice.center, radius: choice.radius)
      plan.vicinity = disc
      plan.sentinel = sentinel(disc)
    }
    return plan
  }

  private func registrations(_ neighbors: [Neighbor]) -> [Registration] {
    var result: [Registration] = []
    result.reserveCapacity(neighbors.count)
    for neighbor in neighbors {
      let identifier =
        standing.identifier(of: neighbor.ordinal) ?? index.knownIdentifier(of: neighbor.ordinal)
      // What a query finds has an identifier.
      result.append(
        Registration(
          ordinal: neighbor.ordinal, identifier: identifier ?? "", distance: neighbor.distance))
    }
    return result
  }

  /// The sentinel of a disc: the one that stands, or another under the other name.
  private func sentinel(_ disc: Plan.Disc) -> Plan.Sentinel {
    let names = ["a", "b"].map { end in
      var name = "\(options.sentinelName)-\(end)"
      while index.ordinal(of: name) != nil
        || standing.registrations.contains(where: { $0.identifier == name })
      {
        name += "+"
      }
      return name
    }
    if let standing = standing.sentinel, standing.disc == disc, names.contains(standing.identifier) {
      return standing
    }
    return Plan.Sentinel(
      identifier: standing.sentinel?.identifier == names[0] ? names[1] : names[0], disc: disc)
  }

  /// Why there is no vicinity, and what is left out.
  private mutating func saturation(
    _ choice: PlanChoice, age: Double, error: Meters
  ) throws(GeodesyError) -> Plan.Saturation? {
    guard let reason = choice.reason else { return nil }
    var needed = options.reach(error: error, age: age)
    switch reason {
    case .noSlots, .radiusTooSmall:
      needed = max(needed, options.minimumReliableRadius + options.margin(age: age))
    case .tooManyPinned, .tooManyOccupied, .errorTooLarge: break
    }
    do {
      try index.regions(
        within: needed, of: choice.center, options: QueryOptions(), scratch: &bench.scratch, into: &bench.found)
    } catch {
      throw .invalidCoordinate(choice.center)
    }
    // Few: sorted, they are found faster than by hashing.
    var settled = choice.chosen.map(\.ordinal)
    for neighbor in choice.watched { settled.append(neighbor.ordinal) }
    settled.sort()
    let largest = options.maximumRegionRadius
    var left: [Neighbor] = []
    for neighbor in bench.found where !Self.contains(settled, neighbor.ordinal) {
      if largest == .infinity || (index.enclosingRadius(of: neighbor.ordinal) ?? 0) <= largest {
        left.append(neighbor)
      }
    }
    if !choice.crowdedOut.isEmpty {
      // Pins wherever they are.
      let found = Set(left.map(\.ordinal))
      let missing = choice.crowdedOut.filter { !found.contains($0.ordinal) }
      if !missing.isEmpty { left = (left + missing).sorted(by: Neighbor.isNearer) }
    }
    let leftOut = registrations(left)
    return Plan.Saturation(
      reason: reason, leftOut: leftOut, unprovableExits: leftOut.filter { $0.distance <= 0 })
  }

  /// Whether an ordinal is among ascending ones.
  private static func contains(_ ordinals: [Int], _ ordinal: Int) -> Bool {
    var (low, high) = (0, ordinals.count)
    while low < high {
      let middle = (low + high) / 2
      if ordinals[middle] < ordinal { low = middle + 1 } else { high = middle }
    }
    return low < ordinals.count && ordinals[low] == ordinal
  }

  /// Says for how long a plan holds.
  private mutating func hold(_ plan: Plan, _ choice: PlanChoice, error: Meters, age: Double) {
    let away =
      choice.center == plan.fix.coordinate
      ? 0 : PlannerMotion.distance(from: choice.center, to: plan.fix.coordinate)
    var hold = choice.radius
    var certain = options.strategy.isCertified ? choice.certificate : .infinity
    if plan.saturation != nil {
      // Half of the way there is, so that the next fix is never due sooner than half as late as at first.
      let reach = options.reach(error: error, age: age)
      hold = choice.certificate > reach ? 0.5 * (reach + choice.certificate) : -1
      certain = hold
    }
    motion.take(
      center: choice.center, hold: hold, certain: certain, bound: away + error,
      asksAlways: !options.strategy.decidesByDistance)
  }
}

extension PlanOptions {
  /// How far the device may be from a fix by now, metres.
  func reach(error: Meters, age: Double) -> Meters {
    min(error + maximumSpeed * age, GeodesicBounds.longestDistance)
  }

  /// What the vicinity is smaller by than the certificate, metres.
  func margin(age: Double) -> Meters {
    overshoot + maximumSpeed * (latency / .seconds(1) + age) + sentinelError
  }
}
