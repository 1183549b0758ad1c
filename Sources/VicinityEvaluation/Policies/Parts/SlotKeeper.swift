internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityMonitor
internal import VicinitySimulation

/// Holds the system's slots for an app: registers what a recipe chooses, and reports what the system says of it.
struct SlotKeeper: ~Copyable {
  /// What survives the process.
  struct Memory: Sendable {
    var ledger = RegionLedger()
    var cooldown = Cooldown()
    /// Whether regions have been chosen before: what the phone is in at the first time was entered before, and is no news.
    var hasChosen = false
    /// What a recipe with a cache has fetched.
    var fetched: SlotChoice.Fetched?
  }

  let recipe: SlotRecipe
  var memory = Memory() {
    didSet { choice.fetched = memory.fetched }
  }
  private let regions: RegionIndex
  private var choice: SlotChoice
  /// What this process has registered, where it is not torn down each time.
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

  /// Chooses the regions for a position and registers them; `others` are the app's own, which are left alone.
  ///
  /// - Returns: Whether the position was used.
  mutating func choose(at fix: Fix, on phone: SimulatedPhone, sparing others: Set<String> = []) -> Bool {
    guard fix.horizontalAccuracy >= 0, fix.horizontalAccuracy <= recipe.worstAccuracy else { return false }
    var wanted: [MonitoredRegion] = []
    var isInside: [String: Bool] = [:]
    do {
      let limit = recipe.reach + fix.horizontalAccuracy
      var found = try choice.choose(by: recipe.ranking, recipe.count, at: fix.coordinate)
      memory.fetched = choice.fetched
      if recipe.reach < .infinity { found.removeAll { $0.distanceToMiddle > limit } }
      let ordinals = found.map(\.ordinal)
      if ordinals == chosen {
        placeSentinel(at: fix, found, on: phone)
        return true
      }
      chosen = recipe.replacesAll ? nil : ordinals
      for neighbor in found {
        let circles = circles(of: neighbor.ordinal)
        // The nearest that fit, and none beyond.
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

  /// Takes it from a fix which regions the phone is in: at the first choice, or of those that had no slot.
  private mutating func know(_ isInside: [String: Bool], on phone: SimulatedPhone) {
    defer { memory.hasChosen = true }
    guard recipe.keepsLedger, !memory.hasChosen || recipe.takesStatesFromFix else { return }
    var unknown = isInside
    if memory.hasChosen {
      for region in phone.monitoredRegions { unknown[owner(of: region.identifier)] = nil }
    }
    for (region, isInside) in unknown { memory.ledger.know(region, isInside: isInside) }
  }

  private mutating func register(
    _ wanted: [MonitoredRegion], on phone: SimulatedPhone, sparing others: Set<String>
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
      phone.startMonitoring(region)
      if recipe.asksStates { phone.requestState(identifier: region.identifier) }
    }
  }

  private func placeSentinel(at fix: Fix, _ found: [Neighbor], on phone: SimulatedPhone) {
    guard let rule = recipe.sentinel, let sentinel else { return }
    if rule.staysWhileInside,
      let old = phone.monitoredRegions.first(where: { $0.identifier == sentinel }),
      case .circle(let center, let radius) = old.area,
      let distance = try? Geodesic.distance(from: center, to: fix.coordinate), distance <= radius
    {
      return
    }
    var radius = min(rule.radius + rule.accuracyShare * fix.horizontalAccuracy, rule.maximumRadius)
    if rule.mindsPolygons {
      for neighbor in found where neighbor.distanceToCenter == nil { radius = min(radius, neighbor.gap) }
      radius = max(radius, min(100, rule.radius))
    }
    var circle = MonitoredRegion(identifier: sentinel, center: fix.coordinate, radius: radius)
    circle.notifyOnEntry = false
    phone.startMonitoring(circle)
    phone.show(vicinity: Plan.Disc(center: fix.coordinate, radius: radius))
  }

  /// The circles that are registered for a region: one, or three around one too small, each of which contains it.
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

  /// The region that a registration is for.
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

  /// Reports what the system, or whoever else knows, says of a region.
  mutating func note(_ registration: String, isInside: Bool, on phone: SimulatedPhone) {
    let region = owner(of: registration)
    guard registration != sentinel, isInside || recipe.reportsExits else { return }
    let key = recipe.cooldownIsByKind ? (isInside ? "+" : "-") + region : region
    if recipe.keepsLedger {
      let isKnown = memory.ledger.inside.contains(region) == isInside
      guard !isKnown, memory.cooldown.allows(key, for: recipe.cooldown, at: phone.now) else { return }
      _ = memory.ledger.note(region, isInside: isInside, on: phone)
    } else if memory.cooldown.allows(key, for: recipe.cooldown, at: phone.now) {
      phone.report(entry: isInside, region: region, at: phone.now)
    }
  }
}

extension RegionIndex {
  /// A name that no region has.
  func unusedIdentifier(like name: String) -> String {
    var name = name
    while ordinal(of: name) != nil { name += "'" }
    return name
  }
}
