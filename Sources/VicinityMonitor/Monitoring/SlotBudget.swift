internal import VicinityGeodesy

/// Decides which of the conditions that need a slot of their own get one: beacons and pinned regions, in the
/// order of adding.
///
/// All other regions share the remaining slots through the planner, which needs two at least: one for a
/// region and one for the sentinel.
struct SlotBudget {
  /// A condition that needs a slot of its own.
  struct Claim: Hashable {
    var number: UInt64
    var identifier: String
    var kind: Condition.Kind
  }

  let limit: ConditionLimit
  /// How many slots there are for a monitor's conditions.
  let slots: Int
  /// The claims, by ascending numbers.
  private(set) var claims: [Claim] = []
  /// The number of conditions that share the remaining slots.
  private var sharingCount: Int

  init(_ limit: ConditionLimit, slots: Int, sharing sharingCount: Int) {
    self.limit = limit
    self.slots = slots
    self.sharingCount = sharingCount
  }

  /// The number of slots that the planner needs at least.
  static let leastShared = 2

  mutating func insert(_ claim: Claim) { claims.insert(claim, at: position(of: claim.number)) }

  mutating func remove(_ number: UInt64) {
    let i = position(of: number)
    if i < claims.count, claims[i].number == number { claims.remove(at: i) }
  }

  /// So many more conditions share the remaining slots; fewer where negative.
  mutating func share(among more: Int) { sharingCount += more }

  private func position(of number: UInt64) -> Int {
    claims.partitioningIndex { $0.number >= number }
  }

  /// The claims that are met: those of the conditions added first.
  var met: [Claim] {
    let shared = sharingCount > 0 ? min(Self.leastShared, sharingCount, slots) : 0
    switch limit {
    case .total: return Array(claims.prefix(max(0, slots - shared)))
    case .perKind:
      var (regions, beacons) = (max(0, slots - shared), slots)
      return claims.filter { claim in
        switch claim.kind {
        case .geographic:
          regions -= 1
          return regions >= 0
        case .beacon:
          beacons -= 1
          return beacons >= 0
        }
      }
    }
  }
}

extension StoredCondition {
  /// The claim of a condition that needs a slot of its own; nil for one that shares slots through the
  /// planner.
  var claim: SlotBudget.Claim? {
    let kind = record.condition.kind
    guard kind == .beacon || record.options.isPinned else { return nil }
    return SlotBudget.Claim(number: number, identifier: identifier, kind: kind)
  }
}
