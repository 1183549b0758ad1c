internal import VicinityCrossings

/// The best matching of one region's crossings of one kind with its reports of that kind, both in the order of time.
///
/// By dynamic programming over the reports. What a report can be of is a few crossings in a row, the last one before it and
/// those that follow within the earliness, and these runs never go back; so the state is no more than how many crossings of
/// the run are used up.
struct OrderedMatching {
  /// Places of crossings and of their reports, both ascending.
  private(set) var pairs: [(crossing: Int, report: Int)] = []

  /// How good a matching is: greater is better.
  private struct Value: Comparable {
    var matched = 0
    var early = 0
    var delay: Int64 = 0

    static func < (a: Value, b: Value) -> Bool {
      if a.matched != b.matched { return a.matched < b.matched }
      if a.early != b.early { return a.early > b.early }
      return a.delay > b.delay
    }
  }

  /// A report and the run of crossings that it can be of.
  private struct Candidate {
    var report: Int
    var time: Timestamp
    var first: Int
    var last: Int
    /// Where the run's values begin among all.
    var values: Int
  }

  init(crossings: [Timestamp], reports: [Timestamp], _ rule: MatchingRule) {
    var candidates: [Candidate] = []
    var before = 0
    var within = 0
    var count = 0
    for (report, time) in reports.enumerated() {
      let latest = time.advanced(by: rule.earliness)
      while before < crossings.count, crossings[before] <= time { before += 1 }
      within = max(within, before)
      while within < crossings.count, crossings[within] <= latest { within += 1 }
      // The last crossing before it, unless that is too long ago.
      var first = before
      if before > 0, crossings[before - 1].advanced(by: rule.lateness) >= time { first = before - 1 }
      guard first < within else { continue }
      candidates.append(
        Candidate(report: report, time: time, first: first, last: within - 1, values: count))
      count += within - first + 1
    }
    choose(candidates, crossings, count)
  }

  /// What matching a report with a crossing adds to a value.
  private static func adding(_ crossing: Timestamp, _ report: Timestamp, to value: Value) -> Value {
    let delay = report.microseconds.subtractingReportingOverflow(crossing.microseconds).partialValue
    return Value(
      matched: value.matched + 1, early: value.early + (delay < 0 ? 1 : 0),
      delay: value.delay.addingReportingOverflow(Int64(clamping: delay.magnitude)).partialValue)
  }

  private mutating func choose(_ candidates: [Candidate], _ crossings: [Timestamp], _ count: Int) {
    // values[candidate][i]: the best of this report and those after it with crossings from the run's i-th on.
    var values = [Value](repeating: Value(), count: count)
    func rest(_ candidate: Int, from crossing: Int) -> Value {
      guard candidate + 1 < candidates.count else { return Value() }
      let next = candidates[candidate + 1]
      return values[next.values + max(0, crossing - next.first)]
    }
    for c in candidates.indices.reversed() {
      let candidate = candidates[c]
      let length = candidate.last - candidate.first + 1
      values[candidate.values + length] = rest(c, from: candidate.last + 1)
      for i in (0..<length).reversed() {
        let crossing = candidate.first + i
        let taken = Self.adding(
          crossings[crossing], candidate.time, to: rest(c, from: crossing + 1))
        values[candidate.values + i] = max(
          taken, values[candidate.values + i + 1], rest(c, from: crossing))
      }
    }
    var crossing = 0
    for c in candidates.indices {
      let candidate = candidates[c]
      crossing = max(crossing, candidate.first)
      while crossing <= candidate.last {
        let best = values[candidate.values + crossing - candidate.first]
        if Self.adding(crossings[crossing], candidate.time, to: rest(c, from: crossing + 1)) == best {
          pairs.append((crossing, candidate.report))
          crossing += 1
          break
        }
        if rest(c, from: crossing) == best { break }
        crossing += 1
      }
    }
  }
}
