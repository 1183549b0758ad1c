internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityMonitor
internal import VicinitySimulation

/// Manages the system's slots for an app: registers the regions that a recipe chooses, and reports the
/// system's events.
struct SlotManager: ~Copyable {
  /// The state that survives the process.
  struct Memory: Sendable {
    var reported = ReportedRegions()
    var cooldown = Cooldown()
    /// Whether regions have been chosen before. The regions that the phone is in at the first choice were
    /// entered before, so they are not reported.
    var hasChosen = false
    /// The cache of a recipe that has one.
    var fetched: SlotChoice.Fetched?
  }

  let recipe: SlotRecipe
  var memory = Memory() {
    didSet { choice.fetched = memory.fetched }
  }
  private let regions: RegionIndex
  private var choice: SlotChoice
  /// The regions that this process has registered; nil where the recipe replaces all of them each time.
  private var chosen: [Int]?
  /// The sentinel's identifier, which no region has.
  let sentinel: String?

  init(_ regions: RegionIndex, _ recipe: SlotRecipe) {
    self.regions = regions
    self.recipe = recipe
    choice = SlotChoice(regions)
    sentinel = recipe.sentinel.map { regions.unusedIdentifier(like: $0.name) }
  }

  // MARK: Registering

  /// Chooses the regions for a fix and registers them. Leaves the app's own regions, `others`, as they are.
  ///
  /// - Returns: Whether the fix was used.
  mutating func choose(at fix: Fix, on phone: any StudiedPhone, sparing others: Set<String> = []) -> Bool {
    guard fix.horizontalAccuracy >= 0, fix.horizontalAccuracy <= recipe.worstAccuracy else { return false }
    var wanted: [MonitoredRegion] = []
    var isInside: [String: Bool] = [:]
    do {
      let limit = recipe.maximumDistance + fix.horizontalAccuracy
      var found = try choice.choose(by: recipe.ranking, recipe.count, at: fix.coordinate)
      memory.fetched = choice.fetched
      if recipe.maximumDistance < .infinity { found.removeAll { $0.distanceToMiddle > limit } }
      let ordinals = found.map(\.ordinal)
      if ordinals == chosen {
        placeSentinel(at: fix, found, on: phone)
        return true
      }
      chosen = recipe.replacesAll ? nil : ordinals
      for neighbor in found {
        let circles = circles(of: neighbor.ordinal)
        // The nearest that fit, and none after the first that does not.
        if wanted.count + circles.count > recipe.count { break }
        wanted += circles
        isInside[regions.identifier(of: neighbor.ordinal)] = neighbor.distance <= 0
      }
      placeSentinel(at: fix, found, on: phone)
    } catch {
      phone.lose("no registrations: \(error)")
      return false
    }
    know(isInside, on: phone)
    register(wanted, on: phone, sparing: others)
    return true
  }

  /// Notes which regions the phone is in, by a fix and without reports: at the first choice, and for regions
  /// new in a slot.
  private mutating func know(_ isInside: [String: Bool], on phone: any StudiedPhone) {
    defer { memory.hasChosen = true }
    guard recipe.avoidsRepeats, !memory.hasChosen || recipe.takesStatesFromFix else { return }
    var unknown = isInside
    if memory.hasChosen {
      for region in phone.monitoredRegions { unknown[owner(of: region.identifier)] = nil }
    }
    for (region, isInside) in unknown { memory.reported.know(region, isInside: isInside) }
  }

  private mutating func register(
    _ wanted: [MonitoredRegion], on phone: any StudiedPhone, sparing others: Set<String>
  ) {
    let standing = phone.monitoredRegions
    let names = Set(wanted.map(\.identifier))
    for region in standing where region.identifier != sentinel && !others.contains(region.identifier) {
      if recipe.replacesAll || !names.contains(region.identifier) {
        phone.stopMonitoring(identifier: region.identifier)
      }
    }
    let kept = recipe.replacesAll ? [] : Set(standing.map(\.identifier)).intersection(names)
    for region in wanted where !kept.contains(region.identifier) {
      phone.startMonitoring(region.clamped(to: phone.maximumRegionRadius))
      if recipe.asksStates { phone.requestState(identifier: region.identifier) }
    }
  }

