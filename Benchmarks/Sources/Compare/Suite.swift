import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPlanner
import VicinityPolygon

/// The scenarios, and what each compares.
struct Suite {
  var inputs: Inputs
  var library: PeerLibrary
  var effort: Race.Effort
  var sizes: [Int]
  /// Only contestants and sections whose name contains this; empty means all.
  var filter: String
  /// The command line program; `nil` to leave out what needs it.
  var program: String?
  /// The directory of a PostgreSQL server's socket; `nil` to leave PostGIS out.
  var postgis: String?
  /// A Python that has GeoPandas; `nil` to leave it out.
  var python: String?
  /// The repository's directory; `nil` to leave out what reads its data.
  var repository: String?
  /// Whether to measure what takes minutes, too.
  var isFull = false
  var progress: Progress
  let k = 20

  /// Near, uniform, ocean and track queries against `n` circles; with 10 000, the dense city too.
  func circles(_ n: Int) throws -> [Row] {
    let circles = inputs.circles(n)
    let near = inputs.near(circles, count: effort.queries)
    // A track shorter than this is mostly the start of its legs.
    let track = inputs.track(count: max(effort.queries, 8000))
    let far = min(effort.queries, 2000)
    progress.show("\(n): building")
    let ours = try Ours(circles)
    let nanoflann = try library.build("nanoflann-plain", circles)
    let twoPhase = try library.build("nanoflann-exact2phase", circles)
    let certified = try library.build("nanoflann-certified", circles)
    let brute = try library.build("brute-force-exact", circles)
    let vicinity = Stateless(ours)

    var race = Race(self)
    race.add(
      "near", n: n, near,
      [
        vicinity, Convenient(ours: ours), Batch(ours: ours),
        Stateless(ours, name: "vicinity-hundredMeters", options: QueryOptions(tier: .hundredMeters)),
        Stateless(ours, name: "vicinity-kilometer", options: QueryOptions(tier: .kilometer)),
        nanoflann, twoPhase, certified, brute,
        try library.build("boost-ecef-plain", circles),
        try library.build("boost-ecef-exact2phase", circles),
        try library.build("boost-ecef-certified", circles),
        try library.build("geos-strtree-window-exact", circles),
        try library.build("s2-closestpoint-plain", circles),
      ])
    race.add(
      "track", n: n, track, [vicinity, Moving(ours: ours), nanoflann, twoPhase, certified, brute])
    race.add(
      "shuffled-track", n: n, inputs.shuffled(track), [Batch(ours: ours), nanoflann, certified, brute])
    let anywhere: [any Contestant] = [vicinity, Batch(ours: ours), nanoflann, certified, brute]
    race.add("uniform", n: n, inputs.uniform(count: far), anywhere)
    race.add("ocean", n: n, inputs.ocean(count: far), anywhere)
    if n == 10_000 {
      let (city, positions) = inputs.denseCity(queries: effort.queries)
      race.add(
        "dense-city", n: n, positions,
        [
          Stateless(try Ours(city)), try library.build("nanoflann-plain", city),
          try library.build("nanoflann-exact2phase", city),
          try library.build("nanoflann-certified", city),
          try library.build("brute-force-exact", city),
        ])
    }
    return try run(&race)
  }

  /// Runs what the filter lets through, and with it what ratios and judgements need.
  func run(_ race: inout Race) throws -> [Row] {
    let wanted = race.entries.filter { matches("\($0.scenario) \($0.contestant.name)") }
    let scenarios = Set(wanted.map(\.scenario))
    let needed = ["nanoflann-plain", "nanoflann-certified", "vicinity"]
    race.entries.removeAll { entry in
      !scenarios.contains(entry.scenario)
        || !(matches("\(entry.scenario) \(entry.contestant.name)") || needed.contains(entry.contestant.name))
    }
    return try race.run()
  }

  /// Whether `filter` names sections only, so that no race need be prepared.
  var wantsSectionsOnly: Bool {
    let sections = [
      "build", "open", "ties", "bulk", "updates", "kernels", "store", "monitor", "planner", "plans",
      "simulation",
      "study", "validity", "containment",
    ]
    return !filter.isEmpty
      && filter.split(separator: ",").allSatisfy {
        $0.hasPrefix("crossings") || sections.contains(String($0))
      }
  }

  func matches(_ name: String) -> Bool {
    filter.isEmpty || filter.split(separator: ",").contains { name.contains($0) }
  }
}
