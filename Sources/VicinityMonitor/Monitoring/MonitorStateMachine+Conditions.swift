package import VicinityCrossings
internal import VicinityIndex

// Which conditions there are, and what suspends them.
extension MonitorStateMachine {
  /// Adds conditions, all of them or none.
  ///
  /// Under an identifier that is in use, the same condition stays, with its record and its undelivered
  /// events; only its options are replaced. Another condition replaces the one before, whose record and
  /// undelivered events go.
  ///
  /// - Throws: ``MonitorError/condition(identifier:_:)`` for a region that is not valid, where nothing has
  ///   changed, and where there is no memory.
  /// - Complexity: amortised O(log n) for each condition.
  package mutating func add(_ conditions: [NewCondition], at now: Timestamp) throws(MonitorError) {
    try check(conditions)
    advance(to: now)
    var added: [String] = []
    var arrivals: [StoredCondition] = []
    for new in conditions {
      if let known = stored.conditions[new.identifier], known.record.condition == new.condition {
        if known.isGiven {
          // Once a region of an index, which is not given any more: its record goes on.
          arrivals.append(adoptGiven(known, options: new.options))
          continue
        }
        if known.record.options != new.options { try setOptions(new.options, of: known) }
        continue
      }
      forget(new.identifier)
      let condition = StoredCondition(
        identifier: new.identifier, number: stored.lastNumber + 1,
        record: MonitoringRecord(
          condition: new.condition, options: new.options,
          lastEvent: MonitoringEvent(identifier: new.identifier, state: new.state, date: now)))
      change(.put(condition))
      states.begin(new.identifier, assuming: new.state)
      requestSlot(for: condition)
      added.append(new.identifier)
      arrivals.append(condition)
    }
    guard !arrivals.isEmpty else { return }
    do throws(MonitorError) {
      try updateSuspensions(of: arrivals, isKnown: false)
    } catch {
      for identifier in added {
        forget(identifier)
        change(.remove(identifier: identifier))
      }
      throw error
    }
    let isFollowing = follower?.hasBegun == true
    reconcileSlots()
    // Where the strategy has let the app sleep, or wait, it knew nothing of them.
    if isFollowing, arrivals.contains(where: { $0.record.condition.kind == .geographic }) { look() }
  }

  /// Makes the conditions exactly these: the others are removed, and these added as ``add(_:at:)`` does.
  ///
  /// - Throws: As ``add(_:at:)`` does; nothing has changed where a condition is not valid.
  package mutating func synchronize(with conditions: [NewCondition], at now: Timestamp) throws(MonitorError) {
    try check(conditions)
    advance(to: now)
    let wanted = Set(conditions.map(\.identifier))
    let gone = stored.conditions.values.filter { !$0.isGiven && !wanted.contains($0.identifier) }
    for condition in gone.sorted(by: { $0.number < $1.number }) {
      forget(condition.identifier)
      change(.remove(identifier: condition.identifier))
    }
    try add(conditions, at: now)
    guard !gone.isEmpty else { return }
    try updateSuspensions(of: [], isKnown: false)
    reconcileSlots()
  }

  /// Throws the error that names what is wrong with the first condition that cannot be added, if any.
  private func check(_ conditions: [NewCondition]) throws(MonitorError) {
    var identifiers: Set<String> = []
    for new in conditions {
      guard identifiers.insert(new.identifier).inserted else { throw .duplicate(identifier: new.identifier) }
      guard givenOrdinal(of: new.identifier) == nil else { throw .given(identifier: new.identifier) }
      try new.condition.check(new.identifier)
      try new.options.check(new.identifier)
    }
  }

  /// Replaces the options of a condition that stays as it is.
  private mutating func setOptions(
    _ options: ConditionOptions, of known: StoredCondition
  ) throws(MonitorError) {
    let identifier = known.identifier
    withdrawSlotRequest(of: known)
    var condition = known
    condition.record.options = options
    restore(condition)
    requestSlot(for: condition)
    if states[identifier]?.isActive == true { try applyOptions(of: condition) }
    try updateSuspensions(of: [condition], isKnown: false)
    reconcileSlots()
    // The phone itself does what the wishes say.
    if let slot = device.slots[identifier], !slot.isSentinel {
      let wished = self.slot(for: slot.condition, options, as: identifier)
      if wished != slot { device.register(wished) }
    }
  }

  /// Removes a condition, its record and its undelivered events. Nothing happens where there is none.
  ///
  /// - Throws: ``MonitorError/condition(identifier:_:)`` where there is no memory for another condition that
  ///   gets the slot; the condition has been removed all the same.
  /// - Complexity: amortised O(log n)
  package mutating func remove(_ identifier: String, at now: Timestamp) throws(MonitorError) {
    advance(to: now)
    guard givenOrdinal(of: identifier) == nil else { throw .given(identifier: identifier) }
    guard states[identifier] != nil else { return }
    forget(identifier)
    change(.remove(identifier: identifier))
    try updateSuspensions(of: [], isKnown: false)
    reconcileSlots()
  }

  /// Ends watching a condition, and its claim to a slot.
  mutating func forget(_ identifier: String) {
    guard let condition = stored.conditions[identifier] else { return }
    deactivate(condition)
    forgetState(of: identifier)
    // A region of an index that was not given this time has no claim.
    if !condition.isGiven { withdrawSlotRequest(of: condition) }
  }

  /// Forgets what is known of a condition beyond what is stored.
  mutating func forgetState(of identifier: String) {
    states.forget(identifier)
    stays.remove(identifier)
    dropHeldReport(of: identifier)
  }