  private func placeSentinel(at fix: Fix, _ found: [Neighbor], on phone: any StudiedPhone) {
    guard let rule = recipe.sentinel, let sentinel else { return }
    if rule.staysWhileInside,
      let old = phone.monitoredRegions.first(where: { $0.identifier == sentinel }),
      case .circle(let center, let radius) = old.area,
      let distance = try? Geodesic.distance(from: center, to: fix.coordinate), distance <= radius
    {
      return
    }
    var radius = min(rule.radius + rule.accuracyShare * fix.horizontalAccuracy, rule.maximumRadius)
    if rule.endsBeforePolygons {
      for neighbor in found where neighbor.distanceToCenter == nil { radius = min(radius, neighbor.gap) }
      radius = max(radius, min(100, rule.radius))
    }
    radius = min(radius, phone.maximumRegionRadius)
    phone.startMonitoring(MonitoredRegion(exitOnly: sentinel, center: fix.coordinate, radius: radius))
    phone.show(safeDisc: Plan.Disc(center: fix.coordinate, radius: radius))
  }

  /// The circles to register for a region: itself, or three larger ones that each contain it where it is too
  /// small.
  private func circles(of ordinal: Int) -> [MonitoredRegion] {
    guard let circle = MonitoredRegion(enclosing: ordinal, of: regions) else { return [] }
    guard case .circle(let center, let radius) = circle.area, radius < recipe.smallestRadius else {
      return [circle]
    }
    return Self.bearings.compactMap { bearing in
      let offset = recipe.smallestRadius - radius
      guard let end = try? Geodesic.direct(from: center, azimuth: bearing, distance: offset) else {
        return nil
      }
      return MonitoredRegion(
        identifier: circle.identifier + Self.suffix(bearing), center: end.coordinate,
        radius: recipe.smallestRadius)
    }
  }

  private static let bearings: [Degrees] = [0, 120, 240]

  private static func suffix(_ bearing: Degrees) -> String { "@\(Int(bearing))" }

  private func owner(of identifier: String) -> String {
    if recipe.smallestRadius > 0, regions.ordinal(of: identifier) == nil {
      for bearing in Self.bearings {
        let suffix = Self.suffix(bearing)
        if identifier.hasSuffix(suffix) { return String(identifier.dropLast(suffix.count)) }
      }
    }
    return identifier
  }

  // MARK: Reporting

  /// Reports an entry or exit of a registration's region, unless the recipe says otherwise.
  mutating func handle(_ registration: String, isInside: Bool, on phone: any StudiedPhone) {
    let region = owner(of: registration)
    guard registration != sentinel, isInside || recipe.reportsExits else { return }
    let key = recipe.cooldownIsByKind ? (isInside ? "+" : "-") + region : region
    if recipe.avoidsRepeats {
      let isKnown = memory.reported.inside.contains(region) == isInside
      guard !isKnown, memory.cooldown.allows(key, for: recipe.cooldown, at: phone.now) else { return }
      _ = memory.reported.report(region, isInside: isInside, on: phone)
    } else if memory.cooldown.allows(key, for: recipe.cooldown, at: phone.now) {
      phone.report(entry: isInside, region: region, at: phone.now)
    }
  }
}

/// Chooses the regions that get slots, by a recipe's ranking.
struct SlotChoice: ~Copyable {
  /// The cached regions, and where they were fetched.
  struct Fetched: Sendable {
    var ordinals: [Int]
    var place: Coordinate
  }

  private let regions: RegionIndex
  private var scratch = QueryScratch()
  private var found: [Neighbor] = []
  /// The cache; to be saved with the app's memory.
  var fetched: Fetched?

