public import VicinityCrossings

/// Which crossings of a device count under a ``VisitFilter``, and which report tells each of them.
///
/// Whoever steps over a boundary for some seconds has not come, and has not left either. So a state counts
/// if it lasts for the filter's time without a break, as a switch is debounced: an entry counts if it begins
/// a visit of that length and the device had been away, an exit if it begins an absence of that length and
/// the device had been there. What is shorter changes nothing. So of a region's crossings that count, entries
/// and exits come in turns, and each visit that is long enough has one of each, unless it goes on from one
/// before.
public struct CountedCrossings: Sendable {
  /// For each crossing of the device, in order, when the stay that it begins or ends is over: at the exit
  /// that counts, or at the track's end. Nil where the crossing does not count.
  public let stayEnds: [Timestamp?]
  /// The visits that are stays by themselves: whose entry and exit both count. As indices into
  /// ``DeviceTruth/visits``.
  public let wholeVisits: Set<Int>
  /// For each crossing the one before of the same region.
  private let previous: [Int?]

  /// - Complexity: O(n) for n crossings.
  public init(_ truth: DeviceTruth, _ filter: VisitFilter) {
    let crossings = truth.crossings
    // How long the device was away after each exit: for good where it did not come back.
    var absences = [Double](repeating: .infinity, count: crossings.count)
    var entered: [Int: Timestamp] = [:]
    for (index, crossing) in crossings.enumerated().reversed() {
      let (region, time) = (crossing.crossing.region, crossing.crossing.time)
      if crossing.crossing.kind == .enter {
        entered[region] = time
      } else if let next = entered[region] {
        absences[index] = next.seconds(since: time)
      }
    }
    var ends = [Timestamp?](repeating: nil, count: crossings.count)
    var previous = [Int?](repeating: nil, count: crossings.count)
    var whole: Set<Int> = []
    var last: [Int: Int] = [:]
    /// The entry of the stay that goes on; nil within for one that has none, having begun before the track.
    var stays: [Int: Int?] = [:]
    for (index, crossing) in crossings.enumerated() {
      let (region, visit) = (crossing.crossing.region, truth.visits[crossing.visit])
      previous[index] = last.updateValue(index, forKey: region)
      guard visit.radius >= filter.minimumRadius || filter.minimumRadius <= 0 else { continue }
      let isVisit = visit.seconds >= filter.minimumSeconds
      guard crossing.crossing.kind == .exit else {
        if isVisit, stays[region] == nil {
          stays.updateValue(index, forKey: region)
          ends[index] = truth.end
        }
        continue
      }
      if isVisit, visit.entry == nil { stays.updateValue(nil, forKey: region) }
      guard absences[index] >= filter.minimumSeconds, let entry = stays.removeValue(forKey: region) else {
        continue
      }
      ends[index] = crossing.crossing.time
      guard let entry else { continue }
      ends[entry] = crossing.crossing.time
      if crossings[entry].visit == crossing.visit { whole.insert(crossing.visit) }
    }
    (stayEnds, wholeVisits, self.previous) = (ends, whole, previous)
  }

  /// Whether a crossing counts.
  public func contains(_ index: Int) -> Bool { stayEnds[index] != nil }

  /// How a crossing that counts was told; nil where it was missed.
  ///
  /// That is by its own report. Where there is none it may have been told before: if the last crossing of
  /// the region that was told, since the last one that counts, is of the same kind. The delay is negative
  /// then, as of each report that is early.
  ///
  /// - Parameter outcomes: How each crossing of the device was reported, in order.
  /// - Complexity: O(1) with a report of its own, else O(n) with the crossings since the last that counts.
  public func outcome(of index: Int, _ outcomes: [CrossingOutcome?], _ truth: DeviceTruth) -> CrossingOutcome?
  {
    if let outcome = outcomes[index] { return outcome }
    let crossing = truth.crossings[index].crossing
    var earlier = previous[index]
    while let candidate = earlier, !contains(candidate) {
      if var outcome = outcomes[candidate] {
        guard truth.crossings[candidate].crossing.kind == crossing.kind else { return nil }
        outcome.delay = outcome.reported.seconds(since: crossing.time)
        return outcome
      }
      earlier = previous[candidate]
    }
    return nil
  }
}