  /// Makes the record of a region that is not given any more that of a condition.
  private mutating func adoptGiven(_ known: StoredCondition, options: ConditionOptions) -> StoredCondition {
    var condition = known
    condition.isGiven = false
    condition.record.options = options
    restore(condition)
    requestSlot(for: condition)
    return condition
  }

  mutating func requestSlot(for condition: StoredCondition) {
    if let claim = condition.claim { budget.insert(claim) } else { budget.share(among: 1) }
  }

  mutating func withdrawSlotRequest(of condition: StoredCondition) {
    if condition.claim != nil { budget.remove(condition.number) } else { budget.share(among: -1) }
  }

  // MARK: Suspension

  /// Finds what suspends conditions, and begins or ends watching them.
  ///
  /// - Parameters:
  ///   - conditions: The conditions in question. All conditions with claims are considered too.
  ///   - isKnown: Whether their last states still hold, so that the rule goes on from them.
  mutating func updateSuspensions(
    of conditions: [StoredCondition], isKnown: Bool
  ) throws(MonitorError) {
    let met = Set(budget.met.map(\.number))
    var arrivals: [StoredCondition] = []
    var determinations: [Determination] = []
    func consider(_ condition: StoredCondition) {
      var suspension = environment.diagnostics(for: condition.record.condition.kind)
      if condition.claim != nil, !met.contains(condition.number) {
        suspension.insert(.conditionLimitExceeded)
      }
      states.setSuspension(suspension, of: condition.identifier)
      if suspension.isEmpty {
        if states[condition.identifier]?.isActive == false { arrivals.append(condition) }
      } else {
        deactivate(condition)
        determinations.append(
          Determination(
            identifier: condition.identifier, state: .unmonitored, date: time, diagnostics: suspension))
      }
    }
    for condition in conditions where condition.claim == nil && !condition.isGiven { consider(condition) }
    for claim in budget.claims {
      if let condition = stored.conditions[claim.identifier], !condition.isGiven { consider(condition) }
    }
    updateGivenSuspension(&determinations)
    arrivals.sort { $0.number < $1.number }
    do throws(MonitorError) {
      try activate(arrivals, isKnown: isKnown, &determinations)
    } catch {
      makeEvents(determinations)
      throw error
    }
    makeEvents(determinations)
  }

  /// Begins watching conditions.
  private mutating func activate(
    _ conditions: [StoredCondition], isKnown: Bool, _ determinations: inout [Determination]
  ) throws(MonitorError) {
    let regions = conditions.compactMap { $0.record.condition.region(identifier: $0.identifier) }
    if let first = regions.first {
      do throws(RegionError) {
        try planner.update { index throws(RegionError) in
          try index.update { index throws(RegionError) in _ = try index.insert(contentsOf: regions) }
        }
      } catch {
        throw .condition(identifier: first.identifier, error)
      }
    }
    for condition in conditions {
      let identifier = condition.identifier
      states.setActive(true, identifier)
      switch condition.record.condition {
      case .beacon(let identity):
        let changes = beacons.insert(identifier, about: identity, at: time) {
          condition.number < journal.stored.conditions[$0]?.number ?? 0
        }
        determinations += self.determinations(changes)
        // Another condition may have watched the identity already.
        let state = beacons.state(of: identity)
        if state == .satisfied || state == .unsatisfied && !isVouched(identity) {
          determinations.append(
            Determination(
              identifier: identifier, state: state, date: time, refinement: beacons.refinement(of: identity))
          )
        }
      case .circle, .polygon:
        guard let ordinal = planner.index.ordinal(of: identifier) else { continue }
        watchedRegions.insert()
        let last = states[identifier]
        let isInside = isKnown && last?.isDecided == true ? last.flatMap { $0.state.isInside } : nil
        decider.insert(ordinal, isInside: isInside)
        try applyOptions(of: condition)
      }
    }
  }

  /// Ends watching a condition. Nothing happens when it is not watched.
  mutating func deactivate(_ condition: StoredCondition) {
    let identifier = condition.identifier
    guard states[identifier]?.isActive == true else { return }
    states.deactivate(identifier)
    switch condition.record.condition {
    case .beacon(let identity):
      beacons.remove(identifier, about: identity)
      device.unregister(identifier)
    case .circle, .polygon:
      watchedRegions.remove(identifier)
      // Removing fails only where a copy of the index has to be made; nothing shares this one.
      let ordinal = planner.update { index in
        (try? index.update { index throws(RegionError) in try index.remove(identifier) }) ?? nil
      }
      if let ordinal { decider.remove(ordinal) }
      decider.removeLatency(of: identifier)
    }
  }

  /// Has the planner and the decider use a region's options.
  mutating func applyOptions(of condition: StoredCondition) throws(MonitorError) {
    guard let region = condition.record.condition.region(identifier: condition.identifier) else { return }
    let options = condition.record.options
    if options.isPinned {
      watchedRegions.pin(condition.identifier)
    } else {
      watchedRegions.unpin(condition.identifier)
    }
    watchedRegions.setPriority(options.priority, of: condition.identifier)
    if let ordinal = planner.index.ordinal(of: condition.identifier) {
      decider.setHysteresis(options.hysteresis, of: ordinal)
    }
    do throws(RegionError) { try decider.setLatency(options.latency, of: region) } catch {
      throw .condition(identifier: condition.identifier, error)
    }
  }
}
