import VicinityCrossings
import VicinityFormats
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityPlanner
import VicinityPolygon

extension Suite {
  /// The polygons of `specification` (`FILE` or `FILE:LAYER`) against as many circles around them.
  ///
  /// The polygons are asked from anywhere on the Earth, too. Each circle sits at the centre of a polygon's
  /// bounding circle; the queries are the same for both: a random polygon's centre moved by half its bounding
  /// radius (standard deviation, each axis).
  func polygons(_ specification: String) throws -> [Row] {
    let parts = specification.split(separator: ":").map(String.init)
    var options = ReadingOptions()
    // Some files repeat their identifiers.
    options.identifierField = "FID"
    if parts.count > 1 { options.layer = parts[1] }
    let file = parts[0].split(separator: "/").last.map(String.init) ?? parts[0]
    let label = parts.count > 1 ? parts[1] : file
    guard matches("polygons:\(label)") else { return [] }
    progress.show("polygons:\(label): reading")
    let index = try Ours(RegionReader.read(parts[0], options: options).content)

    var random = SplitMix64(seed: inputs.seed &* 1000 &+ 7)
    var circles = Circles()
    var bounds: [(center: Coordinate, radius: Meters)] = []
    for ordinal in 0..<index.index.count {
      switch index.index.region(at: ordinal).shape {
      case .circle(let center, let radius): bounds.append((center, radius))
      case .polygon(let polygon): bounds.append((polygon.boundingCenter, polygon.boundingRadius))
      }
      circles.append(bounds[ordinal].center, radius: Inputs.radius(50, 2000, using: &random))
    }
    let queries = Queries(
      (0..<effort.queries).map { _ in
        let (center, radius) = bounds[random.index(below: bounds.count)]
        return Inputs.moved(center, by: radius / 2, using: &random)
      })
    var race = Race(self)
    let brute = QueryOptions(usesBruteForce: true)
    race.add(
      "polygons:\(label)", n: circles.count, queries,
      [
        Stateless(index),
        Stateless(index, name: "vicinity-hundredMeters", options: QueryOptions(tier: .hundredMeters)),
        Stateless(index, name: "vicinity-kilometer", options: QueryOptions(tier: .kilometer)),
        Stateless(index, name: "vicinity-brute", options: brute),
      ])
    race.add(
      "polygons:\(label):uniform", n: circles.count, inputs.uniform(count: min(effort.queries, 2000)),
      [Stateless(index), Stateless(index, name: "vicinity-brute", options: brute)])
    race.add(
      "circles-for-polygons:\(label)", n: circles.count, queries,
      [
        Stateless(try Ours(circles)), try library.build("nanoflann-plain", circles),
        try library.build("nanoflann-certified", circles),
      ])
    return try run(&race)
  }
}
