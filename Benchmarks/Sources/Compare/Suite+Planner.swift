import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPlanner
import VicinityPolygon

extension Suite {
  /// What a decision of the planner costs a fix, plans included: 1 Hz, 15 m/s.
  func planner() throws -> Section {
    var section = Section()
    guard matches("planner") else { return section }
    for n in sizes {
      progress.show("planner \(n): building")
      let circles = inputs.circles(n)
      let index = try Ours(circles).index
      let count = max(effort.queries, 8000)
      let dense = inputs.tracks(
        total: 4 * count, .init(seconds: 1, fixesPerTrack: 3600, reach: 15_000),
        from: inputs.densestPlaces(8),
        salt: 13)
      let places = inputs.tracks(
        total: 4 * count, .shortTrips, from: inputs.origins(circles, count: 10_000), salt: 12)
      try add("dense places", n, dense, index, &section)
      try add("where regions are", n, places, index, &section)
      if n == 10_000 {
        let city = inputs.denseCity(queries: 300)
        let walks = inputs.tracks(
          total: count, .init(seconds: 1, fixesPerTrack: 3600, reach: 9500), from: inputs.densestPlaces(1),
          salt: 17)
        try add("dense city", n, walks, try Ours(city.0).index, &section)
      }
    }
    progress.clear()
    return section
  }

  private func add(
    _ scenario: String, _ n: Int, _ tracks: Tracks, _ index: RegionIndex, _ section: inout Section
  ) throws {
    for setup in PlannerSetup.all {
      let name = "planner \(n), \(scenario), \(setup.name)"
      progress.show(name)
      let cost = try Self.cost(of: setup, tracks, index, repetitions: max(5, effort.repetitions))
      section.add(name, cost.perFix, "ns a fix")
      section.add("\(name): fixes a plan", cost.fixesPerPlan, "")
      if setup.isTarget, n == 1_000_000 { section.promise(name, cost.perFix, atMost: 200, unit: " ns") }
    }
  }

  struct PlannerCost {
    var perFix: Double
    var fixesPerPlan: Double
  }

  /// The median over repetitions; each track's first plan, for which the device looks everything up, is not
  /// timed.
  static func cost(
    of setup: PlannerSetup, _ tracks: Tracks, _ index: RegionIndex, repetitions: Int
  ) throws -> PlannerCost {
    var times: [Double] = []
    var plans = 0
    let fixes = tracks.fixes.indices.map { i in
      var fix = tracks.fixes[i]
      fix.horizontalAccuracy = setup.accuracy
      fix.speed = Inputs.speed
      let next = tracks.fixes[min(i + 1, tracks.fixes.count - 1)].coordinate
      if let way = try? Geodesic.inverse(from: fix.coordinate, to: next) {
        fix.course = way.azimuth1 < 0 ? way.azimuth1 + 360 : way.azimuth1
      }
      return fix
    }
    let timed = fixes.count - tracks.count
    for _ in 0..<repetitions {
      var planner = try RegistrationPlanner(index, options: setup.options)
      var time = 0.0
      for track in 0..<tracks.count {
        planner.reset()
        let range = tracks.range(track)
        _ = try planner.advance(to: fixes[range.lowerBound])
        let start = Clock.thread
        for i in range.dropFirst() { _ = try planner.advance(to: fixes[i]) }
        time += Clock.thread - start
      }
      times.append(time / Double(timed))
      plans = planner.counts.plans - tracks.count
    }
    return PlannerCost(
      perFix: times.percentile(0.5), fixesPerPlan: Double(timed) / Double(max(1, plans)))
  }
}

/// A planner's options, and how accurate its fixes are.
struct PlannerSetup {
  var name: String
  var options: PlanOptions
  var accuracy: Meters
  /// Whether the target is meant for it.
  var isTarget = false

  static var all: [PlannerSetup] {
    var ahead = PlanOptions.followed
    ahead.strategy = .boundaryAhead()
    return [
      PlannerSetup(name: "followed, exact fixes", options: .followed, accuracy: 0, isTarget: true),
      PlannerSetup(name: "followed, accuracy 5 m", options: .followed, accuracy: 5, isTarget: true),
      PlannerSetup(name: "ahead, accuracy 5 m", options: ahead, accuracy: 5),
      PlannerSetup(name: "a phone's margins, accuracy 5 m", options: PlanOptions(), accuracy: 5),
    ]
  }
}
