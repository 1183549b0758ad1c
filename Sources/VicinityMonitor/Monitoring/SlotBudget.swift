/// Which conditions that need a slot of their own have one: beacons and pinned regions, in the order of adding.
///
/// The others share what is left through the planner, which needs two at least: for a region and for the sentinel.
struct SlotBudget {
  /// Something that needs a slot of its own.
  struct Claim: Hashable {
    var number: UInt64
    var identifier: String
    var kind: Condition.Kind
  }

  let limit: ConditionLimit
  /// How many slots there are for a monitor's conditions.
  let slots: Int
  /// By ascending numbers.
  private(set) var claims: [Claim] = []
  /// How many conditions share what is left.
  var sharingCount = 0

  init(_ limit: ConditionLimit, slots: Int) {
    self.limit = limit
    self.slots = slots
  }

  /// The least that the planner needs.
  static let leastShared = 2

  /// Enters a claim, greater in number than any before or in its old place again.
  mutating func insert(_ claim: Claim) { claims.insert(claim, at: place(of: claim.number)) }

  mutating func remove(_ number: UInt64) {
    let i = place(of: number)
    if i < claims.count, claims[i].number == number { claims.remove(at: i) }
  }

  private func place(of number: UInt64) -> Int {
    var (low, high) = (0, claims.count)
    while low < high {
      let middle = (low + high) / 2
      if claims[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The claims that are met: those entered first.
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
