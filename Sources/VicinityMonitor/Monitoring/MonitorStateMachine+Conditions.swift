public import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex

extension MonitorStateMachine {
  /// Puts in a condition; in place of one with the same identifier, whose record and undelivered events go.
  ///
  /// - Parameters:
  ///   - condition: What is to be watched.
  ///   - identifier: Its name; any text.
  ///   - options: How it is treated among others.
  ///   - state: What is assumed of it: an event is made by the first determination that differs.
  ///   - now: The time of adding.
  /// - Throws: ``MonitorError/condition(identifier:_:)`` for a region that cannot be; nothing has changed then.
  /// - Complexity: amortised O(log n)
  public mutating func add(
    _ condition: Condition, identifier: String, options: ConditionOptions = ConditionOptions(),
    assuming state: MonitoringState = .unknown, at now: Timestamp
  ) throws(MonitorError) {
    try Self.check(condition, identifier)
    pass(to: now)
    leave(identifier)
    let stored = StoredCondition(
      identifier: identifier, number: stored.lastNumber + 1,
      record: MonitoringRecord(
        condition: condition, options: options,
        lastEvent: MonitoringEvent(identifier: identifier, state: state, date: now)))
    change(.put(stored))
    watched[identifier] = Watched(state: state)
    enter(stored)
    do throws(MonitorError) {
      try update([stored], isKnown: false)
    } catch {
      leave(identifier)
      change(.remove(identifier: identifier))
      throw error
    }
    settle()
  }

  /// Takes out a condition, its record and its undelivered events. Nothing happens where there is none.
  ///
  /// - Throws: ``MonitorError/condition(identifier:_:)`` where there is no memory for another that gets its slot; it has
  ///   been taken out all the same.
  /// - Complexity: amortised O(log n)
  public mutating func remove(_ identifier: String, at now: Timestamp) throws(MonitorError) {
    pass(to: now)
    guard watched[identifier] != nil else { return }
    leave(identifier)
    change(.remove(identifier: identifier))
    try update([], isKnown: false)
    settle()
  }

  private static func check(_ condition: Condition, _ identifier: String) throws(MonitorError) {
    guard let region = condition.region(identifier: identifier) else { return }
    do {
      var set = RegionSet()
      try set.append(region)
    } catch {
      throw .condition(identifier: identifier, error)
    }
  }

  // MARK: Coming and going

  /// Counts a condition among those that want slots.
  mutating func enter(_ condition: StoredCondition) {
    if let claim = Self.claim(condition) { budget.insert(claim) } else { budget.sharingCount += 1 }
  }

  private static func claim(_ condition: StoredCondition) -> SlotBudget.Claim? {
    let kind = condition.record.condition.kind
    guard kind == .beacon || condition.record.options.isPinned else { return nil }
    return SlotBudget.Claim(number: condition.number, identifier: condition.identifier, kind: kind)
  }

  /// Counts a condition no longer, and watches it no longer.
  private mutating func leave(_ identifier: String) {
    guard let condition = stored.conditions[identifier] else { return }
    deactivate(condition)
    watched[identifier] = nil
    if Self.claim(condition) != nil {
      budget.remove(condition.number)
    } else {
      budget.sharingCount -= 1
    }
  }

  /// Finds out what suspends conditions, and begins or ends watching them.
  ///
  /// - Parameters:
  ///   - conditions: Those in question; those with claims are, whether named or not.
  ///   - isKnown: Whether their last states hold from before, so that the rule goes on from them.
  mutating func update(_ conditions: [StoredCondition], isKnown: Bool) throws(MonitorError) {
    let met = Set(budget.met.map(\.number))
    var arrivals: [StoredCondition] = []
    var determinations: [Determination] = []
    func consider(_ condition: StoredCondition) {
      var suspension = environment.diagnostics(for: condition.record.condition.kind)
      if Self.claim(condition) != nil, !met.contains(condition.number) {
        suspension.insert(.conditionLimitExceeded)
      }
      watched[condition.identifier]?.suspension = suspension
      if suspension.isEmpty {
        if watched[condition.identifier]?.isActive == false { arrivals.append(condition) }
      } else {
        deactivate(condition)
        determinations.append(
          Determination(
            identifier: condition.identifier, state: .unmonitored, date: time, diagnostics: suspension))
      }
    }
    for condition in conditions where Self.claim(condition) == nil { consider(condition) }
    for claim in budget.claims {
      if let condition = stored.conditions[claim.identifier] { consider(condition) }
    }
    arrivals.sort { $0.number < $1.number }
    do throws(MonitorError) {
      try activate(arrivals, isKnown: isKnown, &determinations)
    } catch {
      note(determinations)
      throw error
    }
    note(determinations)
  }

