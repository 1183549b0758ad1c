package import VicinityCrossings
package import VicinityIndex

// The regions of an index: they are watched from the start, and only those that have had an event, or are
// pinned, have a record.
extension MonitorStateMachine {
  // MARK: Records

  /// Makes the stored records those of an index: what was a condition of the same shape is one of its regions
  /// from now on, with its record and its undelivered events; records of regions that are no longer in it, or
  /// have another shape, are removed, and conditions whose identifier a region has that is elsewhere.
  mutating func admitRecords(of regions: RegionIndex) {
    for condition in stored.conditions.values.sorted(by: { $0.number < $1.number }) {
      let identifier = condition.identifier
      guard let ordinal = regions.ordinal(of: identifier) else {
        if condition.isGiven { change(.remove(identifier: identifier)) }
        continue
      }
      guard Condition(regions.region(at: ordinal).shape) == condition.record.condition else {
        change(.remove(identifier: identifier))
        continue
      }
      admit(condition)
    }
  }

  /// Makes a record that of a region of the index, treated as that is.
  private mutating func admit(_ condition: StoredCondition) {
    let options = given.options.options(of: condition.identifier)
    guard !condition.isGiven || condition.record.options != options else { return }
    var given = condition
    given.isGiven = true
    given.record.options = options
    restore(given)
  }

  /// The ordinal of a region of the index; nil for others.
  func givenOrdinal(of identifier: String) -> Int? { given.ordinal(of: identifier, in: planner.index) }

  /// Begins the record of a region of the index that has none.
  mutating func store(givenRegion identifier: String) {
    guard let ordinal = givenOrdinal(of: identifier), let region = planner.index.knownRegion(at: ordinal)
    else {
      return
    }
    states.begin(identifier, assuming: .unsatisfied)
    suspendGiven(identifier)
    let condition = StoredCondition(
      identifier: identifier, number: stored.lastNumber + 1,
      record: MonitoringRecord(
        condition: Condition(region.shape), options: given.options.options(of: identifier),
        lastEvent: MonitoringEvent(identifier: identifier, state: .unsatisfied, date: time)),
      isGiven: true)
    change(.put(condition))
    if let claim = condition.claim { budget.insert(claim) }
  }

  /// A region of the index is watched, or suspended, as all are.
  private mutating func suspendGiven(_ identifier: String) {
    states.setSuspension(given.suspension, of: identifier)
    states.setActive(given.suspension.isEmpty, identifier)
  }

  // MARK: Options

  /// Has the planner and the decider use the options of the index's regions, and gives pinned ones records.
  mutating func applyGivenOptions(_ regions: RegionIndex?) throws(MonitorError) {
    let usual = given.options.usual
    decider.setUsualLatency(usual.latency, of: regions, except: Array(given.options.exceptions.keys))
    guard given.count > 0 else { return }
    if usual.priority != 0 {
      for ordinal in 0..<given.count {
        if let identifier = planner.index.knownIdentifier(of: ordinal) {
          watchedRegions.setPriority(usual.priority, of: identifier)
        }
      }
    }
    decider.setUsualHysteresis(usual.hysteresis, ofFirst: given.count)
    for (identifier, options) in given.options.exceptions.sorted(by: { $0.key < $1.key }) {
      guard let ordinal = givenOrdinal(of: identifier) else { continue }
      watchedRegions.setPriority(options.priority, of: identifier)
      if options.isPinned, stored.conditions[identifier] == nil { store(givenRegion: identifier) }
      decider.setHysteresis(options.hysteresis, of: ordinal)
      guard let latency = options.latency, let region = planner.index.knownRegion(at: ordinal) else {
        continue
      }
      do throws(RegionError) { try decider.setLatency(latency, of: region) } catch {
        throw .condition(identifier: identifier, error)
      }
    }
  }

  /// Pins the regions of the index that want to be, and have a claim to a slot; the others are watched as if
  /// they were not pinned.
  mutating func updateGivenPins(_ met: [SlotBudget.Claim]) {
    guard given.count > 0 else { return }
    let numbers = Set(met.map(\.number))
    for claim in budget.claims where stored.conditions[claim.identifier]?.isGiven == true {
      if numbers.contains(claim.number) {
        watchedRegions.pin(claim.identifier)
      } else if watchedRegions.unpin(claim.identifier), !plansSlots {
        device.unregister(claim.identifier)
      }
    }
  }

