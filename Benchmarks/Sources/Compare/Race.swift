/// One contestant asked one set of queries.
struct Entry {
  /// What is asked: `near`, `track`, ...
  var scenario: String
  /// Regions in the index.
  var n: Int
  var contestant: any Contestant
  var queries: Queries
}

/// Contestants in turns: one repetition of each after the other, so that a slow minute of the machine slows
/// all of them and ratios stand. The order is drawn anew for each repetition, from a fixed seed: a contestant
/// that always followed the same one would always find the same lines in the caches.
struct Race {
  /// How much to run.
  struct Effort {
    /// Queries a repetition, where a scenario does not need more or fewer.
    var queries: Int
    var repetitions: Int
    /// Most nanoseconds for one repetition of one contestant; slow ones answer the first queries only.
    var budget: Double
  }

  var k: Int
  var effort: Effort
  var library: PeerLibrary
  /// Legs of a kilometre, for `geod_inverse` as the unit of the moment.
  var legs: Queries
  var progress: Progress
  var entries: [Entry] = []

  init(_ suite: Suite) {
    k = suite.k
    effort = suite.effort
    library = suite.library
    legs = suite.inputs.walk(step: 1000, count: 201)
    progress = suite.progress
  }

  mutating func add(
    _ scenario: String, n: Int, _ queries: Queries, _ contestants: [any Contestant]
  ) {
    for contestant in contestants {
      entries.append(Entry(scenario: scenario, n: n, contestant: contestant, queries: queries))
    }
  }

  /// Runs every entry, and judges the answers of each scenario against its certified ones.
  mutating func run() throws -> [Row] {
    var lanes: [Lane] = []
    for i in entries.indices { lanes.append(try lane(&entries[i])) }
    var random = SplitMix64(seed: 1)
    for repetition in 0..<effort.repetitions {
      for i in entries.indices.shuffled(using: &random) {
        if repetition >= lanes[i].repetitionLimit { continue }
        progress.show("\(entries[i].scenario) \(entries[i].n): repetition \(repetition + 1)")
        let unit = library.geodesicNanoseconds(legs, count: 200)
        try entries[i].contestant.run(
          entries[i].queries, count: lanes[i].count, into: &lanes[i].answers)
        lanes[i].record(geodesic: unit)
      }
    }
    progress.clear()
    return zip(entries, lanes).map { entry, lane in
      let rivals = zip(entries, lanes).filter {
        $0.0.scenario == entry.scenario && $0.0.n == entry.n
      }
      return Row(entry, lane, truth: Self.truth(rivals.map { ($0.0, $0.1) }))
    }
  }

  /// A first run, which also tells how many queries the budget allows.
  private func lane(_ entry: inout Entry) throws -> Lane {
    progress.show("\(entry.scenario) \(entry.n): warming up \(entry.contestant.name)")
    let most = entry.queries.count
    var pilot = Answers(queries: min(Answers.batch, most), k: k)
    var probe = 1
    var perQuery = 0.0
    while true {
      try entry.contestant.run(entry.queries, count: probe, into: &pilot)
      perQuery = pilot.batchNanoseconds[0] / Double(probe)
      if probe == pilot.ids.count / k || perQuery * Double(probe) > effort.budget / 10 { break }
      probe = min(probe * 7, pilot.ids.count / k)
    }
    let affordable = Int(min(effort.budget / max(perQuery, 1), 1e9))
    let count = min(most, max(3, affordable))
    var lane = Lane(count: count, k: k)
    let unit = library.geodesicNanoseconds(legs, count: 200)
    try entry.contestant.run(entry.queries, count: count, into: &lane.answers)
    // Brute force over a million exceeds any budget: its first run is its only one.
    if perQuery * Double(count) > 2 * effort.budget {
      lane.repetitionLimit = 0
      lane.record(geodesic: unit)
    }
    return lane
  }

  /// The answers others are judged by: brute force as far as it came, then the certified constructions.
  private static func truth(_ rivals: [(Entry, Lane)]) -> [Lane] {
    ["brute-force-exact", "vicinity-brute", "nanoflann-certified"].compactMap { name in
      rivals.first { $0.0.contestant.name == name }?.1
    }
  }
}

/// What one entry's repetitions left.
struct Lane {
  /// Queries a repetition.
  let count: Int
  /// Most repetitions.
  var repetitionLimit = Int.max
  var answers: Answers
  /// Nanoseconds a query: the mean of each repetition.
  var repetitions: [Double] = []
  /// Nanoseconds a query: the mean of each batch of every repetition.
  var batches: [Double] = []
  /// Nanoseconds of a `geod_inverse` beside each repetition.
  var geodesics: [Double] = []

  init(count: Int, k: Int) {
    self.count = count
    answers = Answers(queries: count, k: k)
  }

  mutating func record(geodesic: Double) {
    var sum = 0.0
    for (i, nanoseconds) in answers.batchNanoseconds.enumerated() {
      let queries = min(Answers.batch, count - i * Answers.batch)
      batches.append(nanoseconds / Double(queries))
      sum += nanoseconds
    }
    repetitions.append(sum / Double(count))
    geodesics.append(geodesic)
  }
}
