internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex

extension MonitorStateMachine {
  /// Brings the device's slots in line with what is watched.
  mutating func settle() {
    let met = budget.met
    let isWatchingRegions = regionCount > 0
    var options = self.options.plan
    if self.options.limit == .total {
      options.reserved += met.count { $0.kind == .beacon }
    }
    if planner.options.reserved != options.reserved || planner.options.pinned != pinned
      || planner.options.priorities != priorities
    {
      options.pinned = pinned
      options.priorities = priorities
      // The options were valid, and what has changed cannot make them otherwise.
      do { try planner.setOptions(options) } catch { assertionFailure("\(error)") }
    }
    if !isWatchingRegions {
      for slot in slots.values.sorted(by: { $0.identifier < $1.identifier })
      where slot.condition.kind == .geographic {
        unregister(slot.identifier)
      }
      planner.reset()
      cancelFixRequest()
    } else if let lastFix {
      if planner.plan == nil || planner.motion.isInvalid { plan(at: lastFix) }
    } else {
      registerWithoutFix(options.slots)
    }
    for claim in met where claim.kind == .beacon && slots[claim.identifier] == nil {
      guard watched[claim.identifier]?.isActive == true,
        let condition = stored.conditions[claim.identifier]?.record.condition
      else { continue }
      register(Slot(identifier: claim.identifier, condition: condition))
    }
  }

  /// Plans at a fix; at the last one once more, whose age counts, where something else has changed.
  mutating func plan(at fix: Fix) {
    do {
      if case .planned(let diff) = try planner.advance(to: fix, now: max(time, fix.time)) { perform(diff) }
      if let due = planner.nextFixDue { requestFix(by: due) } else { cancelFixRequest() }
    } catch {
      // The tracker has taken the fix, so the planner does; should it not, another will do.
      planner.invalidate()
      requestFix(by: time)
    }
  }

  /// Before the first fix: everything, if there is room for it; otherwise what is there already, and a fix is needed.
  private mutating func registerWithoutFix(_ room: Int) {
    var kept: [(number: UInt64, identifier: String)] = []
    for slot in slots.values where slot.condition.kind == .geographic && !slot.isSentinel {
      let condition = stored.conditions[slot.identifier]
      if let condition, condition.record.condition == slot.condition,
        watched[slot.identifier]?.isActive == true
      {
        kept.append((condition.number, slot.identifier))
      }
    }
    kept.sort { $0.number < $1.number }
    let sentinel = slots.values.first { $0.isSentinel }?.identifier
    let staying = Set(kept.prefix(max(0, room - (sentinel == nil ? 0 : 1))).map(\.identifier))
    for slot in slots.values.sorted(by: { $0.identifier < $1.identifier })
    where slot.condition.kind == .geographic && !slot.isSentinel && !staying.contains(slot.identifier) {
      unregister(slot.identifier)
    }
    if regionCount <= room {
      if let sentinel { unregister(sentinel) }
      let conditions = stored.conditions.values.filter { condition in
        condition.record.condition.kind == .geographic && watched[condition.identifier]?.isActive == true
          && slots[condition.identifier] == nil
      }
      for condition in conditions.sorted(by: { $0.number < $1.number }) where isRegistrable(condition) {
        register(Slot(identifier: condition.identifier, condition: condition.record.condition))
      }
    } else {
      requestFix(by: time)
    }
    let registered = slots.values.filter { $0.condition.kind == .geographic && !$0.isSentinel }
    planner.adopt(
      registered.map(\.identifier).sorted(), sentinel: slots.values.first { $0.isSentinel }?.identifier)
  }

  /// Whether a region is not too large for a slot.
  private func isRegistrable(_ condition: StoredCondition) -> Bool {
    guard let ordinal = planner.index.ordinal(of: condition.identifier),
      let radius = planner.index.enclosingRadius(of: ordinal)
    else { return false }
    return radius <= options.plan.maximumRegionRadius
  }

  /// Has the device go from one plan to the next.
  mutating func perform(_ diff: PlanDiff) {
    for step in diff.steps {
      switch step {
      case .registerSentinel(let sentinel):
        register(
          Slot(
            identifier: sentinel.identifier,
            condition: .circle(center: sentinel.disc.center, radius: sentinel.disc.radius),
            isSentinel: true))
      case .unregisterSentinel(let identifier): unregister(identifier)
      case .register(let registration):
        guard let condition = stored.conditions[registration.identifier]?.record.condition else { continue }
        register(Slot(identifier: registration.identifier, condition: condition))
      case .unregister(let registration): unregister(registration.identifier)
      }
    }
  }

  mutating func register(_ slot: Slot) {
    slots[slot.identifier] = slot
    actions.commands.append(.register(slot))
  }

  mutating func unregister(_ identifier: String) {
    guard slots.removeValue(forKey: identifier) != nil else { return }
    actions.commands.append(.unregister(identifier: identifier))
  }

  /// Asks for a fix, unless one is asked for that comes early enough.
  mutating func requestFix(by time: Timestamp) {
    if let requestedFix, requestedFix <= time { return }
    requestedFix = time
    actions.commands.append(.requestFix(by: time))
  }

  mutating func cancelFixRequest() {
    guard requestedFix != nil else { return }
    requestedFix = nil
    actions.commands.append(.cancelFixRequest)
  }
}