  // MARK: Watching

  /// Tells the decider of the regions of the index.
  mutating func admitGiven(_ conditions: [StoredCondition]) {
    guard given.count > 0 else { return }
    decider.insert(first: given.count)
    for condition in conditions where condition.isGiven {
      guard let ordinal = planner.index.ordinal(of: condition.identifier),
        states[condition.identifier]?.state == .satisfied
      else { continue }
      decider.report(ordinal, isInside: true)
    }
  }

  /// Ends watching the regions of the index where what is allowed has changed, or begins again. Those that
  /// the device was in, as far as is known, become `unmonitored`, each by an event; of the others, of which
  /// there may be a million, an event would tell nothing. Afterwards the states of the former are to be found
  /// out, and the device is assumed to be in none of the latter.
  mutating func updateGivenSuspension(_ determinations: inout [Determination]) {
    let suspension = given.count > 0 ? environment.diagnostics(for: .geographic) : []
    guard suspension != given.suspension else { return }
    let wasWatched = given.suspension.isEmpty
    given.suspend(by: suspension)
    let records = stored.conditions.values.filter(\.isGiven).sorted { $0.number < $1.number }
    if suspension.isEmpty {
      let unknown = records.filter { states[$0.identifier]?.state != .unsatisfied }
      decider.insert(
        first: given.count, unknown: Set(unknown.compactMap { planner.index.ordinal(of: $0.identifier) }))
    } else if wasWatched {
      for ordinal in decider.remove(first: given.count) {
        // A stay that has not been long enough for an event.
        if let identifier = planner.index.knownIdentifier(of: ordinal), states[identifier] == nil {
          stays.remove(identifier)
        }
      }
    }
    for record in records {
      let identifier = record.identifier
      guard let ordinal = planner.index.ordinal(of: identifier), states[identifier] != nil else { continue }
      suspendGiven(identifier)
      guard !suspension.isEmpty else { continue }
      states.setRefusal(nil, of: identifier)
      dropHeldReport(of: identifier)
      // By a rule none is left.
      if !decider.isByRule { decider.remove(ordinal) }
      guard states[identifier]?.state != .unsatisfied else { continue }
      determinations.append(
        Determination(identifier: identifier, state: .unmonitored, date: time, diagnostics: suspension))
    }
    applyGivenHysteresis()
  }

  /// Says again how far beyond its boundary a region's exit is decided, for regions that the decider has
  /// forgotten.
  private mutating func applyGivenHysteresis() {
    for (identifier, options) in given.options.exceptions {
      if let ordinal = givenOrdinal(of: identifier) {
        decider.setHysteresis(options.hysteresis, of: ordinal)
      }
    }
  }

  // MARK: Replacing

  /// Replaces the index by another.
  ///
  /// Regions that are in both, with the same shape, keep their states, their records and their undelivered
  /// events; those that are gone, or have another shape, lose them without an event. New ones are assumed not
  /// to contain the device. A condition whose identifier a region has becomes that region: with its record,
  /// where the shape is the same.
  ///
  /// - Throws: ``MonitorError/conditionOption(identifier:option:reason:)`` for options out of their ranges,
  ///   and ``MonitorError/condition(identifier:_:)`` where there is no memory; nothing has changed then.
  /// - Complexity: O(records + undelivered events), O(n log n) for n regions where conditions have been added
  ///   or a rule decides.
  package mutating func replace(
    regions: RegionIndex?, options: RegionOptions, at now: Timestamp
  ) throws(MonitorError) {
    try options.check()
    advance(to: now)
    let kept = stored.conditions.values.filter {
      !$0.isGiven && $0.record.condition.kind == .geographic && states[$0.identifier]?.isActive == true
        && regions?.ordinal(of: $0.identifier) == nil
    }.sorted { $0.number < $1.number }
    let new = try Self.index(of: regions, and: kept, isUpdatable: decider.isByRule)
    endConditions(in: regions)
    for identifier in given.options.exceptions.keys where givenOrdinal(of: identifier) != nil {
      decider.removeLatency(of: identifier)
    }
    let old = planner.index
    planner.update { $0 = new }
    decider.renumber { ordinal in
      guard let region = old.knownRegion(at: ordinal), let renumbered = new.ordinal(of: region.identifier),
        new.knownRegion(at: renumbered)?.shape == region.shape
      else { return nil }
      return renumbered
    }
    let priorConditions = stored.conditions
    let count = regions?.count ?? 0
    budget.share(among: count - given.count)
    given.replace(count: count, options: options)
    if let regions { admitRecords(of: regions) } else { removeGivenRecords() }
    isWithoutRegions = false
    settleRecords(priorConditions)
    // Those of the index are pinned again where they have a claim.
    watchedRegions.reset(count: count + kept.count) { journal.stored.conditions[$0]?.isGiven == false }
    if decider.isByRule { insertAgain(kept) }
    for condition in kept { try applyOptions(of: condition) }
    try applyGivenOptions(regions)
    replan(in: new)
    try updateSuspensions(of: [], isKnown: false)
    reconcileSlots()
    look()
  }

