package import VicinityCrossings
package import VicinityGeodesy
package import VicinityIndex

/// Made-up tracks.
package enum TrackGenerator {
  /// A walk whose steps lie between two lengths, a fix every so often, starting somewhere among regions.
  package static func walk(
    _ count: Int, from start: Coordinate, steps: ClosedRange<Double>, turn: Double = 30,
    interval: Int64 = 1_000_000,
    seed: UInt64
  ) -> [Fix] {
    var random = SplitMix64(seed: seed)
    var here = start
    var azimuth = random.uniform(0...360)
    var time: Int64 = 1_600_000_000_000_000
    return (0..<count).map { _ in
      defer {
        azimuth += random.uniform(-turn...turn)
        let reached = Geodesic.uncheckedDirect(here, azimuth: azimuth, distance: random.logUniform(steps))
        here = reached.coordinate
        // Latitudes turn the walk round at the poles.
        azimuth = reached.azimuth
        time += 1 + Int64(random.unit() * Double(2 * interval))
      }
      return Fix(time: Timestamp(microseconds: time), coordinate: here)
    }
  }

  /// Fixes in, on and around regions, in any order.
  package static func hops(_ count: Int, among regions: [Region], _ family: RegionFamily, seed: UInt64)
    -> [Fix]
  {
    var time: Int64 = 1_600_000_000_000_000
    var random = SplitMix64(seed: seed)
    return family.positions(count, among: regions, seed: seed).map { place in
      time += 1 + Int64(random.unit() * 2e8)
      return Fix(time: Timestamp(microseconds: time), coordinate: place)
    }
  }

  package static func crossings(
    _ fixes: [Fix], _ index: RegionIndex, _ options: CrossingOptions = CrossingOptions()
  ) throws -> [Crossing] {
    var detector = try CrossingDetector(index, options: options)
    var result: [Crossing] = []
    for fix in fixes { try detector.advance(to: fix, into: &result) }
    return result
  }
}
