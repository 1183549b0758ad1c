import Benchmark
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex

/// Single operations, with percentiles and baselines to compare commits by:
///
///     swift package --package-path Benchmarks/Micro benchmark
///     swift package --package-path Benchmarks/Micro benchmark baseline update before
///
/// Comparing with the peers is `Scripts/bench`.
let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration = .init(
    metrics: [.wallClock, .throughput], scalingFactor: .kilo, maxDuration: .seconds(2))

  for (label, distance) in [("1 km", 1e3), ("100 km", 1e5), ("5000 km", 5e6)] {
    let places = walk(step: distance, count: 1001)
    Benchmark("Geodesic.distance \(label)") { benchmark in
      for i in benchmark.scaledIterations {
        blackHole(try Geodesic.distance(from: places[i], to: places[i + 1]))
      }
    }
  }

  let positions = walk(step: 15, count: 1000)
  Benchmark("ECEF of a coordinate") { benchmark in
    for i in benchmark.scaledIterations { blackHole(try ECEF(positions[i])) }
  }

  for count in [10_000, 100_000] {
    guard let index = try? RegionIndex(circles(count, around: positions)) else { continue }
    var scratch = QueryScratch()
    var neighbors: [Neighbor] = []
    Benchmark("nearest 20 of \(count), 1 Hz walk") { benchmark in
      for i in benchmark.scaledIterations {
        try index.nearest(
          20, to: positions[i], options: .init(), scratch: &scratch, into: &neighbors)
        blackHole(neighbors.count)
      }
    }
    Benchmark("moving query, 20 of \(count), 1 Hz walk") { benchmark in
      var moving = index.movingQuery(count: 20)
      for i in benchmark.scaledIterations { blackHole(try moving.move(to: positions[i])) }
    }
    Benchmark("containing, \(count)") { benchmark in
      for i in benchmark.scaledIterations { blackHole(try index.containing(positions[i]).count) }
    }
  }
}

/// Positions `step` metres apart, the course turning by the golden angle's share at each.
func walk(step: Meters, count: Int) -> [Coordinate] {
  var position = Coordinate(latitude: 48.2, longitude: 16.37)
  var positions = [position]
  while positions.count < count {
    let azimuth = (Double(positions.count) * 2.399).remainder(dividingBy: 360)
    if let next = try? Geodesic.direct(from: position, azimuth: azimuth, distance: step) {
      position = next.coordinate
    }
    positions.append(position)
  }
  return positions
}

/// Circles in a spiral of equal density, 20 to a square kilometre, around the middle of a walk.
func circles(_ count: Int, around walk: [Coordinate]) throws -> RegionSet {
  let center = walk[walk.count / 2]
  var set = RegionSet()
  for i in 0..<count {
    let place = try Geodesic.direct(
      from: center, azimuth: (Double(i) * 137.50776405).remainder(dividingBy: 360),
      distance: (Double(i) / (20 * .pi)).squareRoot() * 1000)
    try set.appendCircle(
      identifier: String(i).utf8, center: place.coordinate, radius: 50 + Double(i * 37 % 450))
  }
  return set
}
