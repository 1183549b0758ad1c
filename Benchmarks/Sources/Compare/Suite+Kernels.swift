import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPlanner
import VicinityPolygon

extension Suite {
  /// Single operations on legs of eight lengths, beside PROJ called from C++ over the same legs. Built
  /// without traits (`Scripts/bench --standalone`), `Geodesic` is the package's own solver; otherwise it
  /// calls PROJ too.
  func kernels() throws -> Section {
    var section = Section()
    guard matches("kernels") else { return section }
    for (label, distance) in [
      ("100 m", 100.0), ("1 km", 1e3), ("10 km", 1e4), ("100 km", 1e5), ("1000 km", 1e6), ("5000 km", 5e6),
      ("18 000 km", 18e6), ("19 980 km", 19.98e6),
    ] {
      progress.show("kernels: \(label)")
      let legs = inputs.walk(step: distance, count: 2001)
      let inverse = try Geodesic.inverse(from: legs.coordinates[0], to: legs.coordinates[1])
      var c: [Double] = []
      var distances: [Double] = []
      var inverses: [Double] = []
      var directs: [Double] = []
      var conversions: [Double] = []
      for _ in 0..<max(5, effort.repetitions) {
        c.append(library.geodesicNanoseconds(legs, count: legs.count - 1))
        distances.append(
          try perLeg(legs.count) {
            try Geodesic.distance(from: legs.coordinates[$0], to: legs.coordinates[$0 + 1])
          })
        inverses.append(
          try perLeg(legs.count) {
            try Geodesic.inverse(from: legs.coordinates[$0], to: legs.coordinates[$0 + 1]).azimuth1
          })
        directs.append(
          try perLeg(legs.count) {
            try Geodesic.direct(from: legs.coordinates[$0], azimuth: inverse.azimuth1, distance: distance)
              .coordinate.latitude
          })
        conversions.append(try perLeg(legs.count) { try ECEF(legs.coordinates[$0]).x })
      }
      for (name, values) in [
        ("geod_inverse from C++", c), ("Geodesic.distance", distances), ("Geodesic.inverse", inverses),
        ("Geodesic.direct", directs),
        ("ECEF of a coordinate", conversions),
      ] {
        section.add("\(name), \(label)", values.percentile(0.5), "ns")
      }
    }
    progress.clear()
    return section
  }

  /// Thread-CPU nanoseconds of `operation` on each leg of a walk; the sum of results keeps it alive.
  private func perLeg(_ count: Int, _ operation: (Int) throws -> Double) rethrows -> Double {
    var sum = 0.0
    let start = Clock.thread
    for leg in 0..<count - 1 { sum += try operation(leg) }
    let elapsed = Clock.thread - start
    precondition(sum.isFinite, "an operation gave \(sum)")
    return elapsed / Double(count - 1)
  }
}