  private mutating func activate(
    _ conditions: [StoredCondition], isKnown: Bool, _ determinations: inout [Determination]
  ) throws(MonitorError) {
    let regions = conditions.compactMap { $0.record.condition.region(identifier: $0.identifier) }
    try insert(regions)
    for condition in conditions {
      let identifier = condition.identifier
      watched[identifier]?.isActive = true
      switch condition.record.condition {
      case .beacon(let identity):
        var others = beacons[identity] ?? []
        let place = others.firstIndex { condition.number < stored.conditions[$0]?.number ?? 0 }
        others.insert(identifier, at: place ?? others.count)
        beacons[identity] = others
        determinations += self.determinations(presence.watch(identity, at: time))
        // Another condition may have watched it already.
        let state = presence.state(of: identity)
        if state == .satisfied || state == .unsatisfied && !isVouched(identity) {
          determinations.append(
            Determination(
              identifier: identifier, state: state, date: time, refinement: presence.refinement(of: identity))
          )
        }
      case .circle, .polygon:
        guard let region = condition.record.condition.region(identifier: identifier) else { continue }
        regionCount += 1
        let last = watched[identifier]
        let isInside = isKnown && last?.isDecided == true ? last.flatMap { Self.isInside($0.state) } : nil
        tracker.insert(region, isInside: isInside)
        if condition.record.options.isPinned { pinned.insert(identifier) }
        if condition.record.options.priority != 0 {
          priorities[identifier] = condition.record.options.priority
        }
      }
    }
  }

  private static func isInside(_ state: MonitoringState) -> Bool? {
    switch state {
    case .satisfied: true
    case .unsatisfied: false
    case .unknown, .unmonitored: nil
    }
  }

  /// So many regions make building an index anew cheaper than inserting.
  private static let manyRegions = 256

  private mutating func insert(_ regions: [Region]) throws(MonitorError) {
    guard !regions.isEmpty else { return }
    do {
      if planner.index.isEmpty, regions.count >= Self.manyRegions {
        let index = try UpdatableRegionIndex(RegionSet(regions))
        planner.update { $0 = index }
        return
      }
    } catch {
      throw .condition(identifier: regions[0].identifier, error)
    }
    var failed = ""
    do throws(RegionError) {
      try planner.update { index throws(RegionError) in
        for region in regions {
          failed = region.identifier
          try index.insert(region)
        }
      }
    } catch {
      throw .condition(identifier: failed, error)
    }
  }

  /// Watches a condition no longer. Nothing happens when it is not watched.
  private mutating func deactivate(_ condition: StoredCondition) {
    let identifier = condition.identifier
    guard watched[identifier]?.isActive == true else { return }
    watched[identifier]?.isActive = false
    watched[identifier]?.isVouched = false
    switch condition.record.condition {
    case .beacon(let identity):
      beacons[identity]?.removeAll { $0 == identifier }
      if beacons[identity]?.isEmpty == true {
        beacons[identity] = nil
        presence.unwatch(identity)
      }
      unregister(identifier)
    case .circle, .polygon:
      regionCount -= 1
      tracker.remove(identifier)
      pinned.remove(identifier)
      priorities[identifier] = nil
      // Without room for a copy, which nothing else shares, removal cannot fail.
      planner.update { index in _ = try? index.remove(identifier) }
    }
  }
}
