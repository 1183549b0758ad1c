/// One step from the present registrations to those of a plan.
public enum PlanStep: Hashable, Sendable {
  case registerSentinel(Plan.Sentinel)
  /// Unregister the sentinel with this identifier.
  case unregisterSentinel(String)
  /// Register a region of the index.
  case register(Registration)
  /// Unregister the region with this identifier, which may be gone from the index.
  case unregister(String)
}

/// The steps from one plan to the next, to be taken in order.
///
/// Regions in both plans are not touched. The sentinel is registered first, then regions, nearest first.
/// Removals come as room is needed, farthest first, and the rest at the end. After no step are more slots in
/// use than the plan has; where there are fewer slots than before, removals come first.
public struct PlanDiff: Hashable, Sendable {
  public var steps: [PlanStep]
  /// Whether the old sentinel has to be removed before the new one can be registered, so that for a moment
  /// there is none.
  public var leavesSentinelGap: Bool

  /// Whether there is nothing to do.
  public var isEmpty: Bool { steps.isEmpty }

  /// The identifiers of the regions to register.
  package var registered: [String] {
    steps.compactMap { if case .register(let region) = $0 { region.identifier } else { nil } }
  }

  /// The identifiers of the regions to unregister.
  package var unregistered: [String] {
    steps.compactMap { if case .unregister(let identifier) = $0 { identifier } else { nil } }
  }
}

extension Plan {
  /// The steps to this plan from another, or from nothing.
  ///
  /// Regions are the same when ordinal and identifier are; so both plans must be of one index.
  public func diff(from old: Plan?) -> PlanDiff {
    PlanDiff(
      from: old?.registrations ?? [], sentinel: old?.sentinel, to: registrations, sentinel: sentinel,
      slots: slots)
  }
}

extension PlanDiff {
  /// The steps between two sets of registrations with their sentinels.
  ///
  /// - Complexity: O(m n) for m and n registrations.
  init(
    from old: [Registration], sentinel oldSentinel: Plan.Sentinel?, to new: [Registration],
    sentinel newSentinel: Plan.Sentinel?, slots: Int
  ) {
    func holds(_ list: [Registration], _ r: Registration) -> Bool {
      list.contains { $0.ordinal == r.ordinal && $0.identifier == r.identifier }
    }
    // Farthest last.
    var stale = old.filter { !holds(new, $0) }
    steps = []
    leavesSentinelGap = false
    var free = slots - old.count - (oldSentinel == nil ? 0 : 1)

    func remove(_ i: Int) {
      steps.append(.unregister(stale.remove(at: i).identifier))
      free += 1
    }
    func makeRoom() { while free < 1, !stale.isEmpty { remove(stale.count - 1) } }

    while free < 0, !stale.isEmpty { remove(stale.count - 1) }
    if oldSentinel != newSentinel {
      if let newSentinel {
        makeRoom()
        // Its own identifier can stand only once.
        let isTaken = oldSentinel?.identifier == newSentinel.identifier
        leavesSentinelGap = oldSentinel != nil && (free < 1 || isTaken)
        if leavesSentinelGap, let oldSentinel { steps.append(.unregisterSentinel(oldSentinel.identifier)) }
        steps.append(.registerSentinel(newSentinel))
        if !leavesSentinelGap {
          if let oldSentinel { steps.append(.unregisterSentinel(oldSentinel.identifier)) } else { free -= 1 }
        }
      } else if let oldSentinel {
        steps.append(.unregisterSentinel(oldSentinel.identifier))
        free += 1
      }
    }
    for registration in new where !holds(old, registration) {
      // A region in another's place, under the same identifier.
      if let same = stale.firstIndex(where: { $0.identifier == registration.identifier }) { remove(same) }
      makeRoom()
      steps.append(.register(registration))
      free -= 1
    }
    while !stale.isEmpty { remove(stale.count - 1) }
  }
}
