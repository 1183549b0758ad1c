import Foundation
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPlanner
import VicinityPolygon

extension Suite {
  /// How often each formulation is run; medians count.
  private static let postGISRounds = 3

  /// Entries and exits from PostGIS, in the formulations of ``PostGIS``, against ours: elapsed time on all
  /// cores from loaded inputs to events, with the building of the index on both sides and without it.
  func againstPostGIS() throws -> Section {
    var section = Section()
    guard let postgis, matches("crossings:postgis") else { return section }
    let n = min(largest, 100_000)
    let circles = inputs.circles(n)
    let origins = inputs.origins(circles, count: 10_000)
    for (name, journey) in [("1 Hz", Inputs.Journey.shortTrips), ("one fix per 10 s", .shortTripsSparsely)] {
      let total = effort.queries <= 1000 ? 144_000 : 10_800_000
      let tracks = inputs.tracks(total: total, journey, from: origins, salt: 21)
      let label = "crossings \(n), \(tracks.fixes.count) fixes, \(name)"
      let server = try PostGIS(directory: postgis)
      progress.show("\(label): loading PostGIS")
      try server.load(circles, tracks)

      // Ours is over before the server's next look at the clock: several times, in turns with each
      // formulation.
      let set = try Ours.set(circles)
      var builds: [Double] = []
      var follows: [Double] = []
      func runOurs() throws {
        for _ in 0..<5 {
          let (index, build) = try Cost.of { try RegionIndex(set) }
          builds.append(build.wall)
          follows.append(try Self.follow(tracks, index, threads: 2, laps: 1).wall)
        }
      }
      let expected = try CrossingEntry("crossings:postgis", circles, tracks, Ours(circles)).changes()
      var indexing: [PostGIS.Formulation: [Double]] = [:]
      var querying: [PostGIS.Formulation: [Double]] = [:]
      for round in 0..<Self.postGISRounds {
        for formulation in PostGIS.Formulation.allCases {
          try runOurs()
          progress.show("\(label): PostGIS, \(formulation.rawValue), run \(round + 1)")
          let (build, query) = try server.run(formulation)
          indexing[formulation, default: []].append(build)
          querying[formulation, default: []].append(query)
          if round > 0 { continue }
          let events = try server.events(tracks)
          let differences = Set(events).symmetricDifference(expected).count
          let name = "\(label), PostGIS \(formulation.rawValue)"
          section.add("\(name): differences of \(expected.count) changes of state", Double(differences), "")
          section.add("\(name): workers beside the leader", Double(try server.workers(formulation)), "")
          // Both solve the same geodesics, but a fix may lie within rounding of a boundary.
          guard differences * 10_000 <= expected.count else {
            throw Failure("\(name): \(differences) changes of state differ")
          }
        }
      }
      try runOurs()
      progress.clear()
      let whole = zip(builds, follows).map(+).percentile(0.5)
      let alone = follows.percentile(0.5)
      section.add("\(label), vicinity: index", builds.percentile(0.5) * 1e3, "ms, elapsed")
      section.add("\(label), vicinity: events", alone * 1e3, "ms, elapsed")
      // PostgreSQL's parallel workers and both of our threads have the machine to themselves in turns.
      var bestWhole = Double.infinity
      var bestAlone = Double.infinity
      for formulation in PostGIS.Formulation.allCases {
        let builds = indexing[formulation] ?? []
        let queries = querying[formulation] ?? []
        let name = "\(label), PostGIS \(formulation.rawValue)"
        section.add("\(name): index", builds.percentile(0.5), "s, elapsed, median of \(builds.count)")
        section.add("\(name): events", queries.percentile(0.5), "s, elapsed, median of \(queries.count)")
        section.add("\(name): events, fastest", queries.min() ?? .nan, "s, elapsed")
        section.add("\(name): events, slowest", queries.max() ?? .nan, "s, elapsed")
        let sum = zip(builds, queries).map(+).percentile(0.5)
        bestWhole = min(bestWhole, sum)
        bestAlone = min(bestAlone, queries.percentile(0.5))
        if formulation == .dwithin {
          section.promise("\(label): times PostGIS, ST_DWithin on geography alone", sum / whole, atLeast: 100)
        }
      }
      section.promise(
        "\(label): times PostGIS's fastest formulation, index included", bestWhole / whole, atLeast: 100)
      section.promise(
        "\(label): times PostGIS's fastest query, its index already there", bestAlone / alone, atLeast: 10)
    }
    return section
  }
}