  private static func index(
    of regions: RegionIndex?, and conditions: [StoredCondition], isUpdatable: Bool
  ) throws(MonitorError) -> MonitoredIndex {
    do throws(RegionError) {
      var index: MonitoredIndex
      if let regions { index = .packed(regions) } else { index = .updatable(try UpdatableRegionIndex()) }
      let others = conditions.compactMap { $0.record.condition.region(identifier: $0.identifier) }
      if isUpdatable || !others.isEmpty {
        try index.update { index throws(RegionError) in _ = try index.insert(contentsOf: others) }
      }
      return index
    } catch {
      throw .condition(identifier: conditions.first?.identifier ?? "", error)
    }
  }

  /// Ends watching conditions whose identifiers regions have: their records go on with the regions.
  private mutating func endConditions(in regions: RegionIndex?) {
    guard let regions else { return }
    for condition in stored.conditions.values.sorted(by: { $0.number < $1.number }) where !condition.isGiven {
      guard regions.ordinal(of: condition.identifier) != nil else { continue }
      withdrawSlotRequest(of: condition)
      if condition.record.condition.kind == .beacon {
        deactivate(condition)
      } else {
        decider.removeLatency(of: condition.identifier)
      }
    }
  }

  private mutating func removeGivenRecords() {
    for condition in stored.conditions.values.sorted(by: { $0.number < $1.number }) where condition.isGiven {
      change(.remove(identifier: condition.identifier))
    }
  }

  /// Brings what is known beyond what is stored in line with the records, after these have been made those of
  /// another index.
  private mutating func settleRecords(_ before: [String: StoredCondition]) {
    for condition in before.values.sorted(by: { $0.number < $1.number }) {
      if condition.isGiven, condition.claim != nil { budget.remove(condition.number) }
      guard let now = stored.conditions[condition.identifier] else {
        forgetState(of: condition.identifier)
        continue
      }
      guard now.isGiven else { continue }
      if let claim = now.claim { budget.insert(claim) }
      suspendGiven(now.identifier)
    }
  }

  /// Inserts all regions, with what is known of them: a rule begins anew with another index.
  private mutating func insertAgain(_ kept: [StoredCondition]) {
    guard given.suspension.isEmpty else { return }
    for ordinal in 0..<given.count {
      let identifier = planner.index.knownIdentifier(of: ordinal)
      decider.insert(ordinal, isInside: identifier.flatMap { states[$0]?.state.isInside } ?? false)
    }
    let ordinals = kept.compactMap { condition -> (ordinal: Int, isInside: Bool?)? in
      planner.index.ordinal(of: condition.identifier).map {
        ($0, states[condition.identifier]?.state.isInside)
      }
    }
    for (ordinal, isInside) in ordinals.sorted(by: { $0.ordinal < $1.ordinal }) {
      decider.insert(ordinal, isInside: isInside)
    }
  }

  /// Keeps the slots whose regions are still there, and has the next plan begin from them.
  private mutating func replan(in index: MonitoredIndex) {
    for slot in device.regions {
      let region = index.ordinal(of: slot.identifier).flatMap { index.knownRegion(at: $0) }
      if region.map({ Condition($0.shape) }) != slot.condition { device.unregister(slot.identifier) }
    }
    planner.reset()
    if plansSlots { planner.adopt(device.regions.map(\.identifier), sentinel: device.sentinel) }
  }
}
