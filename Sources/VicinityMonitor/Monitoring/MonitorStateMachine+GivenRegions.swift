internal import VicinityCrossings
internal import VicinityIndex

// The regions of the index that a monitor was opened with: they are watched from the start, and only those that have had an event have
// a record.
extension MonitorStateMachine {
  /// Removes the records of given regions that are no longer given, or have another shape.
  mutating func dropConditions(_ conditions: inout [StoredCondition], notIn regions: RegionIndex) {
    conditions.removeAll { condition in
      guard condition.isGiven else { return false }
      let identifier = condition.identifier
      if let ordinal = regions.ordinal(of: identifier),
        Condition(regions.region(at: ordinal).shape) == condition.record.condition
      {
        return false
      }
      change(.remove(identifier: identifier))
      return true
    }
  }

  /// Tells the tracker or the detector of the regions that the monitor was opened with.
  mutating func admitGiven(_ conditions: [StoredCondition]) {
    guard givenCount > 0 else { return }
    if !usesTracker {
      // By a rule, each region has a state of its own from the start.
      for ordinal in 0..<givenCount { detector.insert(ordinal, isInside: false) }
    }
    for condition in conditions where condition.isGiven {
      guard let ordinal = planner.index.ordinal(of: condition.identifier),
        watched[condition.identifier]?.state == .satisfied
      else { continue }
      if usesTracker {
        tracker.report(ordinal, isInside: true)
      } else {
        detector.report(ordinal, isInside: true)
      }
    }
  }

  /// The ordinal of a region that the monitor was opened with; nil for others.
  func givenOrdinal(of identifier: String) -> Int? {
    guard givenCount > 0, let ordinal = planner.index.ordinal(of: identifier), ordinal < givenCount else {
      return nil
    }
    return ordinal
  }

  /// Begins the record of a given region, which has its first event.
  mutating func store(givenRegion identifier: String) {
    guard let ordinal = givenOrdinal(of: identifier), let region = planner.index.knownRegion(at: ordinal)
    else {
      return
    }
    watched[identifier] = Watched(state: .unsatisfied, isActive: true)
    change(
      .put(
        StoredCondition(
          identifier: identifier, number: stored.lastNumber + 1,
          record: MonitoringRecord(
            condition: Condition(region.shape),
            lastEvent: MonitoringEvent(identifier: identifier, state: .unsatisfied, date: time)),
          isGiven: true)))
  }
}
