/// One line of the results.
struct Row: Encodable {
  var scenario: String
  var n: Int
  var contestant: String
  var isExact: Bool
  var k: Int
  var queries: Int
  var repetitions: Int
  /// Building, seconds.
  var build: Cost?
  /// Bytes a region, identifiers left out.
  var bytesPerRegion: Double?
  /// Thread-CPU nanoseconds a query: the median over repetitions, the least, and percentiles of batches.
  var median: Double
  var minimum: Double
  var p50: Double
  var p90: Double
  /// The median repetition in units of a `geod_inverse` measured beside it.
  var perGeodesic: Double
  /// The sum of all distances answered, and over how many queries; `nil` without distances.
  var checksum: Double?
  /// The share of queries whose set is the exact one; `nil` where nothing exact ran.
  var exactSets: Double?
  /// The mean share of each exact set that was found.
  var recall: Double?
  /// How many queries were judged, and how many of those by brute force.
  var judged: Int
  /// The largest difference of a reported distance from the exact one, metres.
  var largestError: Double?

  init(_ entry: Entry, _ lane: Lane, truth: [Lane]) {
    scenario = entry.scenario
    n = entry.n
    contestant = entry.contestant.name
    isExact = entry.contestant.isExact
    k = lane.answers.k
    queries = lane.count
    repetitions = lane.repetitions.count
    build = entry.contestant.buildCost
    bytesPerRegion = entry.contestant.bytes.map { $0 / Double(entry.n) }
    median = lane.repetitions.percentile(0.5)
    minimum = lane.repetitions.min() ?? .nan
    p50 = lane.batches.percentile(0.5)
    p90 = lane.batches.percentile(0.9)
    perGeodesic = zip(lane.repetitions, lane.geodesics).map { $0 / $1 }.percentile(0.5)
    if entry.contestant.reportsDistances {
      checksum = lane.answers.distances.reduce(0) { $1.isFinite ? $0 + $1 : $0 }
    }

    // Each query is judged by the first of `truth` that answered it.
    judged = 0
    var equal = 0
    var found = 0
    var wanted = 0
    var error = 0.0
    for query in 0..<lane.count {
      guard let judge = truth.first(where: { $0.count > query }) else { break }
      judged += 1
      let exact = judge.answers.set(query)
      let given = lane.answers.set(query)
      if exact == given { equal += 1 }
      wanted += exact.count
      found += Set(exact).intersection(given).count
      for i in query * k..<(query + 1) * k where judge.answers.distances[i].isFinite {
        let difference = abs(judge.answers.distances[i] - lane.answers.distances[i])
        // A distance that is not a number must not pass for an exact one: `max` would drop it.
        if !(difference <= error) { error = difference.isNaN ? .infinity : difference }
      }
    }
    if judged > 0 {
      exactSets = Double(equal) / Double(judged)
      recall = Double(found) / Double(wanted)
      if isExact, entry.contestant.reportsDistances { largestError = error }
    }
  }

  /// What is wrong with the row, for a contestant that promises exactness; `nil` when nothing is.
  var complaint: String? {
    guard isExact else { return nil }
    // Polygons may swap places within 2 mm, so that only their distances are held to account.
    let polygons = scenario.hasPrefix("polygons:")
    if !polygons, let exactSets, exactSets < 1 { return "\(contestant), \(scenario) \(n): sets differ" }
    if let largestError, !(largestError <= (polygons ? 1e-3 : 1e-6)) {
      return "\(contestant), \(scenario) \(n): distances off by \(largestError) m"
    }
    return nil
  }
}

extension [Double] {
  /// The value below which a `share` of the others lie (nearest rank).
  func percentile(_ share: Double) -> Double {
    guard !isEmpty else { return .nan }
    let rank = Int((share * Double(count)).rounded(.up)) - 1
    return sorted()[Swift.min(Swift.max(rank, 0), count - 1)]
  }
}
