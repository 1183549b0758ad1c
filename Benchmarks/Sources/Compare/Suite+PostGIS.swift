import Foundation
import Vicinity

extension Suite {
  /// Entries and exits from PostGIS, in the formulations of ``PostGIS``, against ours: elapsed time on all cores from
  /// loaded inputs to events, building the index included on both sides.
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

      // Ours is over before the server's next look at the clock: several times, in turns with each formulation.
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
      var best = Double.infinity
      var plain = Double.infinity
      for formulation in PostGIS.Formulation.allCases {
        try runOurs()
        progress.show("\(label): PostGIS, \(formulation.rawValue)")
        let (build, query) = try server.run(formulation)
        let events = try server.events(tracks)
        let differences = Set(events).symmetricDifference(expected).count
        section.add("\(label), PostGIS \(formulation.rawValue): index", build, "s, elapsed")
        section.add("\(label), PostGIS \(formulation.rawValue): events", query, "s, elapsed")
        section.add(
          "\(label), PostGIS \(formulation.rawValue): differences of \(expected.count) changes of state",
          Double(differences), "")
        // Both solve the same geodesics, but a fix may lie within rounding of a boundary.
        guard differences * 10_000 <= expected.count else {
          throw Failure("PostGIS \(formulation.rawValue), \(label): \(differences) changes of state differ")
        }
        best = min(best, build + query)
        if formulation == .dwithin { plain = build + query }
      }
      try runOurs()
      progress.clear()
      let ours = zip(builds, follows).map(+).percentile(0.5)
      section.add("\(label), vicinity: index", builds.percentile(0.5) * 1e3, "ms, elapsed")
      section.add("\(label), vicinity: events", follows.percentile(0.5) * 1e3, "ms, elapsed")
      section.promise("\(label): times PostGIS, ST_DWithin on geography alone", plain / ours, atLeast: 100)
      section.promise("\(label): times PostGIS's fastest formulation", best / ours, atLeast: 100)
    }
    return section
  }
}