  init(_ regions: RegionIndex) { self.regions = regions }

  /// The regions for a position, the most wanted first.
  mutating func choose(
    by ranking: SlotRecipe.Ranking, _ count: Int, at place: Coordinate
  ) throws(QueryError) -> [Neighbor] {
    switch ranking {
    case .center:
      try regions.nearestByCenter(count, to: place, scratch: &scratch, into: &found)
      return found
    case .boundary: return Array(try regions.nearest(count, to: place).withoutIdentifiers)
    case .roundedBoundary(let cache, let refetch):
      return try cached(cache, refetch, count, at: place)
    case .identifier(let near, let far):
      let all = try regions.within(far, of: place).withoutIdentifiers.filter {
        $0.distanceToMiddle < far
      }
      if all.count <= count { return all }
      let close = all.filter { $0.distanceToMiddle <= near }
      let named = close.map { (regions.identifier(of: $0.ordinal), $0) }.sorted { $0.0 < $1.0 }
      let rest = all.filter { $0.distanceToMiddle > near }.sorted {
        ($0.distanceToMiddle, $0.ordinal) < ($1.distanceToMiddle, $1.ordinal)
      }
      return Array((named.map { $0.1 } + rest).prefix(count))
    }
  }

  private mutating func cached(
    _ cache: Int, _ refetch: Meters, _ count: Int, at place: Coordinate
  ) throws(QueryError) -> [Neighbor] {
    let isNear = try fetched.map { last throws(QueryError) in
      try Self.distance(last.place, place) < refetch
    }
    if isNear != true {
      fetched = Fetched(ordinals: try regions.nearest(cache, to: place).map(\.ordinal), place: place)
    }
    let ordinals = Set(fetched?.ordinals ?? [])
    // Widens the search until it contains all that are cached.
    var looked = max(cache, 1)
    var near = try regions.nearest(looked, to: place).withoutIdentifiers.filter {
      ordinals.contains($0.ordinal)
    }
    while near.count < min(count + 1, ordinals.count), looked < regions.count {
      looked = looked > regions.count / 4 ? regions.count : 4 * looked
      near = try regions.nearest(looked, to: place).withoutIdentifiers.filter {
        ordinals.contains($0.ordinal)
      }
    }
    let keyed = near.map { ($0.gap.rounded(), regions.identifier(of: $0.ordinal), $0) }
    return keyed.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.prefix(count).map { $0.2 }
  }

  private static func distance(_ a: Coordinate, _ b: Coordinate) throws(QueryError) -> Meters {
    do { return try Geodesic.distance(from: a, to: b) } catch { throw .invalidCoordinate(b) }
  }
}

/// The regions that an app has reported as entered, so that it reports nothing twice; saved with the app's
/// memory.
struct ReportedRegions: Sendable {
  private(set) var inside: Set<String> = []

  /// Notes that a region was entered or left, without a report.
  mutating func know(_ region: String, isInside: Bool) {
    if isInside { inside.insert(region) } else { inside.remove(region) }
  }

  /// Reports that a region was entered or left, unless that has been reported already.
  ///
  /// - Returns: Whether it was reported now.
  mutating func report(_ region: String, isInside: Bool, on phone: any StudiedPhone) -> Bool {
    guard isInside ? inside.insert(region).inserted : inside.remove(region) != nil else { return false }
    phone.report(entry: isInside, region: region, at: phone.now)
    return true
  }
}

/// Keeps reports from being repeated for some time.
struct Cooldown: Sendable {
  /// The reports of the last `seconds`.
  private var last: [String: Timestamp] = [:]

  /// Whether something may be reported now; if so, it counts as reported.
  mutating func allows(_ what: String, for seconds: Double, at now: Timestamp) -> Bool {
    guard seconds > 0 else { return true }
    last = last.filter { now.seconds(since: $0.value) < seconds }
    guard last[what] == nil else { return false }
    last[what] = now
    return true
  }
}
